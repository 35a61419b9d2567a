import { connect, disconnect, whenReady } from '../../queues/index.ts';
import type { Config } from '../config.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import { createHandlerStore } from '../handlers/redis-handler-store.ts';
import { CodedError } from '../kernel/errors.ts';

/** A command's way to the stored handlers; the connection is made with the first question. */
export interface StoreAccess {
  /** A handler that may be served. Rejects with `JOB_HANDLER_UNKNOWN` where there is none or it was withdrawn, with `PLATFORM_REDIS_UNREACHABLE` where Redis is away. */
  served(tenant: string, digest: string): Promise<HandlerRecord>;
  close(): Promise<void>;
}

const withinMs = 3_000;

/** Opens the way to the stored handlers. */
export function openStore(config: Pick<Config, 'redisUrl' | 'prefix' | 'retentionSeconds'>): StoreAccess {
  let connection: ReturnType<typeof connect> | undefined;
  return {
    async served(tenant, digest) {
      connection ??= connect(config.redisUrl, 'worker');
      await whenReady(connection, withinMs);
      const store = createHandlerStore(connection, config.prefix, config.retentionSeconds);
      const record = await store.get(tenant, digest);
      const withdrawn = record && (await store.withdrawnFor(tenant, digest));
      if (record === null || withdrawn !== null) {
        throw new CodedError(
          'JOB_HANDLER_UNKNOWN',
          `Cannot serve handler ${digest}: ${record === null ? 'none is stored' : 'it was withdrawn'} for tenant "${tenant}", wanted one in service`,
        );
      }
      return record;
    },
    close: async () => connection && disconnect(connection),
  };
}
