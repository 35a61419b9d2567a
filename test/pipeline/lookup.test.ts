import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { CheckReport } from '../../src/contract/check-report.ts';
import { HANDLER_ABI, type HandlerRecord } from '../../src/contract/handler.ts';
import type { HandlerStore } from '../../src/contract/ports.ts';
import { typesFor } from '../../src/generation/assignment.ts';
import { lookup } from '../../src/generation/lookup.ts';
import { proofOf } from '../../src/handlers/proof.ts';
import { verifierVersion } from '../../src/handlers/verifier-version.ts';
import { handlerDigest } from '../../src/hosting/load-handler.ts';
import { Budget } from '../../src/job/budget.ts';
import type { Requirements } from '../../src/job/requirements.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { processBudgetOf, productJob, soundSource } from '../generation/rig.ts';
import { farOff, heldTo, recordOf, startWorkbench, trusting } from '../generation/workbench.ts';

const bench = await startWorkbench();
after(() => bench.close());

const job = productJob();
const known: CheckReport[] = [
  { name: 'determinism', result: 'passed', runs: 7 } as Partial<CheckReport> as CheckReport,
];

/** A record as stored when its handler was verified for a job. */
async function verified(held: Requirements, source: string, verifier = verifierVersion): Promise<HandlerRecord> {
  const base = await recordOf(job, source);
  const provenance = { ...base.provenance, verifierVersion: verifier, checks: known };
  const record = { ...base, ...held.schemas, abi: HANDLER_ABI, proof: proofOf(held), provenance } as HandlerRecord;
  return { ...record, digest: handlerDigest(record) };
}

/** Looks a job up among stored records, the newest first. */
async function found(held: Requirements, stored: HandlerRecord[]) {
  const touched: HandlerRecord[] = [];
  const put: HandlerRecord[] = [];
  const handlers: Partial<HandlerStore> = {
    find: async () => stored,
    touch: async (record) => void touched.push(record),
    put: async (record) => void put.push(record),
  };
  const ledger = bench.ledger();
  const { loaded } = bench.counts;
  const services = { ...bench.servicesWith(), handlers: handlers as HandlerStore };
  const budget = new Budget(
    { maxCandidates: 0, maxCompletions: 0, maxTokens: null, maxCostUsd: null },
    processBudgetOf(),
  );
  const solved = await lookup(held, 'key', { services, ledger, budget }, farOff(), farOff());
  const record = solved?.handler ?? null;
  return { record, touched, put, report: ledger.report(), loaded: bench.counts.loaded - loaded };
}

test('a handler that was verified for the same cases is used unchanged, and its retention is renewed', async () => {
  const held = heldTo(job);
  const stored = await verified(held, soundSource);
  const { record, touched, put, report } = await found(held, [stored]);
  assert.deepEqual([record, touched, put], [stored, [stored], []]);
  assert.deepEqual([report.reused, report.verification, report.checks], [true, 'negotiated', known]);
});

test('a handler that another verifier version verified is checked again, and stored with the result', async () => {
  const held = heldTo(job);
  const stored = await verified(held, soundSource, 'an older one');
  const { record, touched, put, report } = await found(held, [stored]);
  assert.deepEqual([touched, put], [[], [record]]);
  assert.equal(record?.provenance.verifierVersion, verifierVersion);
  assert.deepEqual(record.provenance.checks, report.checks);
  assert.ok(report.checks.length > known.length);
});

test('a record with other schemas is stored with those of this agreement, declarations included', async () => {
  const held = heldTo(job);
  const stale = { ...(await verified(held, soundSource)), requestSchema: true, types: 'export type Request = any;' };
  const { record, put } = await found(held, [stale]);
  assert.deepEqual(put, [record]);
  assert.deepEqual(record?.requestSchema, held.schemas.requestSchema);
  assert.equal(record.types, await typesFor(held, trusting));
});

test('of many stored handlers, the three newest are tried', async () => {
  const held = heldTo(job);
  const broken = await Promise.all([1, 2, 3].map((n) => verified(held, `export const handle = () => ${n};`)));
  const sound = await verified(held, soundSource);
  const third = await found(held, [...broken.slice(1), sound]);
  assert.deepEqual([third.record?.digest, third.loaded], [sound.digest, 3]);
  const fourth = await found(held, [...broken, sound]);
  assert.deepEqual([fourth.record, fourth.loaded], [null, 3]);
});

test('without cases, a stored handler is known to satisfy the schemas only', async () => {
  const { testCases: _, ...bare } = job as JsonObject;
  const held = heldTo(bare);
  const { record, report } = await found(held, [await verified(held, soundSource)]);
  assert.ok(record);
  assert.deepEqual([report.reused, report.verification, report.cases], [true, 'schema-only', []]);
});
