import type { HandlerRecord } from '../contract/handler.ts';
import {
  type DerivedJudgement,
  derivedCheck,
  derivedMessage,
  derivedReport,
  judgeDerived,
} from '../deriving/judge-derived.ts';
import { storedSurface } from '../hosting/surface.ts';
import { createTrier } from '../hosting/trier.ts';
import type { LaterEnd } from '../job/conclusion.ts';
import { type Generation, generate } from './generate.ts';
import { failed, type Tested } from './lane-candidate.ts';
import { derivedFact, repairDerived } from './lane-facts.ts';
import { runCases } from './run-candidate.ts';
import { store, withReading } from './store.ts';

/** Characters of what is said of a withdrawn handler. */
const mostSaid = 400;

/**
 * Runs the rest of a reading on a handler whose outcome is out. A handler that keeps it is stored with the whole
 * reading. One that breaks it is withdrawn, and made again with what it broke. Resolves to `null` where the handler
 * stays.
 */
export async function finishReading(
  record: HandlerRecord,
  tested: Pick<Tested, 'source' | 'bundle' | 'model' | 'tools' | 'cases' | 'checks'>,
  generation: Generation,
  key: string,
): Promise<LaterEnd | null> {
  const { services, ledger, assignment, reading, deadline } = generation;
  const judged = await judgeStored(record, generation);
  const checks = [...tested.checks.filter(({ name }) => name !== derivedCheck), derivedReport(judged, reading.mode)];
  ledger.reading = reading.report(judged.isWhole);
  if (judged.held.length === 0) {
    await services.handlers.put(withReading({ ...record, provenance: { ...record.provenance, checks } }, reading), key);
    return null;
  }
  const { tenant } = record.provenance;
  const reason = judged.held.map(derivedMessage).join('; ').slice(0, mostSaid);
  await services.handlers.withdraw(tenant, record.digest, `it breaks what its agreement demands: ${reason}`);
  ledger.tell({ type: 'withdrawn', digest: record.digest, cases: judged.held.length });
  const start = {
    ...failed(
      'failed-checks',
      'CANDIDATE_DERIVED_CASE',
      reason,
      { derived: judged.held.map(repairDerived) },
      tested.source,
    ),
    tested: { ...tested, checks, isWholeReading: judged.isWhole },
    findings: judged.held.map(derivedFact),
    derived: judged.held.map(({ entry }) => entry),
  };
  try {
    const next = await generate({ ...generation, start, peerDeadline: deadline });
    const handler = await ledger.stage('store', () => store(next, assignment, key, ledger, services, reading));
    return { withdrawn: record, handler };
  } catch {
    return { withdrawn: record, handler: null };
  }
}

/** Runs all of a reading on a stored handler, and waits for all of it. */
async function judgeStored(record: HandlerRecord, generation: Generation): Promise<DerivedJudgement> {
  const { services, ledger, assignment, reading, deadline } = generation;
  const { handler, release } = await services.warm.borrow(record);
  try {
    await reading.settled;
    const { subject, schemas } = assignment;
    const trier = createTrier(handler, storedSurface(record, schemas), () => undefined, subject.trialSeed);
    // What runs tell is bounded by what those of the cases tell.
    await runCases({ subject: assignment.subject, trier, ledger, signal: deadline.signal });
    return await judgeDerived(trier, assignment, reading, generation, deadline, deadline.atMs);
  } finally {
    await release(false);
  }
}
