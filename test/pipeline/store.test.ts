import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerRecord } from '../../src/contract/handler.ts';
import type { HandlerStore } from '../../src/contract/ports.ts';
import { storeAmended } from '../../src/pipeline/store.ts';
import type { Workshop } from '../../src/pipeline/workshop.ts';
import { productJob, soundSource } from '../generation/rig.ts';
import { heldTo, recordOf } from '../generation/workbench.ts';

test('what is stored of a handler that is held to further amendments is declared as they have it', async () => {
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
  const stored = await storeAmended(record, { ...held, cleared }, 'key', { handlers } as unknown as Workshop);
  assert.deepEqual(put, [stored]);
  assert.match(stored.types, /productId: \(string \| null\)/);
  assert.notEqual(stored.types, record.types);
});
