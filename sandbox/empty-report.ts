import type { RunReport } from './contract.ts';

/** The report of a run that the parent ended or never made: it has no value, logs or calls. */
export function emptyReport(end: RunReport['end'], message: string): RunReport {
  return { end, message, logs: [], calls: [], issuedIds: [], durationMs: 0, cpuMs: 0 };
}
