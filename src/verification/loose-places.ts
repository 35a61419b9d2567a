import type { Loose } from '../contract/job.ts';
import type { Difference } from '../contract/outcome.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { differencesOf } from '../schemas/differences.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { isEpoch, WORD } from './scalar-kinds.ts';

/** A loose place, or one word of a text message: its index, from 0. */
export interface LoosePlace extends Loose {
  word?: number;
}

/**
 * The differences between `got` and `expected`, apart from loose places. These must be present; a loose text must equal
 * the expected one or be non-empty.
 */
export function looseDifferences(expected: Json, got: Json, loose: readonly LoosePlace[]): Difference[] {
  const words = loose.flatMap(({ word }) => word ?? []);
  if (words.length > 0 && typeof expected === 'string' && typeof got === 'string')
    return differencesOf(withoutWords(expected, words), withoutWords(got, words)).map((found) => ({
      ...found,
      expected,
      got,
    }));
  const differences = differencesOf(
    expected,
    got,
    loose.map(({ pointer }) => pointer),
  );
  for (const { pointer, as } of loose) {
    const [wanted, value] = [valueAt(expected, pointer), valueAt(got, pointer)];
    if (as !== 'text' || value === undefined || wanted === undefined) continue;
    if (typeof value === 'string' && value.trim() !== '') continue;
    // The case itself may have no text there, such as a note that only a success carries.
    if (equalJson(wanted, value)) continue;
    differences.push({ path: pointer, expected: wanted, got: value, message: 'wanted a text that is not empty' });
  }
  return differences;
}

function withoutWords(text: string, words: readonly number[]): string {
  let word = -1;
  return text.replace(WORD, (found) => {
    word += 1;
    return words.includes(word) ? '' : found;
  });
}

/** Pairs of the case's and the sent value at each loose place of a request. */
export function looseReplacements(
  expected: Json,
  sent: Json,
  loose: readonly LoosePlace[],
): { from: Json; to: Json }[] {
  const at = (value: Json, { pointer, word }: LoosePlace) =>
    word === undefined ? valueAt(value, pointer) : typeof value === 'string' ? value.match(WORD)?.[word] : undefined;
  return loose.flatMap((place) => {
    const [from, to] = [at(expected, place), at(sent, place)];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
}

/** Empty loose ids, and loose times in another form than the expected one: seconds, milliseconds or text. */
export function malformedLoose(expected: Json, got: Json, loose: readonly Loose[]): Difference[] {
  return loose.flatMap(({ pointer, as }) => {
    const wanted = valueAt(expected, pointer);
    const value = valueAt(got, pointer);
    if (wanted === undefined || value === undefined || as === 'text') return [];
    if (as === 'id' ? value !== '' || wanted === '' : formOf(wanted) === undefined || formOf(wanted) === formOf(value))
      return [];
    const message = as === 'id' ? 'wanted an id that is not empty' : 'wanted a time of the same form';
    return [{ path: pointer, expected: wanted, got: value, message } as Difference];
  });
}

/** The form of a time. */
function formOf(value: Json): 'text' | 'seconds' | 'milliseconds' | undefined {
  if (typeof value === 'number') return isEpoch(value) ? (value < 1e12 ? 'seconds' : 'milliseconds') : undefined;
  return typeof value === 'string' && /\d/.test(value) ? 'text' : undefined;
}

/** A value with scalars replaced: equal leaves, and long texts also inside other texts. */
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
    // Texts contain short values by chance.
    if (typeof from === 'string' && from.length >= 4 && (typeof to === 'string' || typeof to === 'number'))
      text = text.replaceAll(from, () => String(to));
  }
  return text;
}
