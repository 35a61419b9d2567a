import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createSandbox } from '../../sandbox/index.ts';
import { candidatesFolder, measureOf, tryCandidate } from '../../scripts/verify-fixtures.ts';

const read = (name: string) => readFile(new URL(`password-policy/${name}`, candidatesFolder), 'utf8');

test('a text one character short of what the document asks for is tried, and has to be told so', async (t) => {
  const sandbox = await createSandbox({ cells: 1 });
  t.after(() => sandbox.close());
  const vague = 'A password needs at least 10 characters, a digit';
  const job = await read('job.json');
  assert.ok(job.includes(vague));
  const order = measureOf(
    JSON.parse(
      job.replace(vague, 'If password is shorter than 10 characters, faults has TOO_SHORT. A password needs a digit'),
    ),
  );
  const sound = await read('sound.ts');
  assert.ok(sound.includes('password.length < 10'));
  const refusedFor = async (least: number) =>
    (await tryCandidate(order, sound.replace('password.length < 10', `password.length < ${least}`), sandbox))
      .refusedFor;
  assert.deepEqual(await refusedFor(10), []);
  const refused = await refusedFor(9);
  assert.ok(
    refused.some((why) => /^limits: .*password of 9 characters the answer has no TOO_SHORT/.test(why)),
    JSON.stringify(refused),
  );
});
