import type { Json } from '../../kernel/json.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What a number of a document is multiplied with to have it in a smaller or larger unit, or as a share. */
const FACTORS = [0.01, 60, 100, 1000, 3600];

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** Whether a value is one of the document in another unit or spelling, or the next after it: 5,000 EUR in cents, 90 minutes in seconds, below 4000 for up to 3999, 1 January 2026 as a date. */
export function isRestated(value: Json, vocabulary: Vocabulary): boolean {
  if (typeof value === 'number')
    return (
      FACTORS.some((factor) => vocabulary.hasNumber(Number((value / factor).toPrecision(12)))) ||
      (Number.isInteger(value) && [value - 1, value + 1].some((next) => vocabulary.hasNumber(next)))
    );
  const date = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)(?:T|$)/.exec(value) : null;
  if (!date) return false;
  const [, year, month, day] = date.map(Number);
  const name = MONTHS[(month ?? 0) - 1] ?? '';
  return [
    `${day} ${name} ${year}`,
    `${name} ${day}, ${year}`,
    `${day}. ${name} ${year}`,
    `${year}年${month}月${day}日`,
  ].some((spelling) => vocabulary.hasText(spelling));
}
