import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { extractCandidate, isComplete } from '../../src/completion/extract-candidate.ts';
import { startCost } from '../cost.ts';

const MODULE = 'export async function handle(request) {\n  return request;\n}';

const code = (text: string): string | null => {
  const extracted = extractCandidate(text);
  return extracted.kind === 'code' ? extracted.source.trim() : null;
};

test('the fenced module is taken whatever stands around it and however it is fenced', () => {
  for (const text of [
    `\`\`\`ts\n${MODULE}\n\`\`\``,
    `Sure!\n\n\`\`\`typescript\n${MODULE}\n\`\`\`\n\nThat is all.`,
    `\`\`\`\n${MODULE}\n\`\`\``,
    `~~~ts\n${MODULE}\n~~~`,
    `\`\`\`\`ts\n${MODULE}\n\`\`\`\``,
    `\`\`\`ts title="handler.ts"\n${MODULE}\n\`\`\``,
    `\`\`\`ts:src/handler.ts\n${MODULE}\n\`\`\``,
    `\`\`\`typescript{1,3}\n${MODULE}\n\`\`\``,
    `\`\`\`{.ts}\n${MODULE}\n\`\`\``,
    `\`\`\`ts\r\n${MODULE.replaceAll('\n', '\r\n')}\r\n\`\`\``,
    `\`\`\`ts\n${MODULE}`,
    MODULE,
  ]) {
    assert.equal(code(text), MODULE, text);
  }
});

test('a fence that names a file or a made-up language, or stands in a list or a quotation, holds the module', () => {
  const shifted = (text: string, by: string) => text.replaceAll(/^/gm, by);
  for (const text of [
    ...[
      'src/handler.ts',
      './lib/handler.mts',
      'file=handler.js title="x"',
      'typescript-module',
      'tool_code',
      '{"as":"ts"}',
    ].map((name) => `\`\`\`${name}\n${MODULE}\n\`\`\``),
    `1. The handler:\n\n${shifted(`\`\`\`ts\n${MODULE}\n\`\`\``, '    ')}\n\n2. That is all.`,
    `- \`\`\`ts\n${shifted(`${MODULE}\n\`\`\``, '  ')}`,
    `* One\n  - two\n\n${shifted(`~~~handler.ts\n${MODULE}\n~~~`, '\t')}`,
    shifted(`\`\`\`ts\n${MODULE}\n\`\`\``, '> '),
  ]) {
    assert.equal(code(text), MODULE, text);
    assert.ok(isComplete(text), text);
  }
  assert.equal(code(`\`\`\`diff\n${MODULE}\n\`\`\`\n\`\`\`ts\n${MODULE}\n\`\`\``), MODULE);
});

test('backticks in patterns, strings and comments of the module do not hide its closing fence', () => {
  for (const source of [
    'export const handle = (text) => text.replace(/[`/]/g, "");',
    "export const handle = () => '`';",
    '// a ` in a comment\nexport const handle = () => 1 / 2;',
    'export const handle = (a) => `$' + '{a ? `{$' + '{a}}` : "}"}`;',
  ]) {
    assert.equal(isComplete(`\`\`\`ts\n${source}\n\`\`\`\nmore`), true, source);
    assert.equal(code(`\`\`\`ts\n${source}\n\`\`\`\nmore \`\`\`\n\`\`\`\n`), source);
  }
});

test('the module that exports a handler wins over other blocks', () => {
  const text = `The types:\n\`\`\`ts\nexport interface Handled { x: 1 }\n\`\`\`\n\`\`\`json\n{"a": 1}\n\`\`\`\n\`\`\`bash\nnpm i\n\`\`\`\nNow:\n\`\`\`ts\n${MODULE}\n\`\`\`\nUsage:\n\`\`\`ts\nconst x = 1;\n\`\`\``;
  assert.equal(code(text), MODULE);
});

test('every way to export the function counts', () => {
  for (const source of [
    'export const handle = 1',
    'export { perform }',
    'const handle = 1;\nexport { handle };',
    'export function perform() {}',
  ]) {
    assert.equal(isComplete(`\`\`\`ts\n${source}\n\`\`\``), true, source);
  }
  assert.equal(isComplete('```ts\nexport interface Handle {}\n```'), false);
});

test('reasoning before the answer is not the answer', () => {
  const text = `<think>\nMaybe\n\`\`\`ts\nexport const handle = 'draft';\n\`\`\`\n</think>\n\`\`\`ts\n${MODULE}\n\`\`\``;
  assert.equal(code(text), MODULE);
  assert.equal(isComplete(text.slice(0, text.indexOf('</think>'))), false);
});

test('a refusal is read with its reason and quote', () => {
  const text =
    'I cannot.\n\n```json\n{"decline": "case", "reason": "Case 2 wants null.", "quote": "productInfo is an object"}\n```';
  assert.deepEqual(extractCandidate(text), {
    kind: 'declined',
    decline: 'case',
    reason: 'Case 2 wants null.',
    quote: 'productInfo is an object',
  });
  assert.equal(isComplete(text), true);
});

test('a refusal of an unknown kind, or one that is no JSON, is no answer', () => {
  for (const block of ['{"decline": "mood", "reason": "no"}', '{"decline": "case"', '["decline"]', 'null']) {
    assert.equal(extractCandidate(`\`\`\`json\n${block}\n\`\`\``).kind, 'none', block);
  }
});

test('members of a refusal that are missing or of another type are empty', () => {
  assert.deepEqual(extractCandidate('```json\n{"decline": "protocol", "reason": 7}\n```'), {
    kind: 'declined',
    decline: 'protocol',
    reason: '',
    quote: '',
  });
});

test('prose alone is no answer, and the reason says what was found', () => {
  for (const text of ['', '   ', 'I would rather not.', '```bash\nls\n```']) {
    const extracted = extractCandidate(text);
    assert.ok(extracted.kind === 'none' && extracted.why !== '', text);
  }
});

test('any text is read without throwing, and quickly', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '```',
          '```ts',
          '~~~',
          '\n',
          '`',
          '${',
          '}',
          '/*',
          '*/',
          'export ',
          'handle',
          '<think>',
          '</think>',
          '{"decline":',
          'x',
        ),
      ),
      (parts) => {
        extractCandidate(parts.join(''));
        isComplete(parts.join(''));
      },
    ),
    { numRuns: 500 },
  );
  const cost = startCost();
  extractCandidate(`${'```ts\nexport '.repeat(20_000)}${'`'.repeat(50_000)}`);
  for (const mark of ['</details>\n', '<details type="reasoning">\n', 'assistantfinal', '<think>', '</a_think>'])
    extractCandidate(mark.repeat(2_000_000 / mark.length));
  assert.ok(cost() < 300);
});
