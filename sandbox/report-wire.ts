import type { AnsweredCall, End, HandlerFailure, RunReport } from './contract.ts';

/**
 * A report as it is sent. Its texts come in this order: value, message, logs, then the input and answer of each call. A
 * row instead of an object, since a small handler takes less time than the member names would.
 */
export type ReportRow = [
  run: number,
  end: End,
  hasValue: 0 | 1,
  hasMessage: 0 | 1,
  logs: number,
  calls: CallRow[],
  issuedIds: string[],
  durationMs: number,
  cpuMs: number,
  position: [line: number, column: number] | 0,
];

/**
 * So many runs from the first on that returned and did nothing else, like most. Their values are texts, and each took
 * the same time.
 */
export type PlainRow = [first: number, runs: number, durationMs: number, cpuMs: number];

type CallRow = [tool: string | null, answer: 'output' | HandlerFailure['code'] | 0];

/** Writes a report and adds its texts to `texts`. */
export function reportToRow(run: number, report: RunReport, texts: string[]): ReportRow {
  const { end, value, message, logs, calls, issuedIds, durationMs, cpuMs, position } = report;
  if (value !== undefined) texts.push(value);
  if (message !== undefined) texts.push(message);
  for (const line of logs) texts.push(line);
  const rows = calls.map(({ tool, input, answer }): CallRow => {
    texts.push(input);
    if (answer === undefined) return [tool, 0];
    texts.push('output' in answer ? answer.output : answer.error.message);
    return [tool, 'output' in answer ? 'output' : answer.error.code];
  });
  return [
    run,
    end,
    value === undefined ? 0 : 1,
    message === undefined ? 0 : 1,
    logs.length,
    rows,
    issuedIds,
    inMicroseconds(durationMs),
    inMicroseconds(cpuMs),
    position ? [position.line, position.column] : 0,
  ];
}

/**
 * Reads a report and takes its texts from `next`. Throws for anything that no intact cell writes: the cell may
 * have been taken over.
 */
export function rowToReport(row: ReportRow, next: () => string): { run: number; report: RunReport } {
  const [run, end, hasValue, hasMessage, logs, calls, issuedIds, durationMs, cpuMs, position] = row;
  check(ends.has(end) && [run, logs, durationMs, cpuMs].every(isAmount));
  check(Array.isArray(issuedIds) && issuedIds.every((id) => typeof id === 'string'));
  check(position === 0 || (position.length === 2 && position.every(isAmount)));
  const report: RunReport = { end, logs: [], calls: [], issuedIds, durationMs, cpuMs };
  if (hasValue) report.value = next();
  if (hasMessage) report.message = next();
  for (let line = 0; line < logs; line += 1) report.logs.push(next());
  for (const [tool, answer] of calls) {
    check((tool === null || typeof tool === 'string') && answers.has(answer));
    const call: AnsweredCall = { tool, input: next() };
    if (answer !== 0)
      call.answer = answer === 'output' ? { output: next() } : { error: { code: answer, message: next() } };
    report.calls.push(call);
  }
  if (position !== 0) report.position = { line: position[0], column: position[1] };
  return { run, report };
}

/** Reads the reports of runs that only returned. Throws as `rowToReport` does. */
export function plainToReports(
  [first, runs, durationMs, cpuMs]: PlainRow,
  next: () => string,
): { run: number; report: RunReport }[] {
  check(isAmount(first) && isAmount(durationMs) && isAmount(cpuMs) && isAmount(runs));
  const reports: { run: number; report: RunReport }[] = [];
  // However many runs it claims, `next` throws after the last text.
  for (let run = first; run < first + runs; run += 1)
    reports.push({
      run,
      report: { end: 'returned', value: next(), logs: [], calls: [], issuedIds: [], durationMs, cpuMs },
    });
  return reports;
}

/** Rounds to microseconds: more digits mean nothing. */
export function inMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1_000) / 1_000;
}

const ends: ReadonlySet<string> = new Set<End>(['returned', 'threw', 'timed-out', 'out-of-memory', 'killed']);
const answers: ReadonlySet<unknown> = new Set<CallRow[1]>(['output', 'FAILED', 'TIMEOUT', 'INVALID', 0]);

function check(holds: boolean): void {
  if (!holds) throw new RangeError('Cannot read report: not what a cell writes');
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}
