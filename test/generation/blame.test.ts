import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import type { Model } from '../../src/completion/create-model.ts';
import { readJob } from '../../src/intake/read-job.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { CodedError } from '../../src/kernel/errors.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { JUDGE_SYSTEM_PROMPT } from '../../src/prompting/judge-prompt.ts';
import { renderRepair } from '../../src/prompting/render-repair.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import {
  type Asked,
  codes,
  hangMs,
  json,
  module,
  type Played,
  productJob,
  silence,
  soundBut,
  soundSource,
  startGeneration,
  tableSource,
  withCaseText,
} from './rig.ts';

const { play, fallback } = await startGeneration();
const sound = module(soundSource);
const codeGenerationError = [{ action: 'codeGeneration', status: 'error' }];

/** Case 2 asks for 410 where the document says 404. */
const wrongCase = withCaseText(productJob(), (text) =>
  text.replace('"code": 404', '"code": 410').replaceAll('404', '410'),
);

const quote = '404 when there is no such product';

/** The number of the answer, of the two shown to a judge, that contains this text. */
function placeOf(text: string, { prompt }: Asked): number {
  const [, first = '', second = ''] = prompt.split(/# Answer [12]/);
  return first.includes(text) ? 1 : second.split('# Question')[0]?.includes(text) ? 2 : 0;
}

/** A judge who prefers the answer that contains this text, with this quote. */
const judgeFor =
  (text: string, words = quote) =>
  (asked: Asked): Behaviour =>
    json({ right: placeOf(text, asked), quote: words, reason: 'it says so' });

const candidates =
  (candidate: (asked: Asked) => Behaviour, judge: (asked: Asked) => Behaviour = judgeFor('404')) =>
  (asked: Asked) =>
    asked.purpose === 'judge' ? judge(asked) : candidate(asked);

function judged({ asked }: Played): number {
  return asked.filter(({ purpose }) => purpose === 'judge').length;
}

function isOurs(played: Played): void {
  assert.equal(played.conclusion?.verdict, 'error', JSON.stringify(played.conclusion));
  assert.deepEqual(played.conclusion.messages, codeGenerationError);
  assert.ok(
    codes(played).every((code) => code.startsWith('CANDIDATE_')),
    String(codes(played)),
  );
}

test('three independent candidates and a judge who quotes the document twice: the case is disputed, with its amendment', async () => {
  const played = await play(
    wrongCase,
    candidates(() => sound, judgeFor('404')),
  );
  const { conclusion } = played;
  assert.equal(conclusion?.verdict, 'disputed', JSON.stringify(conclusion));
  assert.equal(judged(played), 2);
  assert.ok(played.asked.filter(({ purpose }) => purpose === 'fresh').length >= 3);
  const [finding] = conclusion.findings;
  assert.deepEqual(finding, {
    code: 'DOCUMENT_CASE_WRONG',
    severity: 'error',
    in: 'response',
    testCase: 2,
    pointer: '/status/code',
    message: finding?.message,
    expected: 404,
    actual: 410,
    amendment: { of: 'response', patch: [{ op: 'replace', path: '/status/code', value: 404 }] },
  });
  const [message] = conclusion.messages;
  assert.equal(message?.action, 'fixErrorNegotiation');
  assert.equal(message?.status, 'negotiating');
  assert.match(String(message?.errorDescription), /test case 2.*`404`.*`410`/s);
  const [proposal] = conclusion.proposals ?? [];
  assert.equal(proposal?.action, 'testCasesNegotiation');
  const amended = readJob('generate', {
    ...wrongCase,
    testCases: { ...(wrongCase.testCases as JsonObject), testCases: proposal?.testCases ?? '' },
  });
  assert.ok(amended.ok);
  const second = analyze(amended.job).agreement.cases[1]?.response as { status?: JsonObject };
  assert.equal(second.status?.code, 404);
  const reported = played.report.attempts.filter(({ result }) => result === 'judged');
  assert.equal(reported.length, 2, 'questions to the judge are reported and paid for');
  assert.ok(reported.every(({ usage }) => usage.inputTokens > 0));
  assert.equal(played.report.verification, null, 'nothing was verified');
});

test('the judge is not told where either answer comes from, and sees both orders', async () => {
  const { asked } = await play(
    wrongCase,
    candidates(() => sound, judgeFor('404')),
  );
  const questions = asked.filter(({ purpose }) => purpose === 'judge');
  assert.deepEqual(questions.map((one) => placeOf('404', one)).sort(), [1, 2]);
  for (const { prompt } of questions) assert.doesNotMatch(prompt, /candidate|test case|expected/i);
});

for (const [name, judge] of Object.entries<(asked: Asked) => Behaviour>({
  'finds the case right': judgeFor('410'),
  'always names the first answer': () => json({ right: 1, quote, reason: '' }),
  'quotes what does not stand in the document': judgeFor('404', 'unknown products are answered with 404'),
  'quotes truly only once': (asked) =>
    judgeFor('404', asked.nthOfPurpose === 1 ? quote : 'made up by the judge')(asked),
  'finds that the document does not say': () => json({ right: 0, quote: '', reason: '' }),
  'talks about the weather': () => ({ kind: 'reply', text: 'It rains.' }),
  'is down': () => ({ kind: 'status', status: 500 }),
})) {
  test(`a judge who ${name} convinces nobody: the fault is ours`, async () => {
    const played = await play(
      wrongCase,
      candidates(() => sound, judge),
    );
    isOurs(played);
    assert.ok(judged(played) >= 2);
  });
}

test('after the peer’s deadline candidates are still written, but no judge is asked', async () => {
  const played = await play(
    wrongCase,
    candidates(() => sound),
    { peerDeadline: new Deadline(0, new AbortController().signal) },
  );
  isOurs(played);
  assert.ok(played.asked.length >= 3);
  assert.equal(judged(played), 0, 'nobody can be told of a dispute');
});

test('a judge who is silent until the peer’s deadline convinces nobody', async () => {
  const stop = new AbortController();
  let nowMs = 0;
  const peerDeadline = new Deadline(hangMs, stop.signal, () => nowMs);
  const silentJudge = () => {
    nowMs = hangMs;
    stop.abort(new DOMException('the time is up', 'TimeoutError'));
    return silence;
  };
  const played = await play(
    wrongCase,
    candidates(() => sound, silentJudge),
    { peerDeadline },
  );
  isOurs(played);
  assert.ok(judged(played) > 0);
});

test('a job that is aborted while a judge is asked ends as aborted, without a verdict', async () => {
  const stop = new AbortController();
  const reason = new CodedError('PLATFORM_LEASE_LOST', 'Cannot go on: the lease is lost');
  const played = await play(
    wrongCase,
    candidates(
      () => sound,
      () => {
        stop.abort(reason);
        return silence;
      },
    ),
    { calledOff: stop.signal, mayThrow: true },
  );
  assert.deepEqual([played.conclusion, (played.thrown as CodedError).code], [null, 'PLATFORM_MODEL_ABORTED']);
});

test('a case with an extra member, and one without a required member, are amended accordingly', async () => {
  const more = withCaseText(productJob(), (text) => text.replace('"product": null', '"product": null, "note": "410"'));
  const played = await play(
    more,
    candidates(
      () => sound,
      (asked) => json({ right: 3 - placeOf('410', asked), quote, reason: 'so' }),
    ),
  );
  assert.deepEqual(played.conclusion?.findings[0]?.amendment, {
    of: 'response',
    patch: [{ op: 'remove', path: '/note' }],
  });
  const fewer = await play(
    productJob(),
    candidates(() => soundBut("Found' }, product: null", "Found' }, product: null, note: 'none'"), judgeFor('none')),
  );
  assert.deepEqual(fewer.conclusion?.findings[0]?.amendment, {
    of: 'response',
    patch: [{ op: 'add', path: '/note', value: 'none' }],
  });
});

test('a defect on the way to the judge is no answer of the judge', async () => {
  const complete: Model['complete'] = (prompt, ...more) =>
    prompt.system === JUDGE_SYSTEM_PROMPT
      ? Promise.reject(new CodedError('DEFECT_UNEXPECTED', 'Cannot ask: a fault of ours'))
      : fallback.complete(prompt, ...more);
  const model: Model = { generator: 'scripted', complete, speed: () => null, other: { complete } };
  const { thrown } = await play(
    wrongCase,
    candidates(() => sound),
    { model, mayThrow: true },
  );
  assert.equal((thrown as CodedError).code, 'DEFECT_UNEXPECTED');
});

test('where the peer cannot be told: error, with findings and proposals', async () => {
  const job = { ...wrongCase, peerCapabilities: ['codeGeneration'] };
  const { conclusion } = await play(
    job,
    candidates(() => sound, judgeFor('404')),
  );
  assert.equal(conclusion?.verdict, 'error');
  assert.deepEqual(conclusion.messages, codeGenerationError);
  assert.equal(conclusion.findings[0]?.code, 'DOCUMENT_CASE_WRONG');
  assert.equal(conclusion.proposals?.length, 1);
});

test('candidates that answer a case differently are wrong themselves', async () => {
  const played = await play(
    wrongCase,
    candidates(({ nth }) => (nth === 2 ? sound : soundBut('code: 404', `code: ${420 + nth}`))),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

test('one independent candidate that passes the case removes the suspicion', async () => {
  const keeps = soundBut('code: 404', 'code: 410').text.replace("message: 'OK'", "message: 'Okay'");
  const played = await play(
    wrongCase,
    candidates(({ purpose, nthOfPurpose, prompt }) =>
      (purpose === 'fresh' && nthOfPurpose === 2) || prompt.includes("'Okay'") ? { kind: 'reply', text: keeps } : sound,
    ),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
  assert.equal(played.asked.filter(({ purpose }) => purpose === 'fresh').length, 4);
});

test('two candidates are too few', async () => {
  const played = await play(
    wrongCase,
    candidates(() => sound),
    { limits: { maxCandidates: 3 } },
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

test('a repair is not an independent candidate', async () => {
  const played = await play(
    wrongCase,
    candidates(({ purpose, nthOfPurpose }) =>
      purpose === 'fresh' && nthOfPurpose > 2 ? { kind: 'reply', text: 'I have no idea.' } : sound,
    ),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

test('candidates that start from existing code, as after a complaint, are not independent', async () => {
  const played = await play(
    wrongCase,
    candidates(() => sound),
    {
      change: (order) => ({
        ...order,
        prompt: renderRepair(order.prompt, 'provider', soundSource, {
          checks: [{ name: 'faults in use', facts: ['x'] }],
        }),
      }),
    },
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

test('candidates that agree against a case and fail the checks beyond it are wrong themselves', async () => {
  const played = await play(
    wrongCase,
    candidates(() => module(tableSource)),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

test('each of the candidates that agree against a case must pass the checks beyond it', async () => {
  const played = await play(
    wrongCase,
    candidates(({ purpose, nthOfPurpose }) => (purpose === 'fresh' && nthOfPurpose > 1 ? module(tableSource) : sound)),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

for (const [name, part, replacement] of [
  ['with an answer that the schema forbids', 'code: 404', "code: '404' as never"],
  [
    'and break their types',
    'const { messageId } = request;',
    "const { messageId } = request;\n  const n: number = 'x';\n  void n;",
  ],
] as const) {
  test(`candidates that agree against a case ${name} are wrong themselves`, async () => {
    const played = await play(
      wrongCase,
      candidates(() => soundBut(part, replacement)),
    );
    isOurs(played);
    assert.equal(judged(played), 0, 'no judge is asked');
  });
}

test('a loose place of a wrong case is not reported', async () => {
  const loose = [{ pointer: '/status/message', as: 'text' }];
  const played = await play(
    { ...wrongCase, loose },
    candidates(() => soundBut('Not Found', 'There is none'), judgeFor('404')),
  );
  assert.equal(played.conclusion?.verdict, 'disputed', JSON.stringify(played.conclusion));
  assert.deepEqual(
    played.conclusion.findings.map(({ code, pointer }) => [code, pointer]),
    [['DOCUMENT_CASE_WRONG', '/status/code']],
  );
});

test('candidates that agree against a case and fail another one are wrong themselves', async () => {
  const played = await play(
    wrongCase,
    candidates(() => soundBut("message: 'OK'", "message: 'Okay'")),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
});

test('a case that a repair passes is not disputed', async () => {
  const job = withCaseText(productJob(), (text) => text.replaceAll('Not Found', 'No Such Product'));
  const repaired = soundBut('Not Found', 'No Such Product');
  const played = await play(
    job,
    candidates(({ purpose }) => (purpose === 'repair' ? repaired : sound)),
  );
  assert.ok(played.tested);
  assert.equal(played.asked.length, 3, 'no third voice is asked for while a repair is under way');
});

test('no third independent candidate is requested while a repair is in progress', async () => {
  const job = withCaseText(productJob(), (text) => text.replaceAll('Not Found', 'No Such Product'));
  const repaired = soundBut('Not Found', 'No Such Product');
  const slow = { ...repaired, pieceCharacters: Math.ceil(repaired.text.length / 20), pauseMs: 150 };
  const played = await play(
    job,
    candidates(({ purpose }) => (purpose === 'repair' ? slow : sound)),
  );
  assert.ok(played.tested);
  assert.equal(played.asked.length, 3);
  assert.equal(played.report.attempts.length, 3, 'none that was called off as soon as it was put');
});

test('where only tables pass the cases, and nothing provides the answers, the missing tool is reported', async () => {
  const played = await play(
    productJob({ tools: [] }),
    candidates(() => module(tableSource)),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
  assert.deepEqual(codes(played), ['CANDIDATE_MISSING_TOOL']);
  const findings = played.conclusion?.findings.filter(({ code }) => code === 'CANDIDATE_MISSING_TOOL') ?? [];
  assert.ok(findings.some(({ testCase, pointer }) => testCase === 1 && pointer === '/product/name'));
  assert.match(findings[0]?.message ?? '', /wanted a tool of our agent/);
});

test('tables are at fault themselves where a tool provides the answers', async () => {
  const played = await play(
    productJob(),
    candidates(() => module(tableSource)),
  );
  isOurs(played);
  assert.equal(judged(played), 0, 'no judge is asked');
  assert.deepEqual(codes(played), ['CANDIDATE_CHECKS_FAILED']);
});
