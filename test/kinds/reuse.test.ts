import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedJob, sharedRig, soundReply } from '../system/harness.ts';
import { recordOf, solved } from './stored.ts';

const rig = await sharedRig();

test('the same agreement again: the stored handler passes this job, and no model is asked', async () => {
  const { job, record } = await solved(rig, 'reuse-same');
  const asked = rig.questions('reuse-same').length;
  const again = await rig.outcomeOf({ ...job, negotiationId: 'reuse-same-2' });
  assert.deepEqual([again.verdict, again.report.reused, again.handler?.digest], ['generated', true, record.digest]);
  assert.deepEqual(
    again.report.cases.map(({ passed }) => passed),
    [true, true],
  );
  assert.deepEqual(again.report.generator, { kind: 'none', model: null });
  assert.equal(rig.questions('reuse-same').length, asked);
});

test('another tenant, other tools or another text: nothing is shared', async () => {
  const { job } = await solved(rig, 'reuse-apart');
  const asked = rig.questions('reuse-apart').length;
  const other = await rig.outcomeOf({ ...job, tenant: 'someone-else', negotiationId: 'reuse-apart-2' });
  assert.deepEqual([other.verdict, other.report.reused], ['generated', false]);
  assert.ok(rig.questions('reuse-apart').length > asked);
});

test('the same code for two agreements: each keeps its record, and answers jobs about its agreement', async () => {
  const tenant = 'reuse-twins';
  const twins = ['reuse-twin-one', 'reuse-twin-two'].map((mark) => {
    rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
    return markedJob(mark, { tenant, timeoutMs: 120_000 });
  });
  const handlers = [];
  for (const job of twins) handlers.push((await rig.outcomeOf(job)).handler);
  assert.notEqual(handlers[0]?.digest, handlers[1]?.digest);
  for (const [index, job] of twins.entries()) {
    const handlerDigest = handlers[index]?.digest ?? null;
    const asked = { ...job, handlerDigest, negotiationId: `reuse-twin-${index}-verified` };
    const verified = await rig.outcomeOf(asked, { kind: 'verify' });
    assert.equal(verified.verdict, 'clean', JSON.stringify(verified.findings));
  }
});

test('a stored handler that fails the new cases stays stored, and a new one is made', async () => {
  const { job, record } = await solved(rig, 'reuse-fails');
  const testCases = { ...(job.testCases as { testCases: string }) };
  testCases.testCases = testCases.testCases.replace('"message": "Success"', '"message": "OK"');
  rig.answer('reuse-fails', () => ({
    kind: 'reply',
    text: soundReply.replaceAll("'Success'", "'OK'").replaceAll('"Success"', '"OK"'),
  }));
  const again = await rig.outcomeOf({ ...job, testCases, negotiationId: 'reuse-fails-2' });
  assert.deepEqual([again.verdict, again.report.reused], ['generated', false], JSON.stringify(again.findings));
  assert.notEqual(again.handler?.digest, record.digest);
  assert.ok(await rig.connection.exists(rig.keys.handler(record.provenance.tenant, record.digest)));
});

test('a handler whose record was tampered with is not served', async () => {
  const { job, record } = await solved(rig, 'reuse-tampered');
  const key = rig.keys.handler(record.provenance.tenant, record.digest);
  await rig.connection.set(key, JSON.stringify({ ...record, bundle: `${record.bundle}\n;` }));
  const asked = rig.questions('reuse-tampered').length;
  const again = await rig.outcomeOf({ ...job, negotiationId: 'reuse-tampered-2' });
  assert.deepEqual([again.verdict, again.report.reused], ['generated', false]);
  assert.ok(rig.questions('reuse-tampered').length > asked);
});

test('the same agreement from many negotiators at the same moment is generated once', async () => {
  rig.answer('reuse-crowd', () => ({ kind: 'reply', text: soundReply, pauseMs: 2 }));
  const jobs = Array.from({ length: 8 }, (_, index) =>
    markedJob('reuse-crowd', { tenant: 'reuse-crowd', negotiationId: `crowd-${index}` }),
  );
  const outcomes = await Promise.all(jobs.map((job) => rig.outcomeOf(job)));
  assert.deepEqual(
    outcomes.map(({ verdict }) => verdict),
    jobs.map(() => 'generated'),
  );
  assert.equal(outcomes.filter(({ report }) => !report.reused).length, 1);
  assert.equal(outcomes.filter(({ report }) => report.attempts.length > 0).length, 1);
});

test('a handler that is finished after the deadline is announced beside the error, and reused for the next job', async () => {
  rig.answer('reuse-late', (_nth) => ({ kind: 'reply', text: soundReply, pieceCharacters: 400, pauseMs: 700 }));
  const job = markedJob('reuse-late', { tenant: 'reuse-late', timeoutMs: 2_000, replyTo: 'reuse-late' });
  const late = await rig.outcomeOf(job);
  assert.deepEqual([late.verdict, late.findings[0]?.code], ['error', 'PLATFORM_DEADLINE']);
  let entries = await rig.entries('reuse-late');
  for (let tries = 0; tries < 300 && entries.length < 2; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    entries = await rig.entries('reuse-late');
  }
  const [first, second] = entries;
  assert.deepEqual([first?.kind, first?.verdict, first?.final], ['generate', 'error', '1']);
  assert.deepEqual([second?.kind, second?.final], ['late', '0']);
  const next = await rig.outcomeOf({ ...job, negotiationId: 'reuse-late-2', timeoutMs: 30_000 });
  assert.deepEqual([next.verdict, next.report.reused, next.handler?.digest], ['generated', true, second?.digest]);
  assert.ok(await recordOf(rig, next));
});

test('a record with other schemas is checked against those of the agreement from its first use', async () => {
  const { job, record } = await solved(rig, 'reuse-schemas');
  const key = rig.keys.handler(record.provenance.tenant, record.digest);
  await rig.connection.set(key, JSON.stringify({ ...record, responseSchema: {} }));
  const again = await rig.outcomeOf({ ...job, negotiationId: 'reuse-schemas-2' });
  assert.equal(again.report.reused, true);
  assert.deepEqual((await recordOf(rig, again)).responseSchema, record.responseSchema);
});
