import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { Amendment } from '../../src/contract/finding.ts';
import type { Observation } from '../../src/contract/trial.ts';
import { readComplaint } from '../../src/documents/read-complaint.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { clear } from '../../src/job/clear.ts';
import { type Requirements, requirementsOf } from '../../src/job/requirements.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { probesOf, quotedOf } from '../../src/kinds/reproduce-probes.ts';
import { amendedAgreement } from '../../src/kinds/stored-handler.ts';
import { validatorOf } from '../../src/schemas/validator-of.ts';
import { example } from '../system/harness.ts';

type Example = JsonObject & { task: JsonObject & { inputSchema: JsonObject; examples: JsonObject[] } };

function jobOf(data: JsonObject) {
  const reading = readJob('generate', data);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.job;
}

/** The requirements of a requester with these tasks. */
function held(change: (task: Example['task']) => JsonObject = (task) => task): Requirements {
  const data = example('anp-product-en.requester') as unknown as Example;
  return requirementsOf(clear(analyze(jobOf({ ...data, task: change(data.task) }))), 'seed');
}

function quotedInputs(of: Requirements, request: Json): Json[] {
  const complaint = readComplaint(`- wrong\n${JSON.stringify(request)}`, []);
  return probesOf(of, complaint)
    .filter(({ quoted }) => quoted)
    .map(({ scenario }) => scenario.input);
}

const request = (productId: string, more: JsonObject = {}) => ({
  messageId: 'x',
  type: 'REQUEST',
  action: 'getProductInfo',
  productId,
  ...more,
});

test('the task that led to a quoted request is made from the nearest case', () => {
  // The tasks differ in a member that only one of them has.
  const tagged = held((task) => ({
    ...task,
    inputSchema: { type: 'object', properties: { id: { type: 'string' }, of: { type: 'integer' } }, required: ['id'] },
    examples: task.examples.map((one) => ({ ...one, input: { ...(one.input as JsonObject), of: one.testCase ?? 0 } })),
  }));
  assert.deepEqual(quotedInputs(tagged, request('P12345', { productName: 'n' })), [{ id: 'P12345', of: 1 }]);
  assert.deepEqual(quotedInputs(tagged, request('P99999', { productName: 'n' })), [{ id: 'P99999', of: 2 }]);
  assert.deepEqual(quotedInputs(tagged, request('K7001')), [{ id: 'K7001', of: 1 }], 'the first of equals');
});

test('a quoted request that no valid task leads to is not replayed, and no invalid task is made up', () => {
  const narrow = held((task) => ({
    ...task,
    inputSchema: { type: 'object', properties: { id: { type: 'string', pattern: '^P[0-9]{5}$' } }, required: ['id'] },
  }));
  assert.deepEqual(quotedInputs(narrow, request('P31313')), [{ id: 'P31313' }]);
  assert.deepEqual(quotedInputs(narrow, request('K7001')), []);
  const validator = validatorOf(narrow.schemas.taskInputSchema ?? {});
  assert.ok(validator.ok);
  const all = probesOf(narrow, readComplaint('- wrong', [])).map(({ scenario }) => scenario.input);
  assert.ok(all.length > 0);
  for (const input of all) assert.deepEqual(validator.validate(input), [], JSON.stringify(input));
});

test('a quoted value in another form is converted to the form of the task', () => {
  const counted = held((task) => ({
    ...task,
    inputSchema: { type: 'object', properties: { id: { type: 'string', pattern: '^P[0-9]{5}$' } }, required: ['id'] },
  }));
  assert.deepEqual(quotedInputs(counted, request('P-313-13')), [{ id: 'P31313' }]);
});

test('of two tasks, the one whose request has all places of the quoted one is taken', () => {
  const data = example('anp-product-en.requester') as unknown as Example;
  const [first, second] = data.task.examples as [JsonObject, JsonObject];
  const named = (of: Json) => ({ ...(of as JsonObject), name: 'Lamp' });
  const testCases = String(data.testCases && (data.testCases as JsonObject).testCases).replace(
    '"productId": "P99999"\n',
    '"productId": "P99999",\n   "productName": "Lamp"\n',
  );
  assert.match(testCases, /Lamp/);
  const of = requirementsOf(
    clear(
      analyze(
        jobOf({
          ...data,
          testCases: { ...(data.testCases as JsonObject), testCases },
          task: {
            ...data.task,
            inputSchema: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } },
            examples: [first, { ...second, input: named(second.input as Json) }],
          },
        }),
      ),
    ),
    'seed',
  );
  assert.deepEqual(quotedInputs(of, request('P12345', { productName: 'Desk' })), [{ id: 'P12345', name: 'Desk' }]);
});

test('quoted texts are sent again where messages are texts', () => {
  const { pathname } = new URL('../../fixtures/candidates/berth-lines/job.json', import.meta.url);
  const of = requirementsOf(clear(analyze(jobOf(JSON.parse(readFileSync(pathname, 'utf8'))))), 'seed');
  const inputs = probesOf(of, readComplaint('No answer to `MOOR 4711 ostrand 20`.', []))
    .filter(({ quoted }) => quoted)
    .map(({ scenario }) => scenario.input);
  assert.deepEqual(inputs, ['MOOR 4711 ostrand 20']);
});

test('when a quoted request is replayed, the peer answers as in the case, with the ids and values of the request sent', async () => {
  const [probe] = probesOf(held(), readComplaint(`- wrong\n${JSON.stringify(request('K7001'))}`, []));
  assert.ok(probe?.quoted);
  const answer = await probe.scenario.peer?.(request('K7001', { messageId: 'fresh' }), 1);
  assert.ok(answer && 'response' in answer);
  const { messageId, productInfo } = answer.response as { messageId: Json; productInfo: JsonObject };
  assert.deepEqual([messageId, productInfo.productId], ['fresh', 'K7001']);
});

test('the peer’s own faults in a quoted exchange are no faults of ours', () => {
  const provider = requirementsOf(clear(analyze(jobOf(example('anp-product-en.consistent')))), 'seed');
  const response = { messageId: 'x', type: 'RESPONSE', status: { code: 404, message: 'No' }, productInfo: null };
  const quoted = (answer: JsonObject) => {
    const exchange = { request: { ...request('K7001'), productName: 7 }, response: answer };
    return quotedOf(provider, readComplaint(`- wrong\n${JSON.stringify(exchange)}`, []));
  };
  assert.equal(quoted(response), 'keeps');
  assert.equal(quoted({ ...response, status: 404 }), 'breaks');
  assert.equal(quotedOf(provider, readComplaint('- wrong', [])), null);
  assert.equal(quotedOf(provider, readComplaint(`- wrong\n${JSON.stringify(request('K7001'))}`, [])), null);
});

test('a requester that never ends is at fault; one that fails because of the peer’s answer is not', () => {
  const [probe] = probesOf(held(), readComplaint('- wrong', []));
  const seen = { issues: [], logs: [], calls: [], sends: [], order: [], issuedIds: [], durationMs: 1, cpuMs: 1 };
  const faults = (end: Observation['end']) =>
    probe?.faultsIn({ ...seen, end, message: 'why' }).map(({ pointer, message }) => [pointer, message]);
  for (const end of ['timed-out', 'out-of-memory', 'killed'] as const)
    assert.deepEqual(faults(end), [['', 'it gives no answer: why']]);
  assert.deepEqual(faults('threw'), []);
});

test('each amendment of a stored handler is applied to its own schema', () => {
  const analyzed = analyze(jobOf(example('anp-product-en.consistent')));
  const amendments = (['requestSchema', 'responseSchema'] as const).map(
    (of): Amendment => ({ of, patch: [{ op: 'add', path: '/title', value: `amended ${of}` }] }),
  );
  const titles = (kept: readonly Amendment[]) => {
    const { requestSchema, responseSchema } = amendedAgreement(analyzed, kept).agreement;
    return [requestSchema, responseSchema].map((one) => Object(one?.schema).title as unknown);
  };
  const [asked, answered] = titles([]);
  const [first, second] = amendments as [Amendment, Amendment];
  assert.deepEqual(titles(amendments), ['amended requestSchema', 'amended responseSchema']);
  assert.deepEqual(titles([first]), ['amended requestSchema', answered]);
  assert.deepEqual(titles([second]), [asked, 'amended responseSchema']);
});
