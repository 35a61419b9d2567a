import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import { MAX_JSON_DEPTH } from '../../src/documents/located-json.ts';
import { sampleJob } from './sample-job.ts';

const nested = (levels: number, leaf = '1'): string => `${'{"a":'.repeat(levels)}${leaf}${'}'.repeat(levels)}`;

const DEEP = nested(MAX_JSON_DEPTH * 2 + 1);

const labelled = (request: string): string =>
  `# Test Case 1\n- Test Request Data:\n${request}\n- Test Response Data:\n{"b":2}\n- Expected Test Result: Works.\n`;

function judged(cases: string, document = '# Requirements\nAnswer in JSON.') {
  const analyzed = analyze(sampleJob(document, cases));
  const errors = preflight(analyzed).filter(({ severity }) => severity === 'error');
  return { cases: analyzed.agreement.cases, codes: errors.map(({ code }) => code), messages: errors.map(messageOf) };
}

const messageOf = ({ message }: { message: string }) => message;

test('a value at the nesting limit is read completely', () => {
  const value = nested(MAX_JSON_DEPTH);
  const { cases, codes } = judged(labelled(value));
  assert.deepEqual(codes, []);
  assert.deepEqual(cases[0]?.request, JSON.parse(value));
});

const PIECES: Record<string, string> = {
  'nested one level deeper than is read': labelled(nested(MAX_JSON_DEPTH + 1)),
  'nested too deep': labelled(DEEP),
  'nested too deep, in lists': labelled(`${'['.repeat(200)}${']'.repeat(200)}`),
  'nested too deep, between fences': labelled(`\`\`\`json\n${DEEP}\n\`\`\``),
  'nested too deep, with words around': labelled(`The client sends ${DEEP} first.`),
  'nested too deep in a table': `| Request | Response |\n|---|---|\n| ${DEEP} | {"b":2} |\n`,
  'nested too deep in a story': `Given a shop\nWhen ${DEEP}\nThen {"b":2}\n`,
  'nested too deep, and a case of its own inside': `{"request":${nested(129, '{"request":{},"response":{}}')},"response":{}}`,
  'nested too deep under a heading without labels': `# Test Case 1\n${DEEP}\n{"b":2}\n`,
  'with a number beyond a double': labelled('{"a":1e400,"b":{"c":1}}'),
  'with a number beyond a double and words around': labelled('First {"a":-1e400,"b":{"c":1}} is sent.'),
  'with a name without quotes inside': labelled('{"a":{x:1},"b":{"c":1}}'),
  'with half a character in its first name': labelled('{"\\ud800":{"c":1}}'),
  'with a number beyond a double, listed':
    '[{"request":{"a":1e400},"response":{}},{"request":{"a":2},"response":{"b":2}}]',
};

for (const [name, cases] of Object.entries(PIECES)) {
  test(`no part of an unreadable value is read instead: ${name}`, () => {
    const { cases: read, codes } = judged(cases);
    assert.deepEqual(read, []);
    assert.ok(codes.length > 0);
  });
}

test('values beyond the limits are reported as such, in cases and schemas', () => {
  assert.match(judged(labelled(DEEP)).messages.join(), /are nested too deep, wanted at most 64 levels/);
  assert.match(judged(labelled('{"a":1e400}')).messages.join(), /number too large for a double at "1e400/);
  const schema = (part: string) => `## Request\n{"type":"object","properties":{"a":${part}}}`;
  const inSchema = (part: string) => judged(labelled('{}'), schema(part)).messages.join();
  assert.match(inSchema(nested(70, '{"type":"object"}')), /Cannot read JSON Schema: it is nested too deep/);
  assert.match(inSchema('{"maximum":1e400}'), /Cannot read JSON Schema: it has a number too large/);
});

test('brackets in prose around a value are not broken JSON', () => {
  const { cases, codes } = judged(labelled('See [1, p. 5] and {id}: {"a":{"c":1}}'));
  assert.deepEqual(codes, []);
  assert.deepEqual(cases[0]?.request, { a: { c: 1 } });
});

test('tens of thousands of empty objects are read and hide nothing', () => {
  const { codes } = judged(labelled('{}'), `${'}{'.repeat(20_000)}\n## Request\n{"type":"object","required":["a"]}\n`);
  assert.deepEqual(codes, ['DOCUMENT_CASE_VIOLATES_SCHEMA']);
});
