import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario, SchemaIssue } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { containsJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, Finding } from '../check.ts';
import { answersBrokenRequests, reportsFailure } from '../failure-answer.ts';
import { defaultTrialNowMs, type Subject } from '../subject.ts';
import { type GeneratedInput, generateInputs } from '../worlds/generated-inputs.ts';
import { staleAnswer } from './stale-answers.ts';

const counts = { plausible: 16, sampled: 18, invalid: 18 };

/** Most findings of one rule: a repair does not need more. */
const maxAlike = 3;

/** Sends requests that no case has: shaped like the cases, from the schema alone, and invalid ones. */
export const generatedRequests: Check = {
  name: 'generated-requests',
  reason: 'Peers send more than the cases. Every request must get an answer that the schema allows.',
  *run(facts) {
    const { subject, cases } = facts;
    const isProvider = subject.role === 'provider';
    const inputs = inputsFor(facts);
    if (inputs.length === 0)
      return { findings: [], skipped: 'there is neither a schema nor a case to make requests from' };
    const tools = withSomeAnswer(subject.tools);
    const peer = cases[0]?.scenario.peer;
    const observations = yield inputs.map(({ input, reshaped }, index) => ({
      input,
      tools: (reshaped || index % 2 === 0 ? tools : subject.tools) as Scenario['tools'],
      ...(peer ? { peer } : {}),
      seed: `generated-${index}`,
      nowMs: subject.nowMs ?? defaultTrialNowMs,
    }));
    const runs = inputs.map((generated, index) => ({ ...generated, seen: observations[index] as Observation }));
    const byRule = new Map<Finding['rule'], Finding[]>();
    for (const run of runs) {
      const fault = faultOf(facts, run, run.seen);
      if (fault === undefined) continue;
      const alike = byRule.get(fault.rule) ?? [];
      byRule.set(fault.rule, alike);
      if (alike.length < maxAlike) alike.push(factOf(fault, run));
    }
    const valid = runs.filter(({ kind }) => kind !== 'invalid');
    const stale = isProvider ? staleAnswer(facts, valid) : undefined;
    return {
      findings: [
        ...[...byRule.values()].flat(),
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
  // Our own agent makes the task's input, which always fits its schema.
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

/** An error that only a bug of the handler can cause. */
const OWN_ERROR = /^(?:Uncaught )?(?:TypeError|ReferenceError)\b/;

/** A failure because a tool has no example for a generated request is not the handler's fault. */
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
  // An invalid value that the handler only passes back is the peer's.
  if (kind === 'invalid' && (value === undefined || containsJson(input, value))) return undefined;
  const isFromTool = seen.calls.some(
    ({ output }) =>
      output !== undefined && (value === undefined ? mayBeHandedOn(subject, issue) : containsJson(output, value)),
  );
  return {
    rule: isOwed && !isFromTool ? 'generated-requests/breaks-schema' : 'generated-requests/may-break-schema',
    message: `the answer breaks its schema at "${issue.pointer}": ${issue.message}`,
  };
}

/** What a text shows if a number, time or object is not what the handler expects. */
const SLIPPED = /(?<![\p{L}\p{N}])(?:NaN|Invalid Date|\[object Object\])(?![\p{L}\p{N}])/u;

/** An answer to a valid request that is empty, or whose text shows that a value is missing. */
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
  const known = [input, cases.map(({ one }) => one.output), calls.map(({ output, error }) => [output, error?.message])];
  return `${subject.agreement.text}${JSON.stringify(known)}`.includes(slip)
    ? undefined
    : { rule: 'generated-requests/says-nothing', message: `the answer says ${slip}` };
}

/** Requests needed to conclude that a candidate never does something. */
const minRuns = 5;

/** Faults of all answers together, if no case shows an answer. */
function withoutCases({ subject, cases }: CheckFacts, runs: readonly Tried[]): Finding[] {
  if (cases.length > 0 || runs.length < minRuns) return [];
  const good = runs.filter(
    ({ seen }) => seen.end === 'returned' && seen.value !== undefined && seen.issues.length === 0,
  );
  const didFail = runs.some(({ seen }) => seen.calls.some(({ error }) => error !== undefined));
  if (good.length === 0 && !didFail) {
    const message = `none of ${runs.length} valid requests gets a valid answer`;
    return [{ rule: 'generated-requests/never-answers', message }];
  }
  const claims = good.filter(({ seen: { value } }) => reportsFailure(value ?? null) === false);
  if (subject.tools.length === 0 || claims.length < minRuns || runs.some(({ seen }) => seen.calls.length > 0))
    return [];
  return [{ rule: 'generated-requests/tool-never-called', message: 'no request makes it call any tool' }];
}

/**
 * Whether a fault of an answer may come from a tool or the request; not if a member is missing that neither of them
 * has.
 */
function mayBeHandedOn({ tools, requestSchema }: Subject, { keyword, expected }: SchemaIssue): boolean {
  if (keyword !== 'required' || typeof expected !== 'string') return true;
  const toolData = tools.map(({ outputSchema, examples, otherwise }) => ({ outputSchema, examples, otherwise }));
  return JSON.stringify([toolData, requestSchema]).includes(`${JSON.stringify(expected)}:`);
}

/** The tools, each with an answer to any input: its own default, or that of its first example. */
function withSomeAnswer(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const shown = tool.examples?.find((example) => 'output' in example && example.output !== null);
    return tool.otherwise || !shown || !('output' in shown) ? tool : { ...tool, otherwise: { output: shown.output } };
  });
}
