import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { QueueError } from './queue-error.ts';
import { Script } from './script.ts';

/**
 * A lease that lasts this many times longer than asked for was written by hand: all holders of a name ask for about the
 * same.
 */
const TOO_LONG_FACTOR = 10;

// KEYS[1] lease ARGV[1] token ARGV[2] ms ARGV[3] how many times longer is too long. Gives a lease with no or a far
// expiry a normal one: its holder renews it.
const acquireScript = new Script(`
if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end
local left = redis.call('PTTL', KEYS[1])
if left == -1 or left > ARGV[2] * ARGV[3] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`);
// An expired lease that nobody took is taken again: nobody can renew while Redis refuses writes.
const renewScript = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** Takes a lease for `holdMs`; `false` if another has it. */
export async function acquire(connection: Connection, key: string, token: string, holdMs: number): Promise<boolean> {
  return (await acquireScript.run(connection, [key], [token, holdMs, TOO_LONG_FACTOR])) === 1;
}

/** A named lock across workers, held until it is released or expires. */
export interface Lease {
  /** Extends it by its full time; `false` if it expired and another has it. */
  renew(): Promise<boolean>;
  /** Releases it, if it is still held. */
  release(): Promise<void>;
}

/** Leases across all workers: one generation per key, one keeper per queue. */
export class Leases {
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** Takes a lease for `holdMs`; `null` if another has it. */
  async acquire(name: string, holdMs: number): Promise<Lease | null> {
    const key = this.#keys.lease(name);
    const token = randomUUID();
    if (!(await acquire(this.#connection, key, token, holdMs))) return null;
    return {
      renew: async () => (await this.#connection.eval(renewScript, 1, key, token, holdMs)) === 1,
      release: async () => {
        await this.#connection.eval(releaseScript, 1, key, token);
      },
    };
  }

  /** Waits until a lease is free; `false` if `untilMs` (local clock) passed or the signal fired first. */
  async whenFree(name: string, { untilMs, signal }: { untilMs: number; signal?: AbortSignal }): Promise<boolean> {
    const key = this.#keys.lease(name);
    for (let pauseMs = 25; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
      if (signal?.aborted) return false;
      if ((await this.#connection.exists(key)) === 0) return true;
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0) return false;
      await sleep(Math.min(pauseMs, leftMs), undefined, signal ? { signal } : {}).catch(() => undefined);
    }
  }

  /**
   * Runs work that only one worker may do at a time. The holder of the lease works and renews it. The others wait until
   * it is free, call `found`, and work only if that finds nothing. Resolves to `null` if `untilMs` passed or the signal
   * fired while waiting. If the lease is lost, the work's signal fires with `PLATFORM_LEASE_LOST`.
   */
  async single<Result>(
    name: string,
    options: {
      untilMs: number;
      signal: AbortSignal;
      holdMs?: number;
      found: () => Promise<Result | null>;
      work: (signal: AbortSignal) => Promise<Result>;
    },
  ): Promise<Result | null> {
    const { untilMs, signal, holdMs = 10_000, found, work } = options;
    for (;;) {
      const lease = await this.acquire(name, holdMs);
      if (lease === null) {
        if (!(await this.whenFree(name, { untilMs, signal }))) return null;
        const result = await found();
        if (result !== null) return result;
        continue;
      }
      const lost = new AbortController();
      const renewal = setInterval(() => {
        lease.renew().then(
          (held) => held || lost.abort(leaseLost(name)),
          () => undefined,
        );
      }, holdMs / 3);
      renewal.unref();
      try {
        return (await found()) ?? (await work(AbortSignal.any([signal, lost.signal])));
      } finally {
        clearInterval(renewal);
        await lease.release().catch(() => undefined);
      }
    }
  }
}

// A `PLATFORM_` code: the job is retried and finds the other holder's result.
function leaseLost(name: string): QueueError {
  return new QueueError(
    'PLATFORM_LEASE_LOST',
    `Cannot continue ${name}: found its lease lost, wanted it until the end`,
  );
}
