import type { Report } from '../contract/outcome.ts';
import type { ReadingWork } from '../deriving/reading-work.ts';
import type { JobContext } from '../job/ask.ts';
import { Deadline } from '../kernel/deadline.ts';
import { runnableCases } from '../verification/runnable-cases.ts';
import { appeal } from './appeal.ts';
import type { Assignment } from './assignment.ts';
import { blame } from './blame.ts';
import type { Failed, Tested } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { raceLanes } from './lane-race.ts';

/** What a handler is made from, and for whom. */
export interface Generation extends JobContext {
  assignment: Assignment;
  reading: ReadingWork;
  /** Bounds the lanes. */
  deadline: Deadline;
  /** The peer's deadline. */
  peerDeadline: Deadline;
  /** A candidate that was found wanting after all: the first question is for its repair. */
  start?: Failed;
}

/**
 * Has a handler written and proves it. Leaves with `error` where no candidate could be verified, or with `disputed` where independent voices say that
 * it is the agreement's fault.
 */
export async function generate({ deadline, peerDeadline, start, ...given }: Generation): Promise<Tested> {
  const { services, ledger, assignment, reading } = given;
  ledger.generator = { kind: services.completer.generator, model: services.model };
  const lanes: LaneContext = { ...given, peerDeadline, tried: [], modules: new Map(), running: new Set() };
  const wanted = new Deadline(deadline.atMs, deadline.signal, Date.now, peerDeadline.atMs);
  const verified = (await raceLanes(lanes, wanted, peerDeadline, start ?? null)) ?? (await appeal(lanes, wanted));
  const last = verified ?? lanes.tried.flatMap(({ attempted }) => testedOf(attempted)).at(-1);
  ledger.cases = last?.cases ?? [];
  ledger.checks = last?.checks ?? [];
  ledger.reading = reading.report(last?.isWholeReading ?? false);
  ledger.verification = verificationOf(assignment, reading);
  if (verified !== null) {
    ledger.generator = { ...ledger.generator, model: verified.model };
    return verified;
  }
  throw await blame(lanes, peerDeadline);
}

/** What a handler was judged by. */
export function verificationOf({ subject }: Pick<Assignment, 'subject'>, reading: ReadingWork): Report['verification'] {
  if (runnableCases(subject).length > 0) return 'negotiated';
  return reading.current().reading.derived.length > 0 ? 'derived' : 'schema-only';
}

function testedOf(attempted: LaneContext['tried'][number]['attempted']): Tested[] {
  return attempted.kind === 'failed' && attempted.tested !== null ? [attempted.tested] : [];
}
