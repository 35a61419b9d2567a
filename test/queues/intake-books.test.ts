import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { INTAKE_GROUP, jobIdOf, keysOf } from '../../queues/index.ts';
import { fieldsOf, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();

const patient = (more = {}) => jobData({ timeoutMs: 600_000, ...more });

type Seen = Awaited<ReturnType<typeof queueUnderTest>>;

/** Starts a worker that works on one job for as long as the test takes: what comes by the stream is brought to the queue. */
function busy({ consume }: Seen) {
  return consume({
    concurrency: 1,
    process: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true })),
  });
}

/** Jobs that wait or are worked on. */
function onQueue({ queue }: Seen): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'active');
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
  for (const id of ['1000-0', '2000-0']) await connection.xadd(keys.intake, id, 'data', data);
  await busy(seen);
  await until(() => bridged(seen).length === 2);
  // Side by side: which of the two is first at the queue, nobody knows.
  const takenAtMs = await connection.get(keys.taken(jobIdOf(patient())));
  await connection.xadd(keys.intake, '3000-0', 'data', data);
  await until(() => bridged(seen).length === 3);
  assert.equal(await connection.get(keys.taken(jobIdOf(patient()))), takenAtMs);
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
  // As long as an entry that another took is left to it.
  await sleep(15_100);
  await busy(seen);
  await until(() => bridged(seen).length === 1);
  await until(async () => (await bridges(seen)).length === 1);
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
  // An entry that this bridge has taken and could not bring to the queue.
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
