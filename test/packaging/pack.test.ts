import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'protosmith-pack-'));
const consumer = mkdtempSync(join(scratch, 'consumer-'));
const command = join(consumer, 'node_modules/.bin/protosmith');
const hangMs = 180_000;

after(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a program with this process's Node first on the path, as a consumer with a Node of their own would. */
function run(program: string, args: string[], { cwd = consumer, node = process.execPath } = {}) {
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: hangMs });
  return { status, stdout, stderr: error === undefined ? stderr : `${stderr}${error.message}` };
}

test('the package packs, installs without a Node of its own, and its command works', async (t) => {
  let tarball = '';
  await t.test('npm pack builds and packs what runs, and no more', () => {
    const packed = run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: root });
    assert.equal(packed.status, 0, packed.stderr);
    const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[')));
    tarball = join(scratch, filename);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    const wanted = [
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'bin/protosmith.mjs',
      'bin/check-node.cjs',
      'dist/src/main.js',
      'dist/src/index.d.ts',
      'queues/publish-outcome.lua',
    ];
    assert.deepEqual(
      wanted.filter((path) => !paths.includes(path)),
      [],
      'is missing',
    );
    for (const named of filesReadAtRunTime()) {
      assert.ok(
        paths.some((path) => path === named || path.startsWith(`${named}/`)),
        `${named} is read and missing`,
      );
    }
    const unwanted = paths.filter(
      (path) => /^(src|sandbox|queues|test|scripts)\/.*\.[mc]?[jt]s$/.test(path) || /^dist\/.*(?<!\.d)\.ts$/.test(path),
    );
    assert.deepEqual(unwanted, []);
  });
  if (tarball === '') return;

  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const installed = run('npm', ['install', tarball, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']);
  if (/E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH)/.test(installed.stderr)) {
    t.skip('no package registry can be reached, and a consumer installs from one');
    return;
  }
  assert.equal(installed.status, 0, installed.stderr);

  await t.test('no Node binary came along', () => {
    assert.deepEqual(
      globSync('node_modules/{node,node-{linux,darwin,bin}-*,protosmith-node,*/bin/node}', { cwd: consumer }),
      [],
    );
    assert.equal(existsSync(join(consumer, 'node_modules/.bin/node')), false);
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(consumer, 'node_modules/protosmith/package.json'), 'utf8'),
    );
    assert.deepEqual(
      Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => /^node(-|$)/.test(name)),
      [],
    );
  });

  await t.test('protosmith --help lists the commands', () => {
    const { status, stdout, stderr } = run(command, ['--help']);
    assert.equal(status, 0, stderr);
    for (const name of ['worker', 'submit', 'demo', 'lint', 'doctor'])
      assert.match(stdout, new RegExp(`^ *${name}\\b`, 'm'));
  });

  await t.test('protosmith lint finds an external reference', () => {
    const schema = { type: 'object', properties: { item: { $ref: 'https://example.com/item.json' } } };
    const document = `# Data Format\n\n## Request Message Format\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`;
    writeFileSync(join(consumer, 'document.md'), document);
    const { status, stdout, stderr } = run(command, ['lint', 'document.md', '--json']);
    assert.equal(status, 1, stderr);
    assert.match(stdout, /"DOCUMENT_/);
  });

  await t.test('the library, the sandbox and the schemas can be imported', () => {
    const source = `for (const name of ['protosmith', 'protosmith/sandbox', 'protosmith/anp', 'protosmith/anp-negotiate', 'protosmith/agora', 'protosmith/uagents', 'protosmith/agent-description']) {
      const found = Object.keys(await import(name)).length;
      if (found === 0) throw new Error(name + ' exports nothing');
    }
    for (const name of ['job', 'outcome', 'reading']) {
      const { default: schema } = await import('protosmith/' + name + '.schema.json', { with: { type: 'json' } });
      if (!schema.$schema) throw new Error(name + ' is no schema');
    }`;
    const { status, stderr } = run(process.execPath, ['--input-type=module', '-e', source]);
    assert.equal(status, 0, stderr);
  });

  await t.test('the types come along', () => {
    const source = `import { lint } from 'protosmith';
      export const codes: string[] = lint('# Requirements').map(({ code }) => code);
      // @ts-expect-error: a number is no text.
      lint(1);
      import { encode, type ProtocolNegotiation, serveHello } from 'protosmith/anp';
      const status = 'negotiating';
      const offer: ProtocolNegotiation = { action: 'protocolNegotiation', sequenceId: 0, candidateProtocols: '', status };
      export const sent = encode({ type: 'meta', message: { ...offer, more: [1] } });
      export const summary: string | undefined = offer.modificationSummary;
      // @ts-expect-error: no status of the protocol.
      export const wrong: ProtocolNegotiation = { ...offer, status: 'done' };
      export const answer: typeof serveHello = serveHello;`;
    writeFileSync(join(consumer, 'consumer.ts'), source);
    const compiler = join(consumer, 'node_modules/typescript/bin/tsc');
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--ignoreConfig',
    ];
    const { status, stdout } = run(process.execPath, [compiler, ...flags, 'consumer.ts']);
    assert.equal(status, 0, stdout);
  });

  await t.test('the sandbox runs from the built files', () => {
    const { stdout, stderr } = run(command, ['doctor']);
    assert.match(stdout, /\bsandbox: .*passes/, stderr);
    assert.doesNotMatch(stdout + stderr, /\.ts['"]|ERR_MODULE_NOT_FOUND|ENOENT/);
  });

  await t.test('a worker bounds its heap, unless its operator says otherwise', () => {
    const tell = `data:text/javascript,import{getHeapStatistics}from'node:v8';console.log('heap',getHeapStatistics().heap_size_limit/2**20)`;
    const heapMb = (own: string) => {
      const env = { ...process.env, NODE_OPTIONS: `--import=${tell} ${own}` };
      const { stdout, stderr } = spawnSync(process.execPath, [command, 'worker', '--help'], {
        env,
        encoding: 'utf8',
        timeout: hangMs,
      });
      assert.match(stdout, /Usage: protosmith worker/, stderr);
      return Number([...stdout.matchAll(/^heap ([\d.]+)$/gm)].at(-1)?.[1]);
    };
    const [bounded, own] = [heapMb(''), heapMb('--max-old-space-size=512')];
    // The young heap, three times 32 MB, counts as well.
    assert.ok(bounded >= 1_024 && bounded <= 1_024 + 96, `${bounded} MB`);
    assert.ok(own >= 512 && own <= 512 + 96, `${own} MB`);
  });

  const older = olderNode();
  await t.test(
    'an older Node is told what is wanted',
    { skip: older === undefined && 'no older Node on the path' },
    () => {
      const { status, stderr } = run(older ?? '', [command, '--help']);
      assert.equal(status, 78);
      assert.match(stderr, /^Cannot start protosmith: found Node v\d+\.\d+\.\d+, wanted Node 24 or newer/);
    },
  );
});

/** What the sources read from the package's root: files and folders. */
function filesReadAtRunTime(): string[] {
  const named = globSync('src/**/*.ts', { cwd: root })
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/\bpackageFile\('([^']+)'\)/g)])
    .map(([, path]) => path ?? '');
  assert.ok(named.length > 0, 'nothing is read by packageFile()');
  return named;
}

function olderNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => Number.parseInt(execFileSync(path, ['--version'], { encoding: 'utf8' }).slice(1), 10) < 24);
}
