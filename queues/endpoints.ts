import { randomUUID } from 'node:crypto';
import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
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

/** How long a tripped circuit wants one success before it trusts the endpoint again, in milliseconds. */
const TRIPPED_MS = 600_000;

/** How long one call of a half-open circuit keeps others back, in milliseconds. */
const PROBE_MS = 30_000;

const defaultPolicy: CircuitPolicy = { failures: 5, windowMs: 60_000, openMs: 15_000 };

// KEYS[1] cool-down  ARGV[1] ms. Never shortens: the longest rest that was asked for counts.
const coolScript = `if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end return 1`;

// KEYS failures, open, tripped, probe  ARGV failures, windowMs, openMs, trippedMs. Answers 1 where this failure opened the circuit.
const failureScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local tripped = redis.call('EXISTS', KEYS[3]) == 1
redis.call('DEL', KEYS[4])
if count < tonumber(ARGV[1]) and not tripped then return 0 end
local opened = redis.call('SET', KEYS[2], '1', 'PX', ARGV[3], 'NX')
redis.call('SET', KEYS[3], '1', 'PX', ARGV[4])
redis.call('DEL', KEYS[1])
if opened then return 1 end
return 0`;

// KEYS open, tripped. Answers how long the circuit is open yet in ms, and whether it was.
const stateScript = new Script(`return { redis.call('PTTL', KEYS[1]), redis.call('EXISTS', KEYS[2]) }`);

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

  /** Lets an endpoint rest for all workers until a moment (milliseconds since 1970, local clock); a longer rest stands. */
  async coolDown(endpoint: string, untilMs: number): Promise<void> {
    const restMs = Math.ceil(untilMs - Date.now());
    if (restMs > 0) await this.#connection.eval(coolScript, 1, this.#keys.coolDown(endpoint), restMs);
  }

  /** Until when an endpoint rests, in milliseconds since 1970 by the local clock; 0 where it does not. */
  async coolDownOf(endpoint: string): Promise<number> {
    const leftMs = await this.#connection.pttl(this.#keys.coolDown(endpoint));
    return leftMs > 0 ? Date.now() + leftMs : 0;
  }

  /** Notes that a call failed for the endpoint's own fault; resolves to whether that opened its circuit. */
  async noteFailure(endpoint: string): Promise<boolean> {
    const { failures, windowMs, openMs } = this.#policy;
    const keys = this.#circuitKeys(endpoint);
    return (await this.#connection.eval(failureScript, 4, ...keys, failures, windowMs, openMs, TRIPPED_MS)) === 1;
  }

  /** Notes that a call succeeded: the circuit closes, failures are forgotten. */
  async noteSuccess(endpoint: string): Promise<void> {
    await this.#connection.del(...this.#circuitKeys(endpoint));
  }

  /** Says whether an endpoint may be called; asking does not take the one call of a half-open circuit. */
  async circuitOf(endpoint: string): Promise<CircuitState> {
    const keys = [this.#keys.circuit(endpoint, 'open'), this.#keys.circuit(endpoint, 'tripped')];
    const [leftMs, tripped] = (await stateScript.run(this.#connection, keys, [])) as [number, number];
    if (leftMs > 0) return { state: 'open', untilMs: Date.now() + leftMs };
    return { state: tripped === 1 ? 'half-open' : 'closed', untilMs: 0 };
  }

  /** Asks for leave to call an endpoint: `true` where its circuit is closed, or half-open and nobody else is trying. Tell how it went, or that it tells nothing. */
  async admit(endpoint: string): Promise<boolean> {
    const { state } = await this.circuitOf(endpoint);
    if (state !== 'half-open') return state === 'closed';
    return (
      (await this.#connection.set(this.#keys.circuit(endpoint, 'probe'), this.#token, 'PX', PROBE_MS, 'NX')) === 'OK'
    );
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
