import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/kernel/json.ts';
import { type Rig, startRig } from './harness.ts';

const release = fileURLToPath(new URL('./sixth-family/release.ts', import.meta.url));

/** Asked for a word it answers with its length, asked for a number with whether it is even. */
const questions = [
  { name: 'length', asked: one('word', 'string'), answers: [one('length', 'integer')] },
  { name: 'even', asked: one('number', 'integer'), answers: [one('even', 'boolean'), one('error', 'string')] },
];

function one(name: string, type: string): JsonObject {
  return { type: 'object', properties: { [name]: { type } }, required: [name], additionalProperties: false };
}

const cases = [
  { request: { word: 'Rome' }, response: { length: 4 } },
  { request: { word: 'Oslo!' }, response: { length: 5 } },
  { request: { number: 4 }, response: { even: true } },
  { request: { number: 7 }, response: { even: false } },
];

const sound = `import type { Request, Response } from './types';
export async function handle(request: Request): Promise<Response> {
  if ('word' in request) return { length: request.word.length };
  return { even: Number(request.number) % 2 === 0 };
}`;

const fenced = (source: string) => ({ kind: 'reply', text: `\`\`\`ts\n${source}\n\`\`\`` }) as const;

let rig: Rig;

before(async () => {
  rig = await startRig();
  await rig.worker({ NODE_OPTIONS: `--import=${release}`, PROTOSMITH_READING: 'off', PROTOSMITH_MAX_CANDIDATES: '2' });
});

after(() => rig.close());

function job(mark: string, more: JsonObject = {}): JsonObject {
  const negotiationId = mark;
  const agreement = { mark, questions };
  return { version: 1, negotiationId, family: 'menu', role: 'provider', agreement, testCases: cases, ...more };
}

test('a family of one folder and one line has its jobs done, and hears of them in its own words', async () => {
  rig.answer('sound-menu', () => fenced(sound));
  const outcome = await rig.outcomeOf(job('sound-menu'));
  assert.deepEqual([outcome.verdict, outcome.messages], ['generated', [{ said: 'generated' }]]);
  assert.equal(outcome.family, 'menu');
  assert.match(outcome.protocolHash ?? '', /^[0-9a-f]{64}$/);
});

test('a reply that belongs to another request is none', async () => {
  rig.answer('mixed-menu', () => fenced(sound.replace("'word' in request", "'nothing' in request")));
  const outcome = await rig.outcomeOf(job('mixed-menu', { testCases: [] }));
  assert.deepEqual([outcome.verdict, outcome.messages], ['error', [{ said: 'failed' }]]);
});

test('a case with a reply to another request is disputed before a token is spent', async () => {
  const wrong = [...cases, { request: { word: 'Bern' }, response: { even: true } }];
  const outcome = await rig.outcomeOf(job('wrong-menu', { testCases: wrong }));
  assert.equal(outcome.verdict, 'disputed');
  assert.deepEqual(
    outcome.findings.map(({ code, testCase }) => [code, testCase]),
    [['DOCUMENT_CASE_VIOLATES_SCHEMA', 5]],
  );
  assert.equal(outcome.messages[0]?.said, 'dispute');
  assert.equal(rig.questions('wrong-menu').length, 0);
});

test('its rules are those of the schema: a job without its members is refused by name', async () => {
  const outcome = await rig.outcomeOf(job('poor-menu', { agreement: { mark: 'poor-menu' } }));
  assert.deepEqual(
    outcome.findings.map(({ code, pointer }) => [code, pointer]),
    [['JOB_INVALID', '/agreement/questions']],
  );
});
