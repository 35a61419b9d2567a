import { CompletionError } from '../completion/completion-error.ts';
import { addUsage, estimateTokens } from '../completion/prices.ts';
import type { Prompt } from '../contract/completion.ts';
import type { Purpose, Usage } from '../contract/outcome.ts';
import { noUsage } from './ledger.ts';
import { exceedsLimit, type ProcessBudget, type Receipt, tokensOf } from './process-budget.ts';

/** Limits on the cost of one job. Its deadline limits its time. */
export interface JobLimits {
  /** Modules to ask the model for, repairs included. */
  maxCandidates: number;
  /** Requests to model servers for questions of any kind, including those to readers and judges, and retries. */
  maxCompletions: number;
  /** Input and output tokens together; `null` = no limit. */
  maxTokens: number | null;
  /** `null` = no limit; needs known prices. */
  maxCostUsd: number | null;
  /**
   * Price of an input token of the most expensive model. Default 0: then a question counts only once it is answered.
   */
  usdPerInputToken?: number;
}

/** Thrown if the job may ask for no further completion. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp';
}

/** What a job has used up. */
export interface Spent {
  candidates: number;
  completions: number;
  tokens: number;
  /** The part of `tokens` that is output. */
  outputTokens: number;
  cachedInputTokens: number;
  costUsd: number;
  /** Completions that used tokens of unknown price. */
  unpriced: number;
}

/** What a job spent, as a report states it. A completion whose worker died counts with its expected usage. */
export function usageOf({
  tokens = 0,
  outputTokens = 0,
  cachedInputTokens = 0,
  costUsd,
  unpriced = 0,
}: Partial<Spent>): Usage {
  const isPriced = tokens > 0 && unpriced === 0;
  return {
    inputTokens: tokens - outputTokens,
    cachedInputTokens,
    outputTokens,
    costUsd: isPriced ? (costUsd ?? null) : null,
  };
}

/** The spending of each job, kept beyond one delivery: a job whose worker died goes on with the rest of its budget. */
export interface SpendingBook {
  of(jobId: string): Promise<Partial<Spent>>;
  /** Adds to the spending of a job, without waiting for the write. */
  note(jobId: string, more: Spent): void;
}

/** The budget of one job. Every completion takes from it first. */
export class Budget {
  readonly #limits: JobLimits;
  readonly #processBudget: Pick<ProcessBudget, 'take'>;
  readonly #note: (more: Spent) => void;
  #candidates: number;
  /** Candidates that this delivery asked for, and no model answered. */
  #unanswered = 0;
  #completions: number;
  #tokens: number;
  #costUsd: number;
  /** The limit, other than the candidates, that is used up; `null` while none is. */
  usedUp: string | null = null;
  /** The error of the model server on the last question that the job may ask. */
  lastFault: CompletionError | null = null;

  /** `spent` is the usage of earlier deliveries of the job; `note` receives what this delivery adds. */
  constructor(
    limits: JobLimits,
    processBudget: Pick<ProcessBudget, 'take'>,
    spent: Partial<Spent> = {},
    note: (more: Spent) => void = () => {},
  ) {
    this.#limits = limits;
    this.#processBudget = processBudget;
    this.#note = note;
    const { candidates = 0, completions = 0, tokens = 0, costUsd = 0 } = spent;
    this.#candidates = candidates;
    this.#completions = completions;
    this.#tokens = tokens;
    this.#costUsd = costUsd;
    if (candidates >= limits.maxCandidates) this.usedUp = `${candidates} of ${limits.maxCandidates} candidates`;
  }

  /**
   * Takes one completion. Throws `BudgetUsedUp` if the job may have no more, `PLATFORM_BUDGET` if the process
   * or tenant may not.
   */
  take(purpose: Purpose, { system, turns }: Prompt): Receipt {
    const expected = [system, ...turns.map(({ text }) => text)].reduce((sum, text) => sum + estimateTokens(text), 0);
    this.usedUp ??= this.#exhausted(expected);
    if (this.usedUp !== null || (purpose === 'generate' && this.#candidates >= this.#limits.maxCandidates))
      throw new BudgetUsedUp(this.usedUp ?? `${this.#candidates} candidates`);
    const costUsd = expected * (this.#limits.usdPerInputToken ?? 0);
    const expectedUsage = { ...nothing, tokens: expected, costUsd, unpriced: costUsd === 0 ? 1 : 0 };
    const receipt = this.#processBudget.take(expected);
    this.#completions += 1;
    const candidates = purpose === 'generate' ? 1 : 0;
    this.#candidates += candidates;
    let lost: Used = nothing;
    let lostUsage: Usage | undefined;
    let booked: Used = nothing;
    let asked = 0;
    const book = (used: Used, counts: Pick<Spent, 'candidates' | 'completions'>) => {
      const more = sum(used, booked, -1);
      booked = used;
      this.#tokens += more.tokens;
      this.#costUsd += more.costUsd;
      this.#note({ ...counts, ...more });
    };
    const count = (requests: 1 | -1) => {
      this.#completions += requests;
      this.#note({ ...nothing, candidates: 0, completions: requests });
    };
    // Booked before the question is sent: a job that kills its worker must not ask the same question forever.
    book(expectedUsage, { candidates, completions: 1 });
    return {
      asking: () => {
        // `take` has counted the first request.
        if (asked > 0) {
          if (this.#isAtLimit) throw new BudgetUsedUp(this.#usedCompletions);
          count(1);
        }
        asked += 1;
        return () => {
          asked -= 1;
          if (asked > 0) count(-1);
        };
      },
      mayRepeat: (failed) => {
        if (failed !== undefined) {
          lost = sum(lost, usedOf(failed));
          lostUsage = addUsage(lostUsage, failed);
          book(sum(lost, expectedUsage), { candidates: 0, completions: 0 });
        }
        const isShared = receipt.mayRepeat(failed);
        return isShared && this.#exceeded(0) === null && (asked === 0 || !this.#isAtLimit);
      },
      book: (usage = lostUsage ?? noUsage) => {
        // The next delivery asks again for a candidate that a server refused, as when rate limited. Its request still
        // counts.
        const isRefunded = tokensOf(usage) === 0;
        const isUnasked = isRefunded && asked === 0;
        if (isRefunded) this.#unanswered += candidates;
        if (isUnasked) this.#completions -= 1;
        book(usedOf(usage), { candidates: isRefunded ? -candidates : 0, completions: isUnasked ? -1 : 0 });
        receipt.book(usage);
      },
    };
  }

  /**
   * Records that the model server failed. Returns the error to end with if the job may ask no more, else
   * `null`.
   */
  noteFault(fault: CompletionError): BudgetUsedUp | null {
    if (!this.#isAtLimit) return null;
    this.usedUp ??= this.#usedCompletions;
    this.lastFault = fault;
    return new BudgetUsedUp(this.usedUp);
  }

  /**
   * Whether the job asks each question once per delivery: a third of its questions are spent, and no model has
   * answered with a candidate. The rest must last until the deadline.
   */
  get asksOnce(): boolean {
    return this.#candidates === this.#unanswered && this.#completions * 3 >= this.#limits.maxCompletions;
  }

  /**
   * A failure of the model, with a pause before the next delivery. If the model is rate limited and has refused
   * the job for long, the questions that are left are spread over the `leftMs` until the deadline.
   */
  paced(fault: CompletionError, leftMs: number): CompletionError {
    if (fault.code !== 'PLATFORM_MODEL_RATE_LIMITED' || !this.asksOnce) return fault;
    const retryAfterMs = Math.max(
      fault.retryAfterMs ?? 0,
      Math.round(leftMs / (this.#limits.maxCompletions - this.#completions + 1)),
    );
    return new CompletionError(fault.code, fault.message, { cause: fault, retryAfterMs, usage: fault.usage });
  }

  get #isAtLimit(): boolean {
    return this.#completions >= this.#limits.maxCompletions;
  }

  get #usedCompletions(): string {
    return `${this.#completions} of ${this.#limits.maxCompletions} completions`;
  }

  #exhausted(expected: number): string | null {
    return this.#isAtLimit ? this.#usedCompletions : this.#exceeded(expected);
  }

  #exceeded(expected: number): string | null {
    const { maxTokens, maxCostUsd, usdPerInputToken = 0 } = this.#limits;
    if (maxTokens !== null && this.#tokens + expected > maxTokens)
      return `${this.#tokens} of ${maxTokens} tokens, and the next question takes ${expected},`;
    const usd = expected * usdPerInputToken;
    if (maxCostUsd !== null && exceedsLimit(this.#costUsd, usd, maxCostUsd))
      return `${this.#costUsd.toFixed(4)} of ${maxCostUsd} US dollars, and the next question takes ${usd.toFixed(4)},`;
    return null;
  }
}

/** Opens the budget of one job, less what earlier deliveries spent. */
export async function openBudget(
  { spending, processBudget, limits }: { spending: SpendingBook; processBudget: ProcessBudget; limits: JobLimits },
  jobId: string,
  tenant: string,
): Promise<Budget> {
  const spent = await spending.of(jobId);
  const shared = { take: (tokens: number) => processBudget.take(tokens, tenant) };
  return new Budget(limits, shared, spent, (more) => spending.note(jobId, more));
}

/** Usage in tokens and money. */
type Used = Omit<Spent, 'candidates' | 'completions'>;

const nothing: Used = { tokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: 0, unpriced: 0 };

function usedOf(usage: Usage): Used {
  const { outputTokens, cachedInputTokens, costUsd } = usage;
  const tokens = tokensOf(usage);
  return {
    tokens,
    outputTokens,
    cachedInputTokens,
    costUsd: costUsd ?? 0,
    unpriced: tokens > 0 && costUsd === null ? 1 : 0,
  };
}

function sum(one: Used, other: Used, sign: 1 | -1 = 1): Used {
  return {
    tokens: one.tokens + sign * other.tokens,
    outputTokens: one.outputTokens + sign * other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + sign * other.cachedInputTokens,
    costUsd: one.costUsd + sign * other.costUsd,
    unpriced: one.unpriced + sign * other.unpriced,
  };
}
