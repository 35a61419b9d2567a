import type { ReadingReport } from '../contract/outcome.ts';
import type { KeptReading } from '../contract/reading.ts';

/** What a job's reading came to, on one line: how much of the document was read, and what became of it. */
export function readingTold({
  state,
  units,
  covered,
  derived,
  confirmed,
  contested,
  fault,
}: Omit<ReadingReport, 'questions' | 'complete' | 'reader' | 'dropped'>): string {
  if (state === 'off') return 'off';
  if (state === 'failed') return `none (${fault ?? 'the answer held nothing'})`;
  const counts = `${covered} of ${units} sentences, ${plural(derived, 'case')}, ${confirmed} confirmed, ${contested} contested`;
  return state === 'complete' ? counts : `${counts}; not all of it was run${fault === undefined ? '' : ` (${fault})`}`;
}

/** The counts of a reading that was just made, on one line. */
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

/** A number of things, in the singular or the plural. */
export function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
