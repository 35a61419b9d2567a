import { entryOf } from '../intake/intake-entries.ts';
import type { Delivery } from '../jobs/delivery.ts';
import { type Reason, readEnvelope } from '../jobs/envelope.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import { storedJob } from '../jobs/stored-job.ts';
import { CANCEL_SECONDS, isUsableId, type Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';

/**
 * Why the job named in `supersedes` is not cancelled. For another tenant's job the message must not tell whether it
 * exists.
 */
const notFound: Reason = {
  code: 'JOB_SUPERSEDES_IGNORED',
  message: 'Cannot replace job at /supersedes: found no job of this tenant under that id, wanted one',
  pointer: '/supersedes',
};

/**
 * Cancels the job that this one names in `supersedes`, if it belongs to the same tenant. Does nothing if the job is
 * invalid or names none. Resolves to the reason if the request was ignored, otherwise to `null`.
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
  if (tenant === null || tenant !== jobs.factsOf(kind, data).tenant) return notFound;
  await connection.set(keys.cancel(replaced), '1', 'EX', CANCEL_SECONDS);
  return null;
}

/** The tenant of a job that is queued, ended or on the intake stream; `null` if there is none. */
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
