import type { ToolAnswer } from '../contract/job.ts';
import type { DerivedCase, DropReason, ScriptedAnswer } from '../contract/reading.ts';
import type { Observation, Peer, PeerAnswer, Scenario, Script } from '../contract/trial.ts';
import { patched } from '../documents/apply-patch.ts';
import { canonicalJson } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { caseScenario } from '../verification/case-scenarios.ts';
import { looseReplacements, substitute } from '../verification/loose-places.ts';
import { type RunnableCase, runnableCases } from '../verification/runnable-cases.ts';
import { leavesOf } from '../verification/scalar-kinds.ts';
import { defaultTrialNowMs, type Subject } from '../verification/subject.ts';
import { satisfiesAll } from './assertions.ts';

/** A derived case that is ready to run. */
export interface World {
  entry: DerivedCase;
  /** `null` if it starts from no negotiated case. */
  base: RunnableCase | null;
  scenario: Scenario;
  /** The values that `sameAsBase` accepts: the base case's answer, as it is and with the ids of the changed request. */
  baseAnswers: Json[];
}

/** A run of a world, and the runs it may be compared with, by entry id or case number. */
export interface WorldRun {
  world: World;
  seen: Observation;
  others: ReadonlyMap<string | number, OtherRun>;
}

/** A run that another run is compared with. */
export interface OtherRun {
  input: Json;
  seen: Observation;
}

/** Builds the world of a derived case, or returns the reason why it cannot be built. */
export function worldOf(entry: DerivedCase, subject: Subject): World | DropReason {
  const base = entry.base === 0 ? null : runnableCases(subject).find(({ testCase }) => testCase === entry.base);
  if (base === undefined) return 'base';
  const input = patched(base?.input ?? null, entry.request ?? []);
  if (input === undefined) return 'request';
  if (base === null && entry.request === undefined) return 'request';
  const known = new Set(subject.tools.map(({ name }) => name));
  const unknown = Object.keys(entry.tools ?? {}).find((name) => !known.has(name));
  if (unknown !== undefined) return 'tool';
  if (entry.peer !== undefined && subject.role === 'provider') return 'peer';
  const start = base === null ? freeScenario(subject) : caseScenario(subject, base);
  const scripts = Object.entries(entry.tools ?? {}).map(([name, answers]): [string, Script] => [
    name,
    scriptOf(answers, exampleAnswers(subject, name)),
  ]);
  const scenario: Scenario = {
    ...start,
    input,
    ...(scripts.length === 0 ? {} : { scripts: Object.fromEntries(scripts) }),
    ...(entry.peer === undefined ? {} : { peer: scriptedPeer(entry.peer, start.peer, base) }),
  };
  return { entry, base, scenario, baseAnswers: base === null ? [] : baseAnswers(base, input) };
}

function freeScenario(subject: Subject): Scenario {
  return {
    input: null,
    tools: subject.tools as Scenario['tools'],
    seed: 'derived',
    nowMs: subject.nowMs ?? defaultTrialNowMs,
  };
}

/** How a tool answers by the job's examples. */
function exampleAnswers({ tools }: Subject, name: string): (input: Json) => ToolAnswer | undefined {
  const tool = tools.find((one) => one.name === name);
  const examples = new Map((tool?.examples ?? []).toReversed().map((one) => [canonicalJson(one.input), one]));
  return (input) => examples.get(canonicalJson(input)) ?? tool?.otherwise;
}

function scriptOf(answers: readonly ScriptedAnswer[], example: (input: Json) => ToolAnswer | undefined): Script {
  return (input, before) => {
    const answer = matchingAnswer(answers, input, before);
    if (answer === undefined) return undefined;
    if (answer.fail !== undefined) return { error: failure(answer) };
    if (answer.output !== undefined) return { output: answer.output };
    const usualAnswer = example(input);
    if (usualAnswer === undefined || !('output' in usualAnswer)) return undefined;
    const output = patched(usualAnswer.output, answer.patch ?? []);
    return output === undefined ? undefined : { output };
  };
}

/** The answer to an input after the inputs `before`; `undefined` if none matches. */
function matchingAnswer(
  answers: readonly ScriptedAnswer[],
  input: Json,
  before: readonly Json[],
): ScriptedAnswer | undefined {
  if (!answers.some(({ when, times }) => when !== undefined || times !== undefined))
    return answers[Math.min(before.length, answers.length - 1)];
  const remaining = new Map(answers.map((one) => [one, one.times ?? Number.POSITIVE_INFINITY]));
  let answer: ScriptedAnswer | undefined;
  for (const each of [...before, input]) {
    answer = answers.find((one) => (remaining.get(one) ?? 0) > 0 && satisfiesAll(one.when ?? [], each));
    if (answer !== undefined) remaining.set(answer, (remaining.get(answer) ?? 0) - 1);
  }
  return answer;
}

function failure({ fail = 'FAILED', message }: ScriptedAnswer): { code: 'FAILED' | 'TIMEOUT'; message: string } {
  return { code: fail, message: message ?? '' };
}

const unanswerable = {
  error: { code: 'FAILED', message: '' },
  unanswered: true,
} as const;

/**
 * A peer that answers by a script and echoes ids as the base case does; if no scripted answer matches, it
 * answers as in the base case.
 */
function scriptedPeer(answers: readonly ScriptedAnswer[], usual: Peer | undefined, base: RunnableCase | null): Peer {
  const echoed = (response: Json, request: Json): Json =>
    base === null ? response : substitute(response, looseReplacements(base.case.request, request, base.loose));
  return async (request, nth, before = []) => {
    const asUsual = (): PeerAnswer | Promise<PeerAnswer> => usual?.(request, nth, before) ?? { ...unanswerable };
    const answer = matchingAnswer(answers, request, before);
    if (answer === undefined) return asUsual();
    if (answer.fail !== undefined) return { error: failure(answer) };
    if (answer.response !== undefined) return { response: echoed(answer.response, request) };
    const usualAnswer = await asUsual();
    // A request that no case has, such as for another page, gets the base case's response as well.
    if ('error' in usualAnswer && base === null) return usualAnswer;
    const usualResponse = 'error' in usualAnswer ? echoed(base?.case.response ?? null, request) : usualAnswer.response;
    const response = patched(usualResponse, answer.patch ?? []);
    return response === undefined ? { ...unanswerable } : { response };
  };
}

/** The base case's answer, as it is and with the changed values of the request where the answer repeats them. */
function baseAnswers(base: RunnableCase, input: Json): Json[] {
  const renamed = substitute(base.output, changedTexts(base.input, input));
  return equalJson(renamed, base.output) ? [base.output] : [base.output, renamed];
}

/** The texts of a value that differ in another value at the same places. */
export function changedTexts(before: Json, after: Json): { from: Json; to: Json }[] {
  const valuesAfter = new Map(leavesOf(after).map(({ pointer, value }) => [pointer, value]));
  return leavesOf(before).flatMap(({ pointer, value }) => {
    const other = valuesAfter.get(pointer);
    return other === undefined || other === value || typeof value !== 'string' ? [] : [{ from: value, to: other }];
  });
}
