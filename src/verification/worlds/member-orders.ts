import { drawn } from '../../kernel/drawn.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { allSubschemas } from '../../schemas/schema-walk.ts';

/**
 * A value with the members of its objects in an order drawn from a seed, or reversed if the draw changes nothing. An
 * object with names that the schema does not declare stays as it is: it may be a list by name, whose order a handler
 * may keep.
 */
export function inAnotherOrder(value: Json, schema: Json, seed: string): Json {
  const declared = new Set(
    allSubschemas(schema).flatMap(({ schema: one }) =>
      isObject(one) && isObject(one.properties) ? Object.keys(one.properties) : [],
    ),
  );
  const reordered = (one: Json, place: string): Json => {
    if (Array.isArray(one)) return one.map((item, index) => reordered(item, `${place}/${index}`));
    if (!isObject(one)) return one;
    const entries = Object.entries(one).map(([name, item]): [string, Json] => [
      name,
      reordered(item, `${place}/${name}`),
    ]);
    if (!entries.every(([name]) => declared.has(name))) return Object.fromEntries(entries);
    const rank = new Map(entries.map(([name]) => [name, drawn(seed, `${place}/${name}`)]));
    const sorted = entries.toSorted(([one], [other]) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0));
    const isSame = sorted.every(([name], index) => name === entries[index]?.[0]);
    return Object.fromEntries(isSame ? sorted.reverse() : sorted);
  };
  return reordered(value, '');
}
