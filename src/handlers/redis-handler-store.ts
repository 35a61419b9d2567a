import { type Connection, HandlerRecords, keysOf, Leases, Readings, redisFailure } from '../../queues/index.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { HandlerStore, ReadingStore } from '../contract/ports.ts';
import type { KeptReading } from '../contract/reading.ts';
import { CodedError, codeOf } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';

/** Where the store keeps its keys, and how much it keeps. */
export interface StoreSettings {
  prefix: string;
  /** Seconds since a handler's last use. */
  retentionSeconds: number;
  maxHandlersPerTenant: number;
}

/** Runs a write to Redis: at once, or as soon as Redis accepts writes. */
export type Write = <Result>(write: () => Promise<Result>) => Promise<Result>;

/** The store of verified handlers in Redis: `<prefix>:handler:<tenant>:<digest>`. All writes go through `write`. */
export function createHandlerStore(
  connection: Connection,
  {
    prefix,
    retentionSeconds,
    maxHandlersPerTenant: maxPerTenant,
  }: Pick<StoreSettings, 'prefix'> & Partial<StoreSettings>,
  write: Write = (put) => put(),
): HandlerStore {
  const keys = keysOf(prefix);
  const records = new HandlerRecords(connection, keys, {
    ...(retentionSeconds === undefined ? {} : { retentionSeconds }),
    ...(maxPerTenant === undefined ? {} : { maxPerTenant }),
  });
  const leases = new Leases(connection, keys);
  return {
    put: (record, key) =>
      callRedis('store', () =>
        write(() =>
          records.put(record.provenance.tenant, record.digest, JSON.stringify({ ...record, lookup: key }), [key]),
        ),
      ),
    touch: ({ provenance, digest }, key) =>
      callRedis('touch', () => write(() => records.touch(provenance.tenant, digest, [key]))),
    get: (tenant, digest) =>
      callRedis('read', async () => {
        const text = await records.get(tenant, digest);
        return text === null ? null : readRecord(text);
      }),
    find: (tenant, key) =>
      callRedis('find', async () =>
        (await records.find(tenant, key)).map(({ record }) => readRecord(record)).filter((record) => record !== null),
      ),
    withdraw: (tenant, digest, reason) =>
      callRedis('withdraw', () => write(() => records.withdraw(tenant, digest, reason))),
    withdrawnFor: (tenant, digest) => callRedis('read', () => records.withdrawnFor(tenant, digest)),
    once: (tenant, key, turn) => leases.single(`generate:${tenant}:${key}`, turn),
  };
}

/** Parses a handler's record; `null` if the text is not one, as if nothing were stored. */
export function readRecord(text: string): HandlerRecord | null {
  try {
    const value = JSON.parse(text) as Json;
    const isRecord = isObject(value) && isObject(value.provenance) && isObject(value.proof);
    return isRecord ? (value as unknown as HandlerRecord) : null;
  } catch {
    return null;
  }
}

/** The store of readings in Redis: `<prefix>:reading:<tenant>:<key>`. All writes go through `write`. */
export function createReadingStore(
  connection: Connection,
  { prefix, retentionSeconds }: Pick<StoreSettings, 'prefix' | 'retentionSeconds'>,
  write: Write = (put) => put(),
): ReadingStore {
  const keys = keysOf(prefix);
  const readings = new Readings(connection, keys, retentionSeconds);
  const leases = new Leases(connection, keys);
  return {
    get: (tenant, key) =>
      callRedis('read', async () => {
        const text = await readings.get(tenant, key);
        return text === null ? null : parseReading(text);
      }),
    put: (tenant, key, reading) =>
      callRedis('store', () => write(() => readings.put(tenant, key, JSON.stringify(reading)))),
    once: (tenant, key, turn) => leases.single(`read:${tenant}:${key}`, turn),
  };
}

/** Parses a stored reading; `null` if the text is not one, as if nothing were stored. */
function parseReading(text: string): KeptReading | null {
  try {
    const value = JSON.parse(text) as Json;
    const isReading = isObject(value) && isObject(value.reading) && Array.isArray(value.reading.derived);
    return isReading ? (value as unknown as KeptReading) : null;
  } catch {
    return null;
  }
}

async function callRedis<T>(verb: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) !== undefined) throw error;
    const failure = redisFailure(error, `${verb} handler or reading`);
    if (failure !== undefined) throw failure;
    const found = error instanceof Error ? error.message.slice(0, 200) : 'an unknown fault';
    throw new CodedError(
      'PLATFORM_REDIS_UNREACHABLE',
      `Cannot ${verb} handler or reading: ${found}, wanted an answer from Redis`,
    );
  }
}
