import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { bundleHandler, createSandbox } from '../../sandbox/index.ts';
import { runBatch } from '../../src/operator/run/run-batch.ts';
import { solved, storeInstead } from '../kinds/stored.ts';
import { commandHere } from '../system/command-here.ts';
import { root, runCommand, startRig } from '../system/harness.ts';

const folder = await mkdtemp(join(tmpdir(), 'protosmith-run-'));
after(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function lines(stdout: string): Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const settings = { PROTOSMITH_CELLS: '1' };

test('a module runs once: one line of JSON, its tools answered from their examples', async () => {
  const source = await file(
    'handler.ts',
    `import type { Request, Response, Context } from './types';
     export async function handle(request: Request, context: Context): Promise<Response> {
       context.log('asked for', request.id);
       return { found: await context.call.find({ id: request.id }) };
     }`,
  );
  const tools = await file(
    'tools.json',
    JSON.stringify([{ name: 'find', examples: [{ input: { id: 1 }, output: 'one' }] }]),
  );
  const ran = await runCommand(['run', '--tools', tools, source, '-'], { environment: settings, input: '{"id":1}' });
  assert.equal(ran.code, 0, ran.stderr);
  const [line] = lines(ran.stdout);
  const { durationMs, ...rest } = line ?? {};
  assert.deepEqual(rest, {
    end: 'returned',
    value: { found: 'one' },
    logs: ['asked for 1'],
    calls: [{ tool: 'find', input: { id: 1 }, output: 'one' }],
  });
  assert.equal(typeof durationMs, 'number');
});

test('a module that throws or cannot be bundled: its end is told, exit code 1', async () => {
  const throwing = await file('throws.ts', 'export const handle = () => { throw new Error("no luck"); };');
  const threw = await commandHere(['run', throwing, '-'], { environment: settings, input: '{}' });
  assert.equal(threw.code, 1);
  assert.deepEqual(
    [lines(threw.stdout)[0]?.end, String(lines(threw.stdout)[0]?.message).includes('no luck')],
    ['threw', true],
  );
  const importing = await file(
    'imports.ts',
    'import fs from "node:fs"; export const handle = () => fs.readFileSync("/etc/passwd");',
  );
  const refused = await commandHere(['run', importing, '-'], { environment: settings, input: '{}' });
  assert.deepEqual([refused.code, lines(refused.stdout)[0]?.end], [1, 'refused']);
  assert.match(String(lines(refused.stdout)[0]?.message), /node:fs/);
});

test('what a handler may take is the operator’s to set, and a wrong limit starts nothing: 78', async () => {
  const wide = await file('wide.ts', 'export const handle = (length: number) => "x".repeat(length);');
  const runWith = (limits: string) =>
    commandHere(['run', wide, '-'], {
      environment: { ...settings, PROTOSMITH_SANDBOX_LIMITS: limits },
      input: '1000',
    });
  assert.equal(lines((await runWith('{"maxResultBytes":1002}')).stdout)[0]?.end, 'returned');
  assert.equal(lines((await runWith('{"maxResultBytes":100}')).stdout)[0]?.end, 'threw');
  for (const limits of ['{"memoryMb":100000}', '{"stepMs":"1"}']) {
    const { code, stdout, stderr } = await runWith(limits);
    assert.deepEqual([code, stdout], [78, ''], stderr);
    assert.match(stderr, /OPERATOR_S(ETTINGS|ANDBOX_LIMITS): .*wanted/s);
  }
});

test('the sandbox is as strict as the operator says, and a wrong word starts nothing: 78', async () => {
  const marks = await file(
    'marks.ts',
    'export const handle = () => { try { (Array.prototype as any).mark = 1; } catch {} return ([] as any).mark ?? 0; };',
  );
  const runWith = (strict: string) =>
    commandHere(['run', marks, '-'], { environment: { ...settings, PROTOSMITH_SANDBOX_STRICT: strict }, input: '1' });
  assert.equal(lines((await runWith('')).stdout)[0]?.value, 0);
  assert.equal(lines((await runWith('jitless, fresh-contexts')).stdout)[0]?.value, 1);
  const { code, stderr } = await runWith('fresh');
  assert.equal(code, 78);
  assert.match(stderr, /OPERATOR_SETTINGS: .*PROTOSMITH_SANDBOX_STRICT: .*wanted some of jitless, fresh-contexts/s);
});

test('walls that are not the best there are, are told of', async (t) => {
  if (process.platform !== 'linux') return t.skip('there are no better ones');
  const module = await file('same.ts', 'export const handle = (request: any) => request;');
  const programs = await mkdtemp(join(folder, 'no-bwrap-'));
  await writeFile(join(programs, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const { code, stderr } = await commandHere(['run', module, '-'], {
    environment: { ...settings, PATH: `${programs}:${process.env.PATH}` },
    input: '1',
  });
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /^The sandbox is at level "(namespaces|permission|process)", since no better one starts: [^\n]+\n$/,
  );
});

test('what cannot be read: 64 and 65', async () => {
  assert.equal((await commandHere(['run'])).code, 64);
  assert.equal((await commandHere(['run', '--batch', 'x', '--stdio'])).code, 64);
  assert.equal(
    (await commandHere(['run', join(folder, 'nothing.ts'), '-'], { environment: settings, input: '{}' })).code,
    65,
  );
  assert.equal(
    (await commandHere(['run', join(folder, 'handler.ts'), '-'], { environment: settings, input: '{' })).code,
    65,
  );
});

test('a batch: each line its own handler, in order, on the same sandbox; one that hangs takes no other along', async () => {
  const batch = await file(
    'batch.jsonl',
    [
      {
        id: 'a',
        source:
          'globalThis.seen = 1; export const handle = (request: unknown) => ({ request, seen: globalThis.seen });',
        request: { n: 1 },
      },
      { id: 'b', source: 'export const handle = () => { for (;;); };', request: {} },
      { id: 'c', source: 'export const handle = () => globalThis.seen ?? null;', request: {} },
      {
        id: 'd',
        source: 'export const perform = (task: unknown, context: any) => context.send(task);',
        request: { n: 4 },
      },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n'),
  );
  const ran = await commandHere(['run', '--batch', batch], { environment: settings });
  assert.equal(ran.code, 0, ran.stderr);
  const found = lines(ran.stdout);
  assert.deepEqual(
    found.map(({ id, end }) => [id, end]),
    [
      ['a', 'returned'],
      ['b', 'timed-out'],
      ['c', 'returned'],
      ['d', 'threw'],
    ],
  );
  assert.deepEqual([found[0]?.value, found[2]?.value], [{ request: { n: 1 }, seen: 1 }, null]);
});

test('a batch with a line that is none answers the others and exits with 1', async () => {
  const ran = await commandHere(['run', '--batch', '-'], {
    environment: settings,
    input: 'nonsense\n{"id":2,"source":"export const handle = () => 2"}\n',
  });
  assert.equal(ran.code, 1);
  assert.deepEqual(
    lines(ran.stdout).map(({ id, end }) => [id, end]),
    [
      [null, 'refused'],
      [2, 'returned'],
    ],
  );
});

test('a batch in which tools are none, or a request is too large, answers every line', async () => {
  const source = 'export const handle = (request: any) => request.length ?? null';
  const batch = [
    { id: 'null for a tool', source, request: 1, tools: [null] },
    { id: 'a name that every object has', source, request: 1, tools: [{ name: 'constructor' }] },
    { id: 'no list of examples', source, request: 1, tools: [{ name: 'look', examples: 5 }] },
    { id: 'no schema', source, request: 1, tools: [{ name: 'look', inputSchema: { type: 'nonsense' } }] },
    {
      id: 'half a pair',
      source,
      request: 1,
      tools: [{ name: 'look', examples: [{ input: { '\ud800': 1 }, output: 1 }] }],
    },
    { id: 'too large', source, request: 'x'.repeat(17_000_000) },
    { id: 'sound', source, request: 'four' },
  ];
  const ran = await commandHere(['run', '--batch', '-'], {
    environment: settings,
    input: batch.map((line) => JSON.stringify(line)).join('\n'),
  });
  assert.equal(ran.code, 1);
  assert.deepEqual(
    lines(ran.stdout).map(({ id, end }) => [id, end]),
    batch.map(({ id }) => [id, id === 'sound' ? 'returned' : 'refused']),
  );
});

test('lines end with a line feed alone, and what is odd about one is told by its id', async () => {
  const source = 'export const handle = (request: any) => ({ request, at: Date.now(), chance: Math.random() })';
  const line = (id: unknown, request: unknown) => JSON.stringify({ id, source, request });
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const ran = await commandHere(['run', '--batch', '-'], {
    environment: settings,
    input: [
      `\ufeff${line('separators', 'a\u2028b\u2029c')}`,
      `${line('first', 1)}\r`,
      line('second', 1),
      `{"id":"deep","source":"","request":${deep}}`,
      `{"id":${deep},"source":""}`,
      line('half a pair \ud800', { '\udc00': '\ud800' }),
      JSON.stringify({ id: 'nulls', source, request: null, tools: null }),
      line('last', 2),
    ].join('\n'),
  });
  assert.equal(ran.code, 1);
  const found = lines(ran.stdout);
  assert.deepEqual(
    found.map(({ id, end }) => [id, end]),
    [
      ['separators', 'returned'],
      ['first', 'returned'],
      ['second', 'returned'],
      ['deep', 'refused'],
      [null, 'refused'],
      ['half a pair \ud800', 'returned'],
      ['nulls', 'returned'],
      ['last', 'returned'],
    ],
  );
  assert.equal((found[0]?.value as { request: string } | undefined)?.request, 'a\u2028b\u2029c');
  // As in a trial, nothing but source and request decides what a module comes to.
  assert.deepEqual(found[1]?.value, found[2]?.value);
  assert.notDeepEqual(found[1]?.value, found.at(-1)?.value);
});

test('a line whose sandbox is lost again and again has no end, and says so', async () => {
  const sandbox = await createSandbox({ cells: 1 });
  await sandbox.close();
  const said: object[] = [];
  const asked = [JSON.stringify({ id: 1, source: 'export const handle = () => 1' })];
  const answered = await runBatch(Readable.from(asked), sandbox, (answer) => said.push(answer));
  assert.equal(answered, false);
  assert.deepEqual(
    said.map((answer) => ({ ...answer, error: Object.keys((answer as { error: object }).error) })),
    [{ id: 1, end: null, error: ['code', 'message'] }],
  );
});

test('tools and requests that are none: one sentence, exit code 65', async () => {
  const module = await file('sound.ts', '\ufeffexport const handle = (request: any) =>\r\n  request;\r\n');
  const request = await file('marked.json', '\ufeff{"a":1}\r\n');
  const ran = await commandHere(['run', module, request], { environment: settings });
  assert.deepEqual([ran.code, lines(ran.stdout)[0]?.value], [0, { a: 1 }]);
  for (const args of [
    ['--tools', await file('object.json', '{}'), module, request],
    ['--tools', await file('nulls.json', '[null]'), module, request],
    [module, await file('deep.json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    [module, folder],
    ['--batch', folder],
  ]) {
    const refused = await commandHere(['run', ...args], { environment: settings });
    assert.deepEqual([refused.code, refused.stdout], [65, ''], refused.stderr);
    assert.match(refused.stderr, /^Cannot read [^\n]*\n$/);
  }
});

test('stored handlers: by digest, over standard input and output, and from Python', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  await rig.worker();
  const { record, job } = await solved(rig, 'run-stored');
  const environment = { ...settings, REDIS_URL: rig.redis.url };
  const request = { messageId: 'm1', type: 'REQUEST', action: 'getProductInfo', productId: 'P12345' };
  const tenant = ['--tenant', String(job.tenant)];

  const once = await commandHere(['run', ...tenant, record.digest, '-'], {
    environment,
    input: JSON.stringify(request),
  });
  assert.equal(once.code, 0, once.stdout + once.stderr);
  assert.equal((lines(once.stdout)[0]?.value as { messageId: string } | undefined)?.messageId, 'm1');

  const unknown = await commandHere(['run', 'f'.repeat(64), '-'], { environment, input: '{}' });
  assert.equal(unknown.code, 65);
  assert.match(unknown.stderr, /JOB_HANDLER_UNKNOWN/);

  const asked = { id: 'x', digest: record.digest, request };
  const product = { productId: 'P12345', productName: 'n', productDescription: 'd', price: 1, currency: 'EUR' };
  const answer = { id: 'x', call: 1, output: product };
  const many = await commandHere(['run', '--stdio', ...tenant], {
    environment,
    input: `${JSON.stringify(asked)}\n${JSON.stringify(answer)}\n`,
  });
  const [call, end] = lines(many.stdout);
  // The answer stood on standard input before the call was made: it is nobody's, and the call fails with the end of
  // input.
  assert.deepEqual([call?.id, call?.call, call?.tool], ['x', 1, 'lookupProduct']);
  assert.deepEqual([end?.id, end?.end], ['x', 'returned']);

  const bundled = await bundleHandler(
    'export const handle = (request: any) => (request === 1 ? [].indexOf.call({ length: 2 ** 53 - 1 } as any, 1 as never) : null);',
    'handle',
  );
  assert.ok(bundled.ok);
  const killer = await storeInstead(rig, record, bundled.bundle);
  // What one process had to learn, the next one knows, as every worker does.
  for (const [input, end] of [
    ['1', 'killed'],
    ['2', 'refused'],
  ] as const) {
    const ran = await commandHere(['run', ...tenant, killer.digest, '-'], { environment, input });
    assert.equal(lines(ran.stdout)[0]?.end, end, ran.stdout + ran.stderr);
  }

  const python = spawnSync('python3', ['-c', 'pass']);
  if (python.status !== 0) return t.diagnostic('no python3: the Python host is not run');
  const requestFile = await file('request.json', JSON.stringify({ ...request, productId: 'P1' }));
  // Not synchronously: where the Redis is the embedded one, it runs in this very process.
  const host = await promisify(execFile)(
    'python3',
    [join(root, 'examples/use_handler.py'), record.digest, requestFile],
    {
      env: {
        ...process.env,
        ...environment,
        PROTOSMITH: `${process.execPath} ${join(root, 'src/main.ts')}`,
        PROTOSMITH_TENANT: String(job.tenant),
      },
      timeout: 60_000,
    },
  );
  const result = JSON.parse(host.stdout) as { end: string; value: { productInfo: { price: number } } };
  assert.deepEqual([result.end, result.value.productInfo.price], ['returned', 39.5], host.stderr);
});
