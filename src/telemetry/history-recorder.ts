import {
  type HistoryLimits,
  HistoryWriter,
  type Keys,
  type LeftOutReport,
  type QueueEvent,
} from '../../queues/index.ts';
import type { HistoryEntry, HistoryMark, QueueEntry } from '../contract/history.ts';
import type { Log } from './log.ts';
import { processName } from './process-name.ts';
import { endsDelivery, type Recorder } from './recorder.ts';

/** Events that are not kept with a job: they concern the queue, or a job whose id is used for another job later. */
const notOfJobs: ReadonlySet<QueueEvent['event']> = new Set(['refused', 'mended', 'paused', 'resumed', 'redis-error']);

/** Most characters of an event's message. */
const maxMessageCharacters = 500;

/** Jobs whose number of deliveries is remembered. */
const maxDeliveries = 10_000;

/** The least time between two log lines about what was left out, in milliseconds. */
const logEveryMs = 30_000;

/** A recorder that keeps the history of jobs in Redis, and logs how much it had to leave out. */
export function createHistoryRecorder(url: string, keys: Keys, limits: HistoryLimits, log: Log): Recorder {
  const leftOut = summedUp(log);
  const writer = new HistoryWriter(url, keys, limits, leftOut.note);
  const worker = processName;
  const deliveries = new Map<string, number>();
  const mark = (delivery: number): HistoryMark => ({ atMs: Date.now(), delivery, worker });
  const add = (jobId: string, entry: HistoryEntry, tenant?: string) => writer.add(jobId, entry, tenant);
  return {
    onDelivery(delivery) {
      // A job that the queue delays without an event stays until then.
      if (deliveries.size >= maxDeliveries) deliveries.clear();
      deliveries.set(delivery.jobId, delivery.delivery);
      writer.submitted(delivery);
    },
    onJobEvent({ job, negotiation: _, tenant, delivery, ...event }) {
      add(job, { ...mark(delivery), ...event }, tenant);
    },
    onQueueEvent(event) {
      const { jobId } = event;
      if (jobId === undefined || notOfJobs.has(event.event)) return;
      add(jobId, { ...mark(deliveries.get(jobId) ?? 0), ...entryOf(event) }, event.tenant ?? undefined);
      if (endsDelivery(event)) deliveries.delete(jobId);
    },
    async close() {
      await writer.close();
      leftOut.flush();
    },
  };
}

function entryOf({ event, waitedMs, latencyMs, delayMs, verdict, code, message }: QueueEvent): QueueEntry {
  return {
    type: 'queue',
    event,
    ...(waitedMs === undefined ? {} : { waitedMs: Math.round(waitedMs) }),
    ...(latencyMs === undefined ? {} : { latencyMs: Math.round(latencyMs) }),
    ...(delayMs === undefined ? {} : { delayMs: Math.round(delayMs) }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message: message.slice(0, maxMessageCharacters) }),
  };
}

/** Logs what was left out: the first report at once, later ones added up. */
function summedUp(log: Log) {
  const none = { entries: 0, bytes: 0 };
  const sums = { limit: { ...none }, redis: { ...none, message: undefined as string | undefined } };
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const flush = () => {
    for (const why of ['limit', 'redis'] as const) {
      const { entries } = sums[why];
      if (entries > 0) log[why === 'redis' ? 'warn' : 'info']({ why, ...sums[why] }, 'history-left-out');
    }
    sums.limit = { ...none };
    sums.redis = { ...none, message: undefined };
  };
  return {
    flush,
    note({ entries, bytes, why, message }: LeftOutReport) {
      sums[why].entries += entries;
      sums[why].bytes += bytes;
      if (why === 'redis') sums.redis.message = message;
      if (performance.now() - loggedAtMs < logEveryMs) return;
      loggedAtMs = performance.now();
      flush();
    },
  };
}
