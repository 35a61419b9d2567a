import { EXCEPTING } from '../../lexicon/qualifying.ts';
import {
  ANSWERED_ALIKE,
  AS_IF_UNKNOWN,
  IN_THIS_ORDER,
  NOT_LEARNT,
  NOT_TOLD_APART,
  OF_ANOTHER,
  ONE_ANSWER,
  UNKNOWN,
  WHOEVER_ASKS,
} from '../../lexicon/telling-apart.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { isNamedIn } from './denied-members.ts';
import { sentencesOf } from './documented-answers.ts';
import { inOwnWords } from './failure-rules.ts';

/** A sentence by which what is another's is answered as what nobody knows. */
export interface AlikeRule {
  sentence: string;
  /** The sentences before it that it may go on from, the nearest first. */
  before: readonly string[];
  /** Its number among the sentences. */
  at: number;
  /** Whether nobody is to see the difference; else both have one outcome, and no more is said. */
  isStrict: boolean;
  /** Whether it names what is unknown, and is answered alike. */
  isAsIfUnknown: boolean;
}

/** Sentences before one that it may go on from. */
const maxBefore = 3;

const read = new WeakMap<Subject, AlikeRule[]>();

/** The sentences by which what is another's is answered as what nobody knows, the strict ones first. */
export function alikeRulesOf(subject: Subject): readonly AlikeRule[] {
  const known = read.get(subject);
  if (known !== undefined) return known;
  const sentences = sentencesOf(subject.agreement);
  const rules = sentences.flatMap((sentence, at): AlikeRule[] => {
    const isStrict = NOT_TOLD_APART.test(sentence);
    if (!isStrict && !(ANSWERED_ALIKE.test(sentence) && OF_ANOTHER.test(sentence + (sentences[at - 1] ?? ''))))
      return [];
    const before: string[] = [];
    for (let index = at - 1; index >= 0 && before.length < maxBefore; index -= 1) {
      const one = sentences[index] as string;
      if (/^\s*#/.test(one)) break;
      if (/\p{L}/u.test(one)) before.push(one);
    }
    return [{ sentence, before, at, isStrict, isAsIfUnknown: AS_IF_UNKNOWN.test(sentence) }];
  });
  const sorted = [...rules.filter(({ isStrict }) => isStrict), ...rules.filter(({ isStrict }) => !isStrict)];
  read.set(subject, sorted);
  return sorted;
}

/** A sentence by which a record is answered as none, for what a member of it says. */
export interface HiddenRule {
  /** The sentence, with the items that follow it. */
  whole: string;
  sentence: string;
}

const hiding = new WeakMap<Subject, HiddenRule[]>();

/** What nobody is told of a thing: no reason for it to be answered in some way. */
const NOT_EVEN_WHETHER =
  /\b(?:whether|(?:even|tell|know|learn|see) if)\b[^,.;:]*|(?<!\p{L})ob(?!\p{L})[^,.;:]*|是否[^，。；：]*/giu;

/** Sentences of that kind that are looked at: a document may have any number. */
const maxHiding = 32;

/** Items behind a sentence that may be what it says, and sentences behind it that may say that it is one answer. */
const [maxItems, maxAfter] = [4, 2];

/** The sentences by which several things, one of which is that something is not known, have one and the same answer. */
export function hiddenRulesOf(subject: Subject): readonly HiddenRule[] {
  const known = hiding.get(subject);
  if (known !== undefined) return known;
  const sentences = sentencesOf(subject.agreement);
  const rules = sentences.flatMap((sentence, at): HiddenRule[] => {
    const goesOn = /[:;：；]\s*$/.test(sentence) || /[:：][^:：]{3,80}[;；]\s*$/.test(sentence);
    const items: string[] = [];
    for (const next of goesOn ? sentences.slice(at + 1, at + 1 + maxItems) : []) {
      items.push(next);
      if (!/[;；]\s*$/.test(next) && next.trim() !== '') break;
    }
    const whole = [sentence, ...items].join(' ');
    // An outcome may be called unknown whatever it is for, and what has an exception is no rule for all.
    if (!UNKNOWN.test(inOwnWords(whole)) || EXCEPTING.test(whole)) return [];
    const after = sentences.slice(at + 1 + items.length).filter((one) => one.trim() !== '');
    const end = after.findIndex((one) => /^\s*(?:#|[-*•|]|\d+[.)])/.test(one));
    const isAlike = [sentence, ...after.slice(0, end < 0 ? maxAfter : Math.min(end, maxAfter))].some(
      (one) => ONE_ANSWER.test(one) || NOT_TOLD_APART.test(one) || NOT_LEARNT.test(one),
    );
    return isAlike ? [{ whole: whole.replace(NOT_EVEN_WHETHER, ' '), sentence }] : [];
  });
  const first = rules.slice(0, maxHiding);
  hiding.set(subject, first);
  return first;
}

/** What names end in that hold whose something is: `deviceId` is the device. */
const ID_ENDING = /[_-]?(?:id|ids|no|nr|num|number|nummer|ref|reference|code|name|key)$/i;

/** Whether a text speaks of what a member holds, or of what the member is the id of. */
export function speaksOfHolder(text: string, name: string): boolean {
  const holder = name.replace(ID_ENDING, '');
  return (
    isNamedIn(text, name) ||
    (holder.length >= 3 && holder !== name && (hasWord(text, holder) || hasWord(text, `${holder}s`)))
  );
}

/**
 * Whether a rule is about what belongs to whom by these members, and not by those: it names one of them, or goes on from a sentence that does;
 * where there are no others, the outcome will do.
 */
export function isAbout(
  { sentence, before }: AlikeRule,
  names: readonly string[],
  others: readonly string[],
  outcomes: readonly string[],
): boolean {
  const speaksOf = (text: string, list: readonly string[]) => list.some((name) => speaksOfHolder(text, name));
  for (const text of [sentence, ...before]) {
    if (speaksOf(text, names)) return true;
    if (speaksOf(text, others)) return false;
  }
  return others.length === 0 && outcomes.some((outcome) => hasWord(sentence, outcome));
}

/** How an item of a list begins whose items are done one after another. */
const STEP = /^\s*(?:#+ )?(?:step |schritt |第)?\d{1,2}[.)、:]/i;

/**
 * Whether by its place in the document an outcome may be that of a check before the one by which something is another's: it is named in a step
 * above, or wherever a document has all its checks made in their order. Where both have one outcome and no more is said, that may be so unless
 * it is named in a step below.
 */
export function mayComeBefore(
  subject: Subject,
  rule: AlikeRule,
  names: readonly string[],
  { other, usual }: { other: readonly string[]; usual: readonly string[] },
): boolean {
  const sentences = sentencesOf(subject.agreement);
  const isInOrder = sentences.some((sentence) => IN_THIS_ORDER.test(sentence));
  const isStep = stepsOf(sentences);
  const has = (sentence: string, outcomes: readonly string[]) =>
    !/^\s*\|/.test(sentence) && outcomes.some((outcome) => hasWord(sentence, outcome));
  const speaksOf = (sentence: string) => names.some((name) => speaksOfHolder(sentence, name));
  const found = [speaksOf, (one: string) => OF_ANOTHER.test(one)]
    .map((isMeant) => sentences.findIndex((one) => has(one, usual) && isMeant(one)))
    .find((index) => index >= 0);
  const at = Math.min(found ?? rule.at, rule.at);
  const isNamed = (from: number, to: number) =>
    sentences.slice(from, to).some((one, index) => has(one, other) && (isInOrder || isStep[from + index] === true));
  return (
    isNamed(0, at) ||
    sentences.some((one) => has(one, other) && WHOEVER_ASKS.test(one)) ||
    (!rule.isStrict && !isNamed(at + 1, sentences.length))
  );
}

/** Of each sentence, whether it belongs to a step: an item with a number, or all that stands under a heading with one. */
function stepsOf(sentences: readonly string[]): boolean[] {
  let [isItem, isSection] = [false, false];
  return sentences.map((sentence) => {
    if (/^\s*#/.test(sentence)) isSection = STEP.test(sentence);
    else if (STEP.test(sentence)) isItem = true;
    if (sentence.trim() === '') isItem = false;
    return isItem || isSection;
  });
}
