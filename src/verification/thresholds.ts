import { constantIn, sentencesOf } from './documented-answers.ts';
import { numbersIn } from './number-readings.ts';
import type { Subject } from './subject.ts';

/** A number of the prose at which an answer may change. */
export interface Threshold {
  value: number;
  /** Where the change lies, where the words leave no doubt: behind the number (`at most 5`), or before it (`at least 5`). */
  side?: 'behind' | 'before';
  /** The sentence or table row that has it. */
  sentence: string;
  /** The sentence, with the head of its table. */
  context: string;
  /** The clause up to the number. */
  lead: string;
  /** Whether words or a table make a limit of it, rather than a rate or an amount. */
  limits: boolean;
  /** The one name of an answer that the sentence has. */
  constant?: string;
}

const BEHIND =
  /(?:(?<!\bthan or )(?:\b(?:more|greater|larger|higher|bigger|longer|older|heavier|later) than|\babove|\bexceed(?:s|ing)?|\bbeyond|\bat most|\bmaximum(?: of)?|\bmax\.?(?: of)?)|\b(?:less|fewer|smaller|lower|shorter) than or equal to|\bup to(?: and including)?|\bover|≤|<=|(?<![<=-])>(?!=)|最多|不超过|不得超过|超过|大于|高于|至多|上限为?)[\s`*:]*$/iu;
const BEFORE =
  /(?:\b(?:less|fewer|smaller|lower|shorter|younger|lighter|earlier) than|\bbelow|\bunder|\bat least|\bminimum(?: of)?|\bmin\.?(?: of)?|\b(?:more|greater|larger|higher) than or equal to|≥|>=|<(?![=-])|至少|不少于|不低于|低于|少于|小于|不足)[\s`*:]*$/iu;
const OR_MORE =
  /^\s*(?:\p{L}+\s+)?(?:or (?:more|higher|above|older|longer|later)|and (?:more|above)|onwards?|upwards|and over)\b|^\s*(?:\p{L}+\s+)?on(?=[\s,])|^\p{Script=Han}?(?:及以上|以上)/iu;
const OR_LESS =
  /^\s*(?:\p{L}+\s+)?(?:or (?:less|fewer|lower|below|younger|shorter)|and (?:less|below))\b|^\p{Script=Han}?及以下/iu;

/** Words by which a number may be meant otherwise than it is said, or not hold for all. */
const HEDGED =
  /\b(?:about|around|approximately|roughly|circa|exclud\w+|exclusive|(?<!up to and )includ\w+|inclusive|over \d+ years|not counting|together|altogether|in total|plus|additional|further|other|left|remaining|already|per (?:minute|second|hour|day)|means?|treated|count(?:s|ed)? as|taken (?:as|for)|clamp\w*|capped|cut (?:to|off)|instead|raised to|lowered to|defaults?|business|working)\b|按|视为|默认|约|大约|左右|另外|已/iu;

/** Words and marks that make a limit of a number. */
const LIMITING =
  /\b(?:than|above|over|exceed\w*|beyond|below|under|at (?:most|least)|max\w*|min\w*|up to|between|from|limit\w*|within|largest|smallest|highest|lowest|longest|shortest|or (?:more|less|fewer)|onwards?)\b|[≤≥<>]|最|不超过|超过|大于|高于|低于|少于|小于|至少|至多|以上|以下|以内|上限|下限|限/iu;

/** Most numbers of a document that are followed up. */
const MAX_NUMBERS = 200;

/** The first numbers of the prose, in its order, without codes of answers. */
export function thresholdsOf(subject: Subject): Threshold[] {
  let head: string | undefined;
  let left = MAX_NUMBERS;
  return sentencesOf(subject.agreement).flatMap((line) => {
    const sentence = line.trim();
    const isRow = sentence.startsWith('|');
    if (!isRow && sentence !== '') head = undefined;
    if (isRow && head === undefined) {
      head = sentence;
      return [];
    }
    const all = numbersIn(sentence).slice(0, left);
    if (all.length === 0) return [];
    left -= all.length;
    const constant = constantIn(subject, sentence);
    return all.flatMap(({ value, start, end }, index): Threshold[] => {
      const before = sentence.slice(0, start);
      const after = sentence.slice(end);
      if (isCode(sentence, before, value, head) || isListNumber(before, after)) return [];
      const lead = before.slice(Math.max(all[index - 1]?.end ?? 0, before.search(/[,，、|;]?[^,，、|;]*$/)));
      const behind = BEHIND.test(before) || OR_LESS.test(after);
      const from = BEFORE.test(before) || OR_MORE.test(after);
      const side = behind === from || HEDGED.test(sentence) ? undefined : behind ? 'behind' : 'before';
      return [
        {
          value,
          sentence: sentence.slice(0, 200),
          context: isRow && head !== undefined ? `${head} ${sentence}` : sentence,
          lead,
          limits: isRow || LIMITING.test(sentence),
          ...(side === undefined ? {} : { side }),
          ...(constant === undefined ? {} : { constant }),
        },
      ];
    });
  });
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
  return stemsOf(name).some((stem) =>
    words.some(
      (word) => word === stem || (stem.length >= 3 && word.startsWith(stem) && word.length <= stem.length + 4),
    ),
  );
}
