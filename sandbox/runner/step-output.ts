import type { AnsweredCall } from '../contract.ts';
import { type GuestCall, type GuestOutput, sendCommand } from '../guest/protocol.ts';
import type { Texts } from '../wire.ts';
import type { Batch } from './batch.ts';
import { positionIn } from './guest-text.ts';
import type { Ending } from './run-report.ts';

/** A run that the guest says has ended. */
export interface EndedRun {
  run: number;
  ending: Ending;
  logs: string[];
  ids: string[];
}

/** A call that the guest says a run has made. */
export interface MadeCall {
  run: number;
  call: number;
  made: AnsweredCall;
  /** Whether the guest has its answer at hand. */
  isAnswered: boolean;
}

/** What the guest says after a step. `calls` came before the ends of their runs, `earlierCalls` before all else. */
export interface StepOutput {
  earlierCalls: MadeCall[];
  ended: EndedRun[];
  calls: MadeCall[];
}

/** Whether all runs of a batch have returned and the guest says nothing else, so that nobody need look at each run. */
export function haveAllReturned(output: GuestOutput | undefined, { first, size }: Batch): boolean {
  if (output?.plain.length !== 2 || output.settled.length > 0 || output.calls.length > 0) return false;
  return output.plain[0] === first && output.plain[1] === size;
}

/** Reads what the guest says. Throws if a text is missing. */
export function readOutput(output: GuestOutput, texts: Texts): StepOutput {
  const earlierCalls = readEarlierCalls(output, texts);
  const ended: EndedRun[] = [];
  for (let row = 0; row < output.plain.length; row += 2) {
    const [first, count] = [output.plain[row] as number, output.plain[row + 1] as number];
    for (let run = first; run < first + count; run += 1)
      ended.push({ run, ending: { end: 'returned', value: texts.next() }, logs: [], ids: [] });
  }
  for (const [run, returned, logCount, ids] of output.settled) {
    const text = texts.next();
    const ending: Ending = returned
      ? { end: 'returned', value: text }
      : { end: 'threw', message: text, ...positionIn(texts.next()) };
    ended.push({ run, ending, logs: Array.from({ length: logCount }, () => texts.next()), ids });
  }
  return { earlierCalls, ended, calls: readCalls(output.calls, texts) };
}

/** Reads only the calls that came before all else. */
export function readEarlierCalls({ given }: GuestOutput, texts: Texts): MadeCall[] {
  return readCalls(given, texts);
}

function readCalls(rows: readonly GuestCall[], texts: Texts): MadeCall[] {
  return rows.map(([run, call, name, answered]) => ({
    run,
    call,
    made: { tool: name === sendCommand ? null : name, input: texts.next() },
    isAnswered: answered === 1,
  }));
}
