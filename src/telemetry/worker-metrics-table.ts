import type { ConsumerHealth } from '../../queues/index.ts';
import type { SandboxStats } from '../../sandbox/contract.ts';
import type { Code } from '../kernel/errors.ts';

/** The sources that are read at each scrape. */
export interface MetricSources {
  health(): ConsumerHealth;
  sandbox: { stats(): SandboxStats; layers: { level: string; inForce: readonly string[] } };
}

interface Named {
  name: string;
  help: string;
  labels: string[];
}

/** A metric that events of jobs and of the queue add to. */
export interface EventMetric extends Named {
  type: 'counter' | 'histogram';
  buckets?: number[];
  /** Values of the label whose series begin at 0: Prometheus' `increase` does not see a series that begins higher. */
  from0?: readonly string[];
}

/** What a process knows about itself: its version, and the delays of its event loop. */
export interface OwnFacts {
  version: string;
  /** In seconds since the metrics were last read. */
  lag(): { p50: number; p99: number; max: number };
}

/** Values with their labels. */
export type LabelledValues = readonly (readonly [labels: Record<string, string>, value: number])[];

/** A metric that is read at each scrape. */
export interface ScrapedMetric extends Named {
  type: 'gauge' | 'counter';
  read(from: MetricSources, own: OwnFacts): number | LabelledValues;
}

const jobSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1_200];
const stageSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Results of model calls that deploy/prometheus/alerts.yaml watches. */
const alertedResults: readonly Code[] = ['OPERATOR_MODEL_AUTH', 'OPERATOR_MODEL_QUOTA', 'OPERATOR_MODEL_UNKNOWN'];

/** Every metric of a worker that counts or observes events, in the order of docs/metrics.md. */
export const eventMetrics = {
  latency: seconds(
    'outcome_latency',
    'Time from when Redis accepted a job until its outcome was visible, by verdict.',
    ['verdict'],
  ),
  jobs: counter('jobs_total', 'Outcomes that this worker published, by kind of job and verdict.', ['kind', 'verdict']),
  tenantJobs: counter('tenant_jobs_total', 'The same outcomes by class of tenant and verdict.', [
    'tenant_class',
    'verdict',
  ]),
  errors: counter('errors_total', 'Errors in these outcomes by verdict and code, each code once for an outcome.', [
    'verdict',
    'code',
  ]),
  duration: seconds('job_duration', 'Time that this worker spent on a job, by verdict.', ['verdict']),
  wait: seconds('job_wait', 'Time from when Redis accepted a job until a worker started it.'),
  stages: seconds(
    'stage_duration',
    'Time of one stage of the pipeline, as docs/pipeline.md names them.',
    ['stage'],
    stageSeconds,
  ),
  attempts: counter('attempts_total', 'Completions by result, including those after the outcome.', ['result']),
  readings: counter(
    'readings_total',
    'Readings that jobs asked for, by result: complete, partial, failed, or kept from another job.',
    ['result'],
  ),
  confirmations: counter(
    'confirmations_total',
    'Derived cases that a candidate broke and a second reader answered for, by result: confirmed or contested.',
    ['result'],
  ),
  calls: counter(
    'model_calls_total',
    'Model calls, each with its retries and fail-over, by result: answered, or the error code.',
    ['result'],
    alertedResults,
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
  givenUp: counter(
    'jobs_given_up_total',
    'Outcomes `error` for a reason of the platform, its operator or a defect, by code.',
    ['code'],
  ),
  suppressed: counter('result_duplicates_suppressed_total', 'Outcomes not published because the job already had one.'),
  replayed: counter('results_replayed_total', 'Outcomes announced again because the job was submitted again.'),
  bridged: counter('jobs_bridged_total', 'Jobs moved from the intake stream to the queue.'),
  redisErrors: counter(
    'redis_errors_total',
    'Errors of Redis and of its connections, by error code or first word.',
    ['kind'],
    ['OOM'],
  ),
} as const satisfies Record<string, EventMetric>;

/** Every metric of a worker that is read at each scrape, in the order of docs/metrics.md. */
export const scrapedMetrics: readonly ScrapedMetric[] = [
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
    'event_loop_lag_p50_seconds',
    'Median delay of the event loop since the metrics were last read.',
    (_, own) => own.lag().p50,
  ),
  gauge('event_loop_lag_p99_seconds', 'The same at the 99th percentile.', (_, own) => own.lag().p99),
  gauge('event_loop_lag_max_seconds', 'The longest of these delays.', (_, own) => own.lag().max),
  gauge('sandbox_cells', 'Sandbox processes that may run at once.', ({ sandbox }) => sandbox.stats().cells),
  gauge('sandbox_waiting', 'Requests that wait for a sandbox process.', ({ sandbox }) => sandbox.stats().waiting),
  scrapedCounter(
    'sandbox_wait_seconds_total',
    'Time that requests waited for a sandbox process.',
    ({ sandbox }) => sandbox.stats().waitedMs / 1_000,
  ),
  scrapedCounter('sandbox_runs_total', 'Runs of candidates and handlers.', ({ sandbox }) => sandbox.stats().runs),
  scrapedCounter(
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
  scrapedCounter('cpu_seconds_total', 'CPU time of this process without its children.', () => {
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

function counter(name: string, help: string, labels: string[] = [], from0: readonly string[] = []): EventMetric {
  return { type: 'counter', name: `protosmith_${name}`, help, labels, from0 };
}

function seconds(name: string, help: string, labels: string[] = [], buckets = jobSeconds): EventMetric {
  return { type: 'histogram', name: `protosmith_${name}_seconds`, help, labels, buckets };
}

function gauge(name: string, help: string, read: ScrapedMetric['read'], labels: string[] = []): ScrapedMetric {
  return { type: 'gauge', name: `protosmith_${name}`, help, labels, read };
}

/** A counter that something else counts; its value is read at each scrape. */
function scrapedCounter(name: string, help: string, read: ScrapedMetric['read']): ScrapedMetric {
  return { type: 'counter', name: `protosmith_${name}`, help, labels: [], read };
}
