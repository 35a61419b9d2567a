import { isObject, type Json } from '../../kernel/json.ts';
import {
  ANY_MESSAGE,
  CANNOT_BE_REACHED,
  FAILS,
  FOR_ANY_REASON,
  GIVES_UP,
  GOES_WRONG,
  LEFT_TO_CALLER,
  NEVER_REPEATED,
  NO_ANSWER,
  NOT_PASSED_ON,
  PASSED_ON,
  PASSED_OVER,
  RETRIES,
  SPEAKS_OF_ERRORS,
  UNUSABLE_ANSWER,
} from '../../lexicon/failing.ts';
import { EXCEPTING } from '../../lexicon/qualifying.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { requesterSentencesOf } from './documented-answers.ts';
import { tellsReportedName } from './reported-names.ts';

/** What the task of a requester says of a peer that gives no answer. */
export interface UnansweredPeer {
  /** Whether it says what is told then. */
  isTold: boolean;
  /** The names that are told then; empty where none can be made out. */
  names: string[];
  /** Values of requests in what it says: it may mean these messages alone, as `SUBMIT` in "no answer to SUBMIT". */
  messages: string[];
  /** Whether the same is told of an answer that cannot be used. */
  isToldOfUnusable: boolean;
  /** The sentence that has it end all, by an error that reaches the caller; absent where another one speaks of failures as well. */
  thrown?: string;
  /** The sentence that has it passed over, so that others are asked all the same. */
  passedOver?: string;
  /** The sentence that has whatever was told before told all the same. */
  soFar?: string;
  /** The sentence that has the message sent again. */
  sentAgain?: string;
}

/** How a peer gives no answer: it is silent, or says no or cannot be reached. What is told of the one need not hold for the other. */
export type NoAnswer = 'silent' | 'failing';

const read: Record<NoAnswer, WeakMap<Subject, UnansweredPeer>> = { silent: new WeakMap(), failing: new WeakMap() };

/** Reads what the task has told where the peer gives no answer: a name beside the words for it, in brackets behind the name or in its clause. */
export function unansweredPeerOf(subject: Subject, how: NoAnswer): UnansweredPeer {
  const known = read[how].get(subject) ?? readTask(subject, how);
  read[how].set(subject, known);
  return known;
}

function readTask(subject: Subject, how: NoAnswer): UnansweredPeer {
  const outputs = subject.task?.outputSchema ?? null;
  const sentences = [...requesterSentencesOf(subject), ...meaningsIn(outputs)];
  const thrown = thrownIn(sentences, how, outputs);
  const isAnyFailure = (sentence: string) =>
    GOES_WRONG.test(sentence) ||
    (FOR_ANY_REASON.test(sentence) &&
      (CANNOT_BE_HAD.test(sentence) || (FAILS.test(sentence) && ANY_MESSAGE.test(sentence))));
  const values = valuesOf(subject);
  const flags = flagsOf(subject);
  const isMeant = (clause: string) => how === 'silent' || CANNOT_BE_REACHED.test(withoutNames(clause, values));
  const isUnanswered = (sentence: string) =>
    !AGAIN.test(sentence) &&
    sentence
      .split(CLAUSES)
      .some(
        (clause) =>
          NO_ANSWER.test(clause) && !OTHERS.test(clause) && (isMeant(clause) || FOR_ANY_REASON.test(sentence)),
      );
  const answers = JSON.stringify([subject.responseSchema, subject.cases.map((one) => one.response)]);
  const isToldByPeer = PEER_TELLS.test(answers);
  const sentAgain = isToldByPeer ? undefined : sentences.find((sentence) => isSentAgain(sentence, how));
  const ends = { ...(thrown === undefined ? {} : { thrown }), ...(sentAgain === undefined ? {} : { sentAgain }) };
  // Who gives up and reports it under a name has told it.
  const endsAll = (sentence: string) =>
    GIVES_UP.test(tellsReportedName(subject, sentence) ? sentence.replace(GIVES_UP_TELLING, ' ') : sentence);
  if (sentences.some(endsAll)) {
    const mayThrow = sentences.some((sentence) => GIVES_UP.test(sentence.replace(PARTLY, ' ')));
    const soFar = sentences.find(
      (sentence) => !mayThrow && SO_FAR.test(sentence) && (isAnyFailure(sentence) || isUnanswered(sentence)),
    );
    const isTold = soFar !== undefined;
    return { isTold, names: [], messages: [], isToldOfUnusable: false, ...ends, ...(isTold ? { soFar } : {}) };
  }
  const passedOver = isToldByPeer
    ? undefined
    : sentences.find((sentence) => isUnanswered(sentence) && PASSED_OVER.test(sentence));
  const told = sentences.filter(
    (sentence) =>
      (isUnanswered(sentence) || isAnyFailure(sentence)) &&
      (TOLD.test(sentence) || namesIn(sentence, values).length > 0) &&
      // What the peer has for somebody else who is silent may be meant.
      !namesFor(sentence, values, flags).some((name) => answers.includes(JSON.stringify(name))),
  );
  const asked = new Set(subject.cases.flatMap(({ request }) => leavesOf(request).map(({ value }) => value)));
  return {
    isTold: told.length > 0,
    names: [...new Set(told.flatMap((sentence) => namesFor(sentence, values, flags)))],
    messages: [...asked].filter(
      (value) =>
        typeof value === 'string' && value.length > 2 && told.flatMap(meantBy).some((text) => speaksOf(text, value)),
    ) as string[],
    isToldOfUnusable: told.length > 0 && told.every((sentence) => UNUSABLE_ANSWER.test(sentence)),
    ...ends,
    ...(passedOver === undefined ? {} : { passedOver }),
  };
}

/**
 * The one sentence about failures, where it has them reach the caller as errors. What is only left to the caller may also be told, where the
 * output has a member for it.
 */
function thrownIn(sentences: readonly string[], how: NoAnswer, outputs: Json): string | undefined {
  const mayBeTold = FAILURE_MEMBER.test(JSON.stringify(outputs));
  const isPassedOn = (sentence: string) =>
    (PASSED_ON.test(sentence) || (!mayBeTold && LEFT_TO_CALLER.test(sentence))) &&
    !NOT_PASSED_ON.test(sentence) &&
    !TOLD.test(sentence) &&
    !QUOTED.test(sentence);
  const speaking = sentences.filter((sentence) =>
    [NO_ANSWER, FAILS, SPEAKS_OF_ERRORS].some((words) => words.test(sentence)),
  );
  if (!speaking.every(isPassedOn)) return undefined;
  return speaking.find((sentence) =>
    how === 'silent'
      ? NO_ANSWER.test(sentence)
      : CANNOT_BE_REACHED.test(sentence) || (SPEAKS_OF_ERRORS.test(sentence) && !NO_ANSWER.test(sentence)),
  );
}

/** Longest schema, in levels, of which the descriptions are read. */
const maxDepth = 30;

/** The sentences of the descriptions in a schema: there a task may say what its words mean. */
export function meaningsIn(schema: Json, depth = 0): string[] {
  if (depth > maxDepth || typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'description' && typeof value === 'string'
      ? value.split(/[.;\n。；]\s*/u).map((sentence) => sentence.slice(0, MAX_MEANING))
      : meaningsIn(value, depth + 1),
  );
}

/** Longest sentence of a description that is read, in UTF-16 units. */
const MAX_MEANING = 1_000;

/** Of a sentence that gives several names their meanings in brackets, the meanings that speak of a silent peer; else the whole of it. */
function meantBy(sentence: string): string[] {
  const meanings = [...sentence.matchAll(BRACKETED)].flatMap(([, , meaning]) =>
    meaning !== undefined && NO_ANSWER.test(meaning) ? [meaning] : [],
  );
  return meanings.length > 0 ? meanings : [sentence];
}

/** A word with its meaning in brackets behind it. */
const BRACKETED = /['"“‘`]?([\p{L}\p{N}_-]+)['"”’`]?\s*[（(]([^()（）]*)[)）]/gu;

/** Whether a sentence has a value of a request, or a word that begins with it, as `booking` with `book`. */
export function speaksOf(sentence: string, value: string): boolean {
  if (hasWord(sentence, value)) return true;
  const words = sentence.toLowerCase().match(/\p{L}+/gu) ?? [];
  return value.length > 3 && words.some((word) => word.startsWith(value.toLowerCase()));
}

function namesFor(sentence: string, values: ReadonlySet<string>, flags: ReadonlySet<string>): string[] {
  const explained = [...sentence.matchAll(BRACKETED)].flatMap(([, word = '', meaning = '']) => {
    // Nothing parts a name from the Chinese before it.
    const name = [word, /[^\p{Script=Han}]*$/u.exec(word)?.[0] ?? ''].find((one) => values.has(one));
    return name === undefined ? [] : [{ name, meaning }];
  });
  if (explained.length > 0) return explained.flatMap(({ name, meaning }) => (NO_ANSWER.test(meaning) ? [name] : []));
  const conditional = namedUnderCondition(sentence, values);
  if (conditional !== undefined) return [conditional];
  // A name that says itself that there is no answer needs no condition to be understood by.
  const speaking = [...values].filter(
    (name) =>
      NO_ANSWER.test(name) && (isQuotedIn(sentence, name) || (IN_CAPITALS.test(name) && hasWord(sentence, name))),
  );
  const rest = speaking.reduce((text, name) => text.replaceAll(name, ' '), sentence);
  if (speaking.length === 1 && !NO_ANSWER.test(rest)) return speaking;
  const own = sentence
    .split(CLAUSES)
    .filter((clause) => NO_ANSWER.test(clause))
    .flatMap((clause) => namesGivenIn(withoutPhrase(clause), values));
  if (own.length === 0 && speaking.length === 1) return speaking;
  const all = own.length > 0 ? own : namesGivenIn(withoutPhrase(sentence), values);
  if (all.length === 0) return truthIn(sentence, flags);
  return all.length === 1 ? all : [];
}

/** The one truth value that a sentence without an exception has for a member, as in `ready: false`. */
function truthIn(sentence: string, flags: ReadonlySet<string>): string[] {
  if (EXCEPTING.test(sentence) || OTHERWISE.test(sentence)) return [];
  const pairs = [
    ...sentence.matchAll(
      /([\p{L}_][\p{L}\p{N}_]*?)(?=[^\p{L}\p{N}_]|为)["”`]?\s*(?:is|=|:|：|为|ist|es|est)?\s*["“`]?(true|false)\b/gu,
    ),
  ].flatMap(([, name = '', value]) => (flags.has(name) ? [`${name}: ${value}`] : []));
  return pairs.length === 1 ? pairs : [];
}

const OTHERWISE =
  /(?<!\p{L})(?:(?:only|nur) (?:if|when|where|dann|wenn|falls)|else|otherwise|whether|sonst|andernfalls|ob|seulement|sinon|(?:solo|sólo) si|sino|si no|senão|altrimenti)(?!\p{L})|否则|只有|是否/iu;

/** The members of an output that are true or false, but for those that the peer's answers have as well. */
function flagsOf({ task, responseSchema, cases }: Subject): Set<string> {
  const told = [...(task?.examples ?? [])].flatMap(({ output }) => leavesOf(output));
  const answers = JSON.stringify([responseSchema, cases.map(({ response }) => response)]);
  const flags = told.flatMap(({ name, value }) => (typeof value === 'boolean' ? [name] : []));
  return new Set(flags.filter((name) => name !== '' && !answers.includes(JSON.stringify(name))));
}

const IN_CAPITALS = /^[A-Z][A-Z0-9_-]+$/;

/** Whether a sentence has a name in quotes. */
function isQuotedIn(sentence: string, name: string): boolean {
  const at = sentence.indexOf(name);
  return at > 0 && QUOTED.test(sentence[at - 1] as string);
}

/** The names in a text but for those of the peer itself, as in "when the desk does not answer": an article alone stands before these. */
function namesGivenIn(text: string, values: ReadonlySet<string>): string[] {
  return namesIn(text, values).filter((name) =>
    text
      .toLowerCase()
      .split(name.toLowerCase())
      .slice(0, -1)
      .some((before) => !ARTICLE.test(before)),
  );
}

/** The name that a condition follows which speaks of a silent peer and of nothing else: "'lost' if the depot does not answer". */
function namedUnderCondition(sentence: string, values: ReadonlySet<string>): string | undefined {
  for (const clause of sentence.split(CLAUSES)) {
    const silent = NO_ANSWER.exec(clause);
    const conditions = [...clause.slice(0, silent?.index ?? 0).matchAll(CONDITION)];
    const last = conditions.at(-1);
    if (silent === null || last === undefined) continue;
    const before = clause
      .slice(0, last.index)
      .trimEnd()
      .replace(/['"”’`」]$/u, '');
    const names = [...values].filter((value) => before.endsWith(value) && hasWord(before, value));
    const rest = clause.slice(last.index, silent.index);
    if (names.length > 0 && namesGivenIn(rest, values).length === 0)
      return names.sort((a, b) => b.length - a.length)[0];
  }
  return undefined;
}

/** What comes between a name and when it is told. */
const CONDITION =
  /(?<!\p{L})(?:if|when|where|in case|wenn|falls|lorsque|quand|si|cuando|quando|se|если|когда)(?!\p{L})/giu;

/** A text without the words for a silent peer: one of them may be a name elsewhere, as `нет` of `нет ответа`. */
function withoutPhrase(text: string): string {
  return text.replace(NO_ANSWER, ' ');
}

/** A text without the names in it: `failed` may be the name for a peer that is silent. */
function withoutNames(text: string, values: ReadonlySet<string>): string {
  return namesIn(text, values).reduce((rest, name) => rest.replaceAll(name, ' '), text);
}

function namesIn(text: string, values: ReadonlySet<string>): string[] {
  return [...values].filter((value) => hasWord(text, value));
}

/** The words that an output may say: the constants of its schema, and what the examples show that no input has. */
function valuesOf({ task }: Subject): Set<string> {
  const values = new Set<string>();
  const members = new Set<string>();
  const add = (value: Json): void => {
    if (
      typeof value === 'string' &&
      (value.length > 2 || /\p{Script=Han}{2}/u.test(value)) &&
      /^[\p{L}\p{N}_-]+$/u.test(value)
    )
      values.add(value);
  };
  const collect = (node: Json, depth: number): void => {
    if (depth > 30 || typeof node !== 'object' || node === null) return;
    if (isObject(node)) {
      for (const name of Object.keys(isObject(node.properties) ? node.properties : {})) members.add(name);
      for (const constant of [...(Array.isArray(node.enum) ? node.enum : []), node.const ?? null]) add(constant);
    }
    for (const child of Object.values(node)) collect(child, depth + 1);
  };
  collect(task?.outputSchema ?? null, 0);
  for (const { output } of task?.examples ?? []) for (const { value } of leavesOf(output)) add(value);
  const description = task?.description ?? '';
  for (const [, quoted] of description.matchAll(/['"“‘`]([\p{L}\p{N}_-]{3,60})['"”’`]/gu))
    if (!members.has(quoted ?? '')) add(quoted ?? null);
  // A single quote may be an apostrophe: it quotes no more than a word.
  for (const [, quoted] of description.matchAll(/["“「]([\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+){1,4})["”」]/gu))
    values.add(quoted ?? '');
  return values;
}

/** What need not be a word in order to be told: a truth value, nothing, zero. */
const TOLD = /\b(?:true|false|null|empty|zero|0|none)\b|(?<![\p{L}\p{N}.])[-−]\d|为空|空数组/iu;

/** Whether a sentence has whatever has no answer sent again, and leaves no doubt of it. */
function isSentAgain(sentence: string, how: NoAnswer): boolean {
  const isMeant = how === 'silent' ? NO_ANSWER.test(sentence) : CANNOT_BE_REACHED.test(sentence);
  const rest = withoutPhrase(sentence);
  return isMeant && RETRIES.test(rest) && !NEVER_REPEATED.test(rest) && !MAY_BE.test(rest);
}

/** By what it is left open, or denied, that something is done. */
const MAY_BE =
  /\b(?:may|might|can|could|should|up to|at most|unless|until|except|no|not|never|without|after|still|only|already|own|peer|whether|how|numbers?|counts?)\b|可以|最多|不|无|未|若仍|仍/i;

/** What is not got, whoever would tell it. */
const CANNOT_BE_HAD =
  /\b(?:cannot|can not|can't|could not|couldn't) be (?:had|got|obtained|fetched|read|retrieved|reached)\b/i;

/** What a peer has in an answer of its own about somebody else who is silent: rules about silence may mean that one. */
const PEER_TELLS =
  /silent|silence|offline|unreachable|no_?(?:answer|reply|response)|not_?(?:answer|respond)|unanswered|time_?d?_?out/i;

/** What is told all the same of something that ends early. */
const SO_FAR = /\b(?:so far|what (?:it|was|you) (?:got|gathered|had|have))\b/i;

/** What is done in words before the name that is reported. */
const GIVES_UP_TELLING = /\b(?:gives? up|aborts?)\b/gi;

/** Words by which an answer in part is told, as `GIVES_UP` has them. */
const PARTLY = /\b(?:partial\w*|so far|best[ -]effort|what (?:it|was|you) (?:got|gathered|had|have))\b/gi;

/** Members of an output that may tell of a failure. */
const FAILURE_MEMBER =
  /"[^"]*(?:err|problem|fail|fault|reason|message|status|state|why|note|ok|success|原因|错误|状态|fehler|grund|motivo|causa|причин|ошибк|理由|エラー)[^"]*":/i;

/** What names a member or a word that is told. */
const QUOTED = /["“”‘`「『«]/;

/** Who else may have no answer to something. */
const OTHERS = /\b(?:questions?|survey|quiz|phone|caller|user|customer|guest|candidate|respondent)\b/i;

/** Words by which it is asked again first. */
const AGAIN = /\b(?:retr(?:y|ies|ied)|again|once more)\b/i;

/** What a text ends in before somebody that is spoken of. */
const ARTICLE =
  /(?:^|[^\p{L}])(?:the|an?|our|its|this|that|de[rnms]|die|das|ein[er]?|l[ea]s?|une?|el|los|las|il|lo)\s$/iu;

const CLAUSES = /[,，、;；()（）]/;
