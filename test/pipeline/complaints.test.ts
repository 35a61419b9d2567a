import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { recordOf, solved, storeInstead } from '../kinds/stored.ts';
import { markedJob, sharedRig, soundReply } from '../system/harness.ts';

const rig = await sharedRig();

/** Always answers with a long text where a number is expected, and with numbers where texts are. */
const faulty = `export async function handle() {
  return { messageId: 1, type: 2, status: { code: 'x'.repeat(20_000), message: 3 }, productInfo: null };
}
`;

const complaint: JsonObject = {
  action: 'fixErrorNegotiation',
  errorDescription: '- `/status/code` is no number',
  status: 'negotiating',
};

test('peer and model are told of only a few of many reproduced faults, without our data', async () => {
  const mark = 'complaints-many';
  const { job, record } = await solved(rig, mark);
  const stored = await storeInstead(rig, record, faulty);
  const before = rig.questions(mark).length;
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const vague = { ...complaint, errorDescription: '- All of it' };
  const outcome = await rig.outcomeOf(
    { ...job, handlerDigest: stored.digest, complaint: vague, negotiationId: mark, replyTo: mark },
    { kind: 'fix' },
  );
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  const confirmed = outcome.findings.filter(({ code }) => code === 'CANDIDATE_COMPLAINT_CONFIRMED');
  assert.equal(confirmed.length, 5);
  const said = String(outcome.messages[0]?.errorDescription);
  assert.equal(said.match(/^- /gm)?.length, 5);
  assert.doesNotMatch(JSON.stringify([outcome.messages, outcome.findings]), /xxx/, 'nothing of our data');
  const [question] = rig.questions(mark).slice(before);
  const facts = question?.prompt.split('failed:')[1] ?? '';
  assert.equal(facts.match(/^- /gm)?.length, 6);
  assert.match(facts, /^\(\d+ more\)$/m);
  assert.doesNotMatch(facts, /x{4000}/);
  const [early] = await rig.entries(mark);
  assert.deepEqual([early?.final, early?.protocolHash], ['0', record.provenance.protocolHash]);
  assert.deepEqual((await recordOf(rig, outcome)).proof.cases.length, 2);
  const named = await rig.outcomeOf(
    { ...job, handlerDigest: stored.digest, complaint, negotiationId: `${mark}-2` },
    { kind: 'fix' },
  );
  const lines = String(named.messages[0]?.errorDescription).match(/^- .*$/gm) ?? [];
  assert.ok(lines.length > 1, String(lines));
  assert.equal(new Set(lines).size, lines.length);
});

test('the report on a rejected complaint states the earlier checks of the handler', async () => {
  for (const [mark, isBare, verification] of [
    ['known-by-cases', false, 'negotiated'],
    ['known-by-schemas', true, 'schema-only'],
  ] as const) {
    rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
    const { testCases, ...bare } = markedJob(mark, { tenant: mark, timeoutMs: 120_000 });
    const job = isBare ? bare : { ...bare, testCases };
    const made = await rig.outcomeOf(job as JsonObject);
    assert.equal(made.verdict, 'generated', JSON.stringify(made.findings));
    const data = { ...job, handlerDigest: made.handler?.digest ?? '', complaint, negotiationId: `${mark}-2` };
    const { verdict, report } = await rig.outcomeOf(data, { kind: 'fix' });
    assert.deepEqual([verdict, report.verification, report.cases.length], ['clean', verification, isBare ? 0 : 2]);
    assert.deepEqual(report.checks, (await recordOf(rig, made)).provenance.checks);
    assert.ok(report.checks.length > 0);
  }
});
