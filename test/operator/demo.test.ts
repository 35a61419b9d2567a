import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { redisServerPath } from '../../queues/index.ts';
import {
  descendantsOf,
  environmentWith,
  example,
  isAlive,
  main,
  markedJob,
  root,
  runCommand,
  startRig,
  until,
} from '../system/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A folder without any Redis server: the demo starts the embedded one. */
const withoutServers = { PATH: join(folder, 'nothing') };

function file(name: string, value: unknown): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

test('the whole story in a pipe: plain lines, in their order', async () => {
  const { code, stdout, stderr } = await runCommand(['demo'], {
    environment: { TMPDIR: folder, PROTOSMITH_READING: 'late' },
  });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
  assert.match(stdout.split('\n')[0] ?? '', /scripted/);
  let rest = stdout;
  for (const piece of [
    /^Redis: /m,
    /^Worker: process \d+/m,
    /^1\. /m,
    /· (intake|analyze|preflight) \d+ ms/,
    /outcome: disputed/,
    /"action":"fixErrorNegotiation"/,
    /case 2 response \/productInfo/,
    /amendment to responseSchema/,
    /^2\. /m,
    /model is asked to derive cases from the agreement/,
    /tokens in, \d+ out, \d+ ms/,
    /case 1 passed, case 2 passed/,
    /model is asked as a second, blind reader/,
    /candidate \d refused: it breaks 2 cases that the document demands/,
    /repair/,
    /case 1 passed, case 2 passed/,
    /outcome: generated/,
    /\{"action":"codeGeneration","status":"generated"\}/,
    /^ {5}to write handlers: \d+ completions, \d+ tokens in/m,
    /^ {5}to read the agreement: 1 completion, \d+ tokens in/m,
    /^ {5}to have the reading confirmed: 1 completion, \d+ tokens in/m,
    /^3\. /m,
    /reading: 10 of 10 sentences, 8 cases, 2 confirmed, 0 contested/,
    /the document says: "Error codes use HTTP error codes … If there is no return within 15 seconds/,
    /so: when the catalogue does not answer in time, the answer is a timeout/,
    /question for both sides, unclear in sentence 8: "Error messages are described in natural language"/,
    /^4\. /m,
    /request: .*K70031/,
    /response: .*Enamel Kettle/,
    /while the catalogue fails/,
    /response: .*"code":500/,
  ]) {
    const at = piece.exec(rest);
    assert.ok(at, `${piece} does not come in:\n${rest}`);
    rest = rest.slice(at.index + at[0].length);
  }
  const source = /source in (\S+)/.exec(stdout)?.[1] ?? '';
  assert.match(readFileSync(source, 'utf8'), /export async function handle/);
  assert.ok(existsSync(join(dirname(source), 'types.d.ts')));
  // Each line stands for one event: a lane that is dropped says nothing more.
  assert.ok(stdout.split('\n').every((line) => line.length < 2_000));
});

test('it runs in a folder whose name has spaces and other signs', () => {
  const there = join(folder, 'a folder, 100 % €');
  for (const part of ['src', 'sandbox', 'queues', 'fixtures', 'package.json'])
    cpSync(join(root, part), join(there, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(there, 'node_modules'));
  const call = [join(there, 'src/main.ts'), 'demo', file('elsewhere', { version: 1 })];
  const { status, stdout, stderr } = spawnSync(process.execPath, call, {
    encoding: 'utf8',
    env: environmentWith({ TMPDIR: folder }),
  });
  assert.deepEqual({ status, stderr }, { status: 2, stderr: '' });
  assert.match(stdout, /outcome: error/);
});

test('on a terminal the story has colours', {
  skip: !hasScript() && 'there is no script(1) to make a terminal',
}, async () => {
  const command = `${process.execPath} ${main} demo ${file('terminal', { version: 1 })}`;
  const { stdout, status } = spawnSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    env: environmentWith({ TERM: 'xterm-256color' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  assert.equal(status, 2);
  assert.match(stdout, /\u001b\[1m/);
});

test('a job of one’s own on the embedded Redis, with the model that is configured', async () => {
  const rig = await startRig();
  try {
    const environment = { ...withoutServers, OPENAI_BASE_URL: rig.modelUrl, PROTOSMITH_MODEL: 'mine', TMPDIR: folder };
    const job = file('own', markedJob('demo-own'));
    const { code, stdout, stderr } = await runCommand(['demo', job], { environment });
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout);
    assert.match(stdout.split('\n')[0] ?? '', /live/);
    assert.match(stdout, /^Redis: embedded at redis:\/\/127\.0\.0\.1:/m);
    assert.match(stdout, /outcome: generated/);
    assert.match(stdout, /source in /);
    assert.ok(rig.questions('demo-own').length > 0);
    assert.ok(rig.questions('demo-own').every(({ body }) => body.model === 'mine'));
  } finally {
    await rig.close();
  }
});

test('a job that no script exists for ends in an error that names the variables to set', async () => {
  const { agreement, ...rest } = example('anp-product-en.consistent');
  const job = file('no-script', {
    ...rest,
    negotiationId: 'demo-no-script',
    agreement: {
      ...agreement,
      candidateProtocols: String(agreement.candidateProtocols).replaceAll('roduct', 'rodukt'),
    },
    testCases: [],
    tools: [],
  });
  const { code, stdout, stderr } = await runCommand(['demo', job]);
  assert.equal(code, 2, stdout + stderr);
  for (const name of ['OPERATOR_NO_SCRIPT', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'PROTOSMITH_MODEL'])
    assert.ok(`${stdout}${stderr}`.includes(name), `${name} is not named in:\n${stdout}${stderr}`);
});

test('hostile text of a job does not reach the terminal', async () => {
  const disputed = example('anp-product-en.disputed');
  const cases = String(disputed.testCases.testCases).replace(
    '"productInfo": null',
    '"productInfo": "\u202e\u2066\u009b[2J hostile"',
  );
  const job = file('hostile', { ...disputed, testCases: { ...disputed.testCases, testCases: cases } });
  const { code, stdout } = await runCommand(['demo', job]);
  assert.equal(code, 1);
  assert.match(stdout, /hostile/);
  assert.doesNotMatch(stdout, /[^\P{C}\n]/u);
});

test('the embedded Redis is refused in production', async () => {
  const { code, stderr } = await runCommand(['demo'], { environment: { ...withoutServers, NODE_ENV: 'production' } });
  assert.equal(code, 78);
  assert.match(stderr, /^OPERATOR_EMBEDDED_REDIS: .*NODE_ENV=production.*REDIS_URL/);
});

test('REDIS_URL that nobody answers at ends with 69, in time', async () => {
  const { code, stderr } = await runCommand(['demo'], { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
  assert.equal(code, 69, stderr);
  assert.match(stderr, /127\.0\.0\.1:1/);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the demo with everything that it started`, async () => {
    const { child, stdout } = startDemo();
    await until(() => /^Worker: process/m.test(stdout()), 'the worker');
    const started = descendantsOf(child.pid ?? 0);
    if (process.platform === 'linux') assert.ok(started.length >= (redisServerPath() === undefined ? 1 : 2));
    child.kill(signal);
    await once(child, 'exit');
    await until(() => !started.some(isAlive), 'its children to end');
  });
}

test('a reader that goes away ends the demo with everything that it started', async () => {
  const { child, stdout } = startDemo();
  await until(() => /^Worker: process/m.test(stdout()), 'the worker');
  const started = descendantsOf(child.pid ?? 0);
  const exited = once(child, 'exit');
  child.stdout?.destroy();
  const [code] = await exited;
  assert.notEqual(code, null);
  await until(() => !started.some(isAlive), 'its children to end');
});

function startDemo(): { child: ChildProcess; stdout: () => string } {
  const child = spawn(process.execPath, [main, 'demo'], {
    env: environmentWith({ TMPDIR: folder }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  return { child, stdout: () => text };
}

function hasScript(): boolean {
  return process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
}

test('with a key and no model named it is answered by scripts, and says what to set', async () => {
  const { code, stdout, stderr } = await runCommand(['demo', file('keyed', markedJob('keyed'))], {
    environment: { TMPDIR: folder, OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
  });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^protosmith demo\. Model: scripted\./m);
  assert.match(stdout, /set PROTOSMITH_MODEL to ask it/);
});
