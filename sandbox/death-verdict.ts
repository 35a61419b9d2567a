import type { RunReport } from './contract.ts';
import type { Death } from './death.ts';
import { emptyReport } from './empty-report.ts';
import type { ResolvedLimits } from './policy.ts';

/** The runs that were sent to a cell before it died. `Run` is whatever the caller knows a run by. */
export interface SentRuns<Run> {
  /** The number of the first run; the others are numbered after it. */
  first: number;
  /** All runs in the order of their numbers; `undefined` in the place of a run that has its report. */
  unfinished: readonly (Run | undefined)[];
  /** The numbers of the frames that were sent, each with its run if it was about one run alone. */
  frames: ReadonlyMap<number, Run | undefined>;
}

/**
 * Traces a death to the runs that were sent. `isOurs`: the cell was working on one of them. `culprit`: the run that it
 * was working on, if that can only be one.
 */
export function traceDeath<Run>(
  death: Death,
  { first, unfinished, frames }: SentRuns<Run>,
): { isOurs: boolean; culprit: Run | undefined } {
  const named = death.run === undefined ? undefined : unfinished[death.run - first];
  // A run that the cell names says more than the frame, which may hold many.
  const frame = death.run === undefined && death.frame !== undefined ? death.frame : -1;
  // Only a taken-over cell sends a forged frame, and one of its runs took it over: what it says it is working
  // on is worthless.
  const isForged = death.cause === 'frame';
  if (named === undefined && !frames.has(frame) && !isForged) return { isOurs: false, culprit: undefined };
  const left = unfinished.filter((run) => run !== undefined);
  const [only] = (isForged || unfinished.length === 1) && left.length === 1 ? left : [];
  return { isOurs: true, culprit: named ?? frames.get(frame) ?? only };
}

/**
 * Decides what a death means for the run that it was traced to. Returns the report of a run at fault, and
 * `undefined` for a run that may be innocent and has to be repeated. `deaths` counts the cells that died over
 * this run, this one among them.
 *
 * Something outside can end a process, or we can when the runs beside it were cancelled; and a process that
 * other runs have filled dies of little more. A run that loses two cells is at fault: a cell frees memory
 * before it loads a handler.
 */
export function verdictOn(death: Death, limits: ResolvedLimits, deaths: number): RunReport | undefined {
  const report = reportOfDeath(death, limits, deaths);
  const mayBeInnocent =
    death.cause === 'memory' || death.cause === 'closed' || (death.cause === 'exit' && report.end !== 'out-of-memory');
  return deaths < 2 && mayBeInnocent ? undefined : report;
}

/** Memory was measured from outside; nothing that the process said counts. */
function reportOfDeath(
  { cause, grownMb, heldMb }: Death,
  { memoryMb, watchdogMs }: ResolvedLimits,
  deaths: number,
): RunReport {
  // V8 aborts on one large allocation long before the heap is full. A run that the watchdog ended may have
  // filled the process with mere garbage.
  const enoughMb = cause === 'exit' ? memoryMb / 2 : 2 * memoryMb;
  // At the first death the memory that a cell held may have been that of other handlers.
  const usedMb = cause === 'exit' && deaths > 1 ? heldMb : grownMb;
  if (cause === 'memory' || (cause !== 'frame' && usedMb > enoughMb))
    return emptyReport('out-of-memory', `used more than its ${memoryMb} MB, and its cell was ended`);
  switch (cause) {
    case 'watchdog':
      return emptyReport('killed', `its cell did not answer within ${watchdogMs} ms`);
    case 'frame':
      return emptyReport('killed', 'its cell sent what no cell sends');
    default:
      return emptyReport('killed', 'its cell died');
  }
}
