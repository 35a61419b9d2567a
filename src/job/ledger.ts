import { randomUUID } from 'node:crypto';
import type { CheckReport } from '../contract/check-report.ts';
import type { AttemptReport, CaseReport, ReadingReport, Report, Usage } from '../contract/outcome.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import { shortenedCases } from './shortened-cases.ts';

type LedgerEvent = JobEvent extends infer Event
  ? Event extends JobEvent
    ? Omit<Event, 'job' | 'negotiation'>
    : never
  : never;

/** Records what happened in one job, how long it took and what it cost. Its report goes into the outcome. */
export class Ledger {
  verification: Report['verification'] = null;
  reused = false;
  generator: Report['generator'] = { kind: 'none', model: null };
  cases: CaseReport[] = [];
  checks: CheckReport[] = [];
  reading: ReadingReport | null = null;
  readonly attempts: AttemptReport[] = [];
  /** Usage of earlier deliveries of the job. */
  earlier: Usage = noUsage;
  readonly jobId: string;
  /** The random seed of the trials in this delivery. */
  readonly trialSeed: string;
  readonly #negotiation: string | null;
  readonly #startedAt = performance.now();
  readonly #timings = new Map<string, number>();
  readonly #onEvent: (event: JobEvent) => void;
  #attempts = 0;

  constructor(
    { jobId, negotiationId }: { jobId: string; negotiationId: string | null },
    onEvent: (event: JobEvent) => void,
    trialSeed: string = randomUUID(),
  ) {
    this.jobId = jobId;
    this.trialSeed = trialSeed;
    this.#negotiation = negotiationId;
    this.#onEvent = onEvent;
  }

  /** Emits an event of this job at once. */
  tell(event: LedgerEvent): void {
    this.#onEvent({ job: this.jobId, negotiation: this.#negotiation, ...event } as JobEvent);
  }

  /** Runs one stage and adds its time to the timings, whether it succeeds or fails. */
  async stage<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      const durationMs = performance.now() - startedAt;
      this.#timings.set(stage, (this.#timings.get(stage) ?? 0) + durationMs);
      this.tell({ type: 'stage', stage, durationMs: Math.round(durationMs) });
    }
  }

  /** The number of the next completion, from 1. */
  nextAttempt(): number {
    this.#attempts += 1;
    return this.#attempts;
  }

  /** Milliseconds since this delivery of the job started. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  report(): Report {
    const { verification, reused, cases, checks, generator, reading } = this;
    const attempts = this.attempts.toSorted((one, other) => one.attempt - other.attempt);
    const timings = Object.fromEntries([...this.#timings].map(([stage, ms]) => [stage, Math.round(ms * 100) / 100]));
    return {
      verification,
      reused,
      cases: shortenedCases(cases),
      checks,
      attempts,
      usage: sumUsage([this.earlier, ...attempts.map(({ usage }) => usage)]),
      usageByPurpose: usageByPurpose(attempts),
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
 * Adds up the usage of completions. The cost is `null` where one that used tokens has no known cost, and where none
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
