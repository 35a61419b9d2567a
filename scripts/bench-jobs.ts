/**
 * Prints the time of a job besides the model's, stage by stage, and that of a job whose handler is stored already. For
 * comparison, the same run measures two lower bounds: a bare BullMQ job that does nothing, and a bare isolate that is
 * created, run once and disposed of. A scripted reader reads each agreement; jobs without readings are measured too.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue, QueueEvents, Worker } from 'bullmq';
import ivm from 'isolated-vm';
import { connect, createProducer, disconnect, keysOf, localRedis } from '../queues/index.ts';
import { readConfig } from '../src/config.ts';
import type { Outcome } from '../src/contract/outcome.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { startScriptedModel } from '../src/scripted-model/server.ts';
import { createLog } from '../src/telemetry/log.ts';
import { composeWorker } from '../src/worker/compose.ts';
import { cannedReading } from './canned-reading.ts';

/** Jobs before the measurement, for caches and just-in-time compilation to settle. */
const warmUps = 3;
const jobs = Number(process.argv[3] ?? 30);
if (!Number.isSafeInteger(jobs) || jobs < 1) {
  console.error(`Cannot bench: found ${process.argv[3]} jobs, wanted a whole number from 1`);
  process.exit(64);
}

const root = join(import.meta.dirname, '..');
const job = JSON.parse(readFileSync(join(root, 'fixtures/examples/anp-product-en.amended.job.json'), 'utf8'));
const redis = await localRedis();
const reading = cannedReading();
const model = await startScriptedModel({
  scripts: readScripts(join(root, 'fixtures/completions')),
  behave: ({ to }) => (to === 'read' ? { kind: 'reply', text: reading } : { kind: 'script' }),
});
/** The id of the last stream entry that was read. */
let last = '0';

try {
  console.log(
    `${jobs} jobs, one after the other, after ${warmUps} to warm up; Redis: ${redis.kind}; Node ${process.version}`,
  );
  const { stages, wholes, reused } = await measureJobs('late');
  const unread = await measureJobs('off');
  const bareJobs = await measureBareJobs();
  const bareRuns = await measureBareRuns();

  const ownMs = withoutModel(wholes, stages);
  // The reading runs while the module is written, so it adds no time of its own.
  stages.delete('read');
  const inStages = wholes.map((_, index) => [...stages.values()].reduce((sum, each) => sum + (each[index] ?? 0), 0));
  const queueMs = wholes.map((whole, index) => whole - (inStages[index] ?? 0));
  stages.delete('complete');
  console.table({
    ...Object.fromEntries([...stages].map(([stage, each]) => [`stage ${stage}`, spread(each)])),
    'queue, and waiting for the reading': spread(queueMs),
    'a job without the model': spread(ownMs),
    'a job whose handler is stored': spread(reused),
    'readings off: a job without the model': spread(withoutModel(unread.wholes, unread.stages)),
    'readings off: a job whose handler is stored': spread(unread.reused),
    'floor: bare BullMQ add → process → done': spread(bareJobs),
    'floor: bare isolate, one run': spread(bareRuns),
  });
} finally {
  await model.close();
  await redis.close();
}

interface Measured {
  /** Stage → its time in each job. */
  stages: Map<string, number[]>;
  /** From submitting a job to reading its outcome from the stream. */
  wholes: number[];
  /** The same for jobs whose handler is stored. */
  reused: number[];
}

/**
 * Runs every job twice: for a tenant without handlers, then as another negotiation of the same tenant. All times in
 * milliseconds.
 */
async function measureJobs(readings: 'late' | 'off'): Promise<Measured> {
  const config = readConfig({
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.baseUrl,
    PROTOSMITH_MODEL: 'scripted',
    PROTOSMITH_GENERATOR: 'scripted',
    PROTOSMITH_READING: readings,
  });
  const worker = await composeWorker(config, createLog('error'));
  const producer = createProducer({ jobs: jobReader, url: redis.url, prefix: config.prefix });
  const reader = connect(redis.url, 'worker');
  const keys = keysOf(config.prefix);
  const found: Measured = { stages: new Map(), wholes: [], reused: [] };
  const play = async (tenant: string, negotiationId: string) => {
    const startMs = performance.now();
    const { jobId } = await producer.submit('generate', { ...job, tenant, negotiationId });
    const read = await reader.xread('COUNT', 1, 'BLOCK', 60_000, 'STREAMS', keys.outcomes('default'), last);
    const wholeMs = performance.now() - startMs;
    last = read?.[0]?.[1]?.[0]?.[0] ?? last;
    const outcome = (await producer.outcomeOf(jobId)) as Outcome | null;
    if (outcome?.verdict !== 'generated') {
      throw new Error(`Cannot measure job: found ${JSON.stringify(outcome?.findings ?? null)}, wanted generated`);
    }
    return { wholeMs, report: outcome.report };
  };
  try {
    await worker.ready();
    for (let index = -warmUps; index < jobs; index += 1) {
      const tenant = `bench-${readings}-${index + warmUps}`;
      const first = await play(tenant, 'first');
      const second = await play(tenant, 'second');
      if (!second.report.reused) throw new Error('Cannot measure reuse: found a new handler, wanted the stored one');
      const state = first.report.reading?.state;
      if (state !== (readings === 'off' ? 'off' : 'complete'))
        throw new Error(
          `Cannot measure job: found a reading that is ${state}, wanted it ${readings === 'off' ? 'off' : 'complete'}`,
        );
      if (index < 0) continue;
      found.wholes.push(first.wholeMs);
      found.reused.push(second.wholeMs);
      for (const [stage, ms] of Object.entries(first.report.timings)) {
        const each = found.stages.get(stage) ?? [];
        each.push(ms);
        found.stages.set(stage, each);
      }
    }
  } finally {
    await producer.close();
    await disconnect(reader);
    await worker.close();
  }
  return found;
}

/** The time of each job without the model's answer. */
function withoutModel(wholes: readonly number[], stages: ReadonlyMap<string, readonly number[]>): number[] {
  return wholes.map((whole, index) => whole - (stages.get('complete')?.[index] ?? 0));
}

async function measureBareJobs(): Promise<number[]> {
  const connection = { url: redis.url, maxRetriesPerRequest: null };
  const queue = new Queue('bare', { connection });
  const events = new QueueEvents('bare', { connection });
  const worker = new Worker('bare', async () => 'done', { connection });
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  const found: number[] = [];
  for (let index = -warmUps; index < jobs; index += 1) {
    const startMs = performance.now();
    const added = await queue.add('bare', job);
    await added.waitUntilFinished(events);
    if (index >= 0) found.push(performance.now() - startMs);
  }
  await Promise.all([worker.close(), events.close(), queue.close()]);
  return found;
}

async function measureBareRuns(): Promise<number[]> {
  const input = JSON.stringify({ messageId: 'msg001', productId: 'P12345' });
  const found: number[] = [];
  for (let index = -warmUps; index < jobs; index += 1) {
    const startMs = performance.now();
    const isolate = new ivm.Isolate({ memoryLimit: 32 });
    const context = await isolate.createContext();
    const handle = await context.eval('(text) => JSON.stringify({ ...JSON.parse(text), status: 200 })', {
      reference: true,
    });
    await handle.apply(undefined, [input]);
    isolate.dispose();
    if (index >= 0) found.push(performance.now() - startMs);
  }
  return found;
}

/** Median and 95th percentile, in milliseconds. */
function spread(each: readonly number[]): { 'median ms': number; 'p95 ms': number } {
  const sorted = [...each].sort((one, other) => one - other);
  const at = (part: number) => Number((sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN).toFixed(2));
  return { 'median ms': at(0.5), 'p95 ms': at(0.95) };
}
