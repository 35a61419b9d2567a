import { UnrecoverableError } from 'bullmq';
import type { Delivery } from './delivery.ts';
import { isClosedByReader, readEnvelope } from './envelope.ts';
import type { Outcomes } from './outcomes.ts';
import { namesOf, type OnQueueEvent } from './queue-event.ts';

/**
 * Announces the outcome that a job already has, and resolves to its verdict. Rejects where that outcome is another job's, which had the
 * same id, and where it tells of a defect and the job's worker died before it could bury the job.
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
  // Its reader closed this very job and has gone: only one that asks again wants to be told.
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
