import { CANCEL_SECONDS, isUsableId, type Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import { type Reason, readEnvelope } from './envelope.ts';
import { entryOf } from './intake-entries.ts';
import type { JobReader } from './job-reader.ts';
import { storedJob } from './stored-job.ts';

/** Why a job that another names in `supersedes` goes on. Of another tenant's job nothing is said, nor whether there is one. */
const ignored: Reason = {
  code: 'JOB_SUPERSEDES_IGNORED',
  message: 'Cannot replace job at /supersedes: found no job of this tenant under that id, wanted one',
  pointer: '/supersedes',
};

/**
 * Has the job cancelled that this one names in `supersedes`, where that is of the same tenant; nothing where it names none, or is no job that a worker
 * would take. Resolves to why it was not heeded, where it was not.
 */
export async function supersede(
  { jobId, kind, data, rawBytes }: Pick<Delivery, 'jobId' | 'kind' | 'data' | 'rawBytes'>,
  connection: Connection,
  keys: Keys,
  jobs: JobReader,
): Promise<Reason | null> {
  if (kind !== 'generate' || !isUsableId(jobId) || typeof data !== 'object' || data === null || !('supersedes' in data))
    return null;
  const replaced = jobs.replacedBy(kind, data, rawBytes);
  if (replaced === undefined || replaced === jobId) return null;
  const tenant = await tenantOf(replaced, connection, keys, jobs);
  if (tenant === null || tenant !== jobs.factsOf(kind, data).tenant) return ignored;
  await connection.set(keys.cancel(replaced), '1', 'EX', CANCEL_SECONDS);
  return null;
}

/** Whose a job is, be it on the queue, ended or on its way there; `null` where there is none. */
async function tenantOf(jobId: string, connection: Connection, keys: Keys, jobs: JobReader): Promise<string | null> {
  const job = await storedJob(connection, keys, jobId);
  const text = job === null ? await connection.get(keys.outcome(jobId)) : null;
  if (text !== null) {
    const { tenant } = Object(readEnvelope(text));
    return typeof tenant === 'string' ? tenant : null;
  }
  const found = job ?? (await entryOf(connection, keys, jobId));
  return found === null ? null : jobs.factsOf(found.kind, found.data).tenant;
}
