import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalRedis, localRedis } from '../../queues/index.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { Concern, ConcernCode } from '../../src/operator/situation/concerns.ts';
import type { Behaviour, Question } from '../../src/scripted-model/server.ts';
import type { SeededRandom } from '../../src/verification/worlds/seeded-random.ts';
import { type ConsoleProcess, openConsole } from './console-process.ts';
import { markedJob, type Rig, soundReply, startRig, until, type WorkerUnderTest } from './harness.ts';
import { named, probe, sound, statusOf } from './status-names.ts';

/** Workers, console and `status` use this user; producers use the default one, as foreign programs may. */
export const user = 'app';
const login = ['--user', user, 'on', '>pw', '~*', '&*', '+@all'];
/** What Redis has answered is never lost: by the usual policy a second's could be. */
const durable = ['--appendfsync', 'always'];

/** Longer than the whole scene: such a job can wait for every fault to be mended. */
export const patient: JsonObject = { timeoutMs: 600_000 };
const tenants = ['north', 'south', 'west'] as const;
/** Stands in the prompt of every sound job. */
const mark = 'sound-job-';
/** Some seconds long, so that faults meet calls in flight. */
const unhurried: Behaviour = { kind: 'reply', text: soundReply, pieceCharacters: 100, pauseMs: 100 };

/** How to tell a fault: by the code of a concern, by its cause, and by what mends it. */
export interface Sign {
  code: ConcernCode;
  cause: RegExp;
  /** What mends it, in the words for an operator. */
  remedy: RegExp;
}

/** An installation under load: two workers, a console, a model, several tenants. */
export class Scene {
  readonly rig: Rig;
  readonly console: ConsoleProcess;
  /** As its own programs reach Redis. */
  readonly url: string;
  readonly workers: WorkerUnderTest[];
  /** The verdict that each job must end with, by its id. */
  readonly expected = new Map<string, string>();
  /** How the model answers sound jobs and probes; `undefined` while it is well. */
  fault: ((question: Question) => Behaviour) | undefined;
  #redis: LocalRedis;
  readonly #dir: string;
  #count = 0;

  private constructor(dir: string, rig: Rig, url: string, workers: WorkerUnderTest[], console: ConsoleProcess) {
    this.#dir = dir;
    this.rig = rig;
    this.url = url;
    this.workers = workers;
    this.console = console;
    this.#redis = rig.redis;
    rig.answer(mark, (_, question) => this.fault?.(question) ?? unhurried);
    rig.answer(probe, (_, question) => this.fault?.(question) ?? sound);
  }

  /** Starts the installation; it ends with the test. */
  static async start(t: TestContext): Promise<Scene> {
    const dir = await mkdtemp(join(tmpdir(), 'protosmith-ten-'));
    const rig = await startRig({ dir, args: [...login, ...durable] });
    const url = rig.redis.url.replace('//', `//${user}:pw@`);
    const workers = await Promise.all([startWorker(rig, url), startWorker(rig, url)]);
    const scene = new Scene(dir, rig, url, workers, await openConsole(url));
    t.after(() => scene.#close());
    return scene;
  }

  /** Submits a job whose verdict is known, again and again until it is taken, as a negotiator would. */
  async submit(data: JsonObject, kind = 'generate', verdict = 'generated'): Promise<string> {
    const jobId = await until(() => this.rig.submit(data, { kind }).catch(() => null), 'a job to be taken');
    this.expected.set(jobId, verdict);
    return jobId;
  }

  /** Submits sound jobs of all tenants, until it is told to stop. */
  async load(random: SeededRandom, stop: AbortSignal): Promise<void> {
    const known = this.#job();
    const handlerDigest = await this.#handlerOf(await this.submit(known));
    const again = () => ({ ...known, negotiationId: `${mark}${this.#next()}` });
    while (!stop.aborted) {
      const kind = random.pick(['new', 'new', 'again', 'review', 'review', 'verify']);
      if (kind === 'new') await this.submit(this.#job(random.pick(tenants)));
      else if (kind === 'again') await this.submit(again());
      else if (kind === 'review') await this.submit(this.#job(random.pick(tenants)), 'review', 'clean');
      else await this.submit({ ...again(), handlerDigest }, 'verify', 'clean');
      await sleep(500 + 500 * random.next());
    }
  }

  /** Waits until a new job is generated. */
  async works(): Promise<void> {
    await this.rig.outcome(await this.submit(this.#job()));
  }

  /** Waits until `status` and the console name a fault, and prints how long each took. */
  async named(fault: string, sign: Sign, sinceMs: number): Promise<void> {
    const timed = async (telling: Promise<Concern>) => {
      const { cost, remedy } = await telling;
      const seconds = ((Date.now() - sinceMs) / 1_000).toFixed(1);
      assert.match(remedy, sign.remedy);
      assert.ok(cost.length > 5, cost);
      return `${seconds} s`;
    };
    const [byStatus, byConsole] = await Promise.all([
      timed(named(this.url, fault, sign.code, sign.cause, sinceMs)),
      timed(until(async () => (await this.#shown()).find(isSign(sign)), `the console to name ${fault}`)),
    ]);
    console.log(`told: ${fault}; status: ${byStatus}; console: ${byConsole}`);
  }

  /** Waits until neither `status` nor the console names a fault. */
  async gone(sign: Sign): Promise<void> {
    const all = async () => [...(await statusOf(this.url)).concerns, ...(await this.#shown())];
    await until(async () => !(await all()).some(isSign(sign)), `${sign.code} to end`);
  }

  /** Starts a worker in the place of one that ended. */
  async replaceWorker(ended: WorkerUnderTest): Promise<void> {
    this.workers[this.workers.indexOf(ended)] = await startWorker(this.rig, this.url);
  }

  /** Kills Redis at once, as a machine that fails. */
  killRedis(): void {
    process.kill(this.#redis.pid ?? 0, 'SIGKILL');
  }

  /** Starts Redis again in its place, with its file. */
  async restartRedis(): Promise<void> {
    const port = Number(new URL(this.rig.redis.url).port);
    this.#redis = await localRedis({ dir: this.#dir, port, args: [...login, ...durable] });
  }

  #job(tenant = 'north'): JsonObject {
    return markedJob(`${mark}${this.#next()}`, { ...patient, tenant });
  }

  #next(): string {
    this.#count += 1;
    return `${this.#count}-`;
  }

  async #handlerOf(jobId: string): Promise<string> {
    const { handler, findings } = await this.rig.outcome(jobId);
    if (handler === null || handler === undefined) throw new Error(JSON.stringify(findings));
    return handler.digest;
  }

  /** The concerns on the overview of the console. */
  async #shown(): Promise<Concern[]> {
    const answer = await this.console.get('/', { headers: { authorization: `Bearer ${this.console.token}` } });
    const page = await answer.text();
    if (answer.status !== 200) throw new Error(`the overview answers ${answer.status}: ${page}`);
    const item = /<li id="concern-([\w-]+)"><strong>! (.*?)<\/strong>\s*<p>(.*?)<\/p><p>(.*?)<\/p>/gs;
    return [...page.matchAll(item)].map(([, code, ...texts]) => {
      const [cause = '', cost = '', remedy = ''] = texts.map(unescaped);
      return { code: code as ConcernCode, cause, cost, remedy };
    });
  }

  async #close(): Promise<void> {
    await this.console.close();
    await this.rig.close();
    await this.#redis.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

function startWorker(rig: Rig, url: string): Promise<WorkerUnderTest> {
  return rig.worker({ REDIS_URL: url, PROTOSMITH_CONCURRENCY: '4' });
}

function isSign({ code, cause }: Sign): (concern: Concern) => boolean {
  return (concern) => concern.code === code && cause.test(concern.cause);
}

function unescaped(text: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}
