import type { PatchOperation } from '../contract/finding.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { isObject, type Json } from '../kernel/json.ts';

/**
 * Joins patches that were each made for the same value. Identical operations appear once, conflicting values are
 * widened to fit both, and list items are removed from last to first.
 */
export function joinedPatch(patches: readonly (readonly PatchOperation[])[]): PatchOperation[] {
  const joined = new Map<string, PatchOperation>();
  for (const operation of patches.flat()) {
    const { op, path, value } = operation;
    const key = path.endsWith('/-') ? canonicalJson({ ...operation }) : `${op} ${path}`;
    const before = joined.get(key)?.value;
    joined.set(
      key,
      before === undefined || value === undefined ? operation : { ...operation, value: widest(path, before, value) },
    );
  }
  return [...joined.values()].sort((one, other) => removedIndex(other) - removedIndex(one));
}

function widest(path: string, one: Json, other: Json): Json {
  if (typeof one === 'number' && typeof other === 'number')
    return /\/(?:min|exclusiveMin)\w*$/.test(path) ? Math.min(one, other) : Math.max(one, other);
  if (isObject(one) && isObject(other)) {
    const common = Object.keys(one).filter((name) => Object.hasOwn(other, name));
    const both = common.map((name): [string, Json] => [name, widest('', one[name] as Json, other[name] as Json)]);
    return { ...one, ...other, ...Object.fromEntries(both) };
  }
  const types = [...new Set([one, other].flat())];
  return types.length === 1 ? one : types;
}

function removedIndex({ op, path }: PatchOperation): number {
  const [, index] = /\/(\d{1,9})$/.exec(path) ?? [];
  return op === 'remove' && index !== undefined ? Number(index) : -1;
}
