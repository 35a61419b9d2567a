import type { Completer } from '../contract/completion.ts';
import { type BreakerOptions, withBreaker } from './circuit-breaker.ts';
import { failOver } from './fail-over.ts';
import { createLatencyRecord, withLatency } from './latency.ts';
import { createOpenAiCompleter, type OpenAiOptions } from './openai-completer.ts';
import { type CoolDown, createCoolDown, type RetryOptions, withRetries } from './retry-policy.ts';

/** The model as the pipeline sees it: one completer, however many models stand behind it. */
export interface Model extends Completer {
  /** The 75th percentile of the first model's latest completions in milliseconds, `null` while unknown. */
  p75Ms(): number | null;
}

/** Everything a model is put together from. */
export interface ModelOptions {
  /** In order of preference; the next is asked where one fails. */
  models: readonly [OpenAiOptions, ...OpenAiOptions[]];
  /** Default: one within this process. */
  coolDown?: CoolDown;
  retries?: Pick<RetryOptions, 'retries' | 'baseMs' | 'maxMs'>;
  breaker?: BreakerOptions;
}

/** Puts the model together: retries around a breaker around the wire, for each model, and fail-over across them. */
export function createModel({ models, coolDown = createCoolDown(), retries = {}, breaker = {} }: ModelOptions): Model {
  const record = createLatencyRecord();
  const reliable = (options: OpenAiOptions, latency = createLatencyRecord()): Completer => {
    const wire = createOpenAiCompleter(options);
    return withRetries(withBreaker(withLatency(wire, latency), breaker), {
      ...retries,
      coolDown,
      endpoint: `${wire.endpoint} ${wire.model}`,
    });
  };
  const [first, ...others] = models;
  const completer = failOver([reliable(first, record), ...others.map((options) => reliable(options))]);
  return { ...completer, p75Ms: () => record.p75Ms() };
}
