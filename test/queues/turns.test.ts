import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Delivery, keysOf, tenantLoads } from '../../queues/index.ts';
import { Turns } from '../../queues/jobs/turns.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();

type UnderTest = Awaited<ReturnType<typeof queueUnderTest>>;

/** Ways to submit a job, each with the id `<tenant>-<number>`. */
const ways: Record<string, (under: UnderTest, tenant: string, count: number) => Promise<unknown>> = {
  'our client': async ({ producer }, tenant, count) => {
    for (const [jobId, data] of jobsOf(tenant, count)) await producer.submit('generate', data, { jobId });
  },
  "BullMQ's client": ({ queue }, tenant, count) =>
    queue.addBulk(jobsOf(tenant, count).map(([jobId, data]) => ({ name: 'generate', data, opts: { jobId } }))),
  "BullMQ's client, with a priority of its own": ({ queue }, tenant, count) => {
    const opts = { priority: tenant === 'flood' ? 1 : 900 };
    return queue.addBulk(
      jobsOf(tenant, count).map(([jobId, data]) => ({ name: 'generate', data, opts: { ...opts, jobId } })),
    );
  },
};

function jobsOf(tenant: string, count: number): [jobId: string, data: object][] {
  return Array.from({ length: count }, (_, index) => [
    `${tenant}-${index}`,
    jobData({ tenant, attempt: index, timeoutMs: 600_000 }),
  ]);
}

/** Answers jobs one after the other, and tells their order. */
function inOrder() {
  const order: string[] = [];
  const process = async ({ jobId, kind, data }: Delivery) => {
    order.push(jobId);
    return envelope(kind, data);
  };
  return { order, concurrency: 1, process };
}

for (const [way, submit] of Object.entries(ways)) {
  test(`tenants take turns, and one with many jobs gets fewer, with jobs by ${way}`, async (t) => {
    const under = await queueUnderTest(t);
    await submit(under, 'flood', 1_200);
    await submit(under, 'other', 30);
    const { order, ...answering } = inOrder();
    await under.consume(answering);
    await under.outcome('other-29');
    const lastOfOther = order.indexOf('other-29');
    // Alone it would be the thirtieth; in strict turns the sixtieth. A BullMQ client's first jobs are taken before it
    // is known that others wait.
    assert.ok(lastOfOther < 60, `the other tenant's last job was the ${lastOfOther + 1}th`);
    const floodBefore = order.slice(0, lastOfOther).filter((jobId) => jobId.startsWith('flood'));
    assert.ok(floodBefore.length > 5, `only ${floodBefore.length} jobs of the flood were taken meanwhile`);
    const ofFlood = order.filter((jobId) => jobId.startsWith('flood')).map((jobId) => Number(jobId.slice(6)));
    assert.deepEqual(
      ofFlood,
      [...ofFlood].sort((one, next) => one - next),
      'the jobs of one tenant keep their order',
    );
  });
}

test('jobs by XADD take turns too', async (t) => {
  const under = await queueUnderTest(t);
  await under.queue.pause();
  const { order, ...answering } = inOrder();
  await under.consume(answering);
  for (const tenant of ['flood', 'other'])
    for (const [jobId, data] of jobsOf(tenant, tenant === 'flood' ? 200 : 5))
      await under.connection.xadd(keys.intake, '*', 'jobId', jobId, 'data', JSON.stringify(data));
  await until(async () => (await under.connection.xlen(keys.intake)) === 0);
  await under.queue.resume();
  await under.outcome('other-4');
  assert.ok(order.indexOf('other-4') < 20, order.slice(0, 30).join());
});

test('a tenant that comes while another floods the queue is served next', async (t) => {
  const under = await queueUnderTest(t);
  const { producer, queue } = under;
  const { order, ...answering } = inOrder();
  await queue.addBulk(jobsOf('flood', 500).map(([jobId, data]) => ({ name: 'generate', data, opts: { jobId } })));
  const gate = Promise.withResolvers<void>();
  await under.consume({
    ...answering,
    process: async (delivery) => {
      if (order.length === 50) await gate.promise;
      return answering.process(delivery);
    },
  });
  await until(() => order.length === 50);
  await producer.submit('generate', jobData({ tenant: 'other' }), { jobId: 'other-0' });
  gate.resolve();
  await under.outcome('other-0');
  // The job in hand, and at most one that was fetched with the end of it.
  assert.ok(order.indexOf('other-0') <= 52, `it was the ${order.indexOf('other-0') + 1}th`);
});

test('jobs set behind all others get their turns, whatever became of the worker that set them there', async (t) => {
  const under = await queueUnderTest(t);
  const { connection, producer } = under;
  const prioritized = `${keys.queue}:prioritized`;
  const gate = Promise.withResolvers<void>();
  await under.consume({
    concurrency: 1,
    process: async ({ kind, data }) => {
      await gate.promise;
      return envelope(kind, data);
    },
  });
  await producer.submit('generate', jobData({ tenant: 'a' }), { jobId: 'held' });
  await until(() => under.events.some(({ event }) => event === 'taken'));
  const ids = ['one', 'two', 'three'];
  for (const [index, jobId] of ids.entries())
    await connection.hset(`${keys.queue}:${jobId}`, {
      name: 'generate',
      data: JSON.stringify(jobData({ attempt: index })),
      timestamp: Date.now(),
    });
  const behind = 2_000_001 * 2 ** 32;
  for (const [index, jobId] of [...ids, 'no-job'].entries()) await connection.zadd(prioritized, behind + index, jobId);
  await until(async () => (await connection.zcount(prioritized, behind, '+inf')) === 0);
  assert.deepEqual((await connection.zrange(prioritized, '0', '-1')).slice(0, 3), ids);
  assert.equal(await connection.hget(`${keys.queue}:one`, 'priority'), '1024');
  gate.resolve();
  for (const jobId of ids) await under.outcome(jobId);
});

test('a job that is on the queue again is not run too, although the others could not get their turns', async (t) => {
  const { connection, queue } = await queueUnderTest(t);
  const data = jobData();
  await connection.hset(`${keys.queue}:fetched`, 'name', 'generate', 'data', JSON.stringify(data));
  await connection.lpush(`${keys.queue}:active`, 'fetched');
  await connection.set(`${keys.queue}:fetched:lock`, 'mine');
  await queue.add('generate', data, { jobId: 'too-many' });
  await connection.hset(keys.limits, 'tenant-waiting', JSON.stringify({ value: 0 }));
  const turns = new Turns(connection, keys, jobReader, () => Promise.reject(new Error('away')));
  const job = { jobId: 'fetched', kind: 'generate', data, token: 'mine', priority: 0, deliveriesBefore: 0 };
  assert.equal(await turns.enqueueInTurn(job), true);
  assert.equal(await connection.llen(`${keys.queue}:active`), 0);
  assert.ok(await connection.zscore(`${keys.queue}:prioritized`, 'fetched'));
  await assert.rejects(turns.giveTurns(), /away/, 'the keeper is told');
});

test('jobs that come again neither wait behind their tenant’s other jobs nor keep others from their turns', async (t) => {
  const under = await queueUnderTest(t);
  const { producer } = under;
  for (const [jobId, data] of jobsOf('flood', 300)) await producer.submit('generate', data, { jobId });
  for (const [jobId, data] of jobsOf('other', 10)) await producer.submit('generate', data, { jobId });
  const order: string[] = [];
  await under.consume({
    concurrency: 1,
    process: async ({ jobId, kind, data, delivery }) => {
      order.push(jobId);
      if (jobId.startsWith('flood') && delivery < 3)
        throw Object.assign(new Error('again'), { code: 'PLATFORM_MODEL_STALLED', retryAfterMs: 1 });
      return envelope(kind, data);
    },
  });
  await under.outcome('flood-5');
  await under.outcome('other-9');
  assert.ok(new Set(order.slice(0, order.indexOf('other-9'))).size < 60, 'other tenants keep their turns');
  const third = order.indexOf('flood-5', order.indexOf('flood-5', order.indexOf('flood-5') + 1) + 1);
  assert.ok(third >= 0 && third < 250, `the job ended as the ${third + 1}th`);
});

test('a tenant with too many waiting jobs is refused, and hears of it; others are not', async (t) => {
  const under = await queueUnderTest(t);
  const { producer, connection, entries } = under;
  await connection.hset(keys.limits, 'tenant-waiting', JSON.stringify({ value: 3 }));
  for (const [jobId, data] of jobsOf('a', 3)) await producer.submit('generate', data, { jobId });
  const next = jobData({ tenant: 'a', attempt: 99, replyTo: 'a' });
  await assert.rejects(producer.submit('generate', next), {
    code: 'JOB_TENANT_FULL',
    message: 'Cannot take job: found 3 jobs of its tenant waiting, wanted fewer than 3',
  });
  // The queue has it: nothing is added.
  await producer.submit('generate', jobsOf('a', 1)[0]?.[1], { jobId: 'a-0' });
  await producer.submit('generate', jobData({ tenant: 'b' }));
  await connection.hset(keys.limits, 'tenant-waiting:b', JSON.stringify({ value: 1 }));
  await assert.rejects(producer.submit('generate', jobData({ tenant: 'b', attempt: 1 })), { code: 'JOB_TENANT_FULL' });

  const gate = Promise.withResolvers<void>();
  await under.consume({
    concurrency: 1,
    process: async ({ kind, data }) => {
      await gate.promise;
      return envelope(kind, data);
    },
  });
  await connection.hset(keys.limits, 'tenant-waiting', JSON.stringify({ value: 1 }));
  await connection.xadd(keys.intake, '*', 'jobId', 'late', 'data', JSON.stringify(next));
  await until(async () => (await entries('a')).length === 1);
  const [{ jobId, final, verdict, code, negotiationId } = {}] = await entries('a');
  assert.deepEqual([jobId, final, verdict, code], ['late', '1', 'error', 'JOB_TENANT_FULL']);
  assert.equal(negotiationId, 'n-1');
  assert.equal(await connection.xlen(keys.intake), 0);
  assert.ok(under.events.some((event) => event.event === 'refused' && event.code === 'JOB_TENANT_FULL'));

  gate.resolve();
  await under.outcome('a-2');
  await connection.xadd(keys.intake, '*', 'jobId', 'late', 'data', JSON.stringify(next));
  assert.equal((await under.outcome('late')).verdict, 'generated', 'its id was not used up');
});

test("jobs of BullMQ's client beyond the limit are taken off the queue, and the producer hears of each", async (t) => {
  const under = await queueUnderTest(t);
  const { connection, entries, queue } = under;
  await connection.hset(keys.limits, 'tenant-waiting:a', JSON.stringify({ value: 5 }));
  const ofA = jobsOf('a', 12).map(([jobId, data], index) => {
    const opts = { jobId };
    return { name: 'generate', data: { ...data, replyTo: 'a', timeoutMs: 500_000 + index * 1_000 }, opts };
  });
  await queue.addBulk(ofA);
  await queue.addBulk(jobsOf('b', 12).map(([jobId, data]) => ({ name: 'generate', data, opts: { jobId } })));
  await under.consume({ concurrency: 1 });
  const told = await until(async () => {
    const all = await entries('a');
    return all.length >= 12 && all;
  });
  const refused = told.filter(({ code }) => code === 'JOB_TENANT_FULL').map(({ jobId }) => jobId);
  const ended = told.filter(({ verdict }) => verdict === 'generated').map(({ jobId }) => jobId);
  // The first one got its turn before it was known how many wait.
  assert.ok(refused.length >= 6 && refused.length <= 7, refused.join());
  assert.deepEqual([...refused, ...ended].sort(), ofA.map(({ opts }) => opts.jobId).sort());
  assert.ok(ended.includes('a-0') && refused.includes('a-11'), 'those with the earliest deadlines stay');
  for (const jobId of refused) assert.equal(await connection.exists(`${keys.queue}:${jobId}`), 0);
  assert.equal(await connection.zcard(keys.waiting('a')), 0, 'a refused job does not count as waiting');
  await under.outcome('b-11');
  await queue.add('generate', ofA[11]?.data, { jobId: 'a-11' });
  assert.equal((await under.outcome('a-11')).verdict, 'generated', 'its id was not used up');
});

test('waiting and running jobs are counted by tenant, however they came and ended', async (t) => {
  const under = await queueUnderTest(t);
  const { producer, queue, connection } = under;
  assert.deepEqual(await tenantLoads(connection, keys), { tenants: [], leftOut: 0 });
  for (const [jobId, data] of jobsOf('a', 4)) await producer.submit('generate', data, { jobId });
  assert.deepEqual((await tenantLoads(connection, keys)).tenants, [{ tenant: 'a', waiting: 4, running: 0 }]);
  const gate = Promise.withResolvers<void>();
  await under.consume({
    concurrency: 2,
    process: async ({ kind, data }) => {
      await gate.promise;
      return envelope(kind, data);
    },
  });
  await until(async () => (await tenantLoads(connection, keys)).tenants[0]?.running === 2);
  await queue.add('generate', 'no object', { jobId: 'odd' });
  await queue.add('generate', jobData({ tenant: 'b' }), { jobId: 'b' });
  const loads = await until(async () => {
    const { tenants } = await tenantLoads(connection, keys);
    return tenants.length === 3 && tenants;
  });
  assert.deepEqual(loads[0], { tenant: 'a', waiting: 2, running: 2 });
  assert.deepEqual(
    loads.slice(1).sort((one, other) => one.tenant.localeCompare(other.tenant)),
    [
      { tenant: '?', waiting: 1, running: 0 },
      { tenant: 'b', waiting: 1, running: 0 },
    ],
  );
  gate.resolve();
  await Promise.all(['a-3', 'odd', 'b'].map((jobId) => under.outcome(jobId)));
  await until(async () => (await tenantLoads(connection, keys)).tenants.length === 0);
});

test('turns are lowered once they are high, and the order stays', async (t) => {
  const under = await queueUnderTest(t);
  const { producer, connection } = under;
  await connection.zadd(keys.turns, 1_500_000, ':now', 1_500_002, 'busy');
  for (const [jobId, data] of jobsOf('busy', 3)) await producer.submit('generate', data, { jobId });
  for (const [jobId, data] of jobsOf('calm', 3)) await producer.submit('generate', data, { jobId });
  const before = await connection.zrange(`${keys.queue}:prioritized`, '0', '-1');
  await new Turns(connection, keys, jobReader).lower();
  assert.deepEqual(await connection.zrange(`${keys.queue}:prioritized`, '0', '-1'), before);
  const scores = await connection.zrange(`${keys.queue}:prioritized`, '0', '-1', 'WITHSCORES');
  assert.ok(Number(scores.at(-1)) < 1_100 * 2 ** 32, scores.join());
  assert.ok(Number(await connection.zscore(keys.turns, 'busy')) < 1_100);
  assert.equal(await connection.hget(`${keys.queue}:calm-0`, 'priority'), '1024');
  const { order, ...answering } = inOrder();
  await under.consume(answering);
  await under.outcome('busy-2');
  assert.deepEqual(order, before);
});
