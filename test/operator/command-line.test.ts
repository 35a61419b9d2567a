import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig, settings } from '../../src/config.ts';
import { commandHere } from '../system/command-here.ts';
import { root, runCommand, startWorker, stopWorker, workerSettings } from '../system/harness.ts';

const commands = [
  'worker',
  'submit',
  'run',
  'demo',
  'lint',
  'read',
  'doctor',
  'status',
  'inspect',
  'retry',
  'drain',
  'dead-letters',
  'handlers',
  'console',
];
const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing listens on this port of the loopback interface. */
const nobody = 'redis://127.0.0.1:1';

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('every command explains itself, without Redis and without a model', async () => {
  for (const name of commands) {
    const { code, stdout, stderr } = await commandHere([name, '--help'], { environment: { REDIS_URL: nobody } });
    assert.deepEqual({ name, code, stderr }, { name, code: 0, stderr: '' });
    assert.match(stdout, new RegExp(`^Usage: protosmith ${name}`));
    assert.match(stdout, /Exit code: 0 /);
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 121),
      [],
    );
  }
});

test('every flag that stands beside a setting is taken', async () => {
  for (const name of commands) {
    const { stdout } = await commandHere([name, '--help']);
    for (const [, flag = ''] of stdout.matchAll(/^ {2}[A-Z_]+, (--[a-z-]+) /gm)) {
      // Without its value, so that nothing begins.
      const { code, stderr } = await commandHere([name, flag], { environment: { REDIS_URL: nobody } });
      assert.equal(code, 64, `${name} ${flag}`);
      assert.match(stderr, /argument missing/, `${name} ${flag}`);
    }
  }
});

test('a command whose reader has gone ends quietly, and says nothing of what it was asked', async () => {
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'lint', '-'], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close');
  const gone = once(child.stdout, 'close');
  child.stdout.destroy();
  await gone;
  child.stdin.end('# Requirements\nNothing.\n');
  assert.deepEqual([...(await exited), stderr], [141, null, '']);
});

test('a command whose output cannot be written says so', { skip: !existsSync('/dev/full') }, async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'lint', '-'], { stdio: ['pipe', full, 'pipe'] });
  closeSync(full);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close');
  child.stdin?.end('# Requirements\nNothing.\n');
  assert.deepEqual(await exited, [74, null]);
  assert.match(stderr, /^Cannot write output: .*ENOSPC.*, wanted a writable standard output\n$/);
});

test('the overview names every command', async () => {
  const [asked, bare] = await Promise.all([runCommand(['--help']), runCommand([])]);
  assert.equal(asked.code, 0);
  assert.equal(bare.code, 64);
  assert.equal(bare.stdout, asked.stdout);
  for (const name of commands) assert.match(asked.stdout, new RegExp(`^  ${name} `, 'm'));
});

test('a wrong call ends with 64 and says what was wanted', async () => {
  const calls = [
    ['nonsense'],
    ['submit'],
    ['submit', '--unknown', 'one.json'],
    ['submit', '--job-id', '12345', 'package.json'],
    ['submit', '--job-id=-5', 'package.json'],
    ['lint', '-', '-'],
    ['demo', 'a', 'b'],
    ['doctor', 'please'],
  ];
  for (const call of calls) {
    const { code, stdout, stderr } = await commandHere(call, { environment: { REDIS_URL: nobody } });
    assert.deepEqual({ call, code, stdout }, { call, code: 64, stdout: '' });
    assert.match(stderr, /^(JOB_ID_INVALID: )?Cannot .*, wanted /);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});

test('what cannot be read ends with 65', async () => {
  const broken = file('broken.json', '{"version": 1,');
  const calls: [string[], string?][] = [
    [['submit', join(folder, 'absent.json')]],
    [['submit', broken]],
    [['submit', '-'], ''],
    [['submit', '-'], `{"version": ${'9'.repeat(250)}e99}`],
    [['demo', broken]],
    [['lint', broken, join(folder, 'absent.md')]],
  ];
  for (const [call, input] of calls) {
    const { code, stdout, stderr } = await commandHere(call, {
      environment: { REDIS_URL: nobody },
      ...(input === undefined ? {} : { input }),
    });
    assert.deepEqual({ call, code, stdout }, { call, code: 65, stdout: '' });
    assert.match(stderr, /^Cannot read ".*": .*, wanted /);
  }
});

test('a Redis that is not there ends with 69', async () => {
  const job = file('job.json', '{}');
  const { code, stdout, stderr } = await runCommand(['submit', '--redis-url', nobody, job]);
  assert.deepEqual({ code, stdout }, { code: 69, stdout: '' });
  assert.match(stderr, /^PLATFORM_REDIS_UNREACHABLE: Cannot .*127\.0\.0\.1:1\b/);
});

test('a worker told to stop while Redis is not there ends with 0', async () => {
  const worker = await startWorker(workerSettings(nobody, 'http://127.0.0.1:1/v1'), 'sandbox layers');
  assert.deepEqual(await stopWorker(worker), { code: 0, signal: null });
  assert.ok(worker.lines.every(({ msg }) => msg !== 'ready'));
  assert.ok(worker.lines.some(({ msg }) => msg === 'stopped'));
});

/** Has a process tell itself to stop as it loads a file, before anything in that file runs. */
function toldToStopAt(path: string): string {
  const telling = `import { registerHooks } from 'node:module';
    registerHooks({
      load(url, context, next) {
        if (url.endsWith(${JSON.stringify(path)})) process.kill(process.pid, 'SIGTERM');
        return next(url, context);
      },
    });`;
  return `--import=data:text/javascript,${encodeURIComponent(telling)}`;
}

test('a worker told to stop while it is still being loaded ends with 0', async () => {
  const settings = workerSettings(nobody, 'http://127.0.0.1:1/v1');
  for (const path of ['/src/operator/command-line.ts', '/src/operator/queue/worker.ts']) {
    const environment = { ...settings, NODE_OPTIONS: toldToStopAt(path) };
    const { code, signal, stdout } = await runCommand(['worker'], { environment });
    assert.deepEqual({ path, code, signal }, { path, code: 0, signal: null });
    assert.match(stdout, /"stopped"/);
  }
});

test('the installed command that is told to stop before there is a worker ends with 0, and no other command does', async () => {
  const told = (args: string[]) => {
    const child = spawn(process.execPath, [join(root, 'bin/protosmith.mjs'), ...args], {
      env: { ...process.env, NODE_OPTIONS: toldToStopAt('/scripts/bootstrap.mjs') },
      stdio: 'ignore',
    });
    return once(child, 'exit');
  };
  assert.deepEqual(await told(['worker', '--help']), [0, null]);
  assert.deepEqual(await told(['status']), [null, 'SIGTERM']);
});

test('every setting of a worker and of its sandbox stands in the help', async () => {
  const { stdout } = await commandHere(['worker', '--help']);
  for (const [name, { env }] of Object.entries(settings))
    if (name !== 'consoleToken') assert.match(stdout, new RegExp(`^  ${env}\\b`, 'm'), name);
});

test('wrong settings end with 78 and are all named at once', async () => {
  const { code, stderr } = await commandHere(['worker', '--concurrency', 'many'], {
    environment: {
      REDIS_URL: 'http://127.0.0.1',
      PROTOSMITH_PREFIX: 'no-braces',
      PROTOSMITH_CELLS: '0',
      PROTOSMITH_LOG_LEVEL: 'loud',
      OPENAI_BASE_URL: 'ftp://127.0.0.1',
      PROTOSMITH_PRICE_INPUT: 'free',
      PROTOSMITH_RETENTION_S: '1e9',
      OPENAI_API_KEY: 'sk-with a space',
    },
  });
  assert.equal(code, 78);
  for (const name of [
    'REDIS_URL',
    'PROTOSMITH_PREFIX',
    'PROTOSMITH_CELLS',
    'PROTOSMITH_LOG_LEVEL',
    'OPENAI_BASE_URL',
    'PROTOSMITH_PRICE_INPUT',
    'PROTOSMITH_RETENTION_S',
    'OPENAI_API_KEY',
    '--concurrency',
    'PROTOSMITH_MODEL',
  ])
    assert.match(stderr, new RegExp(`^- ${name}:.*wanted `, 'm'), name);
  assert.doesNotMatch(stderr, /with a space/);
  assert.equal(stderr.match(/^- /gm)?.length, 10);
});

test('a command fails for every setting that its help lists, and for no other', async () => {
  const job = file('settings-job.json', '{}');
  for (const call of [
    ['status'],
    ['inspect', 'a'],
    ['retry', 'a'],
    ['drain'],
    ['dead-letters', 'list'],
    ['handlers', 'list'],
    ['submit', job],
    ['console'],
  ]) {
    const { stdout } = await commandHere([call[0] ?? '', '--help']);
    const all = Object.values(settings).map(({ env }) => env);
    const listed = all.filter((env) => new RegExp(`^  ${env}\\b`, 'm').test(stdout));
    // None takes a blank.
    const wrong = (names: readonly string[]) => Object.fromEntries(names.map((env) => [env, 'a b']));
    const failed = await commandHere(call, { environment: wrong(listed) });
    assert.equal(failed.code, 78, call[0]);
    assert.deepEqual([...failed.stderr.matchAll(/^- (\w+):/gm)].map(([, env]) => env).sort(), listed.sort());
    const others = all.filter((env) => !listed.includes(env));
    const passed = await commandHere(call, { environment: { ...wrong(others), REDIS_URL: nobody } });
    assert.equal(passed.code, 69, `${call[0]}: ${passed.stderr}`);
  }
});

test('what Kubernetes sets beside a service named protosmith is no setting', async () => {
  const links = {
    PROTOSMITH_SERVICE_HOST: '10.43.12.7',
    PROTOSMITH_SERVICE_PORT: '9100',
    PROTOSMITH_SERVICE_PORT_METRICS: '9100',
    PROTOSMITH_PORT_9100_TCP: 'tcp://10.43.12.7:9100',
    PROTOSMITH_PORT_9100_TCP_PROTO: 'tcp',
    PROTOSMITH_PORT_9100_TCP_PORT: '9100',
    PROTOSMITH_PORT_9100_TCP_ADDR: '10.43.12.7',
  };
  for (const scheme of ['tcp', 'udp', 'sctp'])
    assert.equal(readConfig({ ...links, PROTOSMITH_PORT: `${scheme}://10.43.12.7:9100` }).port, null);
  assert.equal(readConfig({ ...links, PROTOSMITH_PORT: '9100' }).port, 9_100);
  assert.throws(() => readConfig({ PROTOSMITH_PORT: 'http://10.43.12.7:9100' }), /PROTOSMITH_PORT: /);
  const settings = { ...workerSettings(nobody, 'http://127.0.0.1:1/v1'), ...links };
  const worker = await startWorker({ ...settings, PROTOSMITH_PORT: 'tcp://[fd00::7]:9100' }, 'sandbox layers');
  assert.deepEqual(await stopWorker(worker), { code: 0, signal: null });
});

test('every part of a Redis URL but its scheme may be absent', () => {
  for (const url of ['redis://', 'rediss://', 'redis://:6380', 'redis:///1', 'redis+cluster://'])
    assert.equal(readConfig({ REDIS_URL: url }).redisUrl, url);
});

test('a worker without a model is a wrong setting', async () => {
  const [neither, unnamed] = await Promise.all([
    commandHere(['worker'], { environment: { REDIS_URL: nobody } }),
    commandHere(['worker'], { environment: { REDIS_URL: nobody, OPENAI_API_KEY: 'sk-x' } }),
  ]);
  assert.equal(neither.code, 78);
  assert.match(neither.stderr, /^- PROTOSMITH_MODEL: /m);
  assert.match(neither.stderr, /^- OPENAI_API_KEY or OPENAI_BASE_URL: /m);
  assert.equal(unnamed.code, 78);
  assert.match(unnamed.stderr, /^- PROTOSMITH_MODEL: /m);
  assert.doesNotMatch(unnamed.stderr, /sk-x|OPENAI_BASE_URL: /);
});

test('names out of the call are shown without their control characters', async () => {
  const hostile = 'x\u001b[2J\u202ey';
  for (const call of [
    [hostile],
    ['lint', hostile],
    ['submit', hostile],
    ['submit', '--redis-url', `redis://${hostile}`, 'package.json'],
  ]) {
    const { code, stdout, stderr } = await commandHere(call, { environment: { REDIS_URL: nobody } });
    assert.ok(code !== null && code > 2);
    assert.doesNotMatch(stdout + stderr, /[\u001b\u202e]/, JSON.stringify(call));
  }
});
