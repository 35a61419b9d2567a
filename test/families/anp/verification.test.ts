import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AgreedCase,
  agreedCases,
  answerVerification,
  frame,
  framedExchange,
  MAX_FRAME_BYTES,
  type ProtocolNegotiation,
  type TestCasesNegotiation,
  unframe,
  verificationRequests,
} from '../../../src/families/anp/door.ts';
import { openFrames } from '../../../src/families/anp/open-frames.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { places, read } from './vectors.ts';

const agreed = (document: string, status: ProtocolNegotiation['status'] = 'accepted'): ProtocolNegotiation => ({
  action: 'protocolNegotiation',
  sequenceId: 1,
  candidateProtocols: document,
  status,
});
const offered = (testCases: string, status: TestCasesNegotiation['status'] = 'accepted'): TestCasesNegotiation => ({
  action: 'testCasesNegotiation',
  testCases,
  status,
});
const plain = (value: Json): Json => JSON.parse(JSON.stringify(value));
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(1));
const returned = (value: Json) => () => ({ end: 'returned', value });

for (const { name, messages, skip } of places)
  for (const language of ['en', 'zh'] as const)
    test(`the specification's cases travel as verification messages (${name}, ${language})`, { skip }, async () => {
      const { cases: wanted } = JSON.parse(read(messages, 'validation.json'))[language];
      const found = agreedCases(
        agreed(read(messages, language, 'candidateProtocols.product-info.full.md')),
        offered(read(messages, language, 'testCases.product-info.md')),
      );
      assert.ok(found.ok);
      assert.deepEqual(
        found.cases.map(({ request, response }) => ({ request, response })),
        wanted.map(({ request, response }: AgreedCase) => ({ request, response })),
      );
      const framed = verificationRequests(found.cases, found.payload);
      assert.ok(framed.ok);
      for (const [index, request] of framed.requests.entries()) {
        assert.deepEqual([request.testCase, request.bytes[0]], [index + 1, 0xc0]);
        assert.deepEqual(JSON.parse(textOf(request.bytes)), wanted[index].request);
        const answer = await answerVerification(request.bytes, (asked) => {
          assert.deepEqual(asked, wanted[index].request);
          return { end: 'returned', value: wanted[index].response };
        });
        assert.ok(answer.ok);
        const exchange = framedExchange(request, answer.bytes);
        assert.equal(exchange.testCase, index + 1);
        assert.deepEqual(openFrames(exchange, 'json'), {
          request: { payload: wanted[index].request },
          response: { payload: wanted[index].response },
        });
      }
    });

test('nothing is verified before both messages are accepted, and no case is passed over', () => {
  const cases =
    '# Test Case 1\n- **Test Request Data**:\n{"a":1}\n- **Test Response Data**:\n{"b":1}\n- **Expected Test Result**: ok\n';
  for (const [agreement, testCases, pointer] of [
    [agreed('# A', 'negotiating'), offered(cases), '/agreement/status'],
    [agreed('# A'), offered(cases, 'rejected'), '/testCases/status'],
  ] as const) {
    const found = agreedCases(agreement, testCases);
    assert.ok(!found.ok);
    assert.deepEqual([found.fault, found.pointer], ['not-accepted', pointer]);
  }
  assert.ok(agreedCases(agreed('# A'), offered(cases)).ok);
  const broken = agreedCases(agreed('# A'), offered(cases.replace('{"b":1}', '{"b":1')));
  assert.ok(!broken.ok && broken.fault === 'cases');
  assert.match(broken.message, /^Cannot .+: .+/);
  assert.deepEqual(agreedCases(agreed('# A'), offered('')), { ok: true, cases: [], payload: 'json' });
});

test('any payload comes back as it went, whatever its kind', async () => {
  const text = fc.string({ unit: 'binary' }).map((each) => each.toWellFormed());
  const payloads = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }).map((value) => ['json', plain(value as Json)] as const),
    text.map((value) => ['text', value] as const),
  );
  await fc.assert(
    fc.asyncProperty(payloads, async ([payload, value]) => {
      const framed = verificationRequests([{ testCase: 7, request: value, response: null }], payload);
      assert.ok(framed.ok);
      const [request] = framed.requests;
      assert.ok(request);
      const answer = await answerVerification(
        request.bytes,
        async (asked) => ({ end: 'returned', value: asked }),
        payload,
      );
      assert.deepEqual(answer, { ok: true, bytes: request.bytes });
      const both = openFrames(framedExchange(request, request.bytes), payload);
      assert.deepEqual(both, { request: { payload: value }, response: { payload: value } });
    }),
  );
});

const good = frame('verification', new TextEncoder().encode('{"a":1}'));
const refused: [what: string, bytes: Uint8Array, run: Parameters<typeof answerVerification>[1], fault: string][] = [
  ['no byte', new Uint8Array(0), returned(1), 'empty'],
  ['too many bytes', new Uint8Array(MAX_FRAME_BYTES + 1), returned(1), 'too-large'],
  ['an application message', frame('application', good.subarray(1)), returned(1), 'type'],
  ['bytes that are no text', Buffer.from([0xc0, 0xff]), returned(1), 'unicode'],
  ['half a JSON value', good.subarray(0, 5), returned(1), 'json'],
  ['a run that throws', good, () => ({ end: 'threw', message: 'Out of stock' }), 'handler'],
  ['a run without a value', good, () => ({ end: 'returned' }), 'handler'],
  ['a run that rejects', good, () => Promise.reject(new Error('no sandbox')), 'handler'],
  ['a run that resolves to nothing', good, () => undefined as never, 'handler'],
  ['a run with a hidden message', good, () => ({ end: 'threw', message: '\u202e\u001b[2J' }), 'handler'],
  ['a run that rejects with nothing', good, () => Promise.reject(undefined), 'handler'],
  ['a value that is no JSON', good, returned(1n as unknown as Json), 'json'],
  ['half a surrogate pair as a text', good, returned('\ud83d'), 'json'],
  ['an answer without end', good, returned('a'.repeat(MAX_FRAME_BYTES)), 'too-large'],
];
for (const [what, bytes, run, wanted] of refused)
  test(`${what}: no answer, but a fault, ${wanted}`, async () => {
    const answer = await answerVerification(bytes, run);
    assert.ok(!answer.ok);
    assert.equal(answer.fault, wanted, answer.message);
    assert.match(answer.message, /^Cannot .+: .+, wanted .+/s);
    assert.doesNotMatch(answer.message, /[\u202e\u001b]/);
  });

test('a text protocol carries texts alone', async () => {
  const framed = verificationRequests([{ testCase: 1, request: { a: 1 }, response: '' }], 'text');
  assert.ok(!framed.ok && framed.fault === 'json');
  const answer = await answerVerification(good, returned({ a: 1 }), 'text');
  assert.ok(!answer.ok && answer.fault === 'json');
});

test('any bytes as frames are opened without a throw', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), fc.constantFrom('json', 'text'), (request, response, payload) => {
      const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
      const opened = openFrames({ request: base64(request), response: base64(response) }, payload);
      for (const [bytes, { payload: value, fault }] of [
        [request, opened.request],
        [response, opened.response],
      ] as const) {
        assert.ok(value !== undefined || fault !== undefined);
        const found = unframe(bytes);
        if (fault === undefined) assert.ok(found.ok && ['verification', 'application'].includes(found.type));
      }
    }),
  );
});
