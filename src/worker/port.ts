import {
  type Connection,
  type Consumer,
  type Endpoints,
  judgeRedis,
  keysOf,
  openOperator,
  type QueueOperator,
  redisFacts,
} from '../../queues/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { Config } from '../config.ts';
import { jobReader } from '../pipeline/job-reader.ts';
import { type HealthServer, startHealthServer } from '../telemetry/health-server.ts';
import type { Log } from '../telemetry/log.ts';
import { createQueueMetrics } from '../telemetry/queue-metrics.ts';
import { cachedCheck, consumerChecks, freshCheck, Progress } from '../telemetry/worker-health.ts';
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts';

/** Opens the worker's port for health and metrics, if one is configured. */
export async function openPort(
  config: Omit<Config, 'consoleToken'>,
  log: Log,
  parts: { consumer: Consumer; connection: Connection; circuits: Endpoints; sandbox: Sandbox; metrics: WorkerMetrics },
): Promise<{ close(): Promise<void> }> {
  const { host, port, durable, monitor } = config;
  if (port === null) return { close: async () => undefined };
  const { consumer, connection, circuits, sandbox, metrics } = parts;
  let operator: QueueOperator | undefined;
  const queue = createQueueMetrics(async () => {
    operator ??= await openOperator({ jobs: jobReader, url: config.redisUrl, prefix: config.prefix });
    return operator.snapshot();
  });
  const progress = new Progress(() => consumer.health());
  const redis = freshCheck('redis', async () => {
    await connection.ping();
    return { well: true, says: 'it answers' };
  });
  const policy = cachedCheck('redis-policy', async () => {
    const facts = await redisFacts(connection, keysOf(config.prefix));
    const faults = judgeRedis(facts, { durable });
    const says = facts.maxmemoryPolicy === null ? 'unknown, since Redis does not report it' : 'as it should be';
    const errors = faults.filter(({ severity }) => severity === 'error');
    return { well: errors.length === 0, says: faults.map(({ message }) => message).join('; ') || says };
  });
  const canary = cachedCheck('sandbox', async () => {
    const well = await sandbox.canary();
    return { well, says: `the known-good handler ${well ? 'passes' : 'fails'} at level ${sandbox.layers.level}` };
  });
  const queued = freshCheck('queue', async () => {
    const isPaused = (await connection.hexists(`${keysOf(config.prefix).queue}:meta`, 'paused')) === 1;
    return { well: !isPaused, says: isPaused ? 'paused for all workers' : 'open' };
  });
  const models = freshCheck('models', async () => {
    const says = await pausesOf(circuits);
    // A worker without models can still serve stored handlers.
    return { well: true, says: says.length === 0 ? 'none is rate limited or failing' : says.join('; ') };
  });
  const server: HealthServer = await startHealthServer(
    { host, port },
    {
      live: () => progress.checks(),
      ready: async () => [
        ...consumerChecks(consumer.health()),
        ...(await Promise.all([redis(), policy(), queued(), models(), canary()])),
      ],
      metrics: async () => {
        const registries = [metrics.registry, ...(monitor ? [queue] : [])];
        const texts = await Promise.all(registries.map((registry) => registry.metrics()));
        return { contentType: metrics.registry.contentType, text: texts.join('') };
      },
    },
  );
  log.info({ host, port: server.port, monitor }, 'listening');
  return {
    async close() {
      progress.close();
      await Promise.all([server.close(), operator?.close()]);
    },
  };
}

/** Why model endpoints get no calls: their rate limits, and the first fault of each open circuit. */
async function pausesOf(circuits: Endpoints): Promise<string[]> {
  const [resting, failing] = await Promise.all([circuits.resting(), circuits.faults()]);
  const waits = resting.map(({ endpoint, leftMs }) => `${endpoint} for another ${Math.ceil(leftMs / 1_000)} s`);
  const faults = failing.map(({ endpoint, fault }) => {
    if (fault === null) return `${endpoint} keeps failing`;
    const { refused, sinceMs, code, message } = fault;
    return `${endpoint} ${refused ? 'refuses us' : 'keeps failing'} since ${new Date(sinceMs).toISOString()}: ${code}: ${message}`;
  });
  return [...(waits.length === 0 ? [] : [`rate limited: ${waits.join('; ')}`]), ...faults];
}
