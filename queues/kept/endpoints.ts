import { randomUUID } from 'node:crypto';
import type { Keys } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';
import { acquire } from '../redis/lease.ts';
import { Script } from '../redis/script.ts';

/** Consecutive failures within `windowMs` that open an endpoint's circuit, and how long it then stays open. */
export interface CircuitPolicy {
  failures: number;
  windowMs: number;
  openMs: number;
}

/** Whether an endpoint may be called. */
export interface CircuitState {
  /** `half-open`: one call at a time is allowed, to test whether the endpoint is back. */
  state: 'closed' | 'open' | 'half-open';
  /** When the open state ends, in milliseconds since 1970 by the local clock; 0 if it is not open. */
  untilMs: number;
  /** What opened it; `null` if it is closed, or if nobody said. */
  fault: CircuitFault | null;
}

/** Why a call failed, with the words for a person. */
export interface CallFault {
  code: string;
  message: string;
}

/** What opened a circuit: the first failure. */
export interface CircuitFault extends CallFault {
  /** Whether the endpoint refuses our key, account or model: further failures would show nothing new. */
  refused: boolean;
  /** Milliseconds since 1970, by Redis' clock. */
  sinceMs: number;
}

/** An endpoint whose circuit opened and that has not answered since. */
export interface FailingEndpoint {
  /** Its URL without a query, and the model. */
  endpoint: string;
  fault: CircuitFault | null;
}

/** A rate limited endpoint. */
export interface RestingEndpoint {
  /** Its URL without a query, and the model. */
  endpoint: string;
  leftMs: number;
}

/** How long a circuit stays half-open without a success, in milliseconds. */
const TRIPPED_MS = 600_000;

/**
 * How long it is remembered that an endpoint refuses, in milliseconds, unless it does so again: longer than the pause
 * between two probes, and short if the worker that had the refused key is gone.
 */
const REFUSED_MS = 90_000;

/** How long an endpoint that refuses is left alone before it is probed, in milliseconds. */
const REFUSED_OPEN_MS = 20_000;

/** Longest message that is kept of a failure, in UTF-16 units. */
const MAX_MESSAGE = 500;

/**
 * The longest cool-down of an endpoint, in milliseconds. No job waits longer, and one call then shows whether
 * the limit still holds.
 */
const MAX_COOL_DOWN_MS = 600_000;

/** How long one test call of a half-open circuit blocks others, in milliseconds. */
const PROBE_MS = 30_000;

const defaultPolicy: CircuitPolicy = { failures: 5, windowMs: 60_000, openMs: 15_000 };

// KEYS cool-down, resting ARGV ms, name, longest cool-down in ms. Never shortens a cool-down: the longest one counts.
const coolScript = `
if redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
local time = redis.call('TIME')
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
redis.call('ZADD', KEYS[2], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]), ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`;

// KEYS[1] resting or failing. Returns names of endpoints, each with the remaining time in ms.
const listedScript = new Script(`
local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '(+inf', 'WITHSCORES')
for index = 2, #found, 2 do found[index] = string.format('%.0f', found[index] - now) end
return found`);

// KEYS failures, open, tripped, probe, failing, why ARGV failures, windowMs, openMs, trippedMs, name, code, message,
// refused. Returns 1 if this failure opened the circuit.
const failureScript = `
local count = redis.pcall('INCR', KEYS[1])
if type(count) == 'table' then
  redis.call('DEL', KEYS[1])
  count = redis.call('INCR', KEYS[1])
end
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local tripped = redis.call('EXISTS', KEYS[3]) == 1
redis.call('DEL', KEYS[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('TYPE', KEYS[6]).ok ~= 'hash' then redis.call('DEL', KEYS[6]) end
if ARGV[6] ~= '' and redis.call('HGET', KEYS[6], 'refused') ~= ARGV[8] then
  redis.call('DEL', KEYS[6])
  redis.call('HSET', KEYS[6], 'code', ARGV[6], 'message', ARGV[7], 'refused', ARGV[8],
    'sinceMs', string.format('%.0f', now))
end
redis.call('PEXPIRE', KEYS[6], tripped and ARGV[4] or ARGV[2])
if count < tonumber(ARGV[1]) and not tripped then return 0 end
local opened = redis.call('PTTL', KEYS[2]) < 0
if opened then redis.call('SET', KEYS[2], '1', 'PX', ARGV[3]) end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[4])
redis.call('DEL', KEYS[1])
redis.call('PEXPIRE', KEYS[6], ARGV[4])
redis.call('ZADD', KEYS[5], string.format('%.0f', now + ARGV[4]), ARGV[5])
if redis.call('PTTL', KEYS[5]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[5], ARGV[4]) end
if opened then return 1 end
return 0`;

// KEYS open, tripped, why ARGV the longest time that a circuit is open in ms. Returns how long it is still open in ms,
// whether it was tripped, and what opened it.
const stateScript = new Script(`
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
local why = redis.pcall('HMGET', KEYS[3], 'code', 'message', 'refused', 'sinceMs')
return { redis.call('PTTL', KEYS[1]), redis.call('EXISTS', KEYS[2]), why.err and {} or why }`);

// KEYS[1] probe ARGV[1] token of the holder.
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * The shared state of model endpoints: cool-downs and circuit breakers. Times are passed as durations, so no clock
 * matters.
 */
export class Endpoints {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #policy: CircuitPolicy;
  readonly #token = randomUUID();

  constructor(connection: Connection, keys: Keys, policy: Partial<CircuitPolicy> = {}) {
    this.#connection = connection;
    this.#keys = keys;
    this.#policy = { ...defaultPolicy, ...policy };
  }

  /**
   * Starts a cool-down for all workers until `untilMs` (milliseconds since 1970, local clock). A longer one stays; none
   * lasts more than ten minutes.
   */
  async coolDown(endpoint: string, untilMs: number): Promise<void> {
    const coolDownMs = Math.min(Math.ceil(untilMs - Date.now()), MAX_COOL_DOWN_MS);
    const keys = [this.#keys.coolDown(endpoint), this.#keys.resting];
    if (coolDownMs > 0)
      await this.#connection.eval(coolScript, 2, ...keys, coolDownMs, withoutQuery(endpoint), MAX_COOL_DOWN_MS);
  }

  /** When an endpoint's cool-down ends, in milliseconds since 1970 by the local clock; 0 if there is none. */
  async coolDownOf(endpoint: string): Promise<number> {
    const key = this.#keys.coolDown(endpoint);
    const leftMs = await this.#connection.pttl(key);
    // An earlier version allowed longer cool-downs.
    if (leftMs > MAX_COOL_DOWN_MS) await this.#connection.pexpire(key, MAX_COOL_DOWN_MS);
    return leftMs > 0 ? Date.now() + Math.min(leftMs, MAX_COOL_DOWN_MS) : 0;
  }

  /** The rate limited endpoints, each with the remaining time in milliseconds. */
  async resting(): Promise<RestingEndpoint[]> {
    const listed = await this.#listed(this.#keys.resting);
    return listed.map(({ endpoint, leftMs }) => ({ endpoint: endpoint.replace(KEY_MARK, ''), leftMs }));
  }

  /** The endpoints whose circuit opened and that have not answered since. */
  async failing(): Promise<string[]> {
    return (await this.faults()).map(({ endpoint }) => endpoint);
  }

  /** The same with what opened their circuits, each endpoint once. */
  async faults(): Promise<FailingEndpoint[]> {
    const names = (await this.#listed(this.#keys.failing)).map(({ endpoint }) => endpoint);
    const found = await Promise.all(
      names.map(async (name) => ({
        endpoint: name.replace(KEY_MARK, ''),
        fault: faultIn(await this.#connection.hmget(this.#keys.endpointFault(name), ...FAULT_FIELDS).catch(() => [])),
      })),
    );
    return [...Map.groupBy(found, ({ endpoint }) => endpoint).values()].flatMap(
      (same) => same.find(({ fault }) => fault?.refused) ?? same[0] ?? [],
    );
  }

  async #listed(key: string): Promise<RestingEndpoint[]> {
    const found = (await listedScript.run(this.#connection, [key], [])) as string[];
    return [...pairsOf(found)].map(([endpoint, leftMs]) => ({ endpoint, leftMs: Number(leftMs) }));
  }

  /** Records a failure that is the endpoint's fault. Resolves to whether it opened the circuit. */
  noteFailure(endpoint: string, fault?: CallFault): Promise<boolean> {
    return this.#note(endpoint, { failures: this.#policy.failures, trippedMs: TRIPPED_MS, refused: false, fault });
  }

  /** Records that an endpoint refuses our key, account or model: one such refusal opens the circuit. */
  noteRefusal(endpoint: string, fault: CallFault): Promise<boolean> {
    return this.#note(endpoint, { failures: 1, trippedMs: REFUSED_MS, refused: true, fault });
  }

  async #note(
    endpoint: string,
    given: { failures: number; trippedMs: number; refused: boolean; fault: CallFault | undefined },
  ): Promise<boolean> {
    const { windowMs } = this.#policy;
    const openMs = given.refused ? REFUSED_OPEN_MS : this.#policy.openMs;
    const keys = [...this.#circuitKeys(endpoint), this.#keys.failing, this.#whyKey(endpoint)];
    const { code = '', message = '' } = given.fault ?? {};
    const about = [withoutQuery(endpoint), code, message.slice(0, MAX_MESSAGE), given.refused ? '1' : '0'];
    const values = [given.failures, windowMs, openMs, given.trippedMs, ...about];
    return (await this.#connection.eval(failureScript, keys.length, ...keys, ...values)) === 1;
  }

  /** Records a success: closes the circuit and forgets failures. */
  async noteSuccess(endpoint: string): Promise<void> {
    const forgotten = await this.#connection.del(...this.#circuitKeys(endpoint), this.#whyKey(endpoint));
    if (forgotten > 0) await this.#connection.zrem(this.#keys.failing, withoutQuery(endpoint));
  }

  /** The state of an endpoint's circuit. Asking does not use up the test call of a half-open circuit. */
  async circuitOf(endpoint: string): Promise<CircuitState> {
    const key = (part: 'open' | 'tripped') => this.#keys.circuit(endpoint, part);
    const keys = [key('open'), key('tripped'), this.#whyKey(endpoint)];
    const longestMs = Math.max(REFUSED_OPEN_MS, this.#policy.openMs);
    const [leftMs, tripped, why] = (await stateScript.run(this.#connection, keys, [longestMs])) as [
      number,
      number,
      (string | null)[],
    ];
    if (leftMs > 0) return { state: 'open', untilMs: Date.now() + leftMs, fault: faultIn(why) };
    const isTripped = tripped === 1;
    return { state: isTripped ? 'half-open' : 'closed', untilMs: 0, fault: isTripped ? faultIn(why) : null };
  }

  /**
   * Resolves to whether the caller may call an endpoint: its circuit is closed, or half-open without another test call.
   * Report the result with `noteSuccess`, `noteFailure` or `release`.
   */
  async admit(endpoint: string): Promise<boolean> {
    const { state } = await this.circuitOf(endpoint);
    if (state !== 'half-open') return state === 'closed';
    return acquire(this.#connection, this.#keys.circuit(endpoint, 'probe'), this.#token, PROBE_MS);
  }

  /** Records that a call ended without a result: another one may test a half-open circuit. */
  async release(endpoint: string): Promise<void> {
    await this.#connection.eval(releaseScript, 1, this.#keys.circuit(endpoint, 'probe'), this.#token);
  }

  #circuitKeys(endpoint: string): [string, string, string, string] {
    const key = (part: 'failures' | 'open' | 'tripped' | 'probe') => this.#keys.circuit(endpoint, part);
    return [key('failures'), key('open'), key('tripped'), key('probe')];
  }

  /** Named by what operators see, so that it is found by that too. */
  #whyKey(endpoint: string): string {
    return this.#keys.endpointFault(withoutQuery(endpoint));
  }
}

const FAULT_FIELDS = ['code', 'message', 'refused', 'sinceMs'] as const;

function faultIn([code, message, refused, sinceMs]: readonly (string | null)[]): CircuitFault | null {
  if (code == null || message == null) return null;
  return { code, message, refused: refused === '1', sinceMs: Number(sinceMs) || 0 };
}

/** The mark of a key in an endpoint's name: a refused key says nothing about another one. */
const KEY_MARK = / key:[0-9a-f]{1,64}$/;

/** Operators see the name: the query may contain an API key. */
function withoutQuery(endpoint: string): string {
  return endpoint.replace(/\?\S*/, '');
}
