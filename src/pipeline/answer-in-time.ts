import type { Received, Taken } from './intake.ts';
import { type Conclusion, deadlinePassed } from './leave.ts';
import type { Ledger } from './ledger.ts';
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
  const { deadline, job } = received;
  const first = await Promise.race([working, whenFired(deadline.signal)]);
  if (first !== undefined) return first;
  // Called off, or with no time to go on: how the work settles says the rest.
  if (taken.signal.aborted || job.workMs === 0) return working;
  await taken.publish(outcomeOf(taken, ledger, deadlinePassed(received)));
  const late = await working.catch(() => undefined);
  if (late?.handler)
    await taken.announceLate({
      negotiationId: job.negotiationId,
      protocolHash: late.handler.provenance.protocolHash,
      digest: late.handler.digest,
    });
  return undefined;
}

function whenFired(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
