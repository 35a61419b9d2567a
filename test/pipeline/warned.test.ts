import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { recordOf, storeInstead } from '../kinds/stored.ts';
import { markedJob, sharedRig, soundReply } from '../system/harness.ts';

const rig = await sharedRig();

const warning = 'DOCUMENT_KEYWORD_REMOVED';
const confirmed = 'CANDIDATE_COMPLAINT_CONFIRMED';
const complaint = { action: 'fixErrorNegotiation', errorDescription: '- it is all wrong', status: 'negotiating' };

/** The verdict, and the codes of the findings, each once. */
function end({ verdict, findings }: Outcome): unknown[] {
  return [verdict, ...new Set(findings.map(({ code }) => code))];
}

test('warnings of the preflight are in every outcome, after the errors', async () => {
  const mark = 'warned';
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const plain = markedJob(mark, { tenant: mark, timeoutMs: 120_000 });
  const agreement = plain.agreement as JsonObject;
  const text = String(agreement.candidateProtocols);
  const candidateProtocols = text.replace('"productId": {', '"productId": { "tsType": "never",');
  assert.notEqual(candidateProtocols, text);
  const job = { ...plain, agreement: { ...agreement, candidateProtocols } };
  const made = await rig.outcomeOf(job);
  assert.deepEqual(end(made), ['generated', warning]);
  const record = await recordOf(rig, made);
  const broken = await storeInstead(rig, record, 'export const handle = () => 1;');
  let jobs = 0;
  const asked = async (kind: 'verify' | 'fix', digest: string) => {
    jobs += 1;
    const data = { ...job, ...(kind === 'fix' ? { complaint } : {}), handlerDigest: digest };
    return end(await rig.outcomeOf({ ...data, negotiationId: `${mark}-${jobs}` }, { kind }));
  };
  assert.deepEqual(await asked('verify', record.digest), ['clean', warning]);
  assert.deepEqual(await asked('verify', broken.digest), ['generated', warning]);
  assert.deepEqual(await asked('fix', record.digest), ['clean', warning, 'DOCUMENT_COMPLAINT_UNFOUNDED']);
  assert.deepEqual(await asked('fix', broken.digest), ['generated', confirmed, warning]);
  rig.answer(mark, () => ({ kind: 'reply', text: 'It rains.' }));
  assert.deepEqual(await asked('fix', broken.digest), ['error', confirmed, 'CANDIDATE_NO_CODE', warning]);
});
