import type { Completer } from '../contract/completion.ts';
import type { Adaptation } from './dialect.ts';
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
  /** Whether another model is asked where this one fails: its silence is borne only as long as an answer of the other can still be in time. */
  elsewhere?: boolean | undefined;
  /** How long silence is borne, where the defaults, shares of the time that is left, do not suit. */
  patience?: Partial<Patience> | undefined;
  /** Told when a server refuses the form of a question and is asked in another from now on. */
  adapted?: ((told: Adapted) => void) | undefined;
}

/** What a model of a server was found not to take. */
export interface Adapted {
  endpoint: string;
  model: string;
  adaptation: Adaptation;
}
