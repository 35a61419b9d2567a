import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRedis, openOperator } from '../../queues/index.ts';
import { jobReader } from '../../src/pipeline/job-reader.ts';
import { codes, jobData, queueUnderTest, until } from './queue-under-test.ts';

for (const name of ['wait', 'active', 'delayed', 'prioritized', 'marker', 'events']) {
  test(`a worker takes away a job that stands where BullMQ keeps ${name}, and what was added meanwhile is done`, async (t) => {
    const { redis, queue, connection, consume, outcome, atEnd } = await queueUnderTest(t);
    const operator = await openOperator({ jobs: jobReader, url: redis.url });
    atEnd(() => operator.close());
    const judged = async () => judgeRedis(await operator.redisFacts()).filter(({ severity }) => severity === 'error');
    const key = `{protosmith}:code-generation:${name}`;
    assert.deepEqual(await judged(), []);
    if (name === 'wait') await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'later', delay: 2_000 });
    // BullMQ writes the job first, then finds that the key is not a list.
    await queue.add('review', jobData(), { jobId: name }).catch(() => undefined);
    assert.equal(await connection.type(key), 'hash');
    const [fault] = await judged();
    assert.equal(fault?.code, 'OPERATOR_REDIS_KEY_TAKEN');
    assert.match(fault?.message ?? '', new RegExp(`found a job at ${key}, wanted`));
    await assert.rejects(operator.snapshot(), { code: 'OPERATOR_REDIS_KEY_TAKEN' });
    await queue.add('generate', jobData({ timeoutMs: 600_000 }), { jobId: 'next' }).catch(() => undefined);

    await consume();
    const found = await outcome(name);
    assert.deepEqual([codes(found), found.kind], [['JOB_ID_INVALID'], 'review']);
    assert.equal((await outcome('next')).verdict, 'generated');
    if (name === 'wait') assert.equal((await outcome('later')).verdict, 'generated');
    await queue.add('generate', jobData(), { jobId: 'after' });
    assert.equal((await outcome('after')).verdict, 'generated');
    await until(async () => (await queue.getJobCountByTypes('wait', 'active', 'delayed', 'failed')) === 0);
    assert.notEqual(await connection.type(key), 'hash');
    assert.deepEqual(await judged(), []);
  });
}
