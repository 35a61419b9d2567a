import { isObject, type Json } from '../kernel/json.ts';
import { CANNOT_BE_REACHED, GIVES_UP, NO_ANSWER } from '../lexicon/failing.ts';
import { taskSentencesOf } from './documented-answers.ts';
import { hasWord, leavesOf } from './scalar-kinds.ts';
import type { Subject } from './subject.ts';

/** What the task of a requester says of a peer that gives no answer. */
export interface UnansweredPeer {
  /** Whether it says what is told then. */
  isTold: boolean;
  /** The names that are told then; empty where none can be made out. */
  names: string[];
  /** Values of requests in what it says: it may mean these messages alone, as `SUBMIT` in "no answer to SUBMIT". */
  messages: string[];
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
  const sentences = taskSentencesOf(subject);
  if (sentences.some((sentence) => GIVES_UP.test(sentence))) return { isTold: false, names: [], messages: [] };
  const values = valuesOf(subject);
  const isMeant = (clause: string) => how === 'silent' || CANNOT_BE_REACHED.test(withoutNames(clause, values));
  const told = sentences.filter(
    (sentence) =>
      sentence.split(CLAUSES).some((clause) => NO_ANSWER.test(clause) && !OTHERS.test(clause) && isMeant(clause)) &&
      !AGAIN.test(sentence) &&
      (TOLD.test(sentence) || namesIn(sentence, values).length > 0),
  );
  const asked = new Set(subject.cases.flatMap(({ request }) => leavesOf(request).map(({ value }) => value)));
  return {
    isTold: told.length > 0,
    names: [...new Set(told.flatMap((sentence) => namesFor(sentence, values)))],
    messages: [...asked].filter(
      (value) => typeof value === 'string' && value.length > 2 && told.some((sentence) => hasWord(sentence, value)),
    ) as string[],
  };
}

function namesFor(sentence: string, values: ReadonlySet<string>): string[] {
  const explained = [...sentence.matchAll(/['"“‘`]?([\p{L}\p{N}_-]+)['"”’`]?\s*[（(]([^()（）]*)[)）]/gu)].flatMap(
    ([, name, meaning]) => (name !== undefined && values.has(name) ? [{ name, meaning: meaning ?? '' }] : []),
  );
  if (explained.length > 0) return explained.flatMap(({ name, meaning }) => (NO_ANSWER.test(meaning) ? [name] : []));
  const own = sentence
    .split(CLAUSES)
    .filter((clause) => NO_ANSWER.test(clause))
    .flatMap((clause) => namesGivenIn(withoutPhrase(clause), values));
  const all = own.length > 0 ? own : namesGivenIn(withoutPhrase(sentence), values);
  return all.length === 1 ? all : [];
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
  for (const [, quoted] of (task?.description ?? '').matchAll(/['"“‘`]([\p{L}\p{N}_-]{3,60})['"”’`]/gu))
    if (!members.has(quoted ?? '')) add(quoted ?? null);
  return values;
}

/** What need not be a word in order to be told: a truth value, nothing, zero. */
const TOLD = /\b(?:true|false|null|empty|zero|0|none)\b|为空|空数组/iu;

/** Who else may have no answer to something. */
const OTHERS = /\b(?:questions?|survey|quiz|phone|caller|user|customer|guest|candidate|respondent)\b/i;

/** Words by which it is asked again first. */
const AGAIN = /\b(?:retr(?:y|ies|ied)|again|once more)\b/i;

/** What a text ends in before somebody that is spoken of. */
const ARTICLE =
  /(?:^|[^\p{L}])(?:the|an?|our|its|this|that|de[rnms]|die|das|ein[er]?|l[ea]s?|une?|el|los|las|il|lo)\s$/iu;

const CLAUSES = /[,，、;；()（）]/;
