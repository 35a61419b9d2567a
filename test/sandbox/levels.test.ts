import assert from 'node:assert/strict';
import { type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { addonPath } from '../../sandbox/addon.ts';
import { bundleHandler, createSandbox, type Level, levels } from '../../sandbox/index.ts';
import { findTools, type Launch, launchesAt } from '../../sandbox/launch.ts';

/** What a guest would try that has broken out of its isolate: it has all of Node, like the program of the cell. */
const breakOut = `
const seen = { env: Object.keys(process.env).filter((name) => name !== 'PWD') };
const attempt = (name, act) => { try { seen[name] = String(act()); } catch (error) { seen[name] = error.code ?? error.message; } };
const { file, port, parent } = JSON.parse(process.argv.at(-1));
attempt('read', () => require('fs').readFileSync(file, 'utf8'));
attempt('passwd', () => require('fs').readFileSync('/etc/passwd', 'utf8').length);
attempt('write', () => require('fs').writeFileSync(file + '.written', 'x'));
attempt('spawn', () => { const { error, status } = require('child_process').spawnSync(process.execPath, ['-e', '0']); if (error) throw error; return 'status ' + status; });
attempt('kill', () => process.kill(parent, 0));
attempt('uid', () => process.getuid());
let socket;
const tell = () => { process.stdout.write(JSON.stringify(seen)); process.exit(0); };
try {
  socket = require('net').connect(port, '127.0.0.1');
  socket.on('connect', () => { seen.connect = 'connected'; tell(); });
  socket.on('error', (error) => { seen.connect = error.code; tell(); });
} catch (error) { seen.connect = error.code ?? error.message; tell(); }
`;

type Seen = Record<'read' | 'passwd' | 'write' | 'spawn' | 'kill' | 'connect' | 'uid', string> & { env: string[] };

let folder: string;
let file: string;
let port: number;
const server = createServer((socket) => socket.end());

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'levels-'));
  file = join(folder, 'secret');
  await writeFile(file, 'secret');
  process.env.SANDBOX_CANARY = 'secret';
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});

after(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

async function openAt(level: Level) {
  return createSandbox({ cells: 1, exactly: level }).catch((error: Error) => error.message);
}

/**
 * Runs the break-out in place of the cell's program; `without` leaves out the permission model, to see the outer layers
 * alone.
 */
async function breakOutAt(level: Level, without: { permission: boolean }): Promise<Seen> {
  for (const launch of launchesAt(level, findTools(), { addon: addonPath(), strict: [] })) {
    const seen = await breakOutWith(launch, without.permission).catch(() => undefined);
    if (seen) return seen;
  }
  throw new Error(`nothing starts at level ${level}`);
}

function breakOutWith({ command, args, nodeArgs, seccomp }: Launch, withoutPermission: boolean): Promise<Seen> {
  const flags = withoutPermission ? nodeArgs.filter((flag) => !/permission|allow-/.test(flag)) : nodeArgs;
  const options = JSON.stringify({ file, port, parent: process.pid });
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, ...flags, '--eval', breakOut, '--', options], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore', ...(seccomp ? (['pipe'] as const) : [])],
      timeout: 30_000,
    });
    (child.stdio[3] as Writable | undefined)?.end(seccomp);
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.on('error', reject);
    child.on('close', () => (said === '' ? reject(new Error('said nothing')) : resolve(JSON.parse(said) as Seen)));
  });
}

for (const level of levels) {
  describe(`level ${level}`, () => {
    test('runs handlers, survives a killer, and says so', async (t) => {
      const sandbox = await openAt(level);
      if (typeof sandbox === 'string') return t.skip(sandbox);
      try {
        assert.equal(sandbox.layers.level, level);
        const all = [...sandbox.layers.inForce, ...sandbox.layers.missing.map(({ layer }) => layer)];
        assert.equal(new Set(all).size, all.length);
        for (const layer of ['own-process', 'permission-model', 'seccomp', 'network-namespace', 'no-new-privileges'])
          assert.ok(all.includes(layer), layer);
        assert.ok(await sandbox.canary());
        for (const [source, end] of [
          ['export const handle = (n: number) => n + 1;', 'returned'],
          ['export const handle = () => { for (;;); };', 'timed-out'],
          ['export const handle = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, 1);', 'killed'],
          ['export const handle = (n: number) => n + 1;', 'returned'],
        ] as const) {
          const bundled = await bundleHandler(source, 'handle');
          assert.ok(bundled.ok);
          const handler = await sandbox.load(bundled.bundle, 'handle', { stepMs: 300, watchdogMs: 900 });
          const report = await handler.run({ input: '41', seed: 's', nowMs: 0, tools: [], send: false }, async () => ({
            output: '0',
          }));
          assert.equal(report.end, end, report.message);
          if (end === 'returned') assert.equal(report.value, '42');
        }
        assert.equal(sandbox.stats().killedCells, 1);
        assert.equal(sandbox.stats().quarantined, 1);
      } finally {
        await sandbox.close();
      }
    });

    test('holds code that has broken out of its isolate', async (t) => {
      const sandbox = await openAt(level);
      if (typeof sandbox === 'string') return t.skip(sandbox);
      await sandbox.close();
      const seen = await breakOutAt(level, { permission: false });
      assert.deepEqual(seen.env, []);
      if (level === 'process') return;
      assert.equal(seen.read, 'ERR_ACCESS_DENIED');
      assert.equal(seen.passwd, 'ERR_ACCESS_DENIED');
      assert.equal(seen.write, 'ERR_ACCESS_DENIED');
      assert.equal(seen.spawn, 'ERR_ACCESS_DENIED');
      if (level === 'permission') return;
      assert.notEqual(seen.connect, 'connected');
      const bare = await breakOutAt(level, { permission: true });
      assert.notEqual(bare.connect, 'connected');
      assert.notEqual(bare.kill, 'true');
      if (level === 'namespaces') return;
      assert.deepEqual(bare.env, []);
      assert.equal(bare.read, 'ENOENT');
      assert.equal(bare.passwd, 'ENOENT');
      assert.ok(['ENOENT', 'EROFS'].includes(bare.write), bare.write);
      assert.notEqual(bare.spawn, 'status 0');
      assert.equal(bare.kill, 'EPERM');
      if (process.arch === 'x64' || process.arch === 'arm64') assert.equal(bare.connect, 'EPERM');
      assert.equal(bare.uid, '65534');
    });
  });
}

test('an unavailable level is refused with a code for the operator', async () => {
  // Stands for a level that this machine does not offer.
  const level = 'hypervisor' as Level;
  await assert.rejects(createSandbox({ cells: 1, exactly: level }), { code: 'OPERATOR_SANDBOX_LEVEL' });
});

test('the best available level is used if it is at least the wanted one', async () => {
  const sandbox = await createSandbox({ cells: 1, level: 'process' });
  try {
    const best = [];
    for (const level of levels) {
      const one = await openAt(level);
      if (typeof one === 'string') continue;
      best.push(level);
      await one.close();
    }
    assert.equal(sandbox.layers.level, best.at(-1));
  } finally {
    await sandbox.close();
  }
});

test('a program that builds no wall does not count as one', async (t) => {
  if (process.platform !== 'linux') return t.skip('there are no such programs');
  const programs = await mkdtemp(join(tmpdir(), 'no-walls-'));
  const path = process.env.PATH;
  // Both run what they are given, and nothing else: its name, for bwrap, is the one it would have inside.
  const given = 'while [ "$1" != "--" ]; do shift; done; shift';
  await writeFile(join(programs, 'bwrap'), `#!/bin/sh\n${given}; shift; exec '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
  await writeFile(join(programs, 'unshare'), `#!/bin/sh\n${given}; exec "$@"\n`, { mode: 0o755 });
  process.env.PATH = `${programs}:${path}`;
  try {
    const sandbox = await createSandbox({ cells: 1 });
    assert.equal(sandbox.layers.level, 'permission');
    assert.ok(sandbox.layers.missing.some(({ why }) => why.includes('without user-namespace')));
    await sandbox.close();
    await assert.rejects(createSandbox({ cells: 1, level: 'namespaces' }), { code: 'OPERATOR_SANDBOX_LEVEL' });
  } finally {
    process.env.PATH = path;
    await rm(programs, { recursive: true });
  }
});

test('no cell inherits the descriptors that its parent was started with, at any level', {
  timeout: 120_000,
}, async (t) => {
  if (process.platform !== 'linux') return t.skip('the system does not tell what a process has open');
  const script = `import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createSandbox } from ${JSON.stringify(new URL('../../sandbox/index.ts', import.meta.url).href)};
const childrenOf = (pid) => readFileSync(\`/proc/\${pid}/task/\${pid}/children\`, 'utf8').split(' ').filter(Boolean).map(Number);
const nameOf = (pid) => readFileSync(\`/proc/\${pid}/comm\`, 'utf8').trim();
const withAll = (pid) => [pid, ...childrenOf(pid).flatMap(withAll)];
const linkOf = (path) => { try { return readlinkSync(path); } catch { return ''; } };
const seen = { parent: linkOf('/proc/self/fd/100') };
for (const level of ${JSON.stringify(levels)}) {
  const sandbox = await createSandbox({ cells: 1, exactly: level }).catch(() => undefined);
  if (!sandbox) continue;
  const leaves = childrenOf(process.pid).filter((pid) => nameOf(pid) !== 'esbuild').map((pid) => withAll(pid).at(-1));
  seen[level] = leaves.flatMap((pid) => readdirSync(\`/proc/\${pid}/fd\`).map((fd) => linkOf(\`/proc/\${pid}/fd/\${fd}\`)));
  await sandbox.close();
}
process.stdout.write(JSON.stringify(seen));`;
  const secret = openSync(file, 'r');
  const stdio: StdioOptions = [
    'ignore',
    'pipe',
    'inherit',
    ...Array.from({ length: 97 }, () => 'ignore' as const),
    secret,
  ];
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio });
  closeSync(secret);
  const { parent, ...seen } = JSON.parse(await text(child.stdout as Readable)) as { parent: string } & Record<
    string,
    string[]
  >;
  assert.equal(parent, file);
  assert.ok(Object.keys(seen).length > 0);
  for (const [level, links] of Object.entries(seen)) {
    assert.ok(links.length > 0, level);
    assert.ok(!links.includes(file), level);
  }
});

test('an ordinary user gets a sandbox too', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('the tests run as one already');
  const script = `import { createSandbox } from ${JSON.stringify(new URL('../../sandbox/index.ts', import.meta.url).href)};
const sandbox = await createSandbox({ cells: 1 });
process.stdout.write(JSON.stringify([await sandbox.canary(), sandbox.layers]));
await sandbox.close();`;
  const said = await new Promise<string>((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      uid: 65_534,
      gid: 65_534,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', () => (out === '' ? reject(new Error(err)) : resolve(out)));
  });
  const [passed, layers] = JSON.parse(said);
  t.diagnostic(layers.level);
  assert.equal(passed, true);
});
