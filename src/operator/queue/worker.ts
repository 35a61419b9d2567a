import { readConfig, redactUrl, unknownSettings } from '../../config.ts';
import { createLog } from '../../telemetry/log.ts';
import { takeWarnings } from '../../telemetry/process-warnings.ts';
import { readableLog } from '../../telemetry/readable-log.ts';
import { protosmithVersion } from '../../version.ts';
import { composeWorker } from '../../worker/compose.ts';
import { type Command, exitCodes, readArguments } from '../shell/command.ts';
import { honourProxy } from '../shell/proxy.ts';
import { sandboxSettings, settingsHelp } from '../shell/settings-help.ts';
import { stopSignal } from '../shell/stop-signal.ts';

/** How long to wait for Redis at start, in milliseconds. After that the worker ends, and a supervisor restarts it. */
const startWithinMs = 30_000;

/** The settings that a worker reads. */
export const workerSettings = [
  'redisUrl',
  'prefix',
  'model',
  'apiKey',
  'baseUrl',
  'inputPrice',
  'cachedInputPrice',
  'outputPrice',
  'models',
  'maxCandidates',
  'maxCompletions',
  'maxOutputTokens',
  'maxTokens',
  'maxCostUsd',
  'maxTokensPerHour',
  'maxCostUsdPerHour',
  'maxTokensPerHourPerTenant',
  'maxCostUsdPerHourPerTenant',
  'concurrency',
  'reading',
  ...sandboxSettings,
  'advisoryChecks',
  'trialSeed',
  'fetchHosts',
  'retentionSeconds',
  'maxHandlersPerTenant',
  'quarantineSeconds',
  'history',
  'otlpEndpoint',
  'traceShare',
  'drainMs',
  'durable',
  'port',
  'host',
  'monitor',
  'tenantClasses',
  'logLevel',
  'logFormat',
  'generator',
] as const;

/** Takes jobs from the queue until it is told to stop. */
export const worker: Command = {
  summary: 'takes jobs from the queue until it is told to stop',
  help: `Usage: protosmith worker [options]

Takes jobs from the queue, has handlers written and verified, and publishes one outcome per job. Writes its log to
standard output: one JSON object per line, or lines for people on a terminal. On SIGTERM or SIGINT it finishes its
jobs, hands back those that do not end in time, and exits with 0.

${settingsHelp(workerSettings)}
Exit code: 0 stopped, 69 Redis unreachable at start, 78 wrong or missing settings.
`,
  async run(args) {
    const { values } = readArguments(
      args,
      {
        'redis-url': { type: 'string' },
        model: { type: 'string' },
        concurrency: { type: 'string' },
        'log-level': { type: 'string' },
      },
      { least: 0, most: 0, wanted: 'none' },
    );
    const config = readConfig(process.env, values, { model: true, only: workerSettings });
    honourProxy(process.env);
    const { logLevel, logFormat } = config;
    const isForPeople = logFormat === 'text' || (logFormat === 'auto' && process.stdout.isTTY);
    const log = createLog(logLevel, isForPeople ? readableLog(process.stdout) : undefined);
    takeWarnings((warning) => log.warn({ error: warning }, 'process-warning'));
    for (const unknown of unknownSettings(process.env)) log.warn(unknown, 'unknown-setting');
    const stopped = stopSignal();
    const running = await composeWorker(config, log);
    try {
      // A signal to stop must not wait for Redis.
      const early = await Promise.race([running.ready(startWithinMs), stopped]);
      if (early === undefined)
        log.info(
          {
            version: protosmithVersion(),
            redis: redactUrl(config.redisUrl),
            models: config.models?.map(({ model }) => model) ?? [config.model],
            generator: config.generator,
            concurrency: config.concurrency,
          },
          'ready',
        );
      const signal = await stopped;
      log.info({ signal }, 'stopping');
    } finally {
      await running.close();
    }
    log.info('stopped');
    return exitCodes.ok;
  },
};
