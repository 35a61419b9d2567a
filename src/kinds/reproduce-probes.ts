import type { Finding } from '../contract/finding.ts';
import type { Observation, Peer, Scenario, SchemaIssue } from '../contract/trial.ts';
import { type Complaint, type QuotedExchange, quotedExchanges } from '../documents/read-complaint.ts';
import type { Requirements } from '../job/requirements.ts';
import { escapeToken, isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { containsJson } from '../schemas/equal-json.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { casePeer } from '../verification/case-peer.ts';
import { answersBrokenRequests } from '../verification/failure-answer.ts';
import { looseDifferences, looseReplacements, substitute } from '../verification/loose-places.ts';
import { observeExchanges } from '../verification/observe-exchanges.ts';
import { type RunnableCase, runnableCases } from '../verification/runnable-cases.ts';
import { hasWord, leavesOf } from '../verification/scalar-kinds.ts';
import { defaultTrialNowMs, type Subject } from '../verification/subject.ts';
import { forbiddenValues } from '../verification/worlds/forbidden-values.ts';
import { generateInputs } from '../verification/worlds/generated-inputs.ts';
import { replacedAt } from '../verification/worlds/variations.ts';

/** A fault that a handler showed in a run. */
export interface Reproduced {
  /** The input of the run. */
  input: Json;
  /** JSON pointer into the message it sent: its response, or a requester's request. Empty if it sent none. */
  pointer: string;
  message: string;
  testCase?: number;
  got?: Json;
}

/** A run beyond the cases, and how to find faults in it. */
export interface Probe {
  /** Whether the run replays what the complaint quotes. */
  quoted: boolean;
  scenario: Scenario;
  faultsIn(seen: Observation): Reproduced[];
}

/** The runs that may show the fault of a complaint: first those that replay what it quotes, then generated inputs. */
export function probesOf(requirements: Requirements, complaint: Complaint): Probe[] {
  const exchanges = exchangesOf(requirements, complaint);
  return requirements.subject.role === 'provider'
    ? providerProbes(requirements, exchanges, complaint)
    : requesterProbes(requirements, exchanges, complaint);
}

/** Whether the message that a complaint quotes as ours satisfies the agreement; `null` if it quotes none. */
export function quotedOf(requirements: Requirements, complaint: Complaint): 'keeps' | 'breaks' | null {
  const { role } = requirements.subject;
  const [quoted] = exchangesOf(requirements, complaint).filter(
    ({ response }) => role === 'requester' || response !== undefined,
  );
  if (quoted === undefined) return null;
  return exchangeFaults(requirements, quoted.request, quoted.response ?? null).length > 0 ? 'breaks' : 'keeps';
}

/** Whether a limit ended the run. */
export function isEndedByLimit({ end }: Observation): boolean {
  return end === 'timed-out' || end === 'out-of-memory' || end === 'killed';
}

/** The fault of a run that ended without a message. */
export function noAnswerFault(input: Json, { end, message }: Observation): Reproduced {
  return { input, pointer: '', message: `it gives no answer: ${message ?? end}` };
}

function exchangesOf({ subject }: Requirements, complaint: Complaint): QuotedExchange[] {
  const [ofRequest, ofResponse] = [subject.requestSchema, subject.responseSchema].map(ownNames);
  // A request in a complaint may be invalid. Then its member names tell it from a response.
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

function providerProbes(
  requirements: Requirements,
  exchanges: readonly QuotedExchange[],
  { texts, values }: Complaint,
): Probe[] {
  const { subject } = requirements;
  const isText = subject.payload === 'text';
  const isRequest = (value: Json) => subject.surface.requestIssues(value).length === 0;
  const known = subject.cases.map(({ request }) => request);
  const counts = { plausible: 20, sampled: 20, invalid: 20 };
  const isJudged = subject.requestSchema !== null || isText;
  const generated = isJudged ? generateInputs(subject.requestSchema, known, isRequest, 'complaint', counts) : [];
  // Only a case can show that broken requests are to be answered.
  const isBrokenAnswered = answersBrokenRequests(subject);
  const isAgreed = (input: Json, isPlausible: boolean) => (isText ? isPlausible : isRequest(input));
  // If no case does, generated broken requests prove nothing.
  const conclusive = generated.filter(({ kind, deep }) => kind !== 'invalid' || (isBrokenAnswered && deep !== true));
  return [
    ...(isText ? texts : exchanges.map(({ request }) => request)).map((input) => ({
      input,
      quoted: true,
      isPlausible: false,
    })),
    ...[...withMentionedValues(known, values, isRequest), ...knownToTools(subject, known)].map((input) => ({
      input,
      quoted: false,
      isPlausible: true,
    })),
    ...conclusive.map(({ input, kind }) => ({ input, quoted: false, isPlausible: kind === 'plausible' })),
    ...(isBrokenAnswered ? beyondBounds(subject.requestSchema, known, isRequest) : []).map((input) => ({
      input,
      quoted: false,
      isPlausible: false,
    })),
  ].map(({ input, quoted, isPlausible }, index) => ({
    quoted,
    scenario: scenarioOf(subject, input, index),
    faultsIn: (seen) => {
      if (seen.end !== 'returned')
        return isJudged && (isAgreed(input, isPlausible) || isBrokenAnswered) && !hasFailedTool(seen)
          ? [noAnswerFault(input, seen)]
          : [];
      const isBroken = subject.requestSchema !== null && !isRequest(input);
      const invalid = seen.issues
        .filter((issue) => !isBroken || !repeatsRequest(subject, input, seen.value, issue))
        .map((issue) => schemaFault(input, 'answer', issue));
      if (seen.issues.length > 0 || seen.value === undefined || hasFailedTool(seen)) return invalid;
      if (!quoted && !isPlausible) return invalid;
      return exchangeFaults(requirements, input, seen.value, quoted ? undefined : 'DOCUMENT_EXCHANGE_ID_NOT_ECHOED');
    },
  }));
}

/** Most inputs made from values of the complaint, from schema bounds, or from tool examples. */
const maxInputs = 40;

/** The first valid known input, with one value replaced by one that the complaint mentions: "seen for room C-311". */
function withMentionedValues(
  known: readonly Json[],
  values: readonly string[],
  isValid: (input: Json) => boolean,
): Json[] {
  const base = known.find(isValid);
  if (!isObject(base ?? null)) return [];
  const inputs = values.flatMap((value) =>
    leavesOf(base as Json).flatMap(({ pointer, value: from }) => {
      const to = typeof from === 'number' ? Number(value) : typeof from === 'string' ? value : from;
      const input = to === from || Number.isNaN(to) ? undefined : replacedAt(base as Json, pointer, to);
      return input !== undefined && isValid(input) ? [input] : [];
    }),
  );
  return inputs.slice(0, maxInputs);
}

/** The first valid known input, with one value just beyond what the schema allows. */
function beyondBounds(schema: Json, known: readonly Json[], isValid: (input: Json) => boolean): Json[] {
  const base = known.find(isValid);
  return base === undefined
    ? []
    : forbiddenValues(schema, base)
        .slice(0, maxInputs)
        .map(({ input }) => input);
}

/** Known inputs with the values of other tool examples. */
function knownToTools({ tools }: Pick<Subject, 'tools'>, known: readonly Json[]): Json[] {
  const inputs = tools.flatMap(({ examples = [] }) => {
    const asked = examples.map(({ input }) => leavesOf(input));
    return known.flatMap((base) => {
      const values = new Set(leavesOf(base).map(({ value }) => value));
      const isAsked = (value: Json) =>
        values.has(value as string) || (typeof base === 'string' && hasWord(base, `${value}`));
      const matching = asked.find((leaves) => leaves.length > 0 && leaves.every(({ value }) => isAsked(value)));
      if (matching === undefined) return [];
      return asked
        .filter((leaves) => leaves !== matching)
        .map((leaves) => {
          const at = new Map(leaves.map(({ pointer, value }) => [pointer, value]));
          return substitute(
            base,
            matching.map(({ pointer, value }) => ({ from: value, to: at.get(pointer) ?? value })),
          );
        });
    });
  });
  return [...new Map(inputs.map((input) => [JSON.stringify(input), input])).values()].slice(0, maxInputs);
}

/** Whether an invalid answer only repeats what was invalid or missing in the request: then the fault is the peer's. */
function repeatsRequest(
  { surface }: Subject,
  input: Json,
  answer: Json | undefined,
  { pointer, keyword, expected }: SchemaIssue,
): boolean {
  if (keyword === 'required' && typeof expected === 'string')
    return !JSON.stringify(input).includes(`${JSON.stringify(expected)}:`) && !allowsNull(surface, answer, expected);
  const value = answer === undefined ? undefined : valueAt(answer, pointer);
  return value !== undefined && pointer !== '' && containsJson(input, value);
}

/**
 * Whether the schema allows `null`, and not just any value, for a top-level member of an answer: then an absent value
 * can be expressed.
 */
function allowsNull(surface: Subject['surface'], answer: Json | undefined, name: string): boolean {
  if (!isObject(answer ?? null)) return false;
  const isTaken = (value: Json) => {
    const issues = surface.responseIssues({ ...(answer as JsonObject), [name]: value });
    return !issues.some(({ pointer }) => pointer.startsWith(`/${escapeToken(name)}`));
  };
  return isTaken(null) && !isTaken({}) && !isTaken([]);
}

/** Whether a tool failed: without an example for a generated request, the run says nothing about the handler. */
function hasFailedTool({ calls }: Observation): boolean {
  return calls.some(({ error }) => error !== undefined);
}

function requesterProbes(
  { subject, schemas }: Requirements,
  exchanges: readonly QuotedExchange[],
  { values }: Complaint,
): Probe[] {
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
      const replays = first === undefined ? [] : replaysOf(nearest(runnable, first, exchange.request), exchange);
      return replays.filter(({ input }) => isTask(input)).map((replay) => ({ ...replay, quoted: true }));
    }),
    ...[
      ...withMentionedValues(known, values, isTask),
      ...generateInputs(inputSchema, known, isTask, 'complaint', counts).map(({ input }) => input),
    ].map((input) => ({ input, peer, quoted: false })),
  ].map(({ input, peer: other, quoted }, index) => ({
    quoted,
    scenario: { ...scenarioOf(subject, input, index), ...(other ? { peer: other } : {}) },
    faultsIn: (seen) => [...(isEndedByLimit(seen) ? [noAnswerFault(input, seen)] : []), ...requestFaults(input, seen)],
  }));
}

function scenarioOf({ tools, nowMs }: Subject, input: Json, index: number): Scenario {
  return { input, tools: [...tools], seed: `complaint-${index}`, nowMs: nowMs ?? defaultTrialNowMs };
}

/** The case that lacks the fewest places of a request; among those, the one with the fewest differences. */
function nearest(runnable: readonly RunnableCase[], first: RunnableCase, request: Json): RunnableCase {
  const places = leavesOf(request).map(({ pointer }) => pointer);
  const distances = new Map(
    runnable.map((one) => {
      const lacked = places.filter((pointer) => valueAt(one.case.request, pointer) === undefined).length;
      return [one, lacked * missingWeight + looseDifferences(one.case.request, request, one.loose).length];
    }),
  );
  const distance = (one: RunnableCase) => distances.get(one) ?? 0;
  return runnable.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/** Weight of a missing place: more than any number of differences. */
const missingWeight = 10_000;

/** How a value of the quoted request may occur in the task: unchanged, with the other type, or without punctuation. */
const conversions: readonly ((to: Json, from: Json) => Json)[] = [
  (to) => to,
  (to, from) => (typeof from === 'number' ? (to === '' ? to : Number(to)) : typeof from === 'string' ? `${to}` : to),
  (to) => (typeof to === 'string' ? to.replace(/[^\p{L}\p{N}]/gu, '') : to),
];

/**
 * Task inputs that should make a requester send the quoted request: the example of the nearest case, with the values
 * that differ between the two requests. The peer answers as quoted, else as in that case.
 */
function replaysOf(one: RunnableCase, { request, response }: QuotedExchange): { input: Json; peer: Peer }[] {
  const loose = new Set(one.loose.map(({ pointer }) => pointer));
  const replays = conversions.map((convert) => {
    const replacements = leavesOf(one.case.request).flatMap(({ pointer, value: from }) => {
      const quoted = valueAt(request, pointer);
      if (loose.has(pointer) || quoted === undefined || typeof quoted === 'object') return [];
      const to = convert(quoted, from);
      return to === from || typeof to !== typeof from || Number.isNaN(to) ? [] : [{ from, to }];
    });
    const answer = response ?? substitute(one.case.response, replacements);
    const asked = response === undefined ? one.case.request : request;
    return {
      input: substitute(one.input, replacements),
      peer: ((sent) => ({ response: substitute(answer, looseReplacements(asked, sent, one.loose)) })) satisfies Peer,
    };
  });
  return [
    ...new Map(replays.toReversed().map((replay) => [JSON.stringify(replay.input), replay])).values(),
  ].toReversed();
}

/** Requests that break the schema, unless the invalid value came from the task. */
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

/** The faults of our side of an exchange, no matter who wrote it; with `only`, those with that code. */
function exchangeFaults(
  { cleared, subject }: Requirements,
  request: Json,
  response: Json,
  only?: Finding['code'],
): Reproduced[] {
  // The other side's role, so that our message is the one that is checked.
  const [role, root] =
    subject.role === 'provider' ? (['requester', '/0/response'] as const) : (['provider', '/0/request'] as const);
  const side = subject.role === 'provider' ? 'response' : 'request';
  return observeExchanges({ ...cleared, job: { ...cleared.job, role, exchanges: [{ request, response }] } }, side)
    .filter(({ severity, code }) => severity === 'error' && (only === undefined || code === only))
    .map(({ message, pointer = '', testCase, actual }) => ({
      input: request,
      pointer: pointer.slice(root.length),
      message,
      ...(testCase === undefined ? {} : { testCase }),
      ...(actual === undefined ? {} : { got: actual }),
    }));
}
