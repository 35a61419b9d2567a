import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example } from '../system/harness.ts';
import { observed } from './observed.ts';

const base = example('anp-product-en.consistent');
const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P1' };
const response = { messageId: 'x1', type: 'RESPONSE', status: { code: 404, message: 'None' }, productInfo: null };

/** The end of a job about the exchange above, unless others are given. */
function observedHere(data: JsonObject) {
  return observed({ exchanges: [{ request, response }], ...data });
}

function withDocument(change: (text: string) => string): JsonObject {
  const text = String(base.agreement.candidateProtocols);
  const candidateProtocols = change(text);
  assert.notEqual(candidateProtocols, text);
  return { ...base, agreement: { ...base.agreement, candidateProtocols } };
}

test('exchanges that satisfy the agreement are clean', async () => {
  const { verdict, messages, findings } = await observedHere(base);
  assert.deepEqual([verdict, messages, findings], ['clean', [], []]);
});

test('a breach of the schema is reported with what was wanted, for any keyword', async () => {
  const closed = withDocument((text) =>
    text.replace('"required": ["messageId", "type", "action"', '"additionalProperties": false, $&'),
  );
  const odd = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', surprise: 1 };
  const { findings } = await observedHere({
    ...closed,
    exchanges: [{ request: odd, response: { ...response, status: 5 } }],
  });
  assert.ok(findings.length > 1);
  for (const { message } of findings) assert.match(message, /^Cannot .+: .+, wanted ./s);
});

test('an exchange that names an unknown case is the job’s own fault', async () => {
  const exchanges = [
    { request, response, testCase: 2 },
    { request, response, testCase: 3 },
  ];
  const { verdict, messages, findings } = await observedHere({ ...base, exchanges });
  assert.deepEqual([verdict, messages], ['error', []]);
  assert.deepEqual(
    findings.map(({ code, pointer }) => [code, pointer]),
    [['JOB_CASE_UNKNOWN', '/exchanges/1/testCase']],
  );
});

for (const [name, code, change] of [
  ['is escaped once more', 'DOCUMENT_TEXT_ESCAPED', (text: string) => JSON.stringify(text).slice(1, -1)],
  [
    'cannot be read',
    'DOCUMENT_SCHEMA_UNREADABLE',
    (text: string) => text.replace('"title": "ProductInfoResponse",', '"title": "ProductInfoResponse",,'),
  ],
  [
    'is one of two',
    'DOCUMENT_REQUEST_AMBIGUOUS',
    (text: string) => {
      const [, schema = ''] = /(\{\s*"\$schema"[\s\S]*?\n\})\n\n## Response/.exec(text) ?? [];
      return text.replace(
        '## Response',
        `## Request Message\nThe request JSON schema is defined as follows:\n${schema.replace('productId', 'articleId')}\n\n## Response`,
      );
    },
  ],
] as const)
  test(`nothing is clean under a schema that ${name}`, async () => {
    const { verdict, findings } = await observedHere(withDocument(change));
    const errors = findings.filter(({ severity }) => severity === 'error').map((one) => one.code);
    assert.deepEqual([verdict, errors.includes(code)], ['disputed', true], errors.join());
  });

test('nothing is clean under an agreement whose base protocol is missing', async () => {
  const { verdict, findings } = await observedHere(example('anp-product-en.base-missing'));
  assert.deepEqual([verdict, findings.map(({ code }) => code)], ['disputed', ['DOCUMENT_BASE_PROTOCOL_MISSING']]);
});

test('an id may be echoed under another name, or in a header, where all cases do so', async () => {
  const schema = '```json\n{"type":"object"}\n```\n';
  const candidateProtocols = `# Requirements\nThe Idempotency-Key comes back in the response.\n\n## Request Message\n${schema}\n## Response Message\n${schema}`;
  const pair = (sent: string, reply: string, key = sent) => ({
    request: { msgId: sent, head: { 'Idempotency-Key': sent } },
    response: { msgId: `of ${sent}`, inReplyTo: reply, head: { 'Idempotency-Key': key } },
  });
  const { agreement, task: _, tools: __, ...rest } = base;
  const placesOf = async (...exchanges: JsonObject[]) => {
    const data = { ...rest, role: 'requester', agreement: { ...agreement, candidateProtocols } };
    const { findings } = await observed({ ...data, testCases: [pair('a1', 'a1'), pair('a2', 'a2')], exchanges });
    return findings.map(({ code, pointer }) => `${code.slice('DOCUMENT_EXCHANGE_'.length)} ${pointer}`);
  };
  assert.deepEqual(await placesOf(pair('b1', 'b1')), []);
  assert.deepEqual(await placesOf(pair('b1', 'b2')), ['ID_NOT_ECHOED /0/response/inReplyTo']);
  assert.deepEqual(await placesOf(pair('b1', 'b1', 'b2')), ['ID_NOT_ECHOED /0/response/head/Idempotency-Key']);
});

test('an answer may have an id of its own, where all cases have one', async () => {
  const schema = '```json\n{"type":"object","properties":{"messageId":{}}}\n```\n';
  const candidateProtocols = `# Requirements\nTell how it goes.\n\n## Request Message\n${schema}\n## Response Message\n${schema}`;
  const { agreement, task: _, tools: __, ...rest } = base;
  const pair = (sent: string, own: string) => ({
    request: { messageId: sent },
    response: { messageId: own, inReplyTo: sent },
  });
  const data = { ...rest, role: 'requester', agreement: { ...agreement, candidateProtocols } };
  const ends = async (...testCases: JsonObject[]) =>
    (await observed({ ...data, testCases, exchanges: [pair('c', 'z')] })).verdict;
  assert.equal(await ends(pair('a', 'x'), pair('b', 'y')), 'clean');
  assert.equal(await ends(pair('a', 'a'), pair('b', 'b')), 'disputed');
  assert.equal(await ends(), 'disputed', 'nothing shows that it is not the one of the request');
  const told = (sent: string, requestId: string) => ({
    request: { messageId: sent, amount: 5 },
    response: { messageId: sent, requestId },
  });
  const again = { ...data, testCases: [told('a', 'bank-1')], exchanges: [told('b', 'bank-2')] };
  assert.equal((await observed(again)).verdict, 'clean');
});

test('a request that breaks the schema as an agreed case does is no fault of the peer, even with another id', async () => {
  const schema = (member: JsonObject) =>
    `\`\`\`json\n${JSON.stringify({ type: 'object', properties: member })}\n\`\`\`\n`;
  const candidateProtocols = `# Requirements\nThe messageId is echoed.\n\n## Request Message\n${schema({ messageId: { type: 'string' }, n: { type: 'integer' } })}\n## Response Message\n${schema({ messageId: { type: 'string' } })}`;
  const pair = (messageId: string | number, n: string | number, more: JsonObject) => ({
    request: { messageId, n },
    response: { messageId, ...more },
  });
  const { agreement, tools: __, ...rest } = base;
  const verdictOf = async (messageId: string | number, n: string) => {
    const testCases = [pair('a1', 1, { is: 1 }), pair('a2', 'x', { error: 'NOT_A_NUMBER' })];
    const exchanges = [pair(messageId, n, { error: 'NOT_A_NUMBER' })];
    const data = { ...rest, tools: [], agreement: { ...agreement, candidateProtocols }, testCases, exchanges };
    return (await observed(data)).verdict;
  };
  assert.equal(await verdictOf('b1', 'x'), 'clean');
  assert.equal(await verdictOf('b1', 'y'), 'disputed');
  assert.equal(await verdictOf(7, 'x'), 'disputed', 'its id breaks the schema, too');
});

test('a peer is told of its own faults, not of ours', async () => {
  const { productId: _, ...broken } = request;
  const exchanges = [{ request: broken, response: { ...response, type: 1 } }];
  const { verdict, messages, findings } = await observedHere({ ...base, exchanges });
  assert.deepEqual([verdict, findings.map(({ severity }) => severity).sort()], ['disputed', ['error', 'warning']]);
  assert.equal(String(messages[0]?.errorDescription).match(/^- /gm)?.length, 1);
});

test('amendments made without the peer’s consent count neither for nor against what it sends', async () => {
  const { task } = example('anp-product-en.requester');
  const data = { ...example('anp-product-en.disputed'), role: 'requester', task, onContradiction: 'amend' };
  assert.equal((await observedHere(data as JsonObject)).verdict, 'disputed');
});

test('an unreadable case removes no amendment', async () => {
  const { task } = example('anp-product-en.requester');
  const { testCases, ...data } = example('anp-product-en.unsupported-peer');
  const text = `${testCases.testCases}\n # Test Case 3\n - **Test Request Data**:\n {oops`;
  const seen = { ...data, role: 'requester', task, testCases: { ...testCases, testCases: text } };
  assert.equal((await observedHere(seen as JsonObject)).verdict, 'clean');
});
