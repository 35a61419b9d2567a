import { isObject, type Json } from '../kernel/json.ts';

/** Deepest level of a schema that is looked at. */
const MAX_DEPTH = 30;

/** The values that a schema lists, by `enum` or `const`, at any depth, in their order. */
export function constantsOf(schema: Json, depth = 0): Json[] {
  if (depth > MAX_DEPTH || typeof schema !== 'object' || schema === null) return [];
  const listed = isObject(schema) && Array.isArray(schema.enum) ? schema.enum : [];
  const only = isObject(schema) && schema.const !== undefined ? [schema.const] : [];
  return [...listed, ...only, ...Object.values(schema).flatMap((part) => constantsOf(part, depth + 1))];
}
