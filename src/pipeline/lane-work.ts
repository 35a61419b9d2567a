import type { Brief } from './brief.ts';
import type { Budget } from './budget.ts';
import type { Attempted, Declined, Failed } from './lane-candidate.ts';
import type { Ledger } from './ledger.ts';
import type { Workshop } from './workshop.ts';

/** What all candidates of one job share. */
export interface Work {
  brief: Brief;
  shop: Workshop;
  ledger: Ledger;
  budget: Budget;
  /** Every candidate that was not verified, in the order of their ends; `fresh` = it was shown no other's code and no results, and is none of theirs again. */
  tried: { fresh: boolean; attempted: Failed | Declined }[];
  /** What a judge said of findings that were put to it: words of the agreement that deny them, or `null`; by their text. */
  appeals: Map<string, Promise<string | null>>;
  /** What became of each module that was put to the test, by its source. */
  modules: Map<string, Promise<Attempted>>;
  /** Attempts under way. */
  running: Set<Promise<unknown>>;
}
