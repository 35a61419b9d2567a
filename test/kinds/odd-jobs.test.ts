import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { example, sharedRig } from '../system/harness.ts';
import { solved } from './stored.ts';

const rig = await sharedRig();

const base = example('anp-product-en.consistent');
const error = { action: 'codeGeneration', status: 'error' };

let count = 0;

async function sent(data: JsonObject, kind = 'generate'): Promise<Outcome> {
  count += 1;
  return rig.outcomeOf({ ...data, negotiationId: `odd-${count}` }, { kind });
}

function errorsOf({ findings }: Outcome): string[] {
  return [...new Set(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code))];
}

for (const family of ['smoke-signals', 'ANP'])
  test(`an agreement of the family ${family} is the job’s fault, not a defect`, async () => {
    for (const agreement of [base.agreement, String(base.agreement.candidateProtocols), { any: 1 }]) {
      const outcome = await sent({ ...base, family, agreement });
      assert.deepEqual(
        [outcome.verdict, outcome.messages, errorsOf(outcome)],
        ['error', [error], ['JOB_FAMILY_UNSUPPORTED']],
      );
      assert.equal(outcome.family, family);
    }
    assert.deepEqual((await sent({ ...base, family, agreement: 'text' }, 'review')).messages, []);
  });

test('without cases, a handler cannot be verified', async () => {
  const { job, record } = await solved(rig, 'odd-verify');
  const empty = { ...(job.testCases as JsonObject), testCases: '' };
  for (const testCases of [[], empty]) {
    const outcome = await sent({ ...job, testCases, handlerDigest: record.digest }, 'verify');
    assert.deepEqual([outcome.verdict, outcome.messages, errorsOf(outcome)], ['error', [error], ['JOB_INVALID']]);
    assert.equal(outcome.report.verification, null);
  }
});

test('cases of a requester without an example of the task are not run, and the report does not say so', async () => {
  const job = example('anp-product-en.requester');
  const outcome = await sent({ ...job, task: { ...(job.task as JsonObject), examples: [] } });
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.deepEqual([outcome.report.verification, outcome.report.cases], ['schema-only', []]);
});

test('exchanges cannot be clean under an unusable schema', async () => {
  const { agreement } = base;
  const candidateProtocols = String(agreement.candidateProtocols).replace('"type": "object"', '"type": "objekt"');
  const data = {
    ...base,
    agreement: { ...agreement, candidateProtocols },
    exchanges: [{ request: 1, response: 2 }],
  };
  const outcome = await sent(data, 'observe');
  assert.deepEqual([outcome.verdict, errorsOf(outcome)], ['disputed', ['DOCUMENT_SCHEMA_INVALID']]);
  assert.deepEqual(
    outcome.messages.map(({ action, status }) => [action, status]),
    [['fixErrorNegotiation', 'negotiating']],
  );
});

/** The base document with a pattern for product ids. */
function withPattern(pattern: string): JsonObject {
  const text = String(base.agreement.candidateProtocols);
  const candidateProtocols = text.replace(
    /"productId": \{(\s*)"type": "string",/,
    (_, space) => `"productId": {${space}"type": "string",${space}"pattern": ${JSON.stringify(pattern)},`,
  );
  assert.notEqual(candidateProtocols, text);
  return { ...base, agreement: { ...base.agreement, candidateProtocols } };
}

test('a case that breaks a pattern with look-around is disputed; one that matches it causes a warning', async () => {
  const broken = await sent(withPattern('^(?!P).*$'), 'review');
  assert.equal(broken.verdict, 'disputed');
  const finding = broken.findings.find(({ severity }) => severity === 'error');
  assert.deepEqual(
    [finding?.code, finding?.in, finding?.testCase, finding?.pointer],
    ['DOCUMENT_CASE_VIOLATES_SCHEMA', 'request', 1, '/productId'],
  );
  const kept = await sent(withPattern('^(?=P).*$'), 'review');
  assert.deepEqual(
    [kept.verdict, kept.findings.map(({ code, severity }) => [code, severity])],
    ['clean', [['DOCUMENT_PATTERN_UNSUPPORTED', 'warning']]],
  );
});

test('exchanges are not checked against a pattern with look-around, and a warning says so', async () => {
  const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P1' };
  const response = {
    messageId: 'x1',
    type: 'RESPONSE',
    status: { code: 404, message: 'Not found' },
    productInfo: null,
  };
  const outcome = await sent({ ...withPattern('^(?!P).*$'), exchanges: [{ request, response }] }, 'observe');
  assert.deepEqual(
    [outcome.verdict, outcome.findings.map(({ code, severity }) => [code, severity])],
    ['clean', [['DOCUMENT_PATTERN_UNSUPPORTED', 'warning']]],
  );
});

test('a pattern that backtracks without end stays unchecked, and a warning says so', async () => {
  const job = withPattern('^(?=P)((\\w|\\w)+)+!$');
  const testCases = {
    ...base.testCases,
    testCases: String(base.testCases.testCases).replaceAll('P12345', `P${'1'.repeat(60)}`),
  };
  const outcome = await sent({ ...job, testCases, timeoutMs: 60_000 }, 'review');
  assert.equal(outcome.verdict, 'clean', JSON.stringify(outcome.findings));
  assert.ok(outcome.findings.some(({ code }) => code === 'DOCUMENT_PATTERN_UNSUPPORTED'));
});

test('many faulty exchanges make a small outcome', async () => {
  const exchanges = Array.from({ length: 2_000 }, (_, n) => ({ request: { n }, response: { status: n, type: n } }));
  const outcome = await sent({ ...base, role: 'requester', task: taskOf(), exchanges }, 'observe');
  assert.equal(outcome.verdict, 'disputed');
  assert.ok(errorsOf(outcome).includes('DOCUMENT_FINDINGS_TOO_MANY'));
  assert.ok(JSON.stringify(outcome).length < 300_000, `${JSON.stringify(outcome).length} characters`);
});

function taskOf(): JsonObject {
  return example('anp-product-en.requester').task as JsonObject;
}

test('exchanges are checked against the agreement as its handler is: amended where the peer cannot be told', async () => {
  const { task } = example('anp-product-en.requester');
  const request = { messageId: 'x1', type: 'REQUEST', action: 'getProductInfo', productId: 'P1' };
  const response = { messageId: 'x1', type: 'RESPONSE', status: { code: 404, message: 'None' }, productInfo: null };
  const data = { ...example('anp-product-en.disputed'), role: 'requester', task, exchanges: [{ request, response }] };
  const peerCapabilities = ['codeGeneration'];
  const untold = await sent({ ...data, peerCapabilities } as JsonObject, 'observe');
  assert.deepEqual([untold.verdict, untold.messages, errorsOf(untold)], ['clean', [], []]);
  const told = await sent(data as JsonObject, 'observe');
  assert.deepEqual([told.verdict, errorsOf(told)], ['disputed', ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA']]);
  const wrong = { ...response, status: null };
  const broken = await sent(
    { ...data, peerCapabilities, exchanges: [{ request, response: wrong }] } as JsonObject,
    'observe',
  );
  assert.deepEqual(
    [broken.verdict, broken.messages, errorsOf(broken)],
    ['error', [], ['DOCUMENT_EXCHANGE_VIOLATES_SCHEMA']],
  );
});
