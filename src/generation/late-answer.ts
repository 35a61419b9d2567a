import { setTimeout as sleep } from 'node:timers/promises';
import type { Speed } from '../completion/latency.ts';
import type { ProcessBudget } from '../job/process-budget.ts';
import type { Deadline } from '../kernel/deadline.ts';

/** The progress of a lane's first answer. */
export interface FirstAnswer {
  /** Characters that have arrived. */
  readonly characters: number;
  /** Fires when the answer is complete. */
  readonly answered: AbortSignal;
  /** Fires when the job needs no more candidates. */
  readonly over: AbortSignal;
}

/** A clock, for tests to replace. */
export interface WaitingClock {
  nowMs(): number;
  /** Rejects as soon as the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** How long bundling, cases and checks take after the completion, in milliseconds. */
const trialMs = 500;

/** No answer is late before this, in milliseconds, however fast the endpoint is: hedging earlier gains nothing. */
const minLateMs = 500;

/** An answer is late when it begins later than usual by this factor: a short delay on this machine must not count. */
const lateFactor = 1.25;

/** An answer is late when it arrives more slowly than usual, or takes longer, by this factor. */
const slowFactor = 2;

/**
 * A trial that takes longer than this, in milliseconds, may not finish before the peer's deadline: an endless loop uses
 * all of its time in each run.
 */
const longTrialMs = 2_000;

const realClock: WaitingClock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
};

/**
 * Resolves when a second candidate is worth its cost: the first answer is far slower than usual for the endpoint, or
 * its trial takes long; a new answer has an even chance to finish before the peer's deadline; and not too many jobs
 * hedged lately. Otherwise it never resolves.
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
  const budgetMs = peerDeadline.leftMs();
  // The peer no longer waits, so there is no hurry.
  if (budgetMs === 0) return never();
  const speed = completer.speed();
  const elapsedMs = () => clock.nowMs() - startMs;
  const isWorthIt = (inAdvance: boolean) =>
    peerDeadline.leftMs() > (speed === null ? 0 : speed.medianMs + trialMs) && processBudget.takeHedge(inAdvance);
  try {
    const waitMs = () => lateAtMs(first.characters, speed, budgetMs) - elapsedMs();
    // Text that arrives meanwhile moves the limit.
    for (let ms = waitMs(); ms > 0; ms = waitMs()) await clock.sleep(ms, first.answered);
    return isWorthIt(first.characters === 0) ? 'late' : never();
  } catch {
    const attemptMs = speed === null ? budgetMs / 4 : speed.p75Ms + trialMs;
    const lastMs = budgetMs - 2 * attemptMs - elapsedMs();
    await clock.sleep(Math.max(longTrialMs, lastMs), first.over).catch(never);
    return isWorthIt(true) ? 'late' : never();
  }
}

/** When an answer with this many characters counts as late, in milliseconds since the question. */
function lateAtMs(characters: number, speed: Speed | null, budgetMs: number): number {
  // If the endpoint's speed is unknown, the first piece may take half of the time.
  if (speed === null) return characters === 0 ? budgetMs / 2 : budgetMs;
  const begunMs = speed.firstPieceMs * lateFactor + minLateMs;
  const slowMs = begunMs + slowFactor * characters * speed.msPerCharacter;
  return Math.min(slowMs, Math.max(slowFactor * speed.p75Ms, begunMs));
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
