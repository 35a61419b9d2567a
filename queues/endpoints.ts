import { randomUUID } from 'node:crypto';
import type { Keys } from './catalog.ts';
import { type Connection, pairsOf } from './connection.ts';
import { acquire } from './lease.ts';
import { Script } from './script.ts';

/** Failures in a row, within `windowMs`, that open an endpoint's circuit, and how long it stays open then. */
export interface CircuitPolicy {
  failures: number;
  windowMs: number;
  openMs: number;
}

/** Whether an endpoint may be called. */
export interface CircuitState {
  /** `half-open`: one call at a time is let through to see whether the endpoint is back. */
  state: 'closed' | 'open' | 'half-open';
  /** Until when it is open, in milliseconds since 1970 by the local clock; 0 where it is not. */
  untilMs: number;
}

/** An endpoint that asked to be left alone. */
export interface RestingEndpoint {
  /** Its URL without a query, and the model. */
  endpoint: string;
  leftMs: number;
}

/** How long a tripped circuit wants one success before it trusts the endpoint again, in milliseconds. */
const TRIPPED_MS = 600_000;

/** The longest rest of an endpoint, in milliseconds: no job waits longer, and one call then tells whether the rest goes on. */
const MAX_REST_MS = 600_000;

/** How long one call of a half-open circuit keeps others back, in milliseconds. */
const PROBE_MS = 30_000;

const defaultPolicy: CircuitPolicy = { failures: 5, windowMs: 60_000, openMs: 15_000 };

// KEYS cool-down, resting  ARGV ms, name, longest rest in ms. Never shortens: the longest rest that was asked for counts.
const coolScript = `
if redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
local time = redis.call('TIME')
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
redis.call('ZADD', KEYS[2], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]), ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`;

// KEYS[1] resting or failing. Answers names of endpoints, each with the time that is left in ms.
const listedScript = new Script(`
local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '(+inf', 'WITHSCORES')
for index = 2, #found, 2 do found[index] = string.format('%.0f', found[index] - now) end
return found`);

// KEYS failures, open, tripped, probe, failing  ARGV failures, windowMs, openMs, trippedMs, name. Answers 1 where this failure opened the circuit.
const failureScript = `
local count = redis.pcall('INCR', KEYS[1])
if type(count) == 'table' then
  redis.call('DEL', KEYS[1])
  count = redis.call('INCR', KEYS[1])
end
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local tripped = redis.call('EXISTS', KEYS[3]) == 1
redis.call('DEL', KEYS[4])
if count < tonumber(ARGV[1]) and not tripped then return 0 end
local opened = redis.call('PTTL', KEYS[2]) < 0
if opened then redis.call('SET', KEYS[2], '1', 'PX', ARGV[3]) end
redis.call('SET', KEYS[3], '1', 'PX', ARGV[4])
redis.call('DEL', KEYS[1])
local time = redis.call('TIME')
redis.call('ZADD', KEYS[5], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4]), ARGV[5])
redis.call('PEXPIRE', KEYS[5], ARGV[4])
if opened then return 1 end
return 0`;

// KEYS open, tripped  ARGV the longest that a circuit is open in ms. Answers how long it is open yet in ms, and whether it was.
const stateScript = new Script(`
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { redis.call('PTTL', KEYS[1]), redis.call('EXISTS', KEYS[2]) }`);

// KEYS[1] probe  ARGV[1] whose it is to be.
const releaseScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/** What all workers know together of the endpoints they call: who wants a rest, and who is down. Moments travel as durations, so no clock matters. */
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

  /** Lets an endpoint rest for all workers until a moment (milliseconds since 1970, local clock); a longer rest stands, and none is longer than ten minutes. */
  async coolDown(endpoint: string, untilMs: number): Promise<void> {
    const restMs = Math.min(Math.ceil(untilMs - Date.now()), MAX_REST_MS);
    const own = [this.#keys.coolDown(endpoint), this.#keys.resting];
    if (restMs > 0) await this.#connection.eval(coolScript, 2, ...own, restMs, shownName(endpoint), MAX_REST_MS);
  }

  /** Until when an endpoint rests, in milliseconds since 1970 by the local clock; 0 where it does not. */
  async coolDownOf(endpoint: string): Promise<number> {
    const key = this.#keys.coolDown(endpoint);
    const leftMs = await this.#connection.pttl(key);
    // An earlier version granted any rest.
    if (leftMs > MAX_REST_MS) await this.#connection.pexpire(key, MAX_REST_MS);
    return leftMs > 0 ? Date.now() + Math.min(leftMs, MAX_REST_MS) : 0;
  }

  /** The endpoints that rest, each with the time that is left in milliseconds. */
  async resting(): Promise<RestingEndpoint[]> {
    return this.#listed(this.#keys.resting);
  }

  /** The endpoints whose circuit opened and that nobody has had an answer from since. */
  async failing(): Promise<string[]> {
    return (await this.#listed(this.#keys.failing)).map(({ endpoint }) => endpoint);
  }

  async #listed(key: string): Promise<RestingEndpoint[]> {
    const found = (await listedScript.run(this.#connection, [key], [])) as string[];
    return [...pairsOf(found)].map(([endpoint, leftMs]) => ({ endpoint, leftMs: Number(leftMs) }));
  }

  /** Notes that a call failed for the endpoint's own fault; resolves to whether that opened its circuit. */
  async noteFailure(endpoint: string): Promise<boolean> {
    const { failures, windowMs, openMs } = this.#policy;
    const keys = [...this.#circuitKeys(endpoint), this.#keys.failing];
    const policy = [failures, windowMs, openMs, TRIPPED_MS, shownName(endpoint)];
    return (await this.#connection.eval(failureScript, keys.length, ...keys, ...policy)) === 1;
  }

  /** Notes that a call succeeded: the circuit closes, failures are forgotten. */
  async noteSuccess(endpoint: string): Promise<void> {
    const forgotten = await this.#connection.del(...this.#circuitKeys(endpoint));
    if (forgotten > 0) await this.#connection.zrem(this.#keys.failing, shownName(endpoint));
  }

  /** Says whether an endpoint may be called; asking does not take the one call of a half-open circuit. */
  async circuitOf(endpoint: string): Promise<CircuitState> {
    const keys = [this.#keys.circuit(endpoint, 'open'), this.#keys.circuit(endpoint, 'tripped')];
    const [leftMs, tripped] = (await stateScript.run(this.#connection, keys, [this.#policy.openMs])) as [
      number,
      number,
    ];
    if (leftMs > 0) return { state: 'open', untilMs: Date.now() + leftMs };
    return { state: tripped === 1 ? 'half-open' : 'closed', untilMs: 0 };
  }

  /** Asks for leave to call an endpoint: `true` where its circuit is closed, or half-open and nobody else is trying. Tell how it went, or that it tells nothing. */
  async admit(endpoint: string): Promise<boolean> {
    const { state } = await this.circuitOf(endpoint);
    if (state !== 'half-open') return state === 'closed';
    return acquire(this.#connection, this.#keys.circuit(endpoint, 'probe'), this.#token, PROBE_MS);
  }

  /** Notes that a call was over before it could tell anything: where it was the one of a half-open circuit, another may try. */
  async release(endpoint: string): Promise<void> {
    await this.#connection.eval(releaseScript, 1, this.#keys.circuit(endpoint, 'probe'), this.#token);
  }

  #circuitKeys(endpoint: string): [string, string, string, string] {
    const key = (part: 'failures' | 'open' | 'tripped' | 'probe') => this.#keys.circuit(endpoint, part);
    return [key('failures'), key('open'), key('tripped'), key('probe')];
  }
}

/** Without its query, which may hold a key: operators are shown it. */
function shownName(endpoint: string): string {
  return endpoint.replace(/\?\S*/, '');
}
