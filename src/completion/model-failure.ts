import type { Prompt } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { CompletionError } from './completion-error.ts';
import { hostOf } from './endpoint.ts';
import { answerFaults, type Fault } from './faults.ts';
import type { ServerFault } from './server-fault.ts';
import { shownWords } from './server-words.ts';

/** The exchange that the server refused. */
export interface RefusedExchange {
  endpoint: string;
  apiKey: string | undefined;
  prompt: Prompt;
  /** `undefined` if no part of an answer had arrived. */
  usage: Usage | undefined;
}

/** The error for a refusal, with the server's own words for the person who has to act. */
export function refusalFailure(
  { code, wanted }: Fault,
  fault: ServerFault,
  { endpoint, apiKey, prompt, usage }: RefusedExchange,
): CompletionError {
  const words = shownWords(fault.words, apiKey, prompt);
  const found = `${fault.status === undefined ? 'a fault in its answer' : `status ${fault.status}`}${fault.isPage ? ' with a page' : ''}`;
  return new CompletionError(
    code,
    `Cannot complete prompt at ${hostOf(endpoint)}: ${found}${words === '' ? '' : ` (${words})`}, wanted ${wanted}`,
    { usage, retryAfterMs: retryAfterMs(fault.headers) ?? pauseIn(fault.words) },
  );
}

/** The error for a connection that failed or broke. */
export function networkFailure(error: unknown, endpoint: string, usage: Usage | undefined): CompletionError {
  const { code, wanted } = usage === undefined ? answerFaults.unreachable : answerFaults.cut;
  const message =
    usage === undefined
      ? `Cannot reach ${hostOf(endpoint)}: ${networkCause(error)}, wanted ${wanted}`
      : `Cannot complete prompt at ${hostOf(endpoint)}: the stream broke off, wanted ${wanted}`;
  return new CompletionError(code, message, { cause: error, usage });
}

/** Whether the request certainly did not reach a server. */
export function isUnreached(error: unknown): boolean {
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED_\w+|UNABLE_TO_\w+|the proxy answers \d+)$/.test(
    networkCause(error),
  );
}

/**
 * Longest pause a server may ask for, in milliseconds: no job waits longer, and some servers send a date where a number
 * of seconds is due.
 */
const MAX_RETRY_AFTER_MS = 600_000;

/**
 * The pause a rate limited server asks for (`Retry-After`, RFC 9110 section 10.2.3, and `retry-after-ms`), in
 * milliseconds, at most ten minutes.
 */
export function retryAfterMs(headers: Headers | undefined, nowMs = Date.now()): number | undefined {
  const asked = askedPauseMs(headers, nowMs);
  return asked === undefined ? undefined : Math.min(asked, MAX_RETRY_AFTER_MS);
}

function askedPauseMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers?.get('retry-after')?.trim();
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** The pause that the words of a refusal name, in milliseconds. */
function pauseIn(words: string): number | undefined {
  const found =
    /(?:try again|retry(?:ing)?|wait|retryDelay\W{0,3})(?: in| after)?\W{0,2}(?:(\d{1,3})m)?(\d{1,6}(?:\.\d{1,9})?) ?(ms|s)/i.exec(
      words,
    );
  if (found === null) return undefined;
  const [, minutes = '0', amount = '0', unit] = found;
  const ms = unit?.toLowerCase() === 'ms' ? Number(amount) : Number(amount) * 1_000;
  return Math.min(Number(minutes) * 60_000 + ms, MAX_RETRY_AFTER_MS);
}

/** How the client says that a proxy opens no way to the server. */
const NO_TUNNEL = /^Proxy response \((\d{3})\)/;

/** The error code of a failed connection, such as `ECONNREFUSED`. Never the message, which may repeat the URL. */
export function networkCause(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    const [, refusal] = NO_TUNNEL.exec(one.message) ?? [];
    if (refusal !== undefined) return `the proxy answers ${refusal}`;
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return 'the connection failed';
}
