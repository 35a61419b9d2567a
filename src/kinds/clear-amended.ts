import { ruleCaseIdNotEchoed } from '../analysis/rule-case-id-not-echoed.ts';
import { ruleCasesContradict } from '../analysis/rule-cases-contradict.ts';
import type { Analyzed, LocatedSchema } from '../contract/agreement.ts';
import type { Amendment } from '../contract/finding.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import { patched } from '../documents/apply-patch.ts';
import { mergeProof, proofOf, withProof } from '../handlers/proof.ts';
import { clear } from '../job/clear.ts';
import type { Ledger } from '../job/ledger.ts';
import { analyzeWithPatterns } from '../job/match-patterns.ts';
import type { Cleared, Requirements } from '../job/requirements.ts';
import type { Services } from '../job/services.ts';

/** Analyzes a job and runs the preflight, with the amendments that its handler was made with. */
export async function clearAmended(
  job: Job,
  { amendments }: HandlerRecord,
  { sandbox }: Services,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Cleared> {
  const analyzed = await ledger.stage('analyze', async () =>
    amendedAgreement(await analyzeWithPatterns(job, sandbox, signal), amendments),
  );
  const cleared = await ledger.stage('preflight', () => clear(analyzed));
  return { ...cleared, amendments: [...amendments, ...cleared.amendments] };
}

/**
 * The same for the cases of the job and those that its handler was verified with before. Throws `EarlyEnd` with
 * `disputed` if they contradict each other, or if a new case does not echo the id of its request.
 */
export async function clearTogether(
  { cleared, subject }: Requirements,
  record: HandlerRecord,
  services: Services,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Cleared> {
  const { job, agreement } = cleared;
  const proof = mergeProof(proofOf({ subject }), record.proof);
  const earlier = proof.cases.slice(agreement.cases.length);
  // Some faults show only across several cases. With the earlier cases first, they are found in a case of the job,
  // under the number that the peer knows.
  const all = { ...cleared, agreement: { ...agreement, cases: [...earlier, ...agreement.cases] } };
  clear(all, [ruleCasesContradict, ruleCaseIdNotEchoed]);
  return clearAmended(withProof(job, proof), record, services, ledger, signal);
}

/** The agreement with the amendments that a stored handler was made with. */
export function amendedAgreement(analyzed: Analyzed, amendments: readonly Amendment[]): Analyzed {
  const amended = (located: LocatedSchema | null, of: Amendment['of']) => {
    if (located === null) return null;
    const patch = amendments.filter((one) => one.of === of).flatMap((one) => one.patch);
    return { ...located, schema: patched(located.schema, patch) ?? located.schema };
  };
  const { requestSchema, responseSchema } = analyzed.agreement;
  return {
    ...analyzed,
    agreement: {
      ...analyzed.agreement,
      requestSchema: amended(requestSchema, 'requestSchema'),
      responseSchema: amended(responseSchema, 'responseSchema'),
    },
  };
}
