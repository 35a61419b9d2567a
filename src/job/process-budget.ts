import type { Asking, MayRepeat } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { CodedError } from '../kernel/errors.ts';

/** Limits on the cost of all jobs of one worker process within an hour. They may change at any time. */
export interface HourLimits {
  readonly maxTokensPerHour: number | null;
  readonly maxCostUsdPerHour: number | null;
  /** Limits for all jobs of one tenant, so that one tenant cannot use up what is meant for the others. */
  readonly maxTokensPerHourPerTenant: number | null;
  readonly maxCostUsdPerHourPerTenant: number | null;
  /** As in `JobLimits`. */
  readonly usdPerInputToken?: number;
}

/** One completion that the budget allowed. */
export interface Receipt {
  /** Books the usage of a failed attempt, if it used anything. Returns whether enough is left to ask once more. */
  mayRepeat: MayRepeat;
  /** Counts a request to a server. Throws `BudgetUsedUp` if the job may make no more. */
  asking: Asking;
  /**
   * Replaces the expected usage by the real one, that of all attempts together. Call it once. Without an argument it
   * books what the failed attempts reported.
   */
  book(usage?: Usage): void;
}

/** The part of a receipt that the process budget gives: it counts no requests. */
type Share = Omit<Receipt, 'asking' | 'book'> & { book(usage: Usage): void };

const hourMs = 3_600_000;

/**
 * Hedges that may be taken in advance, in fifths: enough for the jobs that one worker has running when a server goes
 * silent.
 */
const maxFifthsInAdvance = 40;

/**
 * Limits what all jobs of this process spend within a sliding hour, and how many of them may hedge: ask a second time
 * because the first answer is late.
 */
export class ProcessBudget {
  readonly #limits: HourLimits;
  readonly #clock: () => number;
  readonly #owner: string;
  readonly #tenants = new Map<string, ProcessBudget>();
  #booked: { atMs: number; tokens: number; costUsd: number }[] = [];
  #expectedTokens = 0;
  #expectedUsd = 0;
  #hedgeFifths = 0;

  constructor(limits: HourLimits, clock: () => number = Date.now, owner = "this worker's hour") {
    this.#limits = limits;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * Reserves the expected tokens. Throws `PLATFORM_BUDGET`, with the time to wait, if the hourly budget of the
   * process or of the tenant is used up.
   */
  take(tokens: number, tenant?: string): Share {
    const usd = tokens * (this.#limits.usdPerInputToken ?? 0);
    this.#check(tokens, usd);
    const share = tenant === undefined ? undefined : this.#shareOf(tenant)?.take(tokens);
    this.#expectedTokens += tokens;
    this.#expectedUsd += usd;
    const lost = { tokens: 0, costUsd: 0 };
    const push = (one: typeof lost) => void this.#booked.push({ atMs: this.#clock(), ...one });
    return {
      mayRepeat: (failed) => {
        const isShared = share?.mayRepeat(failed) ?? true;
        if (failed !== undefined) {
          const used = { tokens: tokensOf(failed), costUsd: failed.costUsd ?? 0 };
          push(used);
          lost.tokens += used.tokens;
          lost.costUsd += used.costUsd;
        }
        return isShared && this.#used(0, 0) === undefined;
      },
      book: (usage) => {
        share?.book(usage);
        this.#expectedTokens -= tokens;
        this.#expectedUsd -= usd;
        push({ tokens: tokensOf(usage) - lost.tokens, costUsd: Math.max(0, (usage.costUsd ?? 0) - lost.costUsd) });
      },
    };
  }

  /** Counts a job towards the hedges: one job in five may hedge. */
  noteFirst(): void {
    this.#hedgeFifths = Math.min(10, this.#hedgeFifths + 1);
  }

  /**
   * Takes the right to hedge; `false` if too many jobs hedged lately. With `inAdvance`, some rights can be
   * taken early, for jobs that would fail otherwise.
   */
  takeHedge(inAdvance = false): boolean {
    if (this.#hedgeFifths < (inAdvance ? 5 - maxFifthsInAdvance : 5)) return false;
    this.#hedgeFifths -= 5;
    return true;
  }

  /** Returns that right, if the hedge cost nothing extra. */
  returnHedge(): void {
    this.#hedgeFifths = Math.min(10, this.#hedgeFifths + 5);
  }

  #shareOf(tenant: string): ProcessBudget | undefined {
    const own = this.#limits;
    const { maxTokensPerHourPerTenant, maxCostUsdPerHourPerTenant } = own;
    if (maxTokensPerHourPerTenant === null && maxCostUsdPerHourPerTenant === null) return undefined;
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    // Callers choose tenant names freely, so tenants that spent nothing for an hour are forgotten.
    for (const [name, share] of this.#tenants) if (share.#isUntouched()) this.#tenants.delete(name);
    // Read anew each time: an operator may change them meanwhile.
    const limits: HourLimits = {
      get maxTokensPerHour() {
        return own.maxTokensPerHourPerTenant;
      },
      get maxCostUsdPerHour() {
        return own.maxCostUsdPerHourPerTenant;
      },
      maxTokensPerHourPerTenant: null,
      maxCostUsdPerHourPerTenant: null,
      get usdPerInputToken() {
        return own.usdPerInputToken ?? 0;
      },
    };
    const share = new ProcessBudget(limits, this.#clock, `the hour of tenant "${tenant}" on this worker`);
    this.#tenants.set(tenant, share);
    return share;
  }

  #isUntouched(): boolean {
    const fromMs = this.#clock() - hourMs;
    return this.#expectedTokens === 0 && this.#booked.every(({ atMs }) => atMs <= fromMs);
  }

  #check(tokens: number, usd: number): void {
    const used = this.#used(tokens, usd);
    if (used === undefined) return;
    const nowMs = this.#clock();
    const [oldest] = this.#booked;
    throw new CodedError(
      'PLATFORM_BUDGET',
      `Cannot ask the model: ${used} of ${this.#owner} are used, wanted some budget left`,
      { retryAfterMs: (oldest?.atMs ?? nowMs) + hourMs - nowMs },
    );
  }

  /** Describes the usage of this hour if adding this much would exceed a limit; `undefined` if it would not. */
  #used(tokens: number, usd: number): string | undefined {
    const { maxTokensPerHour, maxCostUsdPerHour } = this.#limits;
    if (maxTokensPerHour === null && maxCostUsdPerHour === null) {
      this.#booked = [];
      return undefined;
    }
    const nowMs = this.#clock();
    this.#booked = this.#booked.filter(({ atMs }) => atMs > nowMs - hourMs);
    const spentTokens = this.#booked.reduce((sum, one) => sum + one.tokens, this.#expectedTokens);
    const spentUsd = this.#booked.reduce((sum, { costUsd }) => sum + costUsd, this.#expectedUsd);
    if (maxTokensPerHour !== null && spentTokens + tokens > maxTokensPerHour)
      return `${spentTokens} of ${maxTokensPerHour} tokens`;
    if (maxCostUsdPerHour !== null && exceedsLimit(spentUsd, usd, maxCostUsdPerHour))
      return `${spentUsd.toFixed(4)} of ${maxCostUsdPerHour} US dollars`;
    return undefined;
  }
}

/** Input and output tokens together. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

/** Whether a question would exceed the limit. If its price is unknown (0), whether the limit is reached. */
export function exceedsLimit(spentUsd: number, usd: number, limitUsd: number): boolean {
  return spentUsd >= limitUsd || spentUsd + usd > limitUsd;
}
