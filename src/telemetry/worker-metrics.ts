import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Delivery, QueueEvent } from '../../queues/index.ts';
import type { Completer } from '../contract/completion.ts';
import { kinds } from '../contract/job.ts';
import type { Usage } from '../contract/outcome.ts';
import { codeOf } from '../kernel/errors.ts';
import type { JobEvent } from './job-event.ts';
import { redisErrorKind } from './redis-error-kind.ts';
import { type TenantClasses, tenantClassOf } from './tenant-classes.ts';
import {
  type EventMetric,
  eventMetrics,
  type LabelledValues,
  type MetricSources,
  type OwnFacts,
  type ScrapedMetric,
  scrapedMetrics,
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
export function createWorkerMetrics(version: string, tenantClasses: TenantClasses = {}): WorkerMetrics {
  const registry = new Registry();
  const count = counting(registry);
  let sources: MetricSources | undefined;
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
  lag.enable();
  const own: OwnFacts = { version, lag: onceAScrape(() => delaysOf(lag)) };
  for (const one of scrapedMetrics) register(one, registry, own, () => sources);
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
      if (event.type === 'reading') count('readings', 1, { result: event.result });
      if (event.type === 'confirmed')
        for (const result of ['confirmed', 'contested'] as const) count('confirmations', event[result], { result });
      if (event.type === 'ended') count('duration', event.durationMs / 1_000, { verdict: event.verdict });
    },
    onQueueEvent(event) {
      countQueueEvent(event, count);
      if (event.event === 'published') countOutcome(event, tenantClasses, count);
    },
    onTry: ({ host, model, result }) => count('tries', 1, { endpoint: `${host} ${model}`, result }),
    counting: (model) => countedModel(model, count),
    close: async () => void lag.disable(),
  };
}

/** Adds to a counter, or observes a value. */
type Count = (metric: keyof typeof eventMetrics, value?: number, labels?: Record<string, string>) => void;

function counting(registry: Registry): Count {
  const registers = [registry];
  const adding = Object.entries<EventMetric>(eventMetrics).map(
    ([key, { type, name, help, labels: labelNames, buckets = [], from0 = [] }]) => {
      if (type === 'counter') {
        const counter = new Counter({ name, help, labelNames, registers });
        for (const value of from0) counter.inc({ [labelNames[0] ?? '']: value }, 0);
        return [key, (value: number, labels: Record<string, string>) => counter.inc(labels, value)] as const;
      }
      const histogram = new Histogram({ name, help, labelNames, buckets, registers });
      return [key, (value: number, labels: Record<string, string>) => histogram.observe(labels, value)] as const;
    },
  );
  const add = new Map(adding);
  return (metric, value = 1, labels = {}) => add.get(metric)?.(value, labels);
}

function register(
  metric: ScrapedMetric,
  registry: Registry,
  own: OwnFacts,
  sources: () => MetricSources | undefined,
): void {
  const { type, name, help, labels, read } = metric;
  const about = { name, help, labelNames: labels, registers: [registry] };
  const values = (): LabelledValues => {
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

/** Reads a source once for all gauges of one scrape, which ask in the same turn of the event loop. */
function onceAScrape<Value>(read: () => Value): () => Value {
  let value: { read: Value } | undefined;
  return () => {
    if (value === undefined) {
      value = { read: read() };
      setImmediate(() => {
        value = undefined;
      });
    }
    return value.read;
  };
}

function delaysOf(lag: ReturnType<typeof monitorEventLoopDelay>): ReturnType<OwnFacts['lag']> {
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - lagResolutionMs / 1e3);
  const delays = { p50: seconds(lag.percentile(50)), p99: seconds(lag.percentile(99)), max: seconds(lag.max) };
  lag.reset();
  return delays;
}

/** Queue events that only increase a counter without labels. */
const plainEvents = {
  suppressed: 'suppressed',
  replayed: 'replayed',
  'lock-lost': 'lockLost',
  stalled: 'stalled',
  bridged: 'bridged',
} as const satisfies Partial<Record<QueueEvent['event'], keyof typeof eventMetrics>>;

function countQueueEvent(event: QueueEvent, count: Count): void {
  if (event.event in plainEvents) count(plainEvents[event.event as keyof typeof plainEvents]);
  if (event.event === 'retried') count('retried', 1, { code: event.code ?? 'unknown' });
  if (event.event === 'redis-error') count('redisErrors', event.count ?? 1, { kind: redisErrorKind(event) });
}

function countOutcome(event: QueueEvent, classes: TenantClasses, count: Count): void {
  const { tenant, verdict = 'unknown', codes = [], latencyMs } = event;
  count('jobs', 1, { kind: kindOf(event), verdict });
  count('tenantJobs', 1, { tenant_class: tenantClassOf(tenant ?? null, classes), verdict });
  if (latencyMs !== undefined) count('latency', latencyMs / 1_000, { verdict });
  for (const code of codes) count('errors', 1, { verdict, code });
  const ours = verdict === 'error' ? codes.find((code) => /^(PLATFORM|OPERATOR|DEFECT)_/.test(code)) : undefined;
  if (ours !== undefined) count('givenUp', 1, { code: ours });
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

/** The usage of a failed call, if the error has it. */
function usageOf(error: unknown): Usage | undefined {
  return error instanceof Error && 'usage' in error ? (error.usage as Usage | undefined) : undefined;
}
