import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Envelope } from '../../queues/index.ts';
import { bundleHandler, createSandbox } from '../../sandbox/index.ts';
import { createModel } from '../../src/completion/create-model.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Kind } from '../../src/contract/job.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { HandlerStore, ReadingStore } from '../../src/contract/ports.ts';
import { WarmHandlers } from '../../src/handlers/warm-handlers.ts';
import { ProcessBudget } from '../../src/job/process-budget.ts';
import type { Services } from '../../src/job/services.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { runJob } from '../../src/pipeline/pipeline.ts';
import type { Purpose } from '../../src/scripted-model/purpose.ts';
import { type Behaviour, type Question, startScriptedModel } from '../../src/scripted-model/server.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';
import { defaultCheckPolicy } from '../../src/verification/checks.ts';

const candidates = join(import.meta.dirname, '../../fixtures/candidates');

/** The job of a folder of fixtures/candidates. */
export function fixtureJob(name: string): JsonObject & { agreement: JsonObject; testCases: JsonObject } {
  return JSON.parse(readFileSync(join(candidates, name, 'job.json'), 'utf8'));
}

/** The sound module of such a folder, as a model's answer. */
export function soundModule(name: string): string {
  return `\`\`\`ts\n${readFileSync(join(candidates, name, 'sound.ts'), 'utf8').trim()}\n\`\`\``;
}

/** The model's answers by purpose; a fault for purposes that are not named. */
export type Answers = Partial<Record<Purpose, (question: Question) => string | Behaviour>>;

/** The result of one job, and what it left in the store. */
export interface Went {
  outcome: Outcome;
  asked: Purpose[];
  record: HandlerRecord | undefined;
}

/** The pipeline with a real sandbox, a real server as the model, and in-memory stores that all jobs share. */
export async function startPipeline() {
  const sandbox = await createSandbox({ cells: 1 });
  const typeChecker = createTypeChecker();
  let answers: Answers = {};
  const asked: Purpose[] = [];
  const server = await startScriptedModel({
    behave: (question) => {
      asked.push(question.to);
      const answer = answers[question.to]?.(question) ?? { kind: 'status', status: 400 };
      return typeof answer === 'string' ? { kind: 'reply', text: answer } : answer;
    },
  });
  after(async () => {
    await Promise.all([server.close(), sandbox.close(), typeChecker.close()]);
  });
  const records = new Map<string, HandlerRecord>();
  const handlers: HandlerStore = {
    put: async (record) => void records.set(record.digest, structuredClone(record)),
    touch: async () => undefined,
    get: async (_tenant, digest) => structuredClone(records.get(digest) ?? null),
    find: async () => [],
    withdraw: async () => undefined,
    withdrawnFor: async () => null,
    once: async (_tenant, _key, { found, work, signal }) => (await found()) ?? work(signal),
  };
  const readings: ReadingStore = {
    get: async () => null,
    put: async () => undefined,
    once: async (_tenant, _key, { found, work, signal }) => (await found()) ?? work(signal),
  };
  const model = createModel({
    models: [{ model: 'scripted', generator: 'scripted', baseUrl: server.baseUrl, prices: null }],
    retries: { retries: 0, baseMs: 10 },
  });
  const free = { maxTokensPerHourPerTenant: null, maxCostUsdPerHourPerTenant: null };
  const services: Services = {
    completer: model,
    model: 'scripted',
    typeChecker,
    bundle: bundleHandler,
    checkPolicy: defaultCheckPolicy,
    sandbox,
    warm: new WarmHandlers(sandbox, async () => false),
    handlers,
    readings,
    readingMode: 'late',
    confirmer: model,
    limits: { maxCandidates: 1, maxCompletions: 8, maxTokens: null, maxCostUsd: null },
    spending: { of: async () => ({}), note: () => undefined },
    unanswered: { of: async () => [], keep: async () => undefined },
    processBudget: new ProcessBudget({ maxTokensPerHour: null, maxCostUsdPerHour: null, ...free }),
    onJobEvent: () => undefined,
  };
  /** Runs one job to its outcome. */
  const run = async (
    kind: Kind,
    data: JsonObject,
    given: Answers,
    { timeoutMs = 120_000, ...more }: Partial<Services> & { timeoutMs?: number } = {},
  ): Promise<Went> => {
    answers = given;
    asked.length = 0;
    let published: Outcome | undefined;
    const taken = {
      jobId: 'job',
      kind,
      negotiationId: null,
      tenant: 'default',
      data,
      dataDigest: '',
      rawBytes: JSON.stringify(data).length,
      deadlineAtMs: Date.now() + timeoutMs,
      delivery: 1,
      signal: new AbortController().signal,
      publishNow: async (early: Envelope) => {
        published = early as unknown as Outcome;
        return true;
      },
      announced: [],
      announceEarly: () => assert.fail('nothing to announce'),
      announceLate: () => assert.fail('nothing to announce'),
    };
    const outcome = (await runJob(taken, { ...services, ...more })) ?? published;
    assert.ok(outcome);
    return { outcome, asked: [...asked], record: records.get(outcome.handler?.digest ?? '') };
  };
  return { run, records, services };
}
