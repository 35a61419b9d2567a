import { atTheEnd } from '../../lexicon/phrases.ts';
import { FROM, HALF_OPEN, HEDGED, LIMITING, RANGES, UP_TO } from '../../lexicon/quantifying.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { constantIn, sentencesOf } from './documented-answers.ts';
import { numbersIn, type ReadNumber } from './number-readings.ts';

/** A number of the prose at which an answer may change. */
export interface Threshold {
  value: number;
  /** Where the change lies, where the words leave no doubt: behind the number (`at most 5`), or before it (`at least 5`). */
  side?: 'behind' | 'before';
  /** Whether the side is that of a range: of what is measured rather than counted, its ends may be taken either way. */
  isOfRange?: boolean;
  /** Whether words put the change on one side of the number, or have it for an end of a range, be it of what is measured. */
  isEnd: boolean;
  /** The sentence or table row that has it. */
  sentence: string;
  /** The sentence, with the head of its table. */
  context: string;
  /** What introduces the list that the sentence is an item of. */
  intro?: string;
  /** The clause up to the number. */
  lead: string;
  /** Whether words or a table make a limit of it, rather than a rate or an amount. */
  limits: boolean;
  /** The one name of an answer that the sentence has. */
  constant?: string;
}

const BEHIND = atTheEnd(UP_TO);
const BEFORE = atTheEnd(FROM);
const OR_MORE =
  /^\s*(?:\p{L}+\s+)?(?:or (?:more|higher|above|older|longer|later)|and (?:more|above)|onwards?|upwards|and over)\b|^\s*(?:\p{L}+\s+)?on(?=[\s,])|^\s?\p{Script=Han}?(?:及以上|以上)|^\s*(?:\p{L}+\s+)?(?:oder (?:mehr|höher|länger|älter|später)|ou plus|et plus|o más|en adelante)(?!\p{L})/iu;
const OR_LESS =
  /^\s*(?:\p{L}+\s+)?(?:or (?:less|fewer|lower|below|younger|shorter)|and (?:less|below))\b|^\s?\p{Script=Han}?及以下|^\s*(?:\p{L}+\s+)?(?:oder (?:weniger|niedriger|kürzer|jünger)|ou moins|o menos)(?!\p{L})/iu;

/** What stands between two numbers, up to the words by which the second is compared. */
const OTHER_END = /^\s*(?:\p{L}{1,12}\s+|\p{Script=Han}{1,4}?)?(?:or|oder|ou|o|或者?)(?![\p{L}--\p{Script=Han}])/v;

/** Most numbers of a document that are followed up. */
const MAX_NUMBERS = 200;

/** The first numbers of the prose, in its order, without codes of answers. */
export function thresholdsOf(subject: Subject): Threshold[] {
  let head: string | undefined;
  let intro: string | undefined;
  let left = MAX_NUMBERS;
  const found = sentencesOf(subject.agreement).flatMap((line) => {
    const sentence = line.trim();
    const isRow = sentence.startsWith('|');
    if (!isRow && sentence !== '') head = undefined;
    if (isRow && head === undefined) {
      head = sentence;
      return [];
    }
    const isItem = /^(?:[-*•]|\d+[.)])\s/.test(sentence);
    if (!isItem && sentence !== '') intro = /[:：]\**$/.test(sentence) ? sentence : undefined;
    const all = numbersIn(sentence).slice(0, left);
    if (all.length === 0) return [];
    left -= all.length;
    const constant = constantIn(subject, sentence);
    return all.flatMap(({ value, start, end }, index): Threshold[] => {
      const before = sentence.slice(0, start);
      const after = sentence.slice(end);
      if (isOfOtherForm(before, sentence.slice(start, end), after)) return [];
      if (isCode(sentence, before, value, head) || isListNumber(before, after)) return [];
      const clause = before.search(/[,，、|;]?[^,，、|;]*$/);
      const known = all[index - 1]?.end ?? 0;
      const from = isOtherEnd(before.slice(known)) ? (all[index - 2]?.end ?? 0) : known;
      const lead = before.slice(Math.max(from, clause));
      const rank = rankInRange(sentence, all, index);
      const behind = BEHIND.test(before) || OR_LESS.test(after) || rank === 'last';
      const starts = BEFORE.test(before) || OR_MORE.test(after) || rank === 'first';
      const side = behind === starts || HEDGED.test(sentence) ? undefined : behind ? 'behind' : 'before';
      return [
        {
          value,
          sentence: sentence.slice(0, 200),
          context: isRow && head !== undefined ? `${head} ${sentence}` : sentence,
          ...(isItem && intro !== undefined ? { intro } : {}),
          lead,
          isEnd: side !== undefined || isInRange(sentence, all, index),
          limits: isRow || isInRange(sentence, all, index) || LIMITING.test(sentence),
          ...(side === undefined ? {} : { side }),
          ...(rank === undefined ? {} : { isOfRange: true }),
          ...(constant === undefined ? {} : { constant }),
        },
      ];
    });
  });
  return ofClosedRanges(found);
}

/** The same without the sides of ranges, where one begins with the last number of another: which of them has it is left open. */
function ofClosedRanges(all: readonly Threshold[]): Threshold[] {
  const sides = (side: Threshold['side']) =>
    new Set(all.flatMap((one) => (one.isOfRange === true && one.side === side ? [one.value] : [])));
  if (sides('before').isDisjointFrom(sides('behind'))) return [...all];
  return all.map(({ side, ...one }) => (one.isOfRange === true || side === undefined ? one : { ...one, side }));
}

/** Whether nothing stands between two numbers but that the quantity of the first is compared with the second, as in `below 5 or above 9`. */
function isOtherEnd(between: string): boolean {
  const joined = OTHER_END.exec(between)?.[0];
  const rest = joined === undefined ? between : between.slice(joined.length);
  return joined !== undefined && rest.replace(BEHIND, '').replace(BEFORE, '').trim() === '';
}

/** Whether a number is the first or the last of a range of whole numbers, as in `from 2 to 64`. */
function rankInRange(sentence: string, all: readonly ReadNumber[], index: number): 'first' | 'last' | undefined {
  const isCounted = (first: ReadNumber | undefined, last: ReadNumber | undefined): boolean =>
    Number.isInteger(first?.value) && Number.isInteger(last?.value) && isRange(sentence, first, last);
  if (HALF_OPEN.test(sentence)) return undefined;
  if (isCounted(all[index], all[index + 1])) return 'first';
  return isCounted(all[index - 1], all[index]) ? 'last' : undefined;
}

function isRange(sentence: string, first: ReadNumber | undefined, last: ReadNumber | undefined): boolean {
  return (
    first !== undefined &&
    last !== undefined &&
    first.value < last.value &&
    RANGES.some(
      ([before, between]) =>
        before.test(sentence.slice(0, first.start)) && between.test(sentence.slice(first.end, last.start)),
    )
  );
}

/** Whether a number is an end of a range, be it of what is measured. */
function isInRange(sentence: string, all: readonly ReadNumber[], index: number): boolean {
  return isRange(sentence, all[index], all[index + 1]) || isRange(sentence, all[index - 1], all[index]);
}

/** Whether digits may be those of a number with a comma before its fraction, or a point between its thousands, or are those of a sample element. */
function isOfOtherForm(before: string, digits: string, after: string): boolean {
  return (
    /<\/?\p{L}[^<>]*>\s*$/u.test(before) ||
    /^,\d/.test(after) ||
    /\d,$/.test(before) ||
    /^\d{1,3}(?:\.\d{3})+$/.test(digits)
  );
}

/** Whether a number is the code of an answer. */
function isCode(sentence: string, before: string, value: number, head: string | undefined): boolean {
  if (head !== undefined && /^[|\s*`]*$/.test(before))
    return /code|status|error|result|码/i.test(head.split('|')[1] ?? '');
  return (
    (Number.isInteger(value) &&
      /\b(?:codes?|status|http|errors?|rfc|version)\b[^.\d]{0,20}$|码[^\d]{0,8}$|返回\s*$/iu.test(before)) ||
    (value >= 100 &&
      value < 600 &&
      /^[\s>*•`-]*$/.test(before) &&
      Number.isInteger(value) &&
      /^[\s>*•-]*`?\d{3}`?\s*(?:[:=–—-]|when|if|for|the|an?)/i.test(sentence))
  );
}

function isListNumber(before: string, after: string): boolean {
  return /^[\s>]*$/.test(before) && /^[.)]\s/.test(after);
}

/** The words of a member name that a sentence about it may have. */
export function stemsOf(name: string): string[] {
  return name
    .split(/(?<=\p{Ll})(?=\p{Lu})|[_\-\s.]+/u)
    .map((word) => word.toLowerCase().replace(/(?<=..)(?:ies|es|s|y)$/, ''))
    .filter((word) => word.length >= 2 && !/^(?:id|no|of|in|the|is|num|number|count|total|value|max|min)$/.test(word));
}

/** Whether a text speaks of a member: by its name, or by one of its words. */
export function speaksOf(text: string, name: string): boolean {
  const words = text.toLowerCase().match(/\p{Script=Han}+|\p{L}+/gu) ?? [];
  if (/\p{Script=Han}/u.test(name)) return text.includes(name);
  if (/\p{Ll}\p{Lu}|_/u.test(name) && hasWord(text, name)) return true;
  return stemsOf(name).some((stem) =>
    words.some(
      (word) => word === stem || (stem.length >= 3 && word.startsWith(stem) && word.length <= stem.length + 4),
    ),
  );
}
