import type { JobReader } from '../../queues/index.ts';
import { readJob } from '../intake/read-job.ts';
import { readableOf, timeoutOf, versionOf } from '../intake/readable.ts';
import { errorEnvelope } from './outcome-of.ts';

/** Reads jobs on behalf of the queue, which does not know their contents. */
export const jobReader: JobReader = {
  factsOf(kind, data) {
    const { negotiationId, tenant, replyTo } = readableOf(kind, data);
    return { negotiationId, tenant, replyTo, timeoutMs: timeoutOf(data), version: versionOf(data) };
  },
  replacedBy(kind, data, rawBytes) {
    const reading = readJob(kind, data, rawBytes);
    return reading.ok ? reading.job.supersedes : undefined;
  },
  errorEnvelope,
};
