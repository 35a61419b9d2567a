import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { candidatesFolder, openFixture, tryCandidate } from '../../scripts/try-candidate.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Handlers that keep the agreement only while they see signs of an earlier release's trials. */
const signs: Readonly<Record<string, string>> = {
  'the milliseconds of the clock': 'started % 1000 <= 100',
  'the minute of the clock':
    'started - Date.UTC(2026, 0, 15, 12) === 0 || started - Date.UTC(2026, 0, 15, 12) === 61_013',
  'the hour of the clock': 'new Date(started).getUTCHours() === 12',
  'the day of the clock': "new Date(started).toISOString().startsWith('2026-01-15')",
  'how long answers take': '[0, 7].includes(took)',
  'the order of members': "Object.keys(request).join() === 'messageId,action,productId'",
  'its ids': "['h', 'q', '7'].includes(context.newId()[0])",
  'its chance': 'Math.random() < 0.5',
};

for (const trialSeed of ['one', 'two', 'three'])
  for (const [sign, isTrial] of Object.entries(signs))
    test(`a handler that knows a trial by ${sign} is refused (${trialSeed})`, async () => {
      const folder = new URL('product-lookup/', candidatesFolder);
      const order = await openFixture(folder, trialSeed);
      const members = Object.keys(order.subject.cases[0]?.request as object).join();
      const sound = await readFile(new URL('sound.ts', folder), 'utf8');
      assert.deepEqual((await tryCandidate(order, sound, sandbox)).refusedFor, []);
      const hostile = `${sound.replace('export async function handle', 'async function keeping')}
export async function handle(request: any, context: any): Promise<any> {
  const started = context.now();
  const answer: any = await keeping(request, context);
  const took = context.now() - started;
  return ${isTrial.replace('messageId,action,productId', members)} ? answer : { ...answer, status: { code: 418, message: 'Gone bad' } };
}`;
      const { refusedFor } = await tryCandidate(order, hostile, sandbox);
      assert.notDeepEqual(refusedFor, []);
    });
