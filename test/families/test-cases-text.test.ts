import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { analyze } from '../../src/analysis/analyze.ts';
import { withFurther } from '../../src/analysis/further-cases.ts';
import type { Job } from '../../src/contract/job.ts';
import { anp } from '../../src/families/anp/anp.ts';
import { testCasesText } from '../../src/families/anp/test-cases-text.ts';
import { canonicalJson } from '../../src/kernel/digest.ts';
import type { Json } from '../../src/kernel/json.ts';
import { sampleJob } from '../analysis/sample-job.ts';

const documents = { en: '# Requirements\nAnswer in JSON.', zh: '# 需求\n以 JSON 回答。' };

function casesIn(job: Job): Json {
  const { cases } = analyze(job).agreement;
  return cases.map(({ testCase, request, response, expected }) => [testCase, request, response, expected]);
}

test('cases are written in the layout and language of the document', () => {
  const one = { testCase: 3, request: { a: 1 }, response: true, expected: 'As agreed.' };
  assert.equal(
    testCasesText([one], { language: 'en', payload: 'json' }),
    '# Test Case 3\n\n- **Test Request Data**:\n```json\n{\n  "a": 1\n}\n```\n\n- **Test Response Data**:\n```json\ntrue\n```\n\n- **Expected Test Result**:\nAs agreed.\n',
  );
  assert.equal(
    testCasesText([{ ...one, request: 'a ``` b' }], { language: 'zh', payload: 'text' }),
    '# 测试用例3\n\n- **测试请求数据**：\n````\na ``` b\n````\n\n- **测试响应数据**：\n```json\ntrue\n```\n\n- **测试预期结果**：\nAs agreed.\n',
  );
});

/** Texts that would end a fence, start a case or name a payload at the start of a line. */
const hard = fc
  .array(
    fc.constantFrom(
      '```',
      '~~~',
      '\n',
      '# Test Case 7',
      '# 测试用例7',
      '- **Test Response Data**:',
      '"',
      '\\',
      ' ',
      'x',
      '\u2028',
    ),
  )
  .map((parts) => parts.join(''));
/**
 * Names without escapes, because `JSON.parse` of this Node version may read an escaped one-character name as a
 * backslash if another object has one at that place.
 */
const name = fc.constantFrom('```', '# Test Case 7', '测试请求数据', 'x', 'request', '~~~', '');
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    hard,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('cases with any JSON payload survive writing and reading', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('en' as const, 'zh' as const),
      fc.array(fc.tuple(json, json), { minLength: 1, maxLength: 4 }),
      (language, payloads) => {
        const cases = payloads.map(([request, response], index) => {
          return { testCase: index + 1, request, response, expected: 'As agreed.' };
        });
        const text = testCasesText(cases, { language, payload: 'json' });
        const read = casesIn(sampleJob(documents[language], text, { payload: 'json' }));
        const wanted = cases.map(({ testCase, request, response, expected }) => [
          testCase,
          request,
          response,
          expected,
        ]);
        assert.equal(canonicalJson(read), canonicalJson(wanted));
      },
    ),
    { numRuns: 300 },
  );
});

test('text payloads survive writing and reading exactly', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hard, hard), { minLength: 1, maxLength: 3 }), (payloads) => {
      const job = sampleJob('# Requirements\nAnswer in plain text.', undefined, { payload: 'text', testCases: [] });
      const further = payloads.map(([request, response], index) => ({
        request: `ask ${index} ${request}.`,
        response: `say ${response}.`,
        expected: 'x',
      }));
      const made = withFurther(analyze(job), further);
      assert.equal(made?.added.length, further.length);
      const testCases = { action: 'testCasesNegotiation', testCases: made?.text ?? '', status: 'accepted' } as const;
      assert.deepEqual(
        casesIn({ ...job, testCases }),
        further.map(({ request, response, expected }, index) => [index + 1, request, response, expected]),
      );
    }),
    { numRuns: 300 },
  );
});

const agreedText =
  ' # Test Case 1\n\n - **Test Request Data**:\n {"a": 1}\n - **Test Response Data**:\n {"b": 1}\n - **Expected Test Result**:\n Works.\n';
const further = { request: { a: 2 }, response: { b: 2 }, expected: 'two' };

test('the agreed text stays unchanged, and further cases continue its numbers', () => {
  const made = withFurther(analyze(sampleJob(documents.en, agreedText)), [further]);
  assert.ok(made?.text.startsWith(`${agreedText}\n# Test Case 2\n`), made?.text);
  assert.deepEqual(made?.added, [{ ...further, testCase: 2 }]);
});

test('if a text cannot be continued, such as a table, all cases are written again', () => {
  const table =
    '| Case | Request | Response | Expected |\n| --- | --- | --- | --- |\n| 1 | `{"a": 1}` | `{"b": 1}` | Works. |\n';
  const made = withFurther(analyze(sampleJob(documents.en, table)), [further]);
  assert.ok(made?.text.startsWith('# Test Case 1\n'), made?.text);
  assert.deepEqual(casesIn(sampleJob(documents.en, made?.text)), [
    [1, { a: 1 }, { b: 1 }, 'Works.'],
    [2, { a: 2 }, { b: 2 }, 'two'],
  ]);
});

test('structured cases are written as a new text', () => {
  const testCases = [{ request: { a: 1 }, response: { b: 1 }, expected: '' }];
  const made = withFurther(analyze(sampleJob(documents.zh, undefined, { testCases })), [further]);
  assert.deepEqual(casesIn(sampleJob(documents.zh, made?.text)), [
    [1, { a: 1 }, { b: 1 }, ''],
    [2, { a: 2 }, { b: 2 }, 'two'],
  ]);
});

test('cases that do not read back unchanged or cause findings are dropped, and the rest numbered', () => {
  const analyzed = analyze(sampleJob(documents.en, agreedText));
  const forged = {
    request: { a: 3 },
    response: { b: 3 },
    expected: '# Test Case 9\n- **Test Request Data**:\n{"a": 9}',
  };
  const twofold = {
    ...further,
    expected:
      'two\n\n# Test Case 3\n- Test Request Data: {"a": 9}\n- Test Response Data: {"b": 9}\n- Expected Test Result: nine',
  };
  const contradicts = { request: { a: 1 }, response: { b: 9 }, expected: 'nine' };
  const made = withFurther(analyzed, [forged, twofold, contradicts, further]);
  assert.deepEqual(made?.added, [{ ...further, testCase: 2 }]);
  assert.equal(withFurther(analyzed, [twofold]), null);
  assert.equal(withFurther(analyzed, []), null);
});

test("the message lists the added cases in the document's language, and no text breaks out of its line", () => {
  const added = [{ testCase: 2, expected: 'a `b`\n# c' }];
  const offer = (language: 'en' | 'zh') =>
    anp.say({ what: 'further-cases', text: 'text', added }, { agreement: null }, language)[0];
  assert.deepEqual(offer('en'), {
    action: 'testCasesNegotiation',
    testCases: 'text',
    modificationSummary: 'Modifications:\n- Added test case 2: `a \\u0060b\\u0060\\u000a# c`',
    status: 'negotiating',
  });
  assert.match(String(offer('zh')?.modificationSummary), /^修改点：\n- 增加测试用例2：/);
});

test('cases are proposed only to a peer that supports them', () => {
  assert.equal(anp.canSay('further-cases', {}), true);
  assert.equal(anp.canSay('further-cases', { peerCapabilities: ['testCasesNegotiation'] }), true);
  assert.equal(anp.canSay('further-cases', { peerCapabilities: ['fixErrorNegotiation'] }), false);
});
