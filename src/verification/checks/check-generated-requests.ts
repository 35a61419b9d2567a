import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario, SchemaIssue } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, Finding } from '../check.ts';
import { answersBrokenRequests, reportsFailure } from '../failure-answer.ts';
import { defaultTrialNowMs, type Subject } from '../subject.ts';
import { type GeneratedInput, generateInputs } from '../worlds/generated-inputs.ts';
import { staleAnswer } from './stale-answers.ts';

const counts = { plausible: 16, sampled: 18, invalid: 18 };

/** Most faults of one rule that are told of: a repair has enough with them. */
const mostAlike = 3;

/** Sends requests that no case has: of the cases' shape, from the schema alone, and broken ones. */
export const generatedRequests: Check = {
  name: 'generated-requests',
  reason: 'Peers send more than the cases; whatever comes in, an answer must come out that the schema allows.',
  *run(facts) {
    const { subject, cases } = facts;
    const isProvider = subject.role === 'provider';
    const inputs = inputsFor(facts);
    if (inputs.length === 0)
      return { findings: [], skipped: 'there is neither a schema nor a case to make requests from' };
    const tools = withSomeAnswer(subject.tools);
    const peer = cases[0]?.scenario.peer;
    const seen = yield inputs.map(({ input, reshaped }, index) => ({
      input,
      tools: (reshaped || index % 2 === 0 ? tools : subject.tools) as Scenario['tools'],
      ...(peer ? { peer } : {}),
      seed: `generated-${index}`,
      nowMs: subject.nowMs ?? defaultTrialNowMs,
    }));
    const runs = inputs.map((generated, index) => ({ ...generated, seen: seen[index] as Observation }));
    const found = new Map<Finding['rule'], Finding[]>();
    for (const run of runs) {
      const fault = faultOf(facts, run, run.seen);
      if (fault === undefined) continue;
      const alike = found.get(fault.rule) ?? [];
      found.set(fault.rule, alike);
      if (alike.length < mostAlike) alike.push(factOf(fault, run));
    }
    const valid = runs.filter(({ kind }) => kind !== 'invalid');
    const stale = isProvider ? staleAnswer(facts, valid) : undefined;
    return {
      findings: [
        ...[...found.values()].flat(),
        ...(stale ? [stale] : []),
        ...(isProvider ? withoutCases(facts, valid) : []),
      ],
    };
  },
  review(_, runs) {
    const run = runs.find(({ seen }) => isEndless(seen));
    if (run === undefined) return [];
    return [
      { rule: 'generated-requests/hangs', message: `the run ended as "${run.seen.end}"`, input: run.scenario.input },
    ];
  },
};

interface Tried extends GeneratedInput {
  seen: Observation;
}

function inputsFor({ subject, cases }: CheckFacts): GeneratedInput[] {
  const isProvider = subject.role === 'provider';
  const schema = isProvider ? subject.requestSchema : (subject.task?.inputSchema ?? null);
  const known = cases.map(({ one }) => one.input);
  const isValid = isProvider
    ? (value: Json) => subject.surface.requestIssues(value).length === 0
    : (value: Json) => typeof value === typeof (known[0] ?? value);
  // What the task hands over is our own agent's affair: it keeps to its schema.
  const wanted = isProvider ? counts : { ...counts, invalid: 0 };
  const generated = generateInputs(schema, known, isValid, `${subject.trialSeed} requests`, wanted);
  return generated.filter(({ kind }) => isProvider || kind === 'plausible');
}

interface Fault {
  rule: Finding['rule'];
  message: string;
}

function factOf({ rule, message }: Fault, { kind, change, input, seen }: Tried): Finding {
  const what = kind === 'invalid' ? 'broken on purpose' : 'that the schema allows';
  return {
    rule,
    message: `a request ${what} (${change}): ${message}`.slice(0, 500),
    input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}

function isEndless({ end }: Observation): boolean {
  return end === 'timed-out' || end === 'out-of-memory' || end === 'killed';
}

function faultOf(facts: CheckFacts, { kind, input, deep }: GeneratedInput, seen: Observation): Fault | undefined {
  const { subject } = facts;
  if (isEndless(seen)) return { rule: 'generated-requests/hangs', message: `the run ended as "${seen.end}"` };
  if (subject.role === 'requester') return undefined;
  const isOwed = kind === 'plausible' || (kind === 'invalid' && deep !== true && answersBrokenRequests(subject));
  if (seen.end !== 'returned' || seen.value === undefined) {
    const isOwn = kind === 'sampled' && OWN_ERROR.test(seen.message ?? '');
    return {
      rule: !failedByTool(seen) && (isOwed || isOwn) ? 'generated-requests/throws' : 'generated-requests/may-throw',
      message: `it throws${seen.message ? `: ${seen.message}` : ''}`,
    };
  }
  const [issue] = seen.issues;
  if (issue) return schemaFault(facts, { kind, input, isOwed }, seen, issue);
  return kind === 'invalid' ? undefined : emptyAnswer(facts, input, seen);
}

/** An error that only a mistake of the handler's own can be. */
const OWN_ERROR = /^(?:Uncaught )?(?:TypeError|ReferenceError)\b/;

/** A tool that has no example for a made-up request says nothing about the handler. */
function failedByTool({ calls, message }: Observation): boolean {
  return calls.some(({ error }) => error !== undefined && message?.includes(error.message.slice(0, 80)));
}

function schemaFault(
  { subject }: CheckFacts,
  { kind, input, isOwed }: { kind: GeneratedInput['kind']; input: Json; isOwed: boolean },
  seen: Observation,
  issue: SchemaIssue,
): Fault | undefined {
  const value = issue.pointer === '' || seen.value === undefined ? undefined : valueAt(seen.value, issue.pointer);
  // What comes in broken and goes out again as it came is the peer's own.
  if (kind === 'invalid' && (value === undefined || holds(input, value))) return undefined;
  const isFromTool = seen.calls.some(
    ({ output }) =>
      output !== undefined && (value === undefined ? mayBeHandedOn(subject, issue) : holds(output, value)),
  );
  return {
    rule: isOwed && !isFromTool ? 'generated-requests/breaks-schema' : 'generated-requests/may-break-schema',
    message: `the answer breaks its schema at "${issue.pointer}": ${issue.message}`,
  };
}

/** What slips into a text where a number, time or object was not what it seemed. */
const SLIPPED = /(?<![\p{L}\p{N}])(?:NaN|Invalid Date|\[object Object\])(?![\p{L}\p{N}])/u;

/** An answer to a valid request with nothing in it, or with a text that says of itself that it is no value. */
function emptyAnswer(
  { subject, cases }: CheckFacts,
  input: Json,
  { value = null, calls }: Observation,
): Fault | undefined {
  const isEmpty = (answer: Json): boolean => isObject(answer) && Object.keys(answer).length === 0;
  if (isEmpty(value) && !cases.some(({ one }) => isEmpty(one.output)))
    return { rule: 'generated-requests/says-nothing', message: 'the answer is empty' };
  const slip = SLIPPED.exec(JSON.stringify(value))?.[0];
  if (slip === undefined) return undefined;
  const told = [input, cases.map(({ one }) => one.output), calls.map(({ output, error }) => [output, error?.message])];
  return `${subject.agreement.text}${JSON.stringify(told)}`.includes(slip)
    ? undefined
    : { rule: 'generated-requests/says-nothing', message: `the answer says ${slip}` };
}

/** Fewer requests than this do not show that a candidate never does a thing. */
const leastRuns = 5;

/** What is wrong with all answers together, where no case shows one. */
function withoutCases({ subject, cases }: CheckFacts, runs: readonly Tried[]): Finding[] {
  if (cases.length > 0 || runs.length < leastRuns) return [];
  const good = runs.filter(
    ({ seen }) => seen.end === 'returned' && seen.value !== undefined && seen.issues.length === 0,
  );
  const didFail = runs.some(({ seen }) => seen.calls.some(({ error }) => error !== undefined));
  if (good.length === 0 && !didFail) {
    const message = `not one of ${runs.length} requests that the schema allows is answered as its schema has it`;
    return [{ rule: 'generated-requests/never-answers', message }];
  }
  const claims = good.filter(({ seen: { value } }) => reportsFailure(value ?? null) === false);
  if (subject.tools.length === 0 || claims.length < leastRuns || runs.some(({ seen }) => seen.calls.length > 0))
    return [];
  return [{ rule: 'generated-requests/tool-never-called', message: 'no request makes it call any tool' }];
}

/** Whether what is wrong with an answer as a whole may be how a tool or the request had it: not where a member is missing that neither of them knows. */
function mayBeHandedOn({ tools, requestSchema }: Subject, { keyword, expected }: SchemaIssue): boolean {
  if (keyword !== 'required' || typeof expected !== 'string') return true;
  const told = tools.map(({ outputSchema, examples, otherwise }) => ({ outputSchema, examples, otherwise }));
  return JSON.stringify([told, requestSchema]).includes(`${JSON.stringify(expected)}:`);
}

/** Whether a value stands somewhere in another. */
function holds(whole: Json, part: Json): boolean {
  if (equalJson(whole, part)) return true;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.values(whole).some((item) => holds(item, part));
}

/** Tools of which each has an answer to any input: its own, or the first that its examples show. */
function withSomeAnswer(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const shown = tool.examples?.find((example) => 'output' in example && example.output !== null);
    return tool.otherwise || !shown || !('output' in shown) ? tool : { ...tool, otherwise: { output: shown.output } };
  });
}
