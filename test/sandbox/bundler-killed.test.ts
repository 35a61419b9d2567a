import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSandbox } from '../../sandbox/index.ts';
import { childrenNamed } from '../../sandbox/processes.ts';

// A file of its own: the program of cells is made once in a process.
test('a sandbox opens although the bundler is killed while it makes the program of its cells', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const opening = createSandbox({ cells: 1 });
  opening.catch(() => undefined);
  let pid: number | undefined;
  while (pid === undefined) {
    await setImmediate();
    [pid] = childrenNamed('esbuild');
  }
  process.kill(pid, 'SIGKILL');
  const sandbox = await opening;
  t.after(() => sandbox.close());
  assert.ok(await sandbox.canary());
});
