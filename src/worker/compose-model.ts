import type { Consumer, Endpoints } from '../../queues/index.ts';
import { createModel, type ManagedModel } from '../completion/create-model.ts';
import { ADAPTATIONS } from '../completion/dialect.ts';
import { hostOf } from '../completion/endpoint.ts';
import type { OpenAiOptions } from '../completion/openai-options.ts';
import { type Circuits, type CircuitWatch, watchCircuits } from '../completion/shared-circuit.ts';
import type { Tries, Try } from '../completion/tries.ts';
import { type Config, modelsOf } from '../config.ts';
import type { Questioner } from '../job/ask.ts';
import { Budget, type JobLimits } from '../job/budget.ts';
import { ProcessBudget } from '../job/process-budget.ts';
import type { Log } from '../telemetry/log.ts';
import { Repeats } from '../telemetry/repeats.ts';

/** The settings of the models. */
type ModelConfig = Pick<
  Config,
  | 'model'
  | 'models'
  | 'baseUrl'
  | 'apiKey'
  | 'inputPrice'
  | 'cachedInputPrice'
  | 'outputPrice'
  | 'maxOutputTokens'
  | 'generator'
>;

/** No limits if a command has none: it asks one question, and no candidate comes of it. */
const noLimits = {
  maxCandidates: Number.POSITIVE_INFINITY,
  maxTokensPerHour: null,
  maxCostUsdPerHour: null,
  maxTokensPerHourPerTenant: null,
  maxCostUsdPerHourPerTenant: null,
};

/**
 * Creates the services for a command that asks the model. The limits of one job apply. Without Redis, so the state of
 * endpoints is not shared.
 */
export function composeQuestioner(
  config: ModelConfig & Pick<Config, 'maxCompletions' | 'maxTokens' | 'maxCostUsd'>,
): Omit<Questioner, 'ledger'> {
  const limits = limitsOf({ ...config, ...noLimits });
  const services = { completer: createModel({ models: endpointsOf(config) }), model: modelName(config) };
  return { services, budget: new Budget(limits, new ProcessBudget(limits)) };
}

/** The model that is asked first, by name. */
export function modelName(config: ModelConfig): string {
  return modelsOf(config)[0]?.model ?? 'unknown';
}

/** The same limits with the price of an input token. */
export function limitsOf<Limits extends ModelConfig>(
  config: Limits,
): Limits & Required<Pick<JobLimits, 'usdPerInputToken'>> {
  return { ...config, usdPerInputToken: highestInputPrice(config) / 1_000_000 };
}

/** The price of a million input tokens of the most expensive model, since any of them may be asked. */
function highestInputPrice(config: ModelConfig): number {
  return Math.max(...modelsOf(config).map(({ inputPrice }) => inputPrice ?? 0));
}

function endpointsOf(config: ModelConfig, log?: Log): [OpenAiOptions, ...OpenAiOptions[]] {
  const [first, ...others] = modelsOf(config).map(
    ({ model, baseUrl, apiKey, inputPrice, cachedInputPrice, outputPrice }): OpenAiOptions => ({
      model: model ?? 'unknown',
      generator: config.generator,
      maxTokens: config.maxOutputTokens,
      baseUrl: baseUrl ?? undefined,
      apiKey: apiKey ?? undefined,
      adapted: ({ endpoint, model, learnt }) =>
        log?.warn({ endpoint: hostOf(endpoint), model, learnt, says: ADAPTATIONS[learnt] }, 'model-adapted'),
      prices:
        inputPrice === null || outputPrice === null
          ? null
          : { inputUsd: inputPrice, outputUsd: outputPrice, cachedInputUsd: cachedInputPrice ?? undefined },
    }),
  );
  return [first as OpenAiOptions, ...others];
}

/** Logs failed tries of model calls: the first of each endpoint and code at once, repeated ones as one line. */
export function failedTries(log: Log): { note(ended: Try): void; flush(): void } {
  const repeats = new Repeats<Try>(({ host: endpoint, model, result: code, message, durationMs }, count) =>
    log.warn({ endpoint, model, code, message, durationMs, count }, 'model-failed'),
  );
  return {
    note: (ended) => {
      if (ended.result !== 'answered') repeats.note(`${ended.endpoint} ${ended.result}`, ended);
    },
    flush: () => repeats.flush(),
  };
}

/** Why a worker does not fetch while all its models fail. */
export const noModelAnswers = 'no model endpoint answers, their circuits are open';

/** Pauses a worker while the circuits of all its endpoints are open, and says why and since when. */
export function watchModel(
  circuits: Endpoints,
  model: ManagedModel,
  consumer: () => Pick<Consumer, 'pause' | 'resume'>,
): CircuitWatch {
  return watchCircuits(circuits, model.endpoints, {
    opened: (fault) => {
      const since = fault ? `, since ${new Date(fault.sinceMs).toISOString()}` : '';
      void consumer().pause(noModelAnswers, fault ? { code: fault.code, message: `${fault.message}${since}` } : null);
    },
    closed: () => void consumer().resume(noModelAnswers),
    probe: (endpoint) => model.probe(endpoint),
  });
}

/** The model of a worker: its circuits and cool-downs are shared by all workers. */
export function composeModel(config: ModelConfig, endpoints: Endpoints, log: Log, tries: Tries): ManagedModel {
  const circuits: Circuits = endpoints;
  return createModel({
    models: endpointsOf(config, log),
    circuits,
    tries,
    coolDown: {
      until: (endpoint) => endpoints.coolDownOf(endpoint),
      set: (endpoint, untilMs) => endpoints.coolDown(endpoint, untilMs),
    },
  });
}
