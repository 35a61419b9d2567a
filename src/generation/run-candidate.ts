import type { Observation, Trier } from '../contract/trial.ts';
import type { Ledger } from '../job/ledger.ts';
import { retryLost } from '../job/retry-lost.ts';
import { caseScenarios } from '../verification/case-scenarios.ts';
import { type CheckPolicy, type Verification, verify } from '../verification/checks.ts';
import type { CandidateCode, Subject } from '../verification/subject.ts';

/** What a candidate is run with. */
interface Run {
  subject: Subject;
  trier: Trier;
  ledger: Ledger;
  signal: AbortSignal;
  /** The attempt that wrote it. */
  attempt?: number;
}

/** Runs the cases, for `judgeCases` and {@link runChecks}, and records the time. Rejects with platform errors only. */
export function runCases({ subject, trier, ledger, signal, attempt }: Run): Promise<Observation[]> {
  return ledger.stage('trial', () => retryLost(() => trier.try(caseScenarios(subject), signal), signal), attempt);
}

/**
 * Runs the checks beyond the cases, starting from the runs of the cases, and records the time. Rejects with platform
 * errors only.
 */
export function runChecks(
  { subject, trier, ledger, signal, attempt }: Run,
  code: CandidateCode,
  observations: readonly Observation[],
  policy: CheckPolicy,
): Promise<Verification> {
  return ledger.stage(
    'judge',
    () => retryLost(() => verify(subject, code, observations, trier, policy, signal), signal),
    attempt,
  );
}
