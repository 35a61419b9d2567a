import type { Job } from '../contract/job.ts';
import { prove } from '../generation/prove.ts';
import { solve } from '../generation/solve.ts';
import { storeAmended } from '../generation/store.ts';
import { handlerKey } from '../handlers/handler-key.ts';
import { mergeProof, proofOf } from '../handlers/proof.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Path } from '../job/path.ts';
import { requirementsOf } from '../job/requirements.ts';
import { runnableCases } from '../verification/runnable-cases.ts';
import { clearAmended, clearTogether } from './clear-amended.ts';
import { namedHandler } from './named-handler.ts';

/**
 * Verifies a stored handler against new cases. Ends `clean` if it passes them unchanged. Ends `generated` if a
 * new handler was made for old and new cases together, or if the handler passes only with further amendments:
 * then it is another handler, to be loaded again.
 */
export const verifyPath: Path = async (received, services, ledger) => {
  const { job } = received;
  const record = await ledger.stage('lookup', () => namedHandler(job, services));
  const requirements = requirementsOf(
    await clearAmended(job, record, services, ledger, received.workDeadline.signal),
    ledger.trialSeed,
  );
  // Without cases, every handler would pass.
  if (runnableCases(requirements.subject).length === 0) throw nothingToRun(job);
  const { sound, cases, checks } = await prove(record, requirements, services, ledger, received.workDeadline.signal);
  ledger.cases = cases;
  ledger.checks = checks.length > 0 ? checks : record.provenance.checks;
  const { warnings } = requirements.cleared;
  if (sound) {
    ledger.reused = true;
    ledger.verification = 'negotiated';
    const merged = { ...record, proof: mergeProof(proofOf(requirements), record.proof) };
    const key = handlerKey(requirements.cleared);
    if (requirements.cleared.amendments.length > record.amendments.length) {
      const provenance = { ...record.provenance, checks: ledger.checks };
      const handler = await storeAmended({ ...merged, provenance }, requirements, key, services);
      return { verdict: 'generated', findings: warnings, handler, requirements };
    }
    await services.handlers.put(merged, key);
    return { verdict: 'clean', findings: warnings, handler: merged, requirements };
  }
  const allRequirements = requirementsOf(
    await clearTogether(requirements, record, services, ledger, received.workDeadline.signal),
    ledger.trialSeed,
  );
  const solved = await solve(allRequirements, received, services, ledger);
  return { verdict: 'generated', findings: warnings, requirements, ...solved };
};

function nothingToRun({ role }: Job): EarlyEnd {
  const wanted = role === 'requester' ? 'one with an example of the task' : 'at least one';
  const message = `Cannot accept job at /testCases: no case that can be run, wanted ${wanted}`;
  return EarlyEnd.failed(jobFinding('JOB_INVALID', message, '/testCases'));
}
