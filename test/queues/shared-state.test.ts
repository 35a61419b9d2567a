import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DEFAULT_PREFIX,
  Endpoints,
  entriesSince,
  HandlerRecords,
  Heartbeats,
  keysOf,
  Leases,
  mending,
  Quarantine,
  type QueueEvent,
  Readings,
  Spendings,
} from '../../queues/index.ts';
import { queueUnderTest, until } from './queue-under-test.ts';

const keys = keysOf();

test('one holds a lease at a time, and one that ran out is not renewed or released by its old holder', async (t) => {
  const { connection } = await queueUnderTest(t);
  const leases = new Leases(connection, keys);
  const first = await leases.acquire('a', 10_000);
  assert.ok(first);
  assert.equal(await leases.acquire('a', 10_000), null);
  assert.equal(await leases.whenFree('a', { untilMs: Date.now() + 100 }), false);
  assert.equal(await first.renew(), true);
  await connection.del(keys.lease('a'));
  const second = await leases.acquire('a', 10_000);
  assert.ok(second);
  assert.equal(await first.renew(), false);
  await first.release();
  assert.equal(await second.renew(), true);
});

test('many at the same moment share one piece of work', async (t) => {
  const { connection } = await queueUnderTest(t);
  const leases = new Leases(connection, keys);
  let worked = 0;
  let result: string | null = null;
  const turn = () =>
    leases.single('key', {
      untilMs: Date.now() + 60_000,
      signal: new AbortController().signal,
      holdMs: 6_000,
      found: async () => result,
      work: async () => {
        worked += 1;
        // Wait for the renewal: before it, less time was left.
        let leftMs = Number.POSITIVE_INFINITY;
        await until(async () => {
          const before = leftMs;
          leftMs = await connection.pttl(keys.lease('key'));
          return leftMs > before;
        });
        result = 'made';
        return result;
      },
    });
  assert.deepEqual(await Promise.all(Array.from({ length: 8 }, turn)), Array(8).fill('made'));
  assert.equal(worked, 1);
});

test('whoever waits for a lease takes over from a holder that failed', async (t) => {
  const { connection } = await queueUnderTest(t);
  const leases = new Leases(connection, keys);
  const turn = (work: () => Promise<string>) =>
    leases.single('key', {
      untilMs: Date.now() + 20_000,
      signal: new AbortController().signal,
      found: async () => null,
      work,
    });
  const failing = turn(async () => {
    await sleep(100);
    throw new Error('no');
  });
  const second = turn(async () => 'second');
  await assert.rejects(failing, /no/);
  assert.equal(await second, 'second');
});

test('work whose lease was lost is called off, by a fault that brings its job again', async (t) => {
  const { connection } = await queueUnderTest(t);
  const turn = new Leases(connection, keys).single('key', {
    untilMs: Date.now() + 20_000,
    signal: new AbortController().signal,
    holdMs: 600,
    found: async () => null,
    work: async (signal) => {
      await connection.set(keys.lease('key'), 'another');
      await until(() => signal.aborted);
      throw signal.reason;
    },
  });
  await assert.rejects(turn, { code: 'PLATFORM_LEASE_LOST' });
});

test('a lease that ran out is taken again where nobody took it meanwhile', async (t) => {
  const { connection } = await queueUnderTest(t);
  const made = new Leases(connection, keys).single('key', {
    untilMs: Date.now() + 20_000,
    signal: new AbortController().signal,
    holdMs: 600,
    found: async () => null,
    work: async (signal) => {
      await connection.del(keys.lease('key'));
      await until(async () => (await connection.exists(keys.lease('key'))) === 1);
      return signal.aborted ? 'called off' : 'made';
    },
  });
  assert.equal(await made, 'made');
});

test('an endpoint rests for all, and the longest rest counts', async (t) => {
  const { connection } = await queueUnderTest(t);
  const [here, there] = [new Endpoints(connection, keys), new Endpoints(connection, keys)];
  assert.equal(await there.coolDownOf('m'), 0);
  const untilMs = Date.now() + 30_000;
  await here.coolDown('m', untilMs);
  await here.coolDown('m', Date.now() + 1_000);
  assert.ok(Math.abs((await there.coolDownOf('m')) - untilMs) < 2_000);
  assert.equal(await there.coolDownOf('other'), 0);
});

test('entries of a stream since a moment are counted, however many and however they came', async (t) => {
  const { connection } = await queueUnderTest(t);
  for (const [atMs, many] of [
    [1_000, 30],
    [5_000, 2_000],
    [5_001, 7],
  ] as const) {
    const writing = connection.pipeline();
    for (let nth = 0; nth < many; nth += 1) writing.xadd('{s}', `${atMs}-${nth}`, 'a', 'b');
    await writing.exec();
  }
  assert.equal(await entriesSince(connection, '{s}', 2_000), 2_007);
  assert.equal(await entriesSince(connection, '{s}', 5_001), 7);
  assert.equal(await entriesSince(connection, '{none}', 0), 0);
});

test('no endpoint rests for longer than ten minutes, and operators are told which do', async (t) => {
  const { connection } = await queueUnderTest(t);
  const endpoints = new Endpoints(connection, keys);
  assert.deepEqual(await endpoints.resting(), []);
  const restOf = async (endpoint: string) => (await endpoints.coolDownOf(endpoint)) - Date.now();
  await endpoints.coolDown('http://m/v1?key=secret model', Date.now() + 1_795_000_000_000);
  assert.ok((await restOf('http://m/v1?key=secret model')) <= 600_000);
  // As an earlier version wrote it.
  await connection.set(keys.coolDown('stuck'), '1', 'PX', 1_795_000_000_000);
  assert.ok((await restOf('stuck')) <= 600_000);
  assert.ok((await connection.pttl(keys.coolDown('stuck'))) <= 600_000);
  const [one, ...others] = await endpoints.resting();
  assert.deepEqual([one?.endpoint, others], ['http://m/v1 model', []]);
  assert.ok(Math.abs((one?.leftMs ?? 0) - 600_000) < 30_000, String(one?.leftMs));
});

test('a circuit opens after failures in a row, lets one call through when its time is over, and closes on success', async (t) => {
  const { connection } = await queueUnderTest(t);
  const policy = { failures: 3, windowMs: 600_000, openMs: 600_000 };
  const [here, there] = [new Endpoints(connection, keys, policy), new Endpoints(connection, keys, policy)];
  // Waits until it is not open any more.
  const halfOpen = async () => {
    await connection.del(keys.circuit('m', 'open'));
    assert.equal((await there.circuitOf('m')).state, 'half-open');
  };
  assert.equal(await here.noteFailure('m'), false);
  await here.noteSuccess('m');
  for (const opened of [false, false, true]) {
    assert.deepEqual(await there.failing(), []);
    assert.equal(await here.noteFailure('m'), opened);
  }
  assert.deepEqual(await there.failing(), ['m']);
  const { state, untilMs } = await there.circuitOf('m');
  assert.equal(state, 'open');
  assert.ok(untilMs > Date.now() + policy.openMs / 2 && untilMs <= Date.now() + policy.openMs);
  assert.equal(await there.admit('m'), false);
  await halfOpen();
  assert.equal(await there.admit('m'), true);
  assert.equal(await here.admit('m'), false);
  await there.release('m');
  assert.equal(await here.admit('m'), true);
  await there.release('m');
  assert.equal(await there.admit('m'), false, 'what another holds is not given back');
  assert.equal(await there.noteFailure('m'), true);
  assert.equal((await here.circuitOf('m')).state, 'open');
  await halfOpen();
  assert.deepEqual(await here.failing(), ['m']);
  assert.equal(await there.admit('m'), true);
  await there.noteSuccess('m');
  assert.deepEqual(await here.failing(), []);
  assert.equal((await here.circuitOf('m')).state, 'closed');
  assert.equal(await here.admit('m'), true);
});

test('handlers are found by look-up, newest first, until they are withdrawn', async (t) => {
  const { connection } = await queueUnderTest(t);
  const handlers = new HandlerRecords(connection, keys);
  await handlers.put('t', 'd1', 'one', ['k']);
  await sleep(5);
  await handlers.put('t', 'd2', 'two', ['k', 'l']);
  assert.deepEqual(await handlers.find('t', 'k'), [
    { digest: 'd2', record: 'two' },
    { digest: 'd1', record: 'one' },
  ]);
  assert.deepEqual(await handlers.find('other', 'k'), []);
  await handlers.withdraw('t', 'd2', 'leaks');
  await handlers.put('t', 'd2', 'two', ['k']);
  assert.deepEqual(await handlers.find('t', 'k'), [{ digest: 'd1', record: 'one' }]);
  assert.equal(await handlers.get('t', 'd2'), 'two');
  assert.equal(await handlers.withdrawnFor('t', 'd2'), 'leaks');
  await handlers.restore('t', 'd2');
  assert.equal((await handlers.find('t', 'k')).length, 2);
  assert.deepEqual(
    (await handlers.list('t')).map(({ digest, bytes, pinned, withdrawn }) => ({ digest, bytes, pinned, withdrawn })),
    [
      { digest: 'd2', bytes: 3, pinned: false, withdrawn: null },
      { digest: 'd1', bytes: 3, pinned: false, withdrawn: null },
    ],
  );
  assert.deepEqual(await handlers.tenants(), ['t']);
});

test('handlers expire, pinned ones do not, and there are never too many', async (t) => {
  const { connection } = await queueUnderTest(t);
  const handlers = new HandlerRecords(connection, keys, { retentionSeconds: 1_000, maxPerTenant: 2 });
  await handlers.put('t', 'd1', 'one');
  assert.equal(await handlers.pin('t', 'd1'), true);
  assert.equal(await handlers.pin('t', 'none'), false);
  assert.equal(await connection.ttl(keys.handler('t', 'd1')), -1);
  await handlers.put('t', 'd1', 'one');
  assert.equal(await connection.ttl(keys.handler('t', 'd1')), -1);
  for (const digest of ['d2', 'd3', 'd4']) {
    await handlers.put('t', digest, digest);
    await sleep(3);
  }
  assert.deepEqual((await handlers.list('t')).map((entry) => entry.digest).sort(), ['d1', 'd4']);
  assert.ok((await connection.ttl(keys.handler('t', 'd4'))) > 900);
  await handlers.unpin('t', 'd1');
  assert.ok((await connection.ttl(keys.handler('t', 'd1'))) > 900);
  await connection.del(keys.handler('t', 'd1'));
  assert.deepEqual(
    (await handlers.list('t')).map((entry) => entry.digest),
    ['d4'],
  );
  await handlers.remove('t', 'd4');
  assert.equal(await handlers.get('t', 'd4'), null);
});

test('where the bound is lowered, the next handler that is stored takes the place of all that are too many', async (t) => {
  const { connection } = await queueUnderTest(t);
  const many = new HandlerRecords(connection, keys);
  for (let nth = 0; nth < 1_200; nth += 1) await many.put('t', `d${nth}`, 'record');
  await many.pin('t', 'd7');
  await new HandlerRecords(connection, keys, { maxPerTenant: 3 }).put('t', 'last', 'record');
  const listed = (await many.list('t')).map(({ digest }) => digest);
  assert.deepEqual([...listed].sort(), ['d1199', 'd7', 'last']);
  assert.equal((await connection.keys(keys.handler('t', '*'))).length, 3);
});

test('handlers that have expired shorten no page of the list', async (t) => {
  const { connection } = await queueUnderTest(t);
  const handlers = new HandlerRecords(connection, keys);
  for (let nth = 0; nth < 20; nth += 1) await handlers.put('t', `d${nth}`, 'record');
  await connection.del(...Array.from({ length: 10 }, (_, nth) => keys.handler('t', `d${10 + nth}`)));
  assert.equal((await handlers.list('t', { limit: 8 })).length, 8);
  assert.equal((await handlers.list('t', { offset: 8, limit: 8 })).length, 2);
  assert.equal((await handlers.list('t', { offset: 10, limit: 8 })).length, 0);
});

test('a pinned handler is found for good, whatever else is stored and used under its look-up', async (t) => {
  const { connection } = await queueUnderTest(t);
  const handlers = new HandlerRecords(connection, keys, { retentionSeconds: 1_000 });
  const leftSeconds = () => connection.ttl(keys.handlerLookup('t', 'k'));
  await handlers.put('t', 'd1', 'one', ['k']);
  await handlers.put('t', 'd2', 'two', ['k']);
  assert.ok((await leftSeconds()) > 900);
  for (const digest of ['d1', 'd2']) await handlers.pin('t', digest, ['k']);
  await handlers.put('t', 'd3', 'three', ['k']);
  await handlers.touch('t', 'd3', ['k']);
  assert.equal(await leftSeconds(), -1);
  await handlers.unpin('t', 'd1', ['k']);
  assert.equal(await leftSeconds(), -1);
  await handlers.unpin('t', 'd2', ['k']);
  assert.ok((await leftSeconds()) > 900);
});

test('what handlers are listed by ends with the last of them, unless one is pinned', async (t) => {
  const { connection } = await queueUnderTest(t);
  const handlers = new HandlerRecords(connection, keys, { retentionSeconds: 1_000 });
  const list = keys.handlers('t');
  await handlers.put('t', 'd1', 'one');
  await connection.zadd(list, 1, 'long-gone');
  await handlers.put('t', 'd2', 'two');
  assert.deepEqual((await connection.zrange(list, '0', '-1')).sort(), ['d1', 'd2']);
  assert.ok((await connection.ttl(list)) > 900);
  await connection.expire(list, 10);
  await handlers.touch('t', 'd1');
  assert.ok((await connection.ttl(list)) > 900);
  await handlers.pin('t', 'd1');
  await handlers.put('t', 'd3', 'three');
  await handlers.touch('t', 'd3');
  assert.equal(await connection.ttl(list), -1);
  await handlers.unpin('t', 'd1');
  assert.ok((await connection.ttl(list)) > 900);
  await handlers.put('other', 'd1', 'one');
  assert.deepEqual(await handlers.tenants(), ['other', 't']);
  await connection.del(list);
  assert.deepEqual([await handlers.tenants(), await connection.smembers(keys.tenants)], [['other'], ['other']]);
});

test('a bundle in quarantine is known to all until it is let out', async (t) => {
  const { connection } = await queueUnderTest(t);
  const quarantine = new Quarantine(connection, keys);
  assert.equal(await quarantine.has('d'), false);
  await quarantine.add('d', 'killed three cells');
  assert.equal(await new Quarantine(connection, keys).has('d'), true);
  assert.deepEqual(
    (await quarantine.list()).map(({ digest, reason }) => ({ digest, reason })),
    [{ digest: 'd', reason: 'killed three cells' }],
  );
  assert.equal(await quarantine.release('d'), true);
  assert.equal(await quarantine.has('d'), false);
});

test('a bundle is in quarantine for as long as whoever put it in keeps one, and is counted no longer', async (t) => {
  const { connection } = await queueUnderTest(t);
  const long = new Quarantine(connection, keys);
  const short = new Quarantine(connection, keys, 100);
  await long.add('long', 'killed its cell');
  await short.add('short', 'killed its cell');
  const left = await connection.ttl(keys.quarantined('short'));
  assert.ok(left > 90 && left <= 100, `${left} s`);
  assert.deepEqual([await long.count(), await short.count()], [2, 2]);
  await connection.zadd(keys.quarantine, Date.now() - 200_000, 'long');
  await connection.del(keys.quarantined('short'));
  assert.deepEqual([await short.count(), (await short.list()).map(({ digest }) => digest)], [1, ['long']]);
  await short.add('other', 'killed its cell');
  assert.deepEqual((await connection.zrange(keys.quarantine, '0', '-1')).sort(), ['long', 'other']);
});

test('a bundle in quarantine keeps what it did and for whom, and its mark can be acknowledged', async (t) => {
  const { connection } = await queueUnderTest(t);
  const quarantine = new Quarantine(connection, keys, 100);
  const cause = { reason: 'killed its cell', jobId: 'j', tenant: 't', negotiationId: 'n', worker: 'w' };
  await quarantine.add('d', cause);
  const [entry] = await quarantine.list();
  assert.deepEqual({ ...entry, sinceMs: 0 }, { digest: 'd', ...cause, sinceMs: 0, acknowledged: false });
  assert.equal(await quarantine.acknowledge('d'), true);
  assert.deepEqual({ ...(await quarantine.list())[0], sinceMs: 0 }, { ...entry, sinceMs: 0, acknowledged: true });
  assert.equal(await quarantine.has('d'), true);
  const left = await connection.ttl(keys.quarantined('d'));
  assert.ok(left > 0 && left <= 100, `${left} s`);
  assert.equal(await quarantine.acknowledge('other'), false);
  await connection.set(keys.quarantined('d'), '{"reason":7,"jobId":{}}');
  assert.deepEqual(
    (await quarantine.list()).map(({ reason, jobId }) => [reason, jobId]),
    [['unknown', null]],
  );
  // Freed by another operator between the two commands of an acknowledgement.
  const slow = Object.create(connection, {
    get: {
      value: async (key: string) => {
        const text = await connection.get(key);
        await quarantine.release('d');
        return text;
      },
    },
  });
  assert.equal(await new Quarantine(slow, keys, 60).acknowledge('d'), false);
  assert.equal(await quarantine.has('d'), false);
});

test('each worker has one heartbeat, and those that are silent for an hour are forgotten', async (t) => {
  const { connection } = await queueUnderTest(t);
  const heartbeats = new Heartbeats(connection, keys);
  assert.deepEqual(await heartbeats.list(), []);
  await heartbeats.beat('a', { says: 1 });
  await heartbeats.beat('b', { says: 1 });
  await heartbeats.beat('a', { says: 2 });
  const heard = await heartbeats.list();
  assert.deepEqual(heard.map(({ worker, said }) => [worker, said]).sort(), [
    ['a', { says: 2 }],
    ['b', { says: 1 }],
  ]);
  assert.ok(heard.every(({ atMs }) => Math.abs(atMs - Date.now()) < 60_000));
  await connection.zadd(keys.heard, Date.now() - 4_000_000, 'b');
  await heartbeats.beat('c', { text: 'x'.repeat(100_000) });
  assert.equal((await heartbeats.list()).length, 2, 'too long to be kept');
  await heartbeats.beat('c', {});
  assert.deepEqual((await heartbeats.list()).map(({ worker }) => worker).sort(), ['a', 'c']);
  assert.equal(await connection.hexists(keys.heartbeats, 'b'), 0);
  await connection.hset(keys.heartbeats, 'a', 'by hand');
  assert.equal((await heartbeats.list()).find(({ worker }) => worker === 'a')?.said, undefined);
});

test('an endpoint that refuses one key is none that refuses another, and operators see no key', async (t) => {
  const { connection } = await queueUnderTest(t);
  const endpoints = new Endpoints(connection, keys);
  const [bad, good] = ['http://m/v1?key=secret large key:00ff', 'http://m/v1?key=secret large key:ff00'];
  assert.equal(await endpoints.noteRefusal(bad, { code: 'OPERATOR_MODEL_AUTH', message: 'refused' }), true);
  assert.deepEqual(
    [(await endpoints.circuitOf(bad)).state, (await endpoints.circuitOf(good)).state],
    ['open', 'closed'],
  );
  const [fault, ...others] = await endpoints.faults();
  assert.deepEqual([fault?.endpoint, fault?.fault?.code, others], ['http://m/v1 large', 'OPERATOR_MODEL_AUTH', []]);
  await endpoints.noteSuccess(good);
  assert.equal((await endpoints.faults()).length, 1);
  assert.ok((await connection.pttl(keys.circuit(bad, 'tripped'))) <= 90_000, 'short, where its worker is gone');
  await endpoints.coolDown(bad, Date.now() + 60_000);
  assert.deepEqual(
    (await endpoints.resting()).map(({ endpoint }) => endpoint),
    ['http://m/v1 large'],
  );
});

test('every key stands on one slot of a cluster', () => {
  const names = [
    keys.queue,
    keys.intake,
    keys.outcome('j'),
    keys.outcomes('s'),
    keys.cancel('j'),
    keys.due,
    keys.deadlines,
    keys.seen,
    keys.moments,
    keys.lease('n'),
    keys.coolDown('{x}'),
    keys.circuit('{x}', 'open'),
    keys.handler('t', 'd'),
    keys.handlerLookup('t', '{x}'),
    keys.quarantine,
  ];
  // The tag is the first pair of braces.
  for (const name of names) assert.ok(name.startsWith(`${DEFAULT_PREFIX}:`), name);
  assert.throws(() => keysOf('bull'), { code: 'OPERATOR_PREFIX_UNSAFE' });
  assert.equal(keysOf('{a}').outcome('j'), '{a}:outcome:j');
});

test('a Redis that has forgotten its scripts, as after a restart, is told them again', async (t) => {
  const { connection } = await queueUnderTest(t);
  const records = new HandlerRecords(connection, keys);
  for (const record of ['first', 'second']) {
    await records.put('acme', 'digest', record, ['lookup']);
    await records.touch('acme', 'digest', ['lookup']);
    assert.deepEqual(await records.find('acme', 'lookup'), [{ digest: 'digest', record }]);
    await connection.script('FLUSH');
  }
});

test('a handler that expired is forgotten once it is looked for, and one that is removed at once, pinned or not', async (t) => {
  const { connection } = await queueUnderTest(t);
  const records = new HandlerRecords(connection, keys);
  for (const digest of ['expired', 'kept', 'pinned']) await records.put('acme', digest, 'record');
  await records.pin('acme', 'pinned');
  await connection.del(keys.handler('acme', 'expired'));
  const listed = async () => (await records.list('acme')).map(({ digest }) => digest).sort();
  assert.deepEqual(await listed(), ['kept', 'pinned']);
  assert.deepEqual((await connection.zrange(keys.handlers('acme'), '0', '-1')).sort(), ['kept', 'pinned']);
  await records.remove('acme', 'pinned');
  assert.deepEqual(await connection.zrange(keys.handlers('acme'), '0', '-1'), ['kept']);
  assert.equal(await connection.exists(keys.handler('acme', 'pinned'), keys.pinnedHandlers('acme')), 0);
});

test('a lease without an end, or for a year, is not held for ever, and one that is renewed is', async (t) => {
  const { connection } = await queueUnderTest(t);
  const leases = new Leases(connection, keys);
  await connection.set(keys.lease('endless'), 'by hand');
  await connection.set(keys.lease('year'), 'by hand', 'EX', 31_536_000);
  await connection.lpush(keys.lease('list'), 'by hand');
  for (const name of ['endless', 'year', 'list']) await until(() => leases.acquire(name, 500));
  const held = await leases.acquire('held', 60_000);
  assert.equal(await leases.acquire('held', 10_000), null);
  assert.ok((await connection.pttl(keys.lease('held'))) > 20_000);
  assert.equal(await held?.renew(), true);
});

test('what was written by hand of an endpoint keeps nobody from it for ever', async (t) => {
  const { connection } = await queueUnderTest(t);
  const endpoints = new Endpoints(connection, keys, { failures: 2, openMs: 300 });
  const part = (name: 'failures' | 'open' | 'tripped' | 'probe') => keys.circuit('e', name);
  await connection.mset(part('open'), 'by hand', part('probe'), 'by hand', part('tripped'), 'by hand');
  await connection.lpush(part('failures'), 'by hand');
  assert.equal(await endpoints.admit('e'), false);
  assert.ok((await connection.pttl(part('probe'))) > 0);
  assert.equal(await endpoints.noteFailure('e'), true);
  assert.equal((await endpoints.circuitOf('e')).state, 'open');
  await connection.pexpire(part('open'), 31_536_000_000);
  await until(async () => (await endpoints.circuitOf('e')).state === 'half-open');
  await until(() => endpoints.admit('e'));
  await endpoints.noteSuccess('e');
  await connection.set(part('failures'), 'many');
  assert.equal(await endpoints.noteFailure('e'), false);
  assert.ok((await connection.pttl(part('failures'))) > 0);
  await connection.zadd(keys.resting, 'inf', 'by hand', 'inf', 'another');
  assert.deepEqual(await endpoints.resting(), []);
});

test('what a job spent is told in numbers, and goes on to be noted, whatever was written there by hand', async (t) => {
  const { connection } = await queueUnderTest(t);
  const spendings = new Spendings(mending(connection, keys), keys);
  await connection.hset(keys.spent('a'), {
    tokens: 'many',
    costUsd: 'nan',
    calls: 'inf',
    other: '',
    less: '-5',
    well: '2',
  });
  assert.deepEqual(await spendings.of('a'), { less: 0, well: 2 });
  await spendings.add('a', { tokens: 3, well: 1 });
  assert.deepEqual(await spendings.of('a'), { less: 0, well: 3, tokens: 3 });
  await connection.set(keys.spent('b'), 'by hand');
  assert.deepEqual(await spendings.of('b'), {});
});

test('what stands in the place of handlers and readings is put aside, and they are kept', async (t) => {
  const { connection } = await queueUnderTest(t);
  const told: QueueEvent[] = [];
  const mended = mending(connection, keys, (event) => told.push(event));
  const records = new HandlerRecords(mended, keys);
  const taken = [keys.handler('t', 'd'), keys.handlers('t'), keys.handlerLookup('t', 'l'), keys.pinnedHandlers('t')];
  for (const key of [...taken, keys.withdrawnHandlers('t'), keys.tenants, keys.reading('t', 'r')])
    await connection.rpush(key, 'by hand');
  await records.put('t', 'd', '{}', ['l']);
  assert.deepEqual(await records.find('t', 'l'), [{ digest: 'd', record: '{}' }]);
  assert.equal(await records.get('t', 'd'), '{}');
  assert.deepEqual(await records.tenants(), ['t']);
  const readings = new Readings(mended, keys, 60);
  assert.equal(await readings.get('t', 'r'), null);
  await readings.put('t', 'r', 'kept');
  assert.equal(await readings.get('t', 'r'), 'kept');
  assert.deepEqual(new Set(told.map(({ event }) => event)), new Set(['mended']));
  assert.deepEqual(await connection.lrange(keys.putAside(keys.handlers('t')), 0, -1), ['by hand']);
});
