import type { Histories } from '../../queues/index.ts';
import type { History, HistoryEntry } from '../contract/history.ts';
import { soundEntries } from './history-forms.ts';

/** The history of a job, by its id; `null` if nothing is kept of it. Rejects as Redis does. */
export async function readHistory(histories: Histories, jobId: string): Promise<History | null> {
  const kept = await histories.of(jobId);
  return kept === null ? null : { ...kept, entries: soundEntries(kept.entries) };
}

/** A history entry of one type. */
export type EntryOf<Type extends HistoryEntry['type']> = Extract<HistoryEntry, { type: Type }>;

/** One candidate of a job, with everything that was found about it. */
export interface CandidateHistory {
  /** The attempt that wrote it; deliveries count their attempts from 1. */
  attempt: number;
  delivery: number;
  /** The attempt whose candidate it repairs. */
  repairs?: number;
  written: EntryOf<'candidate'>;
  tried?: EntryOf<'tried'>;
  checked?: EntryOf<'checked'>;
  derived?: EntryOf<'derived'>;
  /** How its attempt ended; absent while it runs. */
  attempted?: EntryOf<'attempted'>;
}

/** The candidates of a job, in the order in which they were written. */
export function candidatesOf({ entries }: Pick<History, 'entries'>): CandidateHistory[] {
  const written = entries.filter((entry) => entry.type === 'candidate');
  return written.map((one) => {
    const about = entries.filter(
      (entry) => 'attempt' in entry && entry.attempt === one.attempt && entry.delivery === one.delivery,
    );
    const find = <Type extends HistoryEntry['type']>(type: Type) =>
      about.find((entry): entry is EntryOf<Type> => entry.type === type);
    const { repairs } = find('prompted') ?? {};
    const [tried, checked, derived, attempted] = [find('tried'), find('checked'), find('derived'), find('attempted')];
    return {
      attempt: one.attempt,
      delivery: one.delivery,
      written: one,
      ...(repairs === undefined ? {} : { repairs }),
      ...(tried === undefined ? {} : { tried }),
      ...(checked === undefined ? {} : { checked }),
      ...(derived === undefined ? {} : { derived }),
      ...(attempted === undefined ? {} : { attempted }),
    };
  });
}

/** The lines of a candidate's source at which something failed, each with what was found there. */
export function failingLines({ written, tried, derived }: CandidateHistory): Map<number, string[]> {
  const lines = new Map<number, string[]>();
  const note = (line: number | undefined, text: string) => {
    if (line !== undefined) lines.set(line, [...(lines.get(line) ?? []), text]);
  };
  for (const { line, message } of written.detail?.faults ?? []) note(line, message);
  for (const { passed, line, testCase, message = 'threw' } of tried?.detail?.cases ?? [])
    if (!passed) note(line, `case ${testCase}: ${message}`);
  for (const { line, claim } of derived?.detail?.broken ?? []) note(line, claim);
  return lines;
}
