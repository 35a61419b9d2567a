import assert from 'node:assert/strict';

/** Where jobs, and what became of them, are seen: a rig, or a queue under test. */
interface Seen<Found> {
  outcome(jobId: string): Promise<Found>;
  entries(): Promise<Record<string, string>[]>;
}

/** Prints the line of a fault, which `scripts/test.ts` repeats. */
export function tellFault(fault: string, jobs: number, outcomes: number, duplicates: number, recoveryMs: number): void {
  console.log(
    `fault: ${fault}; jobs: ${jobs}; outcomes: ${outcomes}; duplicates: ${duplicates}; recovery: ${recoveryMs} ms`,
  );
}

/**
 * Waits for the outcomes of jobs that a fault befell, prints the fault's line, and asserts that each job has one,
 * announced once as new. Recovery counts
 * from the moment given, in milliseconds since 1970.
 */
export async function reportFault<Found>(
  seen: Seen<Found>,
  fault: string,
  jobIds: readonly string[],
  sinceMs: number,
): Promise<Found[]> {
  const outcomes = await Promise.all(jobIds.map((jobId) => seen.outcome(jobId)));
  const recoveryMs = Date.now() - sinceMs;
  const entries = (await seen.entries()).filter(({ final, replayed }) => final === '1' && replayed === '0');
  const counts = jobIds.map((jobId) => entries.filter((entry) => entry.jobId === jobId).length);
  const duplicates = counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  tellFault(fault, jobIds.length, outcomes.length, duplicates, recoveryMs);
  assert.deepEqual(
    counts,
    jobIds.map(() => 1),
    'one outcome for each job',
  );
  return outcomes;
}
