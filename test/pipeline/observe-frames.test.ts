import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameType } from '../../src/families/anp/door.ts';
import { frame } from '../../src/families/anp/frame.ts';
import { readJob } from '../../src/intake/read-job.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { documentOf } from '../analysis/sample-job.ts';
import { example } from '../system/harness.ts';
import { observed } from './observed.ts';

const base = example('anp-product-en.consistent');
const requester: JsonObject = { ...base, role: 'requester' };
const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P1' };
const response = { messageId: 'x1', type: 'RESPONSE', status: { code: 404, message: 'None' }, productInfo: null };

const bytes = (type: FrameType, text: string) => Buffer.from(frame(type, Buffer.from(text))).toString('base64');
const verification = (value: Json) => bytes('verification', JSON.stringify(value));
const framed = (asked: string, answered: string, more: JsonObject = {}) => ({
  framed: true,
  request: asked,
  response: answered,
  ...more,
});

async function told(exchange: JsonObject, job: JsonObject = requester) {
  const { verdict, findings, messages } = await observed({ ...job, exchanges: [exchange] });
  const places = findings.map(({ code, severity, pointer }) => `${severity} ${code} ${pointer}`);
  return { verdict, places, messages: JSON.stringify(messages) };
}

test('frames say what their payloads say', async () => {
  const exchange = framed(verification(request), verification(response));
  assert.deepEqual(await told(exchange), { verdict: 'clean', places: [], messages: '[]' });
  const other = { ...response, messageId: 'x2', status: 'gone' };
  for (const type of ['verification', 'application'] as const) {
    const { verdict, places } = await told(
      framed(bytes(type, JSON.stringify(request)), bytes(type, JSON.stringify(other))),
    );
    const plain = await told({ request, response: other });
    assert.deepEqual([verdict, places], [plain.verdict, plain.places]);
    assert.equal(verdict, 'disputed');
  }
});

test('an answer that differs from the case it claims is the fault of the peer', async () => {
  const { places, verdict } = await told(
    framed(
      verification({ ...request, messageId: 'msg001', productId: 'P12345' }),
      verification({ ...response, messageId: 'msg001' }),
      { testCase: 1 },
    ),
  );
  assert.equal(verdict, 'disputed');
  assert.ok(places.includes('error DOCUMENT_EXCHANGE_CONTRADICTS_CASE /0/response/status/code'), places.join());
});

const unreadable: Record<string, string> = {
  'no frame': '',
  'a header alone': 'wA==',
  'a message of the meta-protocol': bytes('meta', '{'),
  language: bytes('naturalLanguage', 'Not found'),
  'half a JSON value': bytes('verification', '{"messageId":'),
  'bytes that are no text': Buffer.from([0xc0, 0xff, 0xfe]).toString('base64'),
};
for (const [what, answered] of Object.entries(unreadable))
  test(`${what} in place of an answer is the fault of the peer, in both languages`, async () => {
    const { verdict, places, messages } = await told(framed(verification(request), answered));
    assert.equal(verdict, 'disputed');
    assert.ok(places.includes('error DOCUMENT_EXCHANGE_FRAME_INVALID /0/response'), places.join());
    assert.match(messages, /Response of exchange 1: the frame is not valid: found `.+`, wanted `.+`/);
    const asOurs = await told(framed(verification(request), answered), base);
    assert.equal(asOurs.verdict, 'error', 'an exchange that cannot be compared is not clean');
    assert.ok(asOurs.places.includes('error JOB_INVALID /exchanges/0/response'), asOurs.places.join());
  });

test('an answer of another type than its request is told, and compared all the same', async () => {
  const odd = JSON.stringify({ ...response, status: 'gone' });
  const { verdict, places } = await told(framed(verification(request), bytes('application', odd)));
  assert.equal(verdict, 'disputed');
  assert.deepEqual(places, [
    'error DOCUMENT_EXCHANGE_FRAME_INVALID /0/response',
    'error DOCUMENT_EXCHANGE_VIOLATES_SCHEMA /0/response/status',
  ]);
});

test('frames keep their numbers among other exchanges', async () => {
  const exchanges = [
    { request, response },
    framed(verification(request), 'wA=='),
    framed(verification(request), verification({ ...response, messageId: 'x2' })),
  ];
  const { findings } = await observed({ ...requester, exchanges });
  assert.deepEqual(
    findings.map(({ pointer }) => pointer),
    ['/1/response', '/2/response/messageId'],
  );
});

test('texts travel in frames as they are', async () => {
  const job: JsonObject = {
    ...requester,
    payload: 'text',
    agreement: { ...base.agreement, candidateProtocols: '# Texts\n' },
  };
  const text = { ...job, testCases: [{ request: 'Ask', response: 'Told' }] };
  assert.equal(
    (await told(framed(bytes('verification', 'Ask'), bytes('verification', 'Told'), { testCase: 1 }), text)).verdict,
    'clean',
  );
  assert.equal(
    (await told(framed(bytes('verification', 'Ask'), bytes('verification', '"Told"'), { testCase: 1 }), text)).verdict,
    'disputed',
  );
});

test('frames that are not base64, and frames in a family without them, are faults of the job', () => {
  const faultsOf = (data: JsonObject) => {
    const reading = readJob('observe', data);
    return reading.ok ? [] : reading.faults.map(({ code, pointer }) => `${code} ${pointer}`);
  };
  for (const wrong of ['w', 'wA', 'wA=', 'wB==', 'w A==', '_-==', 5, null, {}])
    assert.deepEqual(
      faultsOf({ ...requester, exchanges: [{ request, response }, framed(verification(request), wrong as string)] }),
      ['JOB_INVALID /exchanges/1/response'],
      String(wrong),
    );
  const agora = {
    version: 1,
    negotiationId: 'n',
    family: 'agora',
    role: 'provider',
    agreement: { document: 'A text.' },
  };
  assert.deepEqual(faultsOf({ ...agora, exchanges: [framed('', '')] }), ['JOB_INVALID /exchanges/0/framed']);
  assert.deepEqual(faultsOf({ ...agora, exchanges: [{ framed: false, request: '', response: '' }] }), []);
});

const URI = 'https://e.org/stock-1';
const content = documentOf(
  { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
  { type: 'object', properties: { code: { type: 'integer' }, item: { type: 'object' } }, required: ['code', 'item'] },
);
const stock = (words: string, testCases: Json[] = []): JsonObject => ({
  ...requester,
  agreement: {
    ...base.agreement,
    candidateProtocols: `# Requirements\nImplemented on the existing protocol (URI: ${URI}).\n${words}`,
  },
  baseProtocols: { [URI]: { content } },
  testCases: [{ request: { sku: 'A1' }, response: { code: 200, item: {} } }, ...testCases],
});
const changed = stock('# Modifications\n- Code 404: gone. In that case item is null.\n');
const gone = { request: { sku: 'B2' }, response: { code: 404, item: null } };

test('an answer that breaks a base schema changed in words, which no case shows, is not blamed for certain', async () => {
  assert.deepEqual(await told(gone, changed), {
    verdict: 'clean',
    places: ['warning DOCUMENT_EXCHANGE_VIOLATES_SCHEMA /0/response/item'],
    messages: '[]',
  });
  assert.equal((await told(gone, stock(''))).verdict, 'disputed');
  const asProvider = { ...changed, role: 'provider' };
  const odd = { request: { article: 'B2' }, response: { code: 200, item: {} } };
  assert.equal((await told(odd, asProvider)).verdict, 'clean');
  assert.equal((await told(odd, { ...stock(''), role: 'provider' })).verdict, 'disputed');
});

test('what a case shows of the change is agreed, and what it shows of the rest still holds', async () => {
  const shown = stock('# Modifications\n- Code 404: gone. In that case item is null.\n', [gone]);
  assert.deepEqual(await told({ request: { sku: 'C3' }, response: { code: 404, item: null } }, shown), {
    verdict: 'clean',
    places: [],
    messages: '[]',
  });
  const { verdict, places } = await told({ ...gone, response: { code: 404, item: {} }, testCase: 2 }, shown);
  assert.equal(verdict, 'disputed');
  assert.deepEqual(places, ['error DOCUMENT_EXCHANGE_CONTRADICTS_CASE /0/response/item']);
});
