import { QueueError } from '../redis/queue-error.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import type { JobReader } from './job-reader.ts';
import type { Outcomes } from './outcomes.ts';

/** A job is not taken on, because its tenant has as many waiting jobs as the operator allows. */
export class TenantFull extends QueueError {
  readonly jobId: string;
  constructor(jobId: string, { waiting, limit }: { waiting: number; limit: number }) {
    super(
      'JOB_TENANT_FULL',
      `Cannot take job: found ${waiting} jobs of its tenant waiting, wanted fewer than ${limit}`,
    );
    this.jobId = jobId;
  }
}

/**
 * Tells a producer on its outcome stream that a job was not taken. The id stays unused, so that the job can be
 * submitted later.
 */
export async function announceFull(
  { code, message, jobId }: TenantFull,
  { kind, data }: { kind: string; data: unknown },
  { jobs, outcomes, onEvent }: { jobs: JobReader; outcomes: Outcomes; onEvent: OnQueueEvent },
): Promise<void> {
  const envelope = jobs.errorEnvelope(kind, data, { code, message });
  const { negotiationId, tenant, replyTo } = jobs.factsOf(kind, data);
  await outcomes.announceRefusal(envelope, { jobId, replyTo: replyTo ?? 'default' }, { code, message });
  onEvent({ event: 'refused', jobId, kind, negotiationId, tenant, code });
}
