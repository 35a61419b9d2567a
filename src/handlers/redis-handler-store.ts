import { type Connection, HandlerRecords, keysOf, Leases } from '../../queues/index.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { HandlerStore } from '../contract/ports.ts';
import { CodedError, codeOf } from '../kernel/errors.ts';
import { isObject, type Json } from '../kernel/json.ts';

/** Where the store lies, and how much it keeps. */
export interface StoreSettings {
  prefix: string;
  /** Counted from a handler's last use. */
  retentionSeconds: number;
  maxHandlersPerTenant: number;
}

/** The store of verified handlers in Redis: `<prefix>:handler:<tenant>:<digest>`. */
export function createHandlerStore(
  connection: Connection,
  { prefix, retentionSeconds, maxHandlersPerTenant }: StoreSettings,
): HandlerStore {
  const keys = keysOf(prefix);
  const records = new HandlerRecords(connection, keys, { retentionSeconds, maxPerTenant: maxHandlersPerTenant });
  const leases = new Leases(connection, keys);
  return {
    put: (record, key) =>
      reach('store', () =>
        records.put(record.provenance.tenant, record.digest, JSON.stringify({ ...record, lookup: key }), [key]),
      ),
    touch: ({ provenance, digest }, key) => reach('touch', () => records.touch(provenance.tenant, digest, [key])),
    get: (tenant, digest) =>
      reach('read', async () => {
        const text = await records.get(tenant, digest);
        return text === null ? null : readRecord(text);
      }),
    find: (tenant, key) =>
      reach('find', async () =>
        (await records.find(tenant, key)).map(({ record }) => readRecord(record)).filter((record) => record !== null),
      ),
    withdrawnFor: (tenant, digest) => reach('read', () => records.withdrawnFor(tenant, digest)),
    once: (tenant, key, turn) => leases.single(`generate:${tenant}:${key}`, turn),
  };
}

/** Reads a handler's record; `null` where the text is none, which is as if none were stored. */
export function readRecord(text: string): HandlerRecord | null {
  try {
    const value = JSON.parse(text) as Json;
    const isRecord = isObject(value) && isObject(value.provenance) && isObject(value.proof);
    return isRecord ? (value as unknown as HandlerRecord) : null;
  } catch {
    return null;
  }
}

async function reach<T>(verb: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (codeOf(error) !== undefined) throw error;
    const found = error instanceof Error ? error.message.slice(0, 200) : 'an unknown fault';
    throw new CodedError('PLATFORM_REDIS_UNREACHABLE', `Cannot ${verb} handler: ${found}, wanted an answer from Redis`);
  }
}
