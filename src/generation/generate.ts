import type { Report } from '../contract/outcome.ts';
import type { ReadingWork } from '../deriving/reading-work.ts';
import type { Asker } from '../job/ask.ts';
import { Deadline } from '../kernel/deadline.ts';
import { runnableCases } from '../verification/case-scenarios.ts';
import { appeal } from './appeal.ts';
import { blame } from './blame.ts';
import type { Brief } from './brief.ts';
import type { Failed, Tested } from './lane-candidate.ts';
import { raceLanes } from './lane-race.ts';
import type { Work } from './lane-work.ts';

/** What a handler is made from, and for whom. */
export interface Generation extends Asker {
  brief: Brief;
  reading: ReadingWork;
  /** Bounds the work. */
  deadline: Deadline;
  /** The peer's deadline. */
  patience: Deadline;
  /** A candidate that was found wanting after all: the first question is for its repair. */
  start?: Failed;
}

/**
 * Has a handler written and proves it. Leaves with `error` where no candidate could be verified, or with `disputed` where independent voices say that
 * it is the agreement's fault.
 */
export async function generate({ deadline, patience, start, ...given }: Generation): Promise<Tested> {
  const { shop, ledger, brief, reading } = given;
  ledger.generator = { kind: shop.completer.generator, model: shop.model };
  const work: Work = { ...given, patience, tried: [], modules: new Map(), running: new Set() };
  const wanted = new Deadline(deadline.atMs, deadline.signal, Date.now, patience.atMs);
  const verified = (await raceLanes(work, wanted, patience, start ?? null)) ?? (await appeal(work, wanted));
  const last = verified ?? work.tried.flatMap(({ attempted }) => testedOf(attempted)).at(-1);
  ledger.cases = last?.cases ?? [];
  ledger.checks = last?.checks ?? [];
  ledger.reading = reading.report(last?.isWholeReading ?? false);
  ledger.verification = verificationOf(brief, reading);
  if (verified !== null) {
    ledger.generator = { ...ledger.generator, model: verified.model };
    return verified;
  }
  throw await blame(work, patience);
}

/** What a handler was judged by. */
export function verificationOf({ subject }: Pick<Brief, 'subject'>, reading: ReadingWork): Report['verification'] {
  if (runnableCases(subject).length > 0) return 'negotiated';
  return reading.current().reading.derived.length > 0 ? 'derived' : 'schema-only';
}

function testedOf(attempted: Work['tried'][number]['attempted']): Tested[] {
  return attempted.kind === 'failed' && attempted.tested !== null ? [attempted.tested] : [];
}
