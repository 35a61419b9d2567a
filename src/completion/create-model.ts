import type { Completer } from '../contract/completion.ts';
import { sha256Hex } from '../kernel/digest.ts';
import { type BreakerOptions, withBreaker } from './circuit-breaker.ts';
import { hostOf } from './endpoint.ts';
import { failOver } from './fail-over.ts';
import { createLatencyRecord, type Speed, withLatency } from './latency.ts';
import { createOpenAiCompleter } from './openai-completer.ts';
import type { OpenAiOptions } from './openai-options.ts';
import { type CoolDown, createCoolDown, type RetryOptions, withRetries } from './retry-policy.ts';
import { type Circuits, patientCoolDown, withSharedCircuit } from './shared-circuit.ts';
import type { Tries } from './tries.ts';

/** The model as the pipeline sees it: one completer, however many models there are. */
export interface Model extends Completer {
  /** Recent speed of the first model; `null` while unknown. */
  speed(): Speed | null;
  /** Asks the second model first, if there is one, so that a reader differs from the writer. */
  readonly other: Pick<Completer, 'complete'>;
}

/** A model with the endpoints behind it. */
export interface ManagedModel extends Model {
  /** The names under which cool-downs and circuits know the endpoints. */
  readonly endpoints: readonly string[];
  /** Tries whether an endpoint still refuses our key, account or model. Never rejects. */
  probe(endpoint: string): Promise<void>;
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
  /** Watches every try. */
  tries?: Tries;
}

/**
 * Builds the model: retries around a circuit breaker around the HTTP call, and fail-over across models. Only the last
 * model is retried.
 */
export function createModel({
  models,
  coolDown = createCoolDown(),
  retries = {},
  breaker = {},
  circuits,
  tries,
}: ModelOptions): ManagedModel {
  const record = createLatencyRecord();
  const patient = patientCoolDown(coolDown);
  const probes = new Map<string, () => Promise<void>>();
  const reliable = (options: OpenAiOptions, elsewhere: boolean, latency = createLatencyRecord()): Completer => {
    const wire = createOpenAiCompleter({ ...options, elsewhere });
    const endpoint = `${wire.endpoint} ${wire.model}${keyMark(options)}`;
    const timed = withLatency(tries?.watch(wire) ?? wire, latency);
    const shared = circuits && withSharedCircuit(timed, circuits, endpoint);
    probes.set(endpoint, async () => shared?.probe());
    const guarded = shared ?? withBreaker(timed, breaker);
    // A silent server could use up the deadline over several retries, so with another model left there are none.
    const server = { endpoint: hostOf(wire.endpoint), model: wire.model };
    const policy = elsewhere ? { elsewhere } : retries;
    return withRetries(guarded, { ...policy, coolDown: patient, endpoint, server });
  };
  const [first, ...others] = models;
  const preferred = reliable(first, others.length > 0, record);
  const rest = others.map((options, index) => reliable(options, index < others.length - 1));
  const [second, ...further] = rest;
  const other = second === undefined ? preferred : failOver([second, ...further, preferred]);
  return {
    ...failOver([preferred, ...rest]),
    endpoints: [...probes.keys()],
    probe: async (endpoint) => probes.get(endpoint)?.(),
    speed: () => record.speed(),
    other,
  };
}

/**
 * Separates the circuits of two keys: a worker with a good key must not wait for one with a refused key. Only a
 * digest of the key is used.
 */
function keyMark({ apiKey }: OpenAiOptions): string {
  return apiKey ? ` key:${sha256Hex(apiKey).slice(0, 16)}` : '';
}
