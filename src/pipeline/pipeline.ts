import type { Kind } from '../contract/job.ts';
import type { Outcome } from '../contract/outcome.ts';
import { codeGeneration } from '../families/anp/encode.ts';
import { answerInTime } from './answer-in-time.ts';
import { usageOf } from './budget.ts';
import { clear } from './clear.ts';
import { conclusionOf } from './conclusion-of.ts';
import { fixPath } from './fix-path.ts';
import { intake, type Received, type Taken } from './intake.ts';
import type { Conclusion } from './leave.ts';
import { Ledger } from './ledger.ts';
import { analyzeWithPatterns } from './match-patterns.ts';
import { measure } from './measure.ts';
import { observePath } from './observe-path.ts';
import { outcomeOf } from './outcome-of.ts';
import type { Path } from './path.ts';
import { proposeCases } from './propose-cases.ts';
import { solve } from './solve.ts';
import { verifyPath } from './verify-path.ts';
import type { Workshop } from './workshop.ts';

/** From an agreement to a verified handler: the stages of docs/pipeline.md, one after the other. */
const generatePath: Path = async (received, shop, ledger) => {
  const analyzed = await ledger.stage('analyze', () =>
    analyzeWithPatterns(received.job, shop.sandbox, received.work.signal),
  );
  const cleared = await ledger.stage('preflight', () => clear(analyzed));
  const order = measure(cleared, ledger.trialSeed);
  const solved = await solve(order, received, shop, ledger);
  const messages = [codeGeneration('generated')];
  return { verdict: 'generated', messages, findings: cleared.warnings, measure: order, ...solved };
};

/** A review ends with the preflight, whatever its verdict. */
const reviewPath: Path = async (received, shop, ledger) => {
  const analyzed = await ledger.stage('analyze', () =>
    analyzeWithPatterns(received.job, shop.sandbox, received.work.signal),
  );
  const { warnings } = await ledger.stage('preflight', () => clear(analyzed));
  return { verdict: 'clean', messages: [], findings: warnings };
};

const paths: Record<Kind, Path> = {
  generate: generatePath,
  review: reviewPath,
  verify: verifyPath,
  fix: fixPath,
  observe: observePath,
};

async function work(received: Received, shop: Workshop, ledger: Ledger): Promise<Conclusion> {
  const ended = await paths[received.job.kind](received, shop, ledger);
  return received.job.propose ? proposeCases(ended, received, shop, ledger) : ended;
}

/**
 * Brings a job to its outcome. Resolves to the envelope, or to `undefined` where it was published before the work ended; rejects only with what the
 * queue deals with: `PLATFORM_` faults, which bring the job back while there is time, work called off, and defects.
 */
export async function runJob(taken: Taken, shop: Workshop): Promise<Outcome | undefined> {
  const ledger = new Ledger(taken, shop.onJobEvent, shop.trialSeed);
  ledger.tell({ type: 'started', kind: taken.kind });
  let received: Received | undefined;
  try {
    if (taken.delivery > 1) ledger.earlier = usageOf(await shop.spending.of(taken.jobId));
    received = await ledger.stage('intake', () => intake(taken, Object.keys(paths)));
    const conclusion = await answerInTime(work(received, shop, ledger), taken, received, ledger);
    return conclusion && outcomeOf(taken, ledger, conclusion);
  } catch (error) {
    return outcomeOf(taken, ledger, conclusionOf(error, taken, received));
  } finally {
    received?.release();
  }
}
