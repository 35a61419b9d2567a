import type { Case } from '../contract/agreement.ts';
import type { CaseReport, Difference } from '../contract/outcome.ts';
import type { Observation } from '../contract/trial.ts';
import { type Json, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { isSameTask } from './case-peer.ts';
import { needsProof } from './case-scenarios.ts';
import { looseDifferences, looseReplacements, malformedLoose, substitute } from './loose-places.ts';
import { type RunnableCase, runnableCases } from './runnable-cases.ts';
import type { Subject } from './subject.ts';

/** A case with its run from `caseScenarios`, and the second run if the case needs one. */
interface CaseRuns {
  one: RunnableCase;
  first: Observation;
  second: Observation | undefined;
}

/**
 * Assigns the observations of `caseScenarios(subject)`, in the same order, to the runnable cases. Throws a `RangeError`
 * if there are too few.
 */
export function runsOfCases(subject: Subject, observations: readonly Observation[]): CaseRuns[] {
  let next = 0;
  return runnableCases(subject).map((one) => {
    const first = observations[next++];
    const second = needsProof(one) ? observations[next++] : undefined;
    if (!first || (needsProof(one) && !second))
      throw new RangeError('Cannot judge cases: too few observations, wanted those of caseScenarios');
    return { one, first, second };
  });
}

/** Judges the observations of `caseScenarios(subject)`, in the same order: one report per runnable case. */
export function judgeCases(subject: Subject, observations: readonly Observation[]): CaseReport[] {
  return runsOfCases(subject, observations).map(({ one, first, second }) => {
    const differences = caseDifferences(subject, one, first);
    if (second && differences.length === 0) differences.push(...unproven(subject, one, first, second));
    return { testCase: one.testCase, passed: differences.length === 0, differences };
  });
}

/** The differences between a run and its case; empty if the run passes. */
export function caseDifferences(subject: Subject, one: RunnableCase, seen: Observation): Difference[] {
  if (seen.end !== 'returned' || seen.value === undefined) return [{ path: '', in: 'run', message: runMessage(seen) }];
  const place = subject.role === 'provider' ? 'response' : 'output';
  const sent = subject.role === 'requester' ? sentDifferences(subject, one, seen) : undefined;
  const output = sent ? substitute(one.output, sent.replacements) : one.output;
  const loose = subject.role === 'provider' ? one.loose : [];
  const differences = [
    ...looseDifferences(output, seen.value, loose),
    ...malformedLoose(output, seen.value, loose),
  ].map((found) => ({ ...found, in: place }) as Difference);
  const invalid = seen.issues.map(({ pointer, message, actual }) => ({
    path: pointer,
    in: place,
    message: `breaks its schema: ${message}`,
    ...(actual === undefined ? {} : { got: actual }),
  })) as Difference[];
  return [...(sent?.differences ?? []), ...differences, ...invalid];
}

function runMessage({ end, message, position }: Observation): string {
  const where = position ? ` at line ${position.line}: ${position.text}` : '';
  return `the run ended as "${end}"${message ? `: ${message}` : ''}${where}`;
}

/**
 * Requests that a run sent more often than its task's cases have them. Several cases with one request tell how often it
 * is sent.
 */
function sentTooOften({ cases, task }: Subject, one: RunnableCase, seen: Observation): Observation['sends'] {
  const conversation = cases.filter(({ testCase }) =>
    (task?.examples ?? []).some((example) => example.testCase === testCase && isSameTask(example, one)),
  );
  return seen.sends.filter(({ request }, index) => {
    const isAlike = (other: { request: Json }) => looseDifferences(request, other.request, one.loose).length === 0;
    const most = conversation.filter(isAlike).length;
    return most > 1 && seen.sends.slice(0, index).filter(isAlike).length >= most;
  });
}

/** Whether a request equals a case's, apart from loose places of that case or of the current one. */
function isRequestOf(subject: Subject, of: Case, one: RunnableCase, request: Json): boolean {
  const own = runnableCases(subject).find(({ testCase }) => testCase === of.testCase)?.loose ?? subject.loose;
  return looseDifferences(of.request, request, [...one.loose, ...own]).length === 0;
}

function sentDifferences(
  subject: Subject,
  one: RunnableCase,
  seen: Observation,
): { differences: Difference[]; replacements: { from: Json; to: Json }[] } {
  if (seen.sends.length === 0) {
    return {
      differences: [{ path: '', in: 'request', expected: one.case.request, message: 'nothing was sent' }],
      replacements: [],
    };
  }
  const compared = seen.sends.map((send) => ({
    send,
    differences: looseDifferences(one.case.request, send.request, one.loose),
  }));
  const matching = compared.find(({ differences }) => differences.length === 0);
  const nearest =
    matching ?? compared.reduce((best, next) => (next.differences.length < best.differences.length ? next : best));
  const strangers = compared.filter(
    ({ send }) =>
      send !== nearest.send && !subject.cases.some((other) => isRequestOf(subject, other, one, send.request)),
  );
  return {
    differences: [
      ...[...nearest.differences, ...malformedLoose(one.case.request, nearest.send.request, one.loose)].map(
        (found) => ({ ...found, in: 'request' }) as Difference,
      ),
      ...nearest.send.issues.map(
        ({ pointer, message }) =>
          ({ path: pointer, in: 'request', message: `breaks its schema: ${message}` }) as Difference,
      ),
      ...strangers.map(
        ({ send }) =>
          ({ path: '', in: 'request', got: send.request, message: 'a request that no case has' }) as Difference,
      ),
      ...sentTooOften(subject, one, seen).map(
        ({ request }) =>
          ({ path: '', in: 'request', got: request, message: 'sent more often than the cases have it' }) as Difference,
      ),
    ],
    replacements: looseReplacements(one.case.request, nearest.send.request, one.loose),
  };
}

/**
 * Differences where loose ids and times do not come from the context: they must change with another seed and clock, and
 * stay valid.
 */
function unproven(subject: Subject, one: RunnableCase, first: Observation, second: Observation): Difference[] {
  const again = caseDifferences(subject, one, second);
  const place = subject.role === 'provider' ? 'response' : 'request';
  const looseValue = (seen: Observation, pointer: string): Json | undefined => {
    if (subject.role === 'provider') return seen.value === undefined ? undefined : valueAt(seen.value, pointer);
    const send = seen.sends.find(({ request }) => looseDifferences(one.case.request, request, one.loose).length === 0);
    return send && valueAt(send.request, pointer);
  };
  const declared = new Set(subject.loose.map(({ pointer }) => pointer));
  const constant = one.loose.flatMap(({ pointer, as }) => {
    const isDeclared = declared.has(pointer);
    // An id that is only inferred to be loose may be derived from the task: nothing demands a fresh one.
    if (as === 'text' || (!isDeclared && as !== 'time')) return [];
    // The case has no value there, so none is made.
    const expected = valueAt(subject.role === 'provider' ? one.output : one.case.request, pointer);
    if (expected === null || expected === '' || (typeof expected === 'number' && expected <= 0)) return [];
    const got = looseValue(first, pointer);
    const then = looseValue(second, pointer);
    if (got === undefined || then === undefined || !equalJson(got, then)) return [];
    // A time derived from the task equals the case's.
    if (!isDeclared && equalJson(got, expected ?? null)) return [];
    if (as === 'id' && typeof got === 'string' && first.issuedIds.some((id) => got.includes(id))) return [];
    const source = as === 'id' ? 'context.newId()' : 'context.now()';
    return [
      {
        path: pointer,
        in: place,
        got,
        message: `does not come from ${source}: it stayed the same with another seed and clock`,
      } as Difference,
    ];
  });
  const invalid = again.filter(({ message }) => message?.startsWith('breaks its schema') === true);
  return [...constant, ...invalid];
}
