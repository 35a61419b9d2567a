import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { confinementOf } from '../../src/operator/doctor/confinement.ts';

const root = join(import.meta.dirname, '../..');

/** A machine with these files and variables, and no others. */
function found(files: Record<string, string>, environment: Record<string, string> = {}) {
  return confinementOf({ read: (path) => files[path] ?? null, environment });
}

test('a machine outside a container forbids nothing, whatever filter its service runs under', () => {
  const files = { '/proc/self/status': 'Seccomp:\t2\n', '/proc/sys/user/max_user_namespaces': '63000\n' };
  assert.deepEqual(found(files), { container: null, forbids: null });
});

test('each kind of container is told, with what lifts its filter and its profile', () => {
  const filtered = {
    '/proc/self/status': 'Name:\tnode\nSeccomp:\t2\n',
    '/proc/self/attr/current': 'docker-default (enforce)\n',
  };
  const docker = found({ ...filtered, '/.dockerenv': '' });
  assert.equal(docker.container, 'docker');
  assert.match(String(docker.forbids), /--security-opt seccomp=unconfined.*--security-opt apparmor=unconfined/);
  const kubernetes = found(filtered, { KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  assert.equal(kubernetes.container, 'kubernetes');
  assert.match(String(kubernetes.forbids), /seccompProfile\.type: Unconfined.*appArmorProfile/);
  assert.equal(found({ '/run/.containerenv': '' }).container, 'podman');
  assert.deepEqual(found({ '/proc/1/cgroup': '0::/kubepods/besteffort/pod1\n' }), {
    container: 'other',
    forbids: null,
  });
});

test('where the kernel forbids user namespaces, no option of a container helps, and none is named', () => {
  for (const [path, value] of [
    ['/proc/sys/user/max_user_namespaces', '0\n'],
    ['/proc/sys/kernel/unprivileged_userns_clone', '0\n'],
    ['/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1\n'],
  ] as const) {
    const { forbids } = found({ [path]: value, '/.dockerenv': '', '/proc/self/status': 'Seccomp:\t2\n' });
    assert.match(String(forbids), /sysctl/, path);
    assert.doesNotMatch(String(forbids), /--security-opt/, path);
  }
});

/** A filter as container engines use it: no new user namespaces, no mounts. Numbers for x64 and arm64. */
function engineFilter(): Buffer {
  const [mount, unshare, clone] = process.arch === 'arm64' ? [40, 97, 220] : [165, 272, 56];
  const [load, equal, hasBits, end] = [0x20, 0x15, 0x45, 0x06];
  const [forbidden, unknown, allowed] = [0x0005_0001, 0x0005_0026, 0x7fff_0000];
  const steps: [code: number, then: number, otherwise: number, value: number][] = [
    [load, 0, 0, 0],
    [equal, 5, 0, mount],
    [equal, 4, 0, unshare],
    [equal, 4, 0, 435],
    [equal, 0, 4, clone],
    [load, 0, 0, 16],
    [hasBits, 0, 2, 0x1000_0000],
    [end, 0, 0, forbidden],
    [end, 0, 0, unknown],
    [end, 0, 0, allowed],
  ];
  const filter = Buffer.alloc(steps.length * 8);
  for (const [index, [code, then, otherwise, value]] of steps.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(then, index * 8 + 2);
    filter.writeUInt8(otherwise, index * 8 + 3);
    filter.writeUInt32LE(value, index * 8 + 4);
  }
  return filter;
}

test('under the filter of a container engine, doctor says which layers the container does not allow, and why', (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'protosmith-confined-'));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  writeFileSync(join(scratch, 'filter'), engineFilter());
  const wrap = ['--dev-bind', '/', '/', '--cap-add', 'ALL', '--seccomp', '3', '--', process.execPath];
  const run = (...args: string[]) => {
    const filter = openSync(join(scratch, 'filter'), 'r');
    const ran = spawnSync('bwrap', [...wrap, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', filter],
      encoding: 'utf8',
      env: { PATH: process.env.PATH, KUBERNETES_SERVICE_HOST: '10.0.0.1', REDIS_URL: 'redis://127.0.0.1:1' },
    });
    closeSync(filter);
    return ran;
  };
  if (run('--version').status !== 0) return t.skip('bwrap cannot put a process under a filter here');
  const { stdout, stderr } = run('src/main.ts', 'doctor', '--json');
  const sandbox = JSON.parse(stdout || stderr).find(({ subject }: { subject: string }) => subject === 'sandbox');
  assert.equal(sandbox.state, 'warning');
  assert.equal(sandbox.details.level, 'permission');
  assert.match(
    sandbox.says,
    /in a container \(kubernetes\); not allowed here: user-namespace, pid-namespace, .*seccomp: the container forbids them by its system call filter \(seccompProfile\.type: Unconfined lifts it\)/,
  );
});
