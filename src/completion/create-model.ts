import type { Completer } from '../contract/completion.ts';
import { type BreakerOptions, withBreaker } from './circuit-breaker.ts';
import { hostOf } from './endpoint.ts';
import { failOver } from './fail-over.ts';
import { createLatencyRecord, type Speed, withLatency } from './latency.ts';
import { createOpenAiCompleter } from './openai-completer.ts';
import type { OpenAiOptions } from './openai-options.ts';
import { type CoolDown, createCoolDown, type RetryOptions, withRetries } from './retry-policy.ts';
import { type Circuits, patientCoolDown, withSharedCircuit } from './shared-circuit.ts';

/** The model as the pipeline sees it: one completer, however many models there are. */
export interface Model extends Completer {
  /** Recent speed of the first model; `null` while unknown. */
  speed(): Speed | null;
  /** Asks the second model first, if there is one, so that a reader differs from the writer. */
  readonly other: Pick<Completer, 'complete'>;
}

/** What a model is built from. */
export interface ModelOptions {
  /** In order of preference; the next is asked when one fails. */
  models: readonly [OpenAiOptions, ...OpenAiOptions[]];
  /** Default: one in this process. */
  coolDown?: CoolDown;
  retries?: Pick<RetryOptions, 'retries' | 'baseMs' | 'maxMs'>;
  breaker?: BreakerOptions;
  /** Shared with other workers; replaces the breaker of this process. */
  circuits?: Circuits;
}

/**
 * Builds the model: retries around a circuit breaker around the HTTP call, and fail-over across models. Only the last
 * model is retried. `endpoints` are the names under which cool-down and circuits know the models.
 */
export function createModel({
  models,
  coolDown = createCoolDown(),
  retries = {},
  breaker = {},
  circuits,
}: ModelOptions): Model & { readonly endpoints: readonly string[] } {
  const record = createLatencyRecord();
  const shared = patientCoolDown(coolDown);
  const endpoints: string[] = [];
  const reliable = (options: OpenAiOptions, elsewhere: boolean, latency = createLatencyRecord()): Completer => {
    const wire = createOpenAiCompleter({ ...options, elsewhere });
    const endpoint = `${wire.endpoint} ${wire.model}`;
    endpoints.push(endpoint);
    const timed = withLatency(wire, latency);
    const guarded = circuits ? withSharedCircuit(timed, circuits, endpoint) : withBreaker(timed, breaker);
    // A silent server could use up the deadline over several retries, so with another model left there are none.
    const server = { endpoint: hostOf(wire.endpoint), model: wire.model };
    return withRetries(guarded, { ...(elsewhere ? { elsewhere } : retries), coolDown: shared, endpoint, server });
  };
  const [first, ...others] = models;
  const preferred = reliable(first, others.length > 0, record);
  const rest = others.map((options, index) => reliable(options, index < others.length - 1));
  const [second, ...further] = rest;
  const other = second === undefined ? preferred : failOver([second, ...further, preferred]);
  return { ...failOver([preferred, ...rest]), endpoints, speed: () => record.speed(), other };
}
