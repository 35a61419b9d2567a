import { setTimeout as sleep } from 'node:timers/promises';
import type { Speed } from '../completion/latency.ts';
import type { ProcessBudget } from '../job/budget.ts';
import type { Deadline } from '../kernel/deadline.ts';

/** What is seen of a lane's first answer. */
export interface FirstAnswer {
  /** How much of it has come. */
  readonly characters: number;
  /** Fires when it is there. */
  readonly answered: AbortSignal;
  /** Fires when the job needs no more candidates. */
  readonly over: AbortSignal;
}

/** A clock to wait by. */
export interface WaitingClock {
  nowMs(): number;
  /** Rejects as soon as the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What bundling, cases and checks take beside the completion, in milliseconds. */
const trialMs = 500;

/** No answer is late before that, in milliseconds, however fast the endpoint is: there is nothing to be won. */
const leastPatienceMs = 500;

/**
 * By how much an answer must begin later than most for it to be late: a steady endpoint is not left for a busy moment
 * of this machine.
 */
const lateFactor = 1.25;

/** By how much an answer must come more slowly than most, or take longer, for it to be late. */
const slowFactor = 2;

/**
 * A trial that takes longer than that, in milliseconds, may outlast the peer: what a module does without end takes all
 * of its time in each run.
 */
const longTrialMs = 2_000;

const realClock: WaitingClock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
};

/**
 * Waits until a second candidate pays. That is so where the first answer is far behind the endpoint's usual speed, or
 * its trial takes long; where a new answer has even chances to end before the peer leaves; and where not too many jobs
 * had a second one lately. Otherwise never resolves.
 */
export async function untilLate(
  {
    completer,
    processBudget,
  }: { completer: { speed(): Speed | null }; processBudget: Pick<ProcessBudget, 'takeHedge'> },
  peerDeadline: Deadline,
  first: FirstAnswer,
  clock: WaitingClock = realClock,
): Promise<'late'> {
  const startMs = clock.nowMs();
  const givenMs = peerDeadline.leftMs();
  // Nobody waits any more: there is no hurry.
  if (givenMs === 0) return never();
  const speed = completer.speed();
  const elapsedMs = () => clock.nowMs() - startMs;
  const pays = (inAdvance: boolean) =>
    peerDeadline.leftMs() > (speed === null ? 0 : speed.medianMs + trialMs) && processBudget.takeHedge(inAdvance);
  try {
    const waitMs = () => lateAtMs(first.characters, speed, givenMs) - elapsedMs();
    // What comes in the meantime puts the moment off.
    for (let ms = waitMs(); ms > 0; ms = waitMs()) await clock.sleep(ms, first.answered);
    return pays(first.characters === 0) ? 'late' : never();
  } catch {
    const attemptMs = speed === null ? givenMs / 4 : speed.p75Ms + trialMs;
    const lastMs = givenMs - 2 * attemptMs - elapsedMs();
    await clock.sleep(Math.max(longTrialMs, lastMs), first.over).catch(never);
    return pays(true) ? 'late' : never();
  }
}

/** When an answer is late of which so much has come, in milliseconds since the question. */
function lateAtMs(characters: number, speed: Speed | null, givenMs: number): number {
  // Of an endpoint whose speed is not known yet, half the time is given to the first piece.
  if (speed === null) return characters === 0 ? givenMs / 2 : givenMs;
  const begunMs = speed.firstPieceMs * lateFactor + leastPatienceMs;
  const slowMs = begunMs + slowFactor * characters * speed.msPerCharacter;
  return Math.min(slowMs, Math.max(slowFactor * speed.p75Ms, begunMs));
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
