import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { candidatesFolder, measureOf, tryCandidate } from '../../scripts/try-candidate.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

type Edit = readonly [from: string, to: string];

function edited(text: string, [from, to]: Edit): string {
  assert.ok(text.includes(from), `wanted ${JSON.stringify(from)} in the text`);
  return text.replace(from, to);
}

/** What a handler is refused for, with the document and the handler edited. */
async function refusedFor(file: string, inJob: Edit, inHandler: Edit): Promise<readonly string[]> {
  const read = (name: string) => readFile(new URL(`${file.replace(/\/.*/, '')}/${name}`, candidatesFolder), 'utf8');
  const order = measureOf(JSON.parse(edited(await read('job.json'), inJob)));
  const source = edited(await read(file.replace(/.*\//, '')), inHandler);
  return (await tryCandidate(order, source, sandbox)).refusedFor;
}

test('a text one character short of what the document asks for is tried, and has to be told so', async () => {
  const asked: Edit = [
    'A password needs at least 10 characters, a digit',
    'If password is shorter than 10 characters, faults has TOO_SHORT. A password needs a digit',
  ];
  const least = (count: number) =>
    refusedFor('password-policy/sound.ts', asked, ['password.length < 10', `password.length < ${count}`]);
  assert.deepEqual(await least(10), []);
  const refused = await least(9);
  assert.ok(
    refused.some((why) => /^limits: .*password of 9 characters the answer has no TOO_SHORT/.test(why)),
    JSON.stringify(refused),
  );
});

test('a list one item longer than the document allows is tried, and has to be told so', async () => {
  const asked: Edit = [
    '- An invalid request has an empty ranking and error INVALID',
    '- An invalid request has an empty ranking and error INVALID\\n- If runs has more than 20 items, error has TOO_MANY',
  ];
  const most = (count: number) =>
    refusedFor('race-ranking/sound-a.ts', asked, [
      '  const ',
      `  if (Array.isArray(request.runs) && request.runs.length > ${count}) return { race: request.race, ranking: [], error: 'TOO_MANY' };\n  const `,
    ]);
  assert.deepEqual(await most(20), []);
  const refused = await most(21);
  assert.ok(
    refused.some((why) => /^limits: .*runs of 21 items the answer has no TOO_MANY/.test(why)),
    JSON.stringify(refused),
  );
});
