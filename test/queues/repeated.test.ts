import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Repeated } from '../../queues/redis/repeated.ts';
import { until } from './queue-under-test.ts';

test('it is done again after each pause, at once when woken, and never after it was closed', async () => {
  let times = 0;
  const often = new Repeated(async () => {
    times += 1;
    return 5;
  }, 20);
  await until(() => times >= 3);
  await often.close();
  const after = times;
  often.wake();
  await sleep(60);
  assert.equal(times, after);

  let rare = 0;
  const rarely = new Repeated(async () => {
    rare += 1;
    return 3_600_000;
  }, 3_600_000);
  await sleep(20);
  assert.equal(rare, 0);
  rarely.wake();
  await until(() => rare === 1);
  rarely.wake();
  await until(() => rare === 2);
  await rarely.close();
});

test('closing it waits for the time it is in', async () => {
  const held = Promise.withResolvers<number>();
  let began = false;
  const repeated = new Repeated(() => {
    began = true;
    return held.promise;
  }, 1);
  await until(() => began);
  let isClosed = false;
  const closing = repeated.close().then(() => {
    isClosed = true;
  });
  await sleep(20);
  assert.equal(isClosed, false);
  held.resolve(1);
  await closing;
});
