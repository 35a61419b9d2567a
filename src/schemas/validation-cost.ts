import { isObject, type Json, type JsonObject, pointerTokens } from '../kernel/json.ts';
import { allSubschemas, childSchemas, resolveLocalReference } from './schema-walk.ts';

/**
 * Most steps one validation may take: about 50 ms. A step is one schema applied to one value. References and
 * combinations such as `anyOf` can multiply them without end, and the compiled validator cannot be stopped.
 */
export const MAX_VALIDATION_STEPS = 150_000;

/** Tells of a schema which values take at most `MAX_VALIDATION_STEPS` to validate, whatever its branches decide. */
export function affordableValues(rootSchema: Json): (value: Json) => boolean {
  const subschemas = allSubschemas(rootSchema);
  const multiplies = subschemas.some(
    ({ schema }) => isObject(schema) && (schema.$ref !== undefined || schema.uniqueItems === true),
  );
  return (value) => {
    if (!multiplies && subschemas.length * countValues(value) <= MAX_VALIDATION_STEPS) return true;
    return stepsOf(rootSchema, value) <= MAX_VALIDATION_STEPS;
  };
}

const counts = new WeakMap<object, number>();

/** How many values a value holds, itself included; stops counting beyond `MAX_VALIDATION_STEPS`. */
export function countValues(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counts.get(value);
  if (known !== undefined) return known;
  let count = 0;
  const pending: Json[] = [value];
  for (let next = pending.pop(); next !== undefined && count <= MAX_VALIDATION_STEPS; next = pending.pop()) {
    count += 1;
    if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) pending.push(item);
  }
  counts.set(value, count);
  return count;
}

/** An upper bound of the steps, counted once for each pair of schema and value and then multiplied. */
function stepsOf(rootSchema: Json, value: Json): number {
  const known = new Map<JsonObject, Map<Json, number>>();
  const targets = new Map<string, Json | undefined>();
  let visited = 0;
  const apply = (schema: Json | undefined, here: Json, depth: number): number => {
    if (!isObject(schema)) return 1;
    visited += 1;
    if (visited > MAX_VALIDATION_STEPS || depth > 1_000) return Number.POSITIVE_INFINITY;
    const perValue = known.get(schema) ?? new Map<Json, number>();
    known.set(schema, perValue);
    const before = perValue.get(here);
    if (before !== undefined) return before;
    // Met again before it is done, the pair refers to itself: validation would never end.
    perValue.set(here, Number.POSITIVE_INFINITY);
    let steps = 1;
    if (typeof schema.$ref === 'string') {
      const reference = schema.$ref;
      if (!targets.has(reference)) targets.set(reference, resolveLocalReference(rootSchema, reference)?.schema);
      steps += apply(targets.get(reference), here, depth + 1);
    }
    for (const child of childSchemas({ schema, pointer: '', depth: 0 })) {
      if (!Number.isFinite(steps)) break;
      for (const part of valuesFor(child.pointer, here)) {
        steps += apply(child.schema, part, depth + 1);
        if (steps > MAX_VALIDATION_STEPS) break;
      }
    }
    if (schema.uniqueItems === true && Array.isArray(here)) steps += (here.length * here.length) / 8;
    perValue.set(here, steps);
    return steps;
  };
  return apply(rootSchema, value, 0);
}

const IN_PLACE = /^\/(?:allOf|anyOf|oneOf|not|if|then|else|dependentSchemas|dependencies)(?:\/|$)/;

/** The values that a child schema is applied to, given the value of its parent. */
function valuesFor(place: string, here: Json): readonly Json[] {
  if (IN_PLACE.test(place)) return [here];
  if (Array.isArray(here)) {
    return /^\/(?:items|prefixItems|additionalItems|unevaluatedItems|contains)(?:\/|$)/.test(place) ? here : [];
  }
  if (!isObject(here)) return [];
  if (place.startsWith('/properties/')) {
    const [name = ''] = pointerTokens(place).slice(1);
    return Object.hasOwn(here, name) ? [here[name] as Json] : [];
  }
  if (place === '/propertyNames') return Object.keys(here);
  return /^\/(?:patternProperties|additionalProperties|unevaluatedProperties)(?:\/|$)/.test(place)
    ? Object.values(here)
    : [];
}
