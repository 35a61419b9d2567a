import type { Case } from '../contract/agreement.ts';
import type { CaseReport, Difference } from '../contract/outcome.ts';
import type { Observation, Peer, Scenario } from '../contract/trial.ts';
import { type Json, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { type LoosePlace, looseDifferences, looseReplacements, malformedLoose, substitute } from './loose-places.ts';
import { DERIVED_NAME } from './member-names.ts';
import { hasWord, isEpoch, isIsoTime, leavesOf, tokensOf } from './scalar-kinds.ts';
import { defaultTrialNowMs, type Subject } from './subject.ts';

/** A case with what the candidate is given for it and what must come back. */
export interface RunnableCase {
  testCase: number;
  /** The case's request (provider) or the task example's input (requester). */
  input: Json;
  /** The case's response (provider) or the task example's output (requester). */
  output: Json;
  case: Case;
  /** Loose places: in the response (provider) or the request (requester). */
  loose: LoosePlace[];
}

const otherSeed = 'another-seed';

/** Far enough to change every part of a time, date included. */
const otherNowMs = 33 * 86_400_000 + 3_661_007;

/** The cases that can be run: all of a provider; of a requester those that the task has an example for. */
export function runnableCases(subject: Subject): readonly RunnableCase[] {
  const cases = runnable.get(subject) ?? runnableOf(subject);
  runnable.set(subject, cases);
  return cases;
}

/** Every scenario of a subject asks for its cases. */
const runnable = new WeakMap<Subject, RunnableCase[]>();

function runnableOf(subject: Subject): RunnableCase[] {
  if (subject.role === 'provider') {
    return subject.cases.map((one) => ({
      testCase: one.testCase,
      input: one.request,
      output: one.response,
      case: one,
      loose: subject.loose.filter(({ pointer }) => valueAt(one.response, pointer) !== undefined),
    }));
  }
  const own = ownLoosePlaces(subject);
  return subject.cases.flatMap((one) => {
    const example = subject.task?.examples?.find(({ testCase }) => testCase === one.testCase);
    if (!example) return [];
    const loose = [...subject.loose, ...own.filter(({ testCase }) => testCase === one.testCase)]
      .filter(
        (place: LoosePlace, index, all: readonly LoosePlace[]) =>
          all.findIndex((other) => other.pointer === place.pointer && other.word === place.word) === index,
      )
      .filter(({ pointer }) => valueAt(one.request, pointer) !== undefined)
      .map(({ testCase: _, ...place }: LoosePlace & { testCase?: number }) => place);
    return [{ testCase: one.testCase, input: example.input, output: example.output, case: one, loose }];
  });
}

/** The numbers of the cases that cannot be run, for want of a task example: a requester's alone. */
export function unrunnableCases(subject: Subject): number[] {
  const runnable = new Set(runnableCases(subject).map(({ testCase }) => testCase));
  return subject.cases.map(({ testCase }) => testCase).filter((testCase) => !runnable.has(testCase));
}

/**
 * Places in a requester's requests that count as loose by themselves: ids and times that neither the task example, the tools, the
 * document nor what the peer answers to another request can yield. A value that all cases share is taken for a constant of the protocol.
 */
export function ownLoosePlaces(subject: Subject): (LoosePlace & { testCase: number })[] {
  if (subject.role !== 'requester') return [];
  const known = subject.agreement.text;
  const outputs = JSON.stringify(subject.tools.map((tool) => [tool.examples ?? [], tool.otherwise ?? null]));
  const told = new Set(subject.cases.flatMap(toldIn));
  return subject.cases.flatMap((one) => {
    const example = subject.task?.examples?.find(({ testCase }) => testCase === one.testCase);
    if (!example) return [];
    const input = JSON.stringify(example.input);
    // Once for the case, however many values its request has.
    const given = (input + outputs).replace(/[^\p{L}\p{N}]/gu, '');
    const back = new Set<Json>(
      typeof one.response === 'string' ? tokensOf(one.response) : leavesOf(one.response).map(({ value }) => value),
    );
    const isEchoed = (value: string) => back.has(value) && isOwnId(value, given);
    if (typeof one.request === 'string') {
      const isShared = (word: string) =>
        subject.cases.length > 1 && subject.cases.every(({ request }) => hasWord(String(request), word));
      return tokensOf(one.request).flatMap((text, word) =>
        isEchoed(text) && !told.has(text) && !isShared(text) && !hasWord(known, text)
          ? [{ testCase: one.testCase, pointer: '', as: 'id' as const, word }]
          : [],
      );
    }
    return leavesOf(one.request).flatMap(({ pointer, name, value }) => {
      if (typeof value !== 'string' && typeof value !== 'number') return [];
      const isId = typeof value === 'string' && !DERIVED_NAME.test(name) && isEchoed(value);
      const as = looseKind(name, value) ?? (isId ? 'id' : undefined);
      const text = String(value);
      if (!as || told.has(value) || hasWord(known, text) || hasWord(input, text) || hasWord(outputs, text)) return [];
      const shared =
        subject.cases.length > 1 && subject.cases.every((other) => valueAt(other.request, pointer) === value);
      return shared || subject.loose.some((given) => given.pointer === pointer)
        ? []
        : [{ testCase: one.testCase, pointer, as }];
    });
  });
}

/** Whether a text is an id that the asking side makes: letters and digits, of which the latter stand in nothing that it was given, here without its marks. */
function isOwnId(text: string, given: string): boolean {
  if (text.length < 4 || !/^[\w.@+-]+$/.test(text) || !/[a-z]/i.test(text) || IS_AMOUNT.test(text)) return false;
  // What is put together out of what was given, or written in another form, is worked out.
  return !isIsoTime(text) && (text.match(/\d+/g) ?? []).some((number) => !given.includes(number));
}

/** A number with its unit. */
const IS_AMOUNT = /^\d+(?:[.,]\d+)?[a-z]{1,3}$/i;

/** What the peer's answer in a case tells that its request has not: values to send back later. */
function toldIn({ request, response }: Case): Json[] {
  const sent = new Set(leavesOf(request).map(({ value }): Json => value));
  if (typeof request === 'string' && typeof response === 'string') {
    const asked = new Set(tokensOf(request));
    return tokensOf(response).filter((word) => !asked.has(word));
  }
  return leavesOf(response).flatMap(({ value }) => (sent.has(value) ? [] : [value]));
}

function looseKind(name: string, value: string | number): 'time' | 'id' | undefined {
  if (typeof value === 'number') return isEpoch(value) ? 'time' : undefined;
  if (isIsoTime(value)) return 'time';
  return /\d/.test(value) && !/\s/.test(value) && (NAMES_AN_ID.test(name) || ENDS_IN_NUMBER.test(name))
    ? 'id'
    : undefined;
}

const NAMES_AN_ID =
  /id$|uuid|guid|nonce|correlation|trace|key$|ref|token|session|n(?:um(?:mer|ber|ero|éro)|úmero)$|kennung$|标识|编号|序号|流水|单号/i;

/** As in `orderNo` and `auftrags_nr`, but not in `piano`. */
const ENDS_IN_NUMBER = /(?:\p{Ll}N|_n)(?:o|r)$/u;

/** The runs that the negotiated cases ask for, in an order that `judgeCases` knows. */
export function caseScenarios(subject: Subject): Scenario[] {
  return runnableCases(subject).flatMap((one) => {
    const first = caseScenario(subject, one);
    if (!needsProof(one)) return [first];
    return [first, atAnotherTime(first)];
  });
}

/** The same run with another seed and clock: what comes out otherwise does not follow from what went in. */
export function atAnotherTime(scenario: Scenario): Scenario {
  return { ...scenario, seed: `${scenario.seed}-${otherSeed}`, nowMs: scenario.nowMs + otherNowMs };
}

/** The run of one case. */
export function caseScenario(subject: Subject, one: RunnableCase): Scenario {
  return {
    input: one.input,
    tools: subject.tools as Scenario['tools'],
    ...(subject.role === 'requester' ? { peer: casePeer(runnableCases(subject), subject.cases, one) } : {}),
    seed: `case-${one.testCase}`,
    nowMs: subject.nowMs ?? defaultTrialNowMs,
  };
}

/** A case, its run as `caseScenarios` has it, and the second one of a case that needs it. */
interface CaseRuns {
  one: RunnableCase;
  first: Observation;
  second: Observation | undefined;
}

/** Puts the observations of `caseScenarios(subject)`, in the same order, to the cases that can be run. Throws where there are too few. */
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

/** Judges the observations of `caseScenarios(subject)`, in the same order: one report for each case that can be run. */
export function judgeCases(subject: Subject, observations: readonly Observation[]): CaseReport[] {
  return runsOfCases(subject, observations).map(({ one, first, second }) => {
    const differences = caseDifferences(subject, one, first);
    if (second && differences.length === 0) differences.push(...unproven(subject, one, first, second));
    return { testCase: one.testCase, passed: differences.length === 0, differences };
  });
}

/** Where one run of a case differs from what the case wants; empty where it keeps to it. */
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
 * Answers a requester's sends from the cases, the one at hand first; loose values of a request recur in its response as they were sent. Where
 * one task has several cases with one request, as of a peer that is asked until it is done, each time it is sent the next of them answers; so do cases
 * for which the task has no example, but for one whose request is the very same.
 */
export function casePeer(runnable: readonly RunnableCase[], cases: readonly Case[], own: RunnableCase): Peer {
  const others = cases.filter(({ testCase }) => testCase !== own.testCase);
  const looseOf = (testCase: number) => runnable.find((one) => one.testCase === testCase)?.loose ?? own.loose;
  const isSent = (request: Json) => (one: Case) =>
    looseDifferences(one.request, request, looseOf(one.testCase)).length === 0;
  const conversation = runnable.filter((one) => isSameTask(one, own)).map((one) => one.case);
  return (request, nth, before = []) => {
    const inTurn = (alike: readonly Case[]): Case | undefined => {
      const [first] = alike;
      const times = first && alike.length > 1 ? before.filter((sent) => isSent(sent)(first)).length : 0;
      return alike[Math.min(times, alike.length - 1)];
    };
    const ofTask = conversation.filter(isSent(request));
    const match =
      ofTask.length > 1
        ? inTurn(ofTask)
        : (ofTask[0] ??
          others.find((one) => equalJson(one.request, request)) ??
          inTurn(others.filter(isSent(request))));
    // A wrong first request is answered all the same: what comes of it is worth knowing for a repair.
    if (!match && nth > 1) return { error: { code: 'FAILED', message: '' }, unanswered: true };
    const answering = match ?? own.case;
    return {
      response: substitute(
        answering.response,
        looseReplacements(answering.request, request, looseOf(answering.testCase)),
      ),
    };
  };
}

/** Whether two cases are messages of one task, in one run. */
function isSameTask(
  one: Pick<RunnableCase, 'input' | 'output'>,
  other: Pick<RunnableCase, 'input' | 'output'>,
): boolean {
  return equalJson(one.input, other.input) && equalJson(one.output, other.output);
}

/** Requests that a run sent more often than its task has cases, where it has several: they say how often it is sent. */
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

/** Whether a request is that of a case, but for what is loose in that case or in the one at hand. */
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

function needsProof(one: RunnableCase): boolean {
  return one.loose.some(({ as }) => as !== 'text');
}

/** Loose ids and times must come from the context: with another seed and clock they change, and stay valid. */
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
    // An id that is loose by itself may also be worked out from the task: nothing says that it must be fresh.
    if (as === 'text' || (!isDeclared && as !== 'time')) return [];
    // In an answer that has none, nothing is made.
    const expected = valueAt(subject.role === 'provider' ? one.output : one.case.request, pointer);
    if (expected === null || expected === '' || (typeof expected === 'number' && expected <= 0)) return [];
    const got = looseValue(first, pointer);
    const then = looseValue(second, pointer);
    if (got === undefined || then === undefined || !equalJson(got, then)) return [];
    // A time that is worked out from the task is that of the case.
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
