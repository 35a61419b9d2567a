import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { normalizeBundle } from '../../sandbox/bundle.ts';
import { bundleHandler } from '../../sandbox/index.ts';
import { childrenNamed, residentMbOf } from '../../sandbox/processes.ts';
import { startCost } from '../cost.ts';

test('a candidate becomes one module with one export, a map and a digest', async () => {
  const source = `import type { Request } from './types';
import { Response } from './types';
export const other = 1;
export async function handle(request: Request): Promise<Response> {
  throw new Error('ä');
}`;
  const bundled = await bundleHandler(source, 'handle');
  assert.ok(bundled.ok);
  assert.match(bundled.bundle, /\nexport \{\n {2}handle\n\};\n$/);
  assert.doesNotMatch(bundled.bundle, /other|types'/);
  assert.equal(bundled.digest, createHash('sha256').update(bundled.bundle).digest('hex'));
  const line = bundled.bundle.split('\n').findIndex((text) => text.includes('throw')) + 1;
  const original = originalPositionFor(new TraceMap(bundled.map), { line, column: 2 });
  assert.deepEqual([original.source, original.line, original.column], ['handler.ts', 5, 2]);
});

test('the same source gives the same bundle', async () => {
  const source = 'export const perform = () => 1;';
  assert.deepEqual(await bundleHandler(source, 'perform'), await bundleHandler(source, 'perform'));
});

test('faults have their position in the source, in characters', async () => {
  const bundled = await bundleHandler(
    `const text = 'äöü'; import x from 'left-pad';\nexport const handle = () => x;`,
    'handle',
  );
  assert.ok(!bundled.ok);
  assert.match(bundled.faults[0]?.message ?? '', /Cannot import "left-pad"/);
  assert.deepEqual([bundled.faults[0]?.line, bundled.faults[0]?.column], [1, 35]);
  const broken = await bundleHandler('export const handle = () => {\n  return 1 +;\n};', 'handle');
  assert.ok(!broken.ok);
  assert.equal(broken.faults[0]?.line, 2);
});

test('every foreign import is a fault by name', async () => {
  const bundled = await bundleHandler(
    `import a from 'one';\nimport b from 'two';\nexport const handle = () => [a, b];`,
    'handle',
  );
  assert.ok(!bundled.ok);
  assert.deepEqual(
    bundled.faults.map(({ message, line }) => [/"(\w+)"/.exec(message)?.[1], line]),
    [
      ['one', 1],
      ['two', 2],
    ],
  );
});

test('text in a string that looks like an import is no import', async () => {
  const bundled = await bundleHandler(
    `// import 'x' from "y"\nexport const handle = () => "import 'x' from 'y'";`,
    'handle',
  );
  assert.ok(bundled.ok);
});

test('no name made at run time brings a file of the host into the bundle', async () => {
  // A pattern is resolved against the folder in which the bundler was started.
  const here = readdirSync('.').find((name) => /^\w+\.json$/.test(name));
  assert.ok(here);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a candidate
  const name = '`./${request.name}.json`';
  for (const load of [
    `import(${name})`,
    `import(/* now */ './' + request.name + '.json')`,
    `import(request.deep ? ${name} : '')`,
    `require(${name})`,
    `require?.(${name})`,
    `r\\u0065quire!(${name})`,
  ]) {
    const bundled = await bundleHandler(
      `declare const require: any; export const handle = (request: any) => ${load};`,
      'handle',
    );
    assert.deepEqual([load, bundled.ok], [load, false]);
  }
  const text = await bundleHandler(
    `export const handle = () => 'what we require(d), import(ed) or do (not) \\u00e4';`,
    'handle',
  );
  assert.ok(text.ok);
});

test('a missing export is told apart from every other fault', async () => {
  const missing = await bundleHandler('export const perform = () => 1;', 'handle');
  const faulty = await bundleHandler('export const perform = ;', 'handle');
  assert.deepEqual(
    [missing, faulty].map((bundled) => !bundled.ok && bundled.faults[0]?.missingExport),
    [true, undefined],
  );
});

test('a bundler that crashed serves the next caller, and those that were waiting', async () => {
  // Nesting is limited, so this crashes it in another way: each arrow can be parsed in two ways.
  const slow = bundleHandler(`export const handle = (a, b) => ${'a ? (b) : c => '.repeat(60)}b;`, 'handle');
  const others = await Promise.all(
    Array.from({ length: 5 }, (_, index) => bundleHandler(`export const handle = () => ${index};`, 'handle')),
  );
  assert.ok(others.every(({ ok }) => ok));
  const slowResult = await slow;
  assert.ok(!slowResult.ok);
  // Which limit it reaches first depends on the machine.
  assert.match(slowResult.faults[0]?.message ?? '', /took (?:longer|more) than/);
  assert.ok((await bundleHandler('export const handle = () => 1;', 'handle')).ok);
});

test('a candidate is not blamed for a bundler that does not start', () => {
  const script = `import { bundleHandler } from './sandbox/index.ts';
await bundleHandler('export const handle = () => 1;', 'handle').catch(({ code }) => console.log(code));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
    // Any program that does not speak its language.
    env: { ...process.env, ESBUILD_BINARY_PATH: process.execPath },
  });
  assert.equal(stdout, 'PLATFORM_SANDBOX_LOST\n');
});

test('a bundler that takes all memory is ended, and serves the next caller', async () => {
  const members = Array.from({ length: 40 }, (_, index) => `a${index + 1} = a${index} + a${index}`).join(', ');
  const doubling = `enum Doubled { a0 = 'xxxxxxxx', ${members} }\nexport const handle = () => Doubled.a40;`;
  let peakMb = 0;
  const look = setInterval(() => {
    for (const pid of childrenNamed('esbuild')) peakMb = Math.max(peakMb, residentMbOf(pid) ?? 0);
  }, 10);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const [{ ok }, next] = [
      await bundleHandler(doubling, 'handle'),
      await bundleHandler('export const handle = () => 1;', 'handle'),
    ];
    assert.deepEqual([ok, next.ok], [false, true]);
  }
  clearInterval(look);
  // How far it gets depends on the machine; that it is watched does not.
  assert.ok(peakMb > 0 || process.platform !== 'linux');
});

test('a source is scanned once, however its names are joined', async () => {
  const chain = `x(${`${'abcdefghijklmnopqrstuvwxyz'.repeat(3)}.`.repeat(249)}a);`;
  const cost = startCost();
  const bundled = await bundleHandler(
    `declare const x: any, abcdefghijklmnopqrstuvwxyz: any;\n${chain.repeat(12)}\nexport const handle = () => 1;`,
    'handle',
  );
  assert.ok(bundled.ok);
  // Hundredths of a second; half a minute if the scan began anew at each letter of a name.
  assert.ok(cost() < 300);
});

test('a bundle is recognized quickly, however many line ends its texts have', async () => {
  const bundle = `var text = \`${'\n'.repeat(250_000)}\`;\nfunction handle() {\n  return text;\n}\nexport {\n  handle\n};\n`;
  const cost = startCost();
  assert.deepEqual(await normalizeBundle(bundle, 'handle'), { bundle });
  // Milliseconds; a minute and a half if the scan skipped spaces again from each line.
  assert.ok(cost() < 1_200);
});
