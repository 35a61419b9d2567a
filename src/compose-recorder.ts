import { isForbidden, type Keys, type QueueEvent, redisPermissions } from '../queues/index.ts';
import type { Config } from './config.ts';
import { createHistoryRecorder } from './telemetry/history-recorder.ts';
import { type Log, logJobEvents } from './telemetry/log.ts';
import { type Recorder, recorderOf } from './telemetry/recorder.ts';
import type { WorkerMetrics } from './telemetry/worker-metrics.ts';
import type { WorkerTally } from './telemetry/worker-tally.ts';
import { protosmithVersion } from './version.ts';

/** How often to try the permissions of a user whom Redis refuses commands, in milliseconds. */
const permissionsEveryMs = 20_000;

/** Everything that records what happens to jobs. */
export async function composeRecorder(
  { redisUrl, prefix, history, otlpEndpoint: endpoint, traceShare: share }: Omit<Config, 'consoleToken'>,
  log: Log,
  keys: Keys,
  metrics: WorkerMetrics,
  tally: WorkerTally,
): Promise<Required<Recorder>> {
  // Loaded only where traces are on: the SDK costs start-up time and memory.
  const tracing = endpoint === null ? null : await import('./telemetry/trace-recorder.ts');
  const traces = { endpoint: endpoint ?? '', share, version: protosmithVersion() };
  return recorderOf([
    metrics,
    { onJobEvent() {}, onQueueEvent: (event) => tally.onQueueEvent(event) },
    { onJobEvent() {}, onQueueEvent: permissionWatch({ redisUrl, prefix }, tally) },
    { onJobEvent: logJobEvents(log), onQueueEvent: (event) => logQueueEvent(log, event) },
    ...(history === null ? [] : [createHistoryRecorder(redisUrl, keys, history, log)]),
    ...(tracing === null ? [] : [tracing.createTraceRecorder(traces)]),
  ]);
}

/** After a refused command, tries what the user of this worker may not use, for its heartbeat. */
function permissionWatch(
  { redisUrl, prefix }: Pick<Config, 'redisUrl' | 'prefix'>,
  tally: WorkerTally,
): (event: QueueEvent) => void {
  let triedAtMs = Number.NEGATIVE_INFINITY;
  return ({ event, message = '' }) => {
    if (event !== 'redis-error' || !isForbidden(new Error(message))) return;
    if (performance.now() - triedAtMs < permissionsEveryMs) return;
    triedAtMs = performance.now();
    redisPermissions(redisUrl, { prefix }).then(
      (found) => tally.forbid(found),
      () => undefined,
    );
  };
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

/** Queue events name job and negotiation as the events of stages do. */
export function logQueueEvent(log: Log, { event, jobId, negotiationId, ...fields }: QueueEvent): void {
  const level = event === 'redis-error' ? 'error' : warned.has(event) ? 'warn' : 'info';
  log[level](jobId === undefined ? fields : { job: jobId, negotiation: negotiationId ?? null, ...fields }, event);
}
