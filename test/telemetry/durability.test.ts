import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere } from '../system/command-here.ts';
import { tellFault } from '../system/fault-report.ts';
import { startRig, until } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());
const skip = rig.redis.pid === null && 'the embedded Redis has no settings';
const durable = { PROTOSMITH_DURABLE: '1' };
const set = (name: string, value: string) => rig.connection.config('SET', name, value);

/** What doctor says of Redis. */
async function redisExamined(): Promise<{ says: string; details: Record<string, number> } | undefined> {
  const { stdout } = await commandHere(['doctor', '--json'], { environment: { REDIS_URL: rig.redis.url } });
  const all = JSON.parse(stdout) as { subject: string; says: string; details: Record<string, number> }[];
  return all.find(({ subject }) => subject === 'redis');
}

test('a worker that must be durable refuses a Redis that keeps nothing, or that evicts', { skip }, async () => {
  await assert.rejects(rig.worker(durable), /OPERATOR_REDIS_NOT_DURABLE: .*found nothing written to disk/);
  await set('appendonly', 'yes');
  await set('maxmemory-policy', 'allkeys-lru');
  await assert.rejects(rig.worker(durable), /OPERATOR_REDIS_EVICTS: .*allkeys-lru/);
  await set('maxmemory-policy', 'noeviction');
  const worker = await rig.worker({ ...durable, PROTOSMITH_PORT: '0' });
  tellFault('Redis without persistence, or evicting, where it must be durable', 0, 0, 0, 0);
  // What it was judged by may change while it runs.
  await set('appendonly', 'no');
  const { port } = await worker.logged(({ msg }) => msg === 'listening');
  await until(async () => {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    return ready.status === 503 && /found nothing written to disk/.test(await ready.text());
  }, 'the worker to be unready');
  worker.signal('SIGTERM');
  assert.equal((await worker.ended).code, 0);
});

test('doctor calls such a Redis ill where durability is demanded, and warns elsewhere', { skip }, async () => {
  await set('appendonly', 'no');
  const examine = async (settings: Record<string, string>) => {
    const { code, stdout } = await commandHere(['doctor', '--json'], {
      environment: { REDIS_URL: rig.redis.url, OPENAI_BASE_URL: rig.modelUrl, PROTOSMITH_MODEL: 'x', ...settings },
    });
    const [redis] = (JSON.parse(stdout) as { subject: string; state: string; says: string }[]).filter(
      ({ subject }) => subject === 'redis',
    );
    return { code, state: redis?.state, says: redis?.says ?? '' };
  };
  const plain = await examine({});
  assert.deepEqual([plain.code, plain.state], [0, 'warning']);
  const demanded = await examine(durable);
  assert.deepEqual([demanded.code, demanded.state], [2, 'ill']);
  assert.match(demanded.says, /appendonly yes/);
});

test('doctor warns before memory runs out at the pace of the last hour', { skip }, async () => {
  const envelope = 'x'.repeat(50_000);
  const [nowMs, stream] = [Date.now(), rig.keys.outcomes('default')];
  // Those of days past do not count, and one early in the hour does not make the pace of a burst that of the whole
  // hour.
  for (const [agoMs, many] of [
    [172_800_000, 100],
    [3_000_000, 1],
  ] as const)
    for (let nth = 0; nth < many; nth += 1)
      await rig.connection.xadd(stream, `${nowMs - agoMs}-${nth}`, 'jobId', `past-${agoMs}`, 'final', '1');
  for (let nth = 0; nth < 80; nth += 1) {
    await rig.connection.set(rig.keys.outcome(`grown-${nth}`), envelope);
    await rig.connection.xadd(rig.keys.outcomes('default'), '*', 'jobId', `grown-${nth}`, 'final', '1');
  }
  await set('maxmemory', String(60_000_000));
  const redis = await redisExamined();
  assert.match(redis?.says ?? '', /in 24 hours Redis may hold .* of 60 MB/);
  assert.equal(redis?.details.outcomesLastHour, 81);
  assert.ok((redis?.details.bytesPerOutcome ?? 0) > 50_000);
});

test('what doctor projects counts outcomes wherever they are announced, with the handlers that were made for them', {
  skip,
}, async () => {
  await rig.connection.flushall();
  const envelope = (digest: string, reused: boolean) =>
    JSON.stringify({
      verdict: 'generated',
      messages: [],
      findings: [],
      tenant: 't',
      handler: { digest },
      report: { reused },
    });
  await rig.connection.set(rig.keys.handler('t', 'made'), 'x'.repeat(100_000));
  for (const [jobId, replyTo, reused, replayed] of [
    ['first', 'elsewhere', false, '0'],
    ['again', 'default', true, '0'],
    ['first', 'default', false, '1'],
  ] as const) {
    await rig.connection.set(rig.keys.outcome(jobId), envelope('made', reused));
    await rig.connection.xadd(rig.keys.outcomes(replyTo), '*', 'jobId', jobId, 'final', '1', 'replayed', replayed);
  }
  const { outcomesLastHour = 0, bytesPerOutcome = 0 } = (await redisExamined())?.details ?? {};
  assert.equal(outcomesLastHour, 3);
  const all = bytesPerOutcome * outcomesLastHour;
  assert.ok(all > 100_000 && all < 101_000, `${all}`);
});
