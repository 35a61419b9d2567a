import type { HandlerRecord } from './handler.ts';
import type { KeptReading } from './reading.ts';

/** The port to the store of verified handlers, partitioned by tenant. Rejects with `PLATFORM_REDIS_…` where it cannot be reached. */
export interface HandlerStore {
  /** Keeps a record under its digest, to be found by a look-up key. */
  put(record: HandlerRecord, key: string): Promise<void>;
  /** Notes that a handler was used: its retention begins anew. */
  touch(record: HandlerRecord, key: string): Promise<void>;
  /** The record under a digest, withdrawn or not. */
  get(tenant: string, digest: string): Promise<HandlerRecord | null>;
  /** The records under a look-up key that may be served, newest first. */
  find(tenant: string, key: string): Promise<HandlerRecord[]>;
  /** Serves a handler no more; its record stays. */
  withdraw(tenant: string, digest: string, reason: string): Promise<void>;
  /** Why a handler may not be served any more; `null` where it may. */
  withdrawnFor(tenant: string, digest: string): Promise<string | null>;
  /**
   * Does work that only one worker may do at a time for a look-up key. The others wait, then ask `found`, and take their turn only where that finds
   * nothing. Resolves to `null` where the moment passed or the signal fired while waiting.
   */
  once<T>(tenant: string, key: string, turn: Turn<T>): Promise<T | null>;
}

/** The port to the readings that all workers share, partitioned by tenant. Rejects as the store of handlers does. */
export interface ReadingStore {
  get(tenant: string, key: string): Promise<KeptReading | null>;
  put(tenant: string, key: string, reading: KeptReading): Promise<void>;
  /** As of the store of handlers: one worker reads, the others wait for it. */
  once<T>(tenant: string, key: string, turn: Turn<T>): Promise<T | null>;
}

/** One worker's turn at work that is done once for all. */
export interface Turn<T> {
  /** Until when to wait, in milliseconds since 1970. */
  untilMs: number;
  signal: AbortSignal;
  found(): Promise<T | null>;
  /** Its signal fires also where another may have taken over. */
  work(signal: AbortSignal): Promise<T>;
}
