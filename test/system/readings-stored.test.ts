import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { exportFormat, type HandlerRecord } from '../../src/contract/handler.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { runCommand, startRig, stopWorker } from './harness.ts';
import { confirmedHandler, faultyBundle, recordAt, storedAs } from './readings-rig.ts';

const rig = await startRig();
const folder = mkdtempSync(join(tmpdir(), 'protosmith-test-'));
after(async () => {
  await rig.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Handlers that were made while there was a model. */
const first = await rig.worker({ PROTOSMITH_READING: 'late' });
const names = ['verify', 'lookup', 'fix', 'import'] as const;
const made = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await confirmedHandler(rig, `stored-${name}`)] as const)),
) as Record<(typeof names)[number], { data: JsonObject; record: HandlerRecord }>;
await stopWorker(first);

/** From here on there is none: nothing listens there. */
const noModel = 'http://127.0.0.1:9/v1';
await rig.worker({ PROTOSMITH_READING: 'late', OPENAI_BASE_URL: noModel });
const asked = () => rig.questions('stored-').length;
const questions = asked();

/** For jobs that end with their time, for there is nobody to ask. */
const inVain = { timeoutMs: 5_000, workMs: 0 };

describe('a reading that is stored judges where there is no model', { concurrency: true }, () => {
  test('verify: a handler that keeps it is clean under a new verifier, one that breaks it is not served', async () => {
    const { data, record } = made.verify;
    const older = await storedAs(rig, record);
    const job = { ...data, handlerDigest: older.digest, negotiationId: 'stored-verify-1' };
    const { verdict, report, handler } = await rig.outcomeOf(job, { kind: 'verify' });
    assert.deepEqual([verdict, handler?.digest, report.attempts], ['clean', record.digest, []]);
    const check = report.checks.find(({ name }) => name === 'derived-cases');
    assert.deepEqual([check?.result, check?.runs], ['passed', 1]);
    const kept = await recordAt(rig, 'stored-verify', record.digest);
    assert.deepEqual(kept?.proof.reading, record.proof.reading, 'the reading stays with the handler');

    const broken = await storedAs(rig, record, faultyBundle);
    const other = { ...job, handlerDigest: broken.digest, negotiationId: 'stored-verify-2', ...inVain };
    const refused = await rig.outcomeOf(other, { kind: 'verify' });
    assert.deepEqual([refused.verdict, refused.handler], ['error', null]);
    assert.ok(
      refused.findings.some(({ code }) => code.startsWith('PLATFORM_')),
      'since nobody can make another one now',
    );
  });

  test('lookup: one that keeps it is served, one that breaks it is not', async () => {
    const { data, record } = made.lookup;
    await storedAs(rig, record);
    const served = await rig.outcomeOf({ ...data, negotiationId: 'stored-lookup-1' });
    assert.deepEqual([served.verdict, served.report.reused], ['generated', true]);
    assert.equal(served.handler?.digest, record.digest);
    assert.equal(served.report.checks.find(({ name }) => name === 'derived-cases')?.result, 'passed');
    await storedAs(rig, record, faultyBundle);
    const refused = await rig.outcomeOf({ ...data, negotiationId: 'stored-lookup-2', ...inVain });
    assert.deepEqual([refused.verdict, refused.handler, refused.report.reused], ['error', null, false]);
  });

  const complaint = {
    action: 'fixErrorNegotiation',
    errorDescription: '# Error Description\n- The value of the total field is wrong for large orders.',
    status: 'negotiating',
  };

  test('fix: a fault that a stored case shows is seen, and accepted', async () => {
    const { data, record } = made.fix;
    const sound = { ...data, handlerDigest: record.digest, complaint, negotiationId: 'stored-fix-1' };
    const rejected = await rig.outcomeOf(sound, { kind: 'fix' });
    assert.deepEqual([rejected.verdict, rejected.messages[0]?.status], ['clean', 'rejected']);
    const broken = await storedAs(rig, record, faultyBundle);
    const job = { ...sound, handlerDigest: broken.digest, negotiationId: 'stored-fix-2', ...inVain };
    const { verdict, messages, findings } = await rig.outcomeOf(job, { kind: 'fix' });
    assert.deepEqual([verdict, messages[0]?.status], ['error', 'accepted'], JSON.stringify(findings));
    const said = String(messages[0]?.errorDescription);
    assert.match(said, /total/);
    assert.doesNotMatch(said, /2400|2160|priceOf/, 'where it is, and nobody’s data');
  });

  test('import: a handler that breaks a case that was borne out is refused, a sound one is stored', async () => {
    const { record } = made.import;
    const file = (name: string, handler: HandlerRecord) => {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify({ format: exportFormat, version: 1, handlers: [handler] }));
      return path;
    };
    const imported = async (path: string) => {
      const environment = { REDIS_URL: rig.redis.url, PROTOSMITH_PREFIX: '{stored-import}' };
      const { stdout, stderr } = await runCommand(['handlers', 'import', path, '--json'], { environment });
      assert.ok(stdout, stderr);
      return JSON.parse(stdout);
    };
    const [sound] = await imported(file('sound', record));
    assert.deepEqual([sound.stored, sound.why], [true, null]);
    const broken = { ...record, bundle: faultyBundle, digest: handlerDigest({ ...record, bundle: faultyBundle }) };
    const [refused] = await imported(file('broken', broken));
    assert.equal(refused.stored, false);
    assert.match(refused.why, /a tenth less/);
  });
});

test('nobody was asked', () => assert.equal(asked(), questions));
