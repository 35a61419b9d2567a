import { type Complaint, type QuotedExchange, quotedExchanges } from '../analysis/read-complaint.ts';
import type { Observation, Peer, Scenario, SchemaIssue } from '../contract/trial.ts';
import { escapeToken, isObject, type Json, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { casePeer, looseReplacements, type RunnableCase, runnableCases } from '../verification/case-scenarios.ts';
import { looseDifferences, substitute } from '../verification/loose-places.ts';
import { observeExchanges } from '../verification/observe-exchanges.ts';
import { failureRulesOf } from '../verification/prose/failure-rules.ts';
import { leavesOf } from '../verification/scalar-kinds.ts';
import { defaultTrialNowMs, type Subject } from '../verification/subject.ts';
import { generateInputs } from '../verification/worlds/generated-inputs.ts';
import type { Measure } from './measure.ts';

/** A fault that a handler was seen to have. */
export interface Reproduced {
  /** What it was given. */
  input: Json;
  /** JSON pointer into the message it sent: its response, or a requester's request; empty where there was none. */
  pointer: string;
  message: string;
  testCase?: number;
  got?: Json;
}

/** A run beyond the cases, and what is wrong with what was seen of it. */
export interface Probe {
  /** Whether the complaint quotes what this run plays again. */
  quoted: boolean;
  scenario: Scenario;
  faultsIn(seen: Observation): Reproduced[];
}

/** The runs in which a complaint's fault may show: what it quotes first, then generated inputs. */
export function probesOf(held: Measure, complaint: Complaint): Probe[] {
  const exchanges = exchangesOf(held, complaint);
  return held.subject.role === 'provider' ? providerProbes(held, exchanges) : requesterProbes(held, exchanges);
}

/** How the message that a complaint quotes as ours stands to the agreement; `null` where it quotes none. */
export function quotedOf(held: Measure, complaint: Complaint): 'keeps' | 'breaks' | null {
  const { role } = held.subject;
  const [said] = exchangesOf(held, complaint).filter(({ response }) => role === 'requester' || response !== undefined);
  if (said === undefined) return null;
  return exchangeFaults(held, said.request, said.response ?? null).length > 0 ? 'breaks' : 'keeps';
}

/** Whether a run was ended because it would not end by itself. */
export function endless({ end }: Observation): boolean {
  return end === 'timed-out' || end === 'out-of-memory' || end === 'killed';
}

/** The fault of a run that came to no message. */
export function noAnswer(input: Json, { end, message }: Observation): Reproduced {
  return { input, pointer: '', message: `it gives no answer: ${message ?? end}` };
}

function exchangesOf({ subject }: Measure, complaint: Complaint): QuotedExchange[] {
  const [ofRequest, ofResponse] = [subject.requestSchema, subject.responseSchema].map(ownNames);
  // A request that is complained of may well be invalid: then its members tell it from a response.
  const looksLikeRequest = (value: Json) =>
    isObject(value) &&
    Object.keys(value).reduce((sum, name) => sum + Number(ofRequest?.has(name)) - Number(ofResponse?.has(name)), 0) > 0;
  return quotedExchanges(
    complaint,
    (value) => subject.surface.requestIssues(value).length === 0 || looksLikeRequest(value),
  );
}

function ownNames(schema: Json): Set<string> {
  return new Set(isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : []);
}

function providerProbes(held: Measure, exchanges: readonly QuotedExchange[]): Probe[] {
  const { subject } = held;
  const isRequest = (value: Json) => subject.surface.requestIssues(value).length === 0;
  const known = subject.cases.map(({ request }) => request);
  const counts = { plausible: 20, sampled: 20, invalid: 20 };
  const generated =
    subject.requestSchema === null ? [] : generateInputs(subject.requestSchema, known, isRequest, 'complaint', counts);
  // How invalid requests are answered, not every protocol says.
  const isCertain = (input: Json) => subject.requestSchema !== null && isRequest(input);
  const { invalidRequests } = failureRulesOf(subject.agreement.text);
  // Where it does not say so, what we made up ourselves shows nothing.
  const telling = generated.filter(({ kind, deep }) => kind !== 'invalid' || (invalidRequests && deep !== true));
  return [
    ...exchanges.map(({ request }) => ({ input: request, quoted: true })),
    ...telling.map(({ input }) => ({ input, quoted: false })),
  ].map(({ input, quoted }, index) => ({
    quoted,
    scenario: scenarioOf(subject, input, index),
    faultsIn: (seen) => {
      if (seen.end !== 'returned') return isCertain(input) && !failedByTool(seen) ? [noAnswer(input, seen)] : [];
      const isBroken = subject.requestSchema !== null && !isRequest(input);
      const invalid = seen.issues
        .filter((issue) => !isBroken || !isOfRequest(input, seen.value, issue))
        .map((issue) => schemaFault(input, 'answer', issue));
      if (!quoted || seen.issues.length > 0 || seen.value === undefined || failedByTool(seen)) return invalid;
      return exchangeFaults(held, input, seen.value);
    },
  }));
}

/** What comes in broken, or not at all, and goes out again as it came, is the peer's own. */
function isOfRequest(input: Json, answer: Json | undefined, { pointer, keyword, expected }: SchemaIssue): boolean {
  if (keyword === 'required' && typeof expected === 'string')
    return !JSON.stringify(input).includes(`${JSON.stringify(expected)}:`);
  const value = answer === undefined ? undefined : valueAt(answer, pointer);
  return value !== undefined && pointer !== '' && holds(input, value);
}

function holds(whole: Json, part: Json): boolean {
  if (equalJson(whole, part)) return true;
  return typeof whole === 'object' && whole !== null && Object.values(whole).some((item) => holds(item, part));
}

/** A tool that has no example for a made-up request says nothing about the handler. */
function failedByTool({ calls }: Observation): boolean {
  return calls.some(({ error }) => error !== undefined);
}

function requesterProbes({ subject, schemas }: Measure, exchanges: readonly QuotedExchange[]): Probe[] {
  const runnable = runnableCases(subject);
  const [first] = runnable;
  const inputSchema = schemas.taskInputSchema ?? null;
  const validator = inputSchema === null ? undefined : validatorOf(inputSchema);
  const isTask = (value: Json) => !validator?.ok || validator.validate(value).length === 0;
  const known = runnable.map(({ input }) => input);
  const counts = { plausible: 20, sampled: 20, invalid: 0 };
  const peer = first && casePeer(runnable, subject.cases, first);
  return [
    ...exchanges.flatMap((exchange) => {
      const replay = first && replayOf(nearest(runnable, first, exchange.request), exchange);
      return replay && isTask(replay.input) ? [{ ...replay, quoted: true }] : [];
    }),
    ...generateInputs(inputSchema, known, isTask, 'complaint', counts).map(({ input }) => ({
      input,
      peer,
      quoted: false,
    })),
  ].map(({ input, peer: other, quoted }, index) => ({
    quoted,
    scenario: { ...scenarioOf(subject, input, index), ...(other ? { peer: other } : {}) },
    faultsIn: (seen) => [...(endless(seen) ? [noAnswer(input, seen)] : []), ...requestFaults(input, seen)],
  }));
}

function scenarioOf({ tools, nowMs }: Subject, input: Json, index: number): Scenario {
  return { input, tools: [...tools], seed: `complaint-${index}`, nowMs: nowMs ?? defaultTrialNowMs };
}

function nearest(runnable: readonly RunnableCase[], first: RunnableCase, request: Json): RunnableCase {
  const distance = (one: RunnableCase) => looseDifferences(one.case.request, request, one.loose).length;
  return runnable.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/**
 * A task that would have a requester send a quoted request, as far as can be told: the example of the case that is nearest to it, with the data in
 * which the two requests differ. The peer answers as quoted, else as in that case.
 */
function replayOf(one: RunnableCase, { request, response }: QuotedExchange): { input: Json; peer: Peer } {
  const loose = new Set(one.loose.map(({ pointer }) => pointer));
  const replacements = leavesOf(one.case.request).flatMap(({ pointer, value: from }) => {
    const to = valueAt(request, pointer);
    return loose.has(pointer) || to === undefined || to === from || typeof to !== typeof from ? [] : [{ from, to }];
  });
  const answer = response ?? substitute(one.case.response, replacements);
  const asked = response === undefined ? one.case.request : request;
  return {
    input: substitute(one.input, replacements),
    peer: (sent) => ({ response: substitute(answer, looseReplacements(asked, sent, one.loose)) }),
  };
}

/** Where requests break the schema; but for values that the task itself handed in. */
function requestFaults(input: Json, { sends }: Observation): Reproduced[] {
  const given = new Set(leavesOf(input).map(({ value }) => value));
  return sends.flatMap(({ issues }) =>
    issues
      .filter(({ actual }) => actual === undefined || isObject(actual) || !given.has(actual as string))
      .map((issue) => schemaFault(input, 'request', issue)),
  );
}

function schemaFault(input: Json, what: 'answer' | 'request', issue: SchemaIssue): Reproduced {
  const { pointer, keyword, message, expected, actual } = issue;
  const missing = keyword === 'required' && typeof expected === 'string' ? `/${escapeToken(expected)}` : '';
  return {
    input,
    pointer: `${pointer}${missing}`,
    message: `its ${what} breaks the schema: ${message}`,
    ...(actual === undefined || missing !== '' ? {} : { got: actual }),
  };
}

/** What is wrong with our side of an exchange, whoever wrote it. */
function exchangeFaults({ cleared, subject }: Measure, request: Json, response: Json): Reproduced[] {
  const { job, agreement } = cleared;
  // Seen from the other side, so that ours is what is judged.
  const [role, root] =
    subject.role === 'provider' ? (['requester', '/0/response'] as const) : (['provider', '/0/request'] as const);
  return observeExchanges({ job: { ...job, role, exchanges: [{ request, response }] }, agreement })
    .filter(({ severity }) => severity === 'error')
    .map(({ message, pointer = '', testCase, actual }) => ({
      input: request,
      pointer: pointer.slice(root.length),
      message,
      ...(testCase === undefined ? {} : { testCase }),
      ...(actual === undefined ? {} : { got: actual }),
    }));
}
