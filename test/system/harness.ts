import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import {
  type Connection,
  connect,
  createProducer,
  DEFAULT_PREFIX,
  disconnect,
  type Keys,
  keysOf,
  type LocalRedis,
  type LocalRedisOptions,
  localRedis,
  type Producer,
  QUEUE_NAME,
} from '../../queues/index.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { readScripts } from '../../src/scripted-model/script.ts';
import { type Behaviour, type Question, startScriptedModel } from '../../src/scripted-model/server.ts';

export const root = join(import.meta.dirname, '../..');

const sources = join(root, 'src/main.ts');

/** The command line to start: the bundle that scripts/test.ts made of the sources, or without one the sources. */
export const main = process.env.TESTED_COMMAND_LINE ?? sources;

/** Options of Node look into the loading of files, which a bundle has few of. */
const mainWith = (environment: Record<string, string> = {}) => ('NODE_OPTIONS' in environment ? sources : main);

/** Generous: a machine under load starts processes slowly. */
const hangMs = 120_000;

const scripts = readScripts(join(root, 'fixtures/completions'));

/** The reply of a script in fixtures/completions. */
export function reply(name: string): string {
  const script = scripts.find((one) => one.name === `${name}.md`);
  if (script === undefined) throw new Error(`no script ${name}`);
  return script.reply;
}

/** The data of a job in fixtures/examples. */
export function example(name: string): JsonObject & { agreement: JsonObject; testCases: JsonObject } {
  return JSON.parse(readFileSync(join(root, `fixtures/examples/${name}.job.json`), 'utf8'));
}

/**
 * A job that a sound handler exists for, marked so that its questions to the model are told from those of other jobs:
 * the mark stands in the
 * document, and is the negotiation's id.
 */
export function markedJob(mark: string, more: JsonObject = {}): JsonObject {
  const job = example('anp-product-en.consistent');
  return {
    ...job,
    negotiationId: mark,
    agreement: { ...job.agreement, candidateProtocols: `${job.agreement.candidateProtocols}\nReference: ${mark}\n` },
    ...more,
  };
}

/** A handler that keeps the agreement of `markedJob`, as a model would answer it. */
export const soundReply = reply('product-en-provider-repair');

/** One line of a worker's log. */
export type LogLine = Record<string, unknown> & { msg?: string; job?: string };

/** How a process ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A worker process. */
export interface WorkerUnderTest {
  readonly pid: number;
  readonly lines: readonly LogLine[];
  /** All that it wrote. */
  output(): string;
  /** Resolves with the first line, past or to come, that matches. */
  logged(matches: (line: LogLine) => boolean): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** What a command did. */
export interface Ran extends Ended {
  stdout: string;
  stderr: string;
}

/** Runs the command line as a process of its own, with nothing of this process' settings. */
export async function runCommand(
  args: readonly string[],
  options: { environment?: Record<string, string>; input?: string; cwd?: string } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [mainWith(options.environment), ...args], {
    cwd: options.cwd ?? root,
    env: environmentWith(options.environment),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const kill = endWithThisProcess(child.pid);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  const hang = setTimeout(() => child.kill('SIGKILL'), hangMs * 2);
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(hang);
      process.off('exit', kill);
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** Settings that make a worker work for a rig. */
export function workerSettings(redisUrl: string, modelUrl: string): Record<string, string> {
  return {
    REDIS_URL: redisUrl,
    OPENAI_BASE_URL: modelUrl,
    PROTOSMITH_MODEL: 'scripted',
    PROTOSMITH_GENERATOR: 'scripted',
    PROTOSMITH_LOG_LEVEL: 'debug',
    PROTOSMITH_CELLS: '1',
  };
}

/** Starts a worker process; resolves when it fetches jobs, or has logged another line. */
export async function startWorker(settings: Record<string, string>, first = 'ready'): Promise<WorkerUnderTest> {
  const child = spawn(process.execPath, [mainWith(settings), 'worker'], {
    cwd: root,
    env: environmentWith(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the worker did not start');
  const kill = endWithThisProcess(pid);
  const lines: LogLine[] = [];
  let output = '';
  const watchers = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    output += `${line}\n`;
    lines.push(parsed(line));
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', kill);
      resolve({ code, signal });
      for (const watch of watchers) watch();
    });
  });
  const logged = (matches: (line: LogLine) => boolean) =>
    new Promise<LogLine>((resolve, reject) => {
      const fail = (why: string) => finish(() => reject(new Error(`${why}\n${output.slice(-4_000)}`)));
      const hang = setTimeout(() => fail(`no such line within ${hangMs} ms`), hangMs);
      const finish = (settle: () => void) => {
        clearTimeout(hang);
        watchers.delete(look);
        settle();
      };
      let next = 0;
      const look = () => {
        for (; next < lines.length; next += 1) {
          const line = lines[next];
          if (line && matches(line)) return finish(() => resolve(line));
        }
        if (child.exitCode !== null || child.signalCode !== null) fail('the worker ended before such a line');
      };
      watchers.add(look);
      look();
    });
  const worker = {
    pid,
    lines,
    output: () => output,
    logged,
    signal: (one: NodeJS.Signals) => void child.kill(one),
    ended,
  };
  await logged(({ msg }) => msg === first);
  return worker;
}

/** Ends a worker as its supervisor would. */
export async function stopWorker(worker: WorkerUnderTest): Promise<Ended> {
  worker.signal('SIGCONT');
  worker.signal('SIGTERM');
  return worker.ended;
}

/** Redis, a model server and a negotiator's way to the queue; end it with `close`, which ends its workers too. */
export interface Rig {
  readonly redis: LocalRedis;
  readonly keys: Keys;
  readonly connection: Connection;
  readonly producer: Producer;
  /** The queue as a foreign producer sees it. */
  readonly queue: Queue;
  readonly modelUrl: string;
  /** Every question to the model that has the mark in it. */
  questions(mark: string): Question[];
  /** Decides how questions with this mark are answered, `nth` from 1; without it they are answered by the scripts. */
  answer(mark: string, behave: (nth: number, question: Question) => Behaviour): void;
  worker(settings?: Record<string, string>): Promise<WorkerUnderTest>;
  submit(data: unknown, options?: { kind?: string; jobId?: string }): Promise<string>;
  outcome(jobId: string): Promise<Outcome>;
  /** Submits and waits. */
  outcomeOf(data: unknown, options?: { kind?: string; jobId?: string }): Promise<Outcome>;
  /**
   * Waits until an ended job has left the queue: an outcome comes a moment earlier, and until then BullMQ ignores its
   * id.
   */
  left(jobId: string): Promise<void>;
  entries(replyTo?: string): Promise<Record<string, string>[]>;
  close(): Promise<void>;
}

/** Starts everything but workers. */
export async function startRig(options: LocalRedisOptions = {}): Promise<Rig> {
  const redis = await localRedis(options);
  const behaviours = new Map<string, (nth: number, question: Question) => Behaviour>();
  const model = await startScriptedModel({
    scripts,
    behave: (question) => {
      const mark = [...behaviours.keys()].find((one) => question.prompt.includes(one));
      return (mark && behaviours.get(mark)?.(marked(mark).length, question)) || { kind: 'script' };
    },
  });
  const marked = (mark: string) => model.questions.filter(({ prompt }) => prompt.includes(mark));
  const connection = connect(redis.url, 'worker');
  const producer = createProducer({ jobs: jobReader, url: redis.url });
  const queue = new Queue(QUEUE_NAME, { connection, prefix: DEFAULT_PREFIX });
  queue.on('error', () => undefined);
  const keys = keysOf();
  const workers: WorkerUnderTest[] = [];
  const submit: Rig['submit'] = async (data, { kind = 'generate', jobId } = {}) =>
    (await producer.submit(kind, data, jobId === undefined ? {} : { jobId })).jobId;
  const outcome: Rig['outcome'] = async (jobId) => {
    const found = await producer.waitForOutcome(jobId, { untilMs: Date.now() + hangMs });
    if (found === null)
      throw new Error(`no outcome of ${jobId}\n${workers.map((one) => one.output().slice(-4_000)).join('\n')}`);
    return found as unknown as Outcome;
  };
  return {
    redis,
    keys,
    connection,
    producer,
    queue,
    modelUrl: model.baseUrl,
    questions: marked,
    answer: (mark, behave) => void behaviours.set(mark, behave),
    async worker(settings = {}) {
      const worker = await startWorker({ ...workerSettings(redis.url, model.baseUrl), ...settings });
      workers.push(worker);
      return worker;
    },
    submit,
    outcome,
    outcomeOf: async (data, more) => outcome(await submit(data, more)),
    async left(jobId) {
      await until(async () => (await queue.getJob(jobId)) === undefined, `job ${jobId} to leave the queue`);
    },
    async entries(replyTo = 'default') {
      const entries = await connection.xrange(keys.outcomes(replyTo), '-', '+');
      return entries.map(([, fields]) => fieldsOf(fields));
    },
    async close() {
      // Model first: its silence would be waited for.
      await model.close();
      await Promise.all(workers.map((worker) => stopWorker(worker)));
      await queue.close();
      await producer.close();
      await disconnect(connection);
      await redis.close();
    },
  };
}

let shared: Promise<Rig> | undefined;

/**
 * A rig with a worker for the files that share this process, which mark their jobs with names of their own. It ends
 * after the last test.
 */
export function sharedRig(): Promise<Rig> {
  shared ??= startRig().then(async (rig) => {
    after(() => rig.close());
    await rig.worker();
    return rig;
  });
  return shared;
}

/** Waits until a condition holds. */
export async function until<Value>(
  condition: () => Promise<Value | false | null | undefined> | Value | false | null | undefined,
  what = 'the condition',
): Promise<Value> {
  const untilMs = Date.now() + hangMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > untilMs) throw new Error(`waited ${hangMs} ms in vain for ${what}`);
    await sleep(20);
  }
}

/** Process ids of a process' children, and of theirs; empty where /proc is not there. */
export function descendantsOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
    return children.flatMap((child) => [child, ...descendantsOf(child)]);
  } catch {
    return [];
  }
}

/** Whether a process is there and no zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The hash of a protocol's text. */
export function protocolHashOf(data: JsonObject): string {
  return sha256Hex(String((data.agreement as JsonObject).candidateProtocols));
}

/** Names with their values, as Redis answers them flat. */
export function fieldsOf(flat: readonly string[]): Record<string, string> {
  return Object.fromEntries(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [])));
}

/** The environment of a command under test: nothing of this process' settings. */
export function environmentWith(settings: Record<string, string> = {}): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  // A reader's questions would be asked beside those that the tests count.
  return { ...Object.fromEntries(kept), PROTOSMITH_READING: 'off', ...settings };
}

function endWithThisProcess(pid: number | undefined): () => void {
  const kill = () => {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  process.once('exit', kill);
  return kill;
}

function parsed(line: string): LogLine {
  try {
    const value: Json = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
