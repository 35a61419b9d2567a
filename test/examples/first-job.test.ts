import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readJob } from '../../src/intake/read-job.ts';
import { root, runCommand, startRig } from '../system/harness.ts';
import { moduleReply } from '../system/readings-rig.ts';

const page = readFileSync(join(root, 'docs/first-job.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'protosmith-first-job-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The code blocks of the page in a language, in order. */
function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
}

const [written = ''] = blocks('json');
const [module = ''] = blocks('ts');
const [send = '', run = ''] = blocks('sh');
const hasClient = spawnSync('redis-cli', ['--version'], { stdio: 'ignore' }).status === 0;

test('the job of the page is a valid job without a contradiction', async () => {
  const reading = readJob('generate', JSON.parse(written));
  assert.ok(reading.ok);
  writeFileSync(join(folder, 'job.json'), written);
  const { code, stdout } = await runCommand(['lint', join(folder, 'job.json')]);
  assert.equal(code, 0, stdout);
});

test('its commands send it, read its outcome `generated`, and run the handler', {
  skip: !hasClient && 'redis-cli is not installed',
}, async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  rig.answer('send a parcel', () => moduleReply(module));
  await rig.worker();
  writeFileSync(join(folder, 'job.json'), written);
  const lines = await shell(send, { REDIS_URL: rig.redis.url });
  const outcome = JSON.parse(lines.trim().split('\n').at(-1) ?? '');
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.equal(outcome.negotiationId, 'my-first-negotiation');
  const { messages } = outcome;
  assert.deepEqual(
    messages.map(({ action, status }: Record<string, string>) => [action, status]),
    [['codeGeneration', 'generated']],
  );

  await shell(run.split('\n')[0] ?? '', {});
  const args = ['run', outcome.handler.digest, join(folder, 'request.json')];
  const ran = await runCommand(args, { environment: { REDIS_URL: rig.redis.url } });
  assert.equal(ran.code, 0, ran.stderr);
  const promised = /`value` is `(\{.*?\})`/.exec(page)?.[1] ?? assert.fail('the page promises no answer');
  assert.deepEqual(JSON.parse(ran.stdout).value, JSON.parse(promised));
});

/** Runs lines of the page in the folder; resolves to what they print. */
function shell(script: string, environment: Record<string, string>): Promise<string> {
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve) => child.once('close', () => resolve(output)));
}
