import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { Job } from '../../src/contract/job.ts';
import { readJob } from '../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { observeExchanges } from '../../src/verification/observe-exchanges.ts';
import { example } from '../system/harness.ts';

const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P12345' };
const productInfo = {
  productId: 'P12345',
  productName: 'High-Performance Laptop',
  productDescription: 'A high-performance laptop equipped with the latest processor and large memory capacity.',
  price: 1299.99,
  currency: 'USD',
};
const response = { messageId: 'x1', type: 'RESPONSE', status: { code: 200, message: 'Success' }, productInfo };

function observed(name: string, exchanges: Json, more: JsonObject = {}) {
  const reading = readJob('observe', { ...example(name), exchanges, ...more });
  assert.ok(reading.ok, JSON.stringify(reading));
  return observeExchanges(analyze(reading.job as Job)).map(({ code, severity, pointer, testCase }) => [
    code,
    severity,
    pointer,
    testCase,
  ]);
}

const ours = 'anp-product-en.requester';

test('an exchange that satisfies the agreement is clean, even with an id that no case has', () => {
  assert.deepEqual(observed(ours, [{ request, response }]), []);
});

test('a response that breaks its schema is the peer’s fault, reported at its place', () => {
  const { message: _, ...status } = response.status;
  assert.deepEqual(observed(ours, [{ request: { ...request, productId: 'Q7' }, response: { ...response, status } }]), [
    ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'error', '/0/response/status', undefined],
  ]);
});

test('a missing echo of an id is reported', () => {
  assert.deepEqual(
    observed(ours, [{ request: { ...request, productId: 'Q7' }, response: { ...response, messageId: 'x2' } }]),
    [['DOCUMENT_EXCHANGE_ID_NOT_ECHOED', 'error', '/0/response/messageId', undefined]],
  );
});

test('an answer that differs from the agreed case is reported', () => {
  const other = { ...response, productInfo: { ...productInfo, price: 1 } };
  assert.deepEqual(
    observed(ours, [
      { request, response },
      { testCase: 1, request, response: other },
    ]),
    [['DOCUMENT_EXCHANGE_CONTRADICTS_CASE', 'error', '/1/response/productInfo/price', 1]],
  );
});

test('the peer’s data may have changed since, where an exchange names no case', () => {
  const other = { ...response, productInfo: { ...productInfo, price: 1 } };
  assert.deepEqual(observed(ours, [{ request, response: other }]), [
    ['DOCUMENT_EXCHANGE_CONTRADICTS_CASE', 'warning', '/0/response/productInfo/price', 1],
  ]);
});

test('an exchange is compared with the case that it names, whatever its id is called', () => {
  const testCases = ['c1', 'c2'].map((corr, n) => ({ request: { corr, n }, response: { corr, ok: n === 1 } }));
  const { agreement } = example(ours);
  const more = { agreement: { ...agreement, candidateProtocols: '# Requirements\nTell.' }, testCases };
  const seen = (ok: boolean) =>
    observed(ours, [{ testCase: 2, request: { corr: 'c9', n: 1 }, response: { corr: 'c9', ok } }], more);
  assert.deepEqual(seen(true), []);
  assert.deepEqual(seen(false), [['DOCUMENT_EXCHANGE_CONTRADICTS_CASE', 'error', '/0/response/ok', 2]]);
});

test('creation times of messages are not compared with a case, but times that are data are', () => {
  const asked = { ...request, timestamp: '2025-01-01T00:00:00Z' };
  const answered = { ...response, header: { sentAt: 1735689601 }, shippedOn: '2025-01-03T00:00:00Z' };
  const { agreement } = example(ours);
  const bare = { ...agreement, candidateProtocols: '# Requirements\nTell products.' };
  const more = { agreement: bare, testCases: [{ request: asked, response: answered }] };
  const later = { ...asked, messageId: 'x9', timestamp: '2025-06-01T10:00:00Z' };
  const answer = { ...answered, messageId: 'x9', header: { sentAt: 1748772001 } };
  const seen = (one: JsonObject) => observed(ours, [{ testCase: 1, request: later, response: one }], more);
  assert.deepEqual(seen(answer), []);
  const code = 'DOCUMENT_EXCHANGE_CONTRADICTS_CASE';
  assert.deepEqual(seen({ ...answer, productInfo: { ...productInfo, price: 1 } }), [
    [code, 'error', '/0/response/productInfo/price', 1],
  ]);
  assert.deepEqual(seen({ ...answer, shippedOn: '2025-06-03T00:00:00Z' }), [
    [code, 'error', '/0/response/shippedOn', 1],
  ]);
});

test('an echoed id must match, whatever its name, in each of several operations, and without a case', () => {
  const schemaOf = (op: string, ...names: string[]) => ({
    type: 'object',
    properties: { op: { const: op }, ...Object.fromEntries(names.map((name) => [name, {}])) },
    required: ['op'],
    additionalProperties: false,
  });
  const schemas: [string, Json][] = [
    ['Balance request', schemaOf('balance', 'ref', '照会番号', 'account')],
    ['Balance response', schemaOf('balance', 'ref', '照会番号', 'cents', 'account')],
    ['Transfer request', schemaOf('transfer', 'ref', 'to')],
    ['Transfer response', schemaOf('transfer', 'ref', 'done')],
  ];
  const blocks = schemas.map(([heading, schema]) => `## ${heading}\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\`\n`);
  const seen = (role: string, prose: string, answer: JsonObject, cases?: Json) => {
    const agreement = { ...example(ours).agreement, candidateProtocols: `${prose}\n${blocks.join('')}` };
    const exchanges = [{ request: { op: 'balance', ref: 'b1', 照会番号: 'n1', account: 'K' }, response: answer }];
    const { testCases: _, tools: __, task, ...data } = example(ours);
    const more = {
      ...(role === 'requester' ? { task: { ...(task as JsonObject), examples: [] } } : {}),
      ...(cases ? { testCases: cases } : {}),
    };
    const reading = readJob('observe', { ...data, role, agreement, exchanges, ...more } as Json);
    assert.ok(reading.ok, JSON.stringify(reading));
    return observeExchanges(analyze(reading.job as Job)).map(({ code, severity, pointer }) => [
      code,
      severity,
      pointer,
    ]);
  };
  const code = 'DOCUMENT_EXCHANGE_ID_NOT_ECHOED';
  const answer = { op: 'balance', ref: 'b1', 照会番号: 'n1', account: 'K' };
  const said = '`ref` is copied into each response. 照会番号はそのまま返す。';
  assert.deepEqual(seen('requester', said, answer), []);
  assert.deepEqual(seen('requester', said, { ...answer, ref: 'b2', account: 'J' }), [
    [code, 'error', '/0/response/ref'],
  ]);
  assert.deepEqual(seen('requester', said, { ...answer, 照会番号: 'n2' }), [[code, 'error', '/0/response/照会番号']]);
  assert.deepEqual(seen('requester', 'Balances.', { ...answer, ref: 'b2' }), []);
  assert.deepEqual(seen('provider', said, { ...answer, ref: 'b2' }), [[code, 'warning', '/0/response/ref']]);
  const ownIds = [{ request: { op: 'balance', ref: 'b1' }, response: { op: 'balance', ref: 'x9' } }];
  assert.deepEqual(seen('requester', said, { ...answer, ref: 'b2' }, ownIds), []);
});

test('a text begins with the tag of its request where every case does, and matches a case with any tag', () => {
  const document = '# Rates\nAn answer begins with the tag of the request; `#0 NO` where there is none.';
  const testCases = [1, 2, 3].map((n) => ({
    request: `#${n} ASK ${n}`,
    response: n < 3 ? `#${n} IS ${n}0` : `#${n} NO`,
  }));
  const seen = (request: string, response: string, cases: Json = testCases) => {
    const { task: _, ...data } = example(ours);
    const agreement = { ...data.agreement, candidateProtocols: document };
    const more = { agreement, testCases: cases, tools: [], payload: 'text', exchanges: [{ request, response }] };
    const reading = readJob('observe', { ...data, ...more } as Json);
    assert.ok(reading.ok, JSON.stringify(reading));
    return observeExchanges(analyze(reading.job as Job)).map(({ code, actual, expected }) => [code, actual, expected]);
  };
  assert.deepEqual(seen('#81 ASK 7', '#81 IS 70'), []);
  assert.deepEqual(seen('#81 ASK 7', '#82 IS 70'), [['DOCUMENT_EXCHANGE_ID_NOT_ECHOED', '#82', '#81']]);
  assert.deepEqual(seen('#81 WHAT', '#0 NO'), [], 'the document has it');
  assert.deepEqual(seen('ASK 7', '#7 IS 70'), [], 'no tag was sent');
  assert.deepEqual(seen('#81 ASK 2', '#81 IS 21'), [['DOCUMENT_EXCHANGE_CONTRADICTS_CASE', ' IS 21', ' IS 20']]);
  const other = [...testCases.slice(1), { request: '#9 ASK 9', response: '#4 IS 90' }];
  assert.deepEqual(seen('#81 ASK 7', '#82 IS 70', other), [], 'not every case');
});

/** The findings for exchanges under another document, with shortened places. */
function seenUnder(document: string, testCases: Json, exchanges: Json, more: JsonObject = {}) {
  const { task: _, tools: __, ...data } = example(ours);
  const agreement = { ...data.agreement, candidateProtocols: document };
  const job = { ...data, role: 'requester', agreement, tools: [], exchanges, ...more };
  const reading = readJob('observe', { ...job, ...(testCases === null ? { testCases: [] } : { testCases }) } as Json);
  assert.ok(reading.ok, JSON.stringify(reading));
  return observeExchanges(analyze(reading.job as Job)).map(({ code, severity, pointer }) =>
    [code.slice('DOCUMENT_EXCHANGE_'.length), severity, pointer].join(' '),
  );
}

test('a message of a text protocol is text', () => {
  const found = (response: Json, request: Json = 'ASK 7', more: JsonObject = {}) =>
    seenUnder('# Rates\nTell.', [{ request: 'ASK 1', response: 'IS 10' }], [{ request, response }], more);
  assert.deepEqual(found('IS 70'), []);
  for (const response of [{ a: 1 }, 16, null])
    assert.deepEqual(found(response), ['VIOLATES_SCHEMA error /0/response'], JSON.stringify(response));
  assert.deepEqual(found('IS 70', 7), ['VIOLATES_SCHEMA warning /0/request']);
  assert.deepEqual(found('IS 70', 7, { role: 'provider' }), ['VIOLATES_SCHEMA error /0/request']);
  const listed = { payload: 'text', testCases: [] };
  assert.deepEqual(found(16, 'ASK 7', listed), ['VIOLATES_SCHEMA error /0/response']);
  assert.deepEqual(seenUnder('# Rates\nTell.', [{ request: { a: 1 }, response: 'IS' }], [{ request, response }]), []);
});

test('an error code must be one of the list, or unlike all of them', () => {
  const document = '# Orders\ncode is 0 on success.\n\n## Error codes\n- 4001: sku unknown\n- 4002: out of stock\n';
  const cases = [
    { request: { sku: 'a' }, response: { code: 0 } },
    { request: { sku: 'b' }, response: { code: 4001 } },
  ];
  const found = (response: Json, text = document, testCases: Json = cases) =>
    seenUnder(text, testCases, [{ request: { sku: 'z' }, response }]);
  const told = (place: string) => [`FAILURE_UNDOCUMENTED error /0/response/${place}`];
  for (const testCases of [cases, null]) {
    assert.deepEqual(found({ code: 4999 }, document, testCases), told('code'));
    assert.deepEqual(found({ status: { code: '4003' } }, document, testCases), told('status/code'));
    assert.deepEqual(found({ code: 500 }, document, testCases), told('code'));
  }
  const letters = document.replaceAll('400', 'E40').replace('code is 0 on success.', '');
  assert.deepEqual(found({ code: 'E499' }, letters, null), told('code'));
  for (const code of [4002, 0, 4000, 2001, 49_990, 'SOLD'] as const)
    assert.deepEqual(found({ code }), [], `${code} is listed, or may be no failure`);
  assert.deepEqual(found({ success: true, code: 4999 }), []);
  assert.deepEqual(found({ code: 4999, status: 'ok' }), []);
  assert.deepEqual(found({ code: 0, items: [{ code: 4711 }] }), [], 'another thing’s code');
  assert.deepEqual(found({ items: [{ code: 4711 }] }), []);
  assert.deepEqual(found({ code: 4711 }, document, [{ request: {}, response: { code: 4710 } }]), []);
  for (const more of ['4999 is a trial.', 'Codes 4100-4999 are ours.', 'All are 4xxx.', 'Other error codes may come.'])
    assert.deepEqual(found({ code: 4999 }, `${document}\n${more}`), [], more);
  assert.deepEqual(found({ code: 4999 }, `${document}\nThere are no other codes.`), told('code'));
});

test('an answer must repeat the id of its request where the document and all cases say so', () => {
  const said = '# Orders\nEach response repeats the `messageId` of the request.';
  const answer = (messageId: string, more: JsonObject = { state: 'open' }) => ({ messageId, ...more });
  const cases = ['m1', 'm2'].map((id) => ({ request: { messageId: id, order: id }, response: answer(id) }));
  const found = (response: Json, text = said, testCases: Json = cases, sent: JsonObject = { messageId: 'm9' }) =>
    seenUnder(text, testCases, [{ request: { ...sent, order: 'z' }, response }]);
  const lacking = ['ID_NOT_ECHOED error /0/response/messageId'];
  assert.deepEqual(found({ state: 'open' }), lacking);
  assert.deepEqual(found({}), lacking);
  assert.deepEqual(found(answer('m9')), []);
  assert.deepEqual(found({ state: 'open' }, said, cases, {}), [], 'none was sent');
  assert.deepEqual(found({ state: 'open' }, '# Orders\nTell.'), [], 'not said');
  assert.deepEqual(found({ state: 'open' }, '# Orders\nEach response may repeat the messageId of the request.'), []);
  assert.deepEqual(found({ error: 'NOT_FOUND' }), [], 'no case shows such an answer');
  assert.deepEqual(found({ done: true }), [], 'nor one of such members');
  assert.deepEqual(
    found({ state: 'failed', error: 'NOT_FOUND' }, said, [
      ...cases,
      { request: { messageId: 'm3' }, response: answer('m3', { state: '', error: 'GONE' }) },
    ]),
    lacking,
  );
  assert.deepEqual(
    found({ state: 'open' }, said, [...cases, { request: { messageId: 'm3' }, response: { state: '' } }]),
    [],
  );
  const schema = (required: string[]) =>
    `\`\`\`json\n${JSON.stringify({ type: 'object', properties: { messageId: { type: 'string' } }, required })}\n\`\`\`\n`;
  const withSchemas = `${said}\n\n## Request Message\n${schema([])}\n## Response Message\n${schema(['messageId'])}`;
  assert.deepEqual(found({ state: 'open' }, withSchemas), ['VIOLATES_SCHEMA error /0/response'], 'told once');
});

test('a request that differs from that of the named case causes a warning', () => {
  const cases = ['p', 'q'].map((of) => ({
    request: { messageId: `${of}1`, of },
    response: { messageId: `${of}1`, is: of },
  }));
  const found = (testCase: number, of: string, is: string, more: JsonObject = {}) => {
    const exchange = { testCase, request: { messageId: 'x', of }, response: { messageId: 'x', is } };
    return seenUnder('# Requirements\nTell.', cases, [exchange], more);
  };
  const other = ['CONTRADICTS_CASE warning /0/request/of'];
  assert.deepEqual(found(2, 'q', 'q'), []);
  assert.deepEqual(found(2, 'p', 'p'), other);
  assert.deepEqual(found(2, 'p', 'q'), other, 'it is held to no case');
  assert.deepEqual(found(2, 'p', 'p', { role: 'provider' }), other);
});

test('a provider checks the peer’s requests, and its own responses only cause warnings', () => {
  const { productId: _, ...broken } = request;
  assert.deepEqual(observed('anp-product-en.consistent', [{ request: broken, response: { ...response, type: 1 } }]), [
    ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'error', '/0/request', undefined],
    ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA', 'warning', '/0/response/type', undefined],
  ]);
});
