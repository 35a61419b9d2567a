import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractCandidate, isComplete } from '../../src/completion/extract-candidate.ts';
import { SeededRandom } from '../../src/verification/worlds/seeded-random.ts';

const MODULE = `import type { Request } from './types';
// \`\`\` in a comment, and an apostrophe: don't
export async function handle(request: Request) {
  const text = \`a \${request.name ? \`{\${request.name}}\` : "}"} \\\`\`;
  return { text: text.replace(/[\`'"]/g, ''), ratio: 1 / 2 };
}`;
const DECLINE =
  '{"decline": "case", "reason": "“Case 2” wants null.", "quote": "productInfo  is &quot;an object&quot;"}';

/** Ways to write an answer that change nothing of what it says, from the inside out. */
const HARMLESS: ((text: string) => string)[] = [
  (text) => `Sure! Here is \`it\`:\n\n${text}`,
  (text) => `${text}\n\nThat is all, \`\`\`really\`\`\`.`,
  (text) => `${text}\n\`\`\`ts\nconst usage = 1;\n\`\`\``,
  (text) => `\`\`\`bash\nnpm i\n\`\`\`\n${text}`,
  (text) => `<think>\n\`\`\`ts\nexport const handle = 'draft';\n\`\`\`\n</think>\n${text}`,
  (text) => `\n \n\t\n${text}\n\n`,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `\ufeff${text}`,
];
/** Ways to break one. */
const HARMFUL: ((text: string, random: SeededRandom) => string)[] = [
  (text, random) => text.slice(0, random.integer(0, text.length)),
  (text, random) => text.slice(random.integer(0, text.length)),
  ...[
    '```',
    '\n```\n',
    '\n~~~\n',
    '\n````ts\n',
    '`',
    '${',
    '}',
    '/*',
    '*/',
    '"',
    '\\',
    '\0',
    '\r',
    '\u2028',
    '\ud800',
    '\udc00',
    '\u202e',
    '<think>',
    '</think>',
    '\n```json\n{"decline":"protocol","quote":{"toString":1},"__proto__":{"decline":"case"}}\n```\n',
    `\n\`\`\`json\n${'['.repeat(5_000)}\n\`\`\`\n`,
    '~'.repeat(3_000),
    ' '.repeat(3_000),
  ].map((piece) => (text: string, random: SeededRandom) => {
    const at = random.integer(0, text.length);
    return text.slice(0, at) + piece + text.slice(at);
  }),
];

function fenced(random: SeededRandom, content: string, language: string): string {
  const fence = random.pick(['```', '````', '~~~', '`````````']) as string;
  const indent = ' '.repeat(random.integer(0, 3));
  return `${indent}${fence}${random.pick(['', ' ', '\t'])}${language}${language === '' ? '' : random.pick(['', ' title="x.ts"', ' '])}\n${content}\n${fence}${random.pick(['', '  ', '\n'])}`;
}

test('an answer is read as what it says however it is written', () => {
  const random = new SeededRandom('harmless answers');
  for (let run = 0; run < 1_000; run += 1) {
    const declines = random.chance(0.3);
    let text = declines
      ? fenced(random, DECLINE, random.pick(['json', 'JSON', '']) as string)
      : fenced(random, MODULE, random.pick(['ts', 'TypeScript', 'js', '']) as string);
    for (const change of HARMLESS) if (random.chance(0.3)) text = change(text);
    const extracted = extractCandidate(text);
    assert.deepEqual(
      extracted,
      declines ? { kind: 'declined', ...JSON.parse(DECLINE) } : { kind: 'code', source: `${MODULE}\n` },
      text,
    );
    assert.ok(isComplete(text), text);
  }
});

test('an answer that is broken is read without a fault, and what comes of it keeps its form', () => {
  const random = new SeededRandom('broken answers');
  for (let run = 0; run < 2_000; run += 1) {
    let text = random.chance(0.3) ? fenced(random, DECLINE, 'json') : fenced(random, MODULE, 'ts');
    for (let change = random.integer(1, 5); change > 0; change -= 1)
      text = random.chance(0.3)
        ? (random.pick(HARMLESS)?.(text) ?? text)
        : (random.pick(HARMFUL)?.(text, random) ?? text);
    const extracted = extractCandidate(text);
    if (isComplete(text)) assert.notEqual(extracted.kind, 'none', text);
    if (extracted.kind === 'code')
      assert.ok(extracted.source.trim() !== '' && !extracted.source.includes('\r\n'), text);
    if (extracted.kind === 'declined') {
      assert.ok(['protocol', 'case', 'missing-tool'].includes(extracted.decline), text);
      assert.ok(typeof extracted.quote === 'string' && extracted.quote.length <= 2_000, text);
    }
  }
});

// A few seconds in all; the first would take days where a line of fence characters is divided in every way.
for (const [name, text] of Object.entries({
  'one line of tildes': `${'~'.repeat(1_000_000)}\``,
  'a language without end': `\`\`\`${'x'.repeat(1_000_000)}\``,
  'fences that get longer': Array.from({ length: 1_400 }, (_, n) => '`'.repeat(n + 3)).join('\n'),
  'tildes that open and do not close': '~~~ts\n'.repeat(160_000),
  'closing fences in a literal': `\`\`\`ts\n\`${'a'.repeat(900_000)}${'\n```'.repeat(20_000)}`,
  'comments that do not end': `\`\`\`ts\n${'/*\n```\n'.repeat(120_000)}`,
  'brackets of JSON': `\`\`\`json\n${'['.repeat(1_000_000)}\n\`\`\``,
  'marks of reasoning': '</think>\n'.repeat(120_000),
  'marks of lists': `${'- '.repeat(400_000)}\`\`\`ts`,
  'fences in lists': '    - ```ts\n'.repeat(90_000),
  'slashes after blanks': `\`\`\`ts\n${`${' '.repeat(30)}/`.repeat(30_000)}\n\`\`\``,
}))
  test(`an answer of a megabyte is read as fast as it is long: ${name}`, () => {
    assert.notEqual(extractCandidate(text).kind, 'declined');
    isComplete(text);
  });
