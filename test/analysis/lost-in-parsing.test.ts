import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Job } from '../../src/contract/job.ts';
import type { Json } from '../../src/kernel/json.ts';
import { told as messagesAfter } from '../told.ts';
import { sampleJob } from './sample-job.ts';

const PROSE = '# Requirements\nAnswer in JSON.\n';

const labelled = (request: string, response = '{"b":2}'): string =>
  `# Test Case 1\n- Test Request Data:\n${request}\n- Test Response Data:\n${response}\n- Expected Test Result: Works.\n`;

const inSchema = (part: string): string =>
  `${PROSE}## Request\n{"type":"object","properties":{"a":${part}}}\n## Response\n{"type":"object"}\n`;

/** Severity, code, place, and the pointer if there is one. */
type Told = string[];

function told(document: string, cases?: Parameters<typeof sampleJob>[1], more: Partial<Job> = {}): Told[] {
  return preflight(analyze(sampleJob(document, cases, more)))
    .filter(({ code }) => /_(?:INEXACT|REPEATED|ESCAPED)$/.test(code))
    .map(({ severity, code, in: place, pointer }) => [
      severity,
      code,
      place,
      ...(pointer === undefined ? [] : [pointer]),
    ]);
}

const LOST = ['9007199254740993', '-1610521604143693813', '9.007199254740993e15', '9007199254740993.5', '1e-400'];
const KEPT = ['9007199254740992', '9007199254740994', '1E+23', '1700000000000000000', '0.1000000000000000055', '-0.0'];

for (const number of LOST) {
  const error: Told = ['error', 'DOCUMENT_NUMBER_INEXACT', 'request', '/a/0'];
  test(`the number ${number} cannot be kept, anywhere in a message`, () => {
    assert.deepEqual(told(PROSE, labelled(`{"a":[${number}]}`)), [error]);
    assert.deepEqual(told(PROSE, `| Request | Response |\n|---|---|\n| {"a":[${number}]} | {"b":2} |\n`), [error]);
    assert.equal(told(PROSE, `[{"request":{"a":${number}},"response":{"b":2}}]`).length, 1);
    assert.deepEqual(told(inSchema(`{"enum":[1,${number}]}`)), [
      ['error', 'DOCUMENT_NUMBER_INEXACT', 'requestSchema', '/properties/a/enum/1'],
    ]);
    assert.deepEqual(told(`${PROSE}For example {"a":${number}}.`), [['error', 'DOCUMENT_NUMBER_INEXACT', 'document']]);
    const base = { content: inSchema(`{"const":${number}}`) };
    const document = `${PROSE}Based on the existing protocol (URI: https://e.org/a).`;
    assert.equal(told(document, undefined, { baseProtocols: { 'https://e.org/a': base } }).length, 1);
  });
}

for (const number of KEPT) {
  test(`the number ${number} is kept`, () => {
    assert.deepEqual(told(inSchema(`{"const":${number}}`), labelled(`{"a":[${number}]}`)), []);
  });
}

test('an inexact number in a YAML schema is told like one in JSON', () => {
  const yaml = (number: string) =>
    `${PROSE}## Request\n\`\`\`yaml\ntype: object\nproperties:\n  a: ${number}\n\`\`\`\n## Response\n{"type":"object"}\n`;
  const at = (severity: string, pointer: string): Told => [
    severity,
    'DOCUMENT_NUMBER_INEXACT',
    'requestSchema',
    pointer,
  ];
  assert.deepEqual(told(yaml('{const: 9007199254740993}')), [at('error', '/properties/a/const')]);
  assert.deepEqual(told(yaml('{enum: [&n 9007199254740993, *n]}')), [at('error', '/properties/a/enum/0')]);
  assert.deepEqual(told(yaml('{maximum: 18446744073709551615}')), [at('warning', '/properties/a/maximum')]);
  assert.deepEqual(told(yaml('{const: 9007199254740992}')), []);
});

test('an inexact bound causes a warning and hides no error', () => {
  assert.deepEqual(told(inSchema('{"maximum":9223372036854775807}')), [
    ['warning', 'DOCUMENT_NUMBER_INEXACT', 'requestSchema', '/properties/a/maximum'],
  ]);
  const bounds = Array.from({ length: 100 }, (_, n) => `"p${n}":{"maximum":9223372036854775807}`).join(',');
  const found = told(inSchema(`{"type":"object","properties":{${bounds}}}`), labelled('{"a":9007199254740993}'));
  assert.ok(found.some(([severity]) => severity === 'error'));
});

test('digits in strings and in texts are kept', () => {
  assert.deepEqual(told(PROSE, labelled('{"a":"9007199254740993"}')), []);
  assert.deepEqual(told('# Requirements\nPlain text.', labelled('9007199254740993', '9007199254740993')), []);
});

test('in structured cases, a double that may have lost digits is reported', () => {
  const parsed = (a: Json) => told(PROSE, [{ request: { a: [a] }, response: { b: 2 } }]);
  assert.deepEqual(parsed(JSON.parse('1610521604143693813')), [
    ['error', 'DOCUMENT_NUMBER_INEXACT', 'request', '/a/0'],
  ]);
  assert.deepEqual(parsed(Number.MAX_VALUE), [['warning', 'DOCUMENT_NUMBER_INEXACT', 'request', '/a/0']]);
  for (const kept of [2 ** 53 - 1, 1e21, 17e17, 0.1234567890123456, 12345678.000000002])
    assert.deepEqual(parsed(kept), []);
});

test('in tools, task and exchanges of a job, a double that may have lost digits is a warning with its place', () => {
  const id = JSON.parse('1610521604143693813');
  const at = (pointer: string): Told => ['warning', 'DOCUMENT_NUMBER_INEXACT', 'job', pointer];
  const tools = [
    { name: 'a', examples: [{ input: { id }, output: [1, id] }], otherwise: { error: id } },
    { name: 'b', inputSchema: { enum: [id], maximum: 2 ** 63 }, examples: [{ input: 1e21, output: 2 ** 53 - 1 }] },
  ];
  assert.deepEqual(told(PROSE, labelled('{}'), { tools }), [
    at('/tools/0/examples/0/input/id'),
    at('/tools/0/examples/0/output/1'),
    at('/tools/0/otherwise/error'),
    at('/tools/1/inputSchema/enum/0'),
  ]);
  const task = { description: 'Order.', examples: [{ testCase: 1, input: { id }, output: null }] };
  assert.deepEqual(told(PROSE, labelled('{}'), { task }), [at('/task/examples/0/input/id')]);
  const exchanges = [{ request: {}, response: { id } }];
  assert.deepEqual(told(PROSE, labelled('{}'), { exchanges }), [at('/exchanges/0/response/id')]);
});

test('an inexact number is disputed, and the peer is asked for a string', () => {
  const analyzed = analyze(sampleJob(PROSE, labelled('{"a":9007199254740993}')));
  const settlement = decide(analyzed, preflight(analyzed));
  assert.equal(settlement.kind, 'disputed');
  const end = { verdict: 'disputed' as const, language: 'en' as const };
  const { messages } = messagesAfter({ ...end, findings: preflight(analyzed) }, 'generate', analyzed.job);
  assert.match(JSON.stringify(messages), /9007199254740993.{0,20} has more digits than a JSON number keeps/);
});

test('a repeated name causes a warning with its place, in cases, lists of cases, schemas and examples', () => {
  const twice: Told = ['warning', 'DOCUMENT_NAME_REPEATED', 'response', '/o'];
  assert.deepEqual(told(PROSE, labelled('{}', '{"o":{"x":1,"y":2,"x":3}}')), [twice]);
  assert.deepEqual(told(PROSE, labelled('{}', '{"o":{"x":1,"\\u0078":3,"x":{}}}')), [twice]);
  assert.deepEqual(told(PROSE, labelled('{}', '{"o":{"__proto__":1,"__proto__":2}}')), [twice]);
  assert.equal(told(PROSE, '[{"request":{"a":1,"a":2},"response":{}}]').length, 1);
  assert.deepEqual(told(inSchema('{"type":"integer","type":"string"}')), [
    ['warning', 'DOCUMENT_NAME_REPEATED', 'requestSchema', '/properties/a'],
  ]);
  assert.deepEqual(told(`${PROSE}Such as {"a":1,"a":2}.`), [['warning', 'DOCUMENT_NAME_REPEATED', 'document']]);
});

test('equal names in different objects and in texts are not repeated', () => {
  assert.deepEqual(
    told(PROSE, labelled('{"a":{"a":[{"a":1},{"a":2}]}}', '{"b":"{\\"x\\":1,\\"x\\":2}","c:d":":"}')),
    [],
  );
  assert.deepEqual(told(`${PROSE}{"a": 1, // "a": 2\n}`), []);
});

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const WHOLE = inSchema('{"type":"integer"}');

const ESCAPED: Record<string, string> = {
  'line breaks and quotes': escaped(WHOLE),
  'twice more': escaped(escaped(WHOLE)),
  'a JSON string': JSON.stringify(WHOLE),
  'line breaks alone': WHOLE.replaceAll('\n', '\\n'),
  'quotes alone': WHOLE.replaceAll('"', '\\"'),
  'quotes as in HTML': WHOLE.replaceAll('"', '&quot;'),
  'Windows line ends': escaped(WHOLE.replaceAll('\n', '\r\n')),
  'words alone': escaped('# Requirements\nAsk.\n\n# Flow\nAnswer it.\n'),
  'words without headings': escaped('Ask for the stock.\nAnswer with a number.\nThat is all.\n'),
  'a schema as a JSON string': WHOLE.replace(/\{.*integer.*\}/, (schema) => JSON.stringify(schema)),
  'one of two schemas': WHOLE.replace(/\{.*integer.*\}/, (schema) => schema.replaceAll('"', '\\"')),
};

for (const [name, text] of Object.entries(ESCAPED)) {
  test(`an escaped document is reported: ${name}`, () => {
    assert.deepEqual(told(text), [['error', 'DOCUMENT_TEXT_ESCAPED', 'document']]);
  });
}

test('escaped cases are reported', () => {
  for (const cases of [escaped(labelled('{"a":1}')), JSON.stringify(labelled('{}')), labelled('{\\"a\\": 1}')])
    assert.deepEqual(told(WHOLE, cases), [['error', 'DOCUMENT_TEXT_ESCAPED', 'document']]);
});

test('escapes in strings, code and sentences do not make an escaped text', () => {
  const prose =
    'A payload is "{\\"a\\":1}". Lines end with \\n or \\r\\n, as in `a\\n- b\\n- c\\n`, not in G{\\"o}del.';
  assert.deepEqual(told(`${WHOLE}\n${prose}`, labelled('{"a":"- x\\n- y\\n- z\\n{\\"b\\":1}"}')), []);
  assert.deepEqual(told(prose), []);
  assert.deepEqual(told(`${WHOLE}\nIn a shell {\\"a\\": 1}.`), [['warning', 'DOCUMENT_TEXT_ESCAPED', 'document']]);
});
