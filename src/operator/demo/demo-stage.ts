import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, createProducer, disconnect, localRedis, type Producer, whenReady } from '../../../queues/index.ts';
import { readConfig, redactUrl, settings } from '../../config.ts';
import type { HandlerStore } from '../../contract/ports.ts';
import { createHandlerStore } from '../../handlers/redis-handler-store.ts';
import { CodedError } from '../../kernel/errors.ts';
import { packageFile } from '../../package-file.ts';
import { jobReader } from '../../pipeline/job-reader.ts';
import { readScripts } from '../../scripted-model/script.ts';
import { startScriptedModel } from '../../scripted-model/server.ts';
import type { JobEvent } from '../../telemetry/job-event.ts';
import type { DemoView } from './demo-view.ts';

/** What the demo runs on: Redis, a worker process, and a client of the queue. */
export interface DemoStage {
  readonly producer: Producer;
  readonly handlers: HandlerStore;
  /** Resolves when all events of a job were shown, or after a second. */
  shown(jobId: string): Promise<void>;
  close(): Promise<void>;
}

const redisWithinMs = 5_000;
/** A job that runs when the demo is interrupted is not waited for. */
const drainMs = 2_000;
const workerWithinMs = 60_000;
const jobEvents: ReadonlySet<string> = new Set<JobEvent['type']>([
  'started',
  'stage',
  'prompted',
  'completed',
  'refused',
  'dropped',
  'tried',
  'checked',
  'ended',
]);

/** Modules that the story asks for: the first, its repair, and one in parallel. */
const candidatesOfStory = 3;

/**
 * Starts everything, prints what it starts, and shows the worker's events. `scripts` selects the replies of the
 * scripted model: those of the story or those for any job. With `null`, the model of the environment is used. If
 * something cannot be started, it stops the rest and throws.
 */
export async function startStage(view: DemoView, scripts: 'story' | 'jobs' | null): Promise<DemoStage> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const config = readConfig(process.env, {}, { only: ['redisUrl', 'prefix', 'retentionSeconds'] });
    const redis = process.env[settings.redisUrl.env]
      ? { url: config.redisUrl, kind: 'REDIS_URL', close: async () => {} }
      : await localRedis();
    closing.push(() => redis.close());
    const connection = connect(redis.url, 'worker');
    closing.push(() => disconnect(connection));
    await whenReady(connection, redisWithinMs);
    view.line(
      `Redis: ${redis.kind} at ${redactUrl(redis.url)}${redis.kind === 'REDIS_URL' ? '' : '; nothing is kept'}`,
    );

    const folder = scripts === 'story' ? 'fixtures/completions/demo' : 'fixtures/completions';
    const model =
      scripts === null ? undefined : await startScriptedModel({ scripts: readScripts(packageFile(folder)) });
    if (model) closing.push(() => model.close());
    const environment = {
      ...process.env,
      [settings.redisUrl.env]: redis.url,
      [settings.logLevel.env]: 'debug',
      [settings.drainMs.env]: String(drainMs),
      ...(scripts === 'story' ? { [settings.maxCandidates.env]: String(candidatesOfStory) } : {}),
      ...(model
        ? {
            [settings.baseUrl.env]: model.baseUrl,
            [settings.model.env]: 'scripted',
            [settings.generator.env]: 'scripted',
          }
        : {}),
    };
    const ended = new Set<string>();
    const worker = await startWorker(environment, (event) => {
      view.event(event);
      if (event.type === 'ended') ended.add(event.job);
    });
    closing.push(() => stopWorker(worker));
    view.line(`Worker: process ${worker.pid}`);

    const producer = createProducer({
      jobs: jobReader,
      url: redis.url,
      prefix: config.prefix,
      retentionSeconds: config.retentionSeconds,
    });
    closing.push(() => producer.close());
    const shown = async (jobId: string) => {
      for (const giveUpAt = Date.now() + 1_000; !ended.has(jobId) && Date.now() < giveUpAt; ) await sleep(10);
    };
    return { producer, handlers: createHandlerStore(connection, config), shown, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startWorker(
  environment: NodeJS.ProcessEnv,
  onJobEvent: (event: JobEvent) => void,
): Promise<ChildProcess> {
  const entry = fileURLToPath(new URL(`../../main${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));
  const worker = spawn(process.execPath, [entry, 'worker'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  // The worker must not outlive this process.
  const stop = () => worker.kill('SIGTERM');
  process.once('exit', stop);
  worker.once('exit', () => process.off('exit', stop));
  const complaints: string[] = [];
  createInterface({ input: worker.stderr }).on('line', (line) => complaints.push(line));
  const ready = new Promise<void>((resolve) => {
    createInterface({ input: worker.stdout }).on('line', (line) => {
      const entry = parseLine(line);
      if (entry?.msg === 'ready') resolve();
      else if (typeof entry?.msg === 'string' && jobEvents.has(entry.msg))
        onJobEvent({ ...entry, type: entry.msg } as unknown as JobEvent);
    });
  });
  const ended = once(worker, 'exit').then(([code]) => {
    throw new CodedError(
      'OPERATOR_WORKER_ENDED',
      `Cannot start worker: it ended with exit code ${code}, wanted it running\n${complaints.join('\n')}`,
    );
  });
  const late = new AbortController();
  try {
    await Promise.race([
      ready,
      ended,
      sleep(workerWithinMs, undefined, { signal: late.signal }).then(() => {
        throw new CodedError(
          'OPERATOR_WORKER_ENDED',
          `Cannot start worker: not ready after ${workerWithinMs} ms, wanted it ready\n${complaints.join('\n')}`,
        );
      }),
    ]);
    ended.catch(() => {});
    return worker;
  } catch (error) {
    worker.kill('SIGKILL');
    throw error;
  } finally {
    late.abort();
  }
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  await exited;
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
