import type {
  Assertion,
  CallExpectation,
  Expectation,
  Forbidden,
  OrderExpectation,
  SendExpectation,
} from '../contract/reading.ts';
import type { Observation } from '../contract/trial.ts';
import { type Json, valueAt } from '../kernel/json.ts';
import { isReadOnly, type Subject } from '../verification/subject.ts';
import { differenceOfRuns } from './alike.ts';
import { allowanceOf, allowanceOfSends } from './allowance.ts';
import { type Allowance, assertionFault, isSame, satisfiesAll } from './assertions.ts';
import { revealedIn } from './revealed-in.ts';
import type { WorldRun } from './world.ts';

/** One difference between a run and its derived case. */
export interface Breach {
  place: 'answer' | 'calls' | 'sends' | 'order' | 'never' | 'alike' | 'end';
  /** JSON pointer into the answer, the input of the call or the request. */
  at?: string;
  /** For calls and requests: whether their number or their content is wrong. */
  of?: 'count' | 'input';
  /** The tool that is called, or should be. */
  tool?: string;
  /** For content: which calls or requests are meant, if not all are. */
  nth?: number;
  when?: Assertion[];
  /** The failed assertion or expectation of the derived case. */
  broken: Json;
  /** What was found and what was wanted, in one sentence. */
  message: string;
  got?: Json;
}

/**
 * Whether a run proves nothing, because the host refused an answer of a tool or the peer, or because the candidate was
 * not run.
 */
export function isVoid({ seen }: Pick<WorldRun, 'seen'>): boolean {
  return (
    seen.end === 'refused' ||
    seen.calls.some(({ invalid }) => invalid === 'output') ||
    seen.sends.some(({ error, issues }) => error?.code === 'INVALID' && issues.length === 0)
  );
}

/** The differences between a run and its derived case; empty if there are none. */
export function breachesOf(run: WorldRun, subject: Subject): Breach[] {
  if (isVoid(run)) return [];
  const { expect, quote } = run.world.entry;
  const breaches = breachesIn(expect, run, subject, quote);
  const { calls, sends } = run.seen;
  const isWhole = [...calls, ...sends].every(({ unanswered }) => unanswered !== true);
  return isWhole ? breaches : breaches.filter((one) => isBeforeUnanswered(one, run));
}

/** Whether a breach happened before the first call or request that had no scripted answer. */
function isBeforeUnanswered({ place, of, tool, at = '', got }: Breach, { seen }: WorldRun): boolean {
  if (place === 'never') return true;
  if (of !== 'input') return false;
  const isOfCalls = place === 'calls';
  const all = isOfCalls ? seen.calls : seen.sends;
  const inputs = isOfCalls
    ? seen.calls.map((one) => (one.tool === tool ? one.input : undefined))
    : seen.sends.map(({ request }) => request);
  const first = all.findIndex(({ unanswered }) => unanswered === true);
  const before = first < 0 ? inputs : inputs.slice(0, first + 1);
  return before.some((input) => input !== undefined && isSame(valueAt(input, at), got));
}

function breachesIn(expect: Expectation, run: WorldRun, subject: Subject, quote: string): Breach[] {
  const { seen } = run;
  const isReturned = seen.end === 'returned' && seen.value !== undefined;
  const ended = isReturned || (expect.end === 'any' && seen.end === 'threw') ? [] : [endBreach(seen)];
  const answer =
    isReturned && expect.answer !== undefined
      ? answerBreaches(expect.answer, seen.value as Json, allowanceOf(run))
      : [];
  const calls = (expect.calls ?? []).flatMap((one) => callBreaches(one, seen, subject, quote));
  const sends = (expect.sends ?? []).flatMap((one) => sendBreaches(one, run));
  return [
    ...ended,
    ...answer,
    ...calls,
    ...sends,
    ...(expect.order ?? []).flatMap((one) => orderBreaches(one, seen)),
    ...(expect.never ?? []).flatMap((one) => forbiddenBreaches(one, seen)),
    ...(expect.alike === undefined || !isReturned ? [] : alikeBreaches(expect.alike, run)),
    ...(expect.anyOf === undefined ? [] : anyBreaches(expect.anyOf, run, subject, quote)),
  ];
}

function endBreach({ end, message }: Observation): Breach {
  const reason = message === undefined ? '' : ` (${message.slice(0, 200)})`;
  return { place: 'end', broken: 'returned', message: `the run ended as "${end}"${reason}, wanted an answer` };
}

function answerBreaches(assertions: readonly Assertion[], value: Json, allowance: Allowance): Breach[] {
  return assertions.flatMap((assertion) => {
    const fault = assertionFault(assertion, value, allowance);
    if (fault === undefined) return [];
    const { at = '' } = assertion;
    return [{ place: 'answer' as const, at, broken: assertion as Json, ...mismatch(value, at, 'the answer', fault) }];
  });
}

function mismatch(value: Json, at: string, of: string, wanted: string): { message: string; got?: Json } {
  const got = valueAt(value, at);
  const place = at === '' ? of : `"${at}" of ${of}`;
  const what = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 300);
  return { message: `found ${what} at ${place}, ${wanted}`, ...(got === undefined ? {} : { got }) };
}

function callBreaches(expected: CallExpectation, { calls }: Observation, subject: Subject, quote: string): Breach[] {
  const { tool } = expected;
  const matching = calls.filter((one) => one.tool === tool && satisfiesAll(expected.when ?? [], one.input));
  // A handler may call a read-only tool as often as it likes, unless the sentence names the tool.
  const isBounded = !isReadOnly(subject, tool) || quote.includes(tool);
  return countBreaches(expected, matching.length, `${tool} is called`, isBounded)
    .map((one): Breach => ({ place: 'calls', tool, broken: expected as unknown as Json, ...one }))
    .concat(
      inputBreaches(
        expected,
        matching.map(({ input }) => input),
        `the input of ${tool}`,
      ).map((one) => ({ ...one, place: 'calls', tool })),
    );
}

function sendBreaches(expected: SendExpectation, run: WorldRun): Breach[] {
  const matching = run.seen.sends.map(({ request }) => request).filter((one) => satisfiesAll(expected.when ?? [], one));
  return countBreaches(expected, matching.length, 'a request is sent', true)
    .map((one): Breach => ({ place: 'sends', broken: expected as Json, ...one }))
    .concat(
      inputBreaches(expected, matching, 'the request', allowanceOfSends(run)).map((one) => ({
        ...one,
        place: 'sends',
      })),
    );
}

function countBreaches(
  { times, atMost = times, atLeast = times }: SendExpectation,
  count: number,
  what: string,
  isBounded: boolean,
): { of: 'count'; message: string; got: Json }[] {
  const tooMany = atMost !== undefined && count > atMost && (isBounded || atMost === 0);
  if (!tooMany && !(atLeast !== undefined && count < atLeast)) return [];
  const wanted = times ?? (tooMany ? `at most ${atMost}` : `at least ${atLeast}`);
  return [{ of: 'count', message: `${what} ${count} times, wanted ${wanted}`, got: count }];
}

function inputBreaches(
  { input, nth, when }: SendExpectation,
  inputs: readonly Json[],
  of: string,
  allowance?: Allowance,
): Omit<Breach, 'place'>[] {
  const judged = nth === undefined ? inputs : inputs.slice(nth - 1, nth);
  return judged.flatMap((one) =>
    (input ?? []).flatMap((assertion) => {
      const fault = assertionFault(assertion, one, allowance);
      if (fault === undefined) return [];
      const { at = '' } = assertion;
      const which = { ...(nth === undefined ? {} : { nth }), ...(when === undefined ? {} : { when }) };
      return [{ of: 'input' as const, at, ...which, broken: assertion as Json, ...mismatch(one, at, of, fault) }];
    }),
  );
}

function orderBreaches(expected: OrderExpectation, { order }: Observation): Breach[] {
  const names = order.map((name) => name ?? 'send');
  const breach = (message: string): Breach[] => [{ place: 'order', broken: expected as unknown as Json, message }];
  if (!Array.isArray(expected)) {
    const at = names.indexOf(expected.last);
    const next = names.slice(at + 1).find((name) => name !== expected.last);
    return at >= 0 && next !== undefined ? breach(`${next} comes after ${expected.last}, wanted nothing after it`) : [];
  }
  const [first, second] = expected;
  const at = names.indexOf(second);
  return at >= 0 && !names.slice(0, at).includes(first)
    ? breach(`${second} comes before ${first}, wanted it after`)
    : [];
}

function forbiddenBreaches(forbidden: Forbidden, seen: Observation): Breach[] {
  return revealedIn(forbidden, seen).map((place) => ({
    place: 'never',
    broken: forbidden as unknown as Json,
    message: `found ${JSON.stringify(forbidden.value)} in the ${place}, wanted it nowhere there`,
  }));
}

function alikeBreaches(alike: NonNullable<Expectation['alike']>, run: WorldRun): Breach[] {
  const other = run.others.get(alike.to);
  if (other === undefined || isVoid(other)) return [];
  const difference = differenceOfRuns(run, other, alike);
  return difference === undefined ? [] : [{ place: 'alike', broken: alike as Json, ...difference }];
}

function anyBreaches(options: readonly Expectation[], run: WorldRun, subject: Subject, quote: string): Breach[] {
  const found = options.map((one) => breachesIn(one, run, subject, quote));
  return found.some((one) => one.length === 0) ? [] : (found[0] ?? []);
}
