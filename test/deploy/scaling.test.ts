import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { markedJob, root, startRig, until } from '../system/harness.ts';

interface Trigger {
  type: string;
  metadata: { listName?: string; stream?: string };
}

const documents = parseAllDocuments(readFileSync(join(root, 'deploy/kubernetes/scaling.yaml'), 'utf8'));
const [scaled] = documents.map((one) => one.toJS());
const triggers: Trigger[] = scaled.spec.triggers;

/** How KEDA's scaler counts a key of each type, by what it asks Redis. */
const counted = { list: 'LLEN', zset: 'ZCARD', stream: 'XLEN' } as const;

const rig = await startRig();
after(() => rig.close());

/** The type of a key, and the number that a scaler reads of it. */
async function scalerReads(key: string): Promise<[type: string, size: number]> {
  const type = await rig.connection.type(key);
  const command = counted[type as keyof typeof counted];
  return [type, command === undefined ? 0 : Number(await rig.connection.call(command, key))];
}

test('each key that scales workers is one of a live queue, of a type that its scaler counts', async () => {
  const seen = new Map<string, [type: string, size: number]>();
  const look = async () => {
    for (const { metadata } of triggers) {
      const key = metadata.listName ?? metadata.stream ?? '';
      const found = await scalerReads(key);
      if (found[1] > 0 && !seen.has(key)) seen.set(key, found);
    }
  };
  const job = (mark: string) => markedJob(mark, { timeoutMs: 120_000 });
  await rig.connection.xadd(rig.keys.intake, '*', 'kind', 'review', 'data', JSON.stringify(job('scaling intake')));
  for (const nth of [1, 2]) await rig.submit(job(`scaling ${nth}`));
  for (const nth of [3, 4, 5]) await rig.queue.add('generate', job(`scaling ${nth}`), { jobId: `foreign-${nth}` });
  await look();
  rig.answer('scaling', () => ({ kind: 'stall' }));
  await rig.worker({ PROTOSMITH_CONCURRENCY: '1' });
  await until(async () => {
    await look();
    return seen.size === triggers.length;
  }, 'a job to be active');
  assert.deepEqual(
    triggers.map(({ type, metadata: { listName, stream } }) => [type, ...(seen.get(listName ?? stream ?? '') ?? [])]),
    [
      ['redis', 'list', 3],
      ['redis', 'zset', 2],
      ['redis', 'list', 1],
      ['redis-streams', 'stream', 1],
    ],
  );
});
