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

/** What a handler is generated from, and for whom. */
export interface Generation extends JobContext {
  assignment: Assignment;
  reading: ReadingWork;
  /** The deadline of the lanes. */
  deadline: Deadline;
  /** The peer's deadline. */
  peerDeadline: Deadline;
  /** A refused candidate to start from: the first question asks for its repair. */
  start?: Failed;
}

/**
 * Generates a handler and verifies it. Throws `EarlyEnd` with `error` if no candidate could be verified, or
 * with `disputed` if independent candidates and a judge agree that the agreement is at fault.
 */
export async function generate({ deadline, peerDeadline, start, ...context }: Generation): Promise<Tested> {
  const { services, ledger, assignment, reading } = context;
  ledger.generator = { kind: services.completer.generator, model: services.model };
  const lanes: LaneContext = { ...context, peerDeadline, tried: [], modules: new Map(), running: new Set() };
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

/** The strongest evidence that a handler was judged by. */
function verificationOf({ subject }: Pick<Assignment, 'subject'>, reading: ReadingWork): Report['verification'] {
  if (runnableCases(subject).length > 0) return 'negotiated';
  return reading.current().reading.derived.length > 0 ? 'derived' : 'schema-only';
}

function testedOf(attempted: LaneContext['tried'][number]['attempted']): Tested[] {
  return attempted.kind === 'failed' && attempted.tested !== null ? [attempted.tested] : [];
}
