import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Histories } from '../../queues/index.ts';
import outcomeSchema from '../../queues/outcome.schema.json' with { type: 'json' };
import type { History } from '../../src/contract/history.ts';
import { sha256Hex } from '../../src/kernel/digest.ts';
import { candidatesOf, failingLines, readHistory } from '../../src/telemetry/read-history.ts';
import { markedJob, reply, root, runCommand, soundReply, startRig, stopWorker, until } from './harness.ts';

const rig = await startRig();
after(() => rig.close());
const histories = new Histories(rig.connection, rig.keys);
const isOutcome = new Ajv2020({ allErrors: true, strict: false }).compile(outcomeSchema);

/** The history of a job that has ended. */
async function historyOf(jobId: string): Promise<History> {
  return until(async () => {
    const found = await readHistory(histories, jobId);
    const isEnded = found?.entries.some((entry) => entry.type === 'queue' && entry.event === 'published');
    return isEnded === true && found;
  }, `the history of ${jobId}`);
}

const REDIS_URL = rig.redis.url;

test('a job with a failed try, a refused candidate and a repair is kept whole, and becomes a fixture', async (t) => {
  const worker = await rig.worker({ PROTOSMITH_LOG_LEVEL: 'debug' });
  t.after(() => stopWorker(worker));
  const hostile = '\u001b[2J\u202e';
  rig.answer('kept-whole', (nth, { prompt }) => {
    if (nth === 1) return { kind: 'status', status: 503 };
    const isRepair = prompt.includes('was refused') || prompt.includes('failed');
    return { kind: 'reply', text: isRepair && nth > 2 ? soundReply : reply('product-en-provider-first') };
  });
  const data = markedJob('kept-whole', { timeoutMs: 120_000, tenant: `acme-${hostile.length}` });
  const jobId = await rig.submit(data);
  const outcome = await rig.outcome(jobId);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.ok(isOutcome(outcome), JSON.stringify(isOutcome.errors));
  const [first] = outcome.report.attempts;
  assert.equal(first?.tries?.[0]?.code, 'PLATFORM_MODEL_UNAVAILABLE', JSON.stringify(first));
  assert.ok(Math.abs(Date.now() - (first?.tries?.[0]?.atMs ?? 0)) < 600_000);

  const history = await historyOf(jobId);
  const types = new Set(history.entries.map(({ type }) => type));
  for (const type of [
    'queue',
    'started',
    'stage',
    'prompted',
    'try-failed',
    'completed',
    'candidate',
    'tried',
  ] as const)
    assert.ok(types.has(type), `no entry ${type} among ${[...types]}`);
  for (const type of ['checked', 'derived', 'refused', 'attempted', 'stored', 'ended'] as const)
    assert.ok(types.has(type), `no entry ${type} among ${[...types]}`);
  assert.deepEqual(JSON.parse(history.submitted?.text ?? ''), data);
  assert.ok(!history.entries.some((entry) => 'tenant' in entry), 'the tenant is kept once');
  const candidates = candidatesOf(history);
  const refused = candidates.find(({ attempted }) => attempted?.result === 'failed-cases');
  const sound = candidates.find(({ attempted }) => attempted?.result === 'verified');
  assert.ok(refused?.written.detail && sound?.written.detail, JSON.stringify(candidates.map((one) => one.attempted)));
  assert.ok(refused.tried?.detail?.cases.some(({ passed, differences }) => !passed && differences.length > 0));
  assert.ok(reply('product-en-provider-first').includes(refused.written.detail.source.trim()));
  const stored = history.entries.find((entry) => entry.type === 'stored');
  assert.equal(stored?.type === 'stored' && stored.digest, outcome.handler?.digest);
  const ended = history.entries.find((entry) => entry.type === 'ended');
  assert.ok(ended?.type === 'ended' && (ended.modelMs ?? 0) > 0 && (ended.ownMs ?? 0) > 0, JSON.stringify(ended));
  assert.ok(ended.modelMs !== undefined && ended.modelMs <= ended.durationMs);
  assert.ok(failingLines(refused) instanceof Map);

  await t.test('every line of the log about it names its negotiation and its tenant', () => {
    const about = worker.lines.filter(({ job }) => job === jobId);
    const names = about.map(({ msg, negotiation, tenant }) => ({ msg, negotiation, tenant }));
    const { negotiationId: negotiation, tenant } = data;
    assert.deepEqual(
      names,
      about.map(({ msg }) => ({ msg, negotiation, tenant })),
    );
    for (const one of ['taken', 'started', 'stage', 'candidate', 'attempted', 'ended', 'published'])
      assert.ok(
        names.some(({ msg }) => msg === one),
        `no line ${one}`,
      );
  });

  await t.test('the command prints it, and finds it by the beginning of its id', async () => {
    const short = jobId.slice(0, 12);
    const { code, stdout, stderr } = await runCommand(['history', '--sources', short], { environment: { REDIS_URL } });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /PLATFORM_MODEL_UNAVAILABLE/);
    assert.match(stdout, /a repair of attempt \d+|a repair/);
    assert.match(stdout, /ends: generated after/);
    assert.match(stdout, /candidate of attempt \d+: verified/);
    const whole = await runCommand(['history', '--json', jobId], { environment: { REDIS_URL } });
    assert.deepEqual(JSON.parse(whole.stdout), JSON.parse(JSON.stringify(history)));
    const none = await runCommand(['history', 'no-such-job'], { environment: { REDIS_URL } });
    assert.deepEqual([none.code, none.stdout], [65, '']);
  });

  await t.test('verify-fixtures runs the fixture: the sound candidate passes, the refused one is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'history-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const fixture = join(folder, 'kept');
    const args = ['history', '--fixture', fixture, jobId];
    const written = await runCommand(args, { environment: { REDIS_URL } });
    assert.equal(written.code, 0, written.stderr);
    assert.ok(
      readdirSync(fixture).some((name) => /^sound-\d+\.ts$/.test(name)),
      String(readdirSync(fixture)),
    );
    assert.deepEqual(JSON.parse(readFileSync(join(fixture, 'job.json'), 'utf8')), data);
    const again = await runCommand(args, { environment: { REDIS_URL } });
    assert.equal(again.code, 65, 'a folder that exists is not written to');
    const ran = spawnSync(process.execPath, ['scripts/verify-fixtures.ts', '--root', folder, 'kept'], {
      cwd: root,
      encoding: 'utf8',
    });
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    const { sound: kept, faulty } = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}');
    assert.ok(kept.all >= 1 && kept.refused === 0, ran.stdout);
    assert.ok(faulty.all >= 1 && faulty.refused === faulty.all, ran.stdout);
  });
});

test('the histories of a tenant are removed on demand, after a question', async (t) => {
  const worker = await rig.worker();
  t.after(() => stopWorker(worker));
  const jobs = await Promise.all(
    ['leaves', 'leaves', 'stays'].map(async (tenant, nth) => {
      const jobId = await rig.submit(markedJob(`removed-${nth}`, { tenant, timeoutMs: 120_000 }), { kind: 'review' });
      await rig.outcome(jobId);
      await historyOf(jobId);
      return jobId;
    }),
  );
  const call = (...args: string[]) => runCommand(['history', ...args], { environment: { REDIS_URL } });
  const unasked = await call('--remove-tenant', 'leaves');
  assert.deepEqual([unasked.code, unasked.stdout], [64, '']);
  assert.match(unasked.stderr, /wanted --yes/);
  for (const args of [['--remove-tenant', 'leaves', '--yes', jobs[0] ?? ''], ['--remove-tenant', 'a:b', '--yes'], []])
    assert.equal((await call(...args)).code, 64, args.join(' '));
  const removed = await call('--remove-tenant', 'leaves', '--yes', '--json');
  assert.deepEqual(
    [removed.code, JSON.parse(removed.stdout), removed.stderr],
    [0, { tenant: 'leaves', removed: 2 }, ''],
  );
  const found = await Promise.all(jobs.map(async (jobId) => (await readHistory(histories, jobId)) !== null));
  assert.deepEqual(found, [false, false, true]);
  const again = await call('--remove-tenant', 'leaves');
  assert.deepEqual([again.code, again.stdout], [0, '0 histories of tenant leaves removed\n']);
});

test('every failed try of every delivery stands in the report of a job that its deadline ends', async (t) => {
  const worker = await rig.worker();
  t.after(() => stopWorker(worker));
  rig.answer('never-answered', () => ({ kind: 'status', status: 429, headers: { 'retry-after': '1' } }));
  const jobId = await rig.submit(markedJob('never-answered', { timeoutMs: 9_000 }));
  const { verdict, report } = await rig.outcome(jobId);
  assert.equal(verdict, 'error');
  const tries = report.attempts.flatMap(({ tries = [] }) => tries);
  assert.ok(tries.length > 0, JSON.stringify(report.attempts));
  assert.ok(
    tries.every(({ code }) => code === 'PLATFORM_MODEL_RATE_LIMITED'),
    JSON.stringify(tries),
  );
  assert.ok(tries.every(({ message }) => !message.includes('never-answered')));
  const { entries } = await historyOf(jobId);
  assert.ok(entries.filter(({ type }) => type === 'try-failed').length >= tries.length);
});

test('with PROTOSMITH_HISTORY=off nothing of a job is kept', async (t) => {
  const worker = await rig.worker({ PROTOSMITH_HISTORY: 'off', PROTOSMITH_CONCURRENCY: '1' });
  t.after(() => stopWorker(worker));
  await rig.connection.flushdb();
  const data = markedJob(sha256Hex('off').slice(0, 8), { timeoutMs: 120_000 });
  const jobId = await rig.submit(data, { kind: 'review' });
  await rig.outcome(jobId);
  await worker.logged(({ msg, job }) => msg === 'published' && job === jobId);
  worker.signal('SIGTERM');
  await worker.ended;
  assert.equal(await readHistory(histories, jobId), null);
});
