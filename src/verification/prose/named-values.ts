import type { Json } from '../../kernel/json.ts';
import { ANSWERED, CODE_WORD, TOLD_FOR } from '../../lexicon/exchanging.ts';
import { RETRIES, TRIED_AGAIN } from '../../lexicon/failing.ts';
import { constantsOf } from '../../schemas/constants-of.ts';
import { hasWord } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { taskSentencesOf } from './documented-answers.ts';
import { meaningsIn } from './unanswered-peer.ts';

/** A code or word of the peer's answers, and the name by which the task has it told. */
export interface NamedValue {
  value: string;
  name: string;
  /** Whether the task calls the value a code or status, so that it can be nothing else. */
  isCalledCode: boolean;
  /** Whether a clause says so, which may speak of one of several messages alone. */
  isClause: boolean;
  sentence: string;
}

/**
 * Reads which of these values the task has told by which name: in brackets behind the name with nothing else in its part of them, or behind
 * the name with nothing between but what says that this is when it is told. A value with two names has none.
 */
export function namedValuesOf(subject: Subject, values: ReadonlySet<string>): NamedValue[] {
  const outputs = subject.task?.outputSchema ?? null;
  const names = new Set([...constantsIn(outputs)].filter((name) => !values.has(name)));
  const found = [...taskSentencesOf(subject), ...meaningsIn(outputs)].flatMap((sentence) => [
    ...inBrackets(sentence, names, values),
    ...behindNames(sentence, names, values),
  ]);
  return found.filter(
    ({ value, name }, index) =>
      found.every((other) => other.value !== value || other.name === name) &&
      found.findIndex((other) => other.value === value) === index,
  );
}

const BRACKETED = /['"“‘`]?([\p{L}\p{N}_-]+)['"”’`]?\s*[（(]([^()（）]*)[)）]/gu;

/** `OFFLINE (503, no answer)`. A part that says more of a value than that it is one has conditions: nothing is read then. */
function inBrackets(sentence: string, names: ReadonlySet<string>, values: ReadonlySet<string>): NamedValue[] {
  return [...sentence.matchAll(BRACKETED)].flatMap(([, name = '', meaning = '']) => {
    if (!names.has(name) || isLimited(meaning)) return [];
    const read = meaning.split(PARTS).flatMap((part) => {
      const held = valuesIn(part, values);
      return held.map((value) => ({
        value,
        name,
        isCalledCode: CODE_WORD.test(part),
        isClause: false,
        sentence,
        isPlain: held.length === 1 && isBare(part.replace(value, ' '), CODE_WORD),
      }));
    });
    return read.every(({ isPlain }) => isPlain) ? read.map(({ isPlain, ...one }) => one) : [];
  });
}

/** `"rate" when the code is 429`, at the end of its clause or before the next name. */
function behindNames(sentence: string, names: ReadonlySet<string>, values: ReadonlySet<string>): NamedValue[] {
  if (isLimited(sentence) || DENIES.test(sentence)) return [];
  const tokens = [...sentence.matchAll(/[\p{L}\p{N}_-]+/gu)].map(({ 0: word, index }) => ({ word, index }));
  return tokens.flatMap(({ word: name, index }, at) => {
    if (!names.has(name)) return [];
    const rest = tokens.slice(at + 1);
    const held = rest.findIndex(({ word }) => values.has(word) || names.has(word));
    const value = rest[held];
    if (value === undefined || held === 0 || !values.has(value.word)) return [];
    const between = sentence.slice(index + name.length, value.index).replace(/^['"”’`]/u, '');
    const isTold = /^[\p{L}\s'"“‘`]+$/u.test(between) && isBare(isBareOf(between, CODE_WORD), TOLD_FOR);
    const after = sentence.slice(value.index + value.word.length).replace(/^['"”’`]/u, '');
    const isEnd = /^\s*(?:$|[.;；。])/u.test(after);
    const [next] =
      /^[,，、]?\s*(?:(?:and|or|und|oder|et|ou|y|e|o|и|或|或者)\s+)?['"“‘`]?[\p{L}\p{N}_-]+/u.exec(after) ?? [];
    const isNext = next !== undefined && names.has(/[\p{L}\p{N}_-]+$/u.exec(next)?.[0] ?? '');
    return isTold && (isEnd || isNext)
      ? [{ value: value.word, name, isCalledCode: isOfCode(between), isClause: true, sentence }]
      : [];
  });
}

/** Whether what stands before a value can be said of nothing but an answer. */
function isOfCode(between: string): boolean {
  return CODE_WORD.test(between) || ANSWERED.test(between);
}

/** Parts of a bracket, of which each is a meaning of its own. */
const PARTS = /[,，、;；/]|\s(?:or|oder|ou|o|или|u|of)\s|或者?/u;

function valuesIn(text: string, values: ReadonlySet<string>): string[] {
  return [...values].filter((value) => hasWord(text, value));
}

/** What is left of a text without the phrases of a table. */
function isBareOf(text: string, table: RegExp): string {
  return text.replace(new RegExp(table.source, `${table.flags}g`), ' ');
}

/** Whether a text has nothing but phrases of a table, and marks. */
function isBare(text: string, table: RegExp): boolean {
  return !/[\p{L}\p{N}]/u.test(isBareOf(text, table));
}

/** Words by which more than the value may decide. */
const LIMITS =
  /(?<!\p{L})(?:unless|only|except|but|first|second|last|times|twice|also|may|can|nur|außer|sauf|salvo|solo|только)(?!\p{L})|除|只/iu;

/** Words that deny something: in brackets, another meaning of the name, as in `(503, no answer)`. */
const DENIES = /(?<!\p{L})(?:not|never|no|nicht|kein\p{L}*|pas|não|non|не)(?!\p{L})|不/iu;

/** Whether a sentence leaves nothing but the answer to decide. */
export function isUnconditional(sentence: string): boolean {
  return !isLimited(sentence) && !DENIES.test(sentence) && !CONDITIONS.test(sentence);
}

/** Words for conditions, and for what comes of all else. */
const CONDITIONS =
  /(?<!\p{L})(?:if|else|otherwise|when|where|for|other|wenn|falls|sonst|bei|andere\p{L}*|si|sinon|sino|cuando|quand|quando|se|autres?|otr\p{L}*|outr\p{L}*|если|иначе|при|друг\p{L}*)(?!\p{L})|如果|若|当|时|否则|其他|其它|場合|他/iu;

/** Whether a text has words by which more than the answer may decide, or by which it is asked again. */
export function isLimited(text: string): boolean {
  return LIMITS.test(text) || RETRIES.test(text) || TRIED_AGAIN.test(text);
}

/** The words that a schema lists. */
function constantsIn(schema: Json): Set<string> {
  return new Set(
    constantsOf(schema)
      .filter((one) => typeof one === 'string')
      .filter(({ length }) => length > 1),
  );
}
