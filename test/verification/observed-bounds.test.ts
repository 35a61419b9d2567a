import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Case } from '../../src/contract/agreement.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { CasesByRequest } from '../../src/verification/cases-by-request.ts';
import { observed } from '../pipeline/observed.ts';

/** The end of a job with these responses to a requester. */
async function observedAll(schema: JsonObject, responses: Json[]) {
  const block = (title: string, more: JsonObject) => `\`\`\`json\n${JSON.stringify({ title, ...more })}\n\`\`\`\n`;
  const candidateProtocols = `# Requirements\nEcho.\n\n## Request Message\n${block('Request', { type: 'object' })}\n## Response Message\n${block('Response', schema)}`;
  const data = {
    version: 1,
    negotiationId: 'n',
    role: 'requester',
    agreement: { action: 'protocolNegotiation', sequenceId: 1, status: 'accepted', candidateProtocols },
    exchanges: responses.map((response) => ({ request: {}, response })),
  };
  return observed(data);
}

test('patterns are matched with so much text of all exchanges together, and what is left out is told of', async () => {
  const schema = { type: 'object', properties: { x: { type: 'string', pattern: '(a|b)*a(a|b){100}[cd]' } } };
  const x = `${'a'.repeat(300)}c`;
  const few = await observedAll(schema, [{ x }, { x }, { x: `${x}x` }]);
  assert.deepEqual([few.verdict, few.findings], ['clean', []]);
  const many = await observedAll(
    schema,
    Array.from({ length: 200 }, (_, index) => ({ x: `${x}${index}` })),
  );
  assert.deepEqual(
    [many.verdict, many.findings.map(({ code, severity }) => [code, severity])],
    ['clean', [['DOCUMENT_PATTERN_UNSUPPORTED', 'warning']]],
  );
});

test('exchanges that take too many steps together are not called clean, and no peer is told; what was found before is', async () => {
  const numbers = { type: 'array', items: { allOf: Array.from({ length: 100 }, () => ({ type: 'number' })) } };
  const schema = { type: 'object', properties: { numbers } };
  const sound = { numbers: Array.from({ length: 200 }, () => 1) };
  assert.equal((await observedAll(schema, [sound, sound])).verdict, 'clean');
  const responses = Array.from({ length: 40 }, () => ({ ...sound }));
  const many = await observedAll(schema, responses);
  assert.deepEqual(
    [many.verdict, many.messages, many.findings.map(({ code, pointer }) => [code, pointer])],
    ['error', [], [['JOB_TOO_LARGE', '/exchanges']]],
  );
  const broken = await observedAll(schema, [{ numbers: 'none' }, ...responses]);
  assert.deepEqual(
    [broken.verdict, broken.findings.map(({ code }) => code)],
    ['disputed', ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'JOB_TOO_LARGE']],
  );
  assert.equal(String(broken.messages[0]?.errorDescription).match(/^- /gm)?.length, 1);
});

test('cases are found by what they ask, apart from loose places', () => {
  const cases = [
    { a: 1, b: { c: [1, 2] }, id: 'x' },
    { a: 1, b: { c: [1, 2] }, id: 'y' },
    { a: 1, b: { c: [1, 2] } },
    { a: 1, b: { c: [1, 2] }, id: 'x', note: 'n' },
    'one\r\ntwo\n',
  ].map((request, index) => ({ testCase: index + 1, request, response: null })) as Partial<Case>[] as Case[];
  const found = (request: Json, ...loose: { pointer: string; as: 'id' | 'text' }[]) =>
    new CasesByRequest(cases, loose).of(request).map(({ testCase }) => testCase);
  const id = { pointer: '/id', as: 'id' } as const;
  assert.deepEqual(found({ id: 'x', b: { c: [1, 2] }, a: 1 }), [1]);
  assert.deepEqual(found({ id: 'z', b: { c: [1, 2] }, a: 1 }), []);
  assert.deepEqual(found({ id: 'z', b: { c: [1, 2] }, a: 1 }, id), [1, 2]);
  assert.deepEqual(found({ b: { c: [1, 2] }, a: 1 }, id), [3]);
  assert.deepEqual(found({ id: 'x', a: 1, b: { c: [2, 1] } }, id), []);
  assert.deepEqual(found({ id: 'x', a: 1, b: { c: [1, 9] } }, id, { pointer: '/b/c/1', as: 'id' }), [1, 2]);
  const note = { pointer: '/note', as: 'text' } as const;
  assert.deepEqual(found({ id: 'x', a: 1, b: { c: [1, 2] }, note: 'other' }, note), [4]);
  assert.deepEqual(found({ id: 'x', a: 1, b: { c: [1, 2] }, note: ' ' }, note), [], 'a loose text is not empty');
  assert.deepEqual(found('one\ntwo'), [5]);
  assert.deepEqual(found('one\nthree'), []);
  assert.deepEqual(found('one\nthree', { pointer: '', as: 'id' }), [1, 2, 3, 4, 5]);
});
