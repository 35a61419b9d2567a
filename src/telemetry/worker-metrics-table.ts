import type { ConsumerHealth } from '../../queues/index.ts';
import type { SandboxStats } from '../../sandbox/contract.ts';

/** The sources that are read at each scrape. */
export interface MetricSources {
  health(): ConsumerHealth;
  sandbox: { stats(): SandboxStats; layers: { level: string; inForce: readonly string[] } };
}

/** What all metrics have. */
interface Named {
  name: string;
  help: string;
  labels: string[];
}

/** A metric that events add to. */
export interface Event extends Named {
  type: 'counter' | 'histogram';
  buckets?: number[];
}

/** What a process knows of itself: its version, and the delays of its event loop. */
export interface OwnFacts {
  version: string;
  lag(): Labelled;
}

/** Values with their labels. */
export type Labelled = readonly (readonly [labels: Record<string, string>, value: number])[];

/** A metric that is read at each scrape. */
export interface Reading extends Named {
  type: 'gauge' | 'read-counter';
  read(from: MetricSources, own: OwnFacts): number | Labelled;
}

const jobSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1_200];
const stageSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Every metric of a worker that counts or observes events, in the order of docs/metrics.md. */
export const events = {
  latency: seconds(
    'outcome_latency',
    'Time from when Redis accepted a job until its outcome was visible, by verdict.',
    ['verdict'],
  ),
  jobs: counter('jobs_total', 'Outcomes that this worker published, by kind of job and verdict.', ['kind', 'verdict']),
  duration: seconds('job_duration', 'Time that this worker spent on a job, by verdict.', ['verdict']),
  wait: seconds('job_wait', 'Time from when Redis accepted a job until a worker started it.'),
  stages: seconds(
    'stage_duration',
    'Time of one stage of the pipeline, as docs/pipeline.md names them.',
    ['stage'],
    stageSeconds,
  ),
  attempts: counter('attempts_total', 'Completions by result, including those after the outcome.', ['result']),
  calls: counter(
    'model_calls_total',
    'Model calls, each with its retries and fail-over, by result: answered, or the error code.',
    ['result'],
  ),
  tries: counter(
    'model_tries_total',
    'Single requests to model endpoints, by host with model, and result: answered, or the error code.',
    ['endpoint', 'result'],
  ),
  tokens: counter('tokens_total', 'Tokens used: input (including cached), cached_input or output.', ['type']),
  cost: counter('cost_usd_total', 'Cost of the calls with a known price, in US dollars.'),
  unpriced: counter('unpriced_calls_total', 'Calls that used tokens of unknown price.'),
  stalled: counter('jobs_stalled_total', 'Jobs of dead workers that this worker found.'),
  lockLost: counter(
    'lock_renewal_failed_total',
    'Jobs abandoned because the lock was lost and another worker may have them.',
  ),
  retried: counter('jobs_retried_total', 'Jobs put back for a later retry, by error code.', ['code']),
  givenUp: counter('jobs_given_up_total', 'Jobs that ended with an error of the platform, by code.', ['code']),
  suppressed: counter('result_duplicates_suppressed_total', 'Outcomes not published because the job already had one.'),
  replayed: counter('results_replayed_total', 'Outcomes announced again because the job was submitted again.'),
  bridged: counter('jobs_bridged_total', 'Jobs moved from the intake stream to the queue.'),
  redisErrors: counter('redis_errors_total', 'Errors of Redis and of its connections, by error code or first word.', [
    'kind',
  ]),
} as const satisfies Record<string, Event>;

/** Every metric of a worker that is read at each scrape, in the order of docs/metrics.md. */
export const readings: readonly Reading[] = [
  gauge(
    'intake_paused',
    'Number of reasons why this worker fetches no jobs; 0 while it fetches.',
    ({ health }) => health().paused.length,
  ),
  gauge(
    'jobs_running',
    'Jobs that this worker is running, without those that continue after their outcome.',
    ({ health }) => health().running,
  ),
  gauge('job_slots', 'Jobs that this worker may run at once.', ({ health }) => health().concurrency),
  gauge(
    'since_fetch_seconds',
    'Time since this worker last asked for jobs; it does not ask while all slots are taken.',
    ({ health }) => health().sinceFetchMs / 1_000,
  ),
  gauge(
    'event_loop_lag_seconds',
    'Delay of the event loop since the metrics were last read, by quantile.',
    (_, own) => own.lag(),
    ['quantile'],
  ),
  gauge('sandbox_cells', 'Sandbox processes that may run at once.', ({ sandbox }) => sandbox.stats().cells),
  gauge('sandbox_waiting', 'Requests that wait for a sandbox process.', ({ sandbox }) => sandbox.stats().waiting),
  readCounter(
    'sandbox_wait_seconds_total',
    'Time that requests waited for a sandbox process.',
    ({ sandbox }) => sandbox.stats().waitedMs / 1_000,
  ),
  readCounter('sandbox_runs_total', 'Runs of candidates and handlers.', ({ sandbox }) => sandbox.stats().runs),
  readCounter(
    'sandbox_killed_cells_total',
    'Sandbox processes that died or were killed.',
    ({ sandbox }) => sandbox.stats().killedCells,
  ),
  gauge(
    'sandbox_quarantined',
    'Quarantined bundles that this worker knows of.',
    ({ sandbox }) => sandbox.stats().quarantined,
  ),
  gauge(
    'sandbox_level',
    'Active level of the sandbox: 1, with its name as label.',
    ({ sandbox }) => [[{ level: sandbox.layers.level }, 1]],
    ['level'],
  ),
  gauge(
    'sandbox_layer',
    'Active layers of the sandbox: 1 for each, with its name as label.',
    ({ sandbox }) => sandbox.layers.inForce.map((layer) => [{ layer }, 1]),
    ['layer'],
  ),
  gauge('resident_memory_bytes', 'Resident memory of this process without its children.', () =>
    process.memoryUsage.rss(),
  ),
  readCounter('cpu_seconds_total', 'CPU time of this process without its children.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  gauge(
    'build_info',
    '1, with the versions of protosmith and Node as labels.',
    (_, own) => [[{ version: own.version, node: process.versions.node }, 1]],
    ['version', 'node'],
  ),
];

function counter(name: string, help: string, labels: string[] = []): Event {
  return { type: 'counter', name: `protosmith_${name}`, help, labels };
}

function seconds(name: string, help: string, labels: string[] = [], buckets = jobSeconds): Event {
  return { type: 'histogram', name: `protosmith_${name}_seconds`, help, labels, buckets };
}

function gauge(name: string, help: string, read: Reading['read'], labels: string[] = []): Reading {
  return { type: 'gauge', name: `protosmith_${name}`, help, labels, read };
}

/** A counter whose value comes from elsewhere. */
function readCounter(name: string, help: string, read: Reading['read']): Reading {
  return { type: 'read-counter', name: `protosmith_${name}`, help, labels: [], read };
}
