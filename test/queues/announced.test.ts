import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'bullmq';
import { type ConsumerOptions, type Delivery, keysOf, publishScript, redisServerPath } from '../../queues/index.ts';
import { errorEnvelope } from '../../src/pipeline/outcome-of.ts';
import { envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';
import { workerProcesses } from './worker-processes.ts';

const keys = keysOf();
const accepted = { action: 'fixErrorNegotiation', status: 'accepted' };
const generated = { action: 'codeGeneration', status: 'generated' };
const error = { action: 'codeGeneration', status: 'error' };
const patient = jobData({ timeoutMs: 600_000 });

function announce(delivery: Delivery, ...messages: object[]): Promise<void> {
  return delivery.announceEarly({ negotiationId: 'n-1', messages, protocolHash: 'h' });
}

function fault(code: string): Error {
  return Object.assign(new Error('once more'), { code, retryAfterMs: 1 });
}

/** A queue with one job that has announced its messages and continues with `goOn`. */
async function announced(t: Parameters<typeof queueUnderTest>[0], goOn: ConsumerOptions['process']) {
  const seen = await queueUnderTest(t);
  let isAnnounced = false;
  const consumer = await seen.consume({
    process: async (delivery, signal) => {
      await announce(delivery, accepted);
      isAnnounced = true;
      return goOn(delivery, signal);
    },
  });
  await seen.producer.submit('fix', patient, { jobId: 'a' });
  await until(() => isAnnounced);
  return { ...seen, consumer };
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
}

test('what was announced is known to the next deliveries, announced once, and first in the outcome', async (t) => {
  const { producer, connection, consume, outcome, entries } = await queueUnderTest(t);
  const known: (readonly object[])[] = [];
  await consume({
    process: async (delivery) => {
      known.push(delivery.announced);
      await announce(delivery, { ...accepted, nth: delivery.delivery });
      if (delivery.delivery < 3) throw fault('PLATFORM_ONCE');
      return envelope(delivery.kind, delivery.data);
    },
  });
  await producer.submit('fix', patient, { jobId: 'a' });
  const first = { ...accepted, nth: 1 };
  assert.deepEqual((await outcome('a')).messages, [first, generated]);
  assert.deepEqual(known, [[], [first], [first]]);
  assert.deepEqual(
    (await entries()).map(({ final, messages = '' }) => [final, JSON.parse(messages)]),
    [
      ['0', [first]],
      ['1', [first, generated]],
    ],
  );
  assert.equal(await connection.exists(keys.announced('a')), 0, 'the outcome has it');
});

test('an outcome that begins with what was announced does not say it twice', async (t) => {
  const { outcome } = await announced(t, async ({ kind, data }) => ({
    ...envelope(kind, data),
    messages: [accepted, generated],
  }));
  assert.deepEqual((await outcome('a')).messages, [accepted, generated]);
});

for (const [how, goOn] of [
  ['a defect', () => Promise.reject(new TypeError('oops'))],
  ['an operator’s fault', () => Promise.reject(fault('OPERATOR_X'))],
  ['an outcome published while work goes on', (delivery: Delivery) => publishedEarly(delivery)],
] as const)
  test(`what was announced stands in the outcome of a job that ends by ${how}`, async (t) => {
    const { outcome } = await announced(t, goOn);
    assert.deepEqual((await outcome('a')).messages, [accepted, error]);
  });

async function publishedEarly({ kind, data, publishNow }: Delivery): Promise<undefined> {
  await publishNow(errorEnvelope(kind, data, { code: 'PLATFORM_DEADLINE', message: 'x' }));
}

test('what was announced stands in the outcome of a job that is cancelled', async (t) => {
  const { producer, outcome } = await announced(t, (_, signal) => untilAborted(signal));
  await producer.cancel('a');
  assert.deepEqual((await outcome('a')).messages, [accepted, error]);
});

test('what was announced stands in the outcome with which a reader closes the job', async (t) => {
  const { producer, outcome, entries } = await announced(t, (_, signal) => untilAborted(signal));
  const closed = await producer.closeExpired('a', { kind: 'fix', data: patient });
  assert.deepEqual(closed.messages, [accepted, error]);
  assert.deepEqual(await outcome('a'), closed);
  assert.equal((await entries()).at(-1)?.messages, JSON.stringify(closed.messages));
});

test('the script tells a reader in any language what was announced, and publishes where that comes first', async (t) => {
  const { connection, entries } = await announced(t, (_, signal) => untilAborted(signal));
  const names = [keys.outcome('a'), keys.outcomes('default'), keys.announced('a')] as const;
  const close = (...values: string[]) =>
    connection.eval(publishScript, 3, ...names, '{"verdict":"error"}', '604800', 'a', 'n-1', 'fix', 'error', ...values);
  const told = JSON.stringify([accepted]);
  assert.equal(await close(JSON.stringify([error]), ''), told);
  assert.equal(await close(JSON.stringify([error]), '', ''), told);
  assert.equal((await entries()).length, 1, 'nothing is published yet');
  const messages = JSON.stringify([accepted, error]);
  assert.equal(await close(messages, '', told), 1);
  assert.equal(await close(messages, '', told), 0);
  assert.deepEqual(
    (await entries()).map((entry) => entry.messages),
    [told, messages],
  );
});

test('what was announced stands in the outcome of a job whose worker is killed, given up by the queue itself', async (t) => {
  const { redis, queue, producer, connection, consume, outcome } = await queueUnderTest(t);
  const workers = workerProcesses(t, redis.url);
  const { exited } = await workers.start();
  await producer.submit('fix', patient, { jobId: 'poison-announced' });
  await exited;
  assert.equal(await connection.exists(keys.announced('poison-announced')), 1);
  const other = new Worker(queue.name, () => Promise.reject(new Error('attempts used up')), {
    connection,
    prefix: keys.prefix,
    lockDuration: 1_000,
    stalledInterval: 500,
  });
  other.on('error', () => {});
  await until(async () => (await queue.getJobState('poison-announced')) === 'failed');
  await other.close();
  await consume();
  const found = await outcome('poison-announced');
  assert.deepEqual(found.messages, [accepted, error]);
  assert.match(JSON.stringify(found.findings), /PLATFORM_JOB_GIVEN_UP/);
});

test('what was announced stands in the outcome of a job whose deadline passes with its worker dead', async (t) => {
  const { redis, connection, producer, consume, outcome, entries } = await queueUnderTest(t);
  const workers = workerProcesses(t, redis.url);
  const { exited } = await workers.start({ lockMs: 600_000 });
  await producer.submit('fix', patient, { jobId: 'poison-announced' });
  await exited;
  await connection.zadd(keys.deadlines, 1, 'poison-announced');
  await consume();
  const found = await outcome('poison-announced');
  assert.deepEqual(found.messages, [accepted, error]);
  assert.match(JSON.stringify(found.findings), /PLATFORM_DEADLINE/);
  assert.equal((await entries()).length, 2);
});

test('nothing is announced after the outcome', async (t) => {
  const { producer, connection, consume, outcome, entries, queue } = await queueUnderTest(t);
  await consume({
    process: async (delivery) => {
      await delivery.publishNow(envelope(delivery.kind, delivery.data));
      await announce(delivery, accepted);
      return undefined;
    },
  });
  await producer.submit('fix', patient, { jobId: 'a' });
  await outcome('a');
  await until(async () => (await queue.getJob('a')) === undefined);
  assert.deepEqual(
    (await entries()).map(({ final }) => final),
    ['1'],
  );
  assert.equal(await connection.exists(keys.announced('a')), 0);
});

test('a full Redis refuses an announcement: the job comes again, and announces it then', {
  skip: redisServerPath() === undefined ? 'needs a real redis-server to fill' : false,
}, async (t) => {
  const { connection, producer, consume, outcome, entries } = await queueUnderTest(t);
  const codes: unknown[] = [];
  await consume({
    process: async (delivery) => {
      if (delivery.delivery === 1) await connection.config('SET', 'maxmemory', '1');
      await announce(delivery, accepted).catch(async (refused) => {
        codes.push(Object(refused).code);
        await connection.config('SET', 'maxmemory', '0');
        throw refused;
      });
      return envelope(delivery.kind, delivery.data);
    },
  });
  await producer.submit('fix', patient, { jobId: 'a' });
  assert.deepEqual((await outcome('a')).messages, [accepted, generated]);
  assert.deepEqual(codes, ['PLATFORM_REDIS_FULL']);
  assert.equal((await entries()).length, 2);
});
