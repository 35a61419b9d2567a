/**
 * A letter of a script that parts its words by no blanks, or none from what stands in another one: Thai, Korean, Japanese, Chinese. A pattern with
 * flag `u`; as ranges, since V8 takes long to compile scripts where case does not count.
 */
export const UNPARTED = String.raw`[\u0e00-\u0e7f\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\u{20000}-\u{323af}]`;

/** A letter of a name in another script; a pattern with flag `u`. */
export const PARTED = String.raw`(?:(?!${UNPARTED})[\p{L}\p{N}_$])`;

/** Where a name may begin, and where it may end: a letter of the one kind parts none of the other. Patterns with flag `u`. */
export const STARTS = `(?<!${PARTED}|${UNPARTED}(?=${UNPARTED}))`;
export const ENDS = `(?!${PARTED}|(?<=${UNPARTED})${UNPARTED})`;

const IS_UNPARTED = new RegExp(UNPARTED, 'u');

const PARTED_WORD = new RegExp(`(?:${PARTED}|-){1,80}`, 'gu');

/** The words of a text: what blanks and signs part, and what stands inside of that in another script than the letters around it. */
export function wordsOf(text: string): Set<string> {
  const parted = IS_UNPARTED.test(text) ? text.match(PARTED_WORD) : null;
  return new Set([...(text.match(/[\p{L}\p{N}_$-]{1,80}/gu) ?? []), ...(parted ?? [])]);
}

/** Whether a name of at least so many characters that nothing parts from the words around it stands in a text. */
export function isAmongWords(name: string, text: string, minCharacters: number): boolean {
  if (name.length < minCharacters || !IS_UNPARTED.test(name) || !text.includes(name)) return false;
  const [before, after] = [name.at(0), name.at(-1)].map((edge = '') => (IS_UNPARTED.test(edge) ? '(?!)' : PARTED));
  return new RegExp(`(?<!${before})${RegExp.escape(name)}(?!${after})`, 'u').test(text);
}
