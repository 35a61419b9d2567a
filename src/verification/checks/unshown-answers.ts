import type { Observation, Peer, Scenario } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json, valueAt } from '../../kernel/json.ts';
import { ANY_OTHER_ANSWER, CODE_WORD } from '../../lexicon/exchanging.ts';
import { OTHER_FAILURES, RETRIES, TRIED_AGAIN } from '../../lexicon/failing.ts';
import { constantsOf } from '../../schemas/constants-of.ts';
import type { SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { allSentencesOf, excerpt, holdsConstant, sentencesOf, taskSentencesOf } from '../prose/documented-answers.ts';
import { isLimited, isUnconditional, namedValuesOf } from '../prose/named-values.ts';
import { unansweredPeerOf } from '../prose/unanswered-peer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { replacedAt } from '../worlds/variations.ts';

/** A case whose peer answers with a code or word that no case shows, of which the task says how it is told. */
export interface UnshownAnswer {
  one: SeenCase;
  scenario: Scenario;
  /** What is wrong with an output; `undefined` where nothing is. */
  faultOf(output: Json): string | undefined;
}

/** Runs more than these tell nothing new. */
const maxUnshown = 8;

/**
 * The answers that no case shows and the task has a name for or has repeated, each in place of that of a case that is most like it:
 * of another failure, which the candidate tells by its own name where the task has one. None where a case contradicts the task.
 */
export function unshownAnswers(subject: Subject, cases: readonly SeenCase[]): UnshownAnswer[] {
  if (subject.payload !== 'json') return [];
  const places = [...codePlaceOf(subject), ...wordPlacesOf(subject)];
  return places
    .flatMap((place) => [...namedAt(subject, cases, place), ...repeatedAt(subject, cases, place)])
    .concat(othersAt(subject, cases, [...places, ...numberPlacesOf(subject)]))
    .slice(0, maxUnshown);
}

/** What is wrong with what a candidate made of such an answer, if it asks no more often than before: who asks again has not ended with it. */
export function faultOfUnshown({ one, faultOf }: UnshownAnswer, seen: Observation): string | undefined {
  const isEnd = seen.end === 'returned' && seen.sends.length <= one.seen.sends.length;
  return isEnd && seen.value !== undefined ? faultOf(seen.value) : undefined;
}

/** A member of the peer's answers, and the values that it may have. */
interface Place {
  pointer: string;
  values: ReadonlySet<string>;
  isCode: boolean;
}

/** Cases whose run ends with an answer that has something at a place. */
function endsAt(cases: readonly SeenCase[], pointer: string): { one: SeenCase; value: Json }[] {
  return cases.flatMap((one) => {
    const value = valueAt(one.seen.sends.at(-1)?.response ?? null, pointer);
    return value === undefined ? [] : [{ one, value }];
  });
}

/** The run of a case with another value in the answer that it ends with; `undefined` where a case shows that value, the schema forbids it, or it is to be sent again for. */
function replaced(
  subject: Subject,
  { one, value: usual }: { one: SeenCase; value: Json },
  pointer: string,
  other: string,
): Scenario | undefined {
  const value = typeof usual === 'number' ? Number(other) : other;
  const end = one.seen.sends.at(-1)?.response ?? null;
  const isShown = subject.cases.some(({ response }) => String(valueAt(response, pointer)) === other);
  const isRetried = allSentencesOf(subject).some(
    (sentence) => hasWord(sentence, other) && (RETRIES.test(sentence) || TRIED_AGAIN.test(sentence)),
  );
  if (isShown || isRetried || subject.surface.responseIssues(replacedAt(end, pointer, value)).length > 0)
    return undefined;
  const peer: Peer = async (request, nth, sent) => {
    const answer = (await one.scenario.peer?.(request, nth, sent)) ?? { response: null };
    return 'response' in answer && valueAt(answer.response, pointer) === usual
      ? { response: replacedAt(answer.response, pointer, value) }
      : answer;
  };
  return { ...one.scenario, peer };
}

/** Answers that the task has a name for. */
function namedAt(subject: Subject, cases: readonly SeenCase[], { pointer, values, isCode }: Place): UnshownAnswer[] {
  const named = namedValuesOf(subject, values);
  const ends = endsAt(cases, pointer).map((end) => {
    const name = named.find((told) => told.value === String(end.value))?.name;
    return { ...end, name, isTold: name !== undefined && holdsConstant(end.one.one.output, [name]) };
  });
  if (ends.some(({ name, isTold }) => name !== undefined && !isTold)) return [];
  const [base] = ends
    .filter(({ one, value }) => (isCode ? isErrorCode(value) : isAlike(subject, one, pointer)))
    .sort((a, b) => Number(b.isTold) - Number(a.isTold));
  if (base === undefined) return [];
  const isOnly = base.one.seen.sends.length === 1;
  return named.flatMap(({ value, name, isCalledCode, isClause, sentence }) => {
    // What no case confirms may be meant of another message, or of no answer at all.
    if (!base.isTold && !(isCode && isCalledCode && isOnly)) return [];
    if ((isClause && !isOnly) || (isCode && !hasWord(subject.agreement.text, value))) return [];
    const scenario = replaced(subject, base, pointer, value);
    const message = `where the peer answers ${value}: the output has no ${name}, though "${excerpt(sentence)}"`;
    const faultOf = (output: Json) => (holdsConstant(output, [name]) ? undefined : message);
    return scenario === undefined ? [] : [{ one: base.one, scenario, faultOf }];
  });
}

/** Reasons of failure that the output repeats in all cases, of which several show different ones, by what the task says of its member. */
function repeatedAt(subject: Subject, cases: readonly SeenCase[], { pointer, values, isCode }: Place): UnshownAnswer[] {
  const ends = endsAt(cases, pointer).filter(({ value }) => !isCode || isErrorCode(value));
  const [base] = ends;
  const sentences = taskSentencesOf(subject);
  if (base === undefined || new Set(ends.map(({ value }) => value)).size < 2) return [];
  const isSpecial = (sentence: string) =>
    RETRIES.test(sentence) || OTHER_FAILURES.test(sentence) || (isCode && /[45]\d\d/.test(sentence));
  if (cases.some(({ seen }) => seen.sends.length !== 1) || sentences.some(isSpecial)) return [];
  if (ends.some(({ one }) => reportsFailure(one.one.case.response) !== true)) return [];
  const place = leavesOf(base.one.one.output).find((leaf) =>
    ends.every(({ one, value }) => valueAt(one.one.output, leaf.pointer) === value),
  );
  if (place === undefined) return [];
  const sentence = sentences.find(
    (one) =>
      hasWord(one, place.name) &&
      (pointer.endsWith(`/${place.name}`) || (isCode && CODE_WORD.test(one))) &&
      isUnconditional(one),
  );
  if (sentence === undefined) return [];
  const words = isCode ? errorCodesIn(subject) : [...values];
  return words.flatMap((word) => {
    if (sentences.some((one) => hasWord(one, word))) return [];
    const scenario = replaced(subject, base, pointer, word);
    const value = typeof base.value === 'number' ? Number(word) : word;
    const { one } = base;
    if (scenario === undefined || subject.surface.resultIssues(replacedAt(one.one.output, place.pointer, value)).length)
      return [];
    // What says nothing, or something else altogether, may be what is told of this one in words that we do not know.
    const isOther = (told: Json | undefined) =>
      told !== value && (isCode ? ends.some((end) => end.value === told) : values.has(String(told)));
    const message = `where the peer answers ${word}: the output tells another at ${place.pointer}, though "${excerpt(sentence)}"`;
    const faultOf = (output: Json) => (isOther(valueAt(output, place.pointer)) ? message : undefined);
    return [{ one, scenario, faultOf }];
  });
}

/** Answers that the task does not speak of, where it has one name for any other. */
function othersAt(subject: Subject, cases: readonly SeenCase[], places: readonly Place[]): UnshownAnswer[] {
  const sentences = taskSentencesOf(subject);
  const [sentence, ...more] = sentences.filter((one) => ANY_OTHER_ANSWER.test(one));
  if (sentence === undefined || more.length > 0 || isLimited(sentence)) return [];
  const words = new Set(constantsOf(subject.task?.outputSchema ?? null).map(String));
  const named = [...words].filter((one) => isWord(one) && hasWord(sentence, one));
  const explained = named.filter((one) =>
    sentence
      .split(one)
      .some((rest) => ANY_OTHER_ANSWER.test(/^['"”’`]?\s*[（(]([^()（）]*)[)）]/u.exec(rest)?.[1] ?? '')),
  );
  const [name, ...rivals] = explained.length > 0 ? explained : named;
  if (name === undefined || rivals.length > 0) return [];
  const phrase = ANY_OTHER_ANSWER.exec(sentence)?.[0] ?? '';
  const isOfCode = /code|码/iu.test(phrase);
  const [place, ...further] = places.filter(
    ({ pointer, isCode }) =>
      isCode === isOfCode &&
      (isCode ||
        phrase.includes(pointer.slice(pointer.lastIndexOf('/') + 1)) ||
        (places.length === 1 && TELLS_OUTCOME.test(pointer))),
  );
  if (place === undefined || further.length > 0) return [];
  const { pointer, values } = place;
  // What the task has told by a name that no case shows, the document may have a code or word for.
  const meant = new Set([
    name,
    ...(subject.task?.examples ?? []).flatMap(({ output }) => leavesOf(output).map(({ value: told }) => String(told))),
    ...namedValuesOf(subject, values).map((told) => told.name),
    ...(['silent', 'failing'] as const).flatMap((how) => unansweredPeerOf(subject, how).names),
  ]);
  const isOpen = (word: string) => isWord(word) && !meant.has(word) && sentences.some((other) => hasWord(other, word));
  if ([...words].some(isOpen)) return [];
  const ends = endsAt(cases, pointer).filter(({ one }) => one.seen.sends.length === 1);
  const base = ends.find(({ one }) => reportsFailure(one.one.case.response) === true) ?? ends.at(-1);
  if (base === undefined) return [];
  const message = `the output has not ${name}, though "${excerpt(sentence)}"`;
  return [...values].flatMap((value) => {
    if (sentences.some((one) => hasWord(one, value)) || !hasWord(subject.agreement.text, value)) return [];
    const scenario = replaced(subject, base, pointer, value);
    const faultOf = (output: Json) =>
      holdsConstant(output, [name]) ? undefined : `where the peer answers ${value}: ${message}`;
    return scenario === undefined ? [] : [{ one: base.one, scenario, faultOf }];
  });
}

/** Members that tell how it went. */
const TELLS_OUTCOME =
  /(?:status|state|result|outcome|decision|verdict|answer|ergebnis|estado|resultado|statut|résultat|状态|结果)$/iu;

/** The members of answers that hold a number of a list or table of the document in every case, with what else stands there. */
function numberPlacesOf({ cases, agreement }: Subject): Place[] {
  const places = Map.groupBy(
    cases.flatMap(({ response }) => leavesOf(response)),
    ({ pointer }) => pointer,
  );
  const heads = sentencesOf(agreement).flatMap(
    (one) => /^\s*(?:[-*•]|\|)\s*`?(\d{1,6})`?\s*[:：|=–—]/u.exec(one)?.[1] ?? [],
  );
  return [...places].flatMap(([pointer, leaves]) => {
    const shown = new Set(leaves.map(({ value }) => String(value)));
    const isListed = shown.size > 1 && leaves.length === cases.length && [...shown].every((one) => heads.includes(one));
    return isListed && leaves.every(({ name, value }) => typeof value === 'number' && CODE_WORD.test(name))
      ? [{ pointer, values: new Set(heads), isCode: true }]
      : [];
  });
}

/** The codes that the prose of the document has for errors. */
function errorCodesIn({ agreement }: Subject): string[] {
  const sentences = sentencesOf(agreement).filter((sentence) => CODE_WORD.test(sentence));
  const codes = sentences.flatMap(
    (sentence) => sentence.match(/(?<![\p{L}\p{N}.,])4\d\d(?![\p{L}\p{N}%]|[.,]\d)/gu) ?? [],
  );
  return [...new Set(codes)];
}

function isErrorCode(value: Json): boolean {
  return /^[45]\d\d$/.test(String(value));
}

/** Whether the answer of a case has all that one with another word there may need: every member of the schema, or it fails as do all that have the word. */
function isAlike({ responseSchema, cases }: Subject, { one }: SeenCase, pointer: string): boolean {
  if (hasAllMembers(responseSchema, one.case.response)) return true;
  return cases
    .filter((other) => valueAt(other.response, pointer) !== undefined)
    .every((other) => reportsFailure(other.response) === true);
}

/** Whether an answer, and each object in it, has all members of its schema. */
function hasAllMembers(schema: Json, answer: Json, depth = 0): boolean {
  if (depth > maxDepth || !isObject(schema) || !isObject(schema.properties)) return true;
  return Object.entries(schema.properties).every(([name, child]) => {
    const value = valueAt(answer, `/${escapeToken(name)}`) ?? null;
    return value !== null && hasAllMembers(child, value, depth + 1);
  });
}

/** Levels of a schema in which members are looked for. */
const maxDepth = 5;

/** The one member that has a code of three digits in all answers that have it, and an error's in one of them. */
function codePlaceOf({ cases, agreement }: Subject): Place[] {
  const places = Map.groupBy(
    cases.flatMap(({ response }) => leavesOf(response)),
    ({ pointer }) => pointer,
  );
  const codes = [...places].filter(
    ([, leaves]) =>
      leaves.every(({ value }) => /^[1-5]\d\d$/.test(String(value))) &&
      leaves.some(({ value }) => isErrorCode(value) && hasWord(agreement.text, String(value))),
  );
  const [only, ...others] = codes;
  if (only === undefined || others.length > 0) return [];
  const values = new Set(Array.from({ length: 200 }, (_, index) => String(400 + index)));
  return [{ pointer: only[0], values, isCode: true }];
}

/** Whether a text is long enough to be found in prose. */
function isWord(text: string): boolean {
  return text.length > 2 || /\p{Script=Han}{2}/u.test(text);
}

/** The members of answers, and of objects in them, for which the schema lists words. */
function wordPlacesOf({ responseSchema }: Subject): Place[] {
  const found: Place[] = [];
  const collect = (schema: Json | undefined, pointer: string, depth: number): void => {
    if (depth > maxDepth || !isObject(schema)) return;
    const words = Array.isArray(schema.enum)
      ? schema.enum.filter((word): word is string => typeof word === 'string' && isWord(word))
      : [];
    if (words.length > 1) found.push({ pointer, values: new Set(words), isCode: false });
    for (const [name, child] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
      collect(child, `${pointer}/${escapeToken(name)}`, depth + 1);
  };
  collect(responseSchema, '', 0);
  return found;
}
