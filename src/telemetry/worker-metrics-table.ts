import type { ConsumerHealth } from '../../queues/index.ts';
import type { SandboxStats } from '../../sandbox/contract.ts';

/** What is asked when the metrics are read. */
export interface MetricSources {
  health(): ConsumerHealth;
  sandbox: { stats(): SandboxStats; layers: { level: string; inForce: readonly string[] } };
}

/** One metric: its name, what it says, and the names of its labels. */
interface Named {
  name: string;
  help: string;
  labels: string[];
}

/** Counted or observed as things happen. */
export interface Event extends Named {
  type: 'counter' | 'histogram';
  buckets?: number[];
}

/** Values with the labels that they stand under. */
export type Labelled = readonly (readonly [labels: Record<string, string>, value: number])[];

/** Asked for when the metrics are read. */
export interface Reading extends Named {
  type: 'gauge' | 'read-counter';
  read(from: MetricSources): number | Labelled;
}

const jobSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1_200];
const stageSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Every metric of a worker that counts or observes what happens, in the order of docs/metrics.md. */
export const events = {
  latency: seconds('outcome_latency', 'From the moment Redis took a job until its outcome was visible, by verdict.', [
    'verdict',
  ]),
  jobs: counter('jobs_total', 'Outcomes that this worker made visible, by kind of job and verdict.', [
    'kind',
    'verdict',
  ]),
  duration: seconds('job_duration', 'Time that a job was worked on here, by verdict.', ['verdict']),
  wait: seconds('job_wait', 'From the moment Redis took a job until it was first worked on.'),
  stages: seconds(
    'stage_duration',
    'Time of one stage of the pipeline, as docs/pipeline.md names them.',
    ['stage'],
    stageSeconds,
  ),
  attempts: counter('attempts_total', 'Completions by what became of them, those after the outcome included.', [
    'result',
  ]),
  calls: counter(
    'model_calls_total',
    'Questions to the model, retries and fail-over within: answered, or the code of the failure.',
    ['result'],
  ),
  tokens: counter('tokens_total', 'Tokens used: input (cached ones among them), cached_input or output.', ['type']),
  cost: counter('cost_usd_total', 'Cost of the calls whose price is known, in US dollars.'),
  unpriced: counter('unpriced_calls_total', 'Calls that used tokens whose price is not known.'),
  stalled: counter('jobs_stalled_total', 'Jobs that this worker found left behind by a dead one.'),
  lockLost: counter('lock_renewal_failed_total', 'Jobs given up here since another worker may have them.'),
  retried: counter('jobs_retried_total', 'Jobs put back for later, by the code of the fault.', ['code']),
  givenUp: counter('jobs_given_up_total', 'Jobs ended with error without a verdict on the matter, by code.', ['code']),
  suppressed: counter('result_duplicates_suppressed_total', 'Outcomes not published since the job had one.'),
  replayed: counter('results_replayed_total', 'Outcomes announced again for a repeated job.'),
  bridged: counter('jobs_bridged_total', 'Jobs brought from the intake stream to the queue.'),
  redisErrors: counter(
    'redis_errors_total',
    "Errors of Redis and of the connections to it, by the error's code or first word.",
    ['kind'],
  ),
} as const satisfies Record<string, Event>;

/** Every metric of a worker that is asked for, in the order of docs/metrics.md; `lag` tells the event loop's delays. */
export function readings(version: string, lag: () => Labelled): Reading[] {
  return [
    gauge(
      'intake_paused',
      'Reasons for which this worker fetches no jobs; 0 while it does.',
      ({ health }) => health().paused.length,
    ),
    gauge(
      'jobs_running',
      'Jobs that this worker works on, without those that go on after their outcome.',
      ({ health }) => health().running,
    ),
    gauge('job_slots', 'Jobs that this worker may work on at once.', ({ health }) => health().concurrency),
    gauge(
      'since_fetch_seconds',
      'Time since this worker last asked for jobs; a worker with all slots taken does not ask.',
      ({ health }) => health().sinceFetchMs / 1_000,
    ),
    gauge('event_loop_lag_seconds', 'Delay of the event loop since the metrics were last read, by quantile.', lag, [
      'quantile',
    ]),
    gauge('sandbox_cells', 'Sandbox processes that may work at once.', ({ sandbox }) => sandbox.stats().cells),
    gauge('sandbox_waiting', 'Requests that wait for a sandbox process.', ({ sandbox }) => sandbox.stats().waiting),
    kept(
      'sandbox_wait_seconds_total',
      'Time that requests waited for a sandbox process.',
      ({ sandbox }) => sandbox.stats().waitedMs / 1_000,
    ),
    kept('sandbox_runs_total', 'Runs of candidates and handlers.', ({ sandbox }) => sandbox.stats().runs),
    kept(
      'sandbox_killed_cells_total',
      'Sandbox processes that died or had to be ended.',
      ({ sandbox }) => sandbox.stats().killedCells,
    ),
    gauge(
      'sandbox_quarantined',
      'Bundles that this worker knows to run no more.',
      ({ sandbox }) => sandbox.stats().quarantined,
    ),
    gauge(
      'sandbox_level',
      'Level of the sandbox in force: 1 with its name as the label.',
      ({ sandbox }) => [[{ level: sandbox.layers.level }, 1]],
      ['level'],
    ),
    gauge(
      'sandbox_layer',
      'Layers of the sandbox in force: 1 for each, with its name as the label.',
      ({ sandbox }) => sandbox.layers.inForce.map((layer) => [{ layer }, 1]),
      ['layer'],
    ),
    gauge('resident_memory_bytes', 'Resident memory of this process, its children not counted.', () =>
      process.memoryUsage.rss(),
    ),
    kept('cpu_seconds_total', 'Processor time of this process, its children not counted.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge(
      'build_info',
      '1, with the versions of protosmith and Node as labels.',
      () => [[{ version, node: process.versions.node }, 1]],
      ['version', 'node'],
    ),
  ];
}

function counter(name: string, help: string, labels: string[] = []): Event {
  return { type: 'counter', name: `protosmith_${name}`, help, labels };
}

function seconds(name: string, help: string, labels: string[] = [], buckets = jobSeconds): Event {
  return { type: 'histogram', name: `protosmith_${name}_seconds`, help, labels, buckets };
}

function gauge(name: string, help: string, read: Reading['read'], labels: string[] = []): Reading {
  return { type: 'gauge', name: `protosmith_${name}`, help, labels, read };
}

/** A counter that something else keeps. */
function kept(name: string, help: string, read: Reading['read']): Reading {
  return { type: 'read-counter', name: `protosmith_${name}`, help, labels: [], read };
}
