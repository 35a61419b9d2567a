import type { CheckReport } from '../contract/check-report.ts';
import type { Confirmation, DerivedCase, ReadingMode } from '../contract/reading.ts';
import type { Trier } from '../contract/trial.ts';
import type { JobContext } from '../job/ask.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Requirements } from '../job/requirements.ts';
import { retryLost } from '../job/retry-lost.ts';
import { Deadline } from '../kernel/deadline.ts';
import { whenAborted } from '../kernel/when-aborted.ts';
import { confirmedPart } from '../readings/confirmed.ts';
import { type BrokenCase, judgeReading } from '../readings/judge-reading.ts';
import { confirm } from './confirm.ts';
import type { ReadingWork } from './reading-work.ts';

/** How a candidate did on the derived cases. */
export interface DerivedJudgement {
  /** Broken cases that a second reader confirmed: the candidate is refused for them. */
  confirmed: BrokenCase[];
  /** Broken cases that no second reader confirmed: they are warnings. */
  contested: BrokenCase[];
  runs: number;
  /** Whether the whole reading was run, and a second reader answered for all that broke. */
  isWhole: boolean;
}

/** The name of the derived cases among the checks of a report. */
export const derivedCheck = 'derived-cases';

/**
 * The part of the peer's time that is reserved for storing and publishing: a share of what is left, within bounds in
 * milliseconds.
 */
const reserve = { share: 0.05, leastMs: 200, mostMs: 1_000 } as const;

/**
 * Until when to wait for a reading: a little before the peer's deadline. If the reading is required, or the
 * peer's deadline has passed, until the work's deadline.
 */
export function readingUntilMs(
  { reading, peerDeadline }: { reading: ReadingWork; peerDeadline: Deadline },
  deadline: Deadline,
): number {
  return reading.mode === 'required' || peerDeadline.passed ? deadline.atMs : reserveBeginsMs(peerDeadline);
}

/** The time at which the reserve for storing and publishing begins. */
export function reserveBeginsMs(peerDeadline: Deadline): number {
  const leftMs = peerDeadline.leftMs();
  return peerDeadline.atMs - Math.min(reserve.mostMs, Math.max(reserve.leastMs, leftMs * reserve.share));
}

/**
 * Runs the derived cases on a candidate and asks a second reader to confirm what it breaks. Waits for the reading and
 * the second reader until `untilMs`; anything later is not counted against the candidate. Rejects with platform errors
 * only.
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
    const isComplete = reading.isSettled && reading.current().complete;
    const entries = reading.kept().reading.derived;
    const { subject } = requirements;
    const { runs, broken } = await context.ledger.stage('derive', () =>
      retryLost(() => judgeReading(entries, subject, trier, deadline.signal), deadline.signal),
    );
    await Promise.race([confirmSome(broken, requirements, reading, context, until.deadline), until.passed]);
    deadline.signal.throwIfAborted();
    const { confirmed, contested } = splitByConfirmation(broken, (entry) => reading.confirmationOf(entry));
    const answered = {
      confirmed: confirmed.filter(({ entry }) => reading.note(entry, true)).length,
      contested: contested.filter(({ entry }) => reading.confirmationOf(entry) && reading.note(entry, false)).length,
    };
    if (answered.confirmed + answered.contested > 0) context.ledger.tell({ type: 'confirmed', ...answered });
    // Once a broken case is confirmed, the candidate is refused; the others are judged after its repair.
    return { confirmed, contested, runs, isWhole: isComplete && isAnswered(broken, reading) };
  } finally {
    until.release();
  }
}

/** Asks a second reader until a broken case is confirmed, or nothing is left to ask, or no answer comes. */
async function confirmSome(
  broken: readonly BrokenCase[],
  requirements: Pick<Requirements, 'subject'>,
  reading: ReadingWork,
  context: JobContext,
  deadline: Deadline,
): Promise<void> {
  const unanswered = () => broken.filter(({ entry }) => reading.confirmationOf(entry) === undefined).length;
  const confirmationOf = (entry: DerivedCase) => reading.confirmationOf(entry);
  for (let before = Number.POSITIVE_INFINITY; unanswered() < before && unanswered() > 0; ) {
    if (splitByConfirmation(broken, confirmationOf).confirmed.length > 0) return;
    before = unanswered();
    await confirm(broken, requirements, reading, context, deadline);
  }
}

/** Splits broken cases by the confirmations that exist already. Asks no model. */
export function splitByConfirmation(
  broken: readonly BrokenCase[],
  confirmationOf: (entry: DerivedCase) => Confirmation | undefined,
): Pick<DerivedJudgement, 'confirmed' | 'contested'> {
  const confirmed: BrokenCase[] = [];
  const contested: BrokenCase[] = [];
  for (const one of broken) {
    const confirmation = confirmationOf(one.entry);
    const part = confirmation === undefined ? null : confirmedPart(one, confirmation.answers);
    if (part === null) contested.push(one);
    else confirmed.push(part);
  }
  return { confirmed, contested };
}

/** Whether a second reader answered for all that broke. */
function isAnswered(broken: readonly BrokenCase[], reading: ReadingWork): boolean {
  return broken.every(({ entry }) => reading.confirmationOf(entry) !== undefined);
}

/** The derived cases as a check in a report. */
export function derivedReport(
  { confirmed, contested, runs }: Omit<DerivedJudgement, 'isWhole'>,
  mode?: ReadingMode,
): CheckReport {
  const messages = [...confirmed, ...contested].map((one) => derivedMessage(one));
  const result = confirmed.length > 0 ? 'failed' : contested.length > 0 ? 'warned' : runs === 0 ? 'skipped' : 'passed';
  const none = mode === 'off' ? 'readings are off' : 'there is no derived case';
  const message = messages.join('; ') || (runs === 0 ? none : '');
  return { name: derivedCheck, result, runs, ...(message === '' ? {} : { message: message.slice(0, 1_000) }) };
}

/** Throws `EarlyEnd` with `error` if the operator requires a whole reading, and there is none. */
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

/** The broken case in one sentence: its claim and the breaches. */
export function derivedMessage({ entry, breaches }: BrokenCase): string {
  return `"${entry.claim}" (${breaches.map(({ message }) => message).join(', ')})`;
}

/** A deadline within another one, with a promise for its end. */
export class Timer {
  readonly deadline: Deadline;
  /** Resolves when the deadline has passed or the work is aborted. */
  readonly passed: Promise<void>;
  readonly #timer: NodeJS.Timeout;

  constructor(outer: Deadline, atMs: number) {
    const controller = new AbortController();
    this.#timer = setTimeout(() => controller.abort(), Math.max(0, Math.min(atMs, outer.atMs) - Date.now()));
    const signal = AbortSignal.any([outer.signal, controller.signal]);
    this.deadline = new Deadline(Math.min(atMs, outer.atMs), signal);
    this.passed = whenAborted(signal);
  }

  release(): void {
    clearTimeout(this.#timer);
  }
}
