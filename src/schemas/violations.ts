import type { ErrorObject } from 'ajv';
import type { SchemaIssue } from '../contract/trial.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { allSubschemas, MAX_SUBSCHEMAS_IN_DOCUMENT, resolveLocalReference } from './schema-walk.ts';

/** Most issues reported for one value. */
export const MAX_ISSUES = 50;

/** A place where a value breaks its schema, with the property that is missing or not declared. */
export interface Violation extends SchemaIssue {
  property?: string;
}

/** Most errors of the compiled validator that are looked through for issues. */
const MAX_ERRORS = 1_000;

/** An error of the compiled validator with the place of its keyword in the schema. */
interface Told {
  error: ErrorObject;
  place: string;
}

/**
 * The issues that errors stand for, at most `MAX_ISSUES`. Of an `anyOf` or `oneOf` that failed, the issues of the branch that fits best where one
 * is meant, else the combination itself: never those of all branches.
 */
export function violationsOf(schema: Json, value: Json, errors: readonly ErrorObject[]): Violation[] {
  const told: Told[] = [];
  for (const error of errors.slice(0, MAX_ERRORS)) {
    if (error.keyword === '$ref' || error.keyword === 'if') continue;
    const each = { error, place: schemaPointerOf(error.schemaPath) };
    // A combination is reported right after its branches, inner ones first.
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') told.push(...closestBranch(schema, told, each));
    else told.push(each);
  }
  return told.slice(0, MAX_ISSUES).map((each) => violationOf(schema, value, each));
}

/** Takes the errors of a failed combination's branches off the end of a list; gives those of the branch that is meant, or the combination. */
function closestBranch(schema: Json, told: Told[], whole: Told): Told[] {
  const branches = valueAt(schema, whole.place);
  if (!Array.isArray(branches)) return [whole];
  const owners = ownersOf(schema, branches, whole.place);
  const byBranch = new Map<number, Told[]>();
  for (let last = told.at(-1); last !== undefined; last = told.at(-1)) {
    const inside = last.error.instancePath.startsWith(whole.error.instancePath)
      ? branchesAround(last.place, owners)
      : [];
    if (inside.length === 0) break;
    told.pop();
    for (const branch of inside) {
      const errors = byBranch.get(branch);
      if (errors === undefined) byBranch.set(branch, [last]);
      else errors.push(last);
    }
  }
  const meant = [...byBranch.values()].filter(
    (errors) => !errors.some(({ error }) => deniesBranch(error, whole.error)),
  );
  const [closest, second] = meant.sort((a, b) => a.length - b.length);
  // Of two branches that fit equally well, none is meant more than the other.
  return closest === undefined || closest.length === second?.length ? [whole] : closest.reverse();
}

/** Whether an error says that a value was never meant for a branch: it is of another type, or names another kind by a constant. */
function deniesBranch({ keyword, instancePath }: ErrorObject, whole: ErrorObject): boolean {
  if (keyword === 'type') return instancePath === whole.instancePath;
  const below = instancePath.slice(whole.instancePath.length);
  return (keyword === 'const' || keyword === 'enum') && below.lastIndexOf('/') <= 0;
}

const owned = new WeakMap<object, Map<string, number[]>>();

/** The branches of a combination by the places they are made of: their own, and those that their references lead to. */
function ownersOf(schema: Json, branches: readonly Json[], pointer: string): Map<string, number[]> {
  const known = owned.get(branches);
  if (known !== undefined) return known;
  const owners = new Map<string, number[]>();
  for (const [index, branch] of branches.entries())
    for (const place of [`${pointer}/${index}`, ...referencedPlaces(schema, branch)])
      owners.set(place, [...(owners.get(place) ?? []), index]);
  owned.set(branches, owners);
  return owners;
}

/** The branches that a place lies inside of. */
function branchesAround(place: string, owners: ReadonlyMap<string, number[]>): number[] {
  const found = new Set<number>();
  for (let slash = 0; slash >= 0; slash = place.indexOf('/', slash + 1))
    for (const branch of owners.get(place.slice(0, slash)) ?? []) found.add(branch);
  return [...found];
}

/** The places that a schema's references lead to, also through each other. */
function referencedPlaces(root: Json, branch: Json): string[] {
  const places: string[] = [];
  const pending: Json[] = [branch];
  for (let next = pending.pop(); next !== undefined && places.length < 50; next = pending.pop()) {
    for (const { schema } of allSubschemas(next, MAX_SUBSCHEMAS_IN_DOCUMENT)) {
      const target =
        isObject(schema) && typeof schema.$ref === 'string' ? resolveLocalReference(root, schema.$ref) : undefined;
      if (target === undefined || places.includes(target.pointer)) continue;
      places.push(target.pointer);
      pending.push(target.schema);
    }
  }
  return places;
}

function schemaPointerOf(schemaPath: string): string {
  const pointer = schemaPath.slice(schemaPath.indexOf('#') + 1);
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

function violationOf(schema: Json, value: Json, { error, place: schemaPointer }: Told): Violation {
  const actual = valueAt(value, error.instancePath);
  const property: unknown =
    error.params.missingProperty ??
    error.params.additionalProperty ??
    error.params.unevaluatedProperty ??
    error.params.propertyName;
  const named = typeof property === 'string' ? property : undefined;
  return {
    pointer: error.instancePath,
    schemaPointer,
    keyword: error.keyword,
    message:
      named === undefined ? `must keep "${error.keyword}"` : `must keep "${error.keyword}": ${JSON.stringify(named)}`,
    expected: expectedBy(error, valueAt(schema, schemaPointer), named),
    ...(actual === undefined ? {} : { actual }),
    ...(named === undefined ? {} : { property: named }),
  };
}

function expectedBy(error: ErrorObject, keywordValue: Json | undefined, property: string | undefined): Json {
  if (error.keyword === 'required' && property !== undefined) return property;
  if (error.keyword === 'false schema') return false;
  return keywordValue ?? null;
}
