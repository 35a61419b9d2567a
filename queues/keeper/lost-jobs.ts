import { isAutomaticId } from '../redis/catalog.ts';
import { Script } from '../redis/script.ts';
import type { KeeperOptions } from './keeper-options.ts';

/** How often lost jobs are looked for, in milliseconds. */
const LOOK_MS = 5_000;

/** Deadlines of one page. Two pages are read in each look. */
const PAGE = 1_000;

/** Lists where a job waits; BullMQ of earlier versions moves those of a paused queue to `paused`. */
const lists = ['wait', 'active', 'paused'] as const;

/** Sorted sets where a job waits or has ended. */
const places = ['prioritized', 'delayed', 'waiting-children', 'completed', 'failed'] as const;

// KEYS[1] job KEYS[2] wait KEYS[3] active KEYS[4] paused KEYS[5] marker KEYS[6] … sorted sets ARGV[1] job id.
// A job that is in none of the places waits again, as the next one. Returns 1 for such a job.
const returnScript = new Script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for index = 6, #KEYS do if redis.call('ZSCORE', KEYS[index], ARGV[1]) then return 0 end end
for index = 2, 4 do if redis.call('LPOS', KEYS[index], ARGV[1]) then return 0 end end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[5], 0, '0')
return 1`);

/**
 * Puts jobs on the queue that were taken off one list of BullMQ, or stored, and never put on the next list: Redis
 * leaves a script halfway through if the user may not use one of its commands.
 */
export class LostJobs {
  readonly #options: KeeperOptions;
  #page = 1;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Looks through the next deadlines each time, and through one further page in turn. */
  async look(): Promise<void> {
    if (performance.now() - this.#lookedAtMs < LOOK_MS) return;
    this.#lookedAtMs = performance.now();
    const { connection, keys } = this.#options;
    let isMore = false;
    for (const page of [0, this.#page]) {
      const jobIds = await connection.zrange(keys.deadlines, String(page * PAGE), String((page + 1) * PAGE - 1));
      for (const jobId of await this.#suspects(jobIds.filter((one) => !isAutomaticId(one)))) await this.#putBack(jobId);
      isMore = jobIds.length === PAGE;
    }
    this.#page = isMore ? this.#page + 1 : 1;
  }

  /** The jobs that are in no place that is cheap to search. */
  async #suspects(jobIds: readonly string[]): Promise<string[]> {
    const { connection, keys } = this.#options;
    if (jobIds.length === 0) return [];
    const active = new Set(await connection.lrange(`${keys.queue}:active`, 0, -1));
    const scores = await Promise.all(places.map((place) => connection.zmscore(`${keys.queue}:${place}`, ...jobIds)));
    const missing = jobIds.filter((one, index) => !active.has(one) && scores.every((found) => found[index] == null));
    const waiting = await this.#shortList();
    if (waiting !== null) return missing.filter((jobId) => !waiting.has(jobId));
    // Most of them wait in the long list; those that were begun or delayed do not.
    const moved = await Promise.all(missing.map((one) => connection.hmget(`${keys.queue}:${one}`, 'ats', 'delay')));
    return missing.filter((_, index) => moved[index]?.some((value) => Number(value) > 0));
  }

  /** The jobs that wait in a list; `null` if there are too many to read in each look. */
  async #shortList(): Promise<Set<string> | null> {
    const { connection, keys } = this.#options;
    const read = (list: string) => connection.lrange(`${keys.queue}:${list}`, 0, PAGE);
    const [waiting, paused] = await Promise.all([read('wait'), read('paused')]);
    return waiting.length > PAGE || paused.length > PAGE ? null : new Set([...waiting, ...paused]);
  }

  async #putBack(jobId: string): Promise<void> {
    const { connection, keys, onEvent } = this.#options;
    const names = [jobId, ...lists, 'marker', ...places].map((name) => `${keys.queue}:${name}`);
    if ((await returnScript.run(connection, names, [jobId])) !== 1) return;
    const message = 'Cannot find job in the queue: found it on none of its lists, wanted it on one; it waits again';
    onEvent({ event: 'mended', jobId, message });
  }
}
