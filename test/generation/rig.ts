import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { bundleHandler, createSandbox } from '../../sandbox/index.ts';
import { analyze } from '../../src/analysis/analyze.ts';
import { createModel, type Model } from '../../src/completion/create-model.ts';
import type { Report } from '../../src/contract/outcome.ts';
import type { ReadingStore } from '../../src/contract/ports.ts';
import type { KeptReading, ReadingMode } from '../../src/contract/reading.ts';
import { startReading } from '../../src/deriving/read.ts';
import { type Assignment, assignmentFor } from '../../src/generation/assignment.ts';
import { generate } from '../../src/generation/generate.ts';
import type { Tested } from '../../src/generation/lane-candidate.ts';
import { WarmHandlers } from '../../src/handlers/warm-handlers.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { type JobLimits, openBudget, type SpendingBook } from '../../src/job/budget.ts';
import { clear } from '../../src/job/clear.ts';
import { EarlyEnd } from '../../src/job/conclusion.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { type HourLimits, ProcessBudget } from '../../src/job/process-budget.ts';
import { requirementsOf } from '../../src/job/requirements.ts';
import type { Services } from '../../src/job/services.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { CONFIRM_SYSTEM_PROMPT } from '../../src/prompting/confirm-prompt.ts';
import { JUDGE_SYSTEM_PROMPT } from '../../src/prompting/judge-prompt.ts';
import { READ_SYSTEM_PROMPT } from '../../src/prompting/read-prompt.ts';
import { REPAIR_HEADING } from '../../src/prompting/render-repair.ts';
import { type Behaviour, type Question, startScriptedModel } from '../../src/scripted-model/server.ts';
import type { JobEvent } from '../../src/telemetry/job-event.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';
import { defaultCheckPolicy } from '../../src/verification/checks.ts';
import { type Told, told } from '../told.ts';

/** Far longer than any test waits. */
export const hangMs = 60_000;

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'fixtures/candidates/product-lookup');

/** Looks a product up by its id: 404 where there is none, 500 where the catalogue cannot be asked. */
export function productJob(more: JsonObject = {}): JsonObject & { agreement: JsonObject; testCases: JsonObject } {
  return { ...JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')), ...more };
}

/** The job with another text of its cases. */
export function withCaseText(job: ReturnType<typeof productJob>, change: (text: string) => string): JsonObject {
  const text = String(job.testCases.testCases);
  const changed = change(text);
  if (changed === text) throw new Error('Cannot change cases: nothing to change, wanted something');
  return { ...job, testCases: { ...job.testCases, testCases: changed } };
}

/** A sound handler of `productJob`. */
export const soundSource = readFileSync(join(folder, 'sound.ts'), 'utf8');

/** A table of its examples. */
export const tableSource = readFileSync(join(folder, 'table.ts'), 'utf8');

/** A module as a model's answer. */
export function module(source: string): Behaviour & { kind: 'reply' } {
  return { kind: 'reply', text: `\`\`\`ts\n${source.trim()}\n\`\`\`` };
}

/** The sound module with a part of its text replaced. */
export function soundBut(part: string, replacement: string): Behaviour & { kind: 'reply' } {
  if (!soundSource.includes(part)) throw new Error(`Cannot change module: no "${part}" in it`);
  return module(soundSource.replaceAll(part, replacement));
}

/** An answer in JSON: a refusal, or the answer of a judge. */
export function json(value: JsonObject): Behaviour {
  return { kind: 'reply', text: `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` };
}

/** The answer of a reader or second reader: one JSON object a line. */
export function lines(...objects: JsonObject[]): Behaviour {
  return { kind: 'reply', text: objects.map((one) => JSON.stringify(one)).join('\n') };
}

/** The purpose of a question. */
export type Purpose = 'fresh' | 'repair' | 'judge' | 'read' | 'confirm';

/**
 * A question of the current job with its purpose: `nth` counts all questions of the job, the other number those of the
 * same purpose, from 1.
 */
export interface Asked extends Question {
  purpose: Purpose;
  nthOfPurpose: number;
}

/** The result of generating. */
export interface Played {
  tested: Tested | null;
  conclusion: Told | null;
  /** The error, where it was not an early end of the job. */
  thrown: unknown;
  asked: Asked[];
  report: Report;
  events: JobEvent[];
}

/** Generates handlers with a real sandbox, a real type-check and a real server as the model. One for each test file. */
export async function startGeneration() {
  const sandbox = await createSandbox({ cells: 2 });
  const typeChecker = createTypeChecker();
  let behave: (question: Question) => Behaviour = () => ({ kind: 'status', status: 500 });
  const server = await startScriptedModel({ behave: (question) => behave(question) });
  after(async () => {
    await Promise.all([server.close(), sandbox.close(), typeChecker.close()]);
  });
  const modelWith = (prices: { inputUsd: number; outputUsd: number } | null = null): Model =>
    createModel({
      models: [{ model: 'scripted', generator: 'scripted', baseUrl: server.baseUrl, prices }],
      retries: { retries: 1, baseMs: 10 },
    });
  const fallback = modelWith();
  let plays = 0;

  /** Generates a handler for a job; `answer` answers every question. */
  const play = async (
    data: JsonObject,
    answer: (asked: Asked) => Behaviour,
    options: {
      model?: Model;
      limits?: Partial<JobLimits>;
      processBudget?: ProcessBudget;
      spending?: SpendingBook;
      timeoutMs?: number;
      /** The peer's deadline; default: the work's deadline. */
      peerDeadline?: Deadline;
      /** Aborts the work. */
      calledOff?: AbortSignal;
      mayThrow?: true;
      /** Whether the model may repeat a module exactly; by default each module is different. */
      repeats?: true;
      /** The reading mode; default: `off`. */
      reading?: ReadingMode;
      readings?: ReadingStore;
      change?: (order: Assignment) => Assignment;
    } = {},
  ): Promise<Played> => {
    const asked: Asked[] = [];
    plays += 1;
    // An aborted question may still arrive while the next job runs.
    const mark = `\n(job ${plays})`;
    const model = options.model ?? fallback;
    const complete: Model['complete'] = ({ system, turns }, ...more) => {
      const last = turns.length - 1;
      const marked = turns.map((turn, at) => (at === last ? { ...turn, text: `${turn.text}${mark}` } : turn));
      return model.complete({ system, turns: marked }, ...more);
    };
    behave = (marked) => {
      if (!marked.prompt.endsWith(mark)) return { kind: 'status', status: 500 };
      const question = { ...marked, prompt: marked.prompt.slice(0, -mark.length) };
      const purpose = purposeOf(question);
      const nthOfPurpose = asked.filter((one) => one.purpose === purpose).length + 1;
      const one = { ...question, nth: asked.length + 1, purpose, nthOfPurpose };
      asked.push(one);
      return options.repeats === true ? answer(one) : varied(answer(one), given);
    };
    const given: string[] = [];
    const job = readJob('generate', data);
    if (!job.ok) throw new Error(JSON.stringify(job.faults));
    const events: JobEvent[] = [];
    const ledger = new Ledger({ jobId: 'job', negotiationId: null }, (event) => void events.push(event));
    const services: Services = {
      completer: { ...model, complete },
      model: 'scripted',
      typeChecker,
      bundle: bundleHandler,
      checkPolicy: defaultCheckPolicy,
      sandbox,
      warm: new WarmHandlers(sandbox, async () => false),
      handlers: undefined as never,
      readings: options.readings ?? readingsInMemory(),
      readingMode: options.reading ?? 'off',
      confirmer: { complete },
      limits: { maxCandidates: 6, maxCompletions: 12, maxTokens: null, maxCostUsd: null, ...options.limits },
      spending: options.spending ?? { of: async () => ({}), note: () => undefined },
      unanswered: { of: async () => [], keep: async () => undefined },
      processBudget: options.processBudget ?? processBudgetOf(),
      onJobEvent: () => undefined,
    };
    const timeoutMs = options.timeoutMs ?? hangMs;
    const calledOff = options.calledOff ?? new AbortController().signal;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), calledOff]);
    const deadline = new Deadline(Date.now() + timeoutMs, signal);
    const ended = { tested: null, conclusion: null, thrown: undefined, asked, events };
    try {
      const held = requirementsOf(clear(analyze(job.job)), 'seed');
      const budget = await openBudget(services, ledger.jobId, job.job.tenant);
      const reading = startReading(held, { services, ledger, budget }, deadline);
      const plain = await assignmentFor(held, services);
      const order = options.change?.(plain) ?? plain;
      const peerDeadline = options.peerDeadline ?? deadline;
      const tested = await generate({ services, ledger, budget, assignment: order, reading, deadline, peerDeadline });
      return { ...ended, tested, report: ledger.report() };
    } catch (error) {
      if (error instanceof EarlyEnd)
        return { ...ended, conclusion: told(error.conclusion, job.job.kind, job.job), report: ledger.report() };
      if (options.mayThrow === true) return { ...ended, thrown: error, report: ledger.report() };
      throw error;
    }
  };
  return { play, modelWith, fallback };
}

/** The answer of a model, with a module that differs from all earlier ones. */
function varied(answer: Behaviour, given: string[]): Behaviour {
  if (answer.kind !== 'reply') return answer;
  given.push(answer.text);
  const times = given.filter((text) => text === answer.text).length;
  const isModule = /^`{3,}ts\n/.test(answer.text);
  return times > 1 && isModule
    ? { ...answer, text: answer.text.replace(/\n(?=`+$)/, `\n// version ${times}\n`) }
    : answer;
}

/** The readings of one test, in memory. */
export function readingsInMemory(): ReadingStore {
  const kept = new Map<string, KeptReading>();
  return {
    get: async (tenant, key) => kept.get(`${tenant} ${key}`) ?? null,
    put: async (tenant, key, reading) => void kept.set(`${tenant} ${key}`, reading),
    once: async (_tenant, _key, { found, work, signal }) => (await found()) ?? (await work(signal)),
  };
}

/** A process budget without limits, except for the given methods. */
export function processBudgetOf(limits: Partial<HourLimits> = {}, clock?: () => number): ProcessBudget {
  const none = { maxTokensPerHourPerTenant: null, maxCostUsdPerHourPerTenant: null };
  return new ProcessBudget({ maxTokensPerHour: null, maxCostUsdPerHour: null, ...none, ...limits }, clock);
}

/** The codes of the errors that a job ended with. */
export function codes({ conclusion }: Played): string[] {
  const errors = conclusion?.findings.filter(({ severity }) => severity === 'error') ?? [];
  return [...new Set(errors.map(({ code }) => code))];
}

/** Never resolves, so that only an abort ends it. */
export const silence: Behaviour = { kind: 'stall' };

function purposeOf({ system, prompt }: Question): Purpose {
  if (system === JUDGE_SYSTEM_PROMPT) return 'judge';
  if (system === READ_SYSTEM_PROMPT) return 'read';
  if (system === CONFIRM_SYSTEM_PROMPT) return 'confirm';
  return prompt.includes(REPAIR_HEADING) ? 'repair' : 'fresh';
}
