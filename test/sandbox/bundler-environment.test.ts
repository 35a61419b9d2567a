import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bundleHandler, stopEsbuild } from '../../sandbox/bundle.ts';
import { childrenNamed } from '../../sandbox/processes.ts';
import { runnerCode } from '../../sandbox/runner-code.ts';

const sound = 'export const handle = () => null;';
// Its name may be made at run time, so it is transformed before anything is bundled.
const transformed = `${sound}\nconst text = "\\u0041";`;

// A file of its own: the process of the bundler is one, and so is its environment.
test('the process of the bundler has no environment, whatever starts it', {
  skip: process.platform !== 'linux',
}, async (t) => {
  process.env.BUNDLER_TEST_SECRET = 'key of the model server';
  t.after(() => stopEsbuild());
  const starts: [string, () => Promise<unknown>][] = [
    ['the program of a cell', runnerCode],
    ['a handler', () => bundleHandler(sound, 'handle')],
    ['a handler that is transformed first', () => bundleHandler(transformed, 'handle')],
  ];
  for (const [what, start] of starts) {
    stopEsbuild();
    const earlier = childrenNamed('esbuild');
    await start();
    const [pid, ...others] = childrenNamed('esbuild').filter((one) => !earlier.includes(one));
    assert.ok(pid !== undefined && others.length === 0, what);
    // Not `equal`, which would print the environment.
    assert.ok(readFileSync(`/proc/${pid}/environ`, 'utf8') === '', what);
  }
  assert.equal(process.env.BUNDLER_TEST_SECRET, 'key of the model server');
});
