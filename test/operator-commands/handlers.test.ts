import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { HandlerRecords } from '../../queues/index.ts';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';
import { commandHere } from '../system/command-here.ts';
import { markedJob, soundReply, startRig } from '../system/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
const rig = await startRig();
after(async () => {
  await rig.close();
  rmSync(folder, { recursive: true, force: true });
});
const elsewhere = '{elsewhere}';
await Promise.all([rig.worker(), rig.worker({ PROTOSMITH_PREFIX: elsewhere, PROTOSMITH_TENANT_HANDLERS: '1' })]);
rig.answer('handlers-', () => ({ kind: 'reply', text: soundReply }));

const call = (args: string[], more: { prefix?: string; input?: string } = {}) =>
  commandHere(args, {
    environment: { REDIS_URL: rig.redis.url, ...(more.prefix ? { PROTOSMITH_PREFIX: more.prefix } : {}) },
    ...(more.input === undefined ? {} : { input: more.input }),
  });

async function json(args: string[], more: { prefix?: string; input?: string } = {}) {
  const { code, stdout, stderr } = await call([...args, '--json'], more);
  // What an import says of walls that are not the best there are.
  const other = stderr.replace(/^The sandbox is at level .*\n/m, '');
  assert.deepEqual({ code, other }, { code: 0, other: '' });
  return JSON.parse(stdout);
}

interface Export {
  format: string;
  version: number;
  handlers: HandlerRecord[];
  withdrawn: { tenant: string; digest: string; reason: string }[];
}

const mark = 'handlers-one';
/** Deadlines that no command, however slow to start, outlasts. */
const patient = { timeoutMs: 600_000 };
const made = await rig.outcomeOf(markedJob(mark, patient));
const digest = made.handler?.digest ?? assert.fail('no handler was made');
const asked = rig.questions(mark).length;
const again = (attempt: number) => rig.outcomeOf(markedJob(mark, { ...patient, attempt }));

async function exported(): Promise<Export> {
  const { code, stdout } = await call(['handlers', 'export', digest]);
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

function file(name: string, content: unknown): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test('list and show tell what is stored', async () => {
  const [listed] = await json(['handlers', 'list']);
  assert.equal(listed.digest, digest);
  assert.deepEqual([listed.tenant, listed.role, listed.pinned, listed.withdrawn], ['default', 'provider', false, null]);
  assert.match((await call(['handlers', 'list'])).stdout, new RegExp(`^default {2}${digest} {2}provider`, 'm'));
  const shown = await call(['handlers', 'show', digest]);
  assert.equal(shown.code, 0);
  assert.match(shown.stdout, /export async function handle/);
  assert.match(shown.stdout, new RegExp(`^made +.*${made.jobId}`, 'm'));
  const { provenance } = (await json(['handlers', 'show', digest])) as HandlerRecord;
  assert.equal(provenance.jobId, made.jobId);
  const { timings, ...report } = provenance.report ?? assert.fail('no report');
  const { checks, timings: _, ...wanted } = made.report;
  assert.deepEqual([report, provenance.checks], [wanted, checks]);
  assert.ok(['lookup', 'complete', 'trial', 'judge'].every((stage) => stage in timings));
  assert.match(shown.stdout, /^report +negotiated, 2 of 2 cases passed$/m);
  assert.match(shown.stdout, /^attempt +1 by scripted: verified$/m);
  assert.match(shown.stdout, /^usage +\d+ tokens in, \d+ out, of unknown price$/m);
  const unknown = await call(['handlers', 'show', 'f'.repeat(64)]);
  assert.equal(unknown.code, 65);
  assert.match(unknown.stderr, /^Cannot show handler f+: none is stored/);
});

test('an import tells where the walls are not the best there are', async (t) => {
  if (process.platform !== 'linux') return t.skip('there are no better ones');
  const programs = mkdtempSync(join(folder, 'no-bwrap-'));
  writeFileSync(join(programs, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const { code, stderr } = await commandHere(['handlers', 'import', '-'], {
    environment: { REDIS_URL: rig.redis.url, PATH: `${programs}:${process.env.PATH}` },
    input: JSON.stringify({ format: 'protosmith-handlers', version: 1, handlers: [] }),
  });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^The sandbox is at level "(namespaces|permission|process)", since no better one starts: /);
});

test('a pinned handler does not expire, an unpinned one does', async () => {
  const key = rig.keys.handler('default', digest);
  assert.deepEqual(await json(['handlers', 'pin', digest]), [{ tenant: 'default', digest, pinned: true }]);
  assert.equal(await rig.connection.ttl(key), -1);
  const { lookup } = JSON.parse((await rig.connection.get(key)) ?? '');
  const found = rig.keys.handlerLookup('default', lookup);
  assert.equal(await rig.connection.ttl(found), -1);
  assert.equal((await json(['handlers', 'list']))[0].pinned, true);
  assert.equal((await call(['handlers', 'unpin', digest])).stdout, `${digest} unpinned\n`);
  for (const each of [key, found]) assert.ok((await rig.connection.ttl(each)) > 0);
  assert.equal((await call(['handlers', 'pin', 'e'.repeat(64)])).code, 65);
});

test('a record that cannot be read is as none, and keeps nothing else from being told or made', async () => {
  const elsewhereJob = markedJob('handlers-corrupt', { ...patient, tenant: 'corrupt' });
  rig.answer('handlers-corrupt', () => ({ kind: 'reply', text: soundReply }));
  const one = (await rig.outcomeOf(elsewhereJob)).handler?.digest ?? assert.fail('no handler was made');
  await rig.connection.set(rig.keys.handler('corrupt', one), '{}');
  const [listed] = await json(['handlers', 'list', '--tenant', 'corrupt']);
  assert.deepEqual([listed.digest, listed.role], [one, null]);
  assert.equal((await call(['handlers', 'show', one, '--tenant', 'corrupt'])).code, 65);
  const all = await call(['handlers', 'export', '--all', '--tenant', 'corrupt']);
  assert.deepEqual([all.code, JSON.parse(all.stdout).handlers], [65, []]);
  const ran = await call(['run', one, '-', '--tenant', 'corrupt'], { input: '{}' });
  assert.equal(ran.code, 65);
  assert.match(ran.stderr, /^JOB_HANDLER_UNKNOWN/m);
  await rig.connection.set(rig.keys.handler('corrupt', one), 'no JSON');
  assert.match((await call(['handlers', 'list', '--tenant', 'corrupt'])).stdout, new RegExp(`${one} {2}unreadable`));
  const again = await rig.outcomeOf({ ...elsewhereJob, attempt: 1 });
  assert.deepEqual([again.verdict, again.report.reused], ['generated', false]);
  assert.equal((await json(['handlers', 'show', one, '--tenant', 'corrupt'])).digest, one);
});

test('what is withdrawn before it is stored is told as such, and a wrong digest is refused', async () => {
  const digestToCome = 'd'.repeat(64);
  const early = await call(['handlers', 'withdraw', digestToCome, '--reason', 'known elsewhere', '--json']);
  assert.equal(early.code, 65);
  assert.deepEqual(JSON.parse(early.stdout), [{ tenant: 'default', digest: digestToCome, withdrawn: true }]);
  assert.match(early.stderr, /^No handler d+ is stored for tenant "default": it is withdrawn in advance$/m);
  const other = 'c'.repeat(64);
  await call(['handlers', 'withdraw', other, '--reason', 'known elsewhere']);
  const back = await call(['handlers', 'restore', other.slice(0, 6), '--json']);
  assert.deepEqual(JSON.parse(back.stdout), [{ tenant: 'default', digest: other, restored: true }]);
  const wrong = await call(['handlers', 'withdraw', digestToCome.slice(1), '--reason', 'mistyped']);
  assert.deepEqual([wrong.code, wrong.stdout], [65, '']);
  assert.match(wrong.stderr, /^Cannot withdraw handler d+: none is stored/);
});

test('a digest may be cut where it stays unambiguous', async () => {
  const short = digest.slice(0, 6);
  assert.equal((await json(['handlers', 'show', short])).digest, digest);
  assert.deepEqual(await json(['handlers', 'pin', short]), [{ tenant: 'default', digest, pinned: true }]);
  assert.deepEqual(await json(['handlers', 'unpin', short]), [{ tenant: 'default', digest, unpinned: true }]);
  const found = JSON.parse((await call(['handlers', 'export', short])).stdout) as Export;
  assert.deepEqual(
    found.handlers.map((one) => one.digest),
    [digest],
  );
  const tooShort = await call(['handlers', 'show', digest.slice(0, 5)]);
  assert.equal(tooShort.code, 65);
  assert.match(tooShort.stderr, /^Cannot show handler [0-9a-f]{5}: none is stored/);
  await json(['handlers', 'withdraw', short, '--reason', 'unsafe']);
  assert.equal((await json(['handlers', 'restore', short]))[0].digest, digest);

  const twin = `${short}${digest.slice(6).replaceAll(/./g, (one) => (one === '0' ? '1' : '0'))}`;
  const records = new HandlerRecords(rig.connection, rig.keys);
  await records.put('default', twin, '{}');
  for (const [verb, ...more] of [['show'], ['export'], ['pin'], ['withdraw', '--reason', 'x'], ['restore']]) {
    const { code, stdout, stderr } = await call(['handlers', verb ?? '', short, ...more]);
    assert.deepEqual([verb, code, stdout], [verb, 65, '']);
    assert.match(stderr, new RegExp(`^Cannot ${verb} handler ${short}: 2 of tenant "default" begin so, wanted more`));
  }
  assert.equal((await json(['handlers', 'show', digest.slice(0, 7)])).digest, digest);
  await records.remove('default', twin);
});

test('a withdrawn handler is never served, even when it is made again, until it is restored', async () => {
  assert.equal((await again(1)).report.reused, true);
  assert.equal(rig.questions(mark).length, asked);
  await json(['handlers', 'withdraw', digest, '--reason', 'it answers\u001b[31m rudely']);
  assert.match((await call(['handlers', 'list'])).stdout, /withdrawn: it answers\\u\{1b\}\[31m rudely/);
  const refused = await again(2);
  assert.notEqual(refused.handler?.digest, digest);
  assert.ok(rig.questions(mark).length > asked);
  assert.equal(refused.verdict, 'error');
  await json(['handlers', 'restore', digest]);
  const served = await again(3);
  assert.deepEqual([served.verdict, served.report.reused, served.handler?.digest], ['generated', true, digest]);
});

test('an exported handler that is imported elsewhere is verified again, and serves there without a model', async () => {
  const text = (await call(['handlers', 'export', '--all'])).stdout;
  const given = JSON.parse(text) as Export;
  assert.deepEqual([given.format, given.version, given.handlers.length], ['protosmith-handlers', 1, 1]);
  const results = await json(['handlers', 'import', '-'], { prefix: elsewhere, input: text });
  const known = { tenant: 'default', digest: 'd'.repeat(64), stored: false, withdrawn: true, why: 'known elsewhere' };
  assert.deepEqual(results, [known, { tenant: 'default', digest, stored: true, why: null }]);
  const stored = await json(['handlers', 'show', digest], { prefix: elsewhere });
  assert.deepEqual(stored.provenance.report, given.handlers[0]?.provenance.report);
  assert.ok(stored.provenance.report);
  assert.notEqual(stored.provenance.verifierVersion, given.handlers[0]?.provenance.verifierVersion);

  const before = rig.questions(mark).length;
  const { code, stdout } = await call(['submit', file('job', markedJob(mark, patient))], { prefix: elsewhere });
  assert.equal(code, 0);
  const outcome = JSON.parse(stdout) as Outcome;
  assert.deepEqual([outcome.report.reused, outcome.handler?.digest], [true, digest]);
  assert.ok(outcome.report.checks.length > 0);
  assert.equal(rig.questions(mark).length, before);
  // Checked here now: its record says so.
  const checked = await json(['handlers', 'show', digest], { prefix: elsewhere });
  assert.equal(checked.provenance.verifierVersion, given.handlers[0]?.provenance.verifierVersion);
});

test('a handler is imported with the reading that judged it, and with the report of an earlier release', async () => {
  const prefix = '{readings}';
  const { handlers, ...head } = await exported();
  const [sound] = handlers;
  assert.ok(sound);
  const expect = { answer: [{ at: '/status/code', equals: 500 }] };
  const derived = {
    quote: 'errors',
    claim: 'it says so',
    base: 1,
    tools: { productLookup: [{ fail: 'FAILED' }] },
    expect,
  };
  const reading = { version: 1, reader: { kind: 'model', name: 'm' }, derived: [derived], units: [] };
  const kept = { reading, promptVersion: '1', units: 9, covered: 9, dropped: { quote: 1 }, complete: true };
  const { usageByPurpose: _, reading: __, ...report } = sound.provenance.report ?? assert.fail('no report');
  const attempts = report.attempts.map(({ purpose: _, ...attempt }) => attempt);
  const provenance = { ...sound.provenance, report: { ...report, attempts } };
  const importing = (proof: object) =>
    call(['handlers', 'import', file('reading', { ...head, handlers: [{ ...sound, provenance, proof }] })], { prefix });
  assert.equal((await importing({ ...sound.proof, reading: kept })).code, 0);
  assert.deepEqual((await json(['handlers', 'show', digest], { prefix })).proof.reading, kept);
  for (const odd of [{}, { ...kept, reading: { ...reading, derived: [{ ...derived, expect: {} }] } }]) {
    const { code, stderr } = await importing({ ...sound.proof, reading: odd });
    assert.equal(code, 65);
    assert.match(stderr, /^Cannot import handlers: \/handlers\/0\/proof\/reading/);
  }
});

test('of a withdrawn handler an export tells only that it is, and an import withdraws it', async () => {
  const prefix = '{restored}';
  const whole = await exported();
  await json(['handlers', 'withdraw', digest, '--reason', 'unsafe']);
  const all = (await call(['handlers', 'export', '--all'])).stdout;
  const named = await exported();
  await json(['handlers', 'restore', digest]);
  const mark = { tenant: 'default', digest, reason: 'unsafe' };
  assert.deepEqual([named.handlers, named.withdrawn, JSON.parse(all).handlers], [[], [mark], []]);

  const results = (await json(['handlers', 'import', '-'], { prefix, input: all })) as Record<string, unknown>[];
  const result = { tenant: 'default', digest, stored: false, withdrawn: true, why: 'unsafe' };
  assert.deepEqual(
    results.find((one) => one.digest === digest),
    result,
  );
  const later = await call(['handlers', 'import', file('later', whole)], { prefix });
  assert.match(later.stdout, /refused: it was withdrawn here \(unsafe\)/);
  const merged = file('merged', { ...whole, withdrawn: [mark] });
  assert.match((await call(['handlers', 'import', merged], { prefix: '{merged}' })).stdout, /withdrawn here/);
  assert.deepEqual(await json(['handlers', 'list'], { prefix }), []);
});

test('a worker keeps as many handlers for a tenant as it is told to', async () => {
  const digests: string[] = [];
  for (const name of ['handlers-few-a', 'handlers-few-b']) {
    const path = file(name, markedJob(name, { ...patient, tenant: 'few' }));
    digests.push(JSON.parse((await call(['submit', path], { prefix: elsewhere })).stdout).handler.digest);
  }
  const listed = await json(['handlers', 'list', '--tenant', 'few'], { prefix: elsewhere });
  assert.deepEqual(
    listed.map((one: { digest: string }) => one.digest),
    digests.slice(1),
  );
});

test('what was changed on the way is refused', async () => {
  const { handlers, ...head } = await exported();
  const [sound] = handlers;
  assert.ok(sound);
  const answersNothing = `export async function handle() { return {}; }`;
  const swapped = { ...sound, bundle: answersNothing };
  const forged = { ...swapped, digest: handlerDigest(swapped) };
  const otherDigest = await call(['handlers', 'import', file('swapped', { ...head, handlers: [swapped] })]);
  assert.equal(otherDigest.code, 65);
  assert.match(otherDigest.stdout, /refused: content with digest/);
  const failing = await call(['handlers', 'import', file('forged', { ...head, handlers: [forged] })]);
  assert.equal(failing.code, 65);
  assert.match(failing.stdout, /refused: it fails its case 1/);
  const hangs = { ...sound, bundle: 'export async function handle() { for (;;); }' };
  const hanging = { ...hangs, digest: handlerDigest(hangs) };
  assert.equal((await call(['handlers', 'import', file('hangs', { ...head, handlers: [hanging] })])).code, 65);
  const oddReport = { ...sound, provenance: { ...sound.provenance, report: { attempts: 'many' } } };
  const odd = await call(['handlers', 'import', file('odd-report', { ...head, handlers: [oddReport] })]);
  assert.equal(odd.code, 65);
  assert.match(odd.stderr, /^Cannot import handlers: .*\/provenance\/report/);
  const oddSchema = { ...sound, responseSchema: { type: 7 } };
  assert.equal((await call(['handlers', 'import', file('odd', { ...head, handlers: [oddSchema] })])).code, 65);
  assert.deepEqual(
    (await json(['handlers', 'list', '--tenant', 'default'])).map((one: { digest: string }) => one.digest),
    [digest],
  );
});

test('what was withdrawn here is not brought back by an import', async () => {
  const path = file('whole', await exported());
  await json(['handlers', 'withdraw', digest, '--reason', 'unsafe'], { prefix: '{third}' }).catch(() => undefined);
  const { code, stdout } = await call(['handlers', 'import', path], { prefix: '{third}' });
  assert.equal(code, 65);
  assert.match(stdout, /refused: it was withdrawn here \(unsafe\)/);
});

test('what is not an export is refused before anything runs', async () => {
  for (const content of [{}, [], null, { format: 'protosmith-handlers', version: 2, handlers: [] }, { format: 'x' }]) {
    const { code, stderr } = await call(['handlers', 'import', file('none', content)]);
    assert.equal(code, 65, JSON.stringify(content));
    assert.match(stderr, /^Cannot import handlers: .*, wanted what `protosmith handlers export` prints/);
  }
});
