import type { Queue } from 'bullmq';
import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';

/** Longest reason and name that are kept, in UTF-16 units. */
const LONGEST_TEXT = 200;

/** Who did something that concerns all workers, and why. */
export interface Deed {
  /** The operator's name. */
  by: string;
  /** `null` if none was given. */
  reason: string | null;
  /** Milliseconds since 1970, by Redis' clock. */
  atMs: number;
}

/** A deed as it is done now, with its texts cut to what is kept. */
export async function deedOf(connection: Connection, { by, reason }: Omit<Deed, 'atMs'>): Promise<Deed> {
  const [seconds, micros] = await connection.time();
  const atMs = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  return { by: by.slice(0, LONGEST_TEXT), reason: reason?.slice(0, LONGEST_TEXT) ?? null, atMs };
}

/** Reads a deed; `null` if the text is not one. */
export function readDeed(value: unknown): Deed | null {
  if (!isObject(value)) return null;
  const { by, reason, atMs } = value as Record<string, unknown>;
  if (typeof by !== 'string' || typeof atMs !== 'number') return null;
  return { by, reason: typeof reason === 'string' ? reason : null, atMs };
}

/**
 * Stops all workers from fetching, and keeps who did it and why. Resolves to the deed that counts: if the queue is
 * paused already, the earlier one.
 */
export async function pauseQueue(
  queue: Queue,
  connection: Connection,
  keys: Keys,
  given: Omit<Deed, 'atMs'>,
): Promise<Deed> {
  const deed = await deedOf(connection, given);
  // A deed that outlived its pause does not count.
  if (!(await queue.isPaused())) await connection.del(keys.pausedBy);
  await queue.pause();
  await connection.set(keys.pausedBy, JSON.stringify(deed), 'NX');
  return (await pausedBy(connection, keys)) ?? deed;
}

/** Lets all workers fetch again. Resolves to whether the queue was paused. */
export async function resumeQueue(queue: Queue, connection: Connection, keys: Keys): Promise<boolean> {
  const wasPaused = await queue.isPaused();
  await queue.resume();
  await connection.del(keys.pausedBy);
  return wasPaused;
}

/** Who paused the queue; `null` if nobody said, as a BullMQ client. Only meaningful while the queue is paused. */
export async function pausedBy(connection: Connection, keys: Keys): Promise<Deed | null> {
  return readDeed(jsonOf((await connection.get(keys.pausedBy)) ?? ''));
}
