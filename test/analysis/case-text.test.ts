import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Case } from '../../src/contract/agreement.ts';
import { sampleJob } from './sample-job.ts';

function read(text: string, prose = 'Answer in JSON.'): { cases: Case[]; codes: string[] } {
  const analyzed = analyze(sampleJob(`# Requirements\n${prose}`, text));
  for (const { requestSpan, responseSpan, request, response } of analyzed.agreement.cases) {
    const valueIn = (span?: { start: number; end: number }) =>
      JSON.parse(text.slice(span?.start, span?.end).replaceAll('\\|', '|'));
    if (typeof request !== 'string') assert.deepEqual(valueIn(requestSpan), request);
    if (typeof response !== 'string') assert.deepEqual(valueIn(responseSpan), response);
  }
  const codes = preflight(analyzed)
    .map(({ code, severity }) => `${severity} ${code}`)
    .filter((code) => code.includes('CASE') && !code.includes('CONTRADICT'));
  return { cases: analyzed.agreement.cases, codes };
}

const FORMS: Record<string, string> = {
  'with a byte order mark':
    '\ufeff# Test Case 1\n- Test Request Data:\n{"a": 1}\n- Test Response Data:\n{"b": [2]}\n- Expected Test Result: Works.\n',
  'as in the ANP text':
    ' # Test Case 1\n\n - **Test Request Data**:\n {\n   "a": 1\n }\n\n - **Test Response Data**:\n {"b": [2]}\n\n - **Expected Test Result**:\n Works.\n',
  'as in the Chinese ANP text':
    ' # 测试用例1\n\n - **测试请求数据**：\n {\n   "a": 1\n }\n\n - **测试响应数据**：\n {"b": [2]}\n\n - **测试预期结果**：\n Works.\n',
  fenced:
    '## Test Case 1\n**Test Request Data**:\n```json\n{"a": 1}\n```\n**Test Response Data**:\n```json\n{"b": [2]}\n```\n**Expected Test Result**: Works.',
  'in italics':
    '# Test Case 1\n- _Test Request Data_:\n```\n{"a": 1}\n```\n- *Test Response Data:*\n```\n{"b": [2]}\n```\n- _Expected Test Result:_ Works.',
  'not bold': 'Test Case 1:\nTest Request Data: {"a": 1}\nTest Response Data: {"b": [2]}\nExpected Test Result: Works.',
  'with the colon inside the bold':
    '# Test Case 1\n- **Test Request Data:**\n{"a":1}\n- **Test Response Data:**\n{"b":[2]}\n- **Expected Test Result:** Works.',
  'as headings':
    '# Test Case 1\n### Test Request Data\n{"a":1}\n### Test Response Data\n{"b":[2]}\n### Expected Test Result\nWorks.',
  'with a title': '### Test Case 1: the usual\n1. Request: {"a":1}\n2. Response: {"b":[2]}\n3. Expected: Works.',
  'with a title over all':
    '# Test Cases\n\n## Test Case 1\n- Request Data:\n{"a":1}\n- Response Data:\n{"b":[2]}\n- Expected Result:\nWorks.',
  'with a Chinese title over all':
    '# 测试用例\n\n## 测试用例1：正常\n- 请求数据：\n{"a":1}\n- 响应数据：\n{"b":[2]}\n- 预期结果：\nWorks.',
  'with full-width and Chinese numerals':
    '# 测试用例１\n测试请求数据：{"a":1}\n测试响应数据：{"b":[2]}\n测试预期结果：Works.',
  'numbered in words': '# 测试用例一\n测试请求数据：{"a":1}\n测试响应数据：{"b":[2]}\n测试预期结果：Works.',
  'with words before the data':
    '# Test Case 1\n- Test Request Data:\nThe client sends:\n{"a":1}\n- Test Response Data:\nThe server says {"b":[2]} then, see [1].\n- Expected Test Result:\nWorks.',
  'with Windows line ends':
    '# Test Case 1\r\n- **Test Request Data**:\r\n```json\r\n{"a":1}\r\n```\r\n- **Test Response Data**:\r\n{"b":[2]}\r\n- **Expected Test Result**:\r\nWorks.\r\n',
  'in another order':
    '# Test Case 1\n- Expected Test Result: Works.\n- Test Response Data: {"b":[2]}\n- Test Request Data: {"a":1}\n',
  'with an expected response':
    '### TC-01\n**Request (JSON):**\n```json\n{"a":1}\n```\n**Expected Response:**\n```json\n{"b":[2]}\n```\n**Expected Result:** Works.',
  'with words in its labels':
    '# Test Case #1\nTest request data is as follows:\n`{"a":1}`\nTest response message body:\n`{"b":[2]}`\nExpected outcome: Works.',
  'with words in its Chinese labels':
    '## 测试用例-1\n测试请求数据如下：\n{"a":1}\n预期响应数据为：\n{"b":[2]}\n预期结果：Works.',
  'with numbers of two digits':
    '## Test_Case_01 - the usual\n1) Input data: {"a":1}\n2) Output data: {"b":[2]}\n3) Expected result: Works.',
  'as the row of a table':
    '# Cases\n\n| No. | Test Request Data | Test Response Data | Expected Test Result |\n|---|:--|:--|---|\n| 1 | `{"a": 1}` | `{"b": [2]}` | Works. |\n',
  'as the row of a Chinese table':
    '| 编号 | 测试请求数据 | 测试响应数据 | 预期结果 |\n| --- | --- | --- | --- |\n| 用例一 | {"a": 1} | {"b": [2]} | Works. |\n',
  'as a table of its own':
    '## Test Case 1\n\n| | |\n|---|---|\n| **Request** | `{"a": 1}` |\n| **Response** | `{"b": [2]}` |\n\nExpected: Works.',
  'as a story':
    '# Scenario 1: the usual\n**Given** a stock of {"c": 3}\n**When** the client sends\n```json\n{"a": 1}\n```\n**Then** the server answers\n```json\n{"b": [2]}\n```\n**Expected**: Works.',
  'in a list between fences': '# Cases\n```json\n[{"request":{"a":1},"response":{"b":[2]},"expected":"Works."}]\n```\n',
  'in a list under a name':
    'All of them:\n{"testCases": [{"number": 1, "input": {"a": 1}, "expectedOutput": {"b": [2]}, "expectedResult": "Works."}]}',
  'as an object under its heading':
    '# Test Case 1\n```json\n{"request": {"a": 1}, "response": {"b": [2]}, "expected": "Works."}\n```\n',
  'in German':
    '# Testfall 1\n- **Testanfrage**:\n{"a":1}\n- **Erwartete Antwort**:\n{"b":[2]}\n- **Erwartetes Ergebnis**: Works.',
  'in French':
    '# Cas de test n° 1\n- **Données de la requête** :\n{"a":1}\n- **Données de réponse** :\n{"b":[2]}\n- **Résultat attendu** : Works.',
  'in Spanish':
    '# Caso de prueba 1\n- **Datos de la solicitud**:\n{"a":1}\n- **Respuesta**:\n{"b":[2]}\n- **Resultado esperado de la prueba**: Works.',
  'in Portuguese':
    '# Caso de teste 1\n- **Dados da requisição**:\n{"a":1}\n- **Dados da resposta**:\n{"b":[2]}\n- **Resultado esperado**: Works.',
  'in Italian':
    '# Caso di test 1\n- **Dati della richiesta**:\n{"a":1}\n- **Dati della risposta**:\n{"b":[2]}\n- **Risultato atteso**: Works.',
  'in Dutch': '# Testgeval 1\n- **Verzoek**:\n{"a":1}\n- **Antwoord**:\n{"b":[2]}\n- **Verwacht resultaat**: Works.',
  'in Japanese':
    '# テストケース1\n- **リクエストデータ**：\n{"a":1}\n- **レスポンスデータ**：\n{"b":[2]}\n- **期待される結果**：Works.',
  'in Korean': '# 테스트 케이스 1\n- **요청 데이터**:\n{"a":1}\n- **응답 데이터**:\n{"b":[2]}\n- **예상 결과**: Works.',
  'in Russian':
    '# Тест-кейс №1\n- **Данные запроса**:\n{"a":1}\n- **Данные ответа**:\n{"b":[2]}\n- **Ожидаемый результат**: Works.',
  'in a sentence': '# Test Case 1\nWhen the client sends `{"a":1}`, then the server answers `{"b":[2]}`.\n',
  'by an arrow': 'Test Case 1: `{"a": 1}` → `{"b": [2]}`',
  'by an arrow alone': '- the usual: `{"a": 1}` => `{"b": [2]}`',
  'as two blocks': '## Case 1\n```json\n{"a": 1}\n```\n```json\n{"b": [2]}\n```\n',
  'as what is sent and what comes back': '# Test Case 1\nThe client sends:\n{"a":1}\nThe server answers:\n{"b":[2]}',
  'with its answer first': '# Test Case 1\nThe answer {"b":[2]} comes of the request {"a":1}.',
  'in labels of other words': '# Test Case 1\n- **Request sent**: {"a":1}\n- **Response expected**: {"b":[2]}\n',
  'in a table without bars around it': 'Case | Request | Response\n--- | --- | ---\n1 | `{"a":1}` | `{"b":[2]}`\n',
  'as messages of HTTP':
    '# Test Case 1\n- Request:\n```http\nPOST /a HTTP/1.1\nAccept: */*\n\n{"a":1}\n```\n- Response:\n```http\nHTTP/1.1 200 OK\n\n{"b":[2]}\n```\n',
  'under its name': '{"the usual": {"request": {"a": 1}, "response": {"b": [2]}}}',
  'under a shorter word':
    '## Test 1: the usual\n**Request**\n{"a":1}\n**Response**\n{"b":[2]}\n**Expected result**: Works.',
  'under a shorter Japanese word': '## テスト1: 通常\n要求：\n{"a":1}\n応答：\n{"b":[2]}\n期待されるテスト結果：Works.',
  'under a shorter Chinese word': '## 测试 1\n请求：{"a":1}\n响应：{"b":[2]}\n预期结果：Works.',
  'in French, as another would say':
    '# Test n° 1\n- **Données de requête** :\n{"a":1}\n- **Données de réponse** :\n{"b":[2]}\n- **Résultat de test attendu** : Works.',
  'in Spanish, as another would say':
    '# Prueba 1\n- **Datos de entrada**:\n{"a":1}\n- **Datos de salida**:\n{"b":[2]}\n- **Resultado previsto**: Works.',
  'behind pictures':
    '## ✅ Test Case 1 – the usual\n- 📨 **Request**:\n{"a":1}\n- 📬 **Response**:\n{"b":[2]}\n- ✔️ **Expected result**: Works.',
  'in a fold':
    '<details>\n<summary>Test Case 1</summary>\n\n**Request**\n```json\n{"a":1}\n```\n**Response**\n```json\n{"b":[2]}\n```\n\n</details>\n',
  'in block quotes':
    '# Test Case 1\n> **Request**\n> ```json\n> {"a": 1}\n> ```\n\n> **Response**\n> ```\n> {"b": [2]}\n> ```\n\n**Expected**: Works.',
  'as a JSON array': '[{"request":{"a":1},"response":{"b":[2]},"expected":"Works."}]',
};

for (const [form, text] of Object.entries(FORMS)) {
  test(`a case is read ${form}`, () => {
    const { cases, codes } = /"request":|"input":/.test(text) ? readStructured(text) : read(text);
    assert.deepEqual(codes, []);
    assert.deepEqual(
      cases.map(({ testCase, request, response, expected }) => ({ testCase, request, response, expected })),
      [{ testCase: 1, request: { a: 1 }, response: { b: [2] }, expected: text.includes('Works.') ? 'Works.' : '' }],
    );
  });
}

function readStructured(text: string): { cases: Case[]; codes: string[] } {
  const analyzed = analyze(sampleJob('', text));
  return {
    cases: analyzed.agreement.cases,
    codes: preflight(analyzed)
      .map(({ code }) => code)
      .filter((code) => code.includes('CASE')),
  };
}

test('an outline of the cases, above or below them, contains no cases', () => {
  const titles = '- Test case 1: the usual\n- Test case 2: another\n\n';
  const each = (n: number) =>
    `## Test Case ${n}\n- Request: {"a": ${n}}\n- Response: {"b": ${n}}\n- Expected: Works.\n\n`;
  for (const text of [titles + each(1) + each(2), each(1) + each(2) + titles]) {
    const { cases, codes } = read(text);
    assert.deepEqual(codes, []);
    assert.deepEqual(
      cases.map(({ testCase, expected }) => [testCase, expected]),
      [
        [1, 'Works.'],
        [2, 'Works.'],
      ],
    );
  }
  assert.deepEqual(read(`${each(1)}# Test Case 2\n\n${each(2)}`).codes, [
    'error DOCUMENT_CASE_INCOMPLETE',
    'error DOCUMENT_CASE_INCOMPLETE',
    'error DOCUMENT_CASE_NUMBER_REPEATED',
  ]);
  assert.ok(read(`${titles}- Test Case 3\n\n${each(1)}${each(2)}`).codes.includes('error DOCUMENT_CASE_INCOMPLETE'));
});

test('a shorter word starts no case if cases have a longer name', () => {
  const text =
    '# Test Case 1\nTest 1 - of two:\n- Request: {"a":1}\n- Response: {"b":2}\n- Expected:\nTest 1: passes\n**Test 2** is like it.\n';
  const { cases, codes } = read(text);
  assert.deepEqual([codes, cases.length], [[], 1]);
  assert.equal(cases[0]?.expected, 'Test 1: passes\n**Test 2** is like it.');
});

test('texts in a table are read unchanged, and a bar inside one does not separate cells', () => {
  const { cases, codes } = read(
    '| Case | Request | Response |\n|---|---|---|\n| 1 | `SUM 1 2` | OK 3 |\n| 2 | `A|B` | `ERR` |\n',
    'Answer in plain text.',
  );
  assert.deepEqual(codes, []);
  assert.deepEqual(
    cases.map(({ request, response }) => [request, response]),
    [
      ['SUM 1 2', 'OK 3'],
      ['A|B', 'ERR'],
    ],
  );
});

test('bars that a table escapes are bars in its JSON', () => {
  for (const [open, close] of [
    ['', ''],
    ['`', '`'],
  ]) {
    const { cases, codes } = read(
      `| Case | Request | Response |\n|---|---|---|\n| 1 | ${open}{"a":"x\\|y"}${close} | ${open}{"b":["\\|"]}${close} |\n`,
    );
    assert.deepEqual([codes, cases[0]?.request, cases[0]?.response], [[], { a: 'x|y' }, { b: ['|'] }]);
  }
});

test('a table may have a column for each case', () => {
  const { cases, codes } = read(
    '| | Case 1 | Case 2 |\n|---|---|---|\n| **Request** | {"a":1} | `{"a":2}` |\n| **Response** | {"b":1} | {"b":2} |\n',
  );
  assert.deepEqual(codes, []);
  assert.deepEqual(
    cases.map(({ testCase, request, response }) => [testCase, request, response]),
    [
      [1, { a: 1 }, { b: 1 }],
      [2, { a: 2 }, { b: 2 }],
    ],
  );
});

test('step words of a story mean nothing next to labels', () => {
  const { cases, codes } = read(
    '# Test Case 1\n- Request: {"a":1}\n- Response: {"b":2}\n- Expected Result:\nWhen it is {"a":1},\nthen it is {"b":2}.\n',
  );
  assert.deepEqual(codes, []);
  assert.equal(cases.length, 1);
});

test('unlabelled values make a case only in pairs', () => {
  for (const [text, code] of [
    ['# Test Case 1\n{"a":1}\n', 'INCOMPLETE'],
    ['# Test Case 1\n{"a":1} {"b":2} {"c":3}\n', 'INCOMPLETE'],
    ['# Test Case 1\n{"a":1} {"b":2}\n# Test Case 2\n{"a":1}', 'INCOMPLETE'],
    ['# Test Case 1\n- Request: {"a":1}\n- Response: {"b":2,}\n', 'UNREADABLE'],
    ['# Test Case 1\n- Request: {"a":1} {"b":2,}\n', 'UNREADABLE'],
  ] as const)
    assert.ok(read(text).codes.includes(`error DOCUMENT_CASE_${code}`), text);
  for (const text of ['{"a":1}, {"b":2}', '{"a":1} → {"b":2} {"c":3}', '{"a":1} → {"b":2} and {"c":3} {"d":4}'])
    assert.deepEqual(read(text).codes, ['error DOCUMENT_CASES_UNREADABLE'], text);
});

test('an incomplete table or list is not a case', () => {
  assert.deepEqual(read('| Request | Response |\n|---|---|\n| {"a":1} | |\n').codes, [
    'warning DOCUMENT_CASE_NUMBER_MISSING',
    'error DOCUMENT_CASE_INCOMPLETE',
  ]);
  assert.deepEqual(read('```json\n[{"request":{}},{"request":{},"response":{}}]\n```').codes, [
    'error DOCUMENT_CASES_UNREADABLE',
  ]);
});

test('labels and headings inside data are data', () => {
  const inside =
    '# Test Case 1\n- Test Request Data:\n```text\n# Test Case 2\nTest Response Data:\n```\n- Test Response Data:\n```text\nok\n```\n- Expected Test Result:\nResponse: is ok\n';
  const { cases, codes } = read(inside);
  assert.deepEqual(codes, []);
  assert.equal(cases[0]?.request, '# Test Case 2\nTest Response Data:');
  assert.equal(cases[0]?.expected, 'Response: is ok');
  const multiline = '# Test Case 1\n- Request:\n{\n"Response": 1,\n"x":\n2}\n- Response: {}\n';
  assert.deepEqual(read(multiline).cases[0]?.request, { Response: 1, x: 2 });
});

test('an unreadable case is a finding, and the other cases are kept', () => {
  const good = (number: number) => `# Test Case ${number}\n- Request: {"n":${number}}\n- Response: {}\n`;
  const broken: [string, string[]][] = [
    ['# Test Case 2\n- Request: {"n":1,}\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: {"n":1\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request:\n```json\n{"n":1 // one\n}\n```\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: as above\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: {"n":1} {"n":2}\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: {"n":1}\n- Request: {"n":2}\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: {"n":1e999}\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: {"n":"\\ud800"}\n- Response: {}\n', ['error DOCUMENT_CASE_UNREADABLE']],
    ['# Test Case 2\n- Request: {"n":1}\n', ['error DOCUMENT_CASE_INCOMPLETE']],
    ['# Test Case 2\n- Request:\n\n- Response: {}\n', ['error DOCUMENT_CASE_INCOMPLETE']],
    ['# Test Case 2\nsomething else\n', ['error DOCUMENT_CASE_INCOMPLETE', 'error DOCUMENT_CASE_INCOMPLETE']],
    [
      '# Test Case 1\n- Request: {"n":1}\n- Response: {}\n',
      ['warning DOCUMENT_CASE_NUMBER_REPEATED', 'warning DOCUMENT_CASE_NUMBER_SKIPPED'],
    ],
    [
      '# Test Case 1\n- Request: {"n":9}\n- Response: {}\n',
      ['error DOCUMENT_CASE_NUMBER_REPEATED', 'warning DOCUMENT_CASE_NUMBER_SKIPPED'],
    ],
    ['# Test Case\n- Request: {"n":2}\n- Response: {}\n', ['warning DOCUMENT_CASE_NUMBER_MISSING']],
    ['', ['warning DOCUMENT_CASE_NUMBER_SKIPPED']],
  ];
  for (const [second, expected] of broken) {
    const { cases, codes } = read(good(1) + second + good(3));
    assert.deepEqual(codes, expected, second);
    assert.deepEqual(
      cases.filter(({ testCase }) => testCase !== 2).map(({ testCase }) => testCase),
      [1, 3],
      second,
    );
  }
});

test('JSON lines are a mistake next to payloads with a single value', () => {
  const schema = '## Request\n{"type":"object","properties":{"a":{}}}\n## Response\n{"type":"object"}\n';
  const each = (n: number, request: string) =>
    `# Test Case ${n}\n- Request:\n\`\`\`json\n${request}\n\`\`\`\n- Response: {"b": 1}\n`;
  const lines = '{"a": 2}\n{"a": 3}';
  assert.deepEqual(read(each(1, '{"a": 1}') + each(2, lines), schema).codes, ['error DOCUMENT_CASE_UNREADABLE']);
  assert.deepEqual(read(each(1, '{"a": 1}') + each(2, lines)).codes, []);
});

test('a case text without a readable case is a finding, an empty one is not', () => {
  assert.deepEqual(read('We shall test it later.').codes, ['error DOCUMENT_CASES_UNREADABLE']);
  assert.deepEqual(read('{"a":1}').codes, ['error DOCUMENT_CASES_UNREADABLE']);
  assert.deepEqual(read(' \n\t').codes, []);
});

test('too many cases are a finding', () => {
  const text = Array.from(
    { length: 101 },
    (_, index) => `# Test Case ${index + 1}\n- Request: 1\n- Response: 2\n`,
  ).join('');
  const { cases, codes } = read(text);
  assert.equal(cases.length, 100);
  assert.deepEqual(codes, ['error DOCUMENT_CASES_TOO_MANY']);
});
