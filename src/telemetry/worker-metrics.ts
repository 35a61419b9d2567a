import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ConsumerHealth, Delivery, QueueEvent } from '../../queues/index.ts';
import type { SandboxStats } from '../../sandbox/contract.ts';
import type { Completer } from '../contract/completion.ts';
import type { Kind } from '../contract/job.ts';
import type { Usage } from '../contract/outcome.ts';
import { codeOf } from '../kernel/errors.ts';
import type { JobEvent } from './job-event.ts';

/** What is asked when the metrics are read. */
export interface MetricSources {
  health(): ConsumerHealth;
  sandbox: { stats(): SandboxStats; layers: { level: string; inForce: readonly string[] } };
}

/** The metrics of one worker process (docs/metrics.md); no label holds a job's text. */
export interface WorkerMetrics {
  readonly registry: Registry;
  /** Names what is asked when the metrics are read. */
  watch(sources: MetricSources): void;
  /** Notes that a job begins to be worked on. */
  jobTaken(delivery: Pick<Delivery, 'takenAtMs' | 'delivery'>): void;
  onJobEvent(event: JobEvent): void;
  onQueueEvent(event: QueueEvent): void;
  /** The same model, its calls counted. */
  counting<Model extends Completer>(model: Model): Model;
  close(): void;
}

const jobSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1_200];
const stageSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const kinds: readonly Kind[] = ['generate', 'review', 'verify', 'fix', 'observe'];

/** How finely the event loop is watched, in milliseconds. */
const lagResolutionMs = 20;

/** Opens the metrics of a worker, with a registry of their own. */
export function createWorkerMetrics(version: string): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  let sources: MetricSources | undefined;
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const gauge = (name: string, help: string, read: (sources: MetricSources) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        if (sources !== undefined) this.set(read(sources));
      },
    });
  /** A counter that something else keeps. */
  const tally = (name: string, help: string, read: (sources: MetricSources) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        if (sources !== undefined) this.inc(read(sources));
      },
    });

  const latency = histogram(
    'protosmith_outcome_latency_seconds',
    'From the moment Redis took a job until its outcome was visible, by verdict.',
    jobSeconds,
    ['verdict'],
  );
  const jobs = counter('protosmith_jobs_total', 'Outcomes that this worker made visible, by kind of job and verdict.', [
    'kind',
    'verdict',
  ]);
  const duration = histogram(
    'protosmith_job_duration_seconds',
    'Time that a job was worked on here, by verdict.',
    jobSeconds,
    ['verdict'],
  );
  const wait = histogram(
    'protosmith_job_wait_seconds',
    'From the moment Redis took a job until it was first worked on.',
    jobSeconds,
  );
  const stages = histogram(
    'protosmith_stage_duration_seconds',
    'Time of one stage of the pipeline, as docs/pipeline.md names them.',
    stageSeconds,
    ['stage'],
  );
  const attempts = counter(
    'protosmith_attempts_total',
    'Completions by what became of them, those after the outcome included.',
    ['result'],
  );
  const calls = counter(
    'protosmith_model_calls_total',
    'Questions to the model, retries and fail-over within: answered, or the code of the failure.',
    ['result'],
  );
  const tokens = counter(
    'protosmith_tokens_total',
    'Tokens used: input (cached ones among them), cached_input or output.',
    ['type'],
  );
  const cost = counter('protosmith_cost_usd_total', 'Cost of the calls whose price is known, in US dollars.');
  const unpriced = counter('protosmith_unpriced_calls_total', 'Calls that used tokens whose price is not known.');
  const stalled = counter('protosmith_jobs_stalled_total', 'Jobs that this worker found left behind by a dead one.');
  const lockLost = counter(
    'protosmith_lock_renewal_failed_total',
    'Jobs given up here since another worker may have them.',
  );
  const retried = counter('protosmith_jobs_retried_total', 'Jobs put back for later, by the code of the fault.', [
    'code',
  ]);
  const givenUp = counter(
    'protosmith_jobs_given_up_total',
    'Jobs ended with error without a verdict on the matter, by code.',
    ['code'],
  );
  const suppressed = counter(
    'protosmith_result_duplicates_suppressed_total',
    'Outcomes not published since the job had one.',
  );
  const replayed = counter('protosmith_results_replayed_total', 'Outcomes announced again for a repeated job.');
  const bridged = counter('protosmith_jobs_bridged_total', 'Jobs brought from the intake stream to the queue.');
  const redisErrors = counter(
    'protosmith_redis_errors_total',
    "Errors of Redis and of the connections to it, by the error's code or first word.",
    ['kind'],
  );
  gauge(
    'protosmith_intake_paused',
    'Reasons for which this worker fetches no jobs; 0 while it does.',
    (from) => from.health().paused.length,
  );
  gauge(
    'protosmith_jobs_running',
    'Jobs that this worker works on, without those that go on after their outcome.',
    (from) => from.health().running,
  );
  gauge('protosmith_job_slots', 'Jobs that this worker may work on at once.', (from) => from.health().concurrency);
  gauge(
    'protosmith_since_fetch_seconds',
    'Time since this worker last asked for jobs; a worker with all slots taken does not ask.',
    (from) => from.health().sinceFetchMs / 1_000,
  );
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  new Gauge({
    name: 'protosmith_event_loop_lag_seconds',
    help: 'Delay of the event loop since the metrics were last read, by quantile.',
    labelNames: ['quantile'],
    registers,
    collect() {
      const quantiles = { '0.5': lag.percentile(50), '0.99': lag.percentile(99), '1': lag.max };
      for (const [quantile, nanoseconds] of Object.entries(quantiles)) {
        this.set({ quantile }, Math.max(0, nanoseconds / 1e9 - lagResolutionMs / 1e3));
      }
      lag.reset();
    },
  });
  gauge('protosmith_sandbox_cells', 'Sandbox processes that may work at once.', (from) => from.sandbox.stats().cells);
  gauge(
    'protosmith_sandbox_waiting',
    'Requests that wait for a sandbox process.',
    (from) => from.sandbox.stats().waiting,
  );
  tally(
    'protosmith_sandbox_wait_seconds_total',
    'Time that requests waited for a sandbox process.',
    (from) => from.sandbox.stats().waitedMs / 1_000,
  );
  tally('protosmith_sandbox_runs_total', 'Runs of candidates and handlers.', (from) => from.sandbox.stats().runs);
  tally(
    'protosmith_sandbox_killed_cells_total',
    'Sandbox processes that died or had to be ended.',
    (from) => from.sandbox.stats().killedCells,
  );
  gauge(
    'protosmith_sandbox_quarantined',
    'Bundles that this worker knows to run no more.',
    (from) => from.sandbox.stats().quarantined,
  );
  new Gauge({
    name: 'protosmith_sandbox_level',
    help: 'Level of the sandbox in force: 1 with its name as the label.',
    labelNames: ['level'],
    registers,
    collect() {
      if (sources !== undefined) this.set({ level: sources.sandbox.layers.level }, 1);
    },
  });
  new Gauge({
    name: 'protosmith_sandbox_layer',
    help: 'Layers of the sandbox in force: 1 for each, with its name as the label.',
    labelNames: ['layer'],
    registers,
    collect() {
      for (const layer of sources?.sandbox.layers.inForce ?? []) this.set({ layer }, 1);
    },
  });
  new Gauge({
    name: 'protosmith_resident_memory_bytes',
    help: 'Resident memory of this process, its children not counted.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: 'protosmith_cpu_seconds_total',
    help: 'Processor time of this process, its children not counted.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'protosmith_build_info',
    help: '1, with the versions of protosmith and Node as labels.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);

  const booked = ({ inputTokens, cachedInputTokens, outputTokens, costUsd }: Usage) => {
    tokens.inc({ type: 'input' }, inputTokens);
    tokens.inc({ type: 'cached_input' }, cachedInputTokens);
    tokens.inc({ type: 'output' }, outputTokens);
    if (costUsd !== null) cost.inc(costUsd);
    else if (inputTokens + outputTokens > 0) unpriced.inc();
  };

  return {
    registry,
    watch(given) {
      sources = given;
    },
    jobTaken({ takenAtMs, delivery }) {
      if (delivery === 1) wait.observe(Math.max(0, Date.now() - takenAtMs) / 1_000);
    },
    onJobEvent(event) {
      if (event.type === 'stage') stages.observe({ stage: event.stage }, event.durationMs / 1_000);
      if (event.type === 'attempted') attempts.inc({ result: event.result });
      if (event.type === 'ended') duration.observe({ verdict: event.verdict }, event.durationMs / 1_000);
    },
    onQueueEvent(event) {
      const { verdict = 'unknown', code = 'unknown', count = 1, latencyMs } = event;
      switch (event.event) {
        case 'published':
          jobs.inc({ kind: kindOf(event), verdict });
          if (latencyMs !== undefined) latency.observe({ verdict }, latencyMs / 1_000);
          break;
        case 'suppressed':
          suppressed.inc();
          break;
        case 'replayed':
          replayed.inc();
          break;
        case 'retried':
          retried.inc({ code });
          break;
        case 'given-up':
          givenUp.inc({ code });
          break;
        case 'lock-lost':
          lockLost.inc();
          break;
        case 'stalled':
          stalled.inc();
          break;
        case 'bridged':
          bridged.inc();
          break;
        case 'redis-error':
          redisErrors.inc({ kind: redisErrorKind(event) }, count);
          break;
      }
    },
    counting(model) {
      return {
        ...model,
        async complete(...question) {
          try {
            const completion = await model.complete(...question);
            calls.inc({ result: 'answered' });
            booked(completion.usage);
            return completion;
          } catch (error) {
            calls.inc({ result: codeOf(error) ?? 'unknown' });
            const usage = usageOf(error);
            if (usage !== undefined) booked(usage);
            throw error;
          }
        },
      };
    },
    close: () => void lag.disable(),
  };
}

/** A job's name is its producer's text: only those that are kinds may be labels. */
function kindOf({ kind }: QueueEvent): string {
  return kinds.find((known) => known === kind) ?? 'unknown';
}

function redisErrorKind({ code, message = '' }: QueueEvent): string {
  return /^[A-Z][A-Z_]{1,30}$/.exec(code ?? '')?.[0] ?? /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'other';
}

/** What a failed call used all the same, where it says so. */
function usageOf(error: unknown): Usage | undefined {
  return error instanceof Error && 'usage' in error ? (error.usage as Usage | undefined) : undefined;
}
