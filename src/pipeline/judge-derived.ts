import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckReport } from '../contract/check-report.ts';
import type { Trier } from '../contract/trial.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { confirmedPart } from '../readings/confirmed.ts';
import { type BrokenCase, judgeReading } from '../readings/judge-reading.ts';
import type { Asker } from './ask.ts';
import { confirm } from './confirm.ts';
import type { Measure } from './measure.ts';
import type { ReadingWork } from './reading-work.ts';
import { retryLost } from './retry-lost.ts';

/** How a candidate did on the derived cases. */
export interface DerivedJudgement {
  /** What it broke and a second reader bore out: it is refused for these. */
  held: BrokenCase[];
  /** What it broke and nobody bore out: worth a warning. */
  contested: BrokenCase[];
  runs: number;
  /** Whether the whole reading was run, and all that broke was put to a second reader. */
  isWhole: boolean;
}

/** The name of the derived cases among the checks of a report. */
export const derivedCheck = 'derived-cases';

/** What is kept of the peer's time for storing and publishing, as a share of what is left, within bounds in milliseconds. */
const reserve = { share: 0.05, leastMs: 200, mostMs: 1_000 } as const;

/** Until when a reading may be waited for while the peer waits. */
export function readingUntilMs(patience: Deadline): number {
  const leftMs = patience.leftMs();
  return patience.atMs - Math.min(reserve.mostMs, Math.max(reserve.leastMs, leftMs * reserve.share));
}

/**
 * Runs the derived cases on a candidate and has what it breaks confirmed. Waits for the reading, and for the second reader, until `untilMs`; what is not
 * there by then is not held against it. Rejects for reasons of the platform only.
 */
export async function judgeDerived(
  trier: Trier,
  measure: Pick<Measure, 'subject'>,
  reading: ReadingWork,
  asker: Asker,
  deadline: Deadline,
  untilMs: number,
): Promise<DerivedJudgement> {
  const until = deadline.within(untilMs);
  try {
    await Promise.race([reading.settled, whenFired(until.signal)]);
    deadline.signal.throwIfAborted();
    const isAll = reading.isSettled && reading.current().complete;
    const entries = reading.kept().reading.derived;
    const { subject } = measure;
    const { runs, broken } = await asker.ledger.stage('derive', () =>
      retryLost(() => judgeReading(entries, subject, trier, deadline.signal), deadline.signal),
    );
    await Promise.race([confirm(broken, measure, reading, asker, until), whenFired(until.signal)]);
    deadline.signal.throwIfAborted();
    return { ...agreed(broken, reading), runs, isWhole: isAll && isAsked(broken, reading) };
  } finally {
    until.release();
  }
}

/** What of some broken cases a second reader bore out already; nobody is asked. */
export function agreed(broken: readonly BrokenCase[], reading: ReadingWork): Pick<DerivedJudgement, 'held' | 'contested'> {
  const held: BrokenCase[] = [];
  const contested: BrokenCase[] = [];
  for (const one of broken) {
    const confirmation = reading.confirmationOf(one.entry);
    const part = confirmation === undefined ? null : confirmedPart(one, confirmation.answers);
    if (part === null) contested.push(one);
    else held.push(part);
    if (confirmation !== undefined) reading.note(one.entry, part !== null);
  }
  return { held, contested };
}

/** Whether some of what broke is held against the candidate, or a second reader was asked about all of it. */
function isAsked(broken: readonly BrokenCase[], reading: ReadingWork): boolean {
  return broken.every(({ entry }) => reading.confirmationOf(entry) !== undefined);
}

/** The derived cases as a check in a report. */
export function derivedReport({ held, contested, runs }: DerivedJudgement, isOff: boolean): CheckReport {
  const messages = [...held, ...contested].map((one) => derivedMessage(one));
  const result =
    held.length > 0 ? 'failed' : contested.length > 0 ? 'warned' : runs === 0 ? 'skipped' : 'passed';
  const none = isOff ? 'readings are off' : 'there is no derived case';
  const message = messages.join('; ') || (runs === 0 ? none : '');
  return { name: derivedCheck, result, runs, ...(message === '' ? {} : { message: message.slice(0, 1_000) }) };
}

/** What a candidate broke, in one sentence. */
export function derivedMessage({ entry, breaches }: BrokenCase): string {
  return `"${entry.claim}" (${breaches.map(({ message }) => message).join(', ')})`;
}

function whenFired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
