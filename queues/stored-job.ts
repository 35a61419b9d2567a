import type { Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import { parseData, type StoredJob } from './delivery.ts';

/** The data of a job that has none: what BullMQ makes of it. */
export const NO_DATA = '{}';

/** A job as BullMQ keeps it. */
export interface KeptJob extends StoredJob {
  /** By its producer's clock, in milliseconds; `NaN` where it has none. */
  timestampMs: number;
  failedReason: string | null;
  /** `NaN` where BullMQ has not ended it. */
  finishedOnMs: number;
}

/** A job of which nothing is there but its id. */
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
  };
}

/** Reads a job from Redis; `null` where there is none. One written by hand may lack its name or its data: they are empty then. */
export async function storedJob(connection: Connection, keys: Keys, jobId: string): Promise<KeptJob | null> {
  const key = `${keys.queue}:${jobId}`;
  const names = ['name', 'data', 'timestamp', 'ats', 'stc', 'failedReason', 'finishedOn'];
  const fields = await connection.hmget(key, ...names);
  if (fields.every((field) => field === null) && (await connection.exists(key)) === 0) return null;
  const [kind, text, timestamp, deliveries, deaths, failedReason, finishedOn] = fields;
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
  };
}

function whole(text: string | null | undefined): number {
  const number = Number(text ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}
