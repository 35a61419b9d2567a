import { Gauge, Registry } from 'prom-client';
import type { QueueSnapshot } from '../../queues/index.ts';

/** Streams told of one by one; names of streams are producers' text, and anybody may think up more. */
const maxStreams = 100;

/** How long a snapshot is waited for, in milliseconds; scrapers wait for ten seconds. */
const withinMs = 5_000;

/**
 * The metrics of the whole queue (docs/metrics.md), for one process of an installation: each reading takes a snapshot. Where that fails the gauges are
 * empty and `protosmith_monitor_up` is 0.
 */
export function createQueueMetrics(snapshot: () => Promise<QueueSnapshot>): Registry {
  const registry = new Registry();
  const registers = [registry];
  // One reading of all gauges takes one snapshot.
  let reading: Promise<QueueSnapshot | null> | undefined;
  const current = () => {
    reading ??= inTime(snapshot()).finally(() => {
      setImmediate(() => {
        reading = undefined;
      });
    });
    return reading;
  };
  type Value = [labels: Record<string, string>, value: number | null];
  const gauge = (name: string, help: string, labelNames: string[], read: (taken: QueueSnapshot) => Value[]) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const taken = await current();
        this.reset();
        // A gauge without labels is 0 after that: what is not known is to be absent.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of taken === null ? [] : read(taken)) if (value !== null) this.set(labels, value);
      },
    });
  const single = (name: string, help: string, read: (taken: QueueSnapshot) => number | null) =>
    gauge(name, help, [], (taken) => [[{}, read(taken)]]);

  new Gauge({
    name: 'protosmith_monitor_up',
    help: 'Whether the queue could be looked at: 1 or 0.',
    registers,
    async collect() {
      this.set((await current()) === null ? 0 : 1);
    },
  });
  single(
    'protosmith_queue_oldest_waiting_age_seconds',
    'Age of the job that waits longest; 0 where none waits.',
    ({ oldestWaitingAgeSeconds }) => oldestWaitingAgeSeconds ?? 0,
  );
  gauge(
    'protosmith_queue_jobs',
    'Jobs on the queue, by state: waiting, prioritized, active, delayed, failed or completed.',
    ['state'],
    ({ counts }) => Object.entries(counts).map(([state, count]) => [{ state }, count]),
  );
  single(
    'protosmith_queue_oldest_failed_age_seconds',
    'Age of the oldest dead letter; 0 where there is none.',
    ({ oldestFailedAgeSeconds }) => oldestFailedAgeSeconds ?? 0,
  );
  single('protosmith_queue_paused', 'Whether all workers are told to fetch nothing: 1 or 0.', ({ paused }) =>
    Number(paused),
  );
  single(
    'protosmith_queue_rate_limit_ttl_seconds',
    'Time until the queue hands out jobs again; 0 where it is not limited.',
    ({ rateLimitTtlMs }) => rateLimitTtlMs / 1_000,
  );
  single('protosmith_queue_workers', 'Workers connected; absent where Redis does not tell.', ({ workers }) => workers);
  single(
    'protosmith_jobs_without_outcome',
    'Jobs taken whose outcome is not visible yet.',
    ({ deadlines }) => deadlines.open,
  );
  single(
    'protosmith_jobs_overdue',
    'Jobs past their deadline without an outcome; more than a passing few: nobody keeps the queue.',
    ({ deadlines }) => deadlines.overdue,
  );
  single('protosmith_intake_length', 'Entries on the intake stream.', ({ intake }) => intake.length);
  single(
    'protosmith_intake_pending',
    'Entries of the intake stream that a worker took and has not acknowledged.',
    ({ intake }) => intake.pending,
  );
  gauge('protosmith_results_stream_length', 'Entries on an outcome stream.', ['stream'], ({ outcomes }) =>
    longest(outcomes).map(({ replyTo, length }) => [{ stream: replyTo }, length]),
  );
  gauge(
    'protosmith_results_pending',
    'Entries of an outcome stream that a group of readers took and has not acknowledged.',
    ['stream', 'group'],
    ({ outcomes }) =>
      longest(outcomes).flatMap(({ replyTo, groups }) =>
        groups.map(({ name, pending }): Value => [{ stream: replyTo, group: name }, pending]),
      ),
  );
  gauge(
    'protosmith_results_lag',
    'Entries of an outcome stream that a group of readers has not taken; absent where Redis cannot tell.',
    ['stream', 'group'],
    ({ outcomes }) =>
      longest(outcomes).flatMap(({ replyTo, groups }) =>
        groups.map(({ name, lag }): Value => [{ stream: replyTo, group: name }, lag]),
      ),
  );
  single('protosmith_quarantined_bundles', 'Bundles that no worker runs any more.', ({ quarantined }) => quarantined);
  single('protosmith_redis_used_memory_bytes', 'Memory that Redis uses.', ({ redis }) => redis.usedMemoryBytes);
  single(
    'protosmith_redis_maxmemory_bytes',
    'Memory that Redis may use; 0 where it has no limit.',
    ({ redis }) => redis.maxmemoryBytes,
  );
  return registry;
}

/** The snapshot, or `null` where it fails or a frozen Redis holds it up: whoever reads the metrics wants those of the worker all the same. */
function inTime(snapshot: Promise<QueueSnapshot>): Promise<QueueSnapshot | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), withinMs);
    snapshot
      .catch(() => null)
      .then((taken) => {
        clearTimeout(timer);
        resolve(taken);
      });
  });
}

function longest(outcomes: QueueSnapshot['outcomes']): QueueSnapshot['outcomes'] {
  return [...outcomes].sort((one, other) => other.length - one.length).slice(0, maxStreams);
}
