import OpenAI from 'openai';
import { boundedFetch } from './bounded-fetch.ts';
import { readFault, ServerRefusal } from './server-fault.ts';

/** The client's own timeout must never fire before ours. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/**
 * A client of an endpoint. It asks once and reads within bounds. A refusal is thrown as a `ServerRefusal`, with all
 * that the server said.
 */
export function openAiClient(endpoint: string, apiKey: string | undefined): OpenAI {
  return new Client({
    baseURL: endpoint,
    // An empty key makes the client throw, and local servers have none.
    apiKey: apiKey || 'no-key-needed',
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
    fetch: boundedFetch,
  });
}

class Client extends OpenAI {
  // The client's own errors keep of a body only what OpenAI calls an error.
  protected override makeStatusError(
    status: number,
    body: object | undefined,
    text: string | undefined,
    headers: Headers,
  ): never {
    throw new ServerRefusal(readFault(status, body ?? text, headers));
  }
}
