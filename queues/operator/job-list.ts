import { parseData } from '../jobs/delivery.ts';
import { endedJobs } from '../jobs/ended-jobs.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import { type Keys, NO_TENANT } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';

/** Jobs of one state that are looked at; more are left out, and the list says so. */
const MOST_LOOKED_AT = 10_000;

/** Jobs whose fields are read at once. */
const AT_ONCE = 500;

/** The states of a job in a list. `put-back`: it comes again. `failed`: a dead letter, which is among the ended too. */
export const listStates = ['running', 'put-back', 'waiting', 'failed', 'ended'] as const;

/** A state of a job. */
export type ListState = (typeof listStates)[number];

/** Which jobs to list; what is absent does not matter. */
export interface JobFilter {
  states?: readonly ListState[];
  verdict?: string;
  /** One of the codes of the outcome. */
  code?: string;
  tenant?: string;
  /** The beginning of the id. */
  idStart?: string;
  /** Jobs that ended, or were taken by Redis if they did not, at that time or later; milliseconds since 1970. */
  sinceMs?: number;
  /** The same, at that time or earlier. */
  untilMs?: number;
  limit: number;
}

/** A job of a list. */
export interface ListedJob {
  jobId: string;
  state: ListState;
  kind: string;
  /** `null` if its data do not say. */
  tenant: string | null;
  /** `null` while it has no outcome. */
  verdict: string | null;
  codes: string[];
  /** When it ended, or was taken by Redis; milliseconds since 1970. */
  atMs: number;
}

/** A list of jobs. */
export interface JobList {
  jobs: ListedJob[];
  /** Whether there may be more: the limit was reached, or a state has more jobs than are looked at. */
  isCut: boolean;
}

/**
 * Lists jobs: running ones, those put back, waiting ones in the order in which they are taken, dead letters and ended
 * ones, the newest first. Bounded work for Redis: it looks at 10,000 jobs of each state at most.
 */
export async function listJobs(
  connection: Connection,
  keys: Keys,
  reader: JobReader,
  filter: JobFilter,
): Promise<JobList> {
  const states = statesOf(filter);
  const jobs: ListedJob[] = [];
  let isCut = false;
  for (const state of states) {
    if (jobs.length > filter.limit) break;
    const looked = state === 'ended' ? ended(connection, keys, filter) : open(connection, keys, reader, state, filter);
    let count = 0;
    for await (const job of looked) {
      count += 1;
      if (count > MOST_LOOKED_AT) {
        isCut = true;
        break;
      }
      if (matches(job, filter)) jobs.push(job);
      if (jobs.length > filter.limit) break;
    }
  }
  return { jobs: jobs.slice(0, filter.limit), isCut: isCut || jobs.length > filter.limit };
}

/** Only ended jobs have a verdict and codes. A dead letter is listed once: as ended, unless its state is asked for. */
function statesOf({ states, verdict, code }: JobFilter): readonly ListState[] {
  if (states !== undefined) return states;
  return verdict === undefined && code === undefined ? ['running', 'put-back', 'waiting', 'ended'] : ['ended'];
}

function matches(job: ListedJob, { verdict, code, tenant, idStart, sinceMs, untilMs }: JobFilter): boolean {
  return (
    (verdict === undefined || job.verdict === verdict) &&
    (code === undefined || job.codes.includes(code)) &&
    (tenant === undefined || (job.tenant ?? NO_TENANT) === tenant) &&
    (idStart === undefined || job.jobId.startsWith(idStart)) &&
    (sinceMs === undefined || job.atMs >= sinceMs) &&
    (untilMs === undefined || job.atMs <= untilMs)
  );
}

async function* ended(connection: Connection, keys: Keys, { sinceMs = 0 }: JobFilter): AsyncGenerator<ListedJob> {
  for await (const { jobId, kind, tenant, verdict, codes, endedAtMs } of endedJobs(connection, keys, sinceMs))
    yield { jobId, state: 'ended', kind, tenant, verdict, codes, atMs: endedAtMs };
}

async function* open(
  connection: Connection,
  keys: Keys,
  reader: JobReader,
  state: Exclude<ListState, 'ended'>,
  { tenant }: JobFilter,
): AsyncGenerator<ListedJob> {
  const jobIds = await idsOf(connection, keys, state, tenant);
  for (let at = 0; at < jobIds.length; at += AT_ONCE) {
    const some = jobIds.slice(at, at + AT_ONCE);
    const reading = connection.pipeline();
    const names = ['name', 'tenant', 'takenAtMs', 'timestamp', 'failedReason'];
    for (const jobId of some) reading.hmget(`${keys.queue}:${jobId}`, ...names);
    const answers = (await reading.exec()) ?? [];
    for (const [index, jobId] of some.entries()) {
      const fields = answers[index]?.[1];
      const [kind, known, takenAtMs, timestamp, reason] = Array.isArray(fields) ? (fields as (string | null)[]) : [];
      if (kind == null) continue;
      const owner = known ?? (await tenantOf(connection, keys, reader, jobId, kind));
      const code = /^[A-Z][A-Z_]{1,60}(?=:)/.exec(reason ?? '')?.[0];
      const codes = code === undefined ? [] : [code];
      const job = { jobId, state, kind, tenant: owner === NO_TENANT ? null : owner, verdict: null, codes };
      yield { ...job, atMs: Number(takenAtMs ?? timestamp ?? 0) };
    }
  }
}

/** Ids of jobs in a state, one more than are looked at. */
async function idsOf(
  connection: Connection,
  keys: Keys,
  state: Exclude<ListState, 'ended'>,
  tenant: string | undefined,
): Promise<string[]> {
  const { queue } = keys;
  const most = MOST_LOOKED_AT;
  if (state === 'running') return connection.lrange(`${queue}:active`, 0, most);
  if (state === 'put-back') return connection.zrange(`${queue}:delayed`, '0', String(most));
  if (state === 'failed') return connection.zrevrange(`${queue}:failed`, 0, most);
  if (tenant !== undefined) return connection.zrange(keys.waiting(tenant), '0', String(most));
  const withoutTurn = await connection.lrange(`${queue}:wait`, -most - 1, -1);
  const inTurn = await connection.zrange(`${queue}:prioritized`, '0', String(most));
  return [...withoutTurn.reverse(), ...inTurn].slice(0, most + 1);
}

/** The tenant of a job whose deadline was not recorded yet. */
async function tenantOf(
  connection: Connection,
  keys: Keys,
  reader: JobReader,
  jobId: string,
  kind: string,
): Promise<string | null> {
  const text = await connection.hget(`${keys.queue}:${jobId}`, 'data');
  return reader.factsOf(kind, parseData(text ?? 'null')).tenant;
}
