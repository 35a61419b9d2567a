import type { HandlerRecord } from '../contract/handler.ts';
import type { Taken } from '../intake/intake.ts';
import { type Conclusion, deadlinePassed } from '../job/conclusion.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Received } from '../job/received.ts';
import { whenAborted } from '../kernel/when-aborted.ts';
import { outcomeOf } from './outcome-of.ts';

/**
 * Waits for the conclusion of a job. When the peer's deadline comes first, publishes `error` at once and lets the work
 * go on for as long as the job allows, to fill the handler store. A handler made then is announced beside the outcome.
 * Resolves to `undefined` if it published the outcome itself.
 */
export async function answerInTime(
  working: Promise<Conclusion>,
  taken: Taken,
  received: Received,
  ledger: Ledger,
): Promise<Conclusion | undefined> {
  const { peerDeadline, job } = received;
  const first = await Promise.race([working, whenAborted(peerDeadline.signal)]);
  if (first?.later !== undefined) return publishThenFinish(first, first.later, taken, received, ledger);
  if (first !== undefined) return first;
  // The work was aborted or may not go on: its own end is the conclusion.
  if (taken.signal.aborted || job.workMs === 0) return working;
  await taken.publishNow(outcomeOf(taken, ledger, deadlinePassed(taken.lastFault)));
  const late = await working.catch(() => undefined);
  if (late?.handler) await announceLate(taken, received, late.handler);
  // The peer no longer waits, so the rest of the reading is run at once.
  if (late?.later) await finishLater(late.later, taken, received);
  return undefined;
}

/** Publishes a conclusion, then finishes its reading. */
async function publishThenFinish(
  conclusion: Conclusion,
  later: NonNullable<Conclusion['later']>,
  taken: Taken,
  received: Received,
  ledger: Ledger,
): Promise<undefined> {
  await taken.publishNow(outcomeOf(taken, ledger, conclusion));
  await finishLater(later, taken, received);
}

/**
 * Finishes the reading, and announces a handler that was withdrawn and its replacement. The outcome stays unchanged.
 */
async function finishLater(later: NonNullable<Conclusion['later']>, taken: Taken, received: Received): Promise<void> {
  const end = await later().catch(() => null);
  if (end !== null) await announceLate(taken, received, end.handler, end.withdrawn);
}

function announceLate(
  taken: Taken,
  { job }: Received,
  handler: HandlerRecord | null,
  withdrawn?: HandlerRecord,
): Promise<void> {
  return taken.announceLate({
    negotiationId: job.negotiationId,
    protocolHash: (handler ?? withdrawn)?.provenance.protocolHash ?? null,
    digest: handler?.digest ?? null,
    ...(withdrawn === undefined ? {} : { withdrawn: withdrawn.digest }),
  });
}
