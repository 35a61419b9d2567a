import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Delivery, QueueEvent } from '../../queues/index.ts';
import type { Completer } from '../contract/completion.ts';
import { kinds } from '../contract/job.ts';
import type { Usage } from '../contract/outcome.ts';
import { codeOf } from '../kernel/errors.ts';
import type { JobEvent } from './job-event.ts';
import {
  type Event,
  events,
  type Labelled,
  type MetricSources,
  type OwnFacts,
  type Reading,
  readings,
} from './worker-metrics-table.ts';

/** The metrics of one worker process (docs/metrics.md); no label holds a job's text. */
export interface WorkerMetrics {
  readonly registry: Registry;
  /** Sets the sources that are read at each scrape. */
  watch(sources: MetricSources): void;
  /** Records that work on a job starts. */
  jobTaken(delivery: Pick<Delivery, 'takenAtMs' | 'delivery'>): void;
  onJobEvent(event: JobEvent): void;
  onQueueEvent(event: QueueEvent): void;
  /** Counts a try of a model call, by the endpoint's host. */
  onTry(ended: { host: string; model: string; result: string }): void;
  /** Wraps a model so that its calls are counted. */
  counting<Model extends Completer>(model: Model): Model;
  close(): Promise<void>;
}

/** Resolution of the event loop monitor, in milliseconds. */
const lagResolutionMs = 20;

/** Creates the metrics of a worker in a registry of their own. */
export function createWorkerMetrics(version: string): WorkerMetrics {
  const registry = new Registry();
  const count = counting(registry);
  let sources: MetricSources | undefined;
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  const own: OwnFacts = { version, lag: () => quantilesOf(lag) };
  for (const one of readings) register(one, registry, own, () => sources);
  return {
    registry,
    watch(given) {
      sources = given;
    },
    jobTaken({ takenAtMs, delivery }) {
      if (delivery === 1) count('wait', Math.max(0, Date.now() - takenAtMs) / 1_000);
    },
    onJobEvent(event) {
      if (event.type === 'stage') count('stages', event.durationMs / 1_000, { stage: event.stage });
      if (event.type === 'attempted') count('attempts', 1, { result: event.result });
      if (event.type === 'ended') count('duration', event.durationMs / 1_000, { verdict: event.verdict });
    },
    onQueueEvent: (event) => countQueueEvent(event, count),
    onTry: ({ host, model, result }) => count('tries', 1, { endpoint: `${host} ${model}`, result }),
    counting: (model) => countedModel(model, count),
    close: async () => void lag.disable(),
  };
}

/** Adds to a counter, or observes a value. */
type Count = (metric: keyof typeof events, value?: number, labels?: Record<string, string>) => void;

function counting(registry: Registry): Count {
  const registers = [registry];
  const adding = Object.entries<Event>(events).map(([key, { type, name, help, labels: labelNames, buckets = [] }]) => {
    if (type === 'counter') {
      const counter = new Counter({ name, help, labelNames, registers });
      return [key, (value: number, labels: Record<string, string>) => counter.inc(labels, value)] as const;
    }
    const histogram = new Histogram({ name, help, labelNames, buckets, registers });
    return [key, (value: number, labels: Record<string, string>) => histogram.observe(labels, value)] as const;
  });
  const add = new Map(adding);
  return (metric, value = 1, labels = {}) => add.get(metric)?.(value, labels);
}

function register(reading: Reading, registry: Registry, own: OwnFacts, sources: () => MetricSources | undefined): void {
  const { type, name, help, labels, read } = reading;
  const about = { name, help, labelNames: labels, registers: [registry] };
  const values = (): Labelled => {
    const from = sources();
    const value = from === undefined ? [] : read(from, own);
    return typeof value === 'number' ? [[{}, value]] : value;
  };
  if (type === 'gauge')
    new Gauge({
      ...about,
      collect() {
        for (const [given, value] of values()) this.set(given, value);
      },
    });
  else
    new Counter({
      ...about,
      collect() {
        this.reset();
        for (const [given, value] of values()) this.inc(given, value);
      },
    });
}

function quantilesOf(lag: ReturnType<typeof monitorEventLoopDelay>): Labelled {
  const quantiles = { '0.5': lag.percentile(50), '0.99': lag.percentile(99), '1': lag.max };
  lag.reset();
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - lagResolutionMs / 1e3);
  return Object.entries(quantiles).map(([quantile, delay]) => [{ quantile }, seconds(delay)]);
}

/** Queue events that only increase a counter without labels. */
const plainEvents = {
  suppressed: 'suppressed',
  replayed: 'replayed',
  'lock-lost': 'lockLost',
  stalled: 'stalled',
  bridged: 'bridged',
} as const satisfies Partial<Record<QueueEvent['event'], keyof typeof events>>;

function countQueueEvent(event: QueueEvent, count: Count): void {
  const { verdict = 'unknown', code = 'unknown', latencyMs } = event;
  if (event.event in plainEvents) count(plainEvents[event.event as keyof typeof plainEvents]);
  if (event.event === 'published') count('jobs', 1, { kind: kindOf(event), verdict });
  if (event.event === 'published' && latencyMs !== undefined) count('latency', latencyMs / 1_000, { verdict });
  if (event.event === 'retried') count('retried', 1, { code });
  if (event.event === 'given-up') count('givenUp', 1, { code });
  if (event.event === 'redis-error') count('redisErrors', event.count ?? 1, { kind: redisErrorKind(event) });
}

function countedModel<Model extends Completer>(model: Model, count: Count): Model {
  return {
    ...model,
    async complete(...question) {
      try {
        const completion = await model.complete(...question);
        count('calls', 1, { result: 'answered' });
        countUsage(completion.usage, count);
        return completion;
      } catch (error) {
        count('calls', 1, { result: codeOf(error) ?? 'unknown' });
        const usage = usageOf(error);
        if (usage !== undefined) countUsage(usage, count);
        throw error;
      }
    },
  };
}

function countUsage({ inputTokens, cachedInputTokens, outputTokens, costUsd }: Usage, count: Count): void {
  count('tokens', inputTokens, { type: 'input' });
  count('tokens', cachedInputTokens, { type: 'cached_input' });
  count('tokens', outputTokens, { type: 'output' });
  if (costUsd !== null) count('cost', costUsd);
  else if (inputTokens + outputTokens > 0) count('unpriced');
}

/** An unknown kind is the producer's text and must not become a label. */
function kindOf({ kind }: QueueEvent): string {
  return kinds.find((known) => known === kind) ?? 'unknown';
}

function redisErrorKind({ code, message = '' }: QueueEvent): string {
  return /^[A-Z][A-Z_]{1,30}$/.exec(code ?? '')?.[0] ?? /^[A-Z]{2,20}\b/.exec(message)?.[0] ?? 'other';
}

/** The usage of a failed call, if the error has it. */
function usageOf(error: unknown): Usage | undefined {
  return error instanceof Error && 'usage' in error ? (error.usage as Usage | undefined) : undefined;
}
