import { randomUUID } from 'node:crypto';
import type { CheckReport } from '../contract/check-report.ts';
import type { LifeEvent } from '../contract/history.ts';
import type {
  AttemptReport,
  CaseReport,
  FailedTry,
  Purpose,
  ReadingReport,
  Report,
  Usage,
} from '../contract/outcome.ts';
import { codeOf } from '../kernel/errors.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import { OpenQuestions } from './open-questions.ts';
import { shortenedCases } from './shortened-cases.ts';

/** Most questions without an answer that are kept for the next delivery: a job may be retried for minutes. */
const maxUnanswered = 30;

/** What a ledger tells of its job with every event. */
interface JobOfLedger {
  jobId: string;
  negotiationId: string | null;
  tenant?: string;
  delivery?: number;
}

/** Records what happened in one job, how long it took and what it cost. Its report goes into the outcome. */
export class Ledger {
  verification: Report['verification'] = null;
  reused = false;
  generator: Report['generator'] = { kind: 'none', model: null };
  cases: CaseReport[] = [];
  checks: CheckReport[] = [];
  reading: ReadingReport | null = null;
  /** The questions of this delivery that have ended. */
  readonly attempts: AttemptReport[] = [];
  /** Questions of earlier deliveries that got no answer. */
  earlierAttempts: readonly AttemptReport[] = [];
  /** Usage of earlier deliveries of the job. */
  earlier: Usage = noUsage;
  readonly jobId: string;
  /** The random seed of the trials in this delivery. */
  readonly trialSeed: string;
  readonly #negotiation: string | null;
  readonly #tenant: string;
  readonly #delivery: number;
  readonly #open = new OpenQuestions();
  readonly #startedAt = performance.now();
  readonly #timings = new Map<string, number>();
  readonly #onEvent: (event: JobEvent) => void;
  #attempts = 0;

  constructor(
    { jobId, negotiationId, tenant = 'default', delivery = 1 }: JobOfLedger,
    onEvent: (event: JobEvent) => void,
    trialSeed: string = randomUUID(),
  ) {
    this.jobId = jobId;
    this.trialSeed = trialSeed;
    this.#negotiation = negotiationId;
    this.#tenant = tenant;
    this.#delivery = delivery;
    this.#onEvent = onEvent;
  }

  /** Emits an event of this job at once. */
  tell(event: LifeEvent): void {
    const [job, negotiation, tenant, delivery] = [this.jobId, this.#negotiation, this.#tenant, this.#delivery];
    this.#onEvent({ job, negotiation, tenant, delivery, ...event });
  }

  /** Runs one stage and adds its time to the timings, whether it succeeds or fails. */
  async stage<T>(stage: string, work: () => T | Promise<T>, attempt?: number): Promise<T> {
    const startedAt = performance.now();
    let code: string | undefined;
    try {
      return await work();
    } catch (error) {
      code = codeOf(error);
      throw error;
    } finally {
      const durationMs = performance.now() - startedAt;
      this.#timings.set(stage, (this.#timings.get(stage) ?? 0) + durationMs);
      const about = { ...(attempt === undefined ? {} : { attempt }), ...(code === undefined ? {} : { code }) };
      this.tell({ type: 'stage', stage, durationMs: Math.round(durationMs), ...about });
    }
  }

  /** Records that a question is asked. Returns its number, from 1. */
  ask(purpose: Purpose, model: string): number {
    this.#attempts += 1;
    const attempt = this.earlierAttempts.length + this.#attempts;
    this.#open.add(attempt, purpose, model);
    return attempt;
  }

  /** Records a failed try of a question. */
  tryFailed(attempt: number, failed: FailedTry): void {
    this.#open.failed(attempt, failed);
    const { endpoint, model, code, durationMs, message } = failed;
    this.tell({ type: 'try-failed', attempt, endpoint, model, code, durationMs, detail: { message } });
  }

  /** Records that a question was answered. */
  answered(attempt: number): void {
    this.#open.answered(attempt);
  }

  /** Records how a question ended. */
  ended(report: Omit<AttemptReport, 'durationMs' | 'tries'>): AttemptReport {
    const whole = { ...report, ...this.#open.end(report.attempt) };
    this.attempts.push(whole);
    return whole;
  }

  /** The questions that got no answer, those of earlier deliveries too; the last ones if there are many. */
  get unanswered(): AttemptReport[] {
    const own = this.report().attempts.filter(({ result }) => result === 'no-answer' || result === 'aborted');
    return own.slice(-maxUnanswered);
  }

  /** How long the job waited for models in this delivery, in milliseconds. */
  get modelMs(): number {
    return this.#open.waitedMs;
  }

  /** Milliseconds since this delivery of the job started. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  report(): Report {
    const { verification, reused, cases, checks, generator, reading } = this;
    const open = this.#open.reports().map((one) => ({ ...one, usage: noUsage }));
    const own = [...this.attempts, ...open].toSorted((one, other) => one.attempt - other.attempt);
    const timings = Object.fromEntries([...this.#timings].map(([stage, ms]) => [stage, Math.round(ms * 100) / 100]));
    return {
      verification,
      reused,
      cases: shortenedCases(cases),
      checks,
      attempts: [...this.earlierAttempts, ...own],
      usage: sumUsage([this.earlier, ...own.map(({ usage }) => usage)]),
      usageByPurpose: usageByPurpose(own),
      reading,
      timings,
      generator,
      trialSeed: this.trialSeed,
    };
  }
}

function usageByPurpose(attempts: readonly AttemptReport[]): Report['usageByPurpose'] {
  const groups = Map.groupBy(attempts, ({ purpose }) => purpose);
  return Object.fromEntries(
    [...groups].map(([purpose, group]) => [purpose, sumUsage(group.map(({ usage }) => usage))]),
  );
}

/** No tokens used, cost unknown. */
export const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null };

/**
 * Adds up the usage of completions. The cost is `null` if one that used tokens has no known cost, and if none
 * used any.
 */
export function sumUsage(usages: readonly Usage[]): Usage {
  const used = usages.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
  return used.reduce<Usage>(
    (sum, usage, index) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      cachedInputTokens: sum.cachedInputTokens + usage.cachedInputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      costUsd:
        usage.costUsd === null || (index > 0 && sum.costUsd === null) ? null : (sum.costUsd ?? 0) + usage.costUsd,
    }),
    noUsage,
  );
}
