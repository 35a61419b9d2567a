import type { Observation } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import type { CheckFacts, Finding } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import { leavesOf } from '../scalar-kinds.ts';

/** Requests that are needed as proof, and of these the ones that share nothing with the stale value. */
const [minRuns, minStrange] = [8, 3];

/** An id or number of several digits. */
const IS_DATA = /\d{3}|^(?=.*\d)\S{6,}$/;

interface Run {
  input: Json;
  seen: Observation;
}

/** A case's answer that comes back for all requests that the schema allows. */
export function staleAnswer(facts: CheckFacts, runs: readonly Run[]): Finding | undefined {
  const answered = runs.filter(({ seen }) => seen.value !== undefined && seen.issues.length === 0);
  return answered.length < minRuns ? undefined : (staleValue(facts, answered) ?? staleText(facts, answered));
}

/**
 * A value that the agreement does not have, and that comes back for requests which neither have it nor anything it
 * could be computed from.
 */
function staleValue({ subject, cases, vocabulary }: CheckFacts, runs: readonly Run[]): Finding | undefined {
  const known = JSON.stringify([subject.agreement.text, subject.tools as unknown as Json]);
  for (const { one } of cases) {
    if (reportsFailure(one.output) === true) continue;
    const own = JSON.stringify(one.input);
    const loose = new Set(one.loose.map(({ pointer }) => pointer));
    for (const { pointer, value } of leavesOf(one.output)) {
      const text = String(value);
      const isEcho = own.includes(text);
      // A frame is a whole message, not an id.
      if (pointer === '' || !IS_DATA.test(text) || known.includes(text) || loose.has(pointer)) continue;
      if (!isEcho && (typeof value !== 'string' || vocabulary.hasText(text))) continue;
      // A value computed from another part of the request varies with it.
      if (!runs.every(({ seen }) => valueAt(seen.value ?? null, pointer) === value)) continue;
      const strange = runs.filter(({ input }) =>
        isEcho ? !JSON.stringify(input).includes(text) : sharesNothing(one.input, input),
      );
      const [first] = strange;
      if (first === undefined || strange.length < minStrange) continue;
      const message = `${strange.length} requests that do not contain it are answered with ${JSON.stringify(value)} of case ${one.testCase}`;
      return factOf('generated-requests/value-of-a-case', message, first);
    }
  }
  return undefined;
}

/** Whether two requests share no value other than booleans and punctuation. */
function sharesNothing(a: Json, b: Json): boolean {
  const known = new Set(leavesOf(a).map(({ value }) => String(value)));
  return !leavesOf(b).some(({ value }) => String(value).length > 1 && known.has(String(value)));
}

/** A text of a case, with numbers of its own, that answers all texts although another case has another one. */
function staleText(facts: CheckFacts, runs: readonly Run[]): Finding | undefined {
  const { subject, cases } = facts;
  const [first] = runs;
  const value = first?.seen.value;
  if (first === undefined || typeof value !== 'string' || subject.tools.length > 0) return undefined;
  if (runs.some(({ seen }) => seen.value !== value) || reportsFailure(value) === true) return undefined;
  const own = cases.find(({ seen }) => seen.value === value)?.one;
  if (own === undefined || cases.every(({ seen }) => seen.value === value) || mayBeOneRefusal(facts, runs))
    return undefined;
  const untold = new Set(
    numbersOf(value).filter((digits) => runs.some(({ input }) => !numbersOf(String(input)).includes(digits))),
  );
  if (untold.size < 2) return undefined;
  const message = `${runs.length} different texts are all answered with ${JSON.stringify(value.slice(0, 80))} of case ${own.testCase}`;
  return factOf('generated-requests/text-of-a-case', message, first);
}

function numbersOf(text: string): string[] {
  return text.match(/\d+(?:\.\d+)?/g) ?? [];
}

function factOf(rule: Finding['rule'], message: string, { input, seen }: Run): Finding {
  return { rule, message: message.slice(0, 500), input, ...(seen.value === undefined ? {} : { got: seen.value }) };
}
