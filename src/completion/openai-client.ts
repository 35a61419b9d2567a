import OpenAI from 'openai';
import { boundedFetch } from './bounded-fetch.ts';
import { readFault, ServerRefusal } from './server-fault.ts';

/** Our own deadline must always fire before the client's timeout. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/**
 * A client that sends each request once and limits what it reads. Throws `ServerRefusal` with the server's whole
 * report.
 */
export function openAiClient(endpoint: string, apiKey: string | undefined): OpenAI {
  return new Client({
    baseURL: endpoint,
    // The client rejects an empty key, and local servers have none.
    apiKey: apiKey || 'no-key-needed',
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: 'off',
    fetch: boundedFetch,
  });
}

class Client extends OpenAI {
  // The client's own errors drop what OpenAI does not call an error.
  protected override makeStatusError(
    status: number,
    body: object | undefined,
    text: string | undefined,
    headers: Headers,
  ): never {
    throw new ServerRefusal(readFault(status, body ?? text, headers));
  }
}
