import { availableParallelism } from 'node:os';
import {
  type Consumer,
  connect,
  createConsumer,
  disconnect,
  keysOf,
  Quarantine,
  type QueueEvent,
} from '../queues/index.ts';
import { bundleHandler, createSandbox, type Sandbox, type Quarantine as SandboxQuarantine } from '../sandbox/index.ts';
import { createModel, type Model } from './completion/create-model.ts';
import type { OpenAiOptions } from './completion/openai-completer.ts';
import type { Config, ModelSetting } from './config.ts';
import { createHandlerStore } from './handlers/redis-handler-store.ts';
import { Purse } from './pipeline/budget.ts';
import { runJob } from './pipeline/pipeline.ts';
import type { Workshop } from './pipeline/workshop.ts';
import { describeError, type Log, logJobEvents } from './telemetry/log.ts';
import { createTypeChecker } from './typing/type-checker.ts';

/** A worker process's inside: the queue's consumer with everything that works on its jobs. */
export interface WorkerProcess {
  readonly sandbox: Sandbox;
  /** Resolves when jobs are being fetched. Rejects with `PLATFORM_REDIS_UNREACHABLE` where Redis does not answer in time. */
  ready(withinMs?: number): Promise<void>;
  /** Finishes running jobs for as long as the drain time allows, hands the rest back, and ends all children. */
  close(): Promise<void>;
}

/** Puts a worker together. The only place that knows every concrete class. Rejects with `OPERATOR_SANDBOX_LEVEL` where the sandbox demanded is not to be had. */
export async function composeWorker(config: Config, log: Log): Promise<WorkerProcess> {
  const connection = connect(config.redisUrl, 'worker', (error) => log.warn({ error: describeError(error) }, 'redis'));
  const quarantine = new Quarantine(connection, keysOf(config.prefix));
  const sandbox = await openSandbox(config, log, {
    has: (digest) => quarantine.has(digest),
    add: (digest) => quarantine.add(digest, 'a run of it killed its cell'),
  }).catch(async (error) => {
    await disconnect(connection);
    throw error;
  });
  const typeChecker = createTypeChecker();
  const shop: Workshop = {
    completer: composeModel(config),
    model: modelsOf(config)[0]?.model ?? 'unknown',
    limits: config,
    purse: new Purse(config),
    typeChecker,
    bundle: bundleHandler,
    sandbox,
    handlers: createHandlerStore(connection, config.prefix, config.retentionSeconds),
    onJobEvent: logJobEvents(log),
  };
  const consumer: Consumer = createConsumer({
    url: config.redisUrl,
    prefix: config.prefix,
    concurrency: config.concurrency,
    retentionSeconds: config.retentionSeconds,
    process: (delivery, signal) => runJob({ ...delivery, signal }, shop),
    onEvent: (event) => logQueueEvent(log, event),
  });
  return {
    sandbox,
    ready: (withinMs) => consumer.ready(withinMs),
    async close() {
      await consumer.close({ drainMs: config.drainMs });
      await Promise.all([typeChecker.close(), sandbox.close(), disconnect(connection)]);
    },
  };
}

/** Opens the sandbox as configured, and says in the log which layers are in force and which are not. */
export async function openSandbox(
  config: Pick<Config, 'cells' | 'sandboxLevel'>,
  log: Log,
  quarantine?: SandboxQuarantine,
): Promise<Sandbox> {
  const sandbox = await createSandbox({
    cells: config.cells ?? availableParallelism(),
    ...(config.sandboxLevel === null ? {} : { level: config.sandboxLevel }),
    ...(quarantine === undefined ? {} : { quarantine }),
    onEvent: (event) => log.warn({ sandbox: event }, 'sandbox'),
  });
  const { level, inForce, missing } = sandbox.layers;
  log[missing.length > 0 ? 'warn' : 'info']({ level, inForce, missing }, 'sandbox layers');
  return sandbox;
}

/** The models in order: those of `PROTOSMITH_MODELS`, else the one of `PROTOSMITH_MODEL`. */
function modelsOf({
  models,
  model,
  baseUrl,
  apiKey,
  inputPrice,
  cachedInputPrice,
  outputPrice,
}: Config): ModelSetting[] {
  return models ?? [{ model: model ?? 'unknown', baseUrl, apiKey, inputPrice, cachedInputPrice, outputPrice }];
}

function composeModel(config: Config): Model {
  const [first, ...others] = modelsOf(config).map(
    ({ model, baseUrl, apiKey, inputPrice, cachedInputPrice, outputPrice }): OpenAiOptions => ({
      model,
      generator: config.generator,
      baseUrl: baseUrl ?? undefined,
      apiKey: apiKey ?? undefined,
      prices:
        inputPrice === null || outputPrice === null
          ? null
          : { inputUsd: inputPrice, outputUsd: outputPrice, cachedInputUsd: cachedInputPrice ?? undefined },
    }),
  );
  return createModel({ models: [first as OpenAiOptions, ...others] });
}

const warned: ReadonlySet<QueueEvent['event']> = new Set([
  'paused',
  'lock-lost',
  'stalled',
  'given-up',
  'retried',
  'refused',
]);

function logQueueEvent(log: Log, { event, ...fields }: QueueEvent): void {
  const level = event === 'redis-error' ? 'error' : warned.has(event) ? 'warn' : 'info';
  log[level](fields, event);
}
