import type { Job } from '../contract/job.ts';
import { codeGeneration } from '../families/anp/encode.ts';
import { runnableCases } from '../verification/case-scenarios.ts';
import { clearAmended, clearTogether } from './clear-amended.ts';
import { handlerKey } from './handler-key.ts';
import { type Conclusion, errorMessages, jobFinding, Leave } from './leave.ts';
import { measure } from './measure.ts';
import type { Path } from './path.ts';
import { mergeProof, proofOf } from './proof.ts';
import { prove } from './prove.ts';
import { solve } from './solve.ts';
import { storeAmended } from './store.ts';
import { storedHandler } from './stored-handler.ts';

/**
 * New cases for a stored handler: it passes them as it is (`clean`), or is made again with all cases, the old ones included (`generated`). Where it
 * passes them under further amendments, it is another handler, to be loaded anew (`generated`).
 */
export const verifyPath: Path = async (received, shop, ledger) => {
  const { job } = received;
  const record = await ledger.stage('lookup', () => storedHandler(job, shop));
  const order = measure(await clearAmended(job, record, shop, ledger, received.work.signal), ledger.trialSeed);
  // Of no cases at all, every handler passes all.
  if (runnableCases(order.subject).length === 0) throw new Leave(nothingToRun(job));
  const { sound, cases, checks } = await prove(record, order, shop, ledger, received.work.signal);
  ledger.cases = cases;
  ledger.checks = checks.length > 0 ? checks : record.provenance.checks;
  const { warnings } = order.cleared;
  if (sound) {
    ledger.reused = true;
    ledger.verification = 'negotiated';
    const known = { ...record, proof: mergeProof(proofOf(order), record.proof) };
    const key = handlerKey(order.cleared);
    if (order.cleared.amendments.length > record.amendments.length) {
      const provenance = { ...record.provenance, checks: ledger.checks };
      const handler = await storeAmended({ ...known, provenance }, order, key, shop);
      return {
        verdict: 'generated',
        messages: [codeGeneration('generated')],
        findings: warnings,
        handler,
        measure: order,
      };
    }
    await shop.handlers.put(known, key);
    return { verdict: 'clean', messages: [], findings: warnings, handler: known, measure: order };
  }
  const everything = measure(await clearTogether(order, record, shop, ledger, received.work.signal), ledger.trialSeed);
  const solved = await solve(everything, received, shop, ledger);
  return {
    verdict: 'generated',
    messages: [codeGeneration('generated')],
    findings: warnings,
    measure: order,
    ...solved,
  };
};

function nothingToRun(job: Job): Conclusion {
  const wanted = job.role === 'requester' ? 'one with an example of the task' : 'at least one';
  const message = `Cannot accept job at /testCases: no case that can be run, wanted ${wanted}`;
  return {
    verdict: 'error',
    messages: errorMessages(job),
    findings: [{ ...jobFinding('JOB_INVALID', message), pointer: '/testCases' }],
  };
}
