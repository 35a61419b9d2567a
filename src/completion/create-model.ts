import type { Completer } from '../contract/completion.ts';
import { type BreakerOptions, withBreaker } from './circuit-breaker.ts';
import { failOver } from './fail-over.ts';
import { createLatencyRecord, type Speed, withLatency } from './latency.ts';
import { createOpenAiCompleter } from './openai-completer.ts';
import type { OpenAiOptions } from './openai-options.ts';
import { type CoolDown, createCoolDown, type RetryOptions, withRetries } from './retry-policy.ts';
import { type Circuits, patientCoolDown, withSharedCircuit } from './shared-circuit.ts';

/** The model as the pipeline sees it: one completer, however many models stand behind it. */
export interface Model extends Completer {
  /** How fast the first model's latest completions came, `null` while unknown. */
  speed(): Speed | null;
  /** Asks the second model first, where there is one: a reader other than the one that wrote. */
  readonly other: Pick<Completer, 'complete'>;
}

/** Everything a model is put together from. */
export interface ModelOptions {
  /** In order of preference; the next is asked where one fails. */
  models: readonly [OpenAiOptions, ...OpenAiOptions[]];
  /** Default: one within this process. */
  coolDown?: CoolDown;
  retries?: Pick<RetryOptions, 'retries' | 'baseMs' | 'maxMs'>;
  breaker?: BreakerOptions;
  /** Shared with other workers, in place of a breaker of this process. */
  circuits?: Circuits;
}

/** Puts the model together: retries around a breaker around the wire, and fail-over across models, of which the last alone is tried again. Names its endpoints as cool-down and circuits know them. */
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
    // A silent server may take all the time there is, a try at a time: who has another asks that.
    return withRetries(guarded, { ...(elsewhere ? { elsewhere } : retries), coolDown: shared, endpoint });
  };
  const [first, ...others] = models;
  const own = reliable(first, others.length > 0, record);
  const rest = others.map((options, index) => reliable(options, index < others.length - 1));
  const [second, ...further] = rest;
  const other = second === undefined ? own : failOver([second, ...further, own]);
  return { ...failOver([own, ...rest]), endpoints, speed: () => record.speed(), other };
}
