import type { Difference } from '../contract/outcome.ts';
import { escapeToken, isObject, type Json } from '../kernel/json.ts';
import { equalJson, equalText } from './equal-json.ts';
import { memberNames } from './member-names.ts';

/** Most differences reported for one value; more do not help a repair. */
export const MAX_DIFFERENCES = 50;

/**
 * Where `got` differs from `expected` as JSON values, in document order, at most `MAX_DIFFERENCES`; empty if they are
 * equal. Two texts at the root are compared as text payloads. A value at a loose pointer may differ but must exist.
 */
export function differencesOf(expected: Json, got: Json, loosePointers: readonly string[] = []): Difference[] {
  if (typeof expected === 'string' && typeof got === 'string') {
    return equalText(expected, got) || loosePointers.includes('') ? [] : [{ path: '', expected, got }];
  }
  const loose = new Set(loosePointers);
  const differences: Difference[] = [];
  const pending: { path: string; expected: Json | undefined; got: Json | undefined }[] = [{ path: '', expected, got }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (differences.length >= MAX_DIFFERENCES) break;
    const { path, expected, got } = next;
    if (expected === undefined && got !== undefined) differences.push({ path, got });
    else if (expected !== undefined && got === undefined) differences.push({ path, expected });
    else if (expected === undefined || got === undefined || loose.has(path)) continue;
    else if (Array.isArray(expected) && Array.isArray(got)) {
      for (let index = Math.max(expected.length, got.length) - 1; index >= 0; index -= 1) {
        pending.push({ path: `${path}/${index}`, expected: expected[index], got: got[index] });
      }
    } else if (isObject(expected) && isObject(got)) {
      const names = [...new Set([...memberNames(expected), ...memberNames(got)])].reverse();
      for (const name of names) {
        const [wanted, found] = [memberOf(expected, name), memberOf(got, name)];
        if (wanted !== found) pending.push({ path: `${path}/${escapeToken(name)}`, expected: wanted, got: found });
      }
    } else if (!equalJson(expected, got)) differences.push({ path, expected, got });
  }
  return differences;
}

function memberOf(object: { [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
