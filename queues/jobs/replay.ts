import { UnrecoverableError } from 'bullmq';
import { namesOf, type OnQueueEvent } from '../redis/queue-event.ts';
import type { Delivery } from './delivery.ts';
import { isClosedByReader, readEnvelope } from './envelope.ts';
import type { Outcomes } from './outcomes.ts';

/**
 * Announces the existing outcome of a job again and resolves to its verdict. Rejects if that outcome belongs to another
 * job with the same id, or reports a defect whose worker died before it could fail the job.
 */
export async function replay(
  delivery: Delivery,
  text: string,
  takenAtMs: number,
  outcomes: Outcomes,
  onEvent: OnQueueEvent,
): Promise<string> {
  const { jobId, kind, dataDigest, replyTo, deaths } = delivery;
  const envelope = readEnvelope(text);
  const isOther = envelope === null || (envelope.dataDigest !== null && envelope.dataDigest !== dataDigest);
  if (isOther || (envelope.kind !== null && envelope.kind !== kind)) {
    onEvent({ event: 'refused', ...namesOf(delivery), code: 'JOB_ID_REUSED' });
    const what = isOther ? 'other data' : 'another kind of job';
    throw new UnrecoverableError(
      `JOB_ID_REUSED: Cannot accept job: found an outcome for ${what} under the id ${jobId}, wanted a new id`,
    );
  }
  const { verdict } = envelope;
  // A reader closed this job and left: announce only if the job was submitted again.
  const closedAtMs = isClosedByReader(envelope) ? await outcomes.publishedAtMs(jobId, replyTo) : null;
  if (closedAtMs !== null && takenAtMs <= closedAtMs) {
    onEvent({ event: 'suppressed', ...namesOf(delivery), verdict });
    return verdict;
  }
  await outcomes.announce(envelope, { jobId, replyTo }, true);
  onEvent({ event: 'replayed', ...namesOf(delivery), verdict });
  const { code, message } = Object(envelope.findings.find((finding) => /^DEFECT_/.test(Object(finding).code)));
  if (deaths > 0 && code !== undefined) throw new UnrecoverableError(`${code}: ${message}`);
  return verdict;
}
