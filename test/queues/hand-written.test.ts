import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, keysOf, publishScript } from '../../queues/index.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { errorEnvelope } from '../../src/pipeline/outcome-of.ts';
import { codes, jobData, queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();
const soon = (more = {}) => jobData({ timeoutMs: 20_000, ...more });
const noText = Buffer.from([0x22, 0xff, 0xfe, 0x22]);

type Write = (connection: Connection, jobId: string) => Promise<unknown>;

/** A value of each Redis type. */
const values: Readonly<Record<string, (connection: Connection, key: string) => Promise<unknown>>> = {
  string: (connection, key) => connection.set(key, 'by hand'),
  list: (connection, key) => connection.lpush(key, 'by hand'),
  set: (connection, key) => connection.sadd(key, 'by hand'),
  zset: (connection, key) => connection.zadd(key, 1, 'by hand'),
  hash: (connection, key) => connection.hset(key, 'by', 'hand'),
  stream: (connection, key) => connection.xadd(key, '*', 'by', 'hand'),
};

async function errorReplies(connection: Connection): Promise<string> {
  return /total_error_replies:\d+/.exec(await connection.info('stats'))?.[0] ?? '';
}

/** Nothing failing is retried for ever: Redis returns no more errors. */
async function settled(connection: Connection): Promise<void> {
  let before = '';
  await until(async () => {
    const now = await errorReplies(connection);
    if (now === before) return true;
    before = now;
    await sleep(2_500);
    return false;
  }, 15_000);
}

const keysOfJob: readonly [name: string, key: (jobId: string) => string, type: string][] = [
  ['outcome', keys.outcome, 'string'],
  ['outcomes', keys.outcomes, 'stream'],
  ['announced', keys.announced, 'string'],
  ['reply-to', keys.replyTo, 'string'],
  ['cancel', (jobId) => keys.cancel(`not-${jobId}`), 'string'],
];

/** Values written by hand next to a healthy job, which gets its outcome all the same. */
const besideJobs: Record<string, Write> = {
  'no JSON as what was announced': (c, jobId) => c.set(keys.announced(jobId), '{bad'),
  'nothing as what was announced': (c, jobId) => c.set(keys.announced(jobId), ''),
  'no list as what was announced': (c, jobId) => c.set(keys.announced(jobId), '{"a":1}'),
  'no messages as what was announced': (c, jobId) => c.set(keys.announced(jobId), '[1,null,"x"]'),
  'no UTF-8 as what was announced': (c, jobId) =>
    c.set(keys.announced(jobId), Buffer.concat([Buffer.from('[{"a":'), noText, Buffer.from('}]')])),
  'no UTF-8 as an outcome': (c, jobId) => c.set(keys.outcome(jobId), noText),
  'nothing as an outcome': (c, jobId) => c.set(keys.outcome(jobId), ''),
  'no envelope as an outcome': (c, jobId) => c.set(keys.outcome(jobId), '{"verdict":7}'),
  'a stream of outcomes that takes no more': (c, jobId) =>
    c.xadd(keys.outcomes(jobId), '18446744073709551615-18446744073709551615', 'by', 'hand'),
  'a reply-to that names no stream': (c, jobId) => c.set(keys.replyTo(jobId), 'a:b c'),
  'no numbers as what was spent': (c, jobId) => c.hset(keys.spent(jobId), 'tokens', 'many', 'costUsd', 'nan'),
};
for (const [name, key, type] of keysOfJob) {
  for (const [other, write] of Object.entries(values)) {
    if (other !== type) besideJobs[`a ${other} as ${name}`] = (c, jobId) => write(c, key(jobId));
  }
}
for (const field of ['takenAtMs', 'addedAtMs']) {
  for (const value of ['nan', 'inf', '-inf', '-5', '1e999', '99999999999999999999', '', 'x']) {
    besideJobs[`${field} ${value}`] = (c, jobId) => c.hset(`${keys.queue}:${jobId}`, field, value);
  }
}
for (const field of ['ats', 'atm', 'stc', 'opts', 'progress', 'timestamp', 'delay', 'priority']) {
  for (const value of ['', 'nan', '{bad', '1e400'])
    besideJobs[`${field} ${value}`] = (c, jobId) => c.hset(`${keys.queue}:${jobId}`, field, value);
}
for (const score of ['inf', '-inf', '-1', '1e300']) {
  besideJobs[`${score} in due`] = (c, jobId) => c.zadd(keys.due, score, jobId);
}
for (const score of ['inf', '1e300']) {
  besideJobs[`${score} in deadlines`] = (c, jobId) => c.zadd(keys.deadlines, score, jobId);
}

/** Values written by hand in the place of a job, and the code with which it ends. */
const noJobs: Record<string, [write: Write, code: string]> = {
  'an id without a hash': [async () => undefined, 'JOB_KIND_UNKNOWN'],
  'a job without a name': [
    (c, jobId) => c.hset(`${keys.queue}:${jobId}`, 'data', JSON.stringify(soon())),
    'JOB_KIND_UNKNOWN',
  ],
  'a job without data': [(c, jobId) => c.hset(`${keys.queue}:${jobId}`, 'name', 'generate'), 'JOB_INVALID'],
  'a job with empty data': [
    (c, jobId) => c.hset(`${keys.queue}:${jobId}`, 'name', 'generate', 'data', ''),
    'JOB_INVALID',
  ],
  'a job whose data are no UTF-8': [
    (c, jobId) => c.hset(`${keys.queue}:${jobId}`, { name: 'generate', data: noText }),
    'JOB_INVALID',
  ],
  'a job that says that it is another': [
    (c, jobId) => c.hset(`${keys.queue}:${jobId}`, { name: 'generate', data: '{}', id: 'another' }),
    'JOB_INVALID',
  ],
  'a hash with nothing of a job': [(c, jobId) => c.hset(`${keys.queue}:${jobId}`, 'by', 'hand'), 'JOB_KIND_UNKNOWN'],
  'a string': [(c, jobId) => c.set(`${keys.queue}:${jobId}`, 'by hand'), 'JOB_KIND_UNKNOWN'],
  'a list': [(c, jobId) => c.lpush(`${keys.queue}:${jobId}`, 'by hand'), 'JOB_KIND_UNKNOWN'],
  'a stream': [(c, jobId) => c.xadd(`${keys.queue}:${jobId}`, '*', 'by', 'hand'), 'JOB_KIND_UNKNOWN'],
};

/** Keys that exist once, each with its type. */
const fixed: Record<string, string> = {
  [keys.intake]: 'stream',
  [keys.deadlines]: 'zset',
  [keys.due]: 'zset',
  [keys.seen]: 'string',
  [keys.moments]: 'string',
  [keys.lease('keeper')]: 'string',
  ...Object.fromEntries(
    Object.entries({
      wait: 'list',
      active: 'list',
      prioritized: 'zset',
      delayed: 'zset',
      'waiting-children': 'zset',
      completed: 'zset',
      failed: 'zset',
      stalled: 'set',
      marker: 'zset',
      events: 'stream',
      meta: 'hash',
      id: 'string',
      pc: 'string',
    }).map(([name, type]) => [`${keys.queue}:${name}`, type]),
  ),
};

const valuesOfFixed: Record<string, (connection: Connection) => Promise<unknown>> = {
  'an event’s id that is none': (c) => c.mset(keys.seen, 'nan', keys.moments, 'inf'),
  'an event’s id that is yet to come': (c) => c.mset(keys.seen, '99999999999999-0', keys.moments, '99999999999999-0'),
  'no event’s id': (c) => c.mset(keys.seen, '', keys.moments, ''),
  'the id of an event that is too great': (c) =>
    c.mset(keys.seen, '99999999999999999999999-0', keys.moments, '18446744073709551615-18446744073709551615'),
  'a keeper’s lease without an end': (c) => c.set(keys.lease('keeper'), 'by hand'),
  'a keeper’s lease for a year': (c) => c.set(keys.lease('keeper'), 'by hand', 'EX', 31_536_000),
  'deadlines of nobody': (c) =>
    c.zadd(keys.deadlines, 'inf', 'a', '-inf', 'b', 1e300, 'c', -1, 'd', 'inf', '5', 1, '6'),
  'moments of nobody': (c) => c.zadd(keys.due, '-inf', 'b', -1, 'd'),
  'an intake stream of another’s': (c) => c.xadd(keys.intake, '1-1', 'by', 'hand'),
  'events that go on no more': (c) =>
    c.xadd(`${keys.queue}:events`, '18446744073709551615-18446744073709551615', 'event', 'added', 'jobId', 'x'),
};

test('where the entry of an outcome cannot be added, a reader’s script answers an error, and nothing is set', async (t) => {
  const { connection } = await queueUnderTest(t);
  const args = ['{"verdict":"error"}', '604800', 'a', 'n-1', 'generate', 'error', '[]', '', ''];
  const close = () =>
    connection.eval(publishScript, 3, keys.outcome('a'), keys.outcomes('mine'), keys.announced('a'), ...args);
  const last = '18446744073709551615-18446744073709551615';
  const announced = JSON.stringify([{ action: 'x' }]);
  await connection.set(keys.announced('a'), announced);
  args[8] = announced;
  for (const write of [...Object.values(values), (c: Connection, key: string) => c.xadd(key, last, 'by', 'hand')]) {
    if (write === values.stream) continue;
    await connection.del(keys.outcomes('mine'));
    await write(connection, keys.outcomes('mine'));
    await assert.rejects(close());
    assert.equal(await connection.exists(keys.outcome('a')), 0);
    assert.equal(await connection.get(keys.announced('a')), announced);
  }
  await connection.del(keys.outcomes('mine'));
  assert.equal(await close(), 1);
  assert.equal(await close(), 0);
});

suite('what is written by hand', { concurrency: 6 }, () => {
  for (const isPaused of [false, true]) {
    test(`jobs under ids that are none end with that${isPaused ? ', also where no worker takes any' : ''}`, async (t) => {
      const { queue, connection, consume, outcome, entries } = await queueUnderTest(t);
      const ids = [[0xff, 0xfe, 0x61], [0x61, 0xff], [...Buffer.from('a:b')], [...Buffer.from('-5')]].map((id) =>
        Buffer.from(id),
      );
      await queue.pause();
      for (const id of ids) {
        const key = Buffer.concat([Buffer.from(`${keys.queue}:`), id]);
        await connection.call('HSET', key, 'name', 'generate', 'data', JSON.stringify(jobData({ timeoutMs: 2_000 })));
        await connection.call('LPUSH', `${keys.queue}:wait`, id);
      }
      if (!isPaused) await queue.resume();
      await consume({ lockDurationMs: 1_000, stalledIntervalMs: 500 });
      for (const id of ids) {
        const found = codes(await outcome(id.toString()));
        const isClosed = isPaused && !id.toString().includes('\ufffd');
        assert.deepEqual(found, [isClosed ? 'PLATFORM_DEADLINE' : 'JOB_ID_INVALID'], id.toString());
      }
      await until(async () => (await queue.getJobCountByTypes('wait', 'active', 'delayed', 'failed')) === 0);
      assert.deepEqual(
        (await entries())
          .filter(({ replayed }) => replayed === '0')
          .map(({ jobId }) => jobId)
          .sort(),
        ids.map((id) => id.toString()).sort(),
      );
      await settled(connection);
    });
  }

  test('a job has its outcome whatever was written by hand beside it', async (t) => {
    const { queue, connection, consume, outcome, events, entries } = await queueUnderTest(t);
    const names = Object.keys(besideJobs);
    const jobIds = names.map((_, nth) => `job-${nth}`);
    await queue.pause();
    for (const [nth, jobId] of jobIds.entries()) {
      await queue.add('generate', soon({ replyTo: jobId }), { jobId });
      await besideJobs[names[nth] ?? '']?.(connection, jobId);
    }
    await queue.resume();
    await consume({ lockDurationMs: 1_000, stalledIntervalMs: 500 });
    for (const [nth, jobId] of jobIds.entries()) {
      const found = await outcome(jobId).catch(() => assert.fail(`no outcome with ${names[nth]}`));
      assert.equal(found.verdict, 'generated', `${names[nth]}: ${JSON.stringify(found.findings)}`);
      assert.deepEqual(found.messages, [{ action: 'codeGeneration', status: 'generated' }], names[nth]);
      // On a slow machine a job may be redelivered, which announces its outcome again.
      const first = (await entries(jobId)).filter(({ replayed }) => replayed === '0');
      const told = first.map(({ jobId: id, final }) => [id, final]);
      assert.deepEqual(told, [[jobId, '1']], names[nth]);
    }
    assert.ok(events.some(({ event }) => event === 'mended'));
    await until(async () => (await queue.getJobCountByTypes('wait', 'active', 'delayed', 'failed')) === 0);
    await until(async () => (await connection.exists(keys.due, keys.deadlines)) === 0);
    await settled(connection);
  });

  for (const isPaused of [false, true]) {
    test(`what is no job ends as that${isPaused ? ', at its deadline where no worker takes it' : ''}`, async (t) => {
      const { queue, connection, consume, outcome } = await queueUnderTest(t);
      await queue.add('review', jobData(), { jobId: 'makes-the-queue' });
      await queue.pause();
      const names = Object.keys(noJobs);
      for (const [nth, name] of names.entries()) {
        await noJobs[name]?.[0](connection, `no-job-${nth}`);
        await connection.lpush(`${keys.queue}:wait`, `no-job-${nth}`);
      }
      if (!isPaused) await queue.resume();
      await consume({
        // Longer than a keeper takes to start: an id that BullMQ takes from a dead worker before that is in no list any
        // more.
        lockDurationMs: 5_000,
        stalledIntervalMs: 500,
        process: async ({ kind, data, rawBytes }) => {
          const reading = readJob(kind, data, rawBytes);
          const [fault] = reading.ok ? [] : reading.faults;
          return errorEnvelope(kind, data, fault ?? { code: 'JOB_X', message: 'x' });
        },
      });
      for (const [nth, name] of names.entries()) {
        const found = await outcome(`no-job-${nth}`).catch(() => assert.fail(`no outcome of ${name}`));
        assert.deepEqual(codes(found), [isPaused ? 'PLATFORM_DEADLINE' : noJobs[name]?.[1]], name);
      }
      assert.equal(await connection.exists(keys.outcome('another')), 0);
      await until(async () => (await connection.zcard(keys.deadlines)) === 0);
      await settled(connection);
    });
  }

  for (const other of ['string', 'list', 'zset', 'hash', 'stream']) {
    test(`what is a ${other} in the place of something else is put aside, and jobs are done`, async (t) => {
      const { queue, connection, consume, outcome, events } = await queueUnderTest(t);
      const taken = Object.keys(fixed).filter((key) => fixed[key] !== other);
      for (const key of taken) {
        await connection.del(key);
        await values[other]?.(connection, key);
      }
      await consume({ lockDurationMs: 1_000, stalledIntervalMs: 500 });
      await queue.add('generate', soon(), { jobId: 'added', priority: 2 }).catch(() => undefined);
      for (const key of taken) {
        await until(async () => (await connection.type(key)) !== other).catch(() =>
          assert.fail(`${key} is a ${other}`),
        );
      }
      await queue.add('generate', soon(), { jobId: 'again' });
      await connection.xadd(keys.intake, '*', 'jobId', 'streamed', 'data', JSON.stringify(soon()));
      for (const jobId of ['again', 'streamed']) assert.equal((await outcome(jobId)).verdict, 'generated', jobId);
      assert.ok(events.some(({ event, code }) => event === 'mended' && code === 'OPERATOR_REDIS_KEY_TAKEN'));
      assert.ok((await connection.keys(`${keys.prefix}:put-aside:*`)).length > 5);
      await settled(connection);
    });
  }

  for (const [name, write] of Object.entries(valuesOfFixed)) {
    test(`${name} keeps no job from its end, nor another from its time`, async (t) => {
      const { queue, connection, consume, outcome } = await queueUnderTest(t);
      await write(connection);
      await consume({ lockDurationMs: 1_000, stalledIntervalMs: 500 });
      await until(() => connection.exists(keys.lease('keeper')));
      await until(async () => (await queue.add('generate', soon(), { jobId: 'done' }).catch(() => null)) !== null);
      assert.equal((await outcome('done')).verdict, 'generated');
      await queue.pause();
      await queue.add('generate', jobData({ timeoutMs: 1_000 }), { jobId: 'waits' });
      assert.deepEqual(codes(await outcome('waits')), ['PLATFORM_DEADLINE']);
      await until(async () => (await connection.zcard(keys.deadlines)) === 0);
      assert.equal(await connection.exists(keys.outcome('5'), keys.outcome('a')), 0);
      await settled(connection);
    });
  }
});
