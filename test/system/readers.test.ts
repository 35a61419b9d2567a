import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { reportFault } from './fault-report.ts';
import { markedJob, root, startRig } from './harness.ts';

/** A reader of outcomes as a process of its own: it takes seven entries, says their ids, and acknowledges none. */
const dyingReader = `
import { Redis } from 'ioredis';
const redis = new Redis(process.argv[1]);
const [[, entries]] = await redis.xreadgroup('GROUP', 'negotiator', 'dying', 'COUNT', 7, 'STREAMS', process.argv[2], '>');
for (const [id, fields] of entries) console.log(JSON.stringify([id, fields[1]]));
console.log('taken');
setInterval(() => {}, 1_000);
`;

test('a reader of outcomes is away, another dies before it acknowledges: every outcome is seen, its id the same', async (t) => {
  const rig = await startRig();
  t.after(() => rig.close());
  const stream = rig.keys.outcomes('default');
  await rig.connection.xgroup('CREATE', stream, 'negotiator', '0', 'MKSTREAM');
  await rig.worker();
  const jobIds = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => rig.submit(markedJob(`read-${nth}`), { kind: 'review' })),
  );
  // Nobody reads meanwhile.
  await Promise.all(jobIds.map((jobId) => rig.outcome(jobId)));
  const child = spawn(process.execPath, ['--input-type=module', '-e', dyingReader, rig.redis.url, stream], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const taken: [id: string, jobId: string][] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'taken') break;
    taken.push(JSON.parse(line));
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  const sinceMs = Date.now();

  const seen: [id: string, jobId: string][] = [];
  const see = async (entries: [string, string[]][]) => {
    for (const [id, fields] of entries) {
      seen.push([id, fields[1] ?? '']);
      await rig.connection.xack(stream, 'negotiator', id);
    }
  };
  const claimed = await rig.connection.xautoclaim(stream, 'negotiator', 'other', 0, '0');
  await see(claimed[1] as [string, string[]][]);
  assert.deepEqual(seen, taken, 'what the dead reader had taken comes again under its ids');
  assert.equal(seen.length, 7);
  const read = await rig.connection.xreadgroup('GROUP', 'negotiator', 'other', 'STREAMS', stream, '>');
  await see((read as [string, [string, string[]][]][])[0]?.[1] ?? []);
  await reportFault(rig, 'readers away, and dead before they acknowledged', jobIds, sinceMs);
  assert.deepEqual(seen.map(([, jobId]) => jobId).sort(), jobIds.toSorted());
  const [pending] = (await rig.connection.xpending(stream, 'negotiator')) as [number];
  assert.equal(pending, 0);
});
