import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { candidatesFolder, measureOf, tryCandidate } from '../../scripts/try-candidate.ts';

// What an agreement means does not hang on how its document is laid out: no sound handler of the fixtures may be refused for another layout.

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

type Rewriting = (document: string) => string;

/** Rewrites lines of prose: none in fences, tables or JSON. */
const prose =
  (rewrite: Rewriting): Rewriting =>
  (document) => {
    let [inCode, depth] = [false, 0];
    return document
      .split('\n')
      .map((line) => {
        if (/^\s*```/.test(line)) inCode = !inCode;
        if (inCode || /^\s*(?:```|[|<])/.test(line)) return line;
        if (depth > 0 || /^\s*[{[]/.test(line)) {
          depth += (line.match(/[{[]/g)?.length ?? 0) - (line.match(/[}\]]/g)?.length ?? 0);
          return line;
        }
        return rewrite(line);
      })
      .join('\n');
  };

const marks = prose((line) => line.replace(/^(\s*)- /, '$1* '));
const plusses = prose((line) => line.replace(/^(\s*)- /, '$1+ '));
const dots = prose((line) => line.replace(/^(\s*)- /, '$1● '));
const deeper = prose((line) => line.replace(/^(#{1,4}) /, '$1# '));
const emphasis = prose((line) =>
  line
    .replace(/\bmust( not)?\b/g, '**must$1**')
    .replace(/\bnever\b/g, '*never*')
    .replace(/`(\w+)`/g, '**$1**'),
);
const plainNames = prose((line) => line.replace(/`([\w.-]+)`/g, '$1'));
const quotedNames = prose((line) => line.replace(/`([\w.-]+)`/g, '"$1"'));
const curly = prose((line) =>
  line.replace(/`[^`]*`|"([^"]*)"|(?<=\w)'(?=\w)/g, (mark, quoted?: string) =>
    mark.startsWith('`') ? mark : mark === "'" ? '’' : `“${quoted}”`,
  ),
);
const numbered: Rewriting = (document) =>
  document.replace(/(?:^- .+\n){2,}/gm, (list) =>
    list
      .split('\n')
      .map((item, index) => item.replace(/^- /, `${index + 1}. `))
      .join('\n'),
  );
const airy = prose((line) => (/^\s*- /.test(line) ? `${line}\n` : line));
const letter: Rewriting = (document) =>
  `Thank you for your proposal. We suggest the following protocol:\n\n${document}\n\n# Change Log\n- 1.1.0: wording of the error section.\n- 1.0.0: first version.\n`;
const headed: Rewriting = (document) => `**Version:** 1.2.0\n**Authors:** Alice Example, Bob Sample\n\n${document}`;
const wrapped = prose((line) => {
  if (/^#/.test(line)) return line;
  const indent = ' '.repeat(/^\s*(?:[-*]|\d+\.)\s+/.exec(line)?.[0].length ?? 0);
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) as string;
    const isInCode = last.split('`').length % 2 === 0;
    if (isInCode || last.trim() === '' || last.length + word.length < 64 || !/^[\p{L}`"(]/u.test(word))
      lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    else lines.push(indent + word);
  }
  return lines.join('\n');
});
const windows: Rewriting = (document) => document.replaceAll('\n', '\r\n');

const layouts: Record<string, Rewriting[]> = {
  'with other marks, deeper headings and Windows line ends': [marks, deeper, headed, windows],
  'with a plus before each item': [plusses],
  'with a dot before each item': [dots],
  'wrapped, with names and words in bold': [emphasis, wrapped],
  'in a letter, with names that nothing sets apart': [plainNames, numbered, letter],
  'with names in quotes, and room between items': [quotedNames, airy],
  'with curly quotes, wrapped': [curly, wrapped, headed],
};

for (const [layout, rewritings] of Object.entries(layouts))
  test(`sound handlers of documents ${layout}`, async () => {
    let rewritten = 0;
    for (const entry of await readdir(candidatesFolder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const folder = new URL(`${entry.name}/`, candidatesFolder);
      const { protocolHash: _, ...job } = JSON.parse(await readFile(new URL('job.json', folder), 'utf8'));
      const document = rewritings.reduce((text, rewrite) => rewrite(text), job.agreement.candidateProtocols as string);
      if (document === job.agreement.candidateProtocols) continue;
      rewritten += 1;
      const order = measureOf({ ...job, agreement: { ...job.agreement, candidateProtocols: document } });
      const [file] = (await readdir(folder)).filter((name) => /^sound.*\.ts$/.test(name));
      const source = await readFile(new URL(file as string, folder), 'utf8');
      const { refusedFor } = await tryCandidate(order, source, sandbox);
      assert.deepEqual(refusedFor, [], entry.name);
    }
    assert.ok(rewritten > 30, `${rewritten} documents rewritten`);
  });
