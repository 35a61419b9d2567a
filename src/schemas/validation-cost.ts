import { isObject, type Json, type JsonObject, pointerTokens } from '../kernel/json.ts';
import { memberNames } from './member-names.ts';
import { allSubschemas, childSchemas, resolveLocalReference } from './schema-walk.ts';

/**
 * Most steps one validation may take: about 50 ms. A step is one schema applied to one value. References and
 * combinations such as `anyOf` can multiply steps without limit, and a running validator cannot be interrupted.
 */
const MAX_VALIDATION_STEPS = 150_000;

/** The cost of validating values against one schema, for any branch taken. */
export interface ValidationCost {
  /** An upper bound of the number of steps; `Infinity` above `MAX_VALIDATION_STEPS`. */
  steps(value: Json): number;
  /** Whether the steps are at most `MAX_VALIDATION_STEPS`; faster than `steps`. */
  isAffordable(value: Json): boolean;
}

/** Computes the cost of validating values against a schema. */
export function validationCost(rootSchema: Json): ValidationCost {
  const subschemas = allSubschemas(rootSchema);
  const multiplies = subschemas.some(
    ({ schema }) => isObject(schema) && (schema.$ref !== undefined || schema.uniqueItems === true),
  );
  let root: Applied | undefined;
  let last: { value: Json; steps: number } | undefined;
  const steps = (value: Json): number => {
    root ??= graphOf(rootSchema);
    // Usually asked twice for the same value: for the budget, then before validating.
    if (last === undefined || last.value !== value) last = { value, steps: new StepCount().of(root, value, 0) };
    return last.steps;
  };
  const isCheap = (value: Json) => !multiplies && subschemas.length * countValues(value) <= MAX_VALIDATION_STEPS;
  return { steps, isAffordable: (value) => isCheap(value) || Number.isFinite(steps(value)) };
}

const counts = new WeakMap<object, number>();
/**
 * Fewest values inside a value for which caching the count pays off. Below this, counting is faster and spares the
 * garbage collector.
 */
const MIN_CACHED_COUNT = 100;

/** The number of values in a value, including itself; stops counting above `MAX_VALIDATION_STEPS`. */
export function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counts.get(value);
  if (known !== undefined) return known;
  let count = 0;
  const pending: Json[] = [value];
  for (let next = pending.pop(); next !== undefined && count <= MAX_VALIDATION_STEPS; next = pending.pop()) {
    count += 1;
    if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (isObject(next)) for (const name of memberNames(next)) pending.push(next[name] as Json);
  }
  if (count >= MIN_CACHED_COUNT) counts.set(value, count);
  return count;
}

/** Which schemas a schema applies to which values. */
interface Applied {
  /** Applied to the value itself: reference targets and members of combinations. */
  itself: Applied[];
  items: Applied[];
  properties: Map<string, Applied>;
  names: Applied[];
  members: Applied[];
  comparesItems: boolean;
  /** Whether references point here. Only then can the same pair of schema and value occur twice. */
  isTarget: boolean;
}

/** What the schemas under a keyword are applied to; `properties` is handled separately. */
const APPLIED_TO: Readonly<Record<string, 'itself' | 'items' | 'names' | 'members'>> = {
  ...Object.fromEntries(
    ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'].map((keyword) => [
      keyword,
      'itself' as const,
    ]),
  ),
  ...Object.fromEntries(
    ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'].map((keyword) => [
      keyword,
      'items' as const,
    ]),
  ),
  propertyNames: 'names',
  patternProperties: 'members',
  additionalProperties: 'members',
  unevaluatedProperties: 'members',
};

function graphOf(rootSchema: Json): Applied {
  const known = new Map<JsonObject, Applied>();
  const targets = new Map<string, Json | undefined>();
  const pending: JsonObject[] = [];
  const nodeOf = (schema: Json | undefined): Applied => {
    const before = isObject(schema) ? known.get(schema) : undefined;
    if (before !== undefined) return before;
    const made = {
      ...{ itself: [], items: [], properties: new Map<string, Applied>(), names: [], members: [] },
      ...{ comparesItems: isObject(schema) && schema.uniqueItems === true, isTarget: false },
    };
    if (isObject(schema)) {
      known.set(schema, made);
      pending.push(schema);
    }
    return made;
  };
  const root = nodeOf(rootSchema);
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    const node = nodeOf(schema);
    if (typeof schema.$ref === 'string') {
      const reference = schema.$ref;
      if (!targets.has(reference)) targets.set(reference, resolveLocalReference(rootSchema, reference)?.schema);
      const target = nodeOf(targets.get(reference));
      target.isTarget = true;
      node.itself.push(target);
    }
    for (const child of childSchemas({ schema, pointer: '', depth: 0 })) {
      const [keyword = '', name = ''] = pointerTokens(child.pointer);
      const place = Object.hasOwn(APPLIED_TO, keyword) ? APPLIED_TO[keyword] : undefined;
      if (keyword === 'properties') node.properties.set(name, nodeOf(child.schema));
      else if (place !== undefined) node[place].push(nodeOf(child.schema));
    }
  }
  return root;
}

/** Counts an upper bound of the steps, once per pair of schema and value. */
class StepCount {
  readonly #known = new Map<Applied, Map<Json, number>>();
  #visited = 0;

  of(schema: Applied, value: Json, depth: number): number {
    this.#visited += 1;
    if (this.#visited > MAX_VALIDATION_STEPS || depth > 1_000) return Number.POSITIVE_INFINITY;
    if (!schema.isTarget) return this.#count(schema, value, depth);
    const perValue = this.#known.get(schema) ?? new Map<Json, number>();
    this.#known.set(schema, perValue);
    const before = perValue.get(value);
    if (before !== undefined) return before;
    // If the pair occurs again before it is done, it references itself, and validation would never end.
    perValue.set(value, Number.POSITIVE_INFINITY);
    const steps = this.#count(schema, value, depth);
    perValue.set(value, steps);
    return steps;
  }

  #count(schema: Applied, value: Json, depth: number): number {
    let steps = 1;
    const add = (schemas: readonly Applied[], part: Json): void => {
      for (const one of schemas) if (steps <= MAX_VALIDATION_STEPS) steps += this.of(one, part, depth + 1);
    };
    add(schema.itself, value);
    if (Array.isArray(value)) {
      if (schema.items.length > 0) for (const item of value) add(schema.items, item);
      if (schema.comparesItems) steps += (value.length * countValues(value)) / 8;
    } else if (isObject(value)) {
      for (const [name, property] of schema.properties)
        if (steps <= MAX_VALIDATION_STEPS && Object.hasOwn(value, name))
          steps += this.of(property, value[name] as Json, depth + 1);
      if (schema.names.length > 0) for (const name of memberNames(value)) add(schema.names, name);
      if (schema.members.length > 0) for (const name of memberNames(value)) add(schema.members, value[name] as Json);
    }
    return steps <= MAX_VALIDATION_STEPS ? steps : Number.POSITIVE_INFINITY;
  }
}
