import assert from 'node:assert/strict';
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTypeChecker, type TypeChecker } from '../../src/typing/type-checker.ts';
import { declareTypes } from '../../src/typing/types-from-schemas.ts';

const TYPES = await declareTypes({
  role: 'provider',
  payload: 'json',
  requestSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  responseSchema: {
    type: 'object',
    properties: { length: { type: 'number' } },
    required: ['length'],
    additionalProperties: false,
  },
  tools: [],
});
const IMPORT = "import type { Context, Request, Response } from './types';\n";
const SOUND = `${IMPORT}export async function handle(request: Request, context: Context): Promise<Response> {\n  void context;\n  return { length: request.word.length };\n}\n`;
/** Keeps the server busy for minutes. */
const ENDLESS = `export const x = ${'['.repeat(20_000)}${']'.repeat(20_000)};`;

const checkers: TypeChecker[] = [];
after(() => Promise.all(checkers.map((checker) => checker.close())));

function checkerWith(limits: Parameters<typeof createTypeChecker>[0] = {}): TypeChecker {
  const checker = createTypeChecker(limits);
  checkers.push(checker);
  return checker;
}

const shared = checkerWith();

async function messages(source: string, types = TYPES): Promise<string> {
  return (await shared.check(source, types)).map(({ message }) => message).join('\n');
}

/** Process ids of all descendants of a process, from Linux' /proc. */
function descendants(pid: number): number[] {
  const children: number[] = [];
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      for (const one of readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
        if (one !== '') children.push(Number(one));
    }
  } catch {
    // It has exited.
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function gone(pids: readonly number[]): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (pids.some(isAlive)) {
    assert.ok(Date.now() < giveUpAt, `processes ${pids.filter(isAlive).join(', ')} are still there`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a sound module has no faults', async () => {
  assert.deepEqual(await shared.check(SOUND, TYPES), []);
});

test('a fault has line and column in the source, from 1, whatever comes before it', async () => {
  const source = `${IMPORT}// 日本語 😀\nexport const handle = (request: Request): Response => ({ /* 😀 */ length: request.word });\n`;
  const [fault, ...others] = await shared.check(source, TYPES);
  assert.deepEqual(others, []);
  const line = source.split('\n')[2] ?? '';
  assert.deepEqual(fault, {
    line: 3,
    column: line.indexOf('length') + 1,
    message: "Type 'string' is not assignable to type 'number'.",
    code: 'CANDIDATE_TYPES',
  });
});

test('the module must export the function of its role, with its signature', async () => {
  assert.match(await messages('export const other = 1;'), /must export the function.*'handle'/s);
  assert.match(
    await messages(`${IMPORT}export const handle = (request: number): Response => ({ length: request });`),
    /must export the function/,
  );
  assert.match(await messages(`${IMPORT}export const handle = (): number => 1;`), /must export the function/);
  assert.equal(
    await messages(`${IMPORT}export const handle = (request: Request): Response => ({ length: request.word.length });`),
    '',
  );
  const requester = await declareTypes({ role: 'requester', payload: 'text', tools: [] });
  assert.match(await messages('export const handle = () => 1;', requester), /'perform'/);
  assert.equal(await messages('export const perform = () => 1;', requester), '');
});

test('the library is ES2025: no DOM, no Node', async () => {
  for (const name of ['fetch', 'setTimeout', 'process', 'Buffer', 'console', 'require', 'window', 'structuredClone']) {
    assert.match(
      await messages(`export const handle = (): any => ${name};`),
      new RegExp(`Cannot find name '${name}'`),
      name,
    );
  }
  assert.equal(
    await messages('export const handle = (): any => ({ length: [3, 1].toSorted().findLast((n) => n > 1) });'),
    '',
  );
});

test('strict is on', async () => {
  assert.match(await messages('export const handle = (request): any => request;'), /implicitly has an 'any' type/);
});

test('a module cannot disable or change the type-check', async () => {
  for (const line of [
    '// @ts-nocheck',
    '/* @ts-nocheck */',
    '  // @ts-ignore',
    '// @ts-expect-error',
    '/// <reference lib="dom" />',
    '/// <reference types="node" />',
  ]) {
    const faults = await shared.check(`${line}\nexport const handle = (): any => fetch;`, TYPES);
    assert.equal(faults[0]?.line, 1, line);
    assert.match(faults[0]?.message ?? '', /^Cannot accept module/, line);
  }
  assert.equal(await messages("export const handle = (): any => '// @ts-nocheck';"), '');
  assert.equal((await shared.check('//@ts-ignore\n'.repeat(18_000), TYPES)).length, 20);
});

test('a comment that would disable the type-check has no effect, wherever it is', async () => {
  const wrong = 'const wrong: number = "no";';
  for (const source of [
    `/**/ // @ts-nocheck\n${wrong}`,
    `/// @ts-nocheck\n${wrong}`,
    `// @TS-NoCheck\n${wrong}`,
    `\u00a0// @ts-nocheck\n${wrong}`,
    `/// @ts-ignore\n${wrong}`,
    `const right = 1; // @ts-ignore\n${wrong}`,
    `const right = 1; // @ts-expect-error\n${wrong}`,
    `const right = 1; /* @ts-ignore */\n${wrong}`,
    `/*\n@ts-ignore */\n${wrong}`,
  ])
    assert.match(
      await messages(`${source}\nexport const handle = (): any => wrong;`),
      /'string' is not assignable/,
      source,
    );
});

test('no host file is read, and no text of one leaks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'canary-'));
  try {
    const canary = 'CANARY_7f3a';
    for (const name of ['canary.ts', 'canary.d.ts', 'canary.json', 'canary', 'lib.canary.d.ts']) {
      writeFileSync(
        join(folder, name),
        name.endsWith('.json') ? `{"secret": "${canary}"}` : `export const secret: '${canary}' = '${canary}';\n`,
      );
    }
    for (const path of [
      'canary',
      'canary.ts',
      'canary.d.ts',
      'canary.json',
      'canary.js',
      'lib.canary',
      'lib.canary.d.ts',
    ]) {
      for (const specifier of [
        join(folder, path),
        `file://${join(folder, path)}`,
        `../../../../../../..${join(folder, path)}`,
      ]) {
        for (const source of [
          `import { secret } from '${specifier}';\nexport const n: number = secret;\n`,
          `import secret from '${specifier}';\nexport const n: number = secret;\n`,
          `import * as all from '${specifier}';\nexport const n: number = all;\n`,
          `export type T = typeof import('${specifier}').secret;\nexport const n: T = 1;\n`,
          `import secret from '${specifier}' with { type: 'json' };\nexport const n: number = secret;\n`,
          `/** @import { secret } from '${specifier}' */\nexport const n: number = 'x';\n`,
          `declare module '${specifier}' { export const more: 1; }\n`,
          `\n/// <reference path="${specifier}" />\nexport const n: number = secret;\n`,
          `export * from '${specifier}';\n`,
        ]) {
          const text = await messages(`${source}export const handle = (): any => 1;`);
          assert.ok(!text.includes(canary), `${source}\n${text}`);
          assert.ok(text !== '', source);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a module cannot import packages that are installed here', async () => {
  for (const name of ['node:fs', 'fs', 'typescript', 'openai', '@types/node', './type-checker', '../package.json']) {
    assert.notEqual(await messages(`import * as all from '${name}';\nexport const handle = (): any => all;`), '', name);
  }
});

test('a check that takes too long is a fault of the module, and the next check works', async () => {
  const checker = checkerWith({ firstCheckMs: 200, lastCheckMs: 700 });
  assert.deepEqual(await checker.check(SOUND, TYPES), []);
  const faults = await checker.check(ENDLESS, TYPES);
  assert.deepEqual(
    faults.map(({ code }) => code),
    ['CANDIDATE_TYPE_CHECK_LIMIT'],
  );
  assert.match(faults[0]?.message ?? '', /^Cannot check module: .+, wanted at most 700 ms of CPU time/);
  assert.deepEqual(await checker.check(SOUND, TYPES), []);
});

test('a check that takes too much memory is a fault of the module', {
  skip: process.platform === 'linux' ? false : 'resident memory is read from /proc',
}, async () => {
  // The warm child alone exceeds it.
  const checker = checkerWith({ memoryMb: 40 });
  const faults = await checker.check(ENDLESS, TYPES);
  assert.deepEqual(
    faults.map(({ code }) => code),
    ['CANDIDATE_TYPE_CHECK_LIMIT'],
  );
  assert.match(faults[0]?.message ?? '', /over 40 MiB of memory/);
});

test('a source that is too long is not checked', async () => {
  const [fault] = await checkerWith({ maxSourceCharacters: 100 }).check(SOUND.padEnd(101), TYPES);
  assert.equal(fault?.code, 'CANDIDATE_TYPE_CHECK_LIMIT');
});

test('child and server exit after a limit and after closing', {
  skip: process.platform === 'linux' ? false : 'processes are read from /proc',
}, async () => {
  const before = new Set(descendants(process.pid));
  const checker = createTypeChecker({ firstCheckMs: 200, lastCheckMs: 200 });
  await checker.check(SOUND, TYPES);
  const first = descendants(process.pid).filter((pid) => !before.has(pid));
  assert.equal(first.length, 2, 'a child and its server');
  await checker.check(ENDLESS, TYPES);
  await gone(first);
  await checker.check(SOUND, TYPES);
  const second = descendants(process.pid).filter((pid) => !before.has(pid));
  assert.equal(second.length, 2);
  await checker.close();
  await gone(second);
});

test('child and busy server exit when the parent is killed', {
  skip: process.platform === 'linux' ? false : 'processes are read from /proc',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parent-'));
  const script = join(folder, 'parent.ts');
  writeFileSync(
    script,
    `import { createTypeChecker } from ${JSON.stringify(new URL('../../src/typing/type-checker.ts', import.meta.url).href)};
const checker = createTypeChecker({ firstCheckMs: 120_000 });
await checker.check('export {};', 'export {};');
process.send?.('busy');
await checker.check(${JSON.stringify(ENDLESS)}, 'export {};');
`,
  );
  let parent: ChildProcess | undefined;
  try {
    parent = fork(script, [], { execArgv: [] });
    await new Promise((resolve) => parent?.once('message', resolve));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const family = descendants(parent.pid ?? 0);
    assert.equal(family.length, 2, 'a child and its server');
    parent.kill('SIGKILL');
    await gone(family);
  } finally {
    parent?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

test('concurrent checks all get an answer', async () => {
  const sources = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? SOUND : `export const n${n}: number = 'x';`));
  const found = await Promise.all(sources.map((source) => shared.check(source, TYPES)));
  assert.deepEqual(
    found.map((faults) => faults.length > 0),
    sources.map((_, n) => n % 2 === 1),
  );
});

/** Checks modules while another check is running, so that they wait together. */
async function together(checker: TypeChecker, sources: readonly string[]): Promise<string[]> {
  const first = checker.check(SOUND, TYPES);
  const found = await Promise.all(sources.map((source) => checker.check(source, TYPES)));
  assert.deepEqual(await first, []);
  return found.map((faults) => faults.map(({ line, message }) => `${line}: ${message}`).join('\n'));
}

test('modules checked in one program have the same faults as alone', async () => {
  const wrong = SOUND.replace('request.word.length', 'request.word');
  const noExport = `${IMPORT}export const other = (one: Request): Response => ({ length: one.word.length });`;
  const unreadable = 'export const handle = (';
  const unknown = SOUND.replace('Context, ', 'Context, Nothing, ');
  const sources = [SOUND, wrong, noExport, unreadable, unknown, SOUND, wrong, SOUND, noExport, unknown];
  const alone: string[] = [];
  for (const source of sources) alone.push(await messages(source));
  const found = await together(shared, sources);
  assert.deepEqual(
    found.map((text) => text.replaceAll(/^\d+: /gm, '')),
    alone,
  );
  assert.ok(found[1] !== '' && found[2] !== '' && found[3] !== '' && found[4] !== '' && found[0] === '');
});

test('a module neither reaches nor changes others in its program', async () => {
  const uses = `${SOUND}\nexport const added = ''.addedByAnother;`;
  const augments = [
    'declare global { interface String { addedByAnother: number } }',
    'global { interface String { addedByAnother: number } }',
    'd\\u0065clare global { interface String { addedByAnother: number } }',
    "declare module '../0/types' { interface Request { addedByAnother: number } }",
  ].map((text) => `${SOUND}\n${text}`);
  const reaches = ["import { handle as x } from '../0/handler';", "export * from /* */ '../0/handler';"].flatMap(
    (text) => [`${SOUND}\n${text}`, `${SOUND}\n${text.replace('../0', '../1')}`],
  );
  const found = await together(shared, [uses, ...augments, ...reaches, uses]);
  assert.match(found[0] ?? '', /addedByAnother/);
  assert.match(found.at(-1) ?? '', /addedByAnother/);
  for (const text of found.slice(-1 - reaches.length, -1)) assert.match(text, /Cannot find module/);
});

test('a module that exceeds a limit does not affect others in its program', async () => {
  const checker = checkerWith({ lastCheckMs: 1_000 });
  const found = await together(checker, [SOUND, ENDLESS, SOUND]);
  assert.deepEqual([found[0], found[2]], ['', '']);
  assert.match(found[1] ?? '', /wanted at most 1000 ms/);
});

test('a module that needs longer than the first check gets its real faults', async () => {
  const checker = checkerWith({ firstCheckMs: 0, lastCheckMs: 60_000 });
  // Far longer than one measuring interval, so that it exceeds a limit of zero.
  const long = Array.from({ length: 3_000 }, (_, n) => `export const f${n} = (a: number): string => 'x'.repeat(a);\n`);
  const found = await checker.check(`${long.join('')}export const handle = (): number => 1;`, TYPES);
  assert.deepEqual(
    found.map(({ code }) => code),
    ['CANDIDATE_TYPES'],
  );
});

test('sound modules of one tenant do not wait for endless ones of another', async () => {
  const checker = checkerWith({ lastCheckMs: 600_000 });
  const controller = new AbortController();
  const { signal } = controller;
  const settled: string[] = [];
  const check = (tenant: string, job: string, source: string): Promise<unknown> =>
    checker
      .check(source, TYPES, { owner: { tenant, job }, signal })
      .then((faults) => settled.push(faults.length === 0 ? tenant : `${tenant} at fault`));
  const endless = Array.from({ length: 6 }, (_, n) => check('hostile', `job ${n % 2}`, `${ENDLESS}\n// ${n}`));
  const sound = Array.from({ length: 20 }, (_, n) => check('sound', `job ${n}`, `${SOUND}\n// ${n}`));
  const over = Promise.allSettled(endless);
  await Promise.all(sound);
  assert.deepEqual(settled, Array(20).fill('sound'));
  controller.abort();
  assert.ok((await over).every(({ status }) => status === 'rejected'));
});

test('a child is replaced after a number of checks', async () => {
  const checker = checkerWith({ maxChecks: 2 });
  for (let n = 0; n < 5; n += 1) assert.deepEqual(await checker.check(SOUND, TYPES), []);
});

test('an abort rejects a check at once, and the checker continues', async () => {
  const checker = checkerWith();
  await checker.check(SOUND, TYPES);
  const controller = new AbortController();
  const { signal } = controller;
  const check = checker.check(ENDLESS, TYPES, { signal });
  const reason = new Error('called off');
  setTimeout(() => controller.abort(reason), 50);
  await assert.rejects(check, reason);
  await assert.rejects(checker.check(SOUND, TYPES, { signal }), reason);
  assert.deepEqual(await checker.check(SOUND, TYPES), []);
});

test('a closed checker refuses', async () => {
  const checker = createTypeChecker();
  await checker.close();
  await assert.rejects(checker.check(SOUND, TYPES), { code: 'PLATFORM_TYPE_CHECKER' });
});

test('an idle checker does not keep a process alive', () => {
  const script = `const { createTypeChecker } = await import(${JSON.stringify(new URL('../../src/typing/type-checker.ts', import.meta.url).href)});
await createTypeChecker().check('export {};', 'export {};');`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { timeout: 60_000 });
  assert.equal(status, 0);
});
