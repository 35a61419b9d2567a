import type { Usage } from '../contract/outcome.ts';

/** What a model costs, in US dollars per million tokens. */
export interface Prices {
  inputUsd: number;
  outputUsd: number;
  /** Cached input; default: the price of input. */
  cachedInputUsd?: number | undefined;
}

/** Adds the cost to usage; `null` if the price is unknown. Cached input is part of the input. */
export function priced(tokens: Omit<Usage, 'costUsd'>, prices: Prices | null): Usage {
  if (prices === null) return { ...tokens, costUsd: null };
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const perMillion =
    (tokens.inputTokens - cached) * prices.inputUsd +
    cached * (prices.cachedInputUsd ?? prices.inputUsd) +
    tokens.outputTokens * prices.outputUsd;
  return { ...tokens, costUsd: perMillion / 1_000_000 };
}

/**
 * Estimates the tokens of a text for servers that do not count: four ASCII characters or one other character per token.
 */
export function estimateTokens(text: string): number {
  const others = text.match(/[^\x00-\x7f]/gu)?.length ?? 0;
  return Math.ceil((text.length - others) / 4) + others;
}

/** The sum of two usages; its cost is unknown if one of them is. */
export function addUsage(one: Usage | undefined, other: Usage): Usage {
  if (one === undefined) return other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd === null || other.costUsd === null ? null : one.costUsd + other.costUsd,
  };
}
