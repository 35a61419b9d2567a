import type { RunReport } from '../contract.ts';
import { policy, type ResolvedLimits } from '../policy.ts';
import type { ActiveRun } from './active-run.ts';
import { tidy, tidyLogs } from './guest-text.ts';

/** How a run ended. */
export type Ending = Pick<RunReport, 'end' | 'value' | 'message' | 'position'>;

/** The report of a run that has ended, with every text cut to its limit. */
export function reportOf(
  { calls, guestMs, cpuMs }: ActiveRun,
  ending: Ending,
  { logs, ids }: { logs: readonly string[]; ids: string[] },
  limits: ResolvedLimits,
): RunReport {
  return {
    ...withinLimits(ending, limits),
    logs: tidyLogs(logs, limits.maxLogBytes),
    calls,
    issuedIds: ids,
    durationMs: guestMs,
    cpuMs,
  };
}

/** The guest has counted UTF-16 units; here bytes count. */
function withinLimits({ value, ...rest }: Ending, { maxResultBytes }: ResolvedLimits): Ending {
  if (value !== undefined && value.length * 3 > maxResultBytes && Buffer.byteLength(value) > maxResultBytes)
    return { end: 'threw', message: `the result is too large: at most ${maxResultBytes} bytes of JSON` };
  if (value !== undefined) return { ...rest, value };
  return { ...rest, message: tidy(rest.message ?? '', policy.maxMessageCharacters.default) };
}
