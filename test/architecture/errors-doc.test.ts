import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const words = 'JOB|DOCUMENT|CANDIDATE|PLATFORM|OPERATOR|DEFECT|READER';

interface Row {
  code: string;
  section: string;
  meaning: string;
  remedy: string;
}

const rows = documentedRows();
const documented = new Set(rows.map(({ code }) => code));
const used = usedCodes();

test('codes are found in the sources and in the tables', () => {
  assert.ok(used.size >= 5, `found ${used.size} in the sources`);
  assert.ok(documented.size >= 5, `found ${documented.size} in the tables`);
});

test('every code of the sources is explained in docs/errors.md', () => {
  assert.deepEqual(
    [...used].filter(([code]) => !documented.has(code)),
    [],
  );
});

test('every code of docs/errors.md is in the sources', () => {
  assert.deepEqual(
    [...documented].filter((code) => !used.has(code)),
    [],
  );
});

test('every code stands once, under its first word, with a sentence and a remedy', () => {
  assert.equal(documented.size, rows.length, 'a code stands twice');
  for (const { code, section, meaning, remedy } of rows) {
    assert.ok(code.startsWith(`${section}_`), `${code} under ${section}`);
    for (const sentence of [meaning, remedy]) assert.match(sentence, /^.{10,}\.$/, code);
  }
});

test('the closed type of codes has every code that is documented, in the order of the page', () => {
  const listed = [...readFileSync(join(root, 'src/kernel/error-codes.ts'), 'utf8').matchAll(/^ {2}\| '(\w+)'/gm)];
  assert.deepEqual(
    listed.map(([, code]) => code),
    rows.map(({ code }) => code).filter((code) => !code.startsWith('READER_')),
  );
});

/** The codes written as strings in the sources, each with a file that has it; those of a type are no use of them. */
function usedCodes(): Map<string, string> {
  const literal = new RegExp(`['"\`]((?:${words})_[A-Z0-9_]*[A-Z0-9])(?![A-Z0-9_])`, 'g');
  const codes = new Map<string, string>();
  for (const file of globSync('{src,sandbox,queues}/**/*.{ts,lua}', { cwd: root })) {
    for (const [, code] of withoutTypes(readFileSync(join(root, file), 'utf8')).matchAll(literal))
      codes.set(code ?? '', file);
  }
  return codes;
}

function withoutTypes(source: string): string {
  return source.replaceAll(/^ {2}\| '\w+';?$/gm, '');
}

function documentedRows(): Row[] {
  let section = '';
  return readFileSync(join(root, 'docs/errors.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      section = /^## (\w+)$/.exec(line)?.[1] ?? section;
      const row = /^\| `([A-Z0-9_]+[A-Z0-9])` \| (.+) \| (.+) \|$/.exec(line);
      return row ? [{ code: row[1] ?? '', section, meaning: row[2] ?? '', remedy: row[3] ?? '' }] : [];
    });
}
