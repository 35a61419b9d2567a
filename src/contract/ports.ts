import type { HandlerRecord } from './handler.ts';
import type { KeptReading } from './reading.ts';

/**
 * The port to the store of verified handlers, partitioned by tenant. Rejects with `PLATFORM_REDIS_…` if the store
 * cannot be reached.
 */
export interface HandlerStore {
  /** Stores a record under its digest and indexes it by a look-up key. */
  put(record: HandlerRecord, key: string): Promise<void>;
  /** Records that a handler was used, which renews its retention. */
  touch(record: HandlerRecord, key: string): Promise<void>;
  /** The record with this digest, withdrawn or not; `null` if there is none. */
  get(tenant: string, digest: string): Promise<HandlerRecord | null>;
  /** The records with this look-up key that are not withdrawn, newest first. */
  find(tenant: string, key: string): Promise<HandlerRecord[]>;
  /** Withdraws a handler: it is no longer served, but its record stays. */
  withdraw(tenant: string, digest: string, reason: string): Promise<void>;
  /** Why a handler was withdrawn; `null` if it was not. */
  withdrawnFor(tenant: string, digest: string): Promise<string | null>;
  /**
   * Runs work that only one worker may do at a time per look-up key. Other workers wait, then call `found`, and run the
   * work only if that returns nothing. Resolves to `null` if `untilMs` passed or the signal aborted while waiting.
   */
  once<T>(tenant: string, key: string, turn: Turn<T>): Promise<T | null>;
}

/** The port to the readings that all workers share, partitioned by tenant. Rejects as the handler store does. */
export interface ReadingStore {
  get(tenant: string, key: string): Promise<KeptReading | null>;
  put(tenant: string, key: string, reading: KeptReading): Promise<void>;
  /** As in the handler store: one worker reads, the others wait for the result. */
  once<T>(tenant: string, key: string, turn: Turn<T>): Promise<T | null>;
}

/** The port to the texts that agreements refer to by URI. */
export interface SourceFetcher {
  /** The text of a source, within so many milliseconds. Rejects only if the signal aborts. */
  fetch(uri: string, signal: AbortSignal, withinMs?: number): Promise<FetchedSource>;
}

/** A fetched text, or why there is none; `isRefused` if it would be so at every try. */
export type FetchedSource = { ok: true; text: string } | { ok: false; isRefused: boolean; message: string };

/** Work that one worker does for all. */
export interface Turn<T> {
  /** How long to wait, as milliseconds since 1970. */
  untilMs: number;
  signal: AbortSignal;
  found(): Promise<T | null>;
  /** The signal also aborts if another worker may have taken over. */
  work(signal: AbortSignal): Promise<T>;
}
