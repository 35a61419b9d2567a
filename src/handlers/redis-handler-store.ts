import { type Connection, keysOf } from '../../queues/index.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { HandlerStore } from '../contract/ports.ts';
import { CodedError } from '../kernel/errors.ts';

/** The store of verified handlers in Redis: `<prefix>:handler:<tenant>:<digest>`, kept for the retention given, counted from the last write. */
export function createHandlerStore(connection: Connection, prefix: string, retentionSeconds: number): HandlerStore {
  const keys = keysOf(prefix);
  return {
    put: (record) =>
      reach('store', async () => {
        await connection.set(
          keys.handler(record.provenance.tenant, record.digest),
          JSON.stringify(record),
          'EX',
          retentionSeconds,
        );
      }),
    get: (tenant, digest) =>
      reach('read', async () => {
        const text = await connection.get(keys.handler(tenant, digest));
        return text === null ? null : (JSON.parse(text) as HandlerRecord);
      }),
  };
}

async function reach<T>(verb: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const found = error instanceof Error ? error.message.slice(0, 200) : 'an unknown fault';
    throw new CodedError('PLATFORM_REDIS_UNREACHABLE', `Cannot ${verb} handler: ${found}, wanted an answer from Redis`);
  }
}
