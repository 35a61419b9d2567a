import type { Keys, QueueEvent } from '../../queues/index.ts';
import type { WorkerConfig } from '../config.ts';
import { createHistoryRecorder } from '../telemetry/history-recorder.ts';
import { type Log, logJobEvents } from '../telemetry/log.ts';
import { type Recorder, recorderOf } from '../telemetry/recorder.ts';
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts';
import type { WorkerTally } from '../telemetry/worker-tally.ts';
import { protosmithVersion } from '../version.ts';

/** Everything that records what happens to jobs. */
export async function composeRecorder(
  { redisUrl, history, otlpEndpoint: endpoint, traceShare: share }: WorkerConfig,
  log: Log,
  keys: Keys,
  metrics: WorkerMetrics,
  tally: WorkerTally,
): Promise<Required<Recorder>> {
  // Loaded only if traces are on: the SDK costs start-up time and memory.
  const tracing = endpoint === null ? null : await import('../telemetry/trace-recorder.ts');
  const traces = { endpoint: endpoint ?? '', share, version: protosmithVersion() };
  return recorderOf([
    metrics,
    tally,
    { onJobEvent: logJobEvents(log), onQueueEvent: (event) => logQueueEvent(log, event) },
    ...(history === null ? [] : [createHistoryRecorder(redisUrl, keys, history, log)]),
    ...(tracing === null ? [] : [tracing.createTraceRecorder(traces)]),
  ]);
}

const warned: ReadonlySet<QueueEvent['event']> = new Set([
  'paused',
  'lock-lost',
  'stalled',
  'given-up',
  'retried',
  'refused',
  'mended',
]);

/** Logs an event of the queue. Queue events name job and negotiation as the events of stages do. */
export function logQueueEvent(log: Log, { event, jobId, negotiationId, ...fields }: QueueEvent): void {
  const level = event === 'redis-error' ? 'error' : warned.has(event) ? 'warn' : 'info';
  log[level](jobId === undefined ? fields : { job: jobId, negotiation: negotiationId ?? null, ...fields }, event);
}
