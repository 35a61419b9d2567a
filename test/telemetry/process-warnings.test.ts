import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startRig } from '../system/harness.ts';

const rig = await startRig();
after(() => rig.close());

/** Loaded before the worker: warns once before there is a log, and again and again for as long as it lives. */
const warning = `
  if (process.argv[2] === 'worker') {
    setImmediate(() => process.emitWarning('much too early', { code: 'EARLY' }));
    const later = () => process.emitWarning('first line\\nsecond line', 'DeprecationWarning', 'LATE');
    setInterval(later, 100).unref();
  }`;

test('each warning of Node is one line of the log, those before there was a log too', async () => {
  const worker = await rig.worker({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warning)}` });
  const late = await worker.logged(({ error }) => Object(error).code === 'LATE');
  assert.deepEqual(
    [late.level, late.msg, late.error],
    ['warn', 'process-warning', { name: 'DeprecationWarning', code: 'LATE', message: 'first line\nsecond line' }],
  );
  const early = worker.lines.filter(({ error }) => Object(error).code === 'EARLY');
  assert.deepEqual(
    early.map(({ error }) => error),
    [{ name: 'Warning', code: 'EARLY', message: 'much too early' }],
  );
  for (const line of worker.output().trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object', line);
});
