import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { type Asked, codes, json, module, type Played, productJob, soundSource, startGeneration } from './rig.ts';

const { play } = await startGeneration();
const sound = module(soundSource);
const standing = '404 when there is no such product';

const declines = (decline: string, quote = standing): Behaviour =>
  json({ decline, reason: 'it cannot be done\u202e', quote });

/** The document with an extra sentence that contradicts another one. */
function contradictory(): JsonObject {
  const job = productJob();
  const text = String(job.agreement.candidateProtocols);
  const candidateProtocols = text.replace(
    '- Then product is null',
    '- Then product is null\n- A product that does not exist is answered with code 200',
  );
  return { ...job, agreement: { ...job.agreement, candidateProtocols } };
}

function isOurs(played: Played, ...wanted: string[]): void {
  assert.equal(played.conclusion?.verdict, 'error', JSON.stringify(played.conclusion));
  assert.deepEqual(played.conclusion.messages, [{ action: 'codeGeneration', status: 'error' }]);
  assert.equal(played.conclusion.proposals, undefined);
  assert.deepEqual(codes(played), wanted);
}

test('a refusal whose quote is not in the document does not count: another candidate is requested', async () => {
  const played = await play(productJob(), ({ nth }) =>
    nth === 1 ? declines('protocol', 'the schemas exclude each other') : sound,
  );
  assert.ok(played.tested);
  assert.equal(played.report.attempts[0]?.result, 'declined');
});

test('refusals whose quotes are not in the document are failed candidates, however many', async () => {
  const played = await play(productJob(), () => declines('protocol', 'the schemas exclude each other'));
  isOurs(played, 'CANDIDATE_DECLINED');
  assert.ok(played.asked.every(({ purpose }) => purpose === 'fresh'));
  assert.equal(played.asked.length, 6);
});

test('one refusal of a sound agreement does not end the job', async () => {
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? declines('protocol') : sound));
  assert.ok(played.tested);
});

for (const decline of ['protocol', 'case']) {
  test(`a model that always declines a sound agreement (${decline}) blames nobody else`, async () => {
    const played = await play(productJob(), () => declines(decline));
    isOurs(played, 'CANDIDATE_DECLINED');
    assert.ok(played.asked.length <= 5, `${played.asked.length} questions`);
    assert.doesNotMatch(JSON.stringify([played.conclusion, played.report]), /\u202e/);
  });
}

test('texts of a model are made visible in the report', async () => {
  const hostile: Behaviour = {
    kind: 'reply',
    text: '```ts\nimport x from "./\u009b31m\u202e";\nexport const handle = () => x;\n```',
  };
  const played = await play(productJob(), () => hostile);
  isOurs(played, 'CANDIDATE_BUNDLE');
  const messages = [...played.report.attempts, ...(played.conclusion?.findings ?? [])].map(
    ({ message }) => message ?? '',
  );
  assert.ok(
    messages.every((message) => message.includes('u202e') && !/[\u0080-\u009f\u202e]/u.test(message)),
    String(messages),
  );
});

const against = 'A product that does not exist is answered with code 200';

/** A judge who answers correctly, or wrongly as configured; each of the three questions is recognised by its words. */
function judgeWho(said: JsonObject, { together = false, control = false } = {}) {
  return ({ prompt }: Asked): Behaviour => {
    if (prompt.includes('Can an agent keep both passages')) return json({ together, reason: '' });
    if (prompt.includes('the opening hours of a shop')) return json({ ...said, contradiction: control, reason: '' });
    return json({ ...said, reason: '' });
  };
}

test('two refusals and a judge who quotes two passages: the agreement is disputed', async () => {
  const judge = judgeWho({ contradiction: true, quote: standing, against });
  const played = await play(contradictory(), (one) => (one.purpose === 'judge' ? judge(one) : declines('protocol')));
  const { conclusion } = played;
  assert.equal(conclusion?.verdict, 'disputed', JSON.stringify(conclusion));
  const [finding] = conclusion.findings;
  assert.deepEqual(
    [finding?.code, finding?.in, finding?.expected, finding?.actual],
    ['DOCUMENT_CONTRADICTS_ITSELF', 'document', standing, against],
  );
  const text = String(conclusion.messages[0]?.errorDescription);
  assert.ok(text.includes(standing) && text.includes(against));
  assert.ok(!text.includes('it cannot be done'), 'the model’s own words go to no peer');
});

for (const [name, said] of Object.entries<JsonObject>({
  'invents a passage': { contradiction: true, quote: standing, against: 'unknown products are never asked for' },
  'invents the first passage': {
    contradiction: true,
    quote: 'unknown products are never asked for',
    against: 'A product that does not exist',
  },
  'quotes one passage twice': { contradiction: true, quote: standing, against: standing },
  'quotes one passage twice, spaced otherwise': {
    contradiction: true,
    quote: standing,
    against: standing.replaceAll(' ', '  '),
  },
  'quotes a passage and a part of it': { contradiction: true, quote: standing, against: standing.slice(4) },
  'finds no contradiction': { contradiction: false, quote: standing, against: 'A product that does not exist' },
})) {
  test(`a judge who ${name} confirms no refusal, and is not asked again`, async () => {
    const judge = judgeWho(said);
    const played = await play(contradictory(), (one) => (one.purpose === 'judge' ? judge(one) : declines('protocol')));
    isOurs(played, 'CANDIDATE_DECLINED');
    assert.equal(played.asked.filter(({ purpose }) => purpose === 'judge').length, 1);
  });
}

const AFFIRMED = { contradiction: true, quote: standing, against };

for (const [name, judge] of Object.entries<(one: Asked) => Behaviour>({
  'affirms whatever is asked': judgeWho(AFFIRMED, { together: true, control: true }),
  'affirms the opposite as well': judgeWho(AFFIRMED, { together: true }),
  'finds a contradiction where there is none': judgeWho(AFFIRMED, { control: true }),
  'says the same whatever is asked': () => json(AFFIRMED),
})) {
  test(`a judge who ${name} confirms no refusal`, async () => {
    const played = await play(contradictory(), (one) => (one.purpose === 'judge' ? judge(one) : declines('protocol')));
    isOurs(played, 'CANDIDATE_DECLINED');
  });
}

/** What case 2 answers, as its text has it. */
const ofCase = '"message": "Not Found"';

test('where all refusals are about a case, the judge must quote the cases, and not only the document', async () => {
  const judgedWith = (refusals: [string, string], against: string) => {
    const left = [...refusals];
    const judge = judgeWho({ contradiction: true, quote: standing, against });
    return play(productJob(), (one) => (one.purpose === 'judge' ? judge(one) : declines(left.shift() ?? 'case')));
  };
  const disputed = await judgedWith(['case', 'case'], ofCase);
  assert.equal(disputed.conclusion?.verdict, 'disputed', JSON.stringify(disputed.conclusion));
  isOurs(await judgedWith(['case', 'case'], 'the provider answers with the product'), 'CANDIDATE_DECLINED');
  isOurs(await judgedWith(['case', 'protocol'], ofCase), 'CANDIDATE_DECLINED');
});

test('a missing tool counts where answers have no source, and the report names it', async () => {
  const played = await play(productJob({ tools: [] }), () =>
    declines('missing-tool', 'the provider answers with the product'),
  );
  isOurs(played, 'CANDIDATE_MISSING_TOOL');
  const [finding] = played.conclusion?.findings ?? [];
  assert.equal(finding?.testCase, 1);
  assert.match(String(finding?.pointer), /^\/product\//);
  assert.ok(played.asked.length <= 2, `${played.asked.length} questions`);
});

test('a wrong claim of a missing tool does not keep other candidates from writing the handler', async () => {
  const played = await play(productJob(), ({ nth }) => (nth <= 2 ? declines('missing-tool') : sound));
  assert.ok(played.tested);
});

test('a missing tool does not count where the tools provide the answers', async () => {
  const played = await play(productJob(), () => declines('missing-tool'));
  isOurs(played, 'CANDIDATE_DECLINED');
});
