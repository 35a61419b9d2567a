import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_PREFIX, localRedis, QUEUE_NAME } from '../../queues/index.ts';
import { openConsole } from '../system/console-process.ts';
import { markedJob, runCommand, startRig, until } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());
await rig.queue.pause();
const document = 'x'.repeat(5_000);
await rig.submit({ ...markedJob('console'), secret: document }, { kind: document, jobId: 'waits-here' });

/** Starts a console; resolves to the address it prints. */
const open = (...args: string[]) => openAt(rig.redis.url, ...args);

async function openAt(redisUrl: string, ...args: string[]) {
  const opened = await openConsole(redisUrl, ...args);
  after(opened.close);
  return opened;
}

const listPath = '/board/api/queues?activeQueue=code-generation&status=latest&page=1&jobsPerPage=10';
const board = await open();

test('it listens on loopback and lets nobody in without the token', async () => {
  assert.equal(board.url.hostname, '127.0.0.1');
  assert.ok(board.token.length >= 32);
  for (const path of ['/', listPath, '/metrics', '/board/static/js/main.js', '/?token=wrong', '/?token=']) {
    assert.equal((await board.get(path)).status, 401, path);
  }
  assert.equal((await board.get('/', { headers: { cookie: 'protosmith-console=guess' } })).status, 401);
  assert.equal((await board.get('/', { headers: { authorization: `Bearer ${board.token}x` } })).status, 401);
});

test('the token opens a session, and leaves the address', async () => {
  const answer = await board.get(`/board/queue/code-generation?status=waiting&token=${board.token}`);
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.get('location'), '/board/queue/code-generation?status=waiting');
  const cookie = answer.headers.get('set-cookie') ?? '';
  assert.match(cookie, /HttpOnly; SameSite=Strict$/);
  assert.ok(!cookie.includes(board.token));
  assert.equal((await board.get('/', { headers: await board.session() })).status, 200);
  assert.equal((await board.get('/metrics', { headers: { authorization: `Bearer ${board.token}` } })).status, 200);
});

test('every answer forbids requests to other hosts and framing', async () => {
  const headers = await board.session();
  for (const path of ['/', listPath, '/metrics', '/nowhere']) {
    const policy = (await board.get(path, { headers })).headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      path.startsWith('/board') ? /^default-src 'self';/ : /^default-src 'none';.*script-src 'self';/,
      path,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /https?:|\*/);
  }
});

test('another host’s name is refused: a page elsewhere may point it here', async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'attacker.example', authorization: `Bearer ${board.token}` };
    request({ host: '127.0.0.1', port: board.url.port, path: '/', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
  assert.equal(status, 421);
});

test('data and names of jobs are trimmed', async () => {
  const headers = await board.session();
  for (const path of [listPath, '/board/api/queues/code-generation/waits-here']) {
    const text = await (await board.get(path, { headers })).text();
    assert.match(text, /waits-here/);
    assert.match(text, /5000 characters/);
    assert.ok(!text.includes(document.slice(0, 500)));
  }
});

test('why a job failed, its stack, logs, progress and options are trimmed, and no character of them stays unseen', async () => {
  const headers = await board.session();
  const hidden = '\u0000\u001b[2J\u202e\u200b';
  const key = `${DEFAULT_PREFIX}:${QUEUE_NAME}:hostile`;
  const text = `begins${hidden}${document}`;
  await rig.queue.add('review', {}, { jobId: 'hostile' });
  await rig.connection.hset(key, {
    name: `review${hidden}`,
    data: JSON.stringify({ [text]: text }),
    failedReason: text,
    stacktrace: JSON.stringify([text, `at ${hidden}\n`.repeat(1_000)]),
    progress: JSON.stringify({ [text]: text }),
    opts: JSON.stringify({ [text]: text, deep: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) }),
    returnvalue: JSON.stringify(text),
    defa: text,
    deid: text,
    pb: text,
  });
  for (let line = 0; line < 500; line += 1) await rig.connection.rpush(`${key}:logs`, `${line} ${text}`);
  for (const path of [
    listPath,
    '/board/api/queues/code-generation/hostile',
    '/board/api/queues/code-generation/hostile/logs',
  ]) {
    const answer = await board.get(path, { headers });
    assert.equal(answer.status, 200, path);
    const body = await answer.text();
    assert.match(body, /begins/, path);
    assert.ok(!body.includes(document.slice(0, 500)), path);
    assert.ok(body.length < 60_000, `${path}: ${body.length} characters`);
    const isUnseen = (value: unknown): boolean =>
      typeof value === 'string'
        ? /[\u0000\u001b\u202e\u200b]/.test(value)
        : typeof value === 'object' && value !== null && Object.entries(value).flat().some(isUnseen);
    assert.equal(isUnseen(JSON.parse(body)), false, path);
  }
  const logs = JSON.parse(
    await (await board.get('/board/api/queues/code-generation/hostile/logs', { headers })).text(),
  );
  assert.match(logs.at(-1), /^499 begins/);
});

test('jobs whose data are no JSON, or too deep to be written, hide no others', async () => {
  const headers = await board.session();
  for (const [jobId, data] of Object.entries({ half: '{"a":', deep: `${'['.repeat(100_000)}${']'.repeat(100_000)}` })) {
    await rig.queue.add('review', {}, { jobId });
    await rig.connection.hset(`${DEFAULT_PREFIX}:${QUEUE_NAME}:${jobId}`, 'data', data);
    for (const path of [listPath, `/board/api/queues/code-generation/${jobId}`]) {
      const answer = await board.get(path, { headers });
      assert.equal(answer.status, 200, `${jobId} ${path}`);
      assert.match(await answer.text(), new RegExp(jobId));
    }
    assert.match(await (await board.get(listPath, { headers })).text(), /waits-here/);
  }
});

test('it is read only unless told otherwise', async () => {
  const headers = await board.session();
  for (const path of [
    '/board/api/queues/code-generation/empty',
    '/board/api/queues/pause',
    '/board/api/queues/code-generation/waits-here/clean',
  ])
    assert.equal((await board.get(path, { method: 'PUT', headers })).status, 405, path);
  assert.equal(await rig.queue.getJobState('waits-here').then((state) => state !== 'unknown'), true);

  const writable = await open('--write');
  const put = (path: string, more = {}) => writable.get(path, { method: 'PUT', ...more });
  assert.equal((await put('/board/api/queues/code-generation/waits-here/clean')).status, 401);
  const cleaned = await put('/board/api/queues/code-generation/waits-here/clean', {
    headers: await writable.session(),
  });
  assert.ok(cleaned.ok, String(cleaned.status));
  assert.equal(await rig.queue.getJobState('waits-here'), 'unknown');
  assert.equal(await writable.close(), 0);
});

test('while Redis is away the overview says so, and other pages name the fault', async () => {
  const redis = await localRedis();
  const alone = await openAt(redis.url);
  const headers = await alone.session();
  await redis.close();
  // The first page may be of a look that had begun before.
  await until(async () => {
    const overview = await alone.get('/', { headers });
    assert.equal(overview.status, 200);
    return /id="concern-redis-unreachable"/.test(await overview.text());
  });
  const jobs = await alone.get('/jobs', { headers });
  assert.equal(jobs.status, 503);
  assert.match(await jobs.text(), /^PLATFORM_REDIS_UNREACHABLE: Cannot reach Redis: /);
  await alone.close();
});

test('an action needs a form of our own page: another site can send one, but not with its token', async () => {
  const writable = await open('--write');
  const headers = { ...(await writable.session()), 'content-type': 'application/x-www-form-urlencoded' };
  const overview = await (await writable.get('/', { headers })).text();
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(overview) ?? [];
  assert.ok(csrf.length > 30);
  const pause = (body: string, more: Record<string, string> = {}) =>
    writable.get('/pause', { method: 'POST', headers: { ...headers, ...more }, body }).then(({ status }) => status);
  await rig.queue.resume();
  assert.equal(await pause('reason=x'), 403);
  assert.equal(await pause(`csrf=${csrf.replace(/.$/, '!')}`), 403);
  assert.equal(await pause(`csrf=${csrf}`, { origin: 'http://127.0.0.1:1' }), 403);
  assert.equal(await pause(`csrf=${csrf}`, { origin: 'null' }), 403);
  assert.equal(await rig.queue.isPaused(), false);
  assert.equal(await pause(`csrf=${csrf}&reason=x`, { origin: writable.url.origin }), 303);
  assert.equal(await rig.queue.isPaused(), true);
  const gone = await writable.get('/jobs/nowhere/cancel', { method: 'POST', headers, body: `csrf=${csrf}` });
  assert.equal(gone.status, 409);
  assert.match(await gone.text(), /^JOB_UNKNOWN: Cannot cancel job nowhere: /);
  for (const act of ['free', 'acknowledge']) {
    const freed = await writable.get(`/quarantine/freed/${act}`, { method: 'POST', headers, body: `csrf=${csrf}` });
    assert.equal(freed.headers.get('location'), '/?note=freed-before');
  }
  await writable.close();
});

test('a page that nothing is kept for says so, and a read-only console has no forms that act', async () => {
  const headers = await board.session();
  for (const path of ['/jobs/nowhere', '/handlers/default/nowhere']) {
    const answer = await board.get(path, { headers });
    assert.equal(answer.status, 404, path);
    assert.match(await answer.text(), /Nothing is kept/);
  }
  assert.doesNotMatch(await (await board.get('/', { headers })).text(), /method="post"/);
});

test('a job that cannot be taken is not added, and the operator is told why', async () => {
  const writable = await open('--write');
  const headers = { ...(await writable.session()), 'content-type': 'application/json' };
  const add = async (body: string) => {
    const answer = await writable.get('/board/api/queues/code-generation/add', { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const before = await rig.queue.getJobCounts();
  for (const [body, said] of [
    [`{"name":"review","data":${deep},"options":{"jobId":"console-deep"}}`, /Cannot take data: nested more than/],
    [`{"name":"review","data":{},"options":${deep}}`, /Cannot take data: nested more than/],
    ['{"name":"review","data":{}}', /Cannot add job: no usable id/],
    ['{"name":"review","data":{},"options":{"jobId":"12"}}', /Cannot add job: no usable id/],
    ['{"name":"review","data":{},"options":{"jobId":"a:b"}}', /Cannot add job: no usable id/],
    ['{"name":"review","data":{},"options":{"jobId":"wait"}}', /Cannot add job: no usable id/],
    ['null', /Cannot add job: no usable id/],
  ] as const) {
    const { status, text } = await add(body);
    assert.equal(status, 400, body.slice(0, 80));
    assert.match(text, said);
  }
  assert.deepEqual(await rig.queue.getJobCounts(), before);
  const sound = await add('{"name":"review","data":{"version":1},"options":{"jobId":"console-adds"}}');
  assert.equal(sound.status, 200, sound.text);
  assert.notEqual(await rig.queue.getJobState('console-adds'), 'unknown');
  await writable.close();
});

test('a token of one’s own is taken, and not printed; a weak one is refused', async () => {
  const refused = await runCommand(['console', '--port', '0'], {
    environment: { REDIS_URL: rig.redis.url, PROTOSMITH_CONSOLE_TOKEN: 'short-secret' },
  });
  assert.equal(refused.code, 78);
  assert.ok(!refused.stderr.includes('short-secret'));
});

test('a port that is taken ends it with 78', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await runCommand(['console', '--port', String(port)], {
    environment: { REDIS_URL: rig.redis.url },
  });
  server.close();
  assert.equal(code, 78);
  assert.match(stderr, /^OPERATOR_PORT_TAKEN: /);
});

const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (each) => spawnSync(each, ['--version'], { stdio: 'ignore' }).status === 0,
);

test('a browser shows the queue, and asks no other host for anything', {
  skip: browser === undefined && 'no Chromium here',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
  const network = join(folder, 'network.json');
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
  ];
  const child = spawn(
    browser ?? '',
    [
      ...flags,
      // Whatever a page asks another host for is resolved to nowhere, and stands in the log of the network.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--virtual-time-budget=10000',
      `--user-data-dir=${folder}`,
      `--log-net-log=${network}`,
      '--dump-dom',
      new URL(`/board?token=${board.token}`, board.url).href,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const hang = setTimeout(() => child.kill('SIGKILL'), 90_000);
  let dom = '';
  child.stdout.on('data', (text) => {
    dom += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(hang);
  assert.match(dom, /code-generation/);
  assert.doesNotMatch(dom, /Loading\s*<\/div>/);
  const asked = [...readFileSync(network, 'utf8').matchAll(/"url":"(https?:\/\/[^/"]+)/g)].map(([, origin]) => origin);
  assert.ok(asked.includes(board.url.origin));
  assert.deepEqual(
    asked.filter((origin) => /fonts|gstatic|github|bullboard/.test(origin ?? '')),
    [],
  );
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
