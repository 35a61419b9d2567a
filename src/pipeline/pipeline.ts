import type { Kind } from '../contract/job.ts';
import type { Outcome } from '../contract/outcome.ts';
import { solve } from '../generation/solve.ts';
import { withFetchedSources } from '../intake/fetch-sources.ts';
import { intake, type Taken } from '../intake/intake.ts';
import { protocolHashOf } from '../intake/readable.ts';
import { usageOf } from '../job/budget.ts';
import { clear } from '../job/clear.ts';
import type { Conclusion } from '../job/conclusion.ts';
import { conclusionOf } from '../job/conclusion-of.ts';
import { Ledger } from '../job/ledger.ts';
import { analyzeWithPatterns } from '../job/match-patterns.ts';
import type { Path } from '../job/path.ts';
import type { Received } from '../job/received.ts';
import { type Cleared, requirementsOf } from '../job/requirements.ts';
import type { Services } from '../job/services.ts';
import { fixPath } from '../kinds/fix-path.ts';
import { observePath } from '../kinds/observe-path.ts';
import { verifyPath } from '../kinds/verify-path.ts';
import { answerInTime } from './answer-in-time.ts';
import { messagesOf, outcomeOf } from './outcome-of.ts';
import { proposeCases } from './propose-cases.ts';

/** The stages that every new agreement passes: its facts are read, and its contradictions amended or disputed. */
async function clearedOf({ job, workDeadline }: Received, services: Services, ledger: Ledger): Promise<Cleared> {
  const analyzed = await ledger.stage('analyze', () => analyzeWithPatterns(job, services.sandbox, workDeadline.signal));
  return ledger.stage('preflight', () => clear(analyzed));
}

/** From an agreement to a verified handler: the stages of docs/pipeline.md in order. */
const generatePath: Path = async (received, services, ledger) => {
  const cleared = await clearedOf(received, services, ledger);
  const requirements = requirementsOf(cleared, ledger.trialSeed);
  const solved = await solve(requirements, received, services, ledger);
  return { verdict: 'generated', findings: cleared.warnings, requirements, ...solved };
};

/** A review stops after the preflight. */
const reviewPath: Path = async (received, services, ledger) => {
  const { warnings } = await clearedOf(received, services, ledger);
  return { verdict: 'clean', findings: warnings };
};

const paths: Record<Kind, Path> = {
  generate: generatePath,
  review: reviewPath,
  verify: verifyPath,
  fix: fixPath,
  observe: observePath,
};

async function work(received: Received, services: Services, ledger: Ledger): Promise<Conclusion> {
  const ended = await paths[received.job.kind](received, services, ledger);
  return received.job.propose ? proposeCases(ended, received, services, ledger) : ended;
}

/**
 * Processes a job. Resolves to its outcome, or to `undefined` if that was published before the work ended.
 * Rejects only with errors that the queue handles: `PLATFORM_` errors, after which it retries the job while
 * there is time; aborted work; and defects.
 */
export async function runJob(given: Taken, services: Services): Promise<Outcome | undefined> {
  let taken = given;
  const ledger = new Ledger(taken, services.onJobEvent, services.trialSeed);
  const { kind, deadlineAtMs, rawBytes } = taken;
  ledger.tell({ type: 'started', kind, deadlineAtMs, rawBytes, trialSeed: ledger.trialSeed });
  let received: Received | undefined;
  try {
    if (taken.delivery > 1) {
      ledger.earlier = usageOf(await services.spending.of(taken.jobId));
      ledger.earlierAttempts = (await services.unanswered.of(taken.jobId)).map((one, index) => ({
        ...one,
        attempt: index + 1,
      }));
    }
    const announceEarly: Received['announceEarly'] = (said, language) =>
      taken.announceEarly({
        negotiationId: taken.negotiationId,
        messages: messagesOf([said], taken.data, language),
        protocolHash: protocolHashOf(taken.data),
      });
    received = await ledger.stage('intake', async () => {
      taken = await withFetchedSources(given, services.sources);
      return intake(taken, Object.keys(paths), announceEarly);
    });
    const conclusion = await answerInTime(work(received, services, ledger), taken, received, ledger);
    return conclusion && outcomeOf(taken, ledger, conclusion);
  } catch (error) {
    return outcomeOf(taken, ledger, await concluded(error, taken, received, services, ledger));
  } finally {
    received?.release();
  }
}

/**
 * The conclusion of failed work. If the queue will retry the job, its unanswered questions are kept for its
 * report.
 */
async function concluded(
  error: unknown,
  taken: Taken,
  received: Received | undefined,
  services: Services,
  ledger: Ledger,
): Promise<Conclusion> {
  try {
    return conclusionOf(error, taken, received);
  } catch (rethrown) {
    if (ledger.unanswered.length > 0) await services.unanswered.keep(taken.jobId, ledger.unanswered);
    throw rethrown;
  }
}
