import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  type Connection,
  defaultHistoryLimits,
  Histories,
  type HistoryLimits,
  HistoryWriter,
  keysOf,
  type LeftOutReport,
} from '../../queues/index.ts';
import { jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();

function writerFor(t: TestContext, url: string, limits: Partial<HistoryLimits> = {}) {
  const reports: LeftOutReport[] = [];
  const writer = new HistoryWriter(url, keys, { ...defaultHistoryLimits, ...limits }, (one) => reports.push(one));
  t.after(() => writer.close());
  return { writer, reports, leftOut: () => reports.reduce((sum, { entries }) => sum + entries, 0) };
}

async function kept(connection: Connection, jobId: string, entries: number) {
  const histories = new Histories(connection, keys);
  return until(async () => {
    const found = await histories.of(jobId);
    return found !== null && found.entries.length >= entries && found;
  });
}

test('a job is kept as it was submitted, byte for byte, and so is what happened to it, in order', async (t) => {
  const { connection, redis, producer, consume, outcome } = await queueUnderTest(t);
  const { writer } = writerFor(t, redis.url);
  await consume({ onDelivery: (delivery) => writer.submitted(delivery) });
  const data = jobData({ tenant: 'acme', note: 'ä \u0007 "x"' });
  const { jobId } = await producer.submit('review', data);
  await outcome(jobId);
  for (let n = 1; n <= 450; n += 1) writer.add(jobId, { n });
  const { submitted, entries, leftOut } = await kept(connection, jobId, 450);
  assert.deepEqual(
    entries.map(({ n }) => n),
    Array.from({ length: 450 }, (_, index) => index + 1),
  );
  assert.deepEqual(leftOut, { entries: 0, bytes: 0 });
  assert.equal(submitted?.kind, 'review');
  assert.equal(submitted?.tenant, 'acme');
  assert.deepEqual(JSON.parse(submitted?.text ?? ''), data);
  const ttl = await connection.ttl(keys.history(jobId));
  assert.ok(ttl > 86_000 && ttl <= 86_400, `${ttl}`);
});

test('a job that no worker could take is kept too', async (t) => {
  const { connection, redis, producer, queue, consume, outcome } = await queueUnderTest(t);
  const { writer } = writerFor(t, redis.url);
  await queue.pause();
  await consume({ onDelivery: (delivery) => writer.submitted(delivery) });
  const data = jobData({ timeoutMs: 1_000 });
  const { jobId } = await producer.submit('generate', data);
  const [finding] = (await outcome(jobId)).findings as { code: string }[];
  assert.equal(finding?.code, 'PLATFORM_DEADLINE');
  const found = await until(() => new Histories(connection, keys).submittedOf(jobId));
  assert.deepEqual(JSON.parse(found.text), data);
});

test('a history is bounded, says what is missing, and still has its end', async (t) => {
  const { connection, redis } = await queueUnderTest(t);
  const { writer, leftOut } = writerFor(t, redis.url, { bytesPerJob: 20_000, entriesPerJob: 50 });
  for (let n = 0; n < 40; n += 1) writer.add('big', { n, text: 'x'.repeat(1_100) });
  for (let n = 0; n < 200; n += 1) writer.add('many', { n });
  writer.add('big', { end: true });
  const big = await kept(connection, 'big', 17);
  const many = await kept(connection, 'many', 50);
  assert.ok(big.entries.length < 20, `${big.entries.length}`);
  assert.deepEqual(big.entries.at(-1), { end: true });
  assert.equal(big.leftOut.entries, 41 - big.entries.length);
  assert.ok(many.entries.length <= 55);
  assert.equal(many.leftOut.entries, 200 - many.entries.length);
  assert.equal(leftOut(), big.leftOut.entries + many.leftOut.entries);
});

test('the histories of a tenant are found by the beginning of their ids, and removed with it', async (t) => {
  const { connection, redis, producer, consume, outcome } = await queueUnderTest(t);
  const { writer } = writerFor(t, redis.url);
  await consume({ onDelivery: (delivery) => writer.submitted(delivery) });
  const ids = await Promise.all(
    ['acme', 'acme', 'other'].map(async (tenant, index) => {
      const jobId = `job-${tenant}-${index}`;
      await producer.submit('review', jobData({ tenant, attempt: index }), { jobId });
      await outcome(jobId);
      writer.add(jobId, { index });
      await kept(connection, jobId, 1);
      return jobId;
    }),
  );
  const histories = new Histories(connection, keys);
  assert.deepEqual((await histories.idsLike('job-acme')).sort(), ids.slice(0, 2));
  assert.deepEqual(await histories.idsLike('job-other'), ids.slice(2));
  assert.deepEqual((await histories.idsOf('acme')).sort(), ids.slice(0, 2));
  assert.equal(await histories.removeTenant('acme'), 2);
  assert.equal(await histories.of('job-acme-0'), null);
  assert.deepEqual(await histories.idsLike('job-'), ['job-other-2']);
  assert.notEqual(await histories.of('job-other-2'), null);
  writer.add('job-acme-1', { late: true }, 'acme');
  await kept(connection, 'job-acme-1', 1);
  assert.equal(await histories.removeTenant('acme'), 1, 'what a running job adds later is found again');
});

test('a nearly full Redis gets no history, and a full one gets it when there is room again', async (t) => {
  const { connection, redis } = await queueUnderTest(t);
  if (redis.kind === 'embedded') return t.skip('needs a real Redis');
  const used = Number(/used_memory:(\d+)/.exec(await connection.info('memory'))?.[1]);
  await connection.config('SET', 'maxmemory', String(Math.round(used * 1.2)));
  const near = writerFor(t, redis.url);
  near.writer.add('near', { n: 1 });
  await until(() => near.leftOut() === 1);
  assert.equal(await connection.exists(keys.history('near')), 0);
  await connection.config('SET', 'maxmemory', '0');
  const later = until(async () => {
    near.writer.add('near', { n: 2 });
    return (await new Histories(connection, keys).of('near')) ?? undefined;
  });
  assert.ok((await later).leftOut.entries >= 1, 'what is missing is told as soon as something can be kept');
  await connection.config('SET', 'maxmemory', '1');
  const full = writerFor(t, redis.url, { memoryShare: Number.POSITIVE_INFINITY });
  full.writer.add('full', { n: 1 });
  await assert.rejects(connection.set('x', 'y'), /OOM/);
  full.writer.add('full', { n: 2 });
  await connection.config('SET', 'maxmemory', '0');
  assert.deepEqual((await kept(connection, 'full', 2)).entries, [{ n: 1 }, { n: 2 }]);
});

test('a Redis that does not answer, or a value of another type, costs no call and no memory', async (t) => {
  const { connection, redis } = await queueUnderTest(t);
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  t.after(() => silent.close());
  const away = writerFor(t, `redis://127.0.0.1:${Object(silent.address()).port}`);
  const text = 'x'.repeat(100_000);
  for (let n = 0; n < 300; n += 1) away.writer.add('a', { text });
  assert.ok(away.leftOut() > 100, `${away.leftOut()} entries left out`);
  await connection.set(keys.history('b'), 'by hand');
  const { writer, leftOut } = writerFor(t, redis.url);
  writer.add('b', { n: 1 });
  writer.add('c', { n: 1 });
  await kept(connection, 'c', 1);
  await until(() => leftOut() === 1);
});
