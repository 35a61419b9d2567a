import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jobIdOf } from '../../queues/index.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import { commandHere } from '../system/command-here.ts';
import { example, markedJob, soundReply, startRig } from '../system/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
const rig = await startRig();
after(async () => {
  await rig.close();
  rmSync(folder, { recursive: true, force: true });
});
await rig.worker();
const environment = { REDIS_URL: rig.redis.url };

function file(name: string, value: unknown): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const submit = (args: string[], input?: string) =>
  commandHere(['submit', ...args], { environment, ...(input === undefined ? {} : { input }) });

test('generated: the outcome with the whole record of its handler, and 0', async () => {
  const job = markedJob('submit-generated');
  rig.answer('submit-generated', () => ({ kind: 'reply', text: soundReply }));
  const { code, stdout, stderr } = await submit([file('generated', job)]);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  const outcome = JSON.parse(stdout) as Outcome & { handler: HandlerRecord };
  assert.equal(outcome.jobId, jobIdOf(job));
  assert.equal(outcome.verdict, 'generated');
  const { digest, source, bundle, types, provenance, amendments } = outcome.handler;
  assert.equal(digest, (await rig.outcome(outcome.jobId)).handler?.digest);
  assert.match(source, /export async function handle/);
  assert.match(bundle, /handle/);
  assert.match(types, /Request/);
  assert.equal(provenance.jobId, outcome.jobId);
  assert.deepEqual(amendments, []);

  // Again, out of standard input: what is there is printed, and no model is asked.
  const again = await submit(['-'], JSON.stringify(job));
  assert.equal(again.code, 0);
  assert.deepEqual(JSON.parse(again.stdout), outcome);
  assert.equal(rig.questions('submit-generated').length, 1);
});

test('disputed ends with 1, clean with 0', async () => {
  const disputed = { ...example('anp-product-en.disputed'), negotiationId: 'submit-disputed' };
  const [generate, review] = await Promise.all([
    submit([file('disputed', disputed)]),
    submit(['--kind', 'review', file('clean', markedJob('submit-clean'))]),
  ]);
  assert.equal(generate.code, 1);
  assert.equal((JSON.parse(generate.stdout) as Outcome).verdict, 'disputed');
  assert.equal(review.code, 0);
  assert.equal((JSON.parse(review.stdout) as Outcome).verdict, 'clean');
});

test('a faulty job is published as error, and ends with 2', async () => {
  const calls = [{ version: 1 }, [], 'text', null, { ...markedJob('submit-fault'), surprise: 1 }];
  for (const [index, data] of calls.entries()) {
    const { code, stdout } = await submit([file(`fault-${index}`, data)]);
    assert.equal(code, 2, `${JSON.stringify(data)}: ${stdout}`);
    const { verdict, findings } = JSON.parse(stdout) as Outcome;
    assert.equal(verdict, 'error');
    assert.ok(findings.length > 0 && findings.every((finding) => finding.code.startsWith('JOB_')));
  }
});

test('an id of one’s own, and not to wait', async () => {
  const job = markedJob('submit-own-id');
  rig.answer('submit-own-id', () => ({ kind: 'reply', text: soundReply }));
  const { code, stdout } = await submit(['--no-wait', '--job-id', 'mine-1', file('own', job)]);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: 'mine-1\n' });
  assert.equal((await rig.outcome('mine-1')).verdict, 'generated');

  const reused = await submit(['--job-id', 'mine-1', file('other', markedJob('submit-other'))]);
  assert.deepEqual({ code: reused.code, stdout: reused.stdout }, { code: 65, stdout: '' });
  assert.match(reused.stderr, /^JOB_ID_REUSED: /);
});

test('text out of a job is printed as escapes, and reads the same', async () => {
  const negotiationId = 'n\u001b[2J\u202e\u0007\u2028';
  const { code, stdout } = await submit([
    file('hostile', { ...markedJob('submit-hostile'), negotiationId, role: 'x' }),
  ]);
  assert.equal(code, 2);
  assert.doesNotMatch(stdout, /[^\P{C}\n]|\u2028/u);
  assert.equal((JSON.parse(stdout) as Outcome).negotiationId, negotiationId);
});

test('a job beyond the cap is refused before it is sent', async () => {
  const { code, stdout, stderr } = await submit([
    file('huge', { ...markedJob('submit-huge'), filler: 'x'.repeat(1_100_000) }),
  ]);
  assert.deepEqual({ code, stdout }, { code: 65, stdout: '' });
  assert.match(stderr, /^JOB_TOO_LARGE: /);
});

test('no outcome 10 s after the deadline ends with 69', async () => {
  // Under a prefix of its own there is no worker.
  const { code, stdout, stderr } = await commandHere(
    ['submit', file('nobody', { ...markedJob('submit-nobody'), timeoutMs: 1_000 })],
    { environment: { ...environment, PROTOSMITH_PREFIX: '{nobody}' } },
  );
  assert.deepEqual({ code, stdout }, { code: 69, stdout: '' });
  assert.match(stderr, /^Cannot print outcome of ps-[0-9a-f]{40}: /);
});
