import type { Loose } from '../contract/job.ts';
import type { Difference } from '../contract/outcome.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';

/** Where `got` differs from `expected` but for loose places, whose values must be there; a loose text must not be empty. */
export function looseDifferences(expected: Json, got: Json, loose: readonly Loose[]): Difference[] {
  const differences = differencesOf(
    expected,
    got,
    loose.map(({ pointer }) => pointer),
  );
  for (const { pointer, as } of loose) {
    const value = valueAt(got, pointer);
    if (as !== 'text' || value === undefined || valueAt(expected, pointer) === undefined) continue;
    if (typeof value !== 'string' || value.trim() === '') {
      differences.push({
        path: pointer,
        expected: valueAt(expected, pointer) ?? null,
        got: value,
        message: 'wanted a text that is not empty',
      });
    }
  }
  return differences;
}

/** A value with each of the given scalars replaced: equal leaves, and long ones where they stand inside a text. */
export function substitute(value: Json, replacements: readonly { from: Json; to: Json }[]): Json {
  if (replacements.length === 0) return value;
  if (Array.isArray(value)) return value.map((item) => substitute(item, replacements));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, substitute(item, replacements)]));
  }
  for (const { from, to } of replacements) if (value === from) return to;
  if (typeof value !== 'string') return value;
  let text = value;
  for (const { from, to } of replacements) {
    // Short values stand in texts by chance.
    if (typeof from === 'string' && from.length >= 4) text = text.replaceAll(from, String(to));
  }
  return text;
}
