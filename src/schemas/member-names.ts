import type { JsonObject } from '../kernel/json.ts';

/** Fewest members of an object whose names are worth being remembered. */
const MIN_WIDE = 64;

/** By object: the engine sorts the names of a wide one each time that it is asked for them. */
const known = new WeakMap<JsonObject, readonly string[]>();

/** The names of an object's members; those of a wide one are listed once, so it must not be changed afterwards. */
export function memberNames(object: JsonObject): readonly string[] {
  const before = known.get(object);
  if (before !== undefined) return before;
  const names = Object.keys(object);
  if (names.length >= MIN_WIDE) known.set(object, names);
  return names;
}
