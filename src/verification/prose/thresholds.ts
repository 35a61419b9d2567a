import { atTheEnd } from '../../lexicon/phrases.ts';
import {
  FROM,
  FROM_AND_ABOVE,
  HALF_OPEN,
  HEDGED,
  HEDGED_CLAUSE,
  INCLUDED,
  LIMITING,
  RANGES,
  UP_TO,
  UP_TO_AND_BELOW,
} from '../../lexicon/quantifying.ts';
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
  /** What is counted or measured: the words behind the number. */
  tail: string;
  /** Whether words or a table make a limit of it, rather than a rate or an amount. */
  limits: boolean;
  /** The one name of an answer that the sentence has. */
  constant?: string;
}

const [BEHIND, BEFORE] = [atTheEnd(UP_TO), atTheEnd(FROM)];
const [AND_ABOVE, AND_BELOW] = [atTheEnd(FROM_AND_ABOVE), atTheEnd(UP_TO_AND_BELOW)];

/** A unit or what is counted, between a number and the words that say on which side of it the change lies. */
const UNIT = String.raw`\s*(?:[\p{L}%‰°€$£]+\s+){0,3}`;
const OR_MORE = new RegExp(
  [
    String.raw`^${UNIT}or (?:more|higher|above|over|older|longer|later|greater|larger)\b(?! than)`,
    String.raw`^${UNIT}(?:and (?:more|above|over)|onwards?|upwards)\b(?! than)`,
    String.raw`^\s?\p{Script=Han}{0,2}?(?:及|或|或者)?(?:以上|更多|更高)`,
    String.raw`^${UNIT}(?:oder (?:mehr|höher|darüber|länger|älter|später)|und mehr|aufwärts)(?!\p{L})`,
    String.raw`^${UNIT}(?:(?:ou|et) (?:plus|mais|davantage)|o (?:más|mayor|superior|più)|en adelante|em diante)(?!\p{L})`,
  ].join('|'),
  'iu',
);
const OR_LESS = new RegExp(
  [
    String.raw`^${UNIT}or (?:less|fewer|lower|below|under|younger|shorter|earlier|smaller)\b(?! than)`,
    String.raw`^${UNIT}and (?:less|below|under)\b(?! than)`,
    String.raw`^\s?\p{Script=Han}{0,2}?(?:(?:及|或|或者)以下|或更[少低])`,
    String.raw`^${UNIT}(?:oder (?:weniger|niedriger|darunter|kürzer|jünger|früher))(?!\p{L})`,
    String.raw`^${UNIT}(?:ou (?:moins|menos)|o (?:menos|menor|inferior|meno))(?!\p{L})`,
  ].join('|'),
  'iu',
);

/** The word behind a number, or that behind `or more`. */
const TAIL = /^\s*(?:(?:or|oder|o|ou)\s+\p{L}+\s+)?(?:\p{Script=Han}{1,4}|\p{L}+)/iu;

/** What makes one of `from 5` and `hours on`. */
const [FROM_WORD, ON] = [/\bfrom\s*$/i, /^\s*(?:\p{L}+\s+){0,2}on(?=[\s,(])/iu];

/** Words by which the end of a range is the first number that is out of it. */
const EXCLUDING = String.raw`(?:\b(?:not including|excluding)\b|(?<!\p{L})(?:ausschließlich|sin incluir|non compris|sem incluir)(?!\p{L})|不[含包]括?)[\s,]*`;
const [EXCLUDED, EXCLUSIONS] = [new RegExp(`${EXCLUDING}$`, 'iu'), new RegExp(`${EXCLUDING}(?=\\d)`, 'giu')];

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
      const [isAbove, isBelow] = [AND_ABOVE.test(before), AND_BELOW.test(before)];
      const behind = isBelow || (!isAbove && BEHIND.test(before)) || OR_LESS.test(after) || rank === 'last';
      const isFrom = FROM_WORD.test(before) && ON.test(after);
      const isFirst = isFrom || OR_MORE.test(after) || EXCLUDED.test(before);
      const starts = isAbove || (!isBelow && BEFORE.test(before)) || isFirst || rank === 'first';
      const side = behind === starts || isHedged(sentence, start, end) ? undefined : behind ? 'behind' : 'before';
      return [
        {
          value,
          sentence: sentence.slice(0, 200),
          context: isRow && head !== undefined ? `${head} ${sentence}` : sentence,
          ...(isItem && intro !== undefined ? { intro } : {}),
          lead,
          tail: TAIL.exec(after)?.[0] ?? '',
          isEnd: side !== undefined || isInRange(sentence, all, index),
          limits: isRow || side !== undefined || isInRange(sentence, all, index) || LIMITING.test(sentence),
          ...(side === undefined ? {} : { side }),
          ...(rank === undefined ? {} : { isOfRange: true }),
          ...(constant === undefined ? {} : { constant }),
        },
      ];
    });
  });
  return ofClosedRanges(found);
}

/** Whether words of a sentence leave it open how a number of it is meant. */
function isHedged(sentence: string, start: number, end: number): boolean {
  // What is said to belong to a limit belongs to what was said before.
  const plain = (text: string): string => text.replaceAll(INCLUDED, '').replaceAll(EXCLUSIONS, '');
  const from = sentence.slice(0, start).search(/[,，;；。(（]?[^,，;；。(（]*$/u);
  const clause = `${sentence.slice(from, end)}${/^[^,，;；。)）]*/u.exec(sentence.slice(end))?.[0] ?? ''}`;
  return HEDGED.test(plain(sentence)) || HEDGED_CLAUSE.test(plain(clause));
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
