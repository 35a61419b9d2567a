import { ruleCasesContradict } from '../analysis/rule-cases-contradict.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import { codeGeneration } from '../families/anp/encode.ts';
import { sha256Hex } from '../kernel/digest.ts';
import { runnableCases } from '../verification/case-scenarios.ts';
import { clear } from './clear.ts';
import { handlerKey } from './handler-key.ts';
import { type Conclusion, errorMessages, jobFinding, Leave } from './leave.ts';
import type { Ledger } from './ledger.ts';
import { analyzeWithPatterns } from './match-patterns.ts';
import { type Cleared, measure } from './measure.ts';
import type { Path } from './path.ts';
import { mergeProof, proofOf, withProof } from './proof.ts';
import { prove } from './prove.ts';
import { solve } from './solve.ts';
import { amendedAgreement, storedHandler } from './stored-handler.ts';
import type { Workshop } from './workshop.ts';

/** Most cases that a handler is made again for: as many as one job may bring. */
const maxCases = 100;

/** New cases for a stored handler: it passes them as it is (`clean`), or is made again with all cases, the old ones included (`generated`). */
export const verifyPath: Path = async (received, shop, ledger) => {
  const { job } = received;
  const record = await ledger.stage('lookup', () =>
    storedHandler(job, sha256Hex(job.agreement.candidateProtocols), shop),
  );
  const order = measure(await clearAmended(job, record, shop, ledger, received.work.signal));
  // Of no cases at all, every handler passes all.
  if (runnableCases(order.subject).length === 0) throw new Leave(nothingToRun(job));
  const { sound, cases, checks } = await prove(record, order, shop, ledger, received.work.signal);
  ledger.cases = cases;
  ledger.checks = checks.length > 0 ? checks : record.provenance.checks;
  const proof = mergeProof(proofOf(order), record.proof);
  const { warnings } = order.cleared;
  if (sound) {
    ledger.reused = true;
    ledger.verification = 'negotiated';
    const known = { ...record, proof };
    await shop.handlers.put(known, handlerKey(order.cleared));
    return { verdict: 'clean', messages: [], findings: warnings, handler: known };
  }
  const { agreement } = order.cleared;
  const old = proof.cases.slice(agreement.cases.length);
  // In this order a contradiction is found in one of the new cases, whose numbers the peer knows.
  clear({ job, agreement: { ...agreement, cases: [...old, ...agreement.cases] } }, [ruleCasesContradict]);
  const everything = withProof(job, { ...proof, cases: proof.cases.slice(0, maxCases) });
  const again = measure(await clearAmended(everything, record, shop, ledger, received.work.signal));
  const handler = await solve(again, received, shop, ledger);
  return { verdict: 'generated', messages: [codeGeneration('generated')], findings: warnings, handler };
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

/** Analysis and preflight of a job under the amendments that its handler was made with. */
export async function clearAmended(
  job: Job,
  { amendments }: HandlerRecord,
  { sandbox }: Workshop,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Cleared> {
  const analyzed = await ledger.stage('analyze', async () =>
    amendedAgreement(await analyzeWithPatterns(job, sandbox, signal), amendments),
  );
  const cleared = await ledger.stage('preflight', () => clear(analyzed));
  return { ...cleared, amendments: [...amendments, ...cleared.amendments] };
}
