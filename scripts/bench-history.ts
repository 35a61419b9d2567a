/**
 * Prints what the history of jobs costs: the processor time of keeping one job's history, as a share of the processor
 * time that a worker's main process spends on such a job without a history. The cells, the bundler and the type checker
 * are not counted, so the share of all that a job uses is smaller.
 *
 * A difference between two runs of a worker would drown in noise. So the real entries of real jobs are recorded again,
 * many times, in this process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  connect,
  createProducer,
  type Delivery,
  disconnect,
  Histories,
  keysOf,
  localRedis,
  type QueueEvent,
} from '../queues/index.ts';
import { settings } from '../src/config.ts';
import type { History } from '../src/contract/history.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { startScriptedModel } from '../src/scripted-model/server.ts';
import { createHistoryRecorder } from '../src/telemetry/history-recorder.ts';
import type { JobEvent } from '../src/telemetry/job-event.ts';
import { createLog } from '../src/telemetry/log.ts';
import { readHistory } from '../src/telemetry/read-history.ts';
import { startWorker, stopWorker, workerSettings } from '../test/system/harness.ts';
import { cannedReading } from './canned-reading.ts';

const warmUps = 5;
const jobs = Number(process.argv[3] ?? 30);
if (!Number.isSafeInteger(jobs) || jobs < 1) {
  console.error(`Cannot bench: found ${process.argv[3]} jobs, wanted a whole number from 1`);
  process.exit(64);
}

/** How often the history of a job is recorded again. */
const repeats = 1_000;

/** The clock of `/proc/<pid>/stat`, in milliseconds; Linux has told programs 100 ticks a second for decades. */
const tickMs = 10;

const root = join(import.meta.dirname, '..');
const keys = keysOf();
const job = JSON.parse(readFileSync(join(root, 'fixtures/examples/anp-product-en.consistent.job.json'), 'utf8'));
const redis = await localRedis();
const reading = cannedReading();
const model = await startScriptedModel({
  scripts: readScripts(join(root, 'fixtures/completions')),
  behave: ({ to }) => (to === 'read' ? { kind: 'reply', text: reading } : { kind: 'script' }),
});
const connection = connect(redis.url, 'worker');

try {
  const off = await measureWorker('off');
  const on = await measureWorker('on');
  const kinds = { 'a job with a new handler': 'first', 'a job whose handler is stored': 'second' } as const;
  const rows = await Promise.all(
    Object.entries(kinds).map(async ([name, which]) => {
      const history = await readHistory(new Histories(connection, keys), on.last[which]);
      if (history === null) throw new Error(`Cannot measure history of ${on.last[which]}: found none, wanted it kept`);
      return { name, which, history };
    }),
  );
  const table: Record<string, object> = {};
  for (const { name, which, history } of rows) {
    const { cpuMs, bytes } = await measureRecording(history, connection);
    table[name] = {
      'worker, history off: CPU ms': rounded(off[which]),
      'worker, history on: CPU ms': rounded(on[which]),
      'keeping the history: CPU ms': rounded(cpuMs),
      'share in %': rounded((100 * cpuMs) / off[which]),
      entries: history.entries.length,
      'KB in Redis': rounded(bytes / 1_000),
    };
  }
  console.log(`${jobs} jobs of each kind, each history recorded ${repeats} times; Redis: ${redis.kind}`);
  console.table(table);
} finally {
  await disconnect(connection);
  await model.close();
  await redis.close();
}

/** The processor time of a worker's main process for each job, and the ids of the last jobs. */
async function measureWorker(history: 'on' | 'off') {
  const settingsOf = { ...workerSettings(redis.url, model.baseUrl), PROTOSMITH_LOG_LEVEL: 'info' };
  const worker = await startWorker({ ...settingsOf, PROTOSMITH_READING: 'late', PROTOSMITH_HISTORY: history });
  const producer = createProducer({ jobs: jobReader, url: redis.url });
  const play = async (tenant: string, negotiationId: string) => {
    const { jobId } = await producer.submit('generate', { ...job, tenant, negotiationId, timeoutMs: 120_000 });
    const outcome = await producer.waitForOutcome(jobId, { untilMs: Date.now() + 120_000 });
    if (outcome?.verdict !== 'generated')
      throw new Error(`Cannot measure job: found ${JSON.stringify(outcome?.findings ?? null)}, wanted generated`);
    return jobId;
  };
  const tenants = Array.from({ length: warmUps + jobs }, (_, index) => `bench-${history}-${index}`);
  const last = { first: '', second: '' };
  const spent = { first: 0, second: 0 };
  try {
    for (const which of ['first', 'second'] as const) {
      for (const tenant of tenants.slice(0, warmUps)) await play(tenant, which);
      const before = cpuMsOf(worker.pid);
      for (const tenant of tenants.slice(warmUps)) last[which] = await play(tenant, which);
      await sleep(500);
      spent[which] = (cpuMsOf(worker.pid) - before) / jobs;
    }
  } finally {
    await producer.close();
    await stopWorker(worker);
  }
  return { ...spent, last };
}

/** The processor time of keeping a history once, with everything that goes over the connection. */
async function measureRecording({ jobId, submitted, entries }: History, reader: Connection) {
  const limits = settings.history.fallback;
  if (limits === null || submitted === null) throw new Error('Cannot measure history: found none, wanted limits');
  const recorder = createHistoryRecorder(redis.url, keys, limits, createLog('error'));
  const { kind, text, dataDigest, tenant, takenAtMs } = submitted;
  const rawBytes = Buffer.byteLength(text);
  await sleep(200);
  const again = (id: string) => {
    const delivery = { jobId: id, kind, text, dataDigest, tenant, takenAtMs, rawBytes, delivery: 1 };
    recorder.onDelivery?.(delivery as Delivery);
    for (const { atMs: _, worker: __, ...entry } of entries) {
      if (entry.type === 'queue') recorder.onQueueEvent({ ...entry, jobId: id } as QueueEvent);
      else recorder.onJobEvent({ ...entry, job: id, negotiation: null, tenant } as JobEvent);
    }
  };
  for (let index = 0; index < 50; index += 1) again(`warm-${jobId}-${index}`);
  await sleep(1_000);
  const before = process.cpuUsage();
  for (let index = 0; index < repeats; index += 1) {
    again(`${jobId}-${index}`);
    // As jobs come: what is collected within a quarter of a second is sent together.
    if (index % 4 === 3) await sleep(1);
  }
  await recorder.close?.();
  const { user, system } = process.cpuUsage(before);
  const histories = new Histories(reader, keys);
  const kept = await histories.of(`${jobId}-${repeats - 1}`);
  if (kept?.entries.length !== entries.length)
    throw new Error(`Cannot measure history: found ${kept?.entries.length} entries, wanted ${entries.length}`);
  return { cpuMs: (user + system) / 1_000 / repeats, bytes: await histories.bytesOf(jobId) };
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
