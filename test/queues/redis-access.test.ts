import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Redis } from 'ioredis';
import { connect, createConsumer, createProducer, disconnect, redisServerPath, whenReady } from '../../queues/index.ts';
import { isUnwritable, redisFailure } from '../../queues/redis/redis-refusal.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { envelope, jobData, queueUnderTest, until } from './queue-under-test.ts';

const skip = redisServerPath() === undefined ? 'needs a real redis-server, which has databases and users' : false;

test('a database that Redis has not is refused, and no other is used in its place', {
  skip,
}, async (t) => {
  const { redis, connection, atEnd } = await queueUnderTest(t, { args: ['--databases', '4'] });
  const url = `${redis.url}/7`;
  const refused = { code: 'OPERATOR_REDIS_DATABASE', message: /DB index is out of range: 7\b/ };
  const consumer = createConsumer({ jobs: jobReader, url, process: async ({ kind, data }) => envelope(kind, data) });
  atEnd(() => consumer.close({ drainMs: 0 }));
  const producer = createProducer({ jobs: jobReader, url });
  atEnd(() => producer.close());
  await assert.rejects(producer.submit('generate', jobData()), refused);
  await assert.rejects(consumer.ready(), refused);
  for (const purpose of ['worker', 'caller'] as const) {
    const lost = connect(url, purpose);
    atEnd(() => disconnect(lost));
    await assert.rejects(whenReady(lost, 60_000), refused);
    const copy = (lost as Redis).duplicate();
    copy.on('error', () => undefined);
    atEnd(() => disconnect(copy));
    await assert.rejects(whenReady(copy, 60_000), refused);
  }
  assert.deepEqual(
    (await connection.keys('*')).filter((key) => !key.endsWith(':meta')),
    [],
  );
});

test('a user or password that Redis does not know is told as that, whoever connects', { skip }, async (t) => {
  const { redis, connection, atEnd } = await queueUnderTest(t);
  await connection.call('ACL', 'SETUSER', 'app', 'on', '>right', '~*', '+@all');
  await connection.call('ACL', 'SETUSER', 'default', '>secret');
  for (const login of ['app:SECRET', 'nobody:SECRET', ':SECRET', 'app:', '']) {
    const url = redis.url.replace('//', `//${login}${login && '@'}`);
    for (const purpose of ['worker', 'caller'] as const) {
      const stranger = connect(url, purpose);
      atEnd(() => disconnect(stranger));
      await assert.rejects(whenReady(stranger, 60_000), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'OPERATOR_REDIS_LOGIN', `${login} ${error.message}`);
        assert.doesNotMatch(error.message, /SECRET/);
        return true;
      });
    }
  }
});

test('what Redis refuses is told by what it means, also in the words of older ones', { skip }, async (t) => {
  const { connection } = await queueUnderTest(t);
  const inScript = (words: string) =>
    `ERR Error running script (call to f_1a2b): @user_script:12: @user_script: 12: -${words}`;
  const oom = "command not allowed when used memory > 'maxmemory'.";
  for (const [code, words] of [
    ['FULL', `OOM ${oom}`],
    ['FULL', inScript(`OOM ${oom}`)],
    ['FULL', `ERR ${oom}`],
    ['FULL', `OOM ${oom} script: 1a2b, on @user_script:1.`],
    ['FULL', "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'"],
    ['FULL', 'Out of memory'],
    ['FULL', 'ERR Error running script (call to 1a2b): @user_script:112: Out of memory'],
    ['FULL', 'ERR max database size exceeded. Limit: 1 bytes, Usage: 2 bytes'],
    ['FULL', 'ERR DB capacity quota exceeded'],
    ['FEW_REPLICAS', 'NOREPLICAS Not enough good replicas to write.'],
    ['FEW_REPLICAS', inScript('NOREPLICAS Not enough good replicas to write.')],
    ['UNSAVED', 'MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist to disk.'],
    ['UNSAVED', inScript('MISCONF Errors writing to the AOF file: No space left on device')],
    ['PERMISSION', "NOPERM this user has no permissions to run the 'eval' command or its subcommand"],
    ['PERMISSION', "NOPERM User app has no permissions to run the 'eval' command"],
    ['PERMISSION', 'ERR ACL failure in script: User app has no permissions to run the hset command'],
    ['PERMISSION', inScript("The user executing the script can't run this command or subcommand").replace(' -', ' ')],
    ['PERMISSION', "ERR unknown command 'EVALSHA', with args beginning with: 'SECRET' '1' "],
    ['PERMISSION', 'ERR Unknown Redis command called from script script: 1a2b, on @user_script:1.'],
    ['PERMISSION', "ERR Unknown subcommand or wrong number of arguments for 'LIST'. Try CLIENT HELP."],
    ['PERMISSION', "ERR unsupported command 'CLIENT'"],
    ['PERMISSION', "ERR Command is not available: 'CONFIG'"],
    ['PERMISSION', "ERR command 'eval' is not allowed"],
    ['PERMISSION', "ERR 'EVAL' command is not supported"],
    ['LOGIN', 'DENIED Redis is running in protected mode.'],
    ['LOGIN', 'ERR operation not permitted'],
    ['LOGIN', 'NOAUTH Authentication required.'],
    ['LOGIN', 'WRONGPASS invalid username-password pair or user is disabled.'],
    ['DATABASE', 'ERR DB index is out of range'],
    ['URL_INVALID', 'ERR No such master with that name'],
    ['URL_INVALID', "ERR unknown command 'sentinel', with args beginning with: 'SECRET' "],
    ['CLUSTER', 'MOVED 3999 127.0.0.1:6381'],
    ['CLUSTER', 'ERR This instance has cluster support disabled'],
    ['DATABASE', 'ERR SELECT is not allowed in cluster mode'],
    ['DATABASE', 'ERR SELECT command is not supported'],
    ['DATABASE', 'ERR Only 0th database is supported! Selected DB: 2'],
    ['DATABASE', 'ERR Selected DB index is out of range: 2'],
    ['UNREACHABLE', 'ERR max daily request limit exceeded. Limit: 10000, Usage: 10000'],
    ['UNREACHABLE', 'ERR max number of clients reached'],
    ['UNREACHABLE', "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."],
    ['UNREACHABLE', 'CLUSTERDOWN Hash slot not served'],
    ['UNREACHABLE', 'BUSY Valkey is busy running a script.'],
    ['UNREACHABLE', 'ERR index out of range'],
    ['UNREACHABLE', 'LOADING Redis is loading the dataset in memory'],
    ['UNREACHABLE', "ERR user_script:1: Script attempted to say 'OOM'"],
  ] as const) {
    const given: unknown = await connection
      .eval('return redis.error_reply(ARGV[1])', 0, words)
      .catch((error: unknown) => error);
    const failure = redisFailure(given, 'do it');
    assert.match(failure?.code ?? '', new RegExp(`^(PLATFORM|OPERATOR)_REDIS_${code}$`), words);
    assert.match(failure?.message ?? '', /^Cannot .*[:,] .*, wanted /, words);
    assert.doesNotMatch(failure?.message ?? '', /SECRET/);
    assert.equal(isUnwritable(given), ['FULL', 'FEW_REPLICAS', 'UNSAVED'].includes(code), words);
  }
  await connection.config('SET', 'maxmemory', '1');
  for (const write of [
    connection.set('a', '1'),
    connection.eval("return redis.call('SET', KEYS[1], '1')", 1, 'a'),
    connection.multi().set('a', '1').exec(),
  ]) {
    const given: unknown = await write.catch((error: unknown) => error);
    assert.equal(redisFailure(given, 'write')?.code, 'PLATFORM_REDIS_FULL');
    assert.equal(isUnwritable(given), true);
  }
  await connection.config('SET', 'maxmemory', '0');
});

test('a job whose work Redis refuses a command comes back, and is worked on when that is allowed', {
  skip,
}, async (t) => {
  const { redis, connection, producer, outcome, consume, events, atEnd } = await queueUnderTest(t);
  await connection.call('ACL', 'SETUSER', 'app', 'on', '>pw', '~*', '+@all', '-hset');
  const own = connect(redis.url.replace('//', '//app:pw@'), 'worker');
  atEnd(() => disconnect(own));
  await consume({
    process: async ({ kind, data }) => {
      await own.hset('{protosmith}:mine', 'a', '1');
      return envelope(kind, data);
    },
  });
  await producer.submit('generate', jobData({ timeoutMs: 120_000 }), { jobId: 'a' });
  await until(() => events.some(({ event, code }) => event === 'retried' && code === 'OPERATOR_REDIS_PERMISSION'));
  await connection.call('ACL', 'SETUSER', 'app', '+hset');
  assert.equal((await outcome('a')).verdict, 'generated');
});
