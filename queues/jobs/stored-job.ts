import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { jsonOf } from '../redis/json-text.ts';
import { parseData, type StoredJob } from './delivery.ts';
import type { Reason } from './envelope.ts';

/** The data that BullMQ gives a job without any. */
export const NO_DATA = '{}';

/** A job as BullMQ stores it. */
export interface KeptJob extends StoredJob {
  /** By its producer's clock, in milliseconds since 1970; `NaN` if missing. */
  timestampMs: number;
  failedReason: string | null;
  /** `NaN` if BullMQ has not finished it. */
  finishedOnMs: number;
  /** Why it was put back last; `null` if it never was. */
  lastFault: Reason | null;
}

/** A job with nothing but an id. */
export function emptyJob(jobId: string): KeptJob {
  const [timestampMs, finishedOnMs] = [Number.NaN, Number.NaN];
  const data = parseData(NO_DATA);
  return {
    jobId,
    kind: '',
    text: NO_DATA,
    data,
    timestampMs,
    deliveries: 0,
    deaths: 0,
    failedReason: null,
    finishedOnMs,
    lastFault: null,
  };
}

/**
 * Reads a job from Redis; `null` if there is none. A missing name or missing data, as in a job written by hand, become
 * empty.
 */
export async function storedJob(connection: Connection, keys: Keys, jobId: string): Promise<KeptJob | null> {
  const key = `${keys.queue}:${jobId}`;
  const names = ['name', 'data', 'timestamp', 'ats', 'stc', 'failedReason', 'finishedOn', 'lastFault'];
  const fields = await connection.hmget(key, ...names);
  if (fields.every((field) => field === null) && (await connection.exists(key)) === 0) return null;
  const [kind, text, timestamp, deliveries, deaths, failedReason, finishedOn, lastFault] = fields;
  return {
    jobId,
    kind: kind ?? '',
    text: text || NO_DATA,
    data: parseData(text || NO_DATA),
    timestampMs: Number(timestamp ?? Number.NaN),
    deliveries: whole(deliveries),
    deaths: whole(deaths),
    failedReason: failedReason ?? null,
    finishedOnMs: Number(finishedOn ?? Number.NaN),
    lastFault: faultIn(lastFault),
  };
}

/** Why a job was put back last; `null` if the text says nothing of it. */
export function faultIn(text: string | null | undefined): Reason | null {
  const { code, message } = Object(jsonOf(text ?? '')) as Partial<Reason>;
  if (typeof code !== 'string' || typeof message !== 'string' || !/^[A-Z][A-Z0-9_]{1,80}$/.test(code)) return null;
  return { code, message: message.slice(0, 500) };
}

function whole(text: string | null | undefined): number {
  const number = Number(text ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}
