import type { Completer } from '../contract/completion.ts';
import type { Learnt } from './dialect.ts';
import type { Patience } from './patience.ts';
import type { Prices } from './prices.ts';

/** Where a model is, and how to call it. */
export interface OpenAiOptions {
  model: string;
  generator: Completer['generator'];
  /** Default: OpenAI's. */
  baseUrl?: string | undefined;
  /** Local servers need none. */
  apiKey?: string | undefined;
  /** `null` or absent = unknown; then every cost is unknown too. */
  prices?: Prices | null | undefined;
  /** Longest answer in tokens, including reasoning. */
  maxTokens?: number | undefined;
  /**
   * Whether another model is asked if this one fails. Its silence then ends early enough for the other to answer in
   * time.
   */
  elsewhere?: boolean | undefined;
  /** Longest silences; default: shares of the time left. */
  patience?: Partial<Patience> | undefined;
  /** Called once for each change of form that the server requires. */
  adapted?: ((change: Adapted) => void) | undefined;
}

/** Something learnt about a model of a server. */
export interface Adapted {
  endpoint: string;
  model: string;
  learnt: Learnt;
}
