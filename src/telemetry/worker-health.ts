import type { ConsumerHealth } from '../../queues/index.ts';
import type { HealthCheck } from './health-server.ts';

/** How long a worker with a free slot, a connection and no pause may ask for no job, in milliseconds; it asks every five seconds. */
const stuckAfterMs = 30_000;

/** How long a worker may have all slots taken and no job end, in milliseconds: the longest deadline and work after it, twice over. */
const fullForMs = 2_700_000;

/** How long a worker that could may ask for no job before it is not ready, in milliseconds: its blocking connection has not come back. */
const silentAfterMs = 15_000;

/** How long the answer of one check is waited for, in milliseconds. */
const withinMs = 2_000;

/** How long an answer of the canary and of Redis' settings counts, in milliseconds. */
const countsForMs = 15_000;

/** What a look at something found. */
type Finding = Omit<HealthCheck, 'name'>;

/** Watches whether a worker gets on: whether it asks for jobs whenever nothing keeps it from asking. */
export class Progress {
  readonly #health: () => ConsumerHealth;
  readonly #clock: () => number;
  readonly #timer: NodeJS.Timeout;
  #keptFromFetchingAtMs: number;

  constructor(health: () => ConsumerHealth, clock: () => number = () => performance.now()) {
    this.#health = health;
    this.#clock = clock;
    this.#keptFromFetchingAtMs = clock();
    this.#timer = setInterval(() => this.#look(), 1_000);
    this.#timer.unref();
  }

  /** What there is to say of it now. */
  checks(): HealthCheck[] {
    this.#look();
    const { running, concurrency, sinceFetchMs } = this.#health();
    const idleMs = Math.min(sinceFetchMs, this.#clock() - this.#keptFromFetchingAtMs);
    const stuck = idleMs > stuckAfterMs;
    const full = running >= concurrency && sinceFetchMs > fullForMs;
    const seconds = Math.round(sinceFetchMs / 1_000);
    return [
      {
        name: 'progress',
        well: !stuck && !full,
        says: stuck
          ? `nothing keeps it from fetching jobs, and it has fetched none for ${seconds} s`
          : full
            ? `no job has ended for ${seconds} s`
            : `${running} of ${concurrency} jobs run; last asked for jobs ${seconds} s ago`,
      },
    ];
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { connected, paused, running, concurrency, closing } = this.#health();
    if (!connected || paused.length > 0 || running >= concurrency || closing)
      this.#keptFromFetchingAtMs = this.#clock();
  }
}

/** A check whose good answer counts for a while, since asking costs something and probes come every second; what takes long is as it was. */
export function remembered(name: string, look: () => Promise<Finding>): () => Promise<HealthCheck> {
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

/** A check made each time; what takes long is ill. */
export function prompt(name: string, look: () => Promise<Finding>): () => Promise<HealthCheck> {
  const next = oneAtATime(name, look);
  return async () => (await next()) ?? tooLate(name);
}

/** Looks, and joins a look that is under way; resolves to `null` where it takes too long. */
function oneAtATime(name: string, look: () => Promise<Finding>): () => Promise<HealthCheck | null> {
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
    const pending = looking;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), withinMs);
      pending.then((found) => {
        clearTimeout(timer);
        resolve(found);
      });
    });
  };
}

function tooLate(name: string): HealthCheck {
  return { name, well: false, says: `no answer within ${withinMs} ms` };
}

/** What the consumer itself says of taking jobs. */
export function consumerChecks(health: ConsumerHealth): HealthCheck[] {
  const { connected, paused, closing, running, concurrency, sinceFetchMs } = health;
  const open = connected && paused.length === 0 && !closing && running < concurrency;
  const silent = open && sinceFetchMs > silentAfterMs;
  return [
    { name: 'connection', well: connected, says: connected ? 'up' : 'Redis is away' },
    {
      name: 'blocking-connection',
      well: !silent,
      says: silent ? `no job asked for since ${Math.round(sinceFetchMs / 1_000)} s` : 'jobs are asked for',
    },
    {
      name: 'intake',
      well: paused.length === 0 && !closing,
      says: closing ? 'it stops' : paused.length > 0 ? `paused: ${paused.join('; ')}` : 'open',
    },
  ];
}
