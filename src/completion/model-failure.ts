import type { Prompt } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { CompletionError } from './completion-error.ts';
import { hostOf } from './endpoint.ts';
import { answerFaults, type Fault } from './faults.ts';
import type { ServerFault } from './server-fault.ts';
import { shownWords } from './server-words.ts';

/** What is known of the exchange that was refused. */
export interface RefusedExchange {
  endpoint: string;
  apiKey: string | undefined;
  prompt: Prompt;
  /** `undefined` where nothing of an answer had come. */
  usage: Usage | undefined;
}

/** The error that a refusal ends an exchange with, with the server's own words for whoever has to mend it. */
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
    { usage, retryAfterMs: retryAfterMs(fault.headers) ?? restIn(fault.words) },
  );
}

/** The error that a connection ends an exchange with which failed or broke. */
export function networkFailure(error: unknown, endpoint: string, usage: Usage | undefined): CompletionError {
  const { code, wanted } = usage === undefined ? answerFaults.unreachable : answerFaults.cut;
  const message =
    usage === undefined
      ? `Cannot reach ${hostOf(endpoint)}: ${networkCause(error)}, wanted ${wanted}`
      : `Cannot complete prompt at ${hostOf(endpoint)}: the stream broke off, wanted ${wanted}`;
  return new CompletionError(code, message, { cause: error, usage });
}

/** Whether nothing of a question can have reached a server. */
export function isUnreached(error: unknown): boolean {
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|\w*SELF_SIGNED_\w+|UNABLE_TO_\w+)$/.test(
    networkCause(error),
  );
}

/** The longest rest that is granted, in milliseconds: no job waits longer, and some servers send a moment where seconds are due. */
const MAX_RETRY_AFTER_MS = 600_000;

/** How long a server asks to be left alone (RFC 9110, section 10.2.3, and `retry-after-ms`), in milliseconds, at most ten minutes. */
export function retryAfterMs(headers: Headers | undefined, nowMs = Date.now()): number | undefined {
  const asked = askedRestMs(headers, nowMs);
  return asked === undefined ? undefined : Math.min(asked, MAX_RETRY_AFTER_MS);
}

function askedRestMs(headers: Headers | undefined, nowMs: number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers?.get('retry-after')?.trim();
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** How long to wait as the words of a refusal have it, in milliseconds. */
function restIn(words: string): number | undefined {
  const found =
    /(?:try again|retry(?:ing)?|wait|retryDelay\W{0,3})(?: in| after)?\W{0,2}(?:(\d{1,3})m)?(\d{1,6}(?:\.\d{1,9})?) ?(ms|s)/i.exec(
      words,
    );
  if (found === null) return undefined;
  const [, minutes = '0', amount = '0', unit] = found;
  const ms = unit?.toLowerCase() === 'ms' ? Number(amount) : Number(amount) * 1_000;
  return Math.min(Number(minutes) * 60_000 + ms, MAX_RETRY_AFTER_MS);
}

/** The code of what kept a request from its server, such as `ECONNREFUSED`; never a message, which may repeat the URL. */
export function networkCause(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return 'the connection failed';
}
