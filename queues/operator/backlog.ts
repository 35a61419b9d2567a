import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { outcomeStreams } from './queue-snapshot.ts';

/** Deadlines read, the next first. */
const DEADLINES = 5_000;

/** Deadlines of jobs without an outcome. */
export interface Deadlines {
  open: number;
  /** Milliseconds until the next deadlines, the next first; not more than some thousands. */
  leftMs: number[];
}

/** How far a consumer group of an outcome stream is behind. */
export interface ReaderLag {
  replyTo: string;
  group: string;
  unread: number | null;
  pending: number;
  behindSeconds: number | null;
}

/** The deadlines of jobs without an outcome. */
export async function openDeadlines(connection: Connection, keys: Keys): Promise<Deadlines> {
  const nowMs = await clockOf(connection);
  const flat = await connection.zrange(keys.deadlines, '0', String(DEADLINES - 1), 'WITHSCORES');
  return {
    open: await connection.zcard(keys.deadlines),
    leftMs: flat.flatMap((score, index) => (index % 2 === 1 ? [Number(score) - nowMs] : [])),
  };
}

/** How far each consumer group of every outcome stream is behind. */
export async function readerLags(connection: Connection, keys: Keys): Promise<ReaderLag[]> {
  const nowMs = await clockOf(connection);
  const streams = await outcomeStreams(connection, keys);
  const lags = await Promise.all(streams.map((stream) => lagsOf(connection, stream, nowMs)));
  return streams.flatMap((stream, index) =>
    (lags[index] ?? []).map((lag) => ({ replyTo: stream.slice(keys.outcomes('').length), ...lag })),
  );
}

async function lagsOf(connection: Connection, stream: string, nowMs: number): Promise<Omit<ReaderLag, 'replyTo'>[]> {
  const groups = (await connection.xinfo('GROUPS', stream)) as (string | number | null)[][];
  return Promise.all(
    groups.map(async (flat) => {
      const about = (name: string) => (flat.includes(name) ? flat[flat.indexOf(name) + 1] : null);
      const group = String(about('name'));
      const pending = Number(about('pending'));
      const unread = about('lag') === null ? null : Number(about('lag'));
      const delivered = String(about('last-delivered-id'));
      const [[next] = []] = unread === 0 ? [] : await connection.xrange(stream, `(${delivered}`, '+', 'COUNT', 1);
      const [, first] = pending === 0 ? [] : ((await connection.xpending(stream, group)) as [number, string | null]);
      const oldestMs = Math.min(...[next, first].flatMap((id) => (id == null ? [] : [Number.parseInt(id, 10)])));
      return {
        group,
        unread,
        pending,
        behindSeconds: Number.isFinite(oldestMs) ? Math.max(0, (nowMs - oldestMs) / 1_000) : null,
      };
    }),
  );
}

async function clockOf(connection: Connection): Promise<number> {
  const [seconds, micros] = await connection.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
