import type { Trier } from '../contract/trial.ts';
import { defaultCheckBudget, type Verification, verify } from '../verification/checks.ts';
import type { CandidateCode, Subject } from '../verification/subject.ts';
import type { Ledger } from './ledger.ts';
import { retryLost } from './retry-lost.ts';

/** Runs the checks beyond the cases, and books their time. Rejects for reasons of the platform only. */
export function runChecks(
  subject: Subject,
  code: CandidateCode,
  trier: Trier,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Verification> {
  return ledger.stage('judge', () => retryLost(() => verify(subject, code, trier, defaultCheckBudget, signal), signal));
}
