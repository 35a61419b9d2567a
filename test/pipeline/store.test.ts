import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { HandlerStore } from '../../src/contract/ports.ts';
import { assignmentFor } from '../../src/generation/assignment.ts';
import type { Tested } from '../../src/generation/lane-candidate.ts';
import { store, storeAmended } from '../../src/generation/store.ts';
import { Ledger, noUsage } from '../../src/job/ledger.ts';
import type { Services } from '../../src/job/services.ts';
import { productJob, soundSource } from '../generation/rig.ts';
import { heldTo, noReading, recordOf, trusting } from '../generation/workbench.ts';

test('a handler that is stored with further amendments has the declarations of the amended schemas', async () => {
  const job = productJob();
  const record = await recordOf(job, soundSource);
  const held = heldTo(job);
  const { agreement } = held.cleared;
  const located = agreement.requestSchema;
  assert.ok(located);
  const schema = { ...(located.schema as object), properties: { productId: { type: ['string', 'null'] } } };
  const cleared = { ...held.cleared, agreement: { ...agreement, requestSchema: { ...located, schema } } };
  const put: HandlerRecord[] = [];
  const handlers: Partial<HandlerStore> = {
    withdrawnFor: async () => null,
    put: async (one) => void put.push(one),
  };
  const stored = await storeAmended(record, { ...held, cleared }, 'key', {
    handlers,
    ...trusting,
  } as unknown as Services);
  assert.deepEqual(put, [stored]);
  assert.match(stored.types, /productId: \(string \| null\)/);
  assert.notEqual(stored.types, record.types);
});

test('a handler is stored with the shortened report of its job', async () => {
  const job = productJob();
  const order = await assignmentFor(heldTo(job), trusting);
  const ledger = new Ledger({ jobId: 'j', negotiationId: 'n' }, () => undefined);
  ledger.verification = 'negotiated';
  ledger.cases = [{ testCase: 1, passed: true, differences: [] }];
  ledger.attempts.push({
    attempt: 1,
    purpose: 'generate',
    model: 'm',
    result: 'failed-types',
    message: 'x'.repeat(1_000),
    passedCases: 0,
    usage: noUsage,
    durationMs: 1,
  });
  const put: HandlerRecord[] = [];
  const handlers: Partial<HandlerStore> = {
    withdrawnFor: async () => null,
    put: async (one) => void put.push(one),
  };
  const tested: Tested = {
    source: soundSource,
    bundle: '',
    model: 'm',
    tools: [],
    cases: ledger.cases,
    checks: [],
    isWholeReading: false,
  };
  await store(tested, order, 'key', ledger, { handlers, completer: {} } as unknown as Services, noReading());
  const { jobId, report } = put[0]?.provenance ?? assert.fail('nothing was stored');
  assert.equal(jobId, 'j');
  const { checks: _, ...whole } = ledger.report();
  const [attempt] = whole.attempts;
  assert.deepEqual(report, { ...whole, attempts: [{ ...attempt, message: 'x'.repeat(200) }] });
});
