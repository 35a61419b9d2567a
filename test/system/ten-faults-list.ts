import assert from 'node:assert/strict';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import type { SeededRandom } from '../../src/verification/worlds/seeded-random.ts';
import { commandHere } from './command-here.ts';
import { markedJob, until } from './harness.ts';
import { patient, sound } from './status-names.ts';
import { type Scene, type Sign, user } from './ten-faults-scene.ts';

/** A fault, how to bring it about, and how to mend it. */
export interface Fault {
  name: string;
  /** Resolves when it has begun: to its sign and to its beginning, in milliseconds since 1970. */
  inject(scene: Scene, random: SeededRandom): Promise<{ sign: Sign; sinceMs: number }>;
  mend(scene: Scene): Promise<unknown>;
  /** Whether it stays named for some minutes after it is mended, because it tells of what has happened. */
  lasts?: true;
}

const killer =
  '```ts\nexport function handle(): never {\n  return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as never, 1) as never;\n}\n```';

/** A model that answers every question in this way until it is mended. */
function ofModel(name: string, sign: Sign, behaviours: readonly Behaviour[]): Pick<Fault, 'name' | 'inject' | 'mend'> {
  return {
    name,
    async inject(scene, random) {
      const behaviour = random.pick(behaviours) as Behaviour;
      scene.fault = () => behaviour;
      return { sign, sinceMs: Date.now() };
    },
    async mend(scene) {
      scene.fault = undefined;
    },
  };
}

const refusedKey: Fault = ofModel(
  'model answers 401',
  { code: 'endpoint-refused', cause: /OPERATOR_MODEL_AUTH.*status 401/ },
  [{ kind: 'status', status: 401 }],
);

const hangs: Fault = {
  ...ofModel(
    'model hangs',
    { code: 'endpoint-failing', cause: /silent for up to|PLATFORM_MODEL_STALLED/ },
    // Before its headers, after them, and in the middle of its text.
    [{ kind: 'stall' }, { kind: 'stall', text: '' }, { kind: 'stall', text: '```ts\n' }],
  ),
  lasts: true,
};

const storm: Fault = {
  ...ofModel('429 storm', { code: 'endpoint-failing', cause: /PLATFORM_MODEL_RATE_LIMITED \d/ }, [
    { kind: 'status', status: 429 },
    { kind: 'status', status: 429, headers: { 'retry-after': '5' } },
  ]),
  lasts: true,
};

const full: Fault = {
  name: 'Redis full',
  async inject({ rig }) {
    const sinceMs = Date.now();
    await rig.connection.config('SET', 'maxmemory', '1mb');
    return { sign: { code: 'redis-unwritable', cause: /PLATFORM_REDIS_FULL/ }, sinceMs };
  },
  mend: ({ rig }) => rig.connection.config('SET', 'maxmemory', '0'),
};

const redisKilled: Fault = {
  name: 'Redis killed',
  async inject(scene) {
    scene.killRedis();
    return { sign: { code: 'redis-unreachable', cause: /PLATFORM_REDIS_UNREACHABLE/ }, sinceMs: Date.now() };
  },
  async mend(scene) {
    await scene.restartRedis();
    const sign: Sign = { code: 'redis-restarted', cause: /Redis started .* ago, while workers ran/ };
    await scene.named('Redis back', sign, Date.now());
  },
};

const workerKilled: Fault = {
  name: 'worker killed',
  async inject(scene) {
    const { rig, workers } = scene;
    rig.answer('held-by-killed', (nth) => (nth === 1 ? { kind: 'stall' } : sound));
    const jobId = await scene.submit(markedJob('held-by-killed', patient));
    const taken = workers.map((worker) =>
      worker.logged(({ msg, job }) => msg === 'taken' && job === jobId).then(() => worker),
    );
    for (const other of taken) other.catch(() => undefined);
    const victim = await Promise.race(taken);
    await until(() => rig.questions('held-by-killed')[0], 'the model to be asked');
    victim.signal('SIGKILL');
    const cause = new RegExp(`${victim.pid}.*has not been heard of`);
    return { sign: { code: 'worker-gone', cause }, sinceMs: Date.now() };
  },
  async mend(scene) {
    for (const worker of [...scene.workers]) {
      const ended = await Promise.race([worker.ended, null]);
      if (ended !== null) await scene.replaceWorker(worker);
    }
  },
  lasts: true,
};

const invalid: Fault = {
  name: 'invalid job of a foreign producer',
  async inject({ rig }) {
    const sinceMs = Date.now();
    const data = { version: 1, tenant: 'acme', replyTo: 'acme-negotiator', surprise: '\u001b[2J' };
    await rig.queue.add('generate', data, { jobId: 'foreign-1' });
    return { sign: { code: 'invalid-jobs', cause: /tenant acme.*acme-negotiator.*JOB_\w+.*foreign-1/ }, sinceMs };
  },
  mend: ({ rig }) => rig.left('foreign-1'),
  lasts: true,
};

const flood: Fault = {
  name: 'tenant flood',
  async inject(scene) {
    const { rig } = scene;
    const isMended = new Promise<void>((resolve) => floodEnds.set(scene, resolve));
    rig.answer('flood', () => ({ ...sound, after: isMended }) as Behaviour);
    const sinceMs = Date.now();
    const jobs = Array.from({ length: 100 }, (_, nth) => ({
      name: 'generate',
      data: { ...markedJob('flood', { ...patient, tenant: 'noisy' }), negotiationId: `flood-${nth}` },
      opts: { jobId: `noisy-${nth}` },
    }));
    await rig.queue.addBulk(jobs);
    for (const { opts } of jobs) scene.expected.set(opts.jobId, 'generated');
    return { sign: { code: 'tenant-flood', cause: /tenant noisy holds about \d+ of \d+ waiting jobs/ }, sinceMs };
  },
  async mend(scene) {
    floodEnds.get(scene)?.();
  },
};
const floodEnds = new WeakMap<Scene, () => void>();

const sandboxKilled: Fault = {
  name: 'bundle kills the sandbox',
  async inject(scene) {
    const { rig } = scene;
    rig.answer('cell-killer', () => ({ kind: 'reply', text: killer }));
    const sinceMs = Date.now();
    await scene.submit(markedJob('cell-killer', { ...patient, tenant: 'acme' }), 'generate', 'error');
    return {
      sign: { code: 'quarantine', cause: /in quarantine, the last one [0-9a-f]{12}.* of tenant acme/ },
      sinceMs,
    };
  },
  async mend({ url }) {
    const { code, stderr } = await commandHere(['quarantine', 'acknowledge', '--all'], {
      environment: { REDIS_URL: url },
    });
    assert.equal(code, 0, stderr);
  },
};

/** The command that the fault takes away. */
const command = 'xadd';

const forbidden: Fault = {
  name: 'ACL lacks a command',
  async inject({ rig }) {
    const sinceMs = Date.now();
    await rig.connection.call('ACL', 'SETUSER', user, `-${command}`);
    return { sign: { code: 'redis-permission', cause: new RegExp(`user ${user} may not use ${command}`) }, sinceMs };
  },
  mend: ({ rig }) => rig.connection.call('ACL', 'SETUSER', user, `+${command}`),
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
