import type { ConsumerHealth } from '../../queues/index.ts';
import type { HealthCheck } from './health-server.ts';
import { inTime } from './in-time.ts';

/**
 * How long a worker with a free slot, a connection and no pause may go without asking for a job, in milliseconds. It
 * asks every five seconds.
 */
const stuckAfterMs = 30_000;

/**
 * How long all slots may be taken without a job ending, in milliseconds: twice the longest deadline with the work after
 * it.
 */
const fullForMs = 2_700_000;

/**
 * How long a worker that could fetch may go without asking for a job before it is not ready, in milliseconds: its
 * blocking connection hangs.
 */
const silentAfterMs = 15_000;

/** How long to wait for one check, in milliseconds. */
const withinMs = 2_000;

/** How long a good result of a cached check is reused, in milliseconds. */
const countsForMs = 15_000;

type CheckResult = Omit<HealthCheck, 'name'>;

/** Watches whether a worker makes progress: whether it asks for jobs when nothing prevents it. */
export class Progress {
  readonly #health: () => ConsumerHealth;
  readonly #clock: () => number;
  readonly #timer: NodeJS.Timeout;
  #lastBlockedAtMs: number;

  constructor(health: () => ConsumerHealth, clock: () => number = () => performance.now()) {
    this.#health = health;
    this.#clock = clock;
    this.#lastBlockedAtMs = clock();
    this.#timer = setInterval(() => this.#look(), 1_000);
    this.#timer.unref();
  }

  /** The current result. */
  checks(): HealthCheck[] {
    this.#look();
    const { running, concurrency, sinceFetchMs } = this.#health();
    const idleMs = Math.min(sinceFetchMs, this.#clock() - this.#lastBlockedAtMs);
    const stuck = idleMs > stuckAfterMs;
    const full = running >= concurrency && sinceFetchMs > fullForMs;
    const seconds = Math.round(sinceFetchMs / 1_000);
    return [
      {
        name: 'progress',
        well: !stuck && !full,
        says: stuck
          ? `nothing prevents it from fetching jobs, but it has fetched none for ${seconds} s`
          : full
            ? `no job has ended for ${seconds} s`
            : `${running} of ${concurrency} jobs run; last fetch ${seconds} s ago`,
      },
    ];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { connected, paused, running, concurrency, closing } = this.#health();
    if (!connected || paused.length > 0 || running >= concurrency || closing) this.#lastBlockedAtMs = this.#clock();
  }
}

/**
 * A check whose good result is reused for a while, because it is costly and probes come every second. If it takes too
 * long, its last result counts.
 */
export function cachedCheck(name: string, look: () => Promise<CheckResult>): () => Promise<HealthCheck> {
  const next = oneAtATime(name, look);
  let last: HealthCheck | undefined;
  let foundAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (last?.well && performance.now() - foundAtMs < countsForMs) return last;
    const found = await next();
    if (found === null) return last ?? tooLate(name);
    last = found;
    foundAtMs = performance.now();
    return found;
  };
}

/** A check that runs each time, and fails if it takes too long. */
export function freshCheck(name: string, look: () => Promise<CheckResult>): () => Promise<HealthCheck> {
  const next = oneAtATime(name, look);
  return async () => (await next()) ?? tooLate(name);
}

/** Runs the check, or joins one that is running. Resolves to `null` if it takes too long. */
function oneAtATime(name: string, look: () => Promise<CheckResult>): () => Promise<HealthCheck | null> {
  let looking: Promise<HealthCheck> | undefined;
  return () => {
    looking ??= look()
      .catch((error: unknown) => ({
        well: false,
        says: error instanceof Error ? error.message.slice(0, 200) : 'fault',
      }))
      .then((found) => ({ name, ...found }))
      .finally(() => {
        looking = undefined;
      });
    return inTime(looking, withinMs, null);
  };
}

function tooLate(name: string): HealthCheck {
  return { name, well: false, says: `no answer within ${withinMs} ms` };
}

/** The checks of the consumer that takes jobs. */
export function consumerChecks(health: ConsumerHealth): HealthCheck[] {
  const { connected, paused, closing, running, concurrency, sinceFetchMs } = health;
  const open = connected && paused.length === 0 && !closing && running < concurrency;
  const silent = open && sinceFetchMs > silentAfterMs;
  return [
    { name: 'connection', well: connected, says: connected ? 'up' : 'Redis is away' },
    {
      name: 'blocking-connection',
      well: !silent,
      says: silent ? `no fetch for ${Math.round(sinceFetchMs / 1_000)} s` : 'fetching jobs',
    },
    {
      name: 'intake',
      well: paused.length === 0 && !closing,
      says: closing ? 'stopping' : paused.length > 0 ? `paused: ${paused.join('; ')}` : 'open',
    },
  ];
}
