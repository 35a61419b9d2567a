import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { bundleHandler, createSandbox, type LoadedHandler, type Sandbox } from '../../sandbox/index.ts';
import { analyze } from '../../src/analysis/analyze.ts';
import type { Model } from '../../src/completion/create-model.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Job } from '../../src/contract/job.ts';
import { emptyReading, ReadingWork } from '../../src/deriving/reading-work.ts';
import { assignmentFor } from '../../src/generation/assignment.ts';
import type { Attempted } from '../../src/generation/lane-candidate.ts';
import type { LaneContext } from '../../src/generation/lane-context.ts';
import { examine } from '../../src/generation/lane-trial.ts';
import { verifierVersion } from '../../src/handlers/verifier-version.ts';
import { WarmHandlers } from '../../src/handlers/warm-handlers.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { Budget } from '../../src/job/budget.ts';
import { clear } from '../../src/job/clear.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { requirementsOf } from '../../src/job/requirements.ts';
import type { Services } from '../../src/job/services.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { createTypeChecker } from '../../src/typing/type-checker.ts';
import { defaultCheckPolicy } from '../../src/verification/checks.ts';
import { hangMs, processBudgetOf, readingsInMemory } from './rig.ts';

const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costUsd: null };

/** Reads a job from its data. */
export function jobOf(data: JsonObject, kind = 'generate'): Job {
  const reading = readJob(kind, data);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.job;
}

/** The requirements of a candidate or a stored handler. */
export function heldTo(data: JsonObject) {
  return requirementsOf(clear(analyze(jobOf(data))), 'seed');
}

/** A stored handler of a job, with the parts of its record that a run needs. */
export async function recordOf(data: JsonObject, source: string): Promise<HandlerRecord> {
  const bundled = await bundleHandler(source, 'handle');
  assert.ok(bundled.ok);
  return {
    digest: bundled.digest,
    role: 'provider',
    bundle: bundled.bundle,
    tools: jobOf(data).tools.map(({ name }) => name),
    amendments: [],
    proof: { cases: [], tools: [], loose: [] },
    provenance: { tenant: 'default', verifierVersion, checks: [] },
  } as unknown as HandlerRecord;
}

/** Accepts all declarations, where types are not tested. */
export const trusting = { typeChecker: { admits: async () => true } };

/** A real sandbox whose cells can be killed, and the numbers of handlers loaded and closed. */
export async function startWorkbench() {
  const sandbox = await createSandbox({ cells: 1, exactly: 'permission' });
  const typeChecker = createTypeChecker();
  const counts = { loaded: 0, closed: 0, batches: 0 };
  let during: ((nthBatch: number) => Promise<void>) | undefined;
  const load: Sandbox['load'] = async (...given) => {
    counts.loaded += 1;
    const handler = await sandbox.load(...given);
    const runAll: LoadedHandler['runAll'] = async (...runs) => {
      counts.batches += 1;
      await during?.(counts.batches);
      return handler.runAll(...runs);
    };
    const close = async () => {
      counts.closed += 1;
      await handler.close();
    };
    return { run: handler.run.bind(handler), runAll, close };
  };
  const watched = { load } as Sandbox;

  /** The services of the stages; every question to the model gets the given answer. */
  const servicesWith = (answer: (prompt: string) => Json = () => assert.fail('nobody is to be asked')): Services => {
    const complete: Model['complete'] = async ({ turns }) => {
      const said = answer(turns.map(({ text }) => text).join('\n'));
      return { text: `\`\`\`json\n${JSON.stringify(said)}\n\`\`\``, model: 'm', usage, durationMs: 1 };
    };
    return {
      completer: { generator: 'scripted', speed: () => null, complete, other: { complete } },
      typeChecker,
      bundle: bundleHandler,
      checkPolicy: defaultCheckPolicy,
      sandbox: watched,
      warm: new WarmHandlers(watched, async () => false),
      readings: readingsInMemory(),
      readingMode: 'off',
      confirmer: { complete },
    } as Partial<Services> as Services;
  };

  return {
    counts,
    sandbox: watched,
    servicesWith,
    ledger: () => new Ledger({ jobId: 'job', negotiationId: null }, () => undefined),
    /** Sets what happens when the nth batch of runs, from 1, goes to the sandbox; returns the setting before. */
    disturb(happens: typeof during): typeof during {
      const before = during;
      counts.batches = 0;
      during = happens;
      return before;
    },
    /** The context of a job before its first candidate. */
    async workOn(data: JsonObject, answer?: (prompt: string) => Json): Promise<LaneContext> {
      return {
        assignment: await assignmentFor(heldTo(data), { typeChecker }),
        services: servicesWith(answer),
        ledger: new Ledger({ jobId: 'job', negotiationId: null }, () => undefined),
        budget: new Budget(
          { maxCandidates: 6, maxCompletions: 8, maxTokens: null, maxCostUsd: null },
          processBudgetOf(),
        ),
        tried: [],
        reading: noReading(),
        peerDeadline: farOff(),
        modules: new Map(),
        running: new Set(),
      };
    },
    /** Verifies a module. */
    examine: (source: string, work: LaneContext): Promise<Attempted> =>
      examine({ text: `\`\`\`ts\n${source}\n\`\`\``, model: 'm', usage, durationMs: 1 }, 1, work, farOff()),
    /** Kills all cells, as the kernel does when memory runs out; returns how many there were. */
    endCells,
    async close() {
      await Promise.all([sandbox.close(), typeChecker.close()]);
    },
  };
}

/** The reading of a job with readings off. */
export function noReading(): ReadingWork {
  return new ReadingWork('off', [], async () => emptyReading(0));
}

/** A deadline that no test reaches. */
export function farOff(): Deadline {
  return new Deadline(Date.now() + hangMs, new AbortController().signal);
}

function endCells(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const cells = children.filter((child) => commandLineOf(child).includes('isolated-vm'));
  for (const cell of cells) process.kill(Number(cell), 'SIGKILL');
  return cells.length;
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
