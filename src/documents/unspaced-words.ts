/**
 * A letter of a script without spaces between words, or without spaces next to another script: Thai, Korean, Japanese,
 * Chinese. A pattern for flag `u`. Ranges, because V8 compiles case-insensitive script classes slowly.
 */
export const UNSPACED = String.raw`[\u0e00-\u0e7f\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{20000}-\u{323af}]`;

/** A letter of a name in any other script; a pattern for flag `u`. */
export const SPACED = String.raw`(?:(?!${UNSPACED})[\p{L}\p{N}_$])`;

/** Where a name may begin and end: a change between spaced and unspaced scripts is a border. Patterns for flag `u`. */
export const STARTS = `(?<!${SPACED}|${UNSPACED}(?=${UNSPACED}))`;
export const ENDS = `(?!${SPACED}|(?<=${UNSPACED})${UNSPACED})`;

const IS_UNSPACED = new RegExp(UNSPACED, 'u');

const SPACED_WORD = new RegExp(`(?:${SPACED}|-){1,80}`, 'gu');

/** The words of a text: split at blanks and punctuation, and also where an unspaced script meets another one. */
export function wordsOf(text: string): Set<string> {
  const parted = IS_UNSPACED.test(text) ? text.match(SPACED_WORD) : null;
  return new Set([...(text.match(/[\p{L}\p{N}_$-]{1,80}/gu) ?? []), ...(parted ?? [])]);
}

/**
 * Whether a text contains a name that no blanks separate from the words around it. The name must have at least
 * `minCharacters` characters.
 */
export function isAmongWords(name: string, text: string, minCharacters: number): boolean {
  if (name.length < minCharacters || !IS_UNSPACED.test(name) || !text.includes(name)) return false;
  const [before, after] = [name.at(0), name.at(-1)].map((edge = '') => (IS_UNSPACED.test(edge) ? '(?!)' : SPACED));
  return new RegExp(`(?<!${before})${RegExp.escape(name)}(?!${after})`, 'u').test(text);
}
