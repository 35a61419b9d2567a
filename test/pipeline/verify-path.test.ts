import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { solved, storeInstead } from '../kinds/stored.ts';
import { sharedRig } from '../system/harness.ts';

const rig = await sharedRig();

test('the report on a stored handler that passes has the cases that were run, and its earlier checks', async () => {
  const mark = 'verify-report';
  const { job, record } = await solved(rig, mark);
  const asked = async (data: JsonObject, digest: string, nth: number) =>
    rig.outcomeOf({ ...data, handlerDigest: digest, negotiationId: `${mark}-${nth}` }, { kind: 'verify' });
  const { verdict, report } = await asked(job, record.digest, 1);
  assert.equal(verdict, 'clean');
  assert.deepEqual([report.reused, report.verification, report.attempts], [true, 'negotiated', []]);
  assert.deepEqual(
    report.cases.map(({ passed }) => passed),
    [true, true],
  );
  assert.deepEqual(report.checks, record.provenance.checks);
  assert.ok(report.checks.length > 0);

  const testCases = { ...(job.testCases as { testCases: string }) };
  testCases.testCases = testCases.testCases.replaceAll('msg002', 'msg900').replaceAll('P99999', 'P31313');
  const anew = await asked({ ...job, testCases }, record.digest, 2);
  assert.deepEqual([anew.verdict, anew.report.cases.length], ['clean', 2]);
  assert.ok(anew.report.checks.length > 0, 'cases that are new to it are reason to check it again');
});

test('the report on a handler that fails and cannot be made again has the cases of the last candidate', async () => {
  const mark = 'verify-failed';
  const { job, record } = await solved(rig, mark);
  const broken = await storeInstead(rig, record, 'export const handle = () => 1;');
  await rig.connection.del(rig.keys.handler(mark, record.digest));
  rig.answer(mark, () => ({ kind: 'reply', text: '```ts\nexport const handle = () => 2;\n```' }));
  const data = { ...job, handlerDigest: broken.digest, negotiationId: `${mark}-1` };
  const { verdict, report } = await rig.outcomeOf(data, { kind: 'verify' });
  assert.equal(verdict, 'error');
  assert.deepEqual([report.reused, report.cases.map(({ passed }) => passed)], [false, [false, false]]);
});
