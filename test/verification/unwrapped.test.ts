import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failureRulesOf } from '../../src/verification/prose/failure-rules.ts';
import { unwrapped } from '../../src/verification/prose/unwrapped.ts';

test('lines that were broken for their length are one again', () => {
  const wrapped = `# What is answered, in a heading that is as long as a line

The desk answers with \`taken\` when the room is free, with
\`refused\` when it is not, and with \`unavailable\` whenever the
system that knows the rooms gives no answer.
- Rooms are named by a letter and two digits, such as B12, or
  by the name of the
  floor.
- A guest has one room.`;
  assert.equal(
    unwrapped(wrapped),
    `# What is answered, in a heading that is as long as a line

The desk answers with \`taken\` when the room is free, with \`refused\` when it is not, and with \`unavailable\` whenever the system that knows the rooms gives no answer.
- Rooms are named by a letter and two digits, such as B12, or by the name of the
  floor.
- A guest has one room.`,
  );
});

test('lines that stand alone for another reason stay alone', () => {
  for (const text of [
    'status of the booking, which is one word of these four\nreason: why it was refused, for people to read it',
    '- a first item that is long enough to fill a whole line\n- second item',
    'A paragraph that ends with a full stop where its line ends.\nanother one',
    '| code | what it means to the one who has sent the request |\n| no | nothing |',
    '```\nuses <number of stitches that the row works on altogether>\nback <the row>\n```',
    'The form:\n\n    uses <number of stitches that the row works on altogether>\n    back <the row>',
    '  E_FULL   there is no room left in the hall that was asked for\n  e_late   the request came late',
    'short line\nshort line',
  ])
    assert.equal(unwrapped(text), text);
});

test('what a broken line begins with says nothing by itself', () => {
  const rule = [
    'What remains has to have 17 characters;',
    'in the ninth place there may be a `?`.',
    'Otherwise verdict is `malformed` and the',
    'other members are null.',
  ];
  assert.equal(failureRulesOf(rule.join(' ')).invalidRequests, false);
  assert.equal(failureRulesOf(rule.join('\n')).invalidRequests, false);
});

test('a document wrapped at any width reads as it was written', () => {
  const folder = new URL('../../fixtures/candidates/', import.meta.url);
  let wrapped = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const { agreement } = JSON.parse(readFileSync(new URL(`${entry.name}/job.json`, folder), 'utf8'));
    const text = agreement.candidateProtocols as string;
    if (!/^[A-Z].{200}/m.test(text)) continue;
    const lines = text.split('\n');
    for (const width of [64, 80, 100]) {
      const narrow = wrap(text, width);
      // Where a line could not be broken in time, an editor would have found another way.
      if (narrow.split('\n').some((line) => line.length > width && !lines.includes(line))) continue;
      assert.deepEqual(sentences(unwrapped(narrow)), sentences(text), `${entry.name} at ${width}`);
      wrapped += 1;
    }
  }
  assert.ok(wrapped > 20, String(wrapped));
});

/** A line that ends with a sentence needs not be joined with the next. */
function sentences(text: string): string[] {
  return text.split(/\n|(?<=[.!?;:]["')`]*) /);
}

/** Breaks long paragraphs of prose at a width, outside of code. */
function wrap(text: string, width: number): string {
  return text
    .split(/(```[\s\S]*?```)/)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(/^[A-Z].{200,}$/gm, (line) => {
            const lines = [''];
            for (const [index, word] of line.split(' ').entries()) {
              const last = lines.at(-1) as string;
              // As an editor does that knows Markdown: no line begins as something else would, or in the middle of code.
              const rest = line.split(' ').slice(index).join(' ');
              const isCode = last.split('`').length % 2 === 0;
              const fits =
                isCode || last.length + word.length < width || !/^[\p{L}`"(](?!\W?(?:\w+ ){0,2}\w+\W?[:=])/u.test(rest);
              if (last === '') lines[lines.length - 1] = word;
              else if (fits) lines[lines.length - 1] = `${last} ${word}`;
              else lines.push(word);
            }
            return lines.join('\n');
          }),
    )
    .join('');
}
