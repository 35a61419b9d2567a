import { APIConnectionError, APIError } from 'openai';
import type { Usage } from '../contract/outcome.ts';
import type { Code } from '../kernel/errors.ts';
import { CompletionError } from './completion-error.ts';

/** What is known of the exchange that failed. */
export interface FailedExchange {
  endpoint: string;
  apiKey: string | undefined;
  /** Whether a part of the answer had come. */
  began: boolean;
  usage: Usage;
}

/** The most of a server's own words that an error repeats. */
const MAX_WORDS_CHARACTERS = 200;

/** Tells what a failure of the SDK or of the connection means: whose move it is, and when to try again. */
export function failureOf(error: unknown, exchange: FailedExchange): CompletionError {
  const { endpoint } = exchange;
  if (error instanceof APIError && error.status !== undefined) return statusFailure(error, error.status, exchange);
  const options = { cause: withoutBody(error), usage: exchange.began ? exchange.usage : undefined };
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    // An error that came as an event of the stream has no status.
    const limited = /rate.?limit|overloaded|429/i.test(`${wordOf(error.code)} ${wordOf(error.type)}`);
    return new CompletionError(
      limited ? 'PLATFORM_MODEL_RATE_LIMITED' : 'PLATFORM_MODEL_UNAVAILABLE',
      `Cannot complete prompt at ${place(endpoint)}: the server reported an error in its stream, wanted an answer`,
      options,
    );
  }
  if (exchange.began) {
    return new CompletionError(
      'PLATFORM_MODEL_CUT',
      `Cannot complete prompt at ${place(endpoint)}: the stream broke off, wanted a whole answer`,
      options,
    );
  }
  return new CompletionError(
    'PLATFORM_MODEL_UNAVAILABLE',
    `Cannot reach ${place(endpoint)}: ${networkCause(error)}, wanted an answer`,
    options,
  );
}

function statusFailure(error: APIError, status: number, { endpoint, apiKey }: FailedExchange): CompletionError {
  const where = place(endpoint);
  const failure = (code: Code, wanted: string): CompletionError =>
    new CompletionError(
      code,
      `Cannot complete prompt at ${where}: status ${status}${words(error, apiKey)}, wanted ${wanted}`,
      {
        retryAfterMs: retryAfterMs(error.headers),
      },
    );
  if (error.code === 'no_script') {
    return failure(
      'OPERATOR_NO_SCRIPT',
      'a prompt that a script fits; for any other job set OPENAI_API_KEY or OPENAI_BASE_URL, and PROTOSMITH_MODEL, to use a real model',
    );
  }
  if (status === 401 || status === 403)
    return failure('OPERATOR_MODEL_AUTH', 'a key that is accepted (OPENAI_API_KEY)');
  if (status === 402 || error.code === 'insufficient_quota')
    return failure('OPERATOR_MODEL_QUOTA', 'an account with credit');
  if (status === 404)
    return failure('OPERATOR_MODEL_UNKNOWN', 'a model and path that exist (PROTOSMITH_MODEL, OPENAI_BASE_URL)');
  if (status === 429) return failure('PLATFORM_MODEL_RATE_LIMITED', 'to be served');
  if (status === 408 || status === 409 || status >= 500) return failure('PLATFORM_MODEL_UNAVAILABLE', 'an answer');
  if (status === 413 || error.code === 'context_length_exceeded')
    return failure('PLATFORM_MODEL_PROMPT_TOO_LONG', 'a prompt that the model can hold');
  if (status === 400 || status === 422) return failure('PLATFORM_MODEL_REFUSED', 'a request that is accepted');
  return failure('PLATFORM_MODEL_NOT_AN_API', 'a server that speaks the Chat Completions API');
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

/** The endpoint without what may be secret in it. */
function place(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : 'the model server';
}

/** The server's own words where they came as JSON, cut short and without the key. */
function words({ error }: APIError, apiKey: string | undefined): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  if (typeof message !== 'string') return '';
  const shown = apiKey === undefined || apiKey === '' ? message : message.replaceAll(apiKey, '…');
  return ` (${shown
    .slice(0, MAX_WORDS_CHARACTERS)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll(/\bsk-\S+/g, 'sk-…')})`;
}

/** The code of what kept a request from its server, such as `ECONNREFUSED`; never a message, which may repeat the URL. */
export function networkCause(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return 'the connection failed';
}

/** A member of an error that a server sent, as text; empty unless it is text or a number. */
export function wordOf(member: unknown): string {
  return typeof member === 'string' || typeof member === 'number' ? String(member) : '';
}

/** An error that carries no part of a body along into a log. */
function withoutBody(error: unknown): unknown {
  return error instanceof APIError ? undefined : error;
}
