import { analyze } from '../analysis/analyze.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { codeOf } from '../kernel/errors.ts';
import { brief } from './brief.ts';
import { clear } from './clear.ts';
import { generate } from './generate.ts';
import { intake, type Taken } from './intake.ts';
import { type Conclusion, codeGeneration, jobFinding, Leave } from './leave.ts';
import { Ledger } from './ledger.ts';
import { outcomeOf } from './outcome-of.ts';
import { store } from './store.ts';
import type { Workshop } from './workshop.ts';

/**
 * Brings a job to its outcome: the stages of docs/pipeline.md, one after the other. Resolves to the envelope; rejects only with what the queue
 * deals with: `PLATFORM_` faults, which bring the job back while there is time, work called off, and defects.
 */
export async function runJob(taken: Taken, shop: Workshop): Promise<Outcome> {
  const ledger = new Ledger(taken.jobId, shop.onJobEvent);
  let deadline: Deadline | undefined;
  try {
    const received = await ledger.stage('intake', () => intake(taken, ledger));
    deadline = received.deadline;
    const analyzed = await ledger.stage('analyze', () => analyze(received.job));
    const cleared = await ledger.stage('preflight', () => clear(analyzed));
    const order = await ledger.stage('prompt', () => brief(cleared));
    const tested = await generate(order, shop, ledger, received.deadline);
    const handler = await ledger.stage('store', () => store(tested, order, taken.jobId, shop));
    return outcomeOf(taken, ledger, {
      verdict: 'generated',
      messages: [codeGeneration('generated')],
      findings: cleared.warnings,
      handler,
    });
  } catch (error) {
    return outcomeOf(taken, ledger, conclusionOf(error, taken, deadline));
  }
}

/** The end that a job comes to by what a stage threw; throws it on where it is the queue's to deal with. */
function conclusionOf(error: unknown, taken: Taken, deadline: Deadline | undefined): Conclusion {
  if (error instanceof Leave) return error.conclusion;
  const code = codeOf(error);
  if (taken.signal.aborted || code?.startsWith('DEFECT_')) throw error;
  const messages = [codeGeneration('error')];
  if (code?.startsWith('OPERATOR_') && error instanceof Error)
    return { verdict: 'error', messages, findings: [jobFinding(code, error.message)] };
  if (deadline?.passed) {
    const cause = code === undefined || !(error instanceof Error) ? '' : ` (${code}: ${error.message})`;
    return {
      verdict: 'error',
      messages,
      findings: [
        jobFinding('PLATFORM_DEADLINE', `Cannot finish job: the peer's deadline is reached, wanted more time${cause}`),
      ],
    };
  }
  throw error;
}
