import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/kernel/json.ts';
import { reportFault } from './fault-report.ts';
import { markedJob, startRig, stopWorker } from './harness.ts';

const newer = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('./newer-release.ts', import.meta.url))}` };

test('two releases mixed: jobs of the later version wait for a worker that knows it, and all are done', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const old = await rig.worker();
  const submit = (name: string, version: number) => {
    const data: JsonObject = markedJob(`${name}-${version}`, { version, timeoutMs: 120_000 });
    return rig.submit(data, { kind: 'review', jobId: `${name}-v${version}` });
  };
  const before = await Promise.all([submit('before', 1), submit('before', 2)]);
  await rig.outcome('before-v1');
  await old.logged(({ msg, job }) => msg === 'put-back' && job === 'before-v2');
  const sinceMs = Date.now();
  const later = await rig.worker(newer);
  const mixed = await Promise.all(
    Array.from({ length: 10 }, (_, nth) => [submit(`mixed-${nth}`, 1), submit(`mixed-${nth}`, 2)]).flat(),
  );
  await Promise.all(mixed.map((jobId) => rig.outcome(jobId)));
  assert.deepEqual(await stopWorker(old), { code: 0, signal: null });
  const after = [await submit('after', 1), await submit('after', 2)];
  const outcomes = await reportFault(rig, 'two releases mixed', [...before, ...mixed, ...after], sinceMs);
  assert.deepEqual(
    outcomes.filter(({ verdict }) => verdict !== 'clean').map(({ findings }) => findings),
    [],
  );
  assert.deepEqual(
    old.lines.filter(({ msg, job }) => msg === 'started' && String(job).endsWith('-v2')),
    [],
  );
  await later.logged(({ msg, job }) => msg === 'started' && job === 'after-v1');
});
