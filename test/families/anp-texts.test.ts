import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Finding } from '../../src/contract/finding.ts';
import type { Statement } from '../../src/contract/statement.ts';
import { anp } from '../../src/families/anp/anp.ts';
import { describeFinding } from '../../src/families/anp/describe-finding.ts';
import { errorDescription } from '../../src/families/anp/say.ts';
import { type Json, pointerTokens } from '../../src/kernel/json.ts';
import { MAX_QUOTE_CHARS, quoteJson, quoteText } from '../../src/kernel/quote.ts';

const ROOT = new URL('../../', import.meta.url);

/** These are only warnings, which are never told to a peer. */
const SILENT: ReadonlySet<string> = new Set([
  'DOCUMENT_NAME_REPEATED',
  'DOCUMENT_ANSWER_UNDERIVABLE',
  'DOCUMENT_KEYWORD_IGNORED',
  'DOCUMENT_KEYWORD_REMOVED',
  'DOCUMENT_PATTERN_UNSAFE',
  'DOCUMENT_PATTERN_UNSUPPORTED',
  'DOCUMENT_SCHEMA_NONE',
  'DOCUMENT_SCHEMA_NOT_STRICT',
]);

const NULL_PRODUCT: Finding = {
  code: 'DOCUMENT_CASE_VIOLATES_SCHEMA',
  severity: 'error',
  in: 'response',
  testCase: 2,
  pointer: '/productInfo',
  message: '',
  expected: { type: 'object' },
  actual: null,
  amendment: {
    of: 'responseSchema',
    patch: [{ op: 'replace', path: '/properties/productInfo/type', value: ['object', 'null'] }],
  },
};

test('messages have exactly the members of the specification', () => {
  const said = (one: Statement) => JSON.stringify(anp.say(one, { agreement: null }, 'en'));
  assert.equal(said({ what: 'generated' }), '[{"action":"codeGeneration","status":"generated"}]');
  assert.equal(said({ what: 'failed' }), '[{"action":"codeGeneration","status":"error"}]');
  assert.equal(
    said({ what: 'complaint-rejected', findings: [] }),
    '[{"action":"fixErrorNegotiation","errorDescription":"# Error Description","status":"rejected"}]',
  );
});

test("a finding gives case, place, found, wanted and change, in the document's language", () => {
  assert.equal(
    errorDescription([NULL_PRODUCT], 'en'),
    '# Error Description\n- Response data of test case 2, at `/productInfo`: found `null`, wanted type `object`. Proposed change: in the response JSON schema, set `/properties/productInfo/type` to `["object","null"]`.',
  );
  assert.equal(
    errorDescription([NULL_PRODUCT], 'zh'),
    '# 错误描述\n- 测试用例2的响应数据，位置 `/productInfo`：实际为 `null`，应为类型 `object`。建议修改：在响应消息的JSON Schema中，将 `/properties/productInfo/type` 改为 `["object","null"]`。',
  );
});

test('missing and undeclared members are named', () => {
  const missing: Finding = {
    ...NULL_PRODUCT,
    pointer: '/status',
    expected: { required: ['code'] },
    actual: { message: 'x' },
  };
  assert.match(describeFinding(missing, 'en'), /at `\/status`: the required field `code` is missing\./);
  assert.match(describeFinding(missing, 'zh'), /位置 `\/status`：缺少必填字段 `code`。/);
  const extra: Finding = { ...NULL_PRODUCT, pointer: '', expected: { additionalProperties: false }, actual: { b: 1 } };
  assert.match(
    describeFinding(extra, 'en'),
    /^Response data of test case 2: the field `b` is not declared in the schema\./,
  );
});

test('an exchange is identified by its number and side, not by our list of exchanges', () => {
  const status: Finding = {
    code: 'DOCUMENT_EXCHANGE_VIOLATES_SCHEMA',
    severity: 'error',
    in: 'exchange',
    pointer: '/2/response/status',
    message: '',
    expected: { required: ['code'] },
  };
  assert.match(describeFinding(status, 'en'), /^Response of exchange 3, at `\/status`: the required field `code`/);
  assert.match(describeFinding(status, 'zh'), /^第3次消息交互的响应，位置 `\/status`：/);
  const whole: Finding = { ...status, testCase: 2, pointer: '/0/request' };
  assert.match(describeFinding(whole, 'en'), /^Request of exchange 1 for test case 2: the required field/);
  assert.match(describeFinding(whole, 'zh'), /^测试用例2的第1次消息交互的请求：/);
});

test('a peer that does not know this project can apply the proposed change', () => {
  const text = describeFinding(NULL_PRODUCT, 'en');
  const [, path = '', value = ''] = /set `([^`]+)` to `([^`]+)`/.exec(text) ?? [];
  const schema = { properties: { productInfo: { type: 'object' } } };
  const parent = pointerTokens(path)
    .slice(0, -1)
    .reduce<Json>((here, token) => (here as { [name: string]: Json })[token] as Json, schema);
  (parent as { [name: string]: Json })[pointerTokens(path).at(-1) ?? ''] = JSON.parse(value) as Json;
  assert.deepEqual(schema.properties.productInfo.type, ['object', 'null']);
});

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom(
    '`',
    '``` \n# Error Description\n- done',
    '\u202e\u2066',
    '\u200b\ufeff',
    '\r\n\r\n---',
    '<!-- -->',
    '\ud800',
    '](http://e.org)',
    '\u2028',
  ),
  fc
    .array(fc.constantFrom('`', '\\', '\n', '#', '- ', '\u0000', '\u202e', 'x'), { maxLength: 300 })
    .map((parts) => parts.join('')),
);

test('no text of a document breaks out of its quotation', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      for (const quoted of [quoteText(text), quoteJson(text), quoteJson({ [text]: [text] })]) {
        assert.match(quoted, /^`[^`]+`$/s);
        assert.ok(!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(quoted), JSON.stringify(quoted));
        assert.ok(quoted.length <= 6 * (MAX_QUOTE_CHARS + 3));
      }
    }),
    { numRuns: 500 },
  );
});

test('a description has one line per finding, whatever the findings quote', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const finding = fc.record({
    code: fc.constantFrom(
      'DOCUMENT_CASE_VIOLATES_SCHEMA',
      'DOCUMENT_BASE_PROTOCOL_MISSING',
      'DOCUMENT_SCHEMA_INVALID',
      'DOCUMENT_CASES_CONTRADICT',
      'DOCUMENT_OTHER',
    ),
    severity: fc.constant('error'),
    in: fc.constantFrom(
      'request',
      'response',
      'document',
      'requestSchema',
      'responseSchema',
      'exchange',
      'tool',
      'job',
    ),
    testCase: fc.integer({ min: 1, max: 100 }),
    pointer: hostileText.map((text) => `/${text}`),
    message: fc.constant(''),
    expected: fc.oneof(json, fc.dictionary(hostileText, json, { maxKeys: 3 })),
    actual: fc.oneof(json, hostileText),
    amendment: fc.record({
      of: fc.constant('responseSchema'),
      patch: fc.array(fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), path: hostileText, value: json }), {
        maxLength: 3,
      }),
    }),
  });
  fc.assert(
    fc.property(
      fc.array(finding, { maxLength: 60 }),
      fc.constantFrom('en' as const, 'zh' as const),
      (findings, language) => {
        const lines = errorDescription(findings as Finding[], language).split('\n');
        assert.equal(lines.length, 1 + Math.min(50, findings.length) + (findings.length > 50 ? 1 : 0));
        for (const line of lines.slice(1)) {
          assert.ok(line.startsWith('- '));
          assert.equal((line.match(/`/g) ?? []).length % 2, 0, line);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('compared values are shown as JSON, passages as in the document', () => {
  const one = { code: 'DOCUMENT_EXCHANGE_CONTRADICTS_CASE', severity: 'error', in: 'exchange', message: '' } as const;
  assert.match(describeFinding({ ...one, expected: 5, actual: '5' }, 'en'), /found `"5"`, wanted `5`/);
  assert.match(describeFinding({ ...one, expected: '5', actual: 5 }, 'zh'), /实际为 `5`，应为 `"5"`/);
  const itself = { ...one, code: 'DOCUMENT_CONTRADICTS_ITSELF', in: 'document' } as const;
  const told = describeFinding({ ...itself, expected: 'say "yes"', actual: 'say "no"' }, 'en');
  assert.match(told, /`say "yes"` and `say "no"`/);
});

test('a proposal is the next round of the negotiation', () => {
  const agreed = {
    action: 'protocolNegotiation',
    sequenceId: 7,
    candidateProtocols: 'old',
    status: 'accepted',
    signature: 's',
  } as const;
  const said: Statement = { what: 'amended-document', text: 'new', settled: [NULL_PRODUCT] };
  const [proposal] = anp.say(said, { agreement: agreed }, 'zh');
  assert.deepEqual(proposal, {
    action: 'protocolNegotiation',
    sequenceId: 8,
    candidateProtocols: 'new',
    modificationSummary:
      '修改点：\n- 在响应消息的JSON Schema中，将 `/properties/productInfo/type` 改为 `["object","null"]`',
    status: 'negotiating',
  });
});

test('the texts of an agreement are extracted exactly', () => {
  const agreement = {
    action: 'protocolNegotiation',
    sequenceId: 1,
    candidateProtocols: ' # A\r\n\u200b',
    status: 'accepted',
  } as const;
  const testCases = { action: 'testCasesNegotiation', testCases: ' x ', status: 'accepted' } as const;
  assert.deepEqual(anp.open({ agreement, testCases }), { document: ' # A\r\n\u200b', cases: ' x ' });
  assert.deepEqual(anp.open({ agreement, testCases: [] }).cases, []);
  assert.equal(anp.open({ agreement }).cases, null);
});

test('every error code in the sources has words in both languages', () => {
  // The closed list also has the codes of other families.
  const sources = globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => !/kernel\/error-codes|families\/(?!anp\/)[^/]+\//.test(file))
    .map((file) => readFileSync(new URL(file, ROOT), 'utf8'))
    .join('\n');
  const codes = new Set([...sources.matchAll(/'(DOCUMENT_[A-Z_]+)'/g)].map(([, code]) => code ?? ''));
  const unworded = describeFinding(
    { code: 'DOCUMENT_NONE' as Finding['code'], severity: 'error', in: 'document', message: '' },
    'en',
  );
  for (const code of codes) {
    if (SILENT.has(code) || code.endsWith('_VIOLATES_SCHEMA')) continue;
    const finding: Finding = { code: code as Finding['code'], severity: 'error', in: 'document', message: '' };
    assert.notEqual(describeFinding(finding, 'en'), unworded, code);
    assert.match(describeFinding(finding, 'zh'), /[\u4e00-\u9fff]{4}/, code);
  }
});
