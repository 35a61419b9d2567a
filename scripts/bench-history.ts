/**
 * Prints what recording jobs costs, of their history and of metrics with heartbeats: the processor time for one job, as
 * a share of the processor time that a worker's main process spends on such a job without a history. The cells, the
 * bundler and the type checker are not counted, so the share of all that a job uses is smaller. Wanted: under 3 %.
 *
 * A difference between two runs of a worker would drown in noise. So the real entries of real jobs are recorded again,
 * many times, in this process; what the loop itself costs is measured too, and taken off.
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
  Heartbeats,
  Histories,
  keysOf,
  localRedis,
  type QueueEvent,
} from '../queues/index.ts';
import { settings } from '../src/config.ts';
import type { History, HistoryEntry } from '../src/contract/history.ts';
import { jobReader } from '../src/pipeline/job-reader.ts';
import { readScripts } from '../src/scripted-model/script.ts';
import { startScriptedModel } from '../src/scripted-model/server.ts';
import { heartbeatSeconds } from '../src/telemetry/heartbeat.ts';
import { createHistoryRecorder } from '../src/telemetry/history-recorder.ts';
import type { JobEvent } from '../src/telemetry/job-event.ts';
import { createLog } from '../src/telemetry/log.ts';
import { readHistory } from '../src/telemetry/read-history.ts';
import type { Recorder } from '../src/telemetry/recorder.ts';
import { createWorkerMetrics } from '../src/telemetry/worker-metrics.ts';
import { WorkerTally } from '../src/telemetry/worker-tally.ts';
import { startWorker, stopWorker, workerSettings } from '../test/system/harness.ts';
import { cannedReading } from './canned-reading.ts';

/** A new worker spends several times as much on a job as one that has warmed up. */
const warmUps = { first: 100, second: 600 };
const jobs = Number(process.argv[3] ?? 30);
if (!Number.isSafeInteger(jobs) || jobs < 1) {
  console.error(`Cannot bench: found ${process.argv[3]} jobs, wanted a whole number from 1`);
  process.exit(64);
}

/** Jobs of a worker at once. */
const atOnce = 8;

/** How often a job is recorded again, and how many of these at once. */
const repeats = 1_000;
const block = 100;

/** Longer than a worker collects entries before it sends them, in milliseconds. */
const collectedMs = 200;

/** How often Prometheus asks by default, in milliseconds. */
const scrapeMs = 15_000;

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
  const { recorder: counting, standing } = countingParts();
  const measured: ((typeof rows)[number] & { floor: number; kept: number; counted: number })[] = [];
  for (const row of rows) {
    const floor = await measureRecording(row.history, silent());
    const kept = await measureRecording(row.history, historyRecorder());
    measured.push({ ...row, floor, kept, counted: await measureRecording(row.history, counting) });
  }
  const { beatMs, readMs } = await standing(connection);
  // Whatever jobs there are. Of a worker that is busy all the time, each takes this share of every job.
  const beatShare = (100 * beatMs) / (heartbeatSeconds * 1_000);
  const readShare = (100 * readMs) / scrapeMs;
  const table: Record<string, object> = {};
  for (const { name, which, history, floor, kept, counted } of measured) {
    const share = (cpuMs: number) => (100 * Math.max(0, cpuMs - floor)) / off[which];
    table[name] = {
      'worker, history off: CPU ms': rounded(off[which]),
      'worker, history on: CPU ms': rounded(on[which]),
      'recording by none: CPU ms': rounded(floor),
      'by the history: CPU ms': rounded(kept),
      'by metrics and tally: CPU ms': rounded(counted),
      'history: %': rounded(share(kept)),
      'metrics and heartbeats: %': rounded(share(counted) + beatShare + readShare),
      entries: history.entries.length,
      'KB in Redis': rounded((await keptBytes(history, connection)) / 1_000),
    };
  }
  console.log(
    `${jobs} new handlers after ${warmUps.first}, ten times as many stored ones after ${warmUps.second}; recorded ${repeats} times; Redis: ${redis.kind}`,
  );
  console.table(table);
  console.log(
    `a heartbeat takes ${rounded(beatMs)} ms, ${beatShare.toFixed(3)} % of a core; a scrape ${rounded(readMs)} ms, ${readShare.toFixed(3)} %`,
  );
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
  /** Plays the jobs of some numbers; those of the second kind share the tenants, and handlers, of the first. */
  const playAll = async (which: 'first' | 'second', from: number, to: number) => {
    let jobId = '';
    for (let next = from; next < to; next += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, to - next) }, (_, index) => next + index);
      const tenantOf = (number: number) => `bench-${history}-${number % (warmUps.first + jobs)}`;
      const played = await Promise.all(numbers.map((number) => play(tenantOf(number), `${which}-${number}`)));
      jobId = played.at(-1) ?? '';
    }
    return jobId;
  };
  const last = { first: '', second: '' };
  const spent = { first: 0, second: 0 };
  try {
    for (const which of ['first', 'second'] as const) {
      const many = which === 'first' ? jobs : 10 * jobs;
      await playAll(which, 0, warmUps[which]);
      const before = cpuMsOf(worker.pid);
      last[which] = await playAll(which, warmUps[which], warmUps[which] + many);
      await sleep(500);
      spent[which] = (cpuMsOf(worker.pid) - before) / many;
    }
  } finally {
    await producer.close();
    await stopWorker(worker);
  }
  return { ...spent, last };
}

/** The processor time of recording a job once, with everything that goes over the connection. */
async function measureRecording({ jobId, submitted, entries }: History, recorder: Recorder): Promise<number> {
  if (submitted === null) throw new Error(`Cannot measure job ${jobId}: found no data, wanted them kept`);
  const { kind, text, dataDigest, tenant, takenAtMs } = submitted;
  const rawBytes = Buffer.byteLength(text);
  const tell = (id: string, part: readonly HistoryEntry[]) => {
    for (const { atMs: _, worker: __, ...entry } of part) {
      if (entry.type === 'queue') recorder.onQueueEvent({ ...entry, jobId: id, kind, tenant } as QueueEvent);
      else recorder.onJobEvent({ ...entry, job: id, negotiation: null, tenant } as JobEvent);
    }
  };
  // While a model answers, what was collected is sent.
  const answered = Math.max(
    0,
    entries.findIndex(({ type }) => type === 'completed'),
  );
  const again = async (ids: readonly string[]) => {
    for (const id of ids) {
      const delivery = { jobId: id, kind, text, dataDigest, tenant, takenAtMs, rawBytes, delivery: 1 };
      recorder.onDelivery?.(delivery as Delivery);
      tell(id, entries.slice(0, answered));
    }
    if (answered > 0) await sleep(collectedMs);
    for (const id of ids) tell(id, entries.slice(answered));
    await sleep(collectedMs);
  };
  const named = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}-${jobId}-${index}`);
  await again(named('warm', block));
  const ids = named('again', repeats);
  const before = process.cpuUsage();
  for (let from = 0; from < repeats; from += block) await again(ids.slice(from, from + block));
  await recorder.close?.();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / repeats;
}

/** Records nothing. */
function silent(): Recorder {
  return { onDelivery() {}, onJobEvent() {}, onQueueEvent() {} };
}

function historyRecorder(): Recorder {
  const limits = settings.history.fallback;
  if (limits === null) throw new Error('Cannot measure history: found none, wanted limits');
  return createHistoryRecorder(redis.url, keys, limits, createLog('error'));
}

/** The bytes that are kept of a job. Throws if the last repetition was not kept whole. */
async function keptBytes({ jobId, entries }: History, reader: Connection): Promise<number> {
  const histories = new Histories(reader, keys);
  const kept = await histories.of(`again-${jobId}-${repeats - 1}`);
  if (kept?.entries.length !== entries.length)
    throw new Error(`Cannot measure history: found ${kept?.entries.length} entries, wanted ${entries.length}`);
  return histories.bytesOf(jobId);
}

/** What a worker counts of a job, for its metrics and its heartbeat, and what costs the same without jobs. */
function countingParts() {
  const metrics = createWorkerMetrics('bench');
  const tally = new WorkerTally('bench', 'bench');
  const health = { connected: true, paused: [], running: 0, concurrency: 10, sinceFetchMs: 0, closing: false };
  const sandbox = { stats: () => ({ cells: 2, waiting: 0, killedCells: 0 }), layers: { level: 'bubblewrap' } };
  const sources = { health: () => health, sandbox, silent: () => [] } as unknown as Parameters<WorkerTally['beat']>[1];
  const recorder: Recorder = {
    onDelivery: (delivery) => metrics.jobTaken(delivery),
    onJobEvent(event) {
      metrics.onJobEvent(event);
      tally.onJobEvent(event);
      if (event.type !== 'completed') return;
      metrics.onTry({ host: 'model', model: 'm', result: 'answered' });
      tally.onTry({ endpoint: 'model m', result: 'answered' });
    },
    onQueueEvent(event) {
      metrics.onQueueEvent(event);
      tally.onQueueEvent(event);
    },
  };
  /** The processor time of a heartbeat, and of a scrape. */
  const standing = async (writer: Connection) => {
    const heartbeats = new Heartbeats(writer, keys);
    const beatMs = await meanCpuMs(() => heartbeats.beat('bench', tally.beat('running', sources)));
    const readMs = await meanCpuMs(() => metrics.registry.metrics());
    await metrics.close();
    return { beatMs, readMs };
  };
  return { recorder, standing };
}

async function meanCpuMs(act: () => Promise<unknown>, times = 500): Promise<number> {
  for (let nth = 0; nth < 50; nth += 1) await act();
  const before = process.cpuUsage();
  for (let nth = 0; nth < times; nth += 1) await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / times;
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
