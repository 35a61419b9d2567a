import type { CheckReport } from '../contract/check-report.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { CaseReport } from '../contract/outcome.ts';
import { derivedReport } from '../deriving/judge-derived.ts';
import { judgeKept } from '../deriving/judge-kept.ts';
import { caseDigest } from '../handlers/proof.ts';
import { verifierVersion } from '../handlers/verifier-version.ts';
import { storedSurface } from '../hosting/surface.ts';
import { createTrier } from '../hosting/trier.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Requirements } from '../job/requirements.ts';
import type { Services } from '../job/services.ts';
import { judgeCases } from '../verification/judge-cases.ts';
import { runCases, runChecks } from './run-candidate.ts';

/** The result of a stored handler on a job's cases. */
export interface Proven {
  sound: boolean;
  cases: CaseReport[];
  /**
   * Empty if the checks were skipped, because the handler was verified against all cases by this version of the
   * verifier.
   */
  checks: CheckReport[];
}

/**
 * Runs a job's cases on a stored handler. Runs the checks beyond them too, if cases or verifier are new to the
 * handler. Asks no model.
 */
export async function prove(
  record: HandlerRecord,
  { subject, schemas }: Requirements,
  services: Services,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Proven> {
  const { handler, release } = await services.warm.borrow(record);
  let sound = false;
  try {
    const trier = createTrier(handler, storedSurface(record, schemas), () => undefined, subject.trialSeed);
    const run = { subject, trier, ledger, signal };
    const observations = await runCases(run);
    const cases = judgeCases(subject, observations);
    if (cases.some(({ passed }) => !passed)) return { sound: false, cases, checks: [] };
    if (record.provenance.verifierVersion === verifierVersion && isProven(record, subject.cases)) {
      sound = true;
      return { sound, cases, checks: [] };
    }
    const found = await runChecks(run, record, observations, services.checkPolicy);
    const judged = await judgeKept(record.proof, subject, trier, signal);
    sound = found.failures.length === 0 && judged.confirmed.length === 0;
    return { sound, cases, checks: [...found.reports, derivedReport(judged)] };
  } finally {
    await release(sound);
  }
}

/** Whether a handler was verified against all of these cases. */
function isProven({ proof }: HandlerRecord, cases: Requirements['subject']['cases']): boolean {
  const known = new Set(proof.cases.map(caseDigest));
  return cases.every((one) => known.has(caseDigest(one)));
}
