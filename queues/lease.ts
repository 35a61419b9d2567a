import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { QueueError } from './queue-error.ts';
import { Script } from './script.ts';

/** A lease that lasts so many times as long as another asks for it was written by hand: holders of one name ask for much the same. */
const FAR = 10;

// KEYS[1] lease  ARGV[1] token  ARGV[2] ms  ARGV[3] how many times as long is too long. One without an end, or with one too far off, gets one: whoever
// holds it renews it.
const acquireScript = new Script(`
if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end
local left = redis.call('PTTL', KEYS[1])
if left == -1 or left > ARGV[2] * ARGV[3] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`);
// One that ran out and that nobody took is taken again: while Redis takes no writes, nobody can renew it.
const renewScript = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** Takes a name for `holdMs`; `false` where another has it. */
export async function acquire(connection: Connection, key: string, token: string, holdMs: number): Promise<boolean> {
  return (await acquireScript.run(connection, [key], [token, holdMs, FAR])) === 1;
}

/** A name that one holder has at a time, until it is released or its time runs out. */
export interface Lease {
  /** Extends it by its whole time; `false` where it ran out and is another's. */
  renew(): Promise<boolean>;
  /** Gives it back, if it is still held. */
  release(): Promise<void>;
}

/** Leases across all workers: one generation for one key, one keeper for one queue. */
export class Leases {
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** Takes a lease for `holdMs`; `null` where another has it. */
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

  /** Waits until nobody holds a lease; `false` where the moment (local clock) passed or the signal fired first. */
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
   * Does work that only one may do at a time for a name: whoever has the lease works while it is renewed; the others wait until it is free, then call
   * `found`, and take their turn only where that finds nothing. Resolves to `null` where the moment passed or the signal fired while waiting. Where the
   * lease is lost, the work's signal fires, with `PLATFORM_LEASE_LOST`.
   */
  async single<Result>(
    name: string,
    turn: {
      untilMs: number;
      signal: AbortSignal;
      holdMs?: number;
      found: () => Promise<Result | null>;
      work: (signal: AbortSignal) => Promise<Result>;
    },
  ): Promise<Result | null> {
    const { untilMs, signal, holdMs = 10_000, found, work } = turn;
    for (;;) {
      const lease = await this.acquire(name, holdMs);
      if (lease === null) {
        if (!(await this.whenFree(name, { untilMs, signal }))) return null;
        const there = await found();
        if (there !== null) return there;
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

// The platform's fault: the job comes again, and finds what the other holder made.
function leaseLost(name: string): QueueError {
  return new QueueError(
    'PLATFORM_LEASE_LOST',
    `Cannot go on with ${name}: found its lease lost, wanted it until the end`,
  );
}
