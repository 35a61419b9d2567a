import type { Json } from '../../kernel/json.ts';
import { FAILS, FAILURE, NO_ANSWER } from '../../lexicon/failing.ts';
import { constantsOf } from '../../schemas/constants-of.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { allSentencesOf, sentencesOf } from './documented-answers.ts';

/**
 * Whether an answer to a failure has a name that document, task or schema has, and no case shows where nothing had failed: however their
 * sentences were read, it may be the one that is meant.
 */
export function tellsUnshownName(
  { subject, cases }: Pick<CheckFacts, 'subject' | 'cases'>,
  { one, seen }: SeenCase,
  answer: Json,
): boolean {
  if (reportsFailure(answer) === false) return false;
  const { agreement, task, payload, responseSchema } = subject;
  const listed = [responseSchema, task?.outputSchema ?? null].flatMap((schema) => constantsOf(schema)).map(String);
  const isWell = ({ seen: { calls, sends } }: SeenCase) =>
    [...calls, ...sends].every((told) => !('error' in told) || told.error === undefined);
  const told = [
    one.input,
    ...seen.calls.map(({ output }) => output ?? null),
    ...seen.sends.map(({ response }) => response ?? null),
    ...cases.filter(isWell).map((known) => known.one.output),
  ];
  const known = new Set(told.flatMap((value) => namesIn(value, payload)));
  // Of a text that may be any, no word is a name.
  const free = subject.role === 'provider' ? one.loose.filter(({ as }) => as === 'text') : [];
  // What the peer alone may say, and nobody says of one that fails, is said by nobody.
  const ofPeer = subject.role === 'requester' ? constantsOf(responseSchema).map(String) : [];
  return namesIn(answer, payload, new Set(free.map(({ pointer }) => pointer))).some(
    (name) =>
      !known.has(name) &&
      !(ofPeer.includes(name) && !isOfFailing(subject, name)) &&
      !isOfWhatIsMissing(agreement, name) &&
      (listed.includes(name) || [agreement.text, task?.description ?? ''].some((text) => hasWord(text, name))),
  );
}

/** That there is nothing of the kind that was asked for. */
const NONE_SUCH =
  /\b(?:does not exist|there is no|no such|is (?:unknown|not known)|not found)\b|(?<!\p{L})(?:gibt es nicht|unbekannt|no hay ning[uú]n[oa]?|no existe|n['’]existe pas|inconnue?|não (?:há|existe))(?!\p{L})|不存在|未找到/iu;

/** Whether document or task have a name in a sentence about what fails or does not answer. */
function isOfFailing(subject: CheckFacts['subject'], name: string): boolean {
  return allSentencesOf(subject).some(
    (sentence) => hasWord(sentence, name) && (FAILS.test(sentence) || NO_ANSWER.test(sentence)),
  );
}

/** Names by which something asked for is not there. */
const NOT_THERE = /^(?:\p{Lu}+_)+(?:UNKNOWN|NOT_FOUND|UNBEKANNT)$|^(?:UNKNOWN|NO_SUCH)_\p{Lu}/u;

/** Whether a name, or each sentence that has it, says that what was asked for is not there, and no sentence has it for something that fails. */
function isOfWhatIsMissing(agreement: CheckFacts['subject']['agreement'], name: string): boolean {
  const own = sentencesOf(agreement).filter((sentence) => hasWord(sentence, name));
  if (!NOT_THERE.test(name) && !own.every((sentence) => NONE_SUCH.test(sentence))) return false;
  return own.length > 0 && !own.some((sentence) => FAILS.test(sentence) || FAILURE.test(sentence));
}

/** What may be a name in an answer: a text, a code; of messages that are texts their words in capitals and digits. */
function namesIn(value: Json, payload: 'json' | 'text', free: ReadonlySet<string> = new Set()): string[] {
  return leavesOf(value).flatMap((leaf) => {
    if (free.has(leaf.pointer)) return [];
    if (typeof leaf.value === 'number') return CODE.test(leaf.name) ? [String(leaf.value)] : [];
    if (typeof leaf.value !== 'string') return [];
    if (payload === 'text')
      return leaf.value.match(/(?<![\p{L}\p{N}_-])[\p{Lu}0-9][\p{Lu}0-9_-]{2,}(?![\p{L}\p{N}_-])/gu) ?? [];
    return leaf.value.length > 1 && leaf.value.length <= MAX_NAME ? [leaf.value] : [];
  });
}

/** Members whose numbers are names; other numbers count something. */
const CODE = /code|status|error|errno|result|码|状态/i;

/** Longest text that is taken for a name, in UTF-16 units. */
const MAX_NAME = 60;
