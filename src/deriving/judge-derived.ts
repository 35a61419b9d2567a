import type { CheckReport } from '../contract/check-report.ts';
import type { Confirmation, DerivedCase, ReadingMode } from '../contract/reading.ts';
import type { Trier } from '../contract/trial.ts';
import type { JobContext } from '../job/ask.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Requirements } from '../job/requirements.ts';
import { retryLost } from '../job/retry-lost.ts';
import { Deadline } from '../kernel/deadline.ts';
import { confirmedPart } from '../readings/confirmed.ts';
import { type BrokenCase, judgeReading } from '../readings/judge-reading.ts';
import { confirm } from './confirm.ts';
import type { ReadingWork } from './reading-work.ts';

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

/**
 * What is kept of the peer's time for storing and publishing, as a share of what is left, within bounds in
 * milliseconds.
 */
const reserve = { share: 0.05, leastMs: 200, mostMs: 1_000 } as const;

/**
 * Until when a reading is waited for: a little before the peer's deadline. Where the reading is required, or nobody
 * waits, until the work ends.
 */
export function readingUntilMs(
  { reading, peerDeadline }: { reading: ReadingWork; peerDeadline: Deadline },
  deadline: Deadline,
): number {
  return reading.mode === 'required' || peerDeadline.passed ? deadline.atMs : reserveBeginsMs(peerDeadline);
}

/** When what is kept of the peer's time for storing and publishing begins. */
export function reserveBeginsMs(peerDeadline: Deadline): number {
  const leftMs = peerDeadline.leftMs();
  return peerDeadline.atMs - Math.min(reserve.mostMs, Math.max(reserve.leastMs, leftMs * reserve.share));
}

/**
 * Runs the derived cases on a candidate and has what it breaks confirmed. Waits for the reading and the second reader
 * until `untilMs`: what comes later is not held against the candidate. Rejects for reasons of the platform only.
 */
export async function judgeDerived(
  trier: Trier,
  requirements: Pick<Requirements, 'subject'>,
  reading: ReadingWork,
  context: JobContext,
  deadline: Deadline,
  untilMs: number,
): Promise<DerivedJudgement> {
  const until = new Timer(deadline, untilMs);
  try {
    await Promise.race([reading.settled, until.passed]);
    deadline.signal.throwIfAborted();
    const isAll = reading.isSettled && reading.current().complete;
    const entries = reading.kept().reading.derived;
    const { subject } = requirements;
    const { runs, broken } = await context.ledger.stage('derive', () =>
      retryLost(() => judgeReading(entries, subject, trier, deadline.signal), deadline.signal),
    );
    await Promise.race([confirmSome(broken, requirements, reading, context, until.deadline), until.passed]);
    deadline.signal.throwIfAborted();
    const { held, contested } = agreed(broken, (entry) => reading.confirmationOf(entry));
    for (const { entry } of held) reading.note(entry, true);
    for (const { entry } of contested) if (reading.confirmationOf(entry)) reading.note(entry, false);
    // Once something is held against it, the others may wait for its repair.
    return { held, contested, runs, isWhole: isAll && isAsked(broken, reading) };
  } finally {
    until.release();
  }
}

/** Asks a second reader until something is held against the candidate, or nobody has anything more to ask or to say. */
async function confirmSome(
  broken: readonly BrokenCase[],
  requirements: Pick<Requirements, 'subject'>,
  reading: ReadingWork,
  context: JobContext,
  deadline: Deadline,
): Promise<void> {
  const unasked = () => broken.filter(({ entry }) => reading.confirmationOf(entry) === undefined).length;
  const confirmationOf = (entry: DerivedCase) => reading.confirmationOf(entry);
  for (let before = Number.POSITIVE_INFINITY; unasked() < before && unasked() > 0; ) {
    if (agreed(broken, confirmationOf).held.length > 0) return;
    before = unasked();
    await confirm(broken, requirements, reading, context, deadline);
  }
}

/** What of some broken cases a second reader bore out already; nobody is asked. */
export function agreed(
  broken: readonly BrokenCase[],
  confirmationOf: (entry: DerivedCase) => Confirmation | undefined,
): Pick<DerivedJudgement, 'held' | 'contested'> {
  const held: BrokenCase[] = [];
  const contested: BrokenCase[] = [];
  for (const one of broken) {
    const confirmation = confirmationOf(one.entry);
    const part = confirmation === undefined ? null : confirmedPart(one, confirmation.answers);
    if (part === null) contested.push(one);
    else held.push(part);
  }
  return { held, contested };
}

/** Whether a second reader was asked about all that broke. */
function isAsked(broken: readonly BrokenCase[], reading: ReadingWork): boolean {
  return broken.every(({ entry }) => reading.confirmationOf(entry) !== undefined);
}

/** The derived cases as a check in a report. */
export function derivedReport(
  { held, contested, runs }: Omit<DerivedJudgement, 'isWhole'>,
  mode?: ReadingMode,
): CheckReport {
  const messages = [...held, ...contested].map((one) => derivedMessage(one));
  const result = held.length > 0 ? 'failed' : contested.length > 0 ? 'warned' : runs === 0 ? 'skipped' : 'passed';
  const none = mode === 'off' ? 'readings are off' : 'there is no derived case';
  const message = messages.join('; ') || (runs === 0 ? none : '');
  return { name: derivedCheck, result, runs, ...(message === '' ? {} : { message: message.slice(0, 1_000) }) };
}

/** Leaves with `error` where an operator wants no handler without its whole reading, and there is none. */
export function demandReading({ isWhole }: Pick<DerivedJudgement, 'isWhole'>, reading: ReadingWork): void {
  if (reading.mode !== 'required' || isWhole) return;
  const why = reading.report(false).fault ?? 'it is not complete';
  throw EarlyEnd.failed(
    jobFinding(
      'PLATFORM_READING_MISSING',
      `Cannot verify handler: found no whole reading of the agreement (${why}), wanted one since PROTOSMITH_READING is "required"`,
    ),
  );
}

/** What a candidate broke, in one sentence. */
export function derivedMessage({ entry, breaches }: BrokenCase): string {
  return `"${entry.claim}" (${breaches.map(({ message }) => message).join(', ')})`;
}

/** A nearer deadline inside of another one. */
export class Timer {
  readonly deadline: Deadline;
  /** Resolves once it has passed, or the work is called off. */
  readonly passed: Promise<void>;
  readonly #timer: NodeJS.Timeout;

  constructor(outer: Deadline, atMs: number) {
    const controller = new AbortController();
    this.#timer = setTimeout(() => controller.abort(), Math.max(0, Math.min(atMs, outer.atMs) - Date.now()));
    const signal = AbortSignal.any([outer.signal, controller.signal]);
    this.deadline = new Deadline(Math.min(atMs, outer.atMs), signal);
    this.passed = new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  release(): void {
    clearTimeout(this.#timer);
  }
}
