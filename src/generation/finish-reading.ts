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

/** Most characters of the reason for a withdrawal. */
const maxReasonCharacters = 400;

/**
 * Runs the rest of a reading on a handler after its outcome was published. A handler that satisfies it is stored with
 * the whole reading. One that breaks it is withdrawn, and a new one is generated that starts from its repair. Resolves
 * to `null` if the handler stays.
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
  if (judged.confirmed.length === 0) {
    await services.handlers.put(withReading({ ...record, provenance: { ...record.provenance, checks } }, reading), key);
    return null;
  }
  const { tenant } = record.provenance;
  const reason = judged.confirmed.map(derivedMessage).join('; ').slice(0, maxReasonCharacters);
  await services.handlers.withdraw(tenant, record.digest, `it breaks what its agreement demands: ${reason}`);
  ledger.tell({ type: 'withdrawn', digest: record.digest, cases: judged.confirmed.length });
  const start = {
    ...failed(
      'failed-checks',
      'CANDIDATE_DERIVED_CASE',
      reason,
      { derived: judged.confirmed.map(repairDerived) },
      tested.source,
    ),
    tested: { ...tested, checks, isWholeReading: judged.isWhole },
    findings: judged.confirmed.map(derivedFact),
    derived: judged.confirmed.map(({ entry }) => entry),
  };
  try {
    const next = await generate({ ...generation, start, peerDeadline: deadline });
    const handler = await ledger.stage('store', () => store(next, assignment, key, ledger, services, reading));
    return { withdrawn: record, handler };
  } catch {
    return { withdrawn: record, handler: null };
  }
}

/** Waits for the whole reading and runs it on a stored handler. */
async function judgeStored(record: HandlerRecord, generation: Generation): Promise<DerivedJudgement> {
  const { services, ledger, assignment, reading, deadline } = generation;
  const { handler, release } = await services.warm.borrow(record);
  try {
    await reading.settled;
    const { subject, schemas } = assignment;
    const trier = createTrier(handler, storedSurface(record, schemas), () => undefined, subject.trialSeed);
    // The trier limits the output of further runs by that of the cases, so the cases run first.
    await runCases({ subject: assignment.subject, trier, ledger, signal: deadline.signal });
    return await judgeDerived(trier, assignment, reading, generation, deadline, deadline.atMs);
  } finally {
    await release(false);
  }
}
