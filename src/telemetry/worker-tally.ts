import type { ConsumerHealth, QueueEvent } from '../../queues/index.ts';
import type { SandboxStats } from '../../sandbox/contract.ts';
import {
  type Heartbeat,
  type InvalidJob,
  latencyBucket,
  type NamedFault,
  noTally,
  type SilentCalls,
  type Tally,
} from './heartbeat.ts';
import type { JobEvent } from './job-event.ts';
import { RecentCounts } from './recent-counts.ts';
import { redisErrorKind } from './redis-error-kind.ts';

/** How far back a heartbeat counts, in milliseconds. */
const keptMs = 300_000;

/** Most jobs that a heartbeat names, of each sort. */
const maxJobs = 20;

/** Most tenants that a heartbeat names. */
const maxTenants = 20;

/** Most errors of Redis that a heartbeat names. */
const maxRedisFaults = 5;

/** Longest message of a fault, in UTF-16 units. */
const maxMessage = 300;

/** What a heartbeat reads when it is due. */
export interface TallySources {
  health(): ConsumerHealth;
  sandbox: { stats(): SandboxStats; layers: { level: string } };
  silent(): SilentCalls[];
  heard(): Record<string, number>;
}

/** Counts what a worker did in the last five minutes, for its heartbeat. */
export class WorkerTally {
  readonly #worker: string;
  readonly #version: string;
  readonly #startedAtMs = performance.now();
  readonly #counts = new RecentCounts(keptMs);
  readonly #redisMessages = new Map<string, string>();
  /** When each running job was taken, by `performance.now()`. */
  readonly #running = new Map<string, number>();
  #invalid: (InvalidJob & { atMs: number })[] = [];
  #endedAtMs: number | null = null;
  #fault: NamedFault | null = null;
  #forbidden: Heartbeat['forbidden'] = null;

  constructor(worker: string, version: string) {
    this.#worker = worker;
    this.#version = version;
  }

  /** Counts an event of the queue. */
  onQueueEvent(event: QueueEvent): void {
    const { jobId = '', code, message = '', count = 1 } = event;
    const takenAtMs = this.#running.get(jobId);
    if (event.event === 'taken') this.#running.set(jobId, performance.now());
    if (left.has(event.event)) this.#running.delete(jobId);
    if (event.event === 'redis-error') {
      const kind = redisErrorKind({ code, message });
      this.#counts.add('redis', kind, count);
      this.#redisMessages.set(kind, message.slice(0, maxMessage));
    }
    if (event.event !== 'published') return;
    this.#endedAtMs = performance.now();
    const { verdict = 'unknown', codes = [], tenant } = event;
    this.#counts.add('ended', verdict);
    if (event.latencyMs !== undefined) this.#counts.add('latency', latencyBucket(event.latencyMs));
    if (takenAtMs !== undefined) {
      this.#counts.add('run', 'jobs');
      this.#counts.add('run', 'ms', performance.now() - takenAtMs);
    }
    for (const one of codes) this.#counts.add('code', one);
    this.#counts.add('tenant', tenant ?? 'unknown');
    const invalid = codes.find((one) => one.startsWith('JOB_') && one !== 'JOB_CANCELLED');
    if (invalid !== undefined)
      this.#noteInvalid({ jobId, code: invalid, tenant: tenant ?? null, replyTo: event.replyTo ?? '' });
  }

  /** Counts the time, usage and results of the work on jobs. */
  onJobEvent(event: JobEvent): void {
    if (event.type === 'stored') this.#counts.add('work', event.reused ? 'reused' : 'made');
    if (event.type !== 'attempted' || event.usage === undefined) return;
    const { inputTokens, outputTokens, costUsd } = event.usage;
    this.#counts.add('work', 'inputTokens', inputTokens);
    this.#counts.add('work', 'outputTokens', outputTokens);
    if (costUsd !== null) this.#counts.add('work', 'costUsd', costUsd);
  }

  /** Counts a try of a model call. */
  onTry({ endpoint, result }: { endpoint: string; result: string }): void {
    this.#counts.add('try', `${endpoint} ${result}`);
  }

  /** Records why this worker does not start. Every later heartbeat has it. */
  fail(fault: NamedFault): void {
    this.#fault = fault;
  }

  /** Records what the Redis user of this worker may not use. */
  forbid(found: { user: string; missing: string[] }): void {
    this.#forbidden = found.missing.length > 0 ? found : null;
  }

  /** The heartbeat of a running worker. */
  beat(state: Heartbeat['state'], sources: TallySources): Heartbeat {
    const { concurrency, running, paused, sinceFetchMs } = sources.health();
    const { cells, waiting, killedCells } = sources.sandbox.stats();
    const nowMs = performance.now();
    this.#invalid = this.#invalid.filter(({ atMs }) => nowMs - atMs < keptMs);
    return {
      ...this.plain(),
      ...(this.#fault === null ? { state } : {}),
      concurrency,
      running,
      jobs: [...this.#running.keys()].slice(0, maxJobs),
      cells: { all: cells, waiting, killed: killedCells },
      level: sources.sandbox.layers.level,
      paused,
      sinceFetchMs,
      sinceEndMs: this.#endedAtMs === null ? null : Math.round(nowMs - this.#endedAtMs),
      redisFaults: this.#redisFaults(),
      silent: sources.silent(),
      heard: sources.heard(),
      invalid: this.#invalid.map(({ atMs: _, ...one }) => one),
      recent: this.#recent(),
      meanRunMs: this.#meanRunMs(),
      endedLastMinute: Object.values(this.#counts.of('ended', 60_000)).reduce((sum, one) => sum + one, 0),
    };
  }

  /** The heartbeat of a worker that did not start, so it has no facts of sandbox and queue. */
  plain(): Heartbeat {
    return {
      worker: this.#worker,
      version: this.#version,
      state: this.#fault === null ? 'running' : 'failed',
      fault: this.#fault,
      upMs: Math.round(performance.now() - this.#startedAtMs),
      concurrency: 0,
      running: 0,
      jobs: [],
      cells: { all: 0, waiting: 0, killed: 0 },
      level: null,
      paused: [],
      sinceFetchMs: 0,
      sinceEndMs: null,
      forbidden: this.#forbidden,
      redisFaults: [],
      silent: [],
      invalid: [],
      recent: noTally,
      endedLastMinute: 0,
      meanRunMs: null,
    };
  }

  #meanRunMs(): number | null {
    const { jobs, ms = 0 } = this.#counts.of('run');
    return jobs === undefined ? null : Math.round(ms / jobs);
  }

  #recent(): Tally {
    const tries: Tally['tries'] = {};
    for (const [name, count] of Object.entries(this.#counts.of('try', keptMs, 100))) {
      const [, endpoint = name, result = 'unknown'] = /^(.*) (\S+)$/.exec(name) ?? [];
      tries[endpoint] = { ...tries[endpoint], [result]: count };
    }
    return {
      verdicts: this.#counts.of('ended'),
      codes: this.#counts.of('code'),
      tenants: this.#counts.of('tenant', keptMs, maxTenants),
      tries,
      latency: this.#counts.of('latency'),
      work: this.#counts.of('work'),
    };
  }

  #redisFaults(): Heartbeat['redisFaults'] {
    return Object.entries(this.#counts.of('redis', keptMs, maxRedisFaults)).map(([code, count]) => ({
      code,
      message: this.#redisMessages.get(code) ?? '',
      count,
    }));
  }

  #noteInvalid(job: InvalidJob): void {
    const { jobId } = job;
    this.#invalid.push({
      ...job,
      jobId: jobId.slice(0, 200),
      replyTo: job.replyTo.slice(0, 64),
      atMs: performance.now(),
    });
    if (this.#invalid.length > maxJobs) this.#invalid.shift();
  }
}

/** Events after which this worker no longer runs a job. */
const left: ReadonlySet<QueueEvent['event']> = new Set([
  'published',
  'suppressed',
  'replayed',
  'refused',
  'retried',
  'put-back',
  'handed-back',
  'lock-lost',
]);
