import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

import {
  type Connection,
  type Consumer,
  connect,
  createConsumer,
  type Delivery,
  disconnect,
  Endpoints,
  type Keys,
  keysOf,
  mending,
  Quarantine,
  SharedLimits,
  Spendings,
} from '../../queues/index.ts';
import {
  bundleDigest,
  bundleHandler,
  createSandbox,
  type Sandbox,
  type Quarantine as SandboxQuarantine,
} from '../../sandbox/index.ts';
import { Tries } from '../completion/tries.ts';
import { type Config, sandboxOptions, type WorkerConfig } from '../config.ts';
import type { AttemptReport } from '../contract/outcome.ts';
import { createSourceFetcher } from '../fetching/source-fetcher.ts';
import { createHandlerStore, createReadingStore, type Write } from '../handlers/redis-handler-store.ts';
import { WarmHandlers } from '../handlers/warm-handlers.ts';
import { usageOf } from '../job/budget.ts';
import { ProcessBudget } from '../job/process-budget.ts';
import type { Services, UnansweredBook } from '../job/services.ts';
import { isObject } from '../kernel/json.ts';
import { jobReader } from '../pipeline/job-reader.ts';
import { errorEnvelope } from '../pipeline/outcome-of.ts';
import { runJob } from '../pipeline/pipeline.ts';
import { Heart } from '../telemetry/heart.ts';
import { inTime } from '../telemetry/in-time.ts';
import type { Log } from '../telemetry/log.ts';
import { processName } from '../telemetry/process-name.ts';
import type { Recorder } from '../telemetry/recorder.ts';
import { createWorkerMetrics, type WorkerMetrics } from '../telemetry/worker-metrics.ts';
import { WorkerTally } from '../telemetry/worker-tally.ts';
import { createTypeChecker, type TypeChecker } from '../typing/type-checker.ts';
import { defaultCheckPolicy } from '../verification/checks.ts';
import { protosmithVersion } from '../version.ts';
import { failedTries, limitsOf } from './compose-model.ts';
import { composeRecorder, logQueueEvent } from './compose-recorder.ts';
import { demandDurability, demandPermissions, permissionWatch, tellFailure } from './demands.ts';
import { followLimits } from './follow-limits.ts';
import { LiveModel } from './live-model.ts';
import { openPort } from './port.ts';

/** A running worker: the queue's consumer and everything that processes its jobs. */
export interface WorkerProcess {
  readonly sandbox: Sandbox;
  /** Resolves once the worker fetches jobs. Rejects as `Consumer.ready` does. */
  ready(withinMs?: number): Promise<void>;
  /** Finishes running jobs within the drain time, hands the others back, and ends all child processes. */
  close(): Promise<void>;
}

/** How long to wait for an answer of the quarantine, in milliseconds. */
const quarantineTimeoutMs = 500;

/** A model call without any part of an answer is reported to operators after this time, in milliseconds. */
const silentAfterMs = 15_000;

/** How long to wait for the kept record of unanswered questions, in milliseconds. */
const unansweredTimeoutMs = 500;

/**
 * Creates a worker from its settings. This is the only place that knows every concrete class. Rejects with
 * `OPERATOR_SANDBOX_LEVEL` if the required sandbox is unavailable, with `OPERATOR_REDIS_…` if durability is
 * required and Redis lacks it, and with `OPERATOR_PORT_TAKEN`.
 */
export async function composeWorker(config: WorkerConfig, log: Log): Promise<WorkerProcess> {
  const opened = await openParts(config, log);
  const { connection, keys, sandbox, metrics, recorder, tally, typeChecker } = opened;
  const circuits = new Endpoints(connection, keys);
  const failures = failedTries(log);
  const tries = new Tries((ended) => void [failures.note(ended), tally.onTry(ended), metrics.onTry(ended)]);
  const model = new LiveModel({ circuits, log, metrics, tries, consumer: () => consumer });
  const parts: WorkerParts = { ...opened, whenWritable: (write) => consumer.whenWritable(write) };
  const services = composeServices(parts, model);
  const consumer = startConsumer(parts, services);
  const following = followLimits(config, new SharedLimits(connection, keys), log, (next, changed) => {
    consumer.setConcurrency(next.concurrency);
    // The jobs of this process share the object, and read it whenever they spend.
    Object.assign(services.limits, limitsOf(next));
    if (changed.includes('models')) Object.assign(services, model.servicesFor(next));
  });
  metrics.watch({ health: () => consumer.health(), sandbox });
  const sources = {
    health: () => consumer.health(),
    sandbox,
    silent: () => tries.silent(silentAfterMs),
    heard: () => tries.heard(),
  };
  const heart = new Heart(connection, keys, (state) => tally.beat(state, sources));
  const closeRest = async () => {
    following.close();
    await heart.close();
    model.close();
    failures.flush();
    await recorder.close();
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
      await demandPermissions(config, log).catch(async (error) => {
        await tellFailure(connection, keys, tally, error);
        throw error;
      });
      model.look();
      void heart.beat('running');
    },
    async close() {
      await consumer.close({ drainMs: config.drainMs });
      await watched.close();
      await closeRest();
    },
  };
}

/** Connects to Redis and opens the sandbox and everything that records what happens. */
async function openParts(config: WorkerConfig, log: Log): Promise<Omit<WorkerParts, 'whenWritable'>> {
  const keys = keysOf(config.prefix);
  // The consumer logs lost connections, so this one need not.
  const plain = connect(config.redisUrl, 'worker');
  const connection = mending(plain, keys, (event) => logQueueEvent(log, event));
  const name = workerName();
  const quarantine = withTimeout(new Quarantine(connection, keys, config.quarantineSeconds), name);
  const tally = new WorkerTally(name, protosmithVersion());
  const sandbox = await demandDurability(config, connection)
    .then(() => openSandbox(config, log, quarantine))
    .catch(async (error) => {
      await tellFailure(connection, keys, tally, error);
      await disconnect(connection);
      throw error;
    });
  const metrics = createWorkerMetrics(protosmithVersion(), config.tenantClasses);
  const recorder = await composeRecorder(config, log, keys, metrics, tally);
  const typeChecker = createTypeChecker();
  // The first check starts the compiler, which should not take a job's time.
  void typeChecker.check('export {};', 'export {};').catch(() => undefined);
  return { config, log, connection, keys, quarantine, sandbox, metrics, recorder, tally, typeChecker };
}

/** The job that the current work is for. The sandbox knows no jobs, but operators ask whose code killed a cell. */
const currentJob = new AsyncLocalStorage<Pick<Delivery, 'jobId' | 'negotiationId'> & { tenant: string | null }>();

/** The name of this worker for operators: that of its process, and a part that no restart repeats. */
function workerName(): string {
  return `${processName}-${randomBytes(3).toString('hex')}`;
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
  recorder: Required<Recorder>;
  tally: WorkerTally;
  typeChecker: TypeChecker;
  /** Retries writes while Redis refuses them, so that a verified handler is not lost. */
  whenWritable: Write;
}

/** The services of jobs. */
function composeServices(
  { config, connection, keys, quarantine, sandbox, recorder, typeChecker, whenWritable }: WorkerParts,
  model: LiveModel,
): Services {
  const spendings = new Spendings(connection, keys);
  const limits = limitsOf(config);
  return {
    ...model.servicesFor(config),
    limits,
    spending: {
      of: (jobId) => spendings.of(jobId),
      // A note that fails must not fail the job; the next delivery's budget then lacks this spending.
      note: (jobId, more) => void spendings.add(jobId, { ...more }).catch(() => undefined),
    },
    unanswered: unansweredIn(spendings),
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
    sources: config.fetchHosts.length === 0 ? undefined : createSourceFetcher(config.fetchHosts),
    onJobEvent: recorder.onJobEvent,
  };
}

/** The record of unanswered questions. It only completes a report, so nobody waits long for it or fails without it. */
function unansweredIn(spendings: Spendings): UnansweredBook {
  const soon = <Value>(answer: Promise<Value>, otherwise: Value): Promise<Value> =>
    inTime(answer, unansweredTimeoutMs, otherwise).catch(() => otherwise);
  return {
    // Anybody can write to Redis, so only what is an attempt goes into the report.
    of: async (jobId) => (await soon(spendings.leftOf(jobId), [])).filter(isAttempt),
    keep: (jobId, attempts) => soon(spendings.leave(jobId, attempts), undefined),
  };
}

function isAttempt(value: unknown): value is AttemptReport {
  const { attempt, purpose, model, usage } = Object(value) as Partial<AttemptReport>;
  return typeof attempt === 'number' && typeof purpose === 'string' && typeof model === 'string' && isObject(usage);
}

/** Starts fetching and processing jobs. */
function startConsumer({ config, metrics, recorder, tally }: WorkerParts, services: Services): Consumer {
  const watchPermissions = permissionWatch(config, tally);
  return createConsumer({
    url: config.redisUrl,
    jobs: jobReader,
    prefix: config.prefix,
    concurrency: config.concurrency,
    retentionSeconds: config.retentionSeconds,
    process: async (delivery, signal) => {
      metrics.jobTaken(delivery);
      const { tenant } = jobReader.factsOf(delivery.kind, delivery.data);
      const running = currentJob.run({ ...delivery, tenant }, () => runJob({ ...delivery, signal }, services));
      return running.finally(() => recorder.onDone(delivery));
    },
    giveUp: async ({ jobId, kind, data }, reason) => {
      const envelope = errorEnvelope(kind, data, reason);
      const [spent, attempts] = await Promise.all([
        services.spending.of(jobId).catch(() => ({})),
        services.unanswered.of(jobId),
      ]);
      return { ...envelope, report: { ...envelope.report, usage: usageOf(spent), attempts } };
    },
    onDelivery: recorder.onDelivery,
    onEvent: (event) => {
      recorder.onQueueEvent(event);
      watchPermissions(event);
    },
  });
}

/**
 * The quarantine that workers share, with a short timeout. While Redis is away, a worker goes on with the bundles that
 * it knows of; if it waited, the job would lose its lock, and with it the model's answer.
 */
function withTimeout(quarantine: Quarantine, worker: string): SandboxQuarantine {
  return {
    has: (digest) => inTime(quarantine.has(digest), quarantineTimeoutMs, undefined).catch(() => undefined),
    add: (digest) => {
      const { jobId = null, tenant = null, negotiationId = null } = currentJob.getStore() ?? {};
      return quarantine.add(digest, { reason: 'a run of it killed its cell', jobId, tenant, negotiationId, worker });
    },
  };
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
  log[missing.length > 0 ? 'warn' : 'info']({ sandboxLevel: level, inForce, missing }, 'sandbox layers');
  return sandbox;
}
