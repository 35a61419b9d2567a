import { randomUUID } from 'node:crypto';
import type { CheckReport } from '../contract/check-report.ts';
import type { AttemptReport, CaseReport, ReadingReport, Report, Usage } from '../contract/outcome.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import { toldCases } from './told-cases.ts';

type Told = JobEvent extends infer Event
  ? Event extends JobEvent
    ? Omit<Event, 'job' | 'negotiation'>
    : never
  : never;

/** Keeps account of one job: what was done, how long it took, what it cost. Its report goes into the outcome. */
export class Ledger {
  verification: Report['verification'] = null;
  reused = false;
  generator: Report['generator'] = { kind: 'none', model: null };
  cases: CaseReport[] = [];
  checks: CheckReport[] = [];
  reading: ReadingReport | null = null;
  readonly attempts: AttemptReport[] = [];
  /** What earlier deliveries of the job used. */
  earlier: Usage = noUsage;
  readonly jobId: string;
  /** What the trials of this delivery draw from. */
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

  /** Tells what happened, as it happens. */
  tell(event: Told): void {
    this.#onEvent({ job: this.jobId, negotiation: this.#negotiation, ...event } as JobEvent);
  }

  /** Runs one stage and books its time under its name, whether it succeeds or not. */
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

  /** Milliseconds since the job was started here. */
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
      cases: toldCases(cases),
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
  return Object.fromEntries([...groups].map(([purpose, own]) => [purpose, sumUsage(own.map(({ usage }) => usage))]));
}

/** Nothing used, nothing paid. */
export const noUsage: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: null };

/** The sum of what completions used; the cost is unknown as soon as that of one is which used anything, and where there was none. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const paid = usages.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0);
  return paid.reduce<Usage>(
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
