import type { PatchOperation } from '../contract/finding.ts';
import { escapeToken, isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { splitPointer } from '../schemas/schema-walk.ts';
import type { Violation } from '../schemas/violations.ts';

/** Most changes at one place of a schema; more is not a small change. */
const MAX_OPERATIONS = 20;

/**
 * The smallest patches that make a schema allow the given violations, by place: add a type or an enum value, drop a
 * `required` name, declare a property, widen a bound. Violations at one place share one patch.
 */
export class AmendmentPlan {
  readonly #schema: Json;
  readonly #isOpenApiAt: (pointer: string) => boolean;
  readonly #patches = new Map<string, PatchOperation[]>();

  /** `isOpenApiAt` tells where the schema is OpenAPI 3.0, which has neither type lists nor the type `null`. */
  constructor(schema: Json, violations: readonly Violation[], isOpenApiAt = (_pointer: string) => false) {
    this.#schema = schema;
    this.#isOpenApiAt = isOpenApiAt;
    const places = new Map<string, Violation[]>();
    for (const violation of violations) {
      const place = placeOf(violation);
      const samePlace = places.get(place);
      if (samePlace === undefined) places.set(place, [violation]);
      else samePlace.push(violation);
    }
    for (const [place, samePlace] of places) {
      const found = this.#patchFor(samePlace);
      const isOpenApi = this.#isOpenApiAt(samePlace[0]?.schemaPointer ?? '');
      const patch = found !== undefined && isOpenApi ? asOpenApi(this.#schema, found) : found;
      if (patch !== undefined && patch.length <= MAX_OPERATIONS) this.#patches.set(place, patch);
    }
  }

  /** The patch that resolves these violations; `undefined` if some need more than a small change. */
  patchFor(violations: readonly Violation[]): PatchOperation[] | undefined {
    const patch: PatchOperation[] = [];
    for (const place of new Set(violations.map(placeOf))) {
      const part = this.#patches.get(place);
      if (part === undefined) return undefined;
      patch.push(...part);
    }
    return patch;
  }

  #patchFor(violations: readonly Violation[]): PatchOperation[] | undefined {
    const [first] = violations;
    if (first === undefined) return undefined;
    const { keyword, schemaPointer } = first;
    const wanted = valueAt(this.#schema, schemaPointer);
    if (wanted === undefined) return undefined;
    if (keyword === 'type') return typePatch(schemaPointer, wanted, violations);
    if (keyword === 'enum') return enumPatch(schemaPointer, wanted, violations);
    if (keyword === 'required') return requiredPatch(schemaPointer, wanted, violations);
    if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
      return this.#propertyPatch(schemaPointer, violations);
    if (keyword === 'anyOf' || keyword === 'oneOf') return branchPatch(schemaPointer, wanted, violations);
    const size = BOUNDS[keyword];
    return size === undefined ? undefined : boundPatch(keyword, schemaPointer, violations, size);
  }

  #propertyPatch(schemaPointer: string, violations: readonly Violation[]): PatchOperation[] | undefined {
    const parent = splitPointer(schemaPointer)?.parent ?? '';
    const owner = valueAt(this.#schema, parent);
    if (!isObject(owner)) return undefined;
    const values = new Map<string, Json[]>();
    for (const { property, actual } of violations) {
      if (property === undefined || !isObject(actual) || !Object.hasOwn(actual, property)) return undefined;
      values.set(property, [...(values.get(property) ?? []), actual[property] as Json]);
    }
    const declared: JsonObject = Object.fromEntries([...values].map(([name, seen]) => [name, { type: typesOf(seen) }]));
    if (owner.properties === undefined) return [{ op: 'add', path: `${parent}/properties`, value: declared }];
    return Object.entries(declared).map(([name, value]) => {
      return { op: 'add', path: `${parent}/properties/${escapeToken(name)}`, value };
    });
  }
}

function placeOf({ schemaPointer, keyword }: Violation): string {
  return `${keyword} ${schemaPointer}`;
}

/** A patch in the terms of OpenAPI 3.0; `undefined` if it cannot be expressed. */
function asOpenApi(schema: Json, patch: readonly PatchOperation[]): PatchOperation[] | undefined {
  const translated = patch.map((operation): PatchOperation => {
    const { path, value } = operation;
    const added = Array.isArray(value) && path.endsWith('/type') ? value.filter((type) => type !== 'null') : [];
    return added.length === 1 && added[0] === valueAt(schema, path)
      ? { op: 'add', path: `${splitPointer(path)?.parent ?? ''}/nullable`, value: true }
      : operation;
  });
  const hasOtherTypes = translated.some(
    ({ path, value }) =>
      (path.endsWith('/type') && Array.isArray(value)) || /"type":(?:\[|"null")/.test(JSON.stringify(value ?? 0)),
  );
  return hasOtherTypes ? undefined : translated;
}

function typePatch(path: string, wanted: Json, violations: readonly Violation[]): PatchOperation[] | undefined {
  const before = (Array.isArray(wanted) ? wanted : [wanted]).filter((type) => typeof type === 'string');
  const types = [...before];
  for (const { actual } of violations) {
    if (actual === undefined) return undefined;
    const type = typeOf(actual);
    if (type === 'number' && types.includes('integer')) types[types.indexOf('integer')] = 'number';
    else if (!types.includes(type) && !(type === 'integer' && types.includes('number'))) types.push(type);
  }
  const [only] = types;
  return [
    { op: 'replace', path, value: types.length === 1 && only !== undefined && !Array.isArray(wanted) ? only : types },
  ];
}

function enumPatch(path: string, wanted: Json, violations: readonly Violation[]): PatchOperation[] | undefined {
  if (!Array.isArray(wanted)) return undefined;
  const known = new Set(wanted);
  const added: Json[] = [];
  for (const { actual } of violations) {
    // A whole structure as an enum value would no longer be a rule.
    if (actual === undefined || (typeof actual === 'object' && actual !== null)) return undefined;
    if (!known.has(actual)) added.push(actual);
    known.add(actual);
  }
  return added.map((value) => ({ op: 'add', path: `${path}/-`, value }));
}

function requiredPatch(path: string, wanted: Json, violations: readonly Violation[]): PatchOperation[] | undefined {
  if (!Array.isArray(wanted)) return undefined;
  const dropped = new Set(violations.map(({ property }) => property));
  const indexes = [...wanted.keys()].filter((index) => dropped.has(wanted[index] as string));
  // From last to first, so that no removal shifts the next index.
  return indexes.reverse().map((index) => ({ op: 'remove', path: `${path}/${index}` }));
}

function branchPatch(path: string, wanted: Json, violations: readonly Violation[]): PatchOperation[] | undefined {
  if (!Array.isArray(wanted)) return undefined;
  if (violations.some(({ actual }) => actual !== null)) return undefined;
  if (wanted.some((branch) => isObject(branch) && branch.type === 'null')) return undefined;
  return [{ op: 'add', path: `${path}/-`, value: { type: 'null' } }];
}

/** The size that a bound limits, by keyword. */
const BOUNDS: Readonly<Record<string, (value: Json) => number | undefined>> = {
  minimum: numberOf,
  maximum: numberOf,
  exclusiveMinimum: numberOf,
  exclusiveMaximum: numberOf,
  minLength: lengthOf,
  maxLength: lengthOf,
  minItems: lengthOf,
  maxItems: lengthOf,
  minProperties: lengthOf,
  maxProperties: lengthOf,
};

function boundPatch(
  keyword: string,
  path: string,
  violations: readonly Violation[],
  sizeOf: (value: Json) => number | undefined,
): PatchOperation[] | undefined {
  const sizes: number[] = [];
  for (const { actual } of violations) {
    const size = actual === undefined ? undefined : sizeOf(actual);
    if (size === undefined) return undefined;
    sizes.push(size);
  }
  const isLower = keyword.startsWith('min') || keyword === 'exclusiveMinimum';
  const value = isLower ? Math.min(...sizes) : Math.max(...sizes);
  if (!keyword.startsWith('exclusive')) return [{ op: 'replace', path, value }];
  // An exclusive bound that must allow the value itself becomes inclusive.
  const inclusive = `${splitPointer(path)?.parent ?? ''}/${isLower ? 'minimum' : 'maximum'}`;
  return [
    { op: 'remove', path },
    { op: 'add', path: inclusive, value },
  ];
}

function numberOf(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function lengthOf(value: Json): number | undefined {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : undefined;
}

/** The narrowest JSON Schema type of a value. */
export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typesOf(values: readonly Json[]): Json {
  const types = [...new Set(values.map(typeOf))];
  const narrowed = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  const [only] = narrowed;
  return narrowed.length === 1 && only !== undefined ? only : narrowed;
}
