import type { Completer } from '../contract/completion.ts';
import { dialectOf } from './dialect.ts';
import { OPENAI_ENDPOINT, tidyEndpoint } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { openAiClient } from './openai-client.ts';
import type { OpenAiOptions } from './openai-options.ts';

/** A completer that says where it asks; the key of cool-downs, breakers and latencies. */
export interface EndpointCompleter extends Completer {
  readonly endpoint: string;
  readonly model: string;
}

/**
 * A completer over the Chat Completions API of any OpenAI-compatible server. It streams, and stops at the fence that
 * closes a module. Where a server refuses the form of a question, it is put in another form. Anything else is one
 * attempt: `withRetries` retries. Every failure is a `CompletionError` with a `PLATFORM_MODEL_…` or `OPERATOR_…` code.
 */
export function createOpenAiCompleter(options: OpenAiOptions): EndpointCompleter {
  const endpoint = tidyEndpoint(options.baseUrl ?? OPENAI_ENDPOINT);
  const client = openAiClient(endpoint, options.apiKey);
  const dialect = dialectOf(endpoint, options.model, endpoint === OPENAI_ENDPOINT);
  return {
    generator: options.generator,
    endpoint,
    model: options.model,
    complete: (prompt, deadline, wanted = {}) =>
      new Exchange(client, endpoint, options, dialect, { prompt, deadline, ...wanted }).run(),
  };
}
