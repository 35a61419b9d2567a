import type { RunReport } from '../../sandbox/contract.ts';
import { weightOf } from '../kernel/json.ts';

/** How much all runs of one candidate may output beyond the usual, in characters as `weightOf` counts. */
const maxExtra = 16 * 1024 * 1024;

/** How much they may output altogether, however much their cases and tools hold. */
const maxTotal = 128 * 1024 * 1024;

/**
 * Counts the output of a candidate's runs: results, and calls with their answers. Each run may return a megabyte, and
 * there are hundreds: more than a worker can hold, or read while others wait.
 */
export class OutputBudget {
  #used = 0;
  #usual = 0;
  #allowed = Number.POSITIVE_INFINITY;
  #heaviest = 0;

  /** Whether the runs have output more than is read. */
  get isUsedUp(): boolean {
    return this.#used > Math.min(this.#allowed, maxTotal);
  }

  /** Counts a run. `inputWeight` is the weight of its input and of all that its tools can answer. */
  count({ value, calls }: RunReport, inputWeight: number): void {
    let weight = weightOf(value ?? '');
    for (const { input, answer } of calls)
      weight += weightOf(input) + (answer && 'output' in answer ? weightOf(answer.output) : 0);
    this.#heaviest = Math.max(this.#heaviest, weight);
    this.#used += weight;
    this.#allowed += 2 * (inputWeight + this.#usual);
  }

  /** Takes the runs so far, which are those of the cases, as the measure of what is usual. */
  endCases(): void {
    if (this.#allowed !== Number.POSITIVE_INFINITY) return;
    this.#usual = this.#heaviest;
    this.#allowed = this.#used + maxExtra;
  }
}
