import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'protosmith-check-node-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const { scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The package as npm meets it before the installation, without its dependencies. */
function packed(): string {
  const folder = join(scratch, 'package');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(join(root, 'bin/check-node.cjs'), join(folder, 'bin/check-node.cjs'));
  const { preinstall } = scripts;
  const manifest = { name: 'protosmith', version: '0.0.0', engines, scripts: { preinstall } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: folder });
  return join(scratch, 'protosmith-0.0.0.tgz');
}

/** Installs a tarball under a Node; npm is the one on the path. */
function install(tarball: string, node: string) {
  const folder = mkdtempSync(join(scratch, 'consumer-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const flags = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', ['install', tarball, ...flags], { cwd: folder, env, encoding: 'utf8' });
  return { status, stderr, isThere: existsSync(join(folder, 'node_modules/protosmith')) };
}

function olderNode(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .find((path) => Number.parseInt(execFileSync(path, ['--version'], { encoding: 'utf8' }).slice(1), 10) < 24);
}

const older = olderNode();

test('npm on an older Node installs nothing, and the first line of the package says what is wanted', {
  skip: older === undefined && 'no older Node on the path',
}, () => {
  const { status, stderr, isThere } = install(packed(), older ?? '');
  assert.deepEqual([status === 0, isThere], [false, false]);
  const said = stderr.split('\n').filter((line) => !/^npm (error|ERR!) (code|path|command|A complete log)/.test(line));
  assert.match(said[0] ?? '', /Cannot install protosmith: found Node v\d+\.\d+\.\d+, wanted Node 24 or newer/);
});

test('a Node that is new enough installs it without a word', () => {
  assert.deepEqual(install(packed(), process.execPath), { status: 0, stderr: '', isThere: true });
});

test('in a checkout, which brings its own Node, an older one is no fault', {
  skip: older === undefined && 'no older Node',
}, () => {
  const script = join(root, 'bin/check-node.cjs');
  assert.equal(spawnSync(older ?? '', [script]).status, 0);
});
