import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { markedJob, runCommand, soundReply, startRig, stopWorker } from '../system/harness.ts';

const password = 'Pa55-of-redis';
const key = 'sk-secret-0123456789abcdef';

const rig = await startRig();
after(() => rig.close());
const protectedRedis = rig.redis.pid !== null;
const url = protectedRedis ? rig.redis.url.replace('//', `//default:${password}@`) : rig.redis.url;
if (protectedRedis) await rig.connection.config('SET', 'requirepass', password);
const settings = { REDIS_URL: url, OPENAI_API_KEY: key };

test('neither key nor password nor document stands in a worker’s log', async () => {
  const worker = await rig.worker(settings);
  rig.answer('secret-refused', (_nth, { headers }) => ({
    kind: 'status',
    status: 401,
    // Some servers repeat the key they were given.
    body: { error: { message: `Incorrect API key provided: ${headers.authorization}`, code: 'invalid_api_key' } },
  }));
  rig.answer('secret-sound', (nth) =>
    nth === 1 ? { kind: 'status', status: 500 } : { kind: 'reply', text: soundReply },
  );
  rig.answer('secret-broken', (nth) => ({
    kind: 'reply',
    text: nth === 1 ? soundReply.replace("'Success'", "'Sucsess'") : soundReply,
  }));
  const outcomes = await Promise.all(
    ['secret-sound', 'secret-broken'].map((mark) => rig.outcomeOf(markedJob(mark, { timeoutMs: 120_000 }))),
  );
  // Last: a refused key holds the jobs that come after it.
  outcomes.push(await rig.outcomeOf(markedJob('secret-refused')));
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    ['generated', 'generated', 'error'],
    JSON.stringify(outcomes.map(({ findings }) => findings)),
  );
  await stopWorker(worker);

  const written = worker.output() + JSON.stringify(outcomes) + JSON.stringify(await rig.entries());
  assert.ok(written.includes('ready'));
  assert.ok(!written.includes(key), 'the key');
  assert.ok(!written.includes(password), 'the password');
  const log = worker.output();
  for (const body of [
    'Retrieve product information',
    'High-Performance Laptop',
    'lookupProduct',
    'P12345',
    'export async',
    'Reference:',
  ])
    assert.ok(!log.includes(body), `the log holds ${body}`);
});

test('nor in what the command line prints', async () => {
  const environment = { ...settings, OPENAI_BASE_URL: rig.modelUrl };
  const wrong = { ...environment, REDIS_URL: url.replace(/:\d+$/, ':1') };
  const ran = await Promise.all([
    runCommand(['doctor'], { environment }),
    runCommand(['doctor', '--json'], { environment: wrong }),
    runCommand(['submit', 'package.json'], { environment: wrong }),
    runCommand(['submit', 'package.json'], {
      environment: { ...wrong, REDIS_URL: `http://x:${password}@127.0.0.1:1` },
    }),
    runCommand(['doctor', '--json'], {
      environment: { ...wrong, OPENAI_BASE_URL: rig.modelUrl.replace('//', `//user:${password}@`) },
    }),
    runCommand(['worker'], {
      environment: { ...wrong, OPENAI_BASE_URL: `http://${password.repeat(20)}:${password.repeat(20)}@127.0.0.1:1/v1` },
    }),
    runCommand(['worker', '--concurrency', '0'], { environment: { ...wrong, REDIS_URL: `x:${password}@y` } }),
  ]);
  assert.deepEqual(ran.map(({ code }) => code).slice(1), [2, 69, 78, 78, 78, 78]);
  for (const { stdout, stderr } of ran) {
    assert.ok(stdout.length + stderr.length > 0);
    assert.ok(!`${stdout}${stderr}`.includes(password), stdout + stderr);
    assert.ok(!`${stdout}${stderr}`.includes(key), stdout + stderr);
  }
});
