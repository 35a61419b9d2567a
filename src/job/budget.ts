import type { CompletionError } from '../completion/completion-error.ts';
import { addUsage, estimateTokens } from '../completion/prices.ts';
import type { Asking, MayRepeat, Prompt } from '../contract/completion.ts';
import type { Purpose, Usage } from '../contract/outcome.ts';
import { CodedError } from '../kernel/errors.ts';
import { noUsage } from './ledger.ts';

/** How much one job may cost. Its time is bounded by its deadline. */
export interface JobLimits {
  /** Modules that the model is asked for, repairs included. */
  maxCandidates: number;
  /** Requests to model servers for questions of any kind, those to readers and judges and those put again included. */
  maxCompletions: number;
  /** Tokens in and out together; `null` = no limit. */
  maxTokens: number | null;
  /** `null` = no limit; wants known prices. */
  maxCostUsd: number | null;
  /** What a token of input costs with the dearest model; default 0, and then a question counts once it is answered. */
  usdPerInputToken?: number;
}

/** How much all jobs of one worker process may cost within an hour. */
export interface HourLimits {
  maxTokensPerHour: number | null;
  maxCostUsdPerHour: number | null;
  /** Of these, how much all jobs of one tenant may cost: none uses up what is there for the others. */
  maxTokensPerHourPerTenant: number | null;
  maxCostUsdPerHourPerTenant: number | null;
  /** As for one job. */
  usdPerInputToken?: number;
}

/** One completion that the budget allowed. */
export interface Receipt {
  /** Books what an attempt used that came to nothing, where it used anything; says whether there is enough left to put the question once more. */
  mayRepeat: MayRepeat;
  /** Counts a request to a server. Throws `BudgetUsedUp` where the job may make no more. */
  asking: Asking;
  /**
   * Books what it used, all its attempts together, in place of what it was expected to; once. Without it, what failed
   * attempts told.
   */
  book(usage?: Usage): void;
}

/** What all jobs together may spend has no requests to count. */
type Share = Omit<Receipt, 'asking' | 'book'> & { book(usage: Usage): void };

/** No further completion may be had for this job: what is there is all there will be. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp';
}

/** What a job has used up. */
export interface Spent {
  candidates: number;
  completions: number;
  tokens: number;
  /** Those of `tokens` that were answered. */
  outputTokens: number;
  cachedInputTokens: number;
  costUsd: number;
  /** Completions that used something of unknown price. */
  unpriced: number;
}

/** What was spent, as a report has it; of a completion whose worker died, what was expected. */
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

/** The account that outlives a delivery: a job whose worker died goes on with what is left. */
export interface SpendingBook {
  of(jobId: string): Promise<Partial<Spent>>;
  /** Adds to it; nothing waits for that. */
  note(jobId: string, more: Spent): void;
}

const hourMs = 3_600_000;

/** As many questions as the jobs of one worker may have under way when a server falls silent. */
const mostFifthsOwed = 40;

/** What all jobs of this process may spend, over a sliding hour, and how often they may ask twice in case the first answer is late. */
export class ProcessBudget {
  readonly #limits: HourLimits;
  readonly #clock: () => number;
  readonly #whose: string;
  readonly #tenants = new Map<string, ProcessBudget>();
  #booked: { atMs: number; tokens: number; costUsd: number }[] = [];
  #expectedTokens = 0;
  #expectedUsd = 0;
  #hedgeFifths = 0;

  constructor(limits: HourLimits, clock: () => number = Date.now, whose = "this worker's hour") {
    this.#limits = limits;
    this.#clock = clock;
    this.#whose = whose;
  }

  /** Sets expected tokens aside. Throws `PLATFORM_BUDGET`, with the time to wait, where the hour's budget is used up, or what of it a tenant may have. */
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

  /** Notes the first completion of a job: one job in five may ask a second time although nothing went wrong yet. */
  noteFirst(): void {
    this.#hedgeFifths = Math.min(10, this.#hedgeFifths + 1);
  }

  /**
   * Takes the right to ask twice because the first answer is late; `false` where too many jobs did so lately. A few may
   * be had in advance, where the job is lost otherwise.
   */
  takeHedge(inAdvance = false): boolean {
    if (this.#hedgeFifths < (inAdvance ? 5 - mostFifthsOwed : 5)) return false;
    this.#hedgeFifths -= 5;
    return true;
  }

  /** Gives that right back: asking twice cost no more than asking once. */
  returnHedge(): void {
    this.#hedgeFifths = Math.min(10, this.#hedgeFifths + 5);
  }

  #shareOf(tenant: string): ProcessBudget | undefined {
    const { maxTokensPerHourPerTenant, maxCostUsdPerHourPerTenant, usdPerInputToken } = this.#limits;
    if (maxTokensPerHourPerTenant === null && maxCostUsdPerHourPerTenant === null) return undefined;
    const known = this.#tenants.get(tenant);
    if (known !== undefined) return known;
    // Whoever enqueues names the tenant: those that have spent nothing for an hour are not remembered.
    for (const [name, share] of this.#tenants) if (share.#isUntouched()) this.#tenants.delete(name);
    const limits: HourLimits = {
      maxTokensPerHour: maxTokensPerHourPerTenant,
      maxCostUsdPerHour: maxCostUsdPerHourPerTenant,
      maxTokensPerHourPerTenant: null,
      maxCostUsdPerHourPerTenant: null,
      ...(usdPerInputToken === undefined ? {} : { usdPerInputToken }),
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
      `Cannot ask the model: ${used} of ${this.#whose} are used, wanted a budget with something left`,
      { retryAfterMs: (oldest?.atMs ?? nowMs) + hourMs - nowMs },
    );
  }

  /** What of the hour is used, where so much more would be too much. */
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
    if (maxCostUsdPerHour !== null && isBeyond(spentUsd, usd, maxCostUsdPerHour))
      return `${spentUsd.toFixed(4)} of ${maxCostUsdPerHour} US dollars`;
    return undefined;
  }
}

/** What one job may still spend. Every completion of a job is taken from it first. */
export class Budget {
  readonly #limits: JobLimits;
  readonly #processBudget: Pick<ProcessBudget, 'take'>;
  readonly #note: (more: Spent) => void;
  #candidates: number;
  #completions: number;
  #tokens: number;
  #costUsd: number;
  /** What ran out before the candidates did; `null` while nothing did. */
  usedUp: string | null = null;
  /** What became of the last question that the job may ask, where the model server failed. */
  lastFault: CompletionError | null = null;

  /** `spent` is what earlier deliveries of the job used up; `note` is told what this one adds. */
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

  /** Takes one completion. Throws `BudgetUsedUp` where the job may have no more, `PLATFORM_BUDGET` where all jobs together may not. */
  take(purpose: Purpose, { system, turns }: Prompt): Receipt {
    const expected = [system, ...turns.map(({ text }) => text)].reduce((sum, text) => sum + estimateTokens(text), 0);
    this.usedUp ??= this.#ranOut(expected);
    if (this.usedUp !== null || (purpose === 'generate' && this.#candidates >= this.#limits.maxCandidates))
      throw new BudgetUsedUp(this.usedUp ?? `${this.#candidates} candidates`);
    const costUsd = expected * (this.#limits.usdPerInputToken ?? 0);
    const waitedFor = { ...nothing, tokens: expected, costUsd, unpriced: costUsd === 0 ? 1 : 0 };
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
    // Before the question is put: a worker that dies over it must not ask it for ever.
    book(waitedFor, { candidates, completions: 1 });
    return {
      asking: () => {
        // The first one was counted beforehand.
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
          book(sum(lost, waitedFor), { candidates: 0, completions: 0 });
        }
        const isShared = receipt.mayRepeat(failed);
        return isShared && this.#spentAll(0) === null && (asked === 0 || !this.#isAtLimit);
      },
      book: (usage = lostUsage ?? noUsage) => {
        // The next delivery asks again for a candidate that was refused, as over the rate. Its request still counts.
        const isRefunded = tokensOf(usage) === 0;
        const isUnasked = isRefunded && asked === 0;
        if (isUnasked) this.#completions -= 1;
        book(usedOf(usage), { candidates: isRefunded ? -candidates : 0, completions: isUnasked ? -1 : 0 });
        receipt.book(usage);
      },
    };
  }

  /** Notes that the model server failed; returns the reason to end with where no further question may be asked. */
  noteFault(fault: CompletionError): BudgetUsedUp | null {
    if (!this.#isAtLimit) return null;
    this.usedUp ??= this.#usedCompletions;
    this.lastFault = fault;
    return new BudgetUsedUp(this.usedUp);
  }

  get #isAtLimit(): boolean {
    return this.#completions >= this.#limits.maxCompletions;
  }

  get #usedCompletions(): string {
    return `${this.#completions} of ${this.#limits.maxCompletions} completions`;
  }

  #ranOut(expected: number): string | null {
    return this.#isAtLimit ? this.#usedCompletions : this.#spentAll(expected);
  }

  #spentAll(expected: number): string | null {
    const { maxTokens, maxCostUsd, usdPerInputToken = 0 } = this.#limits;
    if (maxTokens !== null && this.#tokens + expected > maxTokens)
      return `${this.#tokens} of ${maxTokens} tokens, and the next question takes ${expected},`;
    const usd = expected * usdPerInputToken;
    if (maxCostUsd !== null && isBeyond(this.#costUsd, usd, maxCostUsd))
      return `${this.#costUsd.toFixed(4)} of ${maxCostUsd} US dollars, and the next question takes ${usd.toFixed(4)},`;
    return null;
  }
}

/** The budget of one job, with what earlier deliveries used of it. */
export async function openBudget(
  { spending, processBudget, limits }: { spending: SpendingBook; processBudget: ProcessBudget; limits: JobLimits },
  jobId: string,
  tenant: string,
): Promise<Budget> {
  const spent = await spending.of(jobId);
  const own = { take: (tokens: number) => processBudget.take(tokens, tenant) };
  return new Budget(limits, own, spent, (more) => spending.note(jobId, more));
}

/** What was used of what is counted in tokens and money. */
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

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
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

/** Whether a question takes more than there is; of one whose price is not known, whether anything is left. */
function isBeyond(spentUsd: number, usd: number, mostUsd: number): boolean {
  return spentUsd >= mostUsd || spentUsd + usd > mostUsd;
}
