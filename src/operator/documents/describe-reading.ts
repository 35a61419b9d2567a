import type { ReadingReport } from '../../contract/outcome.ts';
import type { KeptReading } from '../../contract/reading.ts';
import { counted } from '../shell/print.ts';

/** The result of a job's reading on one line: how much was read, and what became of it. */
export function describeReading({
  state,
  units,
  covered,
  derived,
  confirmed,
  contested,
  fault,
}: Omit<ReadingReport, 'questions' | 'complete' | 'reader' | 'dropped'>): string {
  if (state === 'off') return 'off';
  if (state === 'failed') return `none (${fault ?? 'the answer was empty'})`;
  const counts = `${covered} of ${units} sentences, ${counted(derived, 'case')}, ${confirmed} confirmed, ${contested} contested`;
  return state === 'complete' ? counts : `${counts}; not all of it was run${fault === undefined ? '' : ` (${fault})`}`;
}

/** The counts of a new reading on one line. */
export function readingCounts({
  units,
  covered,
  reading,
  dropped,
}: Omit<KeptReading, 'promptVersion' | 'complete'>): string {
  const reasons = Object.entries(dropped).map(([reason, count]) => `${reason} ${count}`);
  const all = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
  return `units ${units}, covered ${covered}, derived ${reading.derived.length}, dropped ${all}${why}`;
}
