import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  type Consumer,
  connect,
  createConsumer,
  disconnect,
  Endpoints,
  forbidden,
  judgeRedis,
  type Keys,
  keysOf,
  mending,
  Quarantine,
  type QueueEvent,
  redisFacts,
  redisPermissions,
  Spendings,
  whenReady,
} from '../queues/index.ts';
import {
  bundleDigest,
  bundleHandler,
  createSandbox,
  type Sandbox,
  type Quarantine as SandboxQuarantine,
} from '../sandbox/index.ts';
import type { Model } from './completion/create-model.ts';
import { watchCircuits } from './completion/shared-circuit.ts';
import { composeModel, limitsOf, modelName } from './compose-model.ts';
import { type Config, sandboxOptions } from './config.ts';
import { createSourceFetcher } from './fetching/source-fetcher.ts';
import { createHandlerStore, createReadingStore, type Write } from './handlers/redis-handler-store.ts';
import { WarmHandlers } from './handlers/warm-handlers.ts';
import { usageOf } from './job/budget.ts';
import { ProcessBudget } from './job/process-budget.ts';
import type { Services } from './job/services.ts';
import { CodedError } from './kernel/errors.ts';
import { jobReader } from './pipeline/job-reader.ts';
import { errorEnvelope } from './pipeline/outcome-of.ts';
import { runJob } from './pipeline/pipeline.ts';
import { type Log, logJobEvents } from './telemetry/log.ts';
import { createWorkerMetrics, type WorkerMetrics } from './telemetry/worker-metrics.ts';
import { createTypeChecker, type TypeChecker } from './typing/type-checker.ts';
import { defaultCheckPolicy } from './verification/checks.ts';
import { protosmithVersion } from './version.ts';
import { openPort } from './worker-port.ts';

/** The settings of a worker. */
export type WorkerConfig = Omit<Config, 'consoleToken'>;

/** A running worker: the queue's consumer and everything that processes its jobs. */
export interface WorkerProcess {
  readonly sandbox: Sandbox;
  /** Resolves once the worker fetches jobs. Rejects as `Consumer.ready` does. */
  ready(withinMs?: number): Promise<void>;
  /** Finishes running jobs within the drain time, hands the rest back, and ends all child processes. */
  close(): Promise<void>;
}

/** How long to wait for Redis at the start, where durability must be checked, in milliseconds. */
const redisFactsTimeoutMs = 30_000;

/** How long to wait for an answer of the quarantine, in milliseconds. */
const quarantineTimeoutMs = 500;

const noModelAnswers = 'no model endpoint answers, their circuits are open';

/**
 * Creates a worker from its settings. This is the only place that knows every concrete class. Rejects with
 * `OPERATOR_SANDBOX_LEVEL` where the required sandbox is unavailable, with `OPERATOR_REDIS_…` where durability is
 * required and Redis lacks it, and with `OPERATOR_PORT_TAKEN`.
 */
export async function composeWorker(config: WorkerConfig, log: Log): Promise<WorkerProcess> {
  const keys = keysOf(config.prefix);
  // The consumer logs lost connections, so this one need not.
  const plain = connect(config.redisUrl, 'worker');
  const connection = mending(plain, keys, (event) => logQueueEvent(log, event));
  const quarantine = withTimeout(new Quarantine(connection, keys, config.quarantineSeconds));
  const sandbox = await demandDurability(config, connection)
    .then(() => openSandbox(config, log, quarantine))
    .catch(async (error) => {
      await disconnect(connection);
      throw error;
    });
  const metrics = createWorkerMetrics(protosmithVersion());
  const circuits = new Endpoints(connection, keys);
  const model = composeModel(config, circuits, log);
  const circuitWatch = watchCircuits(circuits, model.endpoints, {
    opened: () => void consumer.pause(noModelAnswers),
    closed: () => void consumer.resume(noModelAnswers),
  });
  const typeChecker = createTypeChecker();
  // The first check starts the compiler, which should not take a job's time.
  void typeChecker.check('export {};', 'export {};').catch(() => undefined);
  const whenWritable: Write = (write) => consumer.whenWritable(write);
  const parts = { config, log, connection, keys, quarantine, sandbox, metrics, typeChecker, whenWritable };
  const services = composeServices(parts, model, () => circuitWatch.look());
  const consumer = startConsumer(parts, services);
  metrics.watch({ health: () => consumer.health(), sandbox });
  const closeRest = async () => {
    circuitWatch.close();
    metrics.close();
    await Promise.all([typeChecker.close(), sandbox.close(), disconnect(connection)]);
  };
  const watched = await openPort(config, log, { consumer, connection, circuits, sandbox, metrics }).catch(
    async (error) => {
      await consumer.close({ drainMs: 0 });
      await closeRest();
      throw error;
    },
  );
  return {
    sandbox,
    async ready(withinMs) {
      await consumer.ready(withinMs);
      await demandPermissions(config, log);
    },
    async close() {
      await consumer.close({ drainMs: config.drainMs });
      await watched.close();
      await closeRest();
    },
  };
}

/** The parts that a worker's services and consumer are made of. */
interface WorkerParts {
  config: WorkerConfig;
  log: Log;
  connection: Connection;
  keys: Keys;
  quarantine: SandboxQuarantine;
  sandbox: Sandbox;
  metrics: WorkerMetrics;
  typeChecker: TypeChecker;
  /** Retries writes while Redis refuses them, so that a verified handler is not lost. */
  whenWritable: Write;
}

/** The services of jobs. Calls `onFailure` after each failed question. */
function composeServices(
  { config, log, connection, keys, quarantine, sandbox, metrics, typeChecker, whenWritable }: WorkerParts,
  model: Model,
  onFailure: () => void,
): Services {
  const tellJob = logJobEvents(log);
  const spendings = new Spendings(connection, keys);
  const limits = limitsOf(config);
  const asking = (completer: Pick<Model, 'complete'>): Model => ({
    ...model,
    complete: (...question) =>
      completer.complete(...question).catch((error) => {
        onFailure();
        throw error;
      }),
  });
  return {
    completer: metrics.counting(asking(model)),
    model: modelName(config),
    limits,
    spending: {
      of: (jobId) => spendings.of(jobId),
      // A failed note must not fail the job. Its spending is then missing from the next delivery's budget.
      note: (jobId, more) => void spendings.add(jobId, { ...more }).catch(() => undefined),
    },
    processBudget: new ProcessBudget(limits),
    typeChecker,
    checkPolicy: { ...defaultCheckPolicy, advisory: config.advisoryChecks },
    trialSeed: config.trialSeed ?? undefined,
    bundle: bundleHandler,
    sandbox,
    warm: new WarmHandlers(sandbox, async (bundle) => (await quarantine.has(bundleDigest(bundle))) === true),
    handlers: createHandlerStore(connection, config, whenWritable),
    readings: createReadingStore(connection, config, whenWritable),
    readingMode: config.reading,
    confirmer: metrics.counting(asking(model.other)),
    sources: config.fetchHosts.length === 0 ? undefined : createSourceFetcher(config.fetchHosts),
    onJobEvent: (event) => {
      metrics.onJobEvent(event);
      tellJob(event);
    },
  };
}

/** Starts fetching and processing jobs. */
function startConsumer({ config, log, metrics }: WorkerParts, services: Services): Consumer {
  return createConsumer({
    url: config.redisUrl,
    jobs: jobReader,
    prefix: config.prefix,
    concurrency: config.concurrency,
    retentionSeconds: config.retentionSeconds,
    process: async (delivery, signal) => {
      metrics.jobTaken(delivery);
      return runJob({ ...delivery, signal }, services);
    },
    giveUp: async ({ jobId, kind, data }, reason) => {
      const envelope = errorEnvelope(kind, data, reason);
      const spent = await services.spending.of(jobId).catch(() => ({}));
      return { ...envelope, report: { ...envelope.report, usage: usageOf(spent) } };
    },
    onEvent: (event) => {
      metrics.onQueueEvent(event);
      logQueueEvent(log, event);
    },
  });
}

/**
 * The quarantine that workers share, with a short timeout: while Redis is away, a worker goes on with what it knows, so
 * that the job keeps its lock and the model's answer is not lost.
 */
function withTimeout(quarantine: Quarantine): SandboxQuarantine {
  return {
    has: (digest) =>
      Promise.race([quarantine.has(digest), sleep(quarantineTimeoutMs, undefined, { ref: false })]).catch(
        () => undefined,
      ),
    add: (digest) => quarantine.add(digest, 'a run of it killed its cell'),
  };
}

/** Rejects where durability is required of a Redis that does not persist data, or that evicts keys. */
async function demandDurability({ durable }: WorkerConfig, connection: Connection): Promise<void> {
  if (!durable) return;
  await whenReady(connection, redisFactsTimeoutMs);
  const faults = judgeRedis(await redisFacts(connection), { durable }).filter(({ severity }) => severity === 'error');
  const [first] = faults;
  if (first) throw new CodedError(first.code, faults.map(({ message }) => message).join('; '));
}

/**
 * Rejects where the Redis user lacks a permission that everything needs, and logs what is unavailable without the
 * others.
 */
async function demandPermissions({ redisUrl: url, prefix }: WorkerConfig, log: Log): Promise<void> {
  const { user, missing, lacking } = await redisPermissions(url, { prefix });
  if (missing.length > 0) throw forbidden(user, missing);
  for (const { command, without } of lacking) log.warn({ user, command, without }, 'redis-permission');
}

/** Opens the sandbox as configured, and logs which layers are active and which are missing. */
export async function openSandbox(
  config: Pick<Config, 'cells' | 'sandboxLevel' | 'sandboxLimits' | 'sandboxStrict'>,
  log: Log,
  quarantine?: SandboxQuarantine,
): Promise<Sandbox> {
  const sandbox = await createSandbox({
    ...sandboxOptions(config),
    ...(quarantine === undefined ? {} : { quarantine }),
    onEvent: (event) => log.warn({ sandbox: event }, 'sandbox'),
  });
  const { level, inForce, missing } = sandbox.layers;
  log[missing.length > 0 ? 'warn' : 'info']({ level, inForce, missing }, 'sandbox layers');
  return sandbox;
}

const warned: ReadonlySet<QueueEvent['event']> = new Set([
  'paused',
  'lock-lost',
  'stalled',
  'given-up',
  'retried',
  'refused',
  'mended',
]);

/** Queue events name job and negotiation as the events of stages do. */
function logQueueEvent(log: Log, { event, jobId, negotiationId, ...fields }: QueueEvent): void {
  const level = event === 'redis-error' ? 'error' : warned.has(event) ? 'warn' : 'info';
  log[level](jobId === undefined ? fields : { job: jobId, negotiation: negotiationId ?? null, ...fields }, event);
}
