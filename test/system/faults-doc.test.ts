import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './harness.ts';

const rows = readFileSync(join(root, 'docs/faults.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2);

test('every test that docs/faults.md names is there', () => {
  assert.ok(rows.length > 25);
  let file = '';
  for (const row of rows) {
    for (const named of row.split(' | ')[1]?.split('; ') ?? []) {
      const [, path = file, title = named] = /^`(test\/.*?)`: (.*)$/.exec(named) ?? [];
      // `the same`: as in the row above.
      if (title === 'the same') continue;
      file = path;
      assert.ok(readFileSync(join(root, path), 'utf8').includes(title), `${path}: ${title}`);
    }
  }
});

test('everything in the sources that docs/faults.md names as a protection is there', () => {
  const sources = globSync('{queues,sandbox,src}/**/*.{ts,lua}', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  for (const row of rows) {
    for (const [, named = ''] of row.matchAll(/`([^`]+)`/g)) {
      const [, owner, member] = /^(?:([A-Z]\w+)\.)?(#?[a-z]\w+)$/.exec(named) ?? [];
      if (member === undefined) continue;
      const where = sources.filter((text) => owner === undefined || text.includes(`class ${owner} `));
      assert.ok(
        where.some((text) => text.includes(member)),
        named,
      );
    }
  }
});

test('every test of a fault is run by `npm run test:system`', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const parts = scripts['test:system']?.split(' ').filter((part) => part.startsWith('test/')) ?? [];
  for (const row of rows) {
    const [first = ''] = /test\/[\w/.-]+/.exec(row) ?? [];
    assert.ok(
      parts.some((part) => first.includes(part)),
      first,
    );
  }
});
