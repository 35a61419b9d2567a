import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSandbox } from '../../../sandbox/index.ts';

// At the top of a module `await` is an operator, and what follows is a regular expression; in a function it is a name that is divided by a
// text. So what is a text for the one is a program for the other, which would put another factory into the place of the module's.
const bundle = `await /'/, "' ; })(); }) && ((runs) => function () { return () => ({ runs: ++runs }); })(0) || (function () { return (function () { '", 1; // '
function handle() { return 0; }
export {
  handle
};
`;

test('bundle that is read otherwise as a function', { timeout: 120_000 }, async () => {
  const sandbox = await createSandbox({ cells: 1 });
  try {
    const handler = await sandbox.load(bundle, 'handle');
    const run = { input: '1', seed: 'seed', nowMs: 1_700_000_000_000, tools: [], send: false };
    const reports = await handler.runAll([run, run], async () => ({ output: 'null' }));
    for (const { end, message } of reports) assert.ok(end === 'threw' || end === 'refused', `${end} (${message})`);
    assert.ok(await sandbox.canary());
  } finally {
    await sandbox.close();
  }
});
