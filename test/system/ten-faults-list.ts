import assert from 'node:assert/strict';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import type { SeededRandom } from '../../src/verification/worlds/seeded-random.ts';
import { commandHere } from './command-here.ts';
import { markedJob, until } from './harness.ts';
import { killer, sound } from './status-names.ts';
import { patient, type Scene, type Sign, user } from './ten-faults-scene.ts';

/** A fault that has begun. */
interface Begun {
  sign: Sign;
  /** Milliseconds since 1970. */
  sinceMs: number;
  mend(): Promise<unknown>;
}

/** One of the ten. */
export interface Fault {
  name: string;
  begin(scene: Scene, random: SeededRandom): Promise<Begun>;
  /** Whether it stays named for some minutes after it is mended, because it tells of what has happened. */
  lasts?: true;
}

/** A model that answers every question in one of these ways until it is mended. */
function ofModel(sign: Sign, behaviours: readonly Behaviour[]): Fault['begin'] {
  return async (scene, random) => {
    const behaviour = random.pick(behaviours) as Behaviour;
    scene.fault = () => behaviour;
    const mend = async () => {
      scene.fault = undefined;
    };
    return { sign, sinceMs: Date.now(), mend };
  };
}

const refusedKey: Fault = {
  name: 'model answers 401',
  begin: ofModel({ code: 'endpoint-refused', cause: /OPERATOR_MODEL_AUTH.*status 401/, remedy: /OPENAI_API_KEY/ }, [
    { kind: 'status', status: 401 },
  ]),
};

const hangs: Fault = {
  name: 'model hangs',
  // Before its headers, after them, and in the middle of its text.
  begin: ofModel(
    { code: 'endpoint-failing', cause: /silent for up to|PLATFORM_MODEL_STALLED/, remedy: /check the model server/ },
    [{ kind: 'stall' }, { kind: 'stall', text: '' }, { kind: 'stall', text: '```ts\n' }],
  ),
  lasts: true,
};

const storm: Fault = {
  name: '429 storm',
  begin: ofModel(
    { code: 'endpoint-failing', cause: /PLATFORM_MODEL_RATE_LIMITED \d/, remedy: /PROTOSMITH_CONCURRENCY/ },
    [
      { kind: 'status', status: 429 },
      { kind: 'status', status: 429, headers: { 'retry-after': '5' } },
    ],
  ),
  lasts: true,
};

const full: Fault = {
  name: 'Redis full',
  async begin({ rig }) {
    const sinceMs = Date.now();
    await rig.connection.config('SET', 'maxmemory', '1mb');
    const mend = () => rig.connection.config('SET', 'maxmemory', '0');
    return { sign: { code: 'redis-unwritable', cause: /PLATFORM_REDIS_FULL/, remedy: /SET maxmemory/ }, sinceMs, mend };
  },
};

const redisKilled: Fault = {
  name: 'Redis killed',
  async begin(scene) {
    scene.killRedis();
    const mend = async () => {
      await scene.restartRedis();
      const sign: Sign = {
        code: 'redis-restarted',
        cause: /Redis started .* ago, while workers ran/,
        remedy: /log of Redis/,
      };
      await scene.named('Redis back', sign, Date.now());
    };
    const sign: Sign = { code: 'redis-unreachable', cause: /PLATFORM_REDIS_UNREACHABLE/, remedy: /start Redis again/ };
    return { sign, sinceMs: Date.now(), mend };
  },
};

const workerKilled: Fault = {
  name: 'worker killed',
  async begin(scene) {
    const { rig, workers } = scene;
    rig.answer('held-by-killed', (nth) => (nth === 1 ? { kind: 'stall' } : sound));
    const jobId = await scene.submit(markedJob('held-by-killed', patient));
    const taken = workers.map(async (worker) => {
      await worker.logged(({ msg, job }) => msg === 'taken' && job === jobId);
      return worker;
    });
    const victim = await Promise.any(taken);
    await until(() => rig.questions('held-by-killed')[0], 'the model to be asked');
    victim.signal('SIGKILL');
    const cause = new RegExp(`${victim.pid}.*has not been heard of`);
    const sign: Sign = { code: 'worker-gone', cause, remedy: /start another/ };
    return { sign, sinceMs: Date.now(), mend: () => scene.replaceWorker(victim) };
  },
  lasts: true,
};

const invalid: Fault = {
  name: 'invalid job of a foreign producer',
  async begin({ rig }) {
    const sinceMs = Date.now();
    const data = { version: 1, tenant: 'acme', replyTo: 'acme-negotiator', surprise: '\u001b[2J' };
    await rig.queue.add('generate', data, { jobId: 'foreign-1' });
    const cause = /tenant acme.*acme-negotiator.*JOB_\w+.*foreign-1/;
    const sign: Sign = { code: 'invalid-jobs', cause, remedy: /inspect foreign-1.*tell its producer/ };
    return { sign, sinceMs, mend: () => rig.left('foreign-1') };
  },
  lasts: true,
};

const flood: Fault = {
  name: 'tenant flood',
  async begin(scene) {
    const { promise: after, resolve } = Promise.withResolvers<void>();
    scene.rig.answer('flood', () => ({ ...sound, after }));
    const sinceMs = Date.now();
    const jobs = Array.from({ length: 100 }, (_, nth) => ({
      name: 'generate',
      data: { ...markedJob('flood', { ...patient, tenant: 'noisy' }), negotiationId: `flood-${nth}` },
      opts: { jobId: `noisy-${nth}` },
    }));
    await scene.rig.queue.addBulk(jobs);
    for (const { opts } of jobs) scene.expected.set(opts.jobId, 'generated');
    const cause = /tenant noisy has about \d+ of \d+ waiting jobs/;
    return { sign: { code: 'tenant-flood', cause, remedy: /slow down/ }, sinceMs, mend: async () => resolve() };
  },
};

const sandboxKilled: Fault = {
  name: 'bundle kills the sandbox',
  async begin(scene) {
    scene.rig.answer('cell-killer', () => ({ kind: 'reply', text: killer }));
    const sinceMs = Date.now();
    await scene.submit(markedJob('cell-killer', { ...patient, tenant: 'acme' }), 'generate', 'error');
    const mend = async () => {
      const environment = { REDIS_URL: scene.url };
      const { code, stderr } = await commandHere(['quarantine', 'acknowledge', '--all'], { environment });
      assert.equal(code, 0, stderr);
    };
    const cause = /in quarantine, the last one [0-9a-f]{12}.* of tenant acme/;
    return { sign: { code: 'quarantine', cause, remedy: /quarantine list/ }, sinceMs, mend };
  },
};

/** Needed in different places: to end a job, to take one, to add one, to read one. */
const commands = ['xadd', 'bzpopmin', 'evalsha', 'zadd', 'hget'] as const;

const forbidden: Fault = {
  name: 'ACL lacks a command',
  async begin({ rig }, random) {
    const command = random.pick(commands);
    const change = (sign: '+' | '-') => rig.connection.call('ACL', 'SETUSER', user, `${sign}${command}`);
    const sinceMs = Date.now();
    await change('-');
    const cause = new RegExp(`user ${user} may not use ${command}`);
    const remedy = new RegExp(`ACL SETUSER ${user} \\+${command}`);
    return { sign: { code: 'redis-permission', cause, remedy }, sinceMs, mend: () => change('+') };
  },
};

/** All ten. */
export const faults: readonly Fault[] = [
  refusedKey,
  hangs,
  storm,
  full,
  redisKilled,
  workerKilled,
  invalid,
  flood,
  sandboxKilled,
  forbidden,
];
