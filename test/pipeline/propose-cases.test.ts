import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { jobOf } from '../generation/workbench.ts';
import { type Answers, fixtureJob, soundModule, startPipeline, type Went } from './proposing.ts';

const rig = await startPipeline();

function lines(...entries: JsonObject[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join('\n');
}

const unknown = {
  of: [3],
  claim: 'an unknown product is answered with 404 and no product',
  base: 1,
  set: { '/productId': 'P-77777', '/messageId': 'm-9001' },
  answer: { '/status/code': 404, '/product': null },
};
const unknownAnswer = { messageId: 'm-9001', status: { code: 404, message: 'Not Found' }, product: null };
const failing = {
  of: [5],
  claim: 'a catalogue that cannot be asked is answered with 500',
  base: 1,
  tools: { lookupProduct: 'FAILED' },
  answer: { '/status/code': 500 },
};
const nothing = { units: [1, 2, 4, 6, 7, 8], none: 'explains' };

/** A model that writes the sound module, reads these cases and answers so as a second reader. */
function model(
  derived: JsonObject[],
  confirmed: JsonObject[] = [{ world: 1, place: 1, value: unknownAnswer }],
): Answers {
  return {
    candidate: () => soundModule('product-lookup'),
    read: () => lines(...derived, nothing),
    confirm: () => lines(...confirmed),
  };
}

function noteOf({ outcome }: Went): string | undefined {
  return outcome.report.checks.find(({ name }) => name === 'proposed-cases')?.message;
}

function casesIn(proposal: JsonObject | undefined) {
  const testCases = { ...proposal, action: 'testCasesNegotiation', status: 'accepted' };
  return analyze(jobOf({ ...fixtureJob('product-lookup'), testCases } as JsonObject)).agreement.cases.map(
    ({ testCase, request, response, expected }) => ({ testCase, request, response, expected }),
  );
}

const job = fixtureJob('product-lookup');
const proposing = { ...job, propose: true };
const generated = await rig.run('generate', proposing, model([unknown, failing]));

test('the outcome of generate proposes the confirmed derived case after the agreed ones, with our own answer', () => {
  const { outcome, asked } = generated;
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.deepEqual(asked.toSorted(), ['candidate', 'confirm', 'read']);
  const [proposal, ...others] = outcome.proposals ?? [];
  assert.deepEqual(others, []);
  assert.equal(proposal?.status, 'negotiating', noteOf(generated));
  assert.ok(String(proposal?.testCases).startsWith(String(job.testCases.testCases)));
  const cases = casesIn(proposal);
  assert.equal(cases.length, 3);
  assert.deepEqual(cases[2], {
    testCase: 3,
    request: { messageId: 'm-9001', action: 'getProduct', productId: 'P-77777' },
    response: unknownAnswer,
    expected: unknown.claim,
  });
  assert.match(String(proposal?.modificationSummary), /^Modifications:\n- Added test case 3: `an unknown product/);
  assert.match(noteOf(generated) ?? '', /1 confirmed, 1 proposed$/);
  assert.equal(outcome.report.reading?.confirmed, 1);
});

test('the second reader’s answers are kept with the reading of the handler, and no model is asked again', async () => {
  const kept = generated.record?.proof.reading?.reading.derived.find(({ claim }) => claim === unknown.claim);
  assert.deepEqual(kept?.confirmation?.answers, { 'answer ': { value: unknownAnswer } });
  const data = { ...proposing, handlerDigest: generated.record?.digest ?? '', negotiationId: 'again' };
  const again = await rig.run('verify', data, {});
  assert.deepEqual([again.outcome.verdict, again.asked], ['clean', []]);
  assert.equal(casesIn(again.outcome.proposals?.[0]).length, 3);
});

test('the handler passes the cases it proposed once the peer has accepted them, and does not propose them again', async () => {
  const testCases = { ...generated.outcome.proposals?.[0], status: 'accepted' };
  const data = { ...proposing, testCases, handlerDigest: generated.record?.digest ?? '' };
  const verified = await rig.run('verify', data, {});
  assert.equal(verified.outcome.verdict, 'clean', JSON.stringify(verified.outcome.report));
  assert.deepEqual(
    verified.outcome.report.cases.map(({ passed }) => passed),
    [true, true, true],
  );
  assert.equal(verified.outcome.proposals, undefined);
  assert.equal(noteOf(verified), 'no derived case that a peer can check');
});

test('cases that came in structured form, with a Chinese document, are proposed as text', async () => {
  const zh = fixtureJob('city-weather-zh');
  const structured = analyze(jobOf(zh)).agreement.cases.map(({ request, response, expected }) => {
    return { request, response, expected };
  });
  const derived = {
    of: [4],
    claim: '城市不存在时返回失败',
    base: 1,
    set: { '/城市': '雾里村', '/编号': 'qy-9' },
    answer: { '/成功': false },
  };
  const value = { 编号: 'qy-9', 成功: false, 错误信息: '城市不存在' };
  const went = await rig.run(
    'generate',
    { ...zh, testCases: structured, propose: true },
    {
      candidate: () => soundModule('city-weather-zh'),
      read: () => lines(derived, { units: [1, 2, 3], none: 'explains' }),
      confirm: () => lines({ world: 1, place: 1, value }),
    },
  );
  const [proposal] = went.outcome.proposals ?? [];
  assert.match(
    String(proposal?.testCases),
    /^# 测试用例1\n\n- \*\*测试请求数据\*\*：\n/,
    JSON.stringify(went.outcome.report),
  );
  assert.match(String(proposal?.testCases), /# 测试用例4\n[\s\S]*雾里村[\s\S]*城市不存在时返回失败\n$/);
  assert.match(String(proposal?.modificationSummary), /^修改点：\n- 增加测试用例4：/);
});

const refused: [string, JsonObject, Answers, RegExp][] = [
  ['without the member', job, model([unknown]), /^undefined$/],
  [
    'that the peer takes none of',
    { ...proposing, peerCapabilities: ['fixErrorNegotiation'] },
    model([unknown]),
    /accepts no further cases/,
  ],
  ['that change a tool', proposing, model([failing]), /no derived case that a peer can check/],
  [
    'whose claim names a tool of ours',
    proposing,
    model([{ ...unknown, claim: 'lookupProduct finds nothing: 404' }]),
    /no derived case that a peer/,
  ],
  [
    'whose request a case has',
    proposing,
    model([{ ...unknown, set: { '/productId': 'P-00017', '/messageId': 'm-7002' } }]),
    /no derived case that a peer/,
  ],
  [
    'that the second reader answers differently',
    proposing,
    model([unknown], [{ world: 1, place: 1, value: { ...unknownAnswer, product: {} } }]),
    /0 confirmed/,
  ],
  [
    'of which it says something else at one place',
    proposing,
    model(
      [unknown],
      [
        { world: 1, place: 1, value: unknownAnswer },
        { world: 1, place: 3, value: 400 },
      ],
    ),
    /0 confirmed/,
  ],
  [
    'of which it does not know the whole answer',
    proposing,
    model([unknown], [{ world: 1, place: 1, unclear: true }]),
    /0 confirmed/,
  ],
];

for (const [which, data, answers, note] of refused) {
  test(`no cases are proposed ${which}`, async () => {
    const went = await rig.run('generate', data, answers);
    assert.deepEqual([went.outcome.verdict, went.outcome.proposals], ['generated', undefined]);
    assert.match(String(noteOf(went)), note);
  });
}

test('nothing is proposed for a requester: only the peer knows how it answers another request', async () => {
  const answers = { ...model([]), candidate: () => soundModule('album-reader') };
  const went = await rig.run('generate', { ...fixtureJob('album-reader'), propose: true }, answers);
  assert.deepEqual([went.outcome.verdict, went.outcome.proposals], ['generated', undefined]);
  assert.match(String(noteOf(went)), /only the peer knows/);
});

test('an answer that depends on an unanswered tool call is not proposed', async () => {
  const [{ otherwise: _, ...tool }] = job.tools as [JsonObject];
  const examples = [...(tool.examples as JsonObject[]), { input: { productId: 'P-00017' }, output: null }];
  const data = { ...proposing, tools: [{ ...tool, examples }] };
  const value = { messageId: 'm-9001', status: { code: 500, message: 'Internal Server Error' }, product: null };
  const derived = { ...unknown, answer: { '/messageId': 'm-9001' } };
  const went = await rig.run('generate', data, model([derived], [{ world: 1, place: 1, value }]));
  assert.deepEqual([went.outcome.verdict, went.outcome.proposals], ['generated', undefined]);
  assert.match(String(noteOf(went)), /no derived case that a peer/);
});

test('nothing is proposed until the handler is judged by its whole reading', async () => {
  const wrong = { ...unknown, claim: 'wrong', answer: { '/status/code': 410 } };
  const other = { ...unknown, set: { '/productId': 'P-6', '/messageId': 'm-6' } };
  const went = await rig.run('generate', proposing, { ...model([wrong, other]), confirm: () => 'nothing' });
  assert.deepEqual([went.outcome.verdict, went.outcome.proposals], ['generated', undefined]);
  assert.match(String(noteOf(went)), /not judged by a whole reading/);
});

test('a derived case that the handler breaks is not proposed, others are', async () => {
  const wrong = { ...unknown, claim: 'wrong', answer: { '/status/code': 410 } };
  const other = { ...unknown, set: { '/productId': 'P-6', '/messageId': 'm-6' } };
  const confirm = (question: { prompt: string }) =>
    lines(
      {
        world: 1,
        place: 1,
        value: question.prompt.includes('whole answer') ? { ...unknownAnswer, messageId: 'm-6' } : false,
      },
      { world: 1, place: 2, value: 404 },
    );
  const went = await rig.run('generate', proposing, { ...model([wrong, other]), confirm });
  assert.equal(casesIn(went.outcome.proposals?.[0]).length, 3, noteOf(went));
  assert.doesNotMatch(String(went.outcome.proposals?.[0]?.testCases), /wrong/);
});

test('the proposal of a handler that was made again for new cases comes after those cases', async () => {
  const { '/status/code': _, ...rest } = unknown.answer;
  const first = await rig.run('generate', job, model([{ ...unknown, answer: rest }]));
  const text = `${job.testCases.testCases}# Test Case 3\n\n- **Test Request Data**:\n{"messageId": "m-7", "action": "getProduct", "productId": ""}\n- **Test Response Data**:\n{"messageId": "m-7", "status": {"code": 400, "message": "Bad Request"}, "product": null}\n- **Expected Test Result**:\n400\n`;
  const data = {
    ...proposing,
    testCases: { ...job.testCases, testCases: text },
    handlerDigest: first.record?.digest ?? '',
  };
  const checked = soundModule('product-lookup').replace(
    '  try {',
    "  if (request.productId === '') return { messageId, status: { code: 400, message: 'Bad Request' }, product: null };\n  try {",
  );
  const went = await rig.run('verify', data, { ...model([unknown]), candidate: () => checked });
  assert.equal(went.outcome.verdict, 'generated', JSON.stringify(went.outcome.findings));
  assert.notEqual(went.outcome.handler?.digest, first.outcome.handler?.digest);
  assert.ok(String(went.outcome.proposals?.[0]?.testCases).startsWith(text), noteOf(went));
  assert.match(String(went.outcome.proposals?.[0]?.testCases), /# Test Case 4\n[^#]*P-77777/);
});

/** The job with its first case alone, and a handler that answers unknown products with another message. */
async function answering(message: string, more: JsonObject, found = "'OK'"): Promise<Went> {
  const text = String(job.testCases.testCases);
  const testCases = { ...job.testCases, testCases: text.slice(0, text.indexOf('# Test Case 2')) };
  const source = soundModule('product-lookup').replace("'Not Found'", message).replace("'OK'", found);
  return rig.run('generate', { ...proposing, ...more, testCases }, { ...model([unknown]), candidate: () => source });
}

test('an answer that changes between runs is proposed only where the job says that the place is loose', async () => {
  for (const message of ['context.newId()', 'String(context.now())']) {
    const strict = await answering(message, {});
    assert.deepEqual([strict.outcome.proposals, noteOf(strict)], [undefined, 'no derived case that a peer can check']);
    const free = await answering(message, { loose: [{ pointer: '/status/message', as: 'text' }] });
    assert.equal(free.outcome.proposals?.length, 1, noteOf(free));
  }
});

test('an answer that would fail as a case is not proposed, such as one without the fresh id that is loose there', async () => {
  const loose = [{ pointer: '/status/message', as: 'id' }];
  const went = await answering("'Not Found'", { loose }, 'context.newId()');
  assert.equal(went.outcome.verdict, 'generated', JSON.stringify(went.outcome.report.checks));
  assert.equal(noteOf(went), 'no derived case that a peer can check');
  const fresh = await answering('context.newId()', { loose }, 'context.newId()');
  assert.equal(fresh.outcome.proposals?.length, 1, noteOf(fresh));
});

test('at most ten cases are proposed, all in one question to the second reader', async () => {
  const many = Array.from({ length: 13 }, (_, index) => {
    return { ...unknown, set: { '/productId': `P-8${index}`, '/messageId': `m-${index}` } };
  });
  const confirmed = many.map((_, index) => {
    return { world: index + 1, place: 1, value: { ...unknownAnswer, messageId: `m-${index}` } };
  });
  const went = await rig.run('generate', proposing, model(many, confirmed));
  assert.equal(casesIn(went.outcome.proposals?.[0]).length, 12);
  assert.equal(went.asked.filter((purpose) => purpose === 'confirm').length, 1);
});

test('a peer that cannot wait for the second reader gets its handler in time, without a proposal', async () => {
  const slow = { kind: 'reply', text: ' '.repeat(10_000), pieceCharacters: 1, pauseMs: 50 } as const;
  const answers = { ...model([unknown]), confirm: () => slow };
  const went = await rig.run('generate', { ...proposing, workMs: 0 }, answers, { timeoutMs: 3_000 });
  assert.deepEqual([went.outcome.verdict, went.outcome.proposals], ['generated', undefined]);
  assert.match(String(noteOf(went)), /could not wait|could not be asked/);
});

test('where the second reader or the budget is unavailable, the handler comes without a proposal', async () => {
  const { confirm: _, ...deaf } = model([unknown]);
  const limits = { maxCandidates: 1, maxCompletions: 2, maxTokens: null, maxCostUsd: null };
  const unheard = await rig.run('generate', proposing, deaf);
  const poor = await rig.run('generate', proposing, model([unknown]), { limits });
  for (const { outcome } of [unheard, poor])
    assert.deepEqual([outcome.verdict, outcome.proposals], ['generated', undefined]);
  assert.deepEqual(
    [unheard, poor].map(({ asked }) => asked.includes('confirm')),
    [true, false],
  );
  for (const went of [unheard, poor]) assert.match(String(noteOf(went)), /could not be asked, or gave no answer/);
});

test('where readings are off, nothing is proposed', async () => {
  const went = await rig.run('generate', proposing, model([unknown]), { readingMode: 'off' });
  assert.deepEqual([went.outcome.proposals, noteOf(went)], [undefined, 'readings are off']);
});
