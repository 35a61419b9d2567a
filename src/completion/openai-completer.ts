import type OpenAI from 'openai';
import type { Completer } from '../contract/completion.ts';
import { dialectOf } from './dialect.ts';
import { OPENAI_ENDPOINT, tidyEndpoint } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import type { OpenAiOptions } from './openai-options.ts';

/** A completer that names its endpoint and model, which are the key of cool-downs, breakers and latencies. */
export interface EndpointCompleter extends Completer {
  readonly endpoint: string;
  readonly model: string;
}

/**
 * A completer for the Chat Completions API of any OpenAI-compatible server. It streams, stops at the fence that closes
 * a module, and changes the form of a request that the server refuses. It does not retry; `withRetries` does. Every
 * failure is a `CompletionError` with a `PLATFORM_MODEL_…` or `OPERATOR_…` code.
 */
export function createOpenAiCompleter(options: OpenAiOptions): EndpointCompleter {
  const endpoint = tidyEndpoint(options.baseUrl ?? OPENAI_ENDPOINT);
  let client: Promise<OpenAI> | undefined;
  const dialect = dialectOf(endpoint, options.model, endpoint === OPENAI_ENDPOINT);
  return {
    generator: options.generator,
    endpoint,
    model: options.model,
    async complete(prompt, deadline, wanted = {}) {
      client ??= loadClient(endpoint, options.apiKey);
      return new Exchange(await client, endpoint, options, dialect, { prompt, deadline, ...wanted }).run();
    },
  };
}

/** OpenAI's library has hundreds of files, and many processes ask no question. */
async function loadClient(endpoint: string, apiKey: string | undefined): Promise<OpenAI> {
  const { openAiClient } = await import('./openai-client.ts');
  return openAiClient(endpoint, apiKey);
}
