import type { Completer } from '../contract/completion.ts';
import type { Learnt } from './dialect.ts';
import type { Patience } from './patience.ts';
import type { Prices } from './prices.ts';

/** Where a model is and how patient to be with it. */
export interface OpenAiOptions {
  model: string;
  generator: Completer['generator'];
  /** Default: OpenAI's own. */
  baseUrl?: string | undefined;
  /** Local servers need none. */
  apiKey?: string | undefined;
  /** `null` or absent = unknown, and so is every cost. */
  prices?: Prices | null | undefined;
  /** Longest answer, in tokens, reasoning included. */
  maxTokens?: number | undefined;
  /**
   * Whether another model is asked where this one fails: its silence is borne only as long as an answer of the other
   * can still be in time.
   */
  elsewhere?: boolean | undefined;
  /** How long silence is borne, where the defaults, shares of the time that is left, do not suit. */
  patience?: Partial<Patience> | undefined;
  /** Told once of each thing that is done otherwise from now on, as where a server refuses the form of a question. */
  adapted?: ((told: Adapted) => void) | undefined;
}

/** What was learnt of a model of a server. */
export interface Adapted {
  endpoint: string;
  model: string;
  learnt: Learnt;
}
