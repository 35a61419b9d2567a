import type { RunReport } from '../../sandbox/contract.ts';
import { weightOf } from '../kernel/json.ts';

/** What all runs of one candidate may tell beyond what such runs tell, in characters as `weightOf` counts. */
const mostBeyond = 16 * 1024 * 1024;

/** What they may tell altogether, whatever cases and tools tell. */
const mostAltogether = 128 * 1024 * 1024;

/**
 * Counts what the runs of a candidate tell. Each run may return a megabyte, and there are hundreds: all of that would be more than a worker can
 * hold, or read while others wait.
 */
export class OutputBudget {
  #told = 0;
  #usual = 0;
  #allowed = Number.POSITIVE_INFINITY;
  #heaviest = 0;

  /** Whether more was told than is looked at. */
  get isUsedUp(): boolean {
    return this.#told > Math.min(this.#allowed, mostAltogether);
  }

  /** Counts a run, `given` its input and what its tools can answer, as weights. */
  count({ value, calls }: RunReport, given: number): void {
    let told = weightOf(value ?? '');
    for (const { input, answer } of calls)
      told += weightOf(input) + (answer && 'output' in answer ? weightOf(answer.output) : 0);
    this.#heaviest = Math.max(this.#heaviest, told);
    this.#told += told;
    this.#allowed += 2 * (given + this.#usual);
  }

  /** Takes the runs so far, which are those of the cases, for what such runs tell. */
  endCases(): void {
    if (this.#allowed !== Number.POSITIVE_INFINITY) return;
    this.#usual = this.#heaviest;
    this.#allowed = this.#told + mostBeyond;
  }
}
