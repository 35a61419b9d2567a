import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from '../kernel/deadline.ts';
import { runLane } from './lane.ts';
import type { Failed, Tested } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { untilLate } from './late-answer.ts';

/** How long to wait for aborted lanes to end, in milliseconds: their completions belong in the report. */
const maxEndingMs = 1_000;

/**
 * Runs up to two lanes of candidates in competition. The second starts when the first candidate fails, or when its
 * answer or its trial is late. The first verified candidate wins, and the other lane is aborted. Resolves to `null`
 * if no lane has anything left to try; rejects if every lane that ran ended with an error. `deadline` may be
 * later than `peerDeadline`, to fill the handler store. With `start`, the first lane begins with the repair of that
 * candidate.
 */
export async function raceLanes(
  lanes: LaneContext,
  deadline: Deadline,
  peerDeadline: Deadline,
  start: Failed | null = null,
): Promise<Tested | null> {
  const stop = new AbortController();
  const signal = AbortSignal.any([deadline.signal, stop.signal]);
  const shared = new Deadline(deadline.atMs, signal, Date.now, deadline.wantedAtMs);
  const answered = new AbortController();
  const answer = { characters: 0, answered: answered.signal, over: stop.signal };
  const failed = Promise.withResolvers<'failed'>();
  lanes.services.processBudget.noteFirst();
  const events = {
    heard: (more: number) => {
      answer.characters += more;
    },
    answered: () => answered.abort(),
    failed: () => failed.resolve('failed'),
  };
  const first = runLane(lanes, shared, events, start);
  let isFirstVerified = false;
  const firstEnded = first.then(
    (tested) => {
      isFirstVerified = tested !== null;
      return 'ended' as const;
    },
    () => 'ended' as const,
  );
  let isHedged = false;
  const second = Promise.race([firstEnded, failed.promise, untilLate(lanes.services, peerDeadline, answer)]).then(
    (why) => {
      isHedged = why === 'late';
      return why === 'ended' ? undefined : runLane(lanes, shared);
    },
  );
  try {
    return await firstVerified([first, second]);
  } finally {
    stop.abort();
    await Promise.race([Promise.allSettled([first, second]), sleep(maxEndingMs, undefined, { ref: false })]);
    // If the first answer came after all, the second question was wasted: an endpoint that has become slow must
    // not be asked twice for every job.
    if (isHedged && !isFirstVerified && wasOneFree(lanes)) lanes.services.processBudget.returnHedge();
  }
}

/** Whether a question was aborted before any of its answer came: then both questions cost as much as one. */
function wasOneFree({ ledger }: LaneContext): boolean {
  return ledger.attempts.some(
    ({ result, usage }) => result === 'aborted' && usage.inputTokens + usage.outputTokens === 0,
  );
}

/** The first verified candidate of a lane; `undefined` stands for a lane that never ran. */
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
