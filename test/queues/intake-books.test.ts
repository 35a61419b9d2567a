import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConsumer, INTAKE_GROUP, jobIdOf, keysOf } from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { envelope, fieldsOf, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();

const patient = (more = {}) => jobData({ timeoutMs: 600_000, ...more });

type Seen = Awaited<ReturnType<typeof queueUnderTest>>;

/** Starts a worker that processes one job for the whole test: entries of the stream are still moved to the queue. */
function busy({ consume }: Seen) {
  return consume({
    concurrency: 1,
    process: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
  });
}

/** The number of waiting and active jobs. */
function onQueue({ queue }: Seen): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'prioritized', 'active');
}

function bridged({ events }: Seen): string[] {
  return events.flatMap(({ event, jobId = '' }) => (event === 'bridged' ? [jobId] : []));
}

async function bridges({ connection }: Seen): Promise<string[]> {
  const consumers = (await connection.xinfo('CONSUMERS', keys.intake, INTAKE_GROUP)) as string[][];
  return consumers.map((consumer) => fieldsOf(consumer).name ?? '');
}

test('what came by the stream before any worker was there is brought to the queue, and nothing of it is left', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection } = seen;
  const jobs = [1, 2, 3].map((attempt) => patient({ attempt }));
  for (const data of jobs) await connection.xadd(keys.intake, '*', 'data', JSON.stringify(data));
  await busy(seen);
  await until(() => bridged(seen).length === jobs.length);
  assert.deepEqual(bridged(seen).sort(), jobs.map((data) => jobIdOf(data)).sort());
  assert.equal(await onQueue(seen), jobs.length);
  assert.equal(await connection.xlen(keys.intake), 0);
  assert.equal((await connection.xpending(keys.intake, INTAKE_GROUP))[0], 0);
});

test('the time of a job that comes by the stream more than once counts from the first', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection } = seen;
  const data = JSON.stringify(patient());
  const [first, second, third] = [30_000, 20_000, 10_000].map((agoMs) => String(Date.now() - agoMs));
  for (const atMs of [first, second]) await connection.xadd(keys.intake, `${atMs}-0`, 'data', data);
  await busy(seen);
  await until(() => bridged(seen).length === 2);
  // Concurrently: either may reach the queue first.
  const jobKey = `${keys.queue}:${jobIdOf(patient())}`;
  const takenAtMs = await until(() => connection.hget(jobKey, 'takenAtMs'));
  assert.ok([first, second].includes(takenAtMs), takenAtMs);
  await connection.xadd(keys.intake, `${third}-0`, 'data', data);
  await until(() => bridged(seen).length === 3);
  assert.equal(await connection.hget(jobKey, 'takenAtMs'), takenAtMs);
});

test('an id under which BullMQ keeps something else is replaced, and refused from a producer', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection, producer } = seen;
  await busy(seen);
  for (const jobId of ['wait', 'failed', 'delayed', 'meta', 'events', 'marker']) {
    const data = patient({ attempt: jobId });
    await connection.xadd(keys.intake, '*', 'jobId', jobId, 'data', JSON.stringify(data));
    await until(() => bridged(seen).includes(jobIdOf(data)));
    await assert.rejects(producer.submit('generate', data, { jobId }), { code: 'JOB_ID_INVALID' });
  }
  assert.equal(await onQueue(seen), 6);
});

test('the names of bridges that died do not add up, and what one of them had taken is not lost', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection } = seen;
  await connection.xgroup('CREATE', keys.intake, INTAKE_GROUP, '0', 'MKSTREAM');
  await connection.xadd(keys.intake, '*', 'data', JSON.stringify(patient()));
  await connection.xreadgroup('GROUP', INTAKE_GROUP, 'died-at-work', 'STREAMS', keys.intake, '>');
  await connection.xgroup('CREATECONSUMER', keys.intake, INTAKE_GROUP, 'died-idle');
  assert.deepEqual((await bridges(seen)).sort(), ['died-at-work', 'died-idle']);
  // As long as an idle consumer is kept.
  await sleep(15_100);
  await busy(seen);
  await until(() => bridged(seen).length === 1);
  await until(async () =>
    (await bridges(seen)).every((name) => !['died-at-work', 'died-idle', 'keeper'].includes(name)),
  );
  assert.equal(await onQueue(seen), 1);
});

test('a bridge that ends takes its name along, unless entries of it are left for another', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection } = seen;
  const first = await busy(seen);
  await connection.xadd(keys.intake, '*', 'data', JSON.stringify(patient()));
  await until(() => bridged(seen).length === 1);
  assert.equal((await bridges(seen)).length, 1);
  await first.close({ drainMs: 0 });
  assert.deepEqual(await bridges(seen), []);

  const second = await busy(seen);
  await connection.xadd(keys.intake, '*', 'data', JSON.stringify(patient({ attempt: 2 })));
  await until(() => bridged(seen).length === 2);
  const [name = ''] = await bridges(seen);
  // An entry that this bridge read and could not move to the queue.
  const left = '9999999999999-0';
  await connection
    .multi()
    .xadd(keys.intake, left, 'data', '1')
    .call('XGROUP', 'SETID', keys.intake, INTAKE_GROUP, left)
    .exec();
  await connection.call('XCLAIM', keys.intake, INTAKE_GROUP, name, '0', left, 'FORCE', 'JUSTID');
  await second.close({ drainMs: 0 });
  assert.deepEqual(await bridges(seen), [name]);
  assert.equal((await connection.xpending(keys.intake, INTAKE_GROUP))[0], 1);
});

test('an entry that Redis hands to a bridge while that ends is left for another', async (t) => {
  const seen = await queueUnderTest(t);
  const { connection, redis, atEnd } = seen;
  const data = patient();
  await connection.xgroup('CREATE', keys.intake, INTAKE_GROUP, '0', 'MKSTREAM');
  let name: string | undefined;
  // Between the last commands of a closing bridge, Redis still serves a pending read of it.
  const proxy = createServer((near) => {
    const far = connectTo(Number(new URL(redis.url).port), '127.0.0.1');
    for (const socket of [near, far])
      socket.on('error', () => undefined).on('close', () => near.destroy() && far.destroy());
    far.pipe(near);
    near.on('data', async (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      if (name !== undefined && text.includes(name) && /DELCONSUMER|evalsha/i.test(text)) {
        near.pause();
        await connection.xadd(keys.intake, '*', 'data', JSON.stringify(data));
        await connection.xreadgroup('GROUP', INTAKE_GROUP, name, 'STREAMS', keys.intake, '>');
        name = undefined;
        near.resume();
      }
      far.write(chunk);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  atEnd(async () => void proxy.close());
  const ending = createConsumer({
    jobs: jobReader,
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    process: async ({ kind, data: given }) => envelope(kind, given),
  });
  atEnd(() => ending.close());
  await ending.ready();
  // A bridge has a consumer name once it has read something.
  await connection.xadd(keys.intake, '*', 'data', JSON.stringify(patient({ attempt: 1 })));
  const own = await until(async () => (await bridges(seen))[0]);
  await until(async () => (await connection.xlen(keys.intake)) === 0);
  name = own;
  await ending.close();
  assert.equal(name, undefined, 'the entry came in between');
  const pending = (await connection.xpending(keys.intake, INTAKE_GROUP)) as [number];
  assert.deepEqual([pending[0], await bridges(seen)], [1, [own]]);
});
