import { readFileSync } from 'node:fs';
import { type Keys, NO_TENANT } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';
import { parseData } from './delivery.ts';
import type { JobReader } from './job-reader.ts';
import { TenantFull } from './tenant-full.ts';

const nextTurn = readFileSync(new URL('./next-turn.lua', import.meta.url), 'utf8');

/** The lowest priority that is a turn, as in next-turn.lua. */
const FIRST_TURN = 1_024;

/** Most jobs that get their turns in one step. */
const JOBS_PER_STEP = 200;

/** Most steps that a worker waits for before it fetches again. */
const STEPS_AWAITED = 10;

/** Most jobs that are moved behind all others in one step. */
const MOVED_PER_STEP = 2_000;

/** The lowest score of a job behind all others, as in next-turn.lua. */
const LAST_PLACE = 2_000_001 * 2 ** 32;

/** Once turns are this high, all are lowered: BullMQ has no priority above 2,097,152. */
const HIGH_TURN = 1_000_000;

// KEYS[4] the tenant's waiting jobs KEYS[5] the job KEYS[6] limits ARGV tenant, job id, how long its peer waits in ms.
// Returns {turn, waiting, limit}: turn 0 if the queue has the job already, -1 if the tenant has too many.
const reserve = new Script(`${nextTurn}
if redis.call('EXISTS', KEYS[5]) == 1 then return { 0, 0, 0 } end
local waiting = waitingOf(KEYS[4])
local limit = limitOf(KEYS[6], ARGV[1])
if limit and waiting >= limit and not redis.call('ZSCORE', KEYS[4], ARGV[2]) then return { -1, waiting, limit } end
noteWaiting(KEYS[4], ARGV[1], ARGV[2], ARGV[3])
return { nextTurn(ARGV[1], waiting), waiting, 0 }`);

// KEYS[4] the tenant's waiting jobs KEYS[5] active KEYS[6] wait KEYS[7] the lock KEYS[8] stalled KEYS[9] marker
// KEYS[10] the rate limiter's counter ARGV tenant, job id, token, prefix of job keys, 1 if a worker had the job before,
// how long its peer waits in ms. If other jobs wait, enqueues a fetched job again in its turn. Returns whether it did.
const enqueueInTurn = new Script(`${nextTurn}
if redis.call('LLEN', KEYS[6]) == 0 and redis.call('ZCARD', KEYS[2]) == 0 then return 0 end
if redis.call('GET', KEYS[7]) ~= ARGV[3] or redis.call('LREM', KEYS[5], 1, ARGV[2]) == 0 then return 0 end
redis.call('DEL', KEYS[7])
redis.call('SREM', KEYS[8], ARGV[2])
if redis.call('EXISTS', KEYS[10]) == 1 then redis.call('DECR', KEYS[10]) end
redis.call('HINCRBY', ARGV[4] .. ARGV[2], 'ats', -1)
local waiting = waitingOf(KEYS[4])
if ARGV[5] == '0' then noteWaiting(KEYS[4], ARGV[1], ARGV[2], ARGV[6]) end
enqueue(ARGV[4], ARGV[2], nextTurn(ARGV[5] == '1' and ARGV[1] .. ':again' or ARGV[1], waiting))
redis.call('ZADD', KEYS[9], 0, '0')
return 1`);

// KEYS[4] wait ARGV prefix of job keys, how many at most. Moves jobs without a turn behind all others, oldest first.
// Returns how many it moved.
const moveBehind = new Script(`${nextTurn}
local most = tonumber(ARGV[2])
local chosen = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. first * unit, 'LIMIT', 0, most)
for _, jobId in ipairs(chosen) do place(ARGV[1], jobId, behind) end
local listed = redis.call('LRANGE', KEYS[4], -most, -1)
for index = #listed, 1, -1 do place(ARGV[1], listed[index], behind) end
redis.call('LTRIM', KEYS[4], 0, -#listed - 1)
return #chosen + #listed`);

// KEYS[4] limits ARGV prefix of job keys, prefix of the keys of waiting jobs; then, for each job, its id, its
// tenant, how long its peer waits in ms, and 1 if a worker had it before. Gives each job that is still behind
// all others its turn, unless as many jobs of its tenant as the operator allows wait with an earlier deadline.
// Returns {how many cannot have one}, then {id, waiting, limit} of each that is one too many.
const giveTurns = new Script(`${nextTurn}
local passedOver, full = 0, {}
for index = 3, #ARGV, 4 do
  local jobId, tenant, timeoutMs, again = ARGV[index], ARGV[index + 1], ARGV[index + 2], ARGV[index + 3] == '1'
  local score = tonumber(redis.call('ZSCORE', KEYS[2], jobId) or '')
  if not score or score < behind * unit then
    -- A worker took it meanwhile, or it has its turn.
  elseif redis.call('TYPE', ARGV[1] .. jobId).ok ~= 'hash' then
    -- Somebody wrote it by hand. The keeper mends it.
    passedOver = passedOver + 1
  else
    local key = ARGV[2] .. tenant
    local waiting, before = waitingOf(key), 0
    local limit = not again and limitOf(KEYS[4], tenant)
    if not again then noteWaiting(key, tenant, jobId, timeoutMs) end
    if limit then before = redis.call('ZCOUNT', key, '-inf', '(' .. redis.call('ZSCORE', key, jobId)) end
    if limit and before >= limit then
      full[#full + 1] = { jobId, before, limit }
      counts[key] = counts[key] - redis.call('ZREM', key, jobId)
    else
      enqueue(ARGV[1], jobId, nextTurn(again and tenant .. ':again' or tenant, waiting))
    end
  end
end
return { { passedOver }, unpack(full) }`);

// KEYS[4] the tenant's waiting jobs KEYS[5] the job ARGV tenant. Sets the turn of the job's next delivery.
const setNextTurn = new Script(`${nextTurn}
if redis.call('TYPE', KEYS[5]).ok ~= 'hash' then return 0 end
redis.call('HSET', KEYS[5], 'priority', nextTurn(ARGV[1] .. ':again', waitingOf(KEYS[4])))
return 1`);

// KEYS[4] delayed KEYS[5] active ARGV prefix of job keys, the turn from which on all are lowered.
const lower = new Script(`${nextTurn}
local shift = current() - first
if current() < tonumber(ARGV[2]) or shift <= 0 then return 0 end
local turns = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for index = 1, #turns, 2 do redis.call('ZADD', KEYS[1], turns[index + 1] - shift, turns[index]) end
local function lowered(jobId)
  if redis.call('TYPE', ARGV[1] .. jobId).ok ~= 'hash' then return false end
  local turn = tonumber(redis.call('HGET', ARGV[1] .. jobId, 'priority') or '') or 0
  if turn < first then return false end
  redis.call('HSET', ARGV[1] .. jobId, 'priority', math.max(first, turn - shift))
  return true
end
local jobs = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for index = 1, #jobs, 2 do
  if lowered(jobs[index]) then
    redis.call('ZADD', KEYS[2], math.max(first * unit, jobs[index + 1] - shift * unit), jobs[index])
  end
end
for _, jobId in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do lowered(jobId) end
for _, jobId in ipairs(redis.call('LRANGE', KEYS[5], 0, -1)) do lowered(jobId) end
return shift`);

/** The turn of a job that is about to be added, or the limit that its tenant has reached. */
export interface Reservation {
  turn: number;
  refused?: { waiting: number; limit: number };
}

/** A job that a worker fetched, before it begins. */
export interface FetchedJob {
  jobId: string;
  kind: string;
  data: unknown;
  token: string;
  /** The priority on the queue. */
  priority: number;
  /** How often a worker had the job before. */
  deliveriesBefore: number;
}

/**
 * The turns of tenants. The turn of a waiting job is its priority in BullMQ, a number; the job with the lowest is
 * taken next. A tenant's first job gets the turn of the job that was taken last, each further job a higher one. So a
 * job waits for few jobs of each other tenant, however many that tenant submits.
 *
 * Our clients reserve a turn before they add a job. Jobs that come another way have none. Once a worker fetches one of
 * them while others wait, all of them are moved behind the others, and get their turns in the background.
 */
export class Turns {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #jobs: JobReader;
  readonly #refuse: (full: TenantFull) => Promise<void>;
  #giving: Promise<void> | undefined;

  /** `refuse` removes a job whose tenant has too many from the queue, and informs its producer. */
  constructor(
    connection: Connection,
    keys: Keys,
    jobs: JobReader,
    refuse: (full: TenantFull) => Promise<void> = async () => undefined,
  ) {
    this.#connection = connection;
    this.#keys = keys;
    this.#jobs = jobs;
    this.#refuse = refuse;
  }

  /**
   * Reserves a turn for a job that is about to be added, and counts it as waiting; `turn` is 0 if the queue has the job
   * already. Refuses a job whose tenant has as many waiting jobs as the limit `tenant-waiting` allows.
   */
  async reserve(jobId: string, kind: string, data: unknown): Promise<Reservation> {
    const { tenant, timeoutMs } = this.#factsOf(kind, data);
    const keys = [...this.#shared(), this.#keys.waiting(tenant), `${this.#keys.queue}:${jobId}`, this.#keys.limits];
    const answer = await reserve.run(this.#connection, keys, [tenant, jobId, timeoutMs]);
    const [turn, waiting, limit] = answer as [number, number, number];
    return turn >= 0 ? { turn } : { turn: 0, refused: { waiting, limit } };
  }

  /** Takes back what was reserved for a job that could not be added. */
  async release(jobId: string, kind: string, data: unknown): Promise<void> {
    await this.#connection.zrem(this.#keys.waiting(this.#factsOf(kind, data).tenant), jobId);
  }

  /**
   * If a fetched job has no turn and others wait, gives it a turn and enqueues it again, then gives turns to other jobs
   * without one. Resolves to whether it enqueued the job: then the worker fetches again.
   */
  async enqueueInTurn(job: FetchedJob): Promise<boolean> {
    if (job.priority >= FIRST_TURN) return false;
    const { queue } = this.#keys;
    const { tenant, timeoutMs } = this.#factsOf(job.kind, job.data);
    const about = ['active', 'wait', `${job.jobId}:lock`, 'stalled', 'marker', 'limiter'].map(
      (key) => `${queue}:${key}`,
    );
    const keys = [...this.#shared(), this.#keys.waiting(tenant), ...about];
    const isAgain = job.deliveriesBefore > 0 ? 1 : 0;
    const values = [tenant, job.jobId, job.token, `${queue}:`, isAgain, timeoutMs];
    if (Number(await enqueueInTurn.run(this.#connection, keys, values)) === 0) return false;
    // The job is on the queue again, even if the others fail. The next fetch or the keeper continues with them.
    await this.#moveBehind()
      .then(() => this.giveTurns())
      .catch(() => undefined);
    return true;
  }

  /**
   * Gives the jobs behind all others their turns, oldest first. Resolves once all of them, or the first two thousand,
   * have theirs; the others get theirs in the background.
   */
  giveTurns(): Promise<void> {
    if (this.#giving === undefined) {
      const first = Promise.withResolvers<void>();
      this.#giving = first.promise;
      const done = this.#giveAll(first.resolve).finally(() => {
        this.#giving = undefined;
      });
      done.then(first.resolve, first.reject);
    }
    return this.#giving;
  }

  /** Sets the turn that a job has when it is delivered again. Such turns do not delay its tenant's other jobs. */
  async setNextTurn(jobId: string, kind: string, data: unknown): Promise<void> {
    const { tenant } = this.#factsOf(kind, data);
    const keys = [...this.#shared(), this.#keys.waiting(tenant), `${this.#keys.queue}:${jobId}`];
    await setNextTurn.run(this.#connection, keys, [tenant]);
  }

  /** Lowers all turns once they are high, as after a million jobs during which the queue was never empty. */
  async lower(from = HIGH_TURN): Promise<void> {
    const { queue } = this.#keys;
    await lower.run(this.#connection, [...this.#shared(), `${queue}:delayed`, `${queue}:active`], [`${queue}:`, from]);
  }

  /** Moves all jobs without a turn behind the others. BullMQ would take them first. */
  async #moveBehind(): Promise<void> {
    const { queue } = this.#keys;
    const keys = [...this.#shared(), `${queue}:wait`];
    while (Number(await moveBehind.run(this.#connection, keys, [`${queue}:`, MOVED_PER_STEP])) >= MOVED_PER_STEP);
  }

  /** Calls `onEnough` after the steps that a worker waits for. */
  async #giveAll(onEnough: () => void): Promise<void> {
    const prioritized = `${this.#keys.queue}:prioritized`;
    for (let steps = 1, passedOver = 0; ; steps += 1) {
      const jobIds = await this.#connection.zrangebyscore(
        prioritized,
        LAST_PLACE,
        '+inf',
        'LIMIT',
        passedOver,
        JOBS_PER_STEP,
      );
      if (jobIds.length > 0) passedOver += await this.#giveSome(jobIds);
      if (jobIds.length < JOBS_PER_STEP) return;
      if (steps === STEPS_AWAITED) onEnough();
    }
  }

  /** Gives turns to jobs behind all others. Resolves to how many of them stay there. */
  async #giveSome(jobIds: readonly string[]): Promise<number> {
    const { queue } = this.#keys;
    const reading = this.#connection.pipeline();
    for (const jobId of jobIds) reading.hmget(`${queue}:${jobId}`, 'name', 'data', 'ats');
    const found = (await reading.exec()) ?? [];
    const values = jobIds.flatMap((jobId, index) => {
      const fields = found[index]?.[1];
      const [kind, text, deliveries] = Array.isArray(fields) ? (fields as (string | null)[]) : [];
      const { tenant, timeoutMs } = this.#factsOf(kind ?? '', parseData(text ?? 'null'));
      return [jobId, tenant, timeoutMs, Number(deliveries) > 0 ? 1 : 0];
    });
    const given = [`${queue}:`, this.#keys.waiting(''), ...values];
    const answer = await giveTurns.run(this.#connection, [...this.#shared(), this.#keys.limits], given);
    const [[passedOver], ...full] = answer as [[number], ...[jobId: string, waiting: number, limit: number][]];
    for (const [jobId, waiting, limit] of full) await this.#refuse(new TenantFull(jobId, { waiting, limit }));
    return passedOver;
  }

  #shared(): [string, string, string] {
    return [this.#keys.turns, `${this.#keys.queue}:prioritized`, this.#keys.waitingTenants];
  }

  #factsOf(kind: string, data: unknown): { tenant: string; timeoutMs: number } {
    const { tenant, timeoutMs } = this.#jobs.factsOf(kind, data);
    return { tenant: tenant ?? NO_TENANT, timeoutMs };
  }
}
