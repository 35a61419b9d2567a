import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from '../kernel/deadline.ts';
import { runLane } from './lane.ts';
import type { Tested } from './lane-candidate.ts';
import type { Work } from './lane-work.ts';

/** What bundling, cases and checks take beside the completion, in milliseconds. */
const trialMs = 500;

/** No answer is late before that, in milliseconds, however fast the endpoint is: there is nothing to be won. */
const leastPatienceMs = 500;

/** By how much an answer must be slower than most for it to be late: a steady endpoint is not left for a busy moment of this machine. */
const lateFactor = 1.25;

/** A trial that takes longer than that, in milliseconds, may outlast the peer: what a module does without end takes all of its time in each run. */
const longTrialMs = 2_000;

/** How long the end of called-off lanes is waited for, in milliseconds: their completions belong into the report. */
const settleMs = 1_000;

/**
 * Has up to two lanes of candidates compete: the second starts when the first candidate fails or is late, be it in coming or in being tried. The first verified candidate wins, and the
 * rest are called off. Resolves to `null` where no lane has anything more to try; rejects where every lane that ran was stopped by a fault.
 * `patience` is the peer's deadline; `deadline` may be later, to fill the handler store.
 */
export async function raceLanes(work: Work, deadline: Deadline, patience: Deadline): Promise<Tested | null> {
  const stop = new AbortController();
  const signal = AbortSignal.any([deadline.signal, stop.signal]);
  const shared = new Deadline(deadline.atMs, signal, Date.now, deadline.wantedAtMs);
  const answered = new AbortController();
  const failed = Promise.withResolvers<'failed'>();
  work.shop.purse.noteFirst();
  const first = runLane(work, shared, { answered: () => answered.abort(), failed: () => failed.resolve('failed') });
  let isFirstVerified = false;
  const firstEnded = first.then(
    (tested) => {
      isFirstVerified = tested !== null;
      return 'ended' as const;
    },
    () => 'ended' as const,
  );
  let hedged = false;
  const second = Promise.race([
    firstEnded,
    failed.promise,
    untilLate(work, patience, answered.signal, stop.signal),
  ]).then((why) => {
    hedged = why === 'hedged';
    return why === 'ended' ? undefined : runLane(work, shared);
  });
  try {
    return await firstVerified([first, second]);
  } finally {
    stop.abort();
    await Promise.race([Promise.allSettled([first, second]), sleep(settleMs, undefined, { ref: false })]);
    // Where the first answer came after all, the second was asked in vain: an endpoint that has become slow must not be asked twice for every job.
    if (hedged && !isFirstVerified && wasOneForNothing(work)) work.shop.purse.returnHedge();
  }
}

/**
 * Waits until the first answer is so late that a second candidate is worth its tokens: beyond the endpoint's 75th percentile by a
 * margin, for one job in five that pays for both answers, and for every job at the last moment that leaves time for another attempt and one to spare. Once
 * the answer is there, waits for that moment where its trial takes long.
 */
async function untilLate(
  { shop }: Work,
  patience: Deadline,
  answered: AbortSignal,
  over: AbortSignal,
): Promise<'late' | 'hedged'> {
  const leftMs = patience.leftMs();
  const p75Ms = shop.completer.p75Ms();
  // Of an endpoint whose speed is not known yet, half the time is given to the first answer.
  const attemptMs = p75Ms === null ? leftMs / 4 : p75Ms + trialMs;
  const lastMs = Math.max(0, leftMs - 2 * attemptMs);
  const untilLastMs = () => lastMs - (leftMs - patience.leftMs());
  // Nobody waits any more: there is no hurry.
  if (leftMs === 0) return never();
  try {
    const lateMs = Math.max(p75Ms === null ? lastMs : p75Ms * lateFactor, leastPatienceMs);
    if (lateMs < lastMs) {
      await sleep(lateMs, undefined, { signal: answered, ref: false });
      if (shop.purse.takeHedge()) return 'hedged';
    }
    await sleep(Math.max(0, untilLastMs()), undefined, { signal: answered, ref: false });
    return 'late';
  } catch {
    await sleep(Math.max(longTrialMs, untilLastMs()), undefined, { signal: over, ref: false }).catch(never);
    return patience.passed ? never() : 'late';
  }
}

/** Whether a question was called off before a word came: who asked twice paid for one answer. */
function wasOneForNothing({ ledger }: Work): boolean {
  return ledger.attempts.some(
    ({ result, usage }) => result === 'aborted' && usage.inputTokens + usage.outputTokens === 0,
  );
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** The first lane that has a verified candidate; `undefined` stands for a lane that never ran. */
function firstVerified(lanes: readonly Promise<Tested | null | undefined>[]): Promise<Tested | null> {
  return new Promise((resolve, reject) => {
    let open = lanes.length;
    let exhausted = false;
    const faults: unknown[] = [];
    const ended = () => {
      open -= 1;
      if (open > 0) return;
      if (exhausted || faults.length === 0) resolve(null);
      else reject(faults[0]);
    };
    for (const lane of lanes)
      lane.then(
        (tested) => {
          if (tested) resolve(tested);
          if (tested === null) exhausted = true;
          ended();
        },
        (fault: unknown) => {
          faults.push(fault);
          ended();
        },
      );
  });
}
