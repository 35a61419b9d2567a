import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { markedJob, type Rig, soundReply } from '../system/harness.ts';

/** The record of an outcome's handler. */
export async function recordOf(rig: Rig, { tenant, handler }: Outcome): Promise<HandlerRecord> {
  const text = await rig.connection.get(rig.keys.handler(tenant ?? '', handler?.digest ?? ''));
  if (text === null) throw new Error('no record');
  return JSON.parse(text) as HandlerRecord;
}

/** A job whose sound handler is stored, with enough time for a busy machine. */
export async function solved(rig: Rig, mark: string): Promise<{ job: JsonObject; record: HandlerRecord }> {
  rig.answer(mark, () => ({ kind: 'reply', text: soundReply }));
  const job = markedJob(mark, { tenant: mark, timeoutMs: 120_000 });
  const outcome = await rig.outcomeOf(job);
  if (outcome.verdict !== 'generated') throw new Error(JSON.stringify(outcome.findings));
  return { job, record: await recordOf(rig, outcome) };
}

/** Stores a handler as an older release may have left it: the same record with another bundle. */
export async function storeInstead(rig: Rig, record: HandlerRecord, bundle: string): Promise<HandlerRecord> {
  const other = { ...record, bundle, digest: handlerDigest({ ...record, bundle }) };
  await rig.connection.set(rig.keys.handler(record.provenance.tenant, other.digest), JSON.stringify(other));
  return other;
}
