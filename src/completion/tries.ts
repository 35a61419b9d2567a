import type { Completer } from '../contract/completion.ts';
import { codeOf } from '../kernel/errors.ts';
import { hostOf, shownEndpoint } from './endpoint.ts';
import type { EndpointCompleter } from './openai-completer.ts';

/** One try of a model call: one request with its answer or failure. */
export interface Try {
  /** The URL without a query, and the model: the name of the endpoint for operators. */
  endpoint: string;
  host: string;
  model: string;
  /** `answered`, or the code of the failure. */
  result: string;
  /** The words of the failure; `null` for an answer. */
  message: string | null;
  durationMs: number;
}

/** Tries of one endpoint whose answers have been silent for a while. */
export interface SilentTries {
  endpoint: string;
  calls: number;
  longestMs: number;
}

interface Open {
  endpoint: string;
  heardAtMs: number;
}

/** Watches every try of model calls: reports its end, and knows those that are silent. */
export class Tries {
  readonly #onEnd: (ended: Try) => void;
  readonly #open = new Set<Open>();
  /** When a part of an answer last came, by endpoint. */
  readonly #heardAtMs = new Map<string, number>();

  constructor(onEnd: (ended: Try) => void) {
    this.#onEnd = onEnd;
  }

  /** Wraps a completer that makes one request per call. A call that its caller cancels is not reported. */
  watch(wire: EndpointCompleter): Completer {
    const { endpoint, model } = wire;
    const names = { endpoint: `${shownEndpoint(endpoint)} ${model}`, host: hostOf(endpoint), model };
    return {
      generator: wire.generator,
      complete: async (prompt, deadline, options) => {
        const startedAtMs = performance.now();
        const open: Open = { endpoint: names.endpoint, heardAtMs: startedAtMs };
        this.#open.add(open);
        const heard = (characters: number) => {
          open.heardAtMs = performance.now();
          this.#heardAtMs.set(names.endpoint, open.heardAtMs);
          options?.heard?.(characters);
        };
        const end = (result: string, message: string | null) =>
          this.#onEnd({ ...names, result, message, durationMs: Math.round(performance.now() - startedAtMs) });
        try {
          const completion = await wire.complete(prompt, deadline, { ...options, heard });
          this.#heardAtMs.set(names.endpoint, performance.now());
          end('answered', null);
          return completion;
        } catch (error) {
          const code = codeOf(error);
          // Without a code it is not a failure of the call: the budget did not allow it.
          if (code !== undefined && code !== 'PLATFORM_MODEL_ABORTED')
            end(code, error instanceof Error ? error.message : '');
          throw error;
        } finally {
          this.#open.delete(open);
        }
      },
    };
  }

  /** The tries of each endpoint that have had no part of an answer for this long. */
  silent(forMs: number): SilentTries[] {
    const nowMs = performance.now();
    const silent = [...this.#open].filter(({ heardAtMs }) => nowMs - heardAtMs >= forMs);
    return [...Map.groupBy(silent, ({ endpoint }) => endpoint)].map(([endpoint, tries]) => ({
      endpoint,
      calls: tries.length,
      longestMs: Math.round(Math.max(...tries.map(({ heardAtMs }) => nowMs - heardAtMs))),
    }));
  }

  /** How long ago a part of any answer came, in milliseconds, by endpoint. */
  heard(): Record<string, number> {
    const nowMs = performance.now();
    return Object.fromEntries([...this.#heardAtMs].map(([name, atMs]) => [name, Math.round(nowMs - atMs)]));
  }
}
