import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { settings } from '../../src/config.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['docs/operations.md', 'docs/first-job.md', 'docs/metrics.md', 'README.md'];
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const operations = read('docs/operations.md');
const sources = globSync('{src,queues,sandbox,bin}/**/*.{ts,mjs}', { cwd: root }).map(read).join('\n');

/** The anchor of a heading, as the usual renderers make it. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

test('every link of the pages for operators and negotiators leads to a file, and to a heading in it', () => {
  for (const page of pages) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', hash] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(root, file)), `${page}: ${target}`);
      if (hash === undefined) continue;
      const anchors = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));
      assert.ok(anchors.includes(hash), `${page}: ${target}`);
    }
  }
});

test('every setting, metric, command and error code that docs/operations.md names is one that there is', () => {
  const known = new Set<string>(Object.values(settings).map(({ env }) => env));
  for (const [name] of operations.matchAll(/\bPROTOSMITH_[A-Z_]+\b/g))
    assert.ok(known.has(name) || /_$/.test(name), `no setting ${name}`);
  const metrics = read('docs/metrics.md');
  for (const [name] of operations.matchAll(/\bprotosmith_[a-z_\d]+\b/g))
    assert.ok(metrics.includes(`\`${name}\``), `no metric ${name}`);
  for (const [, name = ''] of operations.matchAll(/`protosmith ([a-z-]+)/g))
    assert.match(sources, new RegExp(`^ {2}'?${name}'?: async \\(\\) => \\(await import`, 'm'), `no command ${name}`);
  const errors = read('docs/errors.md');
  for (const [, name = ''] of operations.matchAll(
    /`((?:JOB|DOCUMENT|CANDIDATE|PLATFORM|OPERATOR|DEFECT|READER)_[A-Z_]*[A-Z])`/g,
  ))
    assert.ok(errors.includes(`\`${name}\``), `no code ${name}`);
});

test('every default in the table of settings is that of the code', () => {
  const rows = [...operations.matchAll(/^\| `(PROTOSMITH_\w+)` \| ([\d–]+) \|/gm)];
  assert.ok(rows.length > 7);
  for (const [, name, stated] of rows) {
    const { fallback } = Object.values(settings).find(({ env }) => env === name) ?? assert.fail(`no setting ${name}`);
    assert.deepEqual(stated === '–' ? (Array.isArray(fallback) ? [] : null) : Number(stated), fallback, name);
  }
});

test('the permissions in docs/operations.md are those that doctor prints', async () => {
  const { leastRules } = await import('../../queues/index.ts');
  const wanted = leastRules('redis://127.0.0.1:6379', '{protosmith}').filter((rule) => rule.startsWith('+'));
  const [, block = ''] = /^ACL SETUSER ([\s\S]*?)^```$/m.exec(operations) ?? [];
  const stated = block.split(/\s+/).filter((word) => word.startsWith('+'));
  assert.deepEqual(stated.sort(), [...wanted].sort());
});
