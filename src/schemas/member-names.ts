import type { JsonObject } from '../kernel/json.ts';

/** Fewest members of an object for which caching the names pays off. */
const MIN_WIDE = 64;

/** Cached per object, because V8 sorts the names of a wide object at every call. */
const cache = new WeakMap<JsonObject, readonly string[]>();

/** The names of an object's members. Cached for wide objects, so these must not be changed afterwards. */
export function memberNames(object: JsonObject): readonly string[] {
  const before = cache.get(object);
  if (before !== undefined) return before;
  const names = Object.keys(object);
  if (names.length >= MIN_WIDE) cache.set(object, names);
  return names;
}
