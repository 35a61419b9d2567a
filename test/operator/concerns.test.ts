import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConcernCode, concernsOf, lineOf } from '../../src/operator/situation/concerns.ts';
import { situationWithout } from '../../src/operator/situation/read-situation.ts';
import type { EndpointView, Situation, WorkerView } from '../../src/operator/situation/situation.ts';
import { backlogOf, endpointsOf, tenantsOf, totalOf } from '../../src/operator/situation/situation-parts.ts';
import { noTally } from '../../src/telemetry/heartbeat.ts';

/** A worker to which nothing happened. */
const worker: WorkerView = {
  worker: 'host-7-a1',
  version: '1.2.3',
  state: 'running',
  life: 'alive',
  ageSeconds: 2,
  fault: null,
  upMs: 600_000,
  concurrency: 4,
  running: 0,
  jobs: [],
  cells: { all: 2, waiting: 0, killed: 0 },
  level: 'namespaces',
  paused: [],
  sinceFetchMs: 100,
  sinceEndMs: 100,
  forbidden: null,
  redisFaults: [],
  silent: [],
  invalid: [],
  recent: { ...noTally, verdicts: { generated: 100 } },
  endedLastMinute: 60,
  meanRunMs: 1_000,
};

const endpoint: EndpointView = {
  endpoint: 'http://m/v1 large',
  state: 'well',
  fault: null,
  sinceMs: null,
  restMs: null,
  tries: 100,
  failed: 0,
  codes: {},
  silent: null,
  quietMs: 100,
};

/** An installation to which nothing happened. */
const well: Situation = {
  ...situationWithout(new Error('x'), false),
  unreachable: null,
  queue: {
    counts: { waiting: 0, prioritized: 0, delayed: 0, active: 0, failed: 0, completed: 0 },
    oldestWaitingAgeSeconds: null,
    oldestFailedAgeSeconds: null,
    paused: false,
    rateLimitTtlMs: 0,
    workers: 1,
    outcomes: [],
    intake: { length: 0, pending: 0 },
    deadlines: { open: 0, overdue: 0 },
    quarantined: 0,
    resting: [],
    failing: [],
    refused: [],
    redis: {
      version: '7.2.0',
      server: 'redis',
      maxmemoryPolicy: 'noeviction',
      maxmemoryBytes: 0,
      usedMemoryBytes: 1,
      appendonly: true,
      snapshots: true,
      clockAheadMs: 0,
    },
  },
  workers: [worker],
  recent: worker.recent,
  endpoints: [endpoint],
};

function codes(change: Partial<Situation>): ConcernCode[] {
  return concernsOf({ ...well, ...change }).map(({ code }) => code);
}

const queueWith = (change: object) => ({ ...well.queue, ...change }) as NonNullable<Situation['queue']>;

test('an installation to which nothing happened needs no attention', () => {
  assert.deepEqual(concernsOf(well), []);
});

test('everything that needs attention is named, alone, with cost and remedy', () => {
  const quarantined = {
    digest: 'a'.repeat(64),
    sinceMs: 1,
    reason: 'x',
    jobId: 'j',
    tenant: 't',
    negotiationId: null,
    worker: null,
    acknowledged: false,
  };
  const fault = { code: 'OPERATOR_MODEL_AUTH', message: 'Cannot complete prompt at m: status 401' };
  const cases: [ConcernCode, Partial<Situation>][] = [
    ['redis-unreachable', { unreachable: { code: 'PLATFORM_REDIS_UNREACHABLE', message: 'x' } }],
    ['redis-unwritable', { unwritable: { code: 'PLATFORM_REDIS_FULL', message: 'x' } }],
    ['redis-permission', { forbidden: { user: 'app', missing: ['xadd'] } }],
    ['redis-permission', { workers: [{ ...worker, forbidden: { user: 'app', missing: ['xadd'] } }] }],
    [
      'redis-permission',
      { workers: [{ ...worker, redisFaults: [{ code: 'NOPERM', message: 'NOPERM x', count: 1 }] }] },
    ],
    ['redis-restarted', { redisRestartedSeconds: 30 }],
    ['redis-errors', { workers: [{ ...worker, redisFaults: [{ code: 'ECONNRESET', message: 'x', count: 3 }] }] }],
    ['redis-settings', { queue: queueWith({ redis: { ...well.queue?.redis, maxmemoryPolicy: 'allkeys-lru' } }) }],
    ['redis-settings', { queue: queueWith({ redis: { ...well.queue?.redis, replica: true } }) }],
    ['queue-paused', { queue: queueWith({ paused: true }) }],
    ['no-worker', { workers: [], queue: queueWith({ workers: 0 }) }],
    ['worker-gone', { workers: [worker, { ...worker, life: 'gone', ageSeconds: 40 }] }],
    ['worker-failed', { workers: [worker, { ...worker, life: 'failed', fault }] }],
    ['worker-stuck', { workers: [{ ...worker, sinceFetchMs: 60_000 }] }],
    ['endpoint-refused', { endpoints: [endpoint, { ...endpoint, state: 'refused', fault, sinceMs: 1 }] }],
    ['endpoint-failing', { endpoints: [{ ...endpoint, state: 'failing' }] }],
    ['endpoint-failing', { endpoints: [{ ...endpoint, failed: 20, codes: { PLATFORM_MODEL_RATE_LIMITED: 20 } }] }],
    ['endpoint-failing', { endpoints: [{ ...endpoint, state: 'resting', restMs: 30_000 }] }],
    ['endpoint-failing', { endpoints: [{ ...endpoint, tries: 0, silent: { calls: 2, longestMs: 40_000 } }] }],
    ['endpoint-failing', { endpoints: [{ ...endpoint, quietMs: 26_000, silent: { calls: 3, longestMs: 26_000 } }] }],
    ['jobs-overdue', { queue: queueWith({ deadlines: { open: 1, overdue: 1 } }) }],
    ['jobs-late', { backlog: { open: 9, nextDeadlineSeconds: 1, ratePerSecond: 0.5, willMiss: 4 } }],
    [
      'many-errors',
      { recent: { ...worker.recent, verdicts: { generated: 17, error: 3 }, codes: { PLATFORM_DEADLINE: 3 } } },
    ],
    ['invalid-jobs', { invalid: [{ jobId: 'j', code: 'JOB_INVALID', tenant: 'acme', replyTo: 'r' }] }],
    [
      'tenant-flood',
      {
        tenants: [
          { tenant: 'noisy', waiting: 90, running: 2, ended: 0 },
          { tenant: 'quiet', waiting: 1, running: 0, ended: 3 },
        ],
      },
    ],
    ['reader-behind', { readers: [{ replyTo: 'r', group: 'g', unread: 3, pending: 1, behindSeconds: 90 }] }],
    ['quarantine', { quarantine: [quarantined] }],
    ['dead-letters', { queue: queueWith({ counts: { ...well.queue?.counts, failed: 2 } }) }],
  ];
  for (const [code, change] of cases) {
    const found = concernsOf({ ...well, ...change });
    assert.deepEqual(
      found.map((one) => one.code),
      [code],
      JSON.stringify(change),
    );
    for (const one of found) {
      assert.ok(one.cause.length > 3 && one.cost.length > 3 && one.remedy.length > 3, code);
      assert.match(lineOf(one), /^[^\n]+; costs: [^\n]+; mend: [^\n]+$/);
    }
  }
  assert.deepEqual(codes({ quarantine: [{ ...quarantined, acknowledged: true }] }), []);
});

test('what holds jobs up is named with who did it, and with a command that mends it', () => {
  const pausedBy = { by: 'ann', reason: 'work on Redis', atMs: 0 };
  const queue = { ...well.queue, paused: true } as Situation['queue'];
  const [paused] = concernsOf({ ...well, queue, pausedBy });
  assert.match(paused?.cause ?? '', /paused for all workers, by ann at 1970-.*: work on Redis$/);
  assert.equal(paused?.remedy, '`protosmith resume`');
  const floodOf = (...names: string[]) => {
    const tenants = names.map((tenant, index) => ({ tenant, waiting: 90 - 80 * index, running: 2, ended: 0 }));
    return concernsOf({ ...well, tenants })[0];
  };
  const flood = floodOf('noisy', 'quiet');
  assert.match(flood?.remedy ?? '', /`protosmith limits set tenant-waiting:noisy <most>`/);
  assert.match(floodOf('?', 'quiet')?.remedy ?? '', /`protosmith limits set tenant-waiting <most>`/);
  assert.doesNotMatch(flood?.cost ?? '', /behind/, 'tenants take turns');
});

test('what is no fault is not named', () => {
  const quiet: Partial<Situation>[] = [
    { endpoints: [{ ...endpoint, failed: 9, codes: { PLATFORM_MODEL_CUT: 9 } }] },
    { endpoints: [{ ...endpoint, quietMs: 40_000, silent: { calls: 1, longestMs: 40_000 } }] },
    { endpoints: [{ ...endpoint, quietMs: 2_000, silent: { calls: 9, longestMs: 40_000 } }] },
    { recent: { ...worker.recent, verdicts: { generated: 5, error: 2 } } },
    { recent: { ...worker.recent, verdicts: { generated: 27, error: 3 } } },
    { readers: [{ replyTo: 'r', group: 'g', unread: 3, pending: 0, behindSeconds: 5 }] },
    { tenants: [{ tenant: 'only', waiting: 900, running: 2, ended: 0 }] },
    { workers: [worker, { ...worker, life: 'stopped' }, { ...worker, life: 'gone', ageSeconds: 3_000 }] },
    { workers: [{ ...worker, running: 4, sinceFetchMs: 60_000 }] },
    // A worker of an earlier version has no heartbeat.
    { workers: [] },
  ];
  for (const change of quiet) assert.deepEqual(codes(change), [], JSON.stringify(change));
});

test('one endpoint that refuses costs time, all of them cost the jobs', () => {
  const refused: EndpointView = {
    ...endpoint,
    state: 'refused',
    fault: { code: 'OPERATOR_MODEL_QUOTA', message: 'x' },
  };
  const [one] = concernsOf({ ...well, endpoints: [refused, endpoint] });
  assert.match(one?.cost ?? '', /go to the other endpoints/);
  assert.match(one?.remedy ?? '', /top up the account/);
  const [all] = concernsOf({ ...well, endpoints: [refused] });
  assert.match(all?.cost ?? '', /no job is taken/);
  assert.doesNotMatch(all?.cause ?? '', /0 of/);
});

test('what mends a model is what is wrong now, and then what was wrong of late', () => {
  const remedyOf = (change: Partial<EndpointView>) =>
    concernsOf({ ...well, endpoints: [{ ...endpoint, failed: 5, codes: { OPERATOR_MODEL_AUTH: 5 }, ...change }] })[0]
      ?.remedy ?? '';
  const silence = { calls: 3, longestMs: 30_000 };
  assert.match(remedyOf({ silent: silence }), /^check the model server and the network; or restore the key/);
  assert.match(remedyOf({ state: 'resting', restMs: 9_000 }), /^lower PROTOSMITH_CONCURRENCY.*; or restore the key/);
  const fault = { code: 'PLATFORM_MODEL_UNREACHABLE', message: 'x' };
  assert.match(remedyOf({ state: 'failing', fault }), /^check the model server and the network; or restore the key/);
});

test('the most frequent error of Redis is that of all workers together', () => {
  const fault = (code: string, count: number) => ({ code, message: `${code} x`, count });
  const [found] = concernsOf({
    ...well,
    workers: [
      { ...worker, redisFaults: [fault('ECONNRESET', 3), fault('LOADING', 2)] },
      { ...worker, redisFaults: [fault('LOADING', 2), fault('OOM', 9)] },
    ],
  });
  assert.match(found?.cause ?? '', /met 7 errors of Redis in five minutes, most often LOADING: LOADING x$/);
});

test('one job that waits ends, two end', () => {
  const refused: EndpointView = { ...endpoint, state: 'refused' };
  const cost = (open: number) =>
    concernsOf({ ...well, endpoints: [refused], backlog: { ...well.backlog, open } })[0]?.cost ?? '';
  assert.match(cost(1), /1 open job waits, and ends with error at its deadline/);
  assert.match(cost(2), /2 open jobs wait, and end with error at their deadline/);
});

test('a hostile id is one word for a shell', () => {
  const invalid = [{ jobId: "x'; rm -rf ~ #\n", code: 'JOB_INVALID', tenant: null, replyTo: 'r' }];
  const [found] = concernsOf({ ...well, invalid });
  assert.match(found?.remedy ?? '', /inspect 'x'\\''; rm -rf ~ #\n'`/);
});

test('jobs miss their deadline where the slots, or the last minute, are too slow', () => {
  const leftMs = Array.from({ length: 10 }, (_, nth) => (nth + 1) * 1_000);
  const missed = (change: Partial<WorkerView>, waitedSeconds: number | null, open = 10) =>
    backlogOf({ open, leftMs }, [{ ...worker, ...change }], waitedSeconds).willMiss;
  // Four slots with a second each.
  assert.equal(missed({}, 5), 0);
  assert.equal(missed({ meanRunMs: 8_000 }, 5), 10);
  assert.equal(missed({ meanRunMs: 8_000 }, 5, 100), 100);
  assert.equal(missed({ meanRunMs: null }, 5), null);
  assert.equal(missed({ endedLastMinute: 30 }, 90), 10);
  assert.equal(missed({ endedLastMinute: 600 }, 90), 0);
  assert.equal(missed({ paused: ['x'] }, 5), 10);
  assert.equal(backlogOf({ open: 0, leftMs: [] }, [worker], null).willMiss, 0);
});

test('counts of several workers add up, whatever the names are', () => {
  const tally = JSON.parse(
    '{"verdicts":{"error":1},"codes":{"__proto__":2},"tenants":{"constructor":1},"tries":{"__proto__":{"answered":1},"e":{"answered":1,"X":2}}}',
  );
  const total = totalOf([tally, tally]);
  assert.deepEqual(Object.entries(total.codes), [['__proto__', 4]]);
  assert.deepEqual(Object.entries(total.tenants), [['constructor', 2]]);
  assert.equal(Object.hasOwn({}, 'answered') || 'answered' in {}, false);
  const heard = [{ e: 9_000 }, { e: 3_000 }].map((one) => ({ ...worker, heard: one }));
  const views = endpointsOf(total, [], [{ endpoint: 'r', leftMs: 5_000 }], [worker, ...heard]);
  assert.deepEqual(
    views.map(({ endpoint: name, state, tries, failed, quietMs }) => [name, state, tries, failed, quietMs]),
    [
      ['__proto__', 'well', 2, 0, null],
      ['e', 'well', 6, 4, 3_000],
      ['r', 'resting', 0, 0, null],
    ],
  );
  assert.deepEqual(tenantsOf([{ tenant: 'a', waiting: 2, running: 1 }], total), [
    { tenant: 'a', waiting: 2, running: 1, ended: 0 },
    { tenant: 'constructor', waiting: 0, running: 0, ended: 2 },
  ]);
});
