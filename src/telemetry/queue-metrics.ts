import { Gauge, Registry } from 'prom-client';
import type { QueueSnapshot } from '../../queues/index.ts';
import { inTime } from './in-time.ts';

/** Most streams with their own series. Producers choose the names of streams, so there may be any number. */
const maxStreams = 100;

/** How long to wait for a snapshot, in milliseconds; scrapers wait ten seconds. */
const withinMs = 5_000;

/** One value with its labels; `null` if it is unknown. */
type Value = [labels: Record<string, string>, value: number | null];

/** One gauge of the queue, read from a snapshot. */
interface QueueGauge {
  name: string;
  help: string;
  labelNames: string[];
  read(taken: QueueSnapshot): Value[];
}

function gauge(name: string, help: string, labelNames: string[], read: QueueGauge['read']): QueueGauge {
  return { name, help, labelNames, read };
}

function single(name: string, help: string, read: (taken: QueueSnapshot) => number | null): QueueGauge {
  return gauge(name, help, [], (taken) => [[{}, read(taken)]]);
}

/** Every gauge of the queue, in the order of docs/metrics.md. */
const gauges: readonly QueueGauge[] = [
  single(
    'protosmith_queue_oldest_waiting_age_seconds',
    'Age of the job that has waited longest; 0 if none waits.',
    ({ oldestWaitingAgeSeconds }) => oldestWaitingAgeSeconds ?? 0,
  ),
  gauge(
    'protosmith_queue_jobs',
    'Jobs on the queue, by state: waiting, prioritized, active, delayed, failed or completed.',
    ['state'],
    ({ counts }) => Object.entries(counts).map(([state, count]) => [{ state }, count]),
  ),
  single(
    'protosmith_queue_oldest_failed_age_seconds',
    'Age of the oldest dead letter; 0 if there is none.',
    ({ oldestFailedAgeSeconds }) => oldestFailedAgeSeconds ?? 0,
  ),
  single('protosmith_queue_paused', 'Whether the queue is paused for all workers: 1 or 0.', ({ paused }) =>
    Number(paused),
  ),
  single(
    'protosmith_queue_rate_limit_ttl_seconds',
    'Time until a rate limited queue hands out jobs again; 0 if it is not limited.',
    ({ rateLimitTtlMs }) => rateLimitTtlMs / 1_000,
  ),
  gauge(
    'protosmith_model_endpoints',
    'Model endpoints that get no calls, by state: resting (rate limited), refused (our key, account or model), or failing.',
    ['state'],
    ({ resting, refused, failing }) => [
      [{ state: 'resting' }, resting.length],
      [{ state: 'refused' }, refused.length],
      [{ state: 'failing' }, failing.length - refused.length],
    ],
  ),
  single('protosmith_queue_workers', 'Connected workers; absent if Redis does not say.', ({ workers }) => workers),
  single(
    'protosmith_jobs_without_outcome',
    'Jobs taken that have no visible outcome yet.',
    ({ deadlines }) => deadlines.open,
  ),
  single(
    'protosmith_jobs_overdue',
    'Jobs past their deadline without an outcome; if this stays above 0, no worker enforces deadlines.',
    ({ deadlines }) => deadlines.overdue,
  ),
  single('protosmith_intake_length', 'Entries on the intake stream.', ({ intake }) => intake.length),
  single(
    'protosmith_intake_pending',
    'Entries of the intake stream that a worker has taken but not acknowledged.',
    ({ intake }) => intake.pending,
  ),
  gauge('protosmith_results_stream_length', 'Entries on an outcome stream.', ['stream'], ({ outcomes }) =>
    longest(outcomes).map(({ replyTo, length }) => [{ stream: replyTo }, length]),
  ),
  gauge(
    'protosmith_results_pending',
    'Entries of an outcome stream that a consumer group has taken but not acknowledged.',
    ['stream', 'group'],
    ({ outcomes }) =>
      longest(outcomes).flatMap(({ replyTo, groups }) =>
        groups.map(({ name, pending }): Value => [{ stream: replyTo, group: name }, pending]),
      ),
  ),
  gauge(
    'protosmith_results_lag',
    'Entries of an outcome stream that a consumer group has not taken; absent if Redis cannot say.',
    ['stream', 'group'],
    ({ outcomes }) =>
      longest(outcomes).flatMap(({ replyTo, groups }) =>
        groups.map(({ name, lag }): Value => [{ stream: replyTo, group: name }, lag]),
      ),
  ),
  single(
    'protosmith_quarantined_bundles',
    'Bundles in quarantine, which no worker runs.',
    ({ quarantined }) => quarantined,
  ),
  single('protosmith_redis_used_memory_bytes', 'Memory that Redis uses.', ({ redis }) => redis.usedMemoryBytes),
  single(
    'protosmith_redis_maxmemory_bytes',
    'Memory that Redis may use; 0 if it has no limit.',
    ({ redis }) => redis.maxmemoryBytes,
  ),
];

/**
 * The metrics of the whole queue (docs/metrics.md), for one process of an installation. Each scrape takes a snapshot.
 * If that fails, the gauges are empty and `protosmith_monitor_up` is 0.
 */
export function createQueueMetrics(snapshot: () => Promise<QueueSnapshot>): Registry {
  const registry = new Registry();
  const registers = [registry];
  // All gauges of one scrape share one snapshot.
  let reading: Promise<QueueSnapshot | null> | undefined;
  const current = () => {
    // The metrics of the worker must come even if Redis fails or hangs.
    reading ??= inTime(
      snapshot().catch(() => null),
      withinMs,
      null,
    ).finally(() => {
      setImmediate(() => {
        reading = undefined;
      });
    });
    return reading;
  };
  new Gauge({
    name: 'protosmith_monitor_up',
    help: 'Whether the queue could be read: 1 or 0.',
    registers,
    async collect() {
      this.set((await current()) === null ? 0 : 1);
    },
  });
  for (const { read, ...about } of gauges)
    new Gauge({
      ...about,
      registers,
      async collect() {
        const taken = await current();
        this.reset();
        // `reset` sets a gauge without labels to 0, but an unknown value must be absent.
        if (about.labelNames.length === 0) this.remove();
        for (const [labels, value] of taken === null ? [] : read(taken)) if (value !== null) this.set(labels, value);
      },
    });
  return registry;
}

function longest(outcomes: QueueSnapshot['outcomes']): QueueSnapshot['outcomes'] {
  return [...outcomes].sort((one, other) => other.length - one.length).slice(0, maxStreams);
}
