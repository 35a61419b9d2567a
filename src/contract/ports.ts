import type { HandlerRecord } from './handler.ts';

/** The port to the store of verified handlers, partitioned by tenant. Rejects with `PLATFORM_REDIS_…` where it cannot be reached. */
export interface HandlerStore {
  put(record: HandlerRecord): Promise<void>;
  get(tenant: string, digest: string): Promise<HandlerRecord | null>;
}
