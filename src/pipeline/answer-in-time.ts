import type { HandlerRecord } from '../contract/handler.ts';
import type { Taken } from '../intake/intake.ts';
import { type Conclusion, deadlinePassed } from '../job/conclusion.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Received } from '../job/received.ts';
import { outcomeOf } from './outcome-of.ts';

/**
 * Waits for the end that work comes to. When the peer's deadline is reached first, `error` is published at once and the work goes on for as long as
 * the job allows, to fill the handler store; what it came to is then announced beside the outcome. Resolves to `undefined` in that case.
 */
export async function answerInTime(
  working: Promise<Conclusion>,
  taken: Taken,
  received: Received,
  ledger: Ledger,
): Promise<Conclusion | undefined> {
  const { peerDeadline, job } = received;
  const first = await Promise.race([working, whenFired(peerDeadline.signal)]);
  if (first?.later !== undefined) return afterwards(first, first.later, taken, received, ledger);
  if (first !== undefined) return first;
  // Called off, or with no time to go on: how the work settles says the rest.
  if (taken.signal.aborted || job.workMs === 0) return working;
  await taken.publishNow(outcomeOf(taken, ledger, deadlinePassed()));
  const late = await working.catch(() => undefined);
  if (late?.handler) await announceLate(taken, received, late.handler);
  // The peer is gone: what is left of the reading is read at once.
  if (late?.later) await afterOutcome(late.later, taken, received);
  return undefined;
}

/** Publishes a conclusion, and goes on with what of its reading is left. */
async function afterwards(
  conclusion: Conclusion,
  later: NonNullable<Conclusion['later']>,
  taken: Taken,
  received: Received,
  ledger: Ledger,
): Promise<undefined> {
  await taken.publishNow(outcomeOf(taken, ledger, conclusion));
  await afterOutcome(later, taken, received);
}

/**
 * Tells of a handler that was found wrong after its outcome, and of the one in its place. The outcome stays as it is.
 */
async function afterOutcome(later: NonNullable<Conclusion['later']>, taken: Taken, received: Received): Promise<void> {
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

function whenFired(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
