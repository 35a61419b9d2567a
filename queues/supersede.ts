import { CANCEL_SECONDS, isUsableId, type Keys } from './catalog.ts';
import type { Connection } from './connection.ts';
import type { Delivery } from './delivery.ts';
import type { JobReader } from './job-reader.ts';

/** Has the job cancelled that this one names in `supersedes`; nothing where it names none, or is no job that a worker would take. */
export async function supersede(
  { jobId, kind, data, rawBytes }: Pick<Delivery, 'jobId' | 'kind' | 'data' | 'rawBytes'>,
  connection: Connection,
  keys: Keys,
  jobs: JobReader,
): Promise<void> {
  if (kind !== 'generate' || !isUsableId(jobId) || typeof data !== 'object' || data === null || !('supersedes' in data))
    return;
  const replaced = jobs.replacedBy(kind, data, rawBytes);
  if (replaced === undefined || replaced === jobId) return;
  await connection.set(keys.cancel(replaced), '1', 'EX', CANCEL_SECONDS);
}
