import { escapeToken, type Json } from '../kernel/json.ts';

/** A scalar inside a value, with its place. */
export interface Leaf {
  pointer: string;
  /** Its member name; the nearest one for an item of an array, empty at the root. */
  name: string;
  value: string | number | boolean | null;
}

/** Every scalar of a value, in document order. */
export function leavesOf(value: Json): Leaf[] {
  const leaves: Leaf[] = [];
  collect(value, '', '', leaves);
  return leaves;
}

function collect(value: Json, pointer: string, name: string, leaves: Leaf[]): void {
  if (typeof value !== 'object' || value === null) leaves.push({ pointer, name, value });
  else if (Array.isArray(value))
    for (let index = 0; index < value.length; index += 1)
      collect(value[index] as Json, `${pointer}/${index}`, name, leaves);
  else for (const key of Object.keys(value)) collect(value[key] as Json, `${pointer}/${escapeToken(key)}`, key, leaves);
}

/** The words and numbers of a text, in order, without separators. */
export function tokensOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** A word or number of a text. */
export const WORD = /[\p{L}\p{N}_]+(?:[.:@+-][\p{L}\p{N}_]+)*/gu;

/** Whether a text is a calendar date or a time in ISO 8601's extended format. */
export function isIsoTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text);
}

/** Whether a number may be a current time: seconds or milliseconds since 1970, within 2001 to 2065. */
export function isEpoch(value: number): boolean {
  return Number.isInteger(value) && ((value >= 1e9 && value < 3e9) || (value >= 1e12 && value < 3e12));
}

/** Most characters (UTF-16 units) compared for one word: a long repetitive text matches at each of its positions. */
const MAX_COMPARED = 20_000_000;

/** Whether a text contains another one as a whole word, ignoring case. */
export function hasWord(text: string, word: string): boolean {
  if (word === '') return false;
  const haystack = text.toLowerCase();
  const needle = word.toLowerCase();
  let left = MAX_COMPARED;
  for (let at = haystack.indexOf(needle); at >= 0 && left > 0; at = haystack.indexOf(needle, at + 1)) {
    left -= needle.length;
    const before = at === 0 ? '' : haystack[at - 1];
    const after = haystack[at + needle.length] ?? '';
    if (!joins(before ?? '', needle[0] ?? '') && !joins(needle.at(-1) ?? '', after)) return true;
  }
  return false;
}

// In scripts without spaces, neighbouring letters do not form one word.
function joins(left: string, right: string): boolean {
  return (
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]$/u.test(left) &&
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]$/u.test(right)
  );
}

/** The text inside a base64 value; `undefined` unless it is printable text only. */
export function decodedText(whole: string): string | undefined {
  const text = whole.trimEnd();
  if (text.length < 8 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return undefined;
  const inner = bytes.toString('utf8');
  return /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}\n\r\t]{4,}$/u.test(inner) &&
    !inner.includes('\ufffd') &&
    /[a-z]{2}|\d{2}/i.test(inner)
    ? inner
    : undefined;
}
