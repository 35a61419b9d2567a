import type { Json } from '../../kernel/json.ts';
import type { Vocabulary } from '../vocabulary.ts';

const ISO_TIME = String.raw`(?<![\p{L}\p{N}])\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\p{N}])`;
/** Dates and times in ISO 8601's basic format. */
const BASIC_TIME = String.raw`(?<!\d)(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T[0-2]\d[0-5]\d(?:[0-5]\d)?Z?)?(?!\d)`;
const HEX = String.raw`(?<=#)(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?=[0-9A-F]*\d)(?=[0-9A-F]*[A-F])[0-9A-F]{8,}(?![\p{L}\p{N}])`;
const DECIMAL = String.raw`(?<![\p{L}\p{N}.])\d+\.\d+(?![\p{L}\p{N}]|\.\d)`;

/** A text that is a date or time in ISO 8601's basic format. */
export const WHOLE_BASIC_TIME = new RegExp(`^${BASIC_TIME}$`, 'u');

/** A text with such a time in it. */
export const HOLDS_BASIC_TIME = new RegExp(BASIC_TIME, 'u');

/** The parts of a text that are renamed one by one: times, hexadecimal and decimal numbers, digits, letters. */
export const RUN = new RegExp(
  `(?<time>${ISO_TIME}|${BASIC_TIME})|(?<hex>${HEX})|(?<decimal>${DECIMAL})|(?<digits>\\d+)|(?<letters>[\\p{L}\\p{M}]+)`,
  'gu',
);

/** All runs of letters and digits in some values, in lower case: fresh values must avoid them. */
export function runsOf(values: readonly Json[]): Set<string> {
  const runs = new Set<string>();
  for (const value of values) {
    const text = JSON.stringify(value).toLowerCase();
    for (const [run] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
      for (const part of [run, ...(run.match(/[\p{L}\p{M}]+|\d+/gu) ?? [])]) runs.add(part);
    // Short ids are renamed as a whole: none may become another known one.
    for (const [whole] of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:[-_.:/#][\p{L}\p{M}\p{N}]+)+/gu)) runs.add(whole);
  }
  return runs;
}

export function isRenamableRun(run: string, vocabulary: Vocabulary): boolean {
  const letters = [...run];
  if (letters.length < 3 && !/\p{Script=Han}/u.test(run)) return false;
  if (letters.length < 2) return false;
  return (
    !/^(?:true|false|null|yes|the|and|for|com|org|net|www|http|https|html|json|xml|csv|mailto|urn|uuid)$/i.test(run) &&
    !vocabulary.hasWord(run)
  );
}

export function isRenamableDigits(digits: string, whole: string): boolean {
  if (/\p{L}/u.test(whole) && !/\s/.test(whole)) return true;
  return /\s/.test(whole.trim()) ? digits.length >= 4 : digits.length >= 3;
}

/** In an id such as `ORD-10023` or `ORDX 100 230` the letters name its kind; fresh digits are enough. */
export function isPrefix(run: string, whole: string): boolean {
  return run.length <= 8 && /\d{3}/.test(whole) && (!/\s/.test(whole) || /^\p{L}+ \d[\d -]{3,}$/u.test(whole));
}
