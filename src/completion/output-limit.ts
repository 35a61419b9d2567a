import type { ServerFault } from './server-fault.ts';

/** A module does not fit in fewer tokens. */
const LEAST_TOKENS = 256;
/** Used when a server does not say how much fits. */
const MODEST_TOKENS = 4_000;
/** Share of the free context to request: servers count inexactly. */
const SHARE_OF_ROOM = 0.9;
/** Share of a rate limit to request: the next request needs some as well. */
const SHARE_OF_RATE = 1 / 3;

/** Tokens sent; those of the prompt are estimated. */
export interface SentTokens {
  limit: number;
  prompt: number;
}

/**
 * The smaller output limit with which a refused request may fit, by the server's numbers. `null` if no limit helps or
 * the fault is about the prompt alone.
 */
export function smallerLimit(fault: ServerFault, sent: SentTokens): number | null {
  const fitting = Math.floor(fittingTokens(fault, sent));
  return fitting >= LEAST_TOKENS ? fitting : null;
}

function fittingTokens({ words, tokens }: ServerFault, sent: SentTokens): number {
  const text = withoutThousands(words);
  const rate = rateIn(text);
  if (rate !== undefined) {
    const prompt = Math.max(sent.prompt, (numberAfter(text, /requested/) ?? 0) - sent.limit);
    return Math.min(rate * SHARE_OF_RATE, (rate - prompt) * SHARE_OF_ROOM);
  }
  const affordable = numberAfter(text, /can only afford/);
  if (affordable !== undefined) return affordable;
  const sum = /(\d{1,8}) \+ \d{1,8} > (\d{1,8})/.exec(text);
  if (sum !== null) return (Number(sum[2]) - Number(sum[1])) * SHARE_OF_ROOM;
  const most = tokens.context ?? mostIn(text, sent.limit);
  const prompt = tokens.prompt ?? promptIn(text, sent.limit) ?? countBetween(text, most, sent.limit);
  if (most !== undefined && prompt !== undefined) return Math.min(sent.limit - 1, (most - prompt) * SHARE_OF_ROOM);
  if (most !== undefined && most < sent.limit)
    return /context|window|n_ctx|sequence|total/i.test(text) ? (most - sent.prompt) * SHARE_OF_ROOM : most;
  // The server names neither a number nor the output: the prompt is too long.
  return namesOutput(text, sent.limit) ? Math.min(MODEST_TOKENS, sent.limit / 4) : 0;
}

/** Whether one request alone exceeds the rate limit, so that waiting does not help. */
export function exceedsRate({ words }: ServerFault, limit: number): boolean {
  const text = withoutThousands(words);
  const rate = rateIn(text);
  if (rate === undefined) return /request too large/i.test(text);
  const requested = numberAfter(text, /requested/);
  return requested === undefined ? /too large/i.test(text) || rate < limit : requested > rate;
}

function namesOutput(text: string, limit: number): boolean {
  const names = /max_?(?:completion_|new_|output_?)?tokens|(?:output|completion|generated|new) tokens/i;
  return names.test(text) || text.includes(String(limit));
}

function withoutThousands(words: string): string {
  return words.replaceAll(/(\d),(?=\d{3}\b)/g, '$1');
}

/** Tokens per minute. */
function rateIn(text: string): number | undefined {
  return /per (?:min|day|hour)|\bTP[MD]\b/i.test(text) ? numberAfter(text, /limit(?: of)?/) : undefined;
}

/** The server's maximum: the first number after a word for it. */
function mostIn(text: string, limit: number): number | undefined {
  const bound =
    /(?:maximum|context|window|at most|less than|equal to|up to|limit|supports|exceeds?|[<>]=?|≤|between \d{1,4} and|range is from \d|\[\d,|n_ctx)\D{0,60}(\d{3,8})(?![\d>])( \(exclusive)?/gi;
  for (const [, digits, isBeyond] of text.matchAll(bound))
    if (Number(digits) !== limit) return isBeyond === undefined ? Number(digits) : Number(digits) - 1;
  return undefined;
}

/** The tokens of the prompt: named by the server, or the rest of a sum. */
function promptIn(text: string, limit: number): number | undefined {
  const named =
    /(\d{1,8}) (?:tokens? )?(?:(?:in|of|from|for) )?(?:the |your )?(?:text )?[`'"]?(?:inputs?|messages?|prompt)\b/i.exec(
      text,
    ) ??
    /(?:inputs?|prompt|messages?)[`'"]? (?:tokens?|length|has|have|is|contains|of)[^\d[]{0,20}(\d{1,8})/i.exec(text) ??
    /request \((\d{1,8}) tokens/i.exec(text);
  if (named !== null) return Number(named[1]);
  const sum = numberAfter(text, /requested|total of/);
  return sum !== undefined && sum > limit ? sum - limit : undefined;
}

/** A count beyond the maximum that does not include the output limit: the prompt's, if the output is not named. */
function countBetween(text: string, most: number | undefined, limit: number): number | undefined {
  if (most === undefined || namesOutput(text, limit)) return undefined;
  const counts = (text.match(/\b\d{3,8}\b/g) ?? []).map(Number);
  return counts.find((count) => count > most && count < limit);
}

function numberAfter(text: string, words: RegExp): number | undefined {
  const found = new RegExp(`(?:${words.source})\\D{0,20}(\\d{1,9})`, 'i').exec(text);
  return found === null ? undefined : Number(found[1]);
}
