import type { Finding } from '../contract/finding.ts';
import type { Observation, Peer, Scenario, SchemaIssue } from '../contract/trial.ts';
import { type Complaint, type QuotedExchange, quotedExchanges } from '../documents/read-complaint.ts';
import type { Requirements } from '../job/requirements.ts';
import { escapeToken, isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
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
export function probesOf(held: Requirements, complaint: Complaint): Probe[] {
  const exchanges = exchangesOf(held, complaint);
  return held.subject.role === 'provider'
    ? providerProbes(held, exchanges, complaint)
    : requesterProbes(held, exchanges, complaint);
}

/** How the message that a complaint quotes as ours stands to the agreement; `null` where it quotes none. */
export function quotedOf(held: Requirements, complaint: Complaint): 'keeps' | 'breaks' | null {
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

function exchangesOf({ subject }: Requirements, complaint: Complaint): QuotedExchange[] {
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

function providerProbes(
  held: Requirements,
  exchanges: readonly QuotedExchange[],
  { texts, values }: Complaint,
): Probe[] {
  const { subject } = held;
  const isText = subject.payload === 'text';
  const isRequest = (value: Json) => subject.surface.requestIssues(value).length === 0;
  const known = subject.cases.map(({ request }) => request);
  const counts = { plausible: 20, sampled: 20, invalid: 20 };
  const isJudged = subject.requestSchema !== null || isText;
  const generated = isJudged ? generateInputs(subject.requestSchema, known, isRequest, 'complaint', counts) : [];
  // That broken requests are answered, a case must show.
  const isBrokenAnswered = answersBrokenRequests(subject);
  const isAgreed = (input: Json, isPlausible: boolean) => (isText ? isPlausible : isRequest(input));
  // Where none does, what we made up ourselves shows nothing.
  const telling = generated.filter(({ kind, deep }) => kind !== 'invalid' || (isBrokenAnswered && deep !== true));
  return [
    ...(isText ? texts : exchanges.map(({ request }) => request)).map((input) => ({
      input,
      quoted: true,
      isPlausible: false,
    })),
    ...[...spokenOf(known, values, isRequest), ...knownToTools(subject, known)].map((input) => ({
      input,
      quoted: false,
      isPlausible: true,
    })),
    ...telling.map(({ input, kind }) => ({ input, quoted: false, isPlausible: kind === 'plausible' })),
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
        return isJudged && (isAgreed(input, isPlausible) || isBrokenAnswered) && !failedByTool(seen)
          ? [noAnswer(input, seen)]
          : [];
      const isBroken = subject.requestSchema !== null && !isRequest(input);
      const invalid = seen.issues
        .filter((issue) => !isBroken || !isOfRequest(subject, input, seen.value, issue))
        .map((issue) => schemaFault(input, 'answer', issue));
      if (seen.issues.length > 0 || seen.value === undefined || failedByTool(seen)) return invalid;
      if (!quoted && !isPlausible) return invalid;
      return exchangeFaults(held, input, seen.value, quoted ? undefined : 'DOCUMENT_EXCHANGE_ID_NOT_ECHOED');
    },
  }));
}

/** Most inputs that are made of the values which a complaint mentions, and of what tools know. */
const maxMade = 40;

/** The first of the known inputs that is valid, with one of its values replaced by one that a complaint mentions: "seen for room C-311". */
function spokenOf(known: readonly Json[], values: readonly string[], isValid: (input: Json) => boolean): Json[] {
  const base = known.find(isValid);
  if (!isObject(base ?? null)) return [];
  const made = values.flatMap((value) =>
    leavesOf(base as Json).flatMap(({ pointer, value: from }) => {
      const to = typeof from === 'number' ? Number(value) : typeof from === 'string' ? value : from;
      const input = to === from || Number.isNaN(to) ? undefined : replacedAt(base as Json, pointer, to);
      return input !== undefined && isValid(input) ? [input] : [];
    }),
  );
  return made.slice(0, maxMade);
}

/** The first of the known inputs that is valid, with one of its values just beyond what the schema allows. */
function beyondBounds(schema: Json, known: readonly Json[], isValid: (input: Json) => boolean): Json[] {
  const base = known.find(isValid);
  return base === undefined
    ? []
    : forbiddenValues(schema, base)
        .slice(0, maxMade)
        .map(({ input }) => input);
}

/** Known inputs about what the tools have another example of. */
function knownToTools({ tools }: Pick<Subject, 'tools'>, known: readonly Json[]): Json[] {
  const made = tools.flatMap(({ examples = [] }) => {
    const asked = examples.map(({ input }) => leavesOf(input));
    return known.flatMap((base) => {
      const held = new Set(leavesOf(base).map(({ value }) => value));
      const isAsked = (value: Json) =>
        held.has(value as string) || (typeof base === 'string' && hasWord(base, `${value}`));
      const own = asked.find((leaves) => leaves.length > 0 && leaves.every(({ value }) => isAsked(value)));
      if (own === undefined) return [];
      return asked
        .filter((leaves) => leaves !== own)
        .map((leaves) => {
          const at = new Map(leaves.map(({ pointer, value }) => [pointer, value]));
          return substitute(
            base,
            own.map(({ pointer, value }) => ({ from: value, to: at.get(pointer) ?? value })),
          );
        });
    });
  });
  return [...new Map(made.map((input) => [JSON.stringify(input), input])).values()].slice(0, maxMade);
}

/** What comes in broken, or not at all, and goes out again as it came, is the peer's own. */
function isOfRequest(
  { surface }: Subject,
  input: Json,
  answer: Json | undefined,
  { pointer, keyword, expected }: SchemaIssue,
): boolean {
  if (keyword === 'required' && typeof expected === 'string')
    return !JSON.stringify(input).includes(`${JSON.stringify(expected)}:`) && !takesNull(surface, answer, expected);
  const value = answer === undefined ? undefined : valueAt(answer, pointer);
  return value !== undefined && pointer !== '' && holds(input, value);
}

/** Whether the schema has `null` for a member at the top of an answer, and not just anything: then there is a way to say that it is not there. */
function takesNull(surface: Subject['surface'], answer: Json | undefined, name: string): boolean {
  if (!isObject(answer ?? null)) return false;
  const isTaken = (value: Json) => {
    const issues = surface.responseIssues({ ...(answer as JsonObject), [name]: value });
    return !issues.some(({ pointer }) => pointer.startsWith(`/${escapeToken(name)}`));
  };
  return isTaken(null) && !isTaken({}) && !isTaken([]);
}

function holds(whole: Json, part: Json): boolean {
  if (equalJson(whole, part)) return true;
  return typeof whole === 'object' && whole !== null && Object.values(whole).some((item) => holds(item, part));
}

/** A tool that has no example for a made-up request says nothing about the handler. */
function failedByTool({ calls }: Observation): boolean {
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
      ...spokenOf(known, values, isTask),
      ...generateInputs(inputSchema, known, isTask, 'complaint', counts).map(({ input }) => input),
    ].map((input) => ({ input, peer, quoted: false })),
  ].map(({ input, peer: other, quoted }, index) => ({
    quoted,
    scenario: { ...scenarioOf(subject, input, index), ...(other ? { peer: other } : {}) },
    faultsIn: (seen) => [...(endless(seen) ? [noAnswer(input, seen)] : []), ...requestFaults(input, seen)],
  }));
}

function scenarioOf({ tools, nowMs }: Subject, input: Json, index: number): Scenario {
  return { input, tools: [...tools], seed: `complaint-${index}`, nowMs: nowMs ?? defaultTrialNowMs };
}

/** The case that lacks fewest places of a request, and of those the one that differs from it in fewest. */
function nearest(runnable: readonly RunnableCase[], first: RunnableCase, request: Json): RunnableCase {
  const places = leavesOf(request).map(({ pointer }) => pointer);
  const distances = new Map(
    runnable.map((one) => {
      const lacked = places.filter((pointer) => valueAt(one.case.request, pointer) === undefined).length;
      return [one, lacked * maxPlaces + looseDifferences(one.case.request, request, one.loose).length];
    }),
  );
  const distance = (one: RunnableCase) => distances.get(one) ?? 0;
  return runnable.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}

/** More than differences count. */
const maxPlaces = 10_000;

/** How what stands in a request that is complained of may have stood in the task: the same, of the other type, without its signs. */
const forms: readonly ((to: Json, from: Json) => Json)[] = [
  (to) => to,
  (to, from) => (typeof from === 'number' ? (to === '' ? to : Number(to)) : typeof from === 'string' ? `${to}` : to),
  (to) => (typeof to === 'string' ? to.replace(/[^\p{L}\p{N}]/gu, '') : to),
];

/**
 * Tasks that would have a requester send a quoted request, as far as can be told: the example of the case that is nearest to it, with the data in
 * which the two requests differ. The peer answers as quoted, else as in that case.
 */
function replaysOf(one: RunnableCase, { request, response }: QuotedExchange): { input: Json; peer: Peer }[] {
  const loose = new Set(one.loose.map(({ pointer }) => pointer));
  const replays = forms.map((form) => {
    const replacements = leavesOf(one.case.request).flatMap(({ pointer, value: from }) => {
      const said = valueAt(request, pointer);
      if (loose.has(pointer) || said === undefined || typeof said === 'object') return [];
      const to = form(said, from);
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

/** What is wrong with our side of an exchange, whoever wrote it; or what has one code alone. */
function exchangeFaults(
  { cleared, subject }: Requirements,
  request: Json,
  response: Json,
  only?: Finding['code'],
): Reproduced[] {
  // Seen from the other side, so that ours is what is judged.
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
