import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const source = join(import.meta.dirname, '../../scripts/bootstrap.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'protosmith-bootstrap-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A Node that cannot become another program, as before version 22.15: the script becomes its child. */
const asParent = ['--import', 'data:text/javascript,process.execve=undefined'];
/** Stands in for npm: notes that it was called, speaks on stdout and installs by writing what was installed. */
const npm = `
  import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  appendFileSync('npm-calls', process.argv[2] + '\\n');
  console.log('npm speaks');
  if (process.env.NPM_FAILS) process.exit(9);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const [path, { version }] of Object.entries(packages)) {
    mkdirSync(path, { recursive: true });
    writeFileSync(path + '/package.json', JSON.stringify({ version }));
  }
  writeFileSync('node_modules/.package-lock.json', readFileSync('package-lock.json'));
`;

/** A checkout with a lock file, what is installed of it, and a script. */
function checkout(script: string, wanted: object = {}, installed: object | null = wanted): string {
  const root = mkdtempSync(join(scratch, 'checkout-'));
  mkdirSync(join(root, 'scripts'));
  mkdirSync(join(root, 'node_modules'));
  copyFileSync(source, join(root, 'scripts/bootstrap.mjs'));
  writeFileSync(join(root, 'script.mjs'), script);
  writeFileSync(join(root, 'npm-cli.js'), npm);
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: wanted }));
  if (installed === null) return root;
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  for (const path of Object.keys(installed)) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'package.json'), '{}');
  }
  return root;
}

function start(root: string, args: string[] = [], { node = [] as string[], env = {} } = {}): ChildProcess {
  return spawn(process.execPath, [...node, join(root, 'scripts/bootstrap.mjs'), 'script.mjs', ...args], {
    cwd: root,
    env: { ...process.env, npm_execpath: join(root, 'npm-cli.js'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function ended(child: ChildProcess) {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, stdout, stderr };
}

const npmCalls = (root: string) =>
  existsSync(join(root, 'npm-calls')) ? readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n') : [];

for (const [how, node] of [
  ['as the same process', []],
  ['as a child', asParent],
] as const) {
  test(`a script runs ${how} with its arguments and ends with its exit code`, async () => {
    const root = checkout('console.log(JSON.stringify(process.argv.slice(2))); process.exit(7);');
    const { code, stdout } = await ended(start(root, ['a b', '--c', ''], { node: [...node] }));
    assert.deepEqual({ code, stdout }, { code: 7, stdout: '["a b","--c",""]\n' });
    assert.deepEqual(npmCalls(root), []);
  });

  test(`a script that runs ${how} and dies of a signal takes the caller along`, async () => {
    const root = checkout("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);");
    assert.equal((await ended(start(root, [], { node: [...node] }))).signal, 'SIGKILL');
  });
}

test('a signal that arrives twice reaches a child once', async () => {
  const root = checkout(`
    let signals = 0;
    process.on('SIGTERM', () => {
      signals += 1;
      setTimeout(() => { console.log(signals); process.exit(5); }, 500);
    });
    console.log('ready');
    setInterval(() => {}, 1000);
  `);
  const child = start(root, [], { node: asParent });
  assert.ok(child.stdout);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGTERM'), 100);
  const { code, stdout } = await ended(child);
  assert.deepEqual({ code, stdout }, { code: 5, stdout: '1\n' });
});

const ownNode = `node_modules/node-${process.platform}-${process.arch}`;
const stale = {
  'nothing is installed': { installed: null, named: /none are installed/ },
  'a package has another version': {
    installed: { 'node_modules/a': { version: '0.9.0' } },
    named: /a is 0\.9\.0, wanted 1\.0\.0/,
  },
  'a package is missing': { installed: {}, named: /a is missing/ },
};
for (const [what, { installed, named }] of Object.entries(stale)) {
  test(`dependencies are installed once where ${what}, and stdout stays the script's`, async () => {
    const root = checkout("console.log('ran')", { 'node_modules/a': { version: '1.0.0' } }, installed);
    const first = await ended(start(root));
    assert.deepEqual({ code: first.code, stdout: first.stdout }, { code: 0, stdout: 'ran\n' }, first.stderr);
    assert.match(first.stderr, named);
    assert.equal((await ended(start(root))).stdout, 'ran\n');
    assert.deepEqual(npmCalls(root), ['ci']);
  });
}

test("an optional package may be missing, but not this platform's Node", async () => {
  const other = { 'node_modules/node-beos-mips': { version: '24.0.0', optional: true } };
  const calm = checkout('', other, {});
  await ended(start(calm));
  assert.deepEqual(npmCalls(calm), []);
  const wanting = checkout('', { ...other, [ownNode]: { version: '24.0.0', optional: true } }, {});
  await ended(start(wanting));
  assert.deepEqual(npmCalls(wanting), ['ci']);
});

test('two first runs at once install once', async () => {
  const root = checkout("console.log('ran')", { 'node_modules/a': { version: '1.0.0' } }, null);
  const runs = await Promise.all([ended(start(root)), ended(start(root))]);
  assert.deepEqual(
    runs.map(({ stdout }) => stdout),
    ['ran\n', 'ran\n'],
  );
  assert.deepEqual(npmCalls(root), ['ci']);
});

test('an installation that was killed does not stop the next one', async () => {
  const root = checkout("console.log('ran')", { 'node_modules/a': { version: '1.0.0' } }, null);
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'close');
  writeFileSync(join(root, '.installing'), String(gone.pid));
  assert.equal((await ended(start(root))).stdout, 'ran\n');
});

test('where npm fails the script does not run, and the exit code is that of npm', async () => {
  const root = checkout("console.log('ran')", { 'node_modules/a': { version: '1.0.0' } }, null);
  const { code, stdout, stderr } = await ended(start(root, [], { env: { NPM_FAILS: '1' } }));
  assert.deepEqual({ code, stdout }, { code: 9, stdout: '' });
  assert.match(stderr, /Cannot install dependencies: npm ci ended with exit code 9, wanted 0/);
  assert.equal(existsSync(join(root, '.installing')), false);
});
