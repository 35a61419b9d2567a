import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createModel, type Model } from '../../src/completion/create-model.ts';
import type { OpenAiOptions } from '../../src/completion/openai-options.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { type Behaviour, startScriptedModel } from '../../src/scripted-model/server.ts';
import {
  hangMs,
  module,
  type Played,
  processBudgetOf,
  productJob,
  silence,
  soundBut,
  soundSource,
  startGeneration,
} from './rig.ts';

const { play, modelWith, fallback } = await startGeneration();
const sound = module(soundSource);

/** Answers an unknown product as if it were known. */
const wrong = soundBut("status: { code: 404, message: 'Not Found' }", "status: { code: 200, message: 'OK' }");

/** Fails in another way than `wrong`. */
const otherwiseWrong = soundBut("message: 'OK'", "message: 'Okay'");

/** The beginning of a module, then silence. */
const unfinished: Behaviour = { kind: 'stall', text: '```ts\nexport async function handle' };

/** A model whose speed is known, because it answered this many jobs at once. */
async function warmModel(jobs: number, pauseMs = 0) {
  const model = modelWith();
  const processBudget = processBudgetOf();
  for (let n = 0; n < jobs; n += 1) {
    const { tested } = await play(productJob(), () => ({ ...sound, pieceCharacters: 400, pauseMs }), {
      model,
      processBudget,
    });
    assert.ok(tested);
  }
  assert.notEqual(model.speed(), null);
  return { model, processBudget };
}

function results({ report }: Played): string[] {
  return report.attempts.map(({ result }) => result);
}

test('a sound first candidate needs no other question', async () => {
  const played = await play(productJob(), () => sound);
  assert.ok(played.tested);
  assert.deepEqual(results(played), ['verified']);
  assert.equal(played.asked.length, 1);
  assert.ok(played.report.cases.every(({ passed }) => passed) && played.report.checks.length > 0);
});

test('when the first candidate fails, its repair and a fresh candidate compete; the loser’s stream is closed and its tokens are booked', async () => {
  const played = await play(productJob(), ({ purpose, nth }) =>
    nth === 1 ? wrong : purpose === 'repair' ? unfinished : { ...sound, pauseMs: 5 },
  );
  assert.ok(played.tested);
  assert.deepEqual(played.asked.map(({ purpose }) => purpose).sort(), ['fresh', 'fresh', 'repair']);
  assert.deepEqual(results(played).sort(), ['aborted', 'failed-cases', 'verified']);
  assert.deepEqual(
    played.report.attempts.map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  const repair = played.asked.find(({ purpose }) => purpose === 'repair');
  for (let n = 0; n < 3_000 && !repair?.hungUp.aborted; n += 1) await sleep(20);
  assert.equal(repair?.hungUp.aborted, true, 'the stream of the loser is closed');
  const aborted = played.report.attempts.find(({ result }) => result === 'aborted');
  assert.ok((aborted?.usage.inputTokens ?? 0) > 1_000, 'what it cost up to then is reported');
});

test('a repair that is verified first wins over the fresh candidate', async () => {
  const played = await play(productJob(), ({ purpose, nth }) =>
    nth === 1 ? wrong : purpose === 'repair' ? sound : silence,
  );
  assert.ok(played.tested);
  assert.deepEqual(results(played), ['failed-cases', 'verified', 'aborted']);
});

test('a second candidate starts when the first answer takes longer than usual to begin', async () => {
  const warm = await warmModel(4);
  const startedAt = performance.now();
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? silence : sound), warm);
  assert.ok(played.tested);
  assert.deepEqual(results(played), ['aborted', 'verified']);
  assert.deepEqual(
    played.asked.map(({ purpose }) => purpose),
    ['fresh', 'fresh'],
  );
  assert.ok(performance.now() - startedAt < hangMs / 2, 'it did not wait for the last moment');
});

test('where the endpoint’s speed is unknown, a silent first answer still leaves time for a second', async () => {
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? silence : sound), { timeoutMs: 6_000 });
  assert.ok(played.tested);
});

test('an answer that is still arriving is not requested twice, however little time is left', async () => {
  const warm = await warmModel(4, 250);
  const timeoutMs = Math.round(2 * (warm.model.speed()?.p75Ms ?? 0)) + 10_000;
  const going: Behaviour = { ...sound, pieceCharacters: 400, pauseMs: 250 };
  const { tested, asked } = await play(productJob(), () => going, { ...warm, timeoutMs });
  assert.ok(tested);
  assert.equal(asked.length, 1);
});

test('after the same failure twice, the lane starts afresh without the old code', async () => {
  const played = await play(productJob(), ({ nth, purpose, nthOfPurpose }) => {
    if (nth === 1 || purpose === 'repair') return wrong;
    return nthOfPurpose === 2 ? silence : sound;
  });
  assert.ok(played.tested);
  const purposes = played.asked.map(({ purpose }) => purpose);
  assert.deepEqual(purposes.filter((one) => one === 'repair').length, 1, String(purposes));
  assert.equal(purposes.at(-1), 'fresh');
  assert.ok(!played.asked.at(-1)?.prompt.includes('context.call.lookupProduct({'), 'without the old code');
});

test('a repair that fails a case which had passed is dropped: the better candidate is repaired again', async () => {
  const lossy = soundBut("'OK'", "'Okay'");
  const played = await play(productJob(), ({ nth, purpose, nthOfPurpose }) => {
    if (nth === 1) return wrong;
    if (purpose === 'fresh') return silence;
    return nthOfPurpose === 1 ? lossy : sound;
  });
  assert.ok(played.tested);
  const [, second] = played.asked.filter(({ purpose }) => purpose === 'repair');
  assert.ok(!second?.prompt.includes("'Okay'"), 'the second repair starts from the first candidate');
  assert.ok(second?.prompt.includes('Test case 2 failed'));
});

test('a lane repairs a candidate twice at most, and the failed case is reported', async () => {
  let n = 0;
  const limits = { maxCandidates: 20, maxCompletions: 20 };
  const played = await play(
    productJob(),
    () => {
      n += 1;
      return soundBut("message: 'OK'", `message: 'Okay ${n}'`);
    },
    { limits },
  );
  assert.equal(played.conclusion?.verdict, 'error');
  assert.deepEqual(played.conclusion.messages, [{ action: 'codeGeneration', status: 'error' }]);
  const [finding] = played.conclusion.findings;
  assert.equal(finding?.code, 'CANDIDATE_CASES_FAILED');
  assert.deepEqual([finding?.testCase, finding?.pointer, finding?.expected], [1, '/status/message', 'OK']);
  const purposes = played.asked.map(({ purpose }) => purpose);
  assert.deepEqual(purposes.filter((one) => one === 'fresh').length, 2, String(purposes));
  assert.deepEqual(purposes.filter((one) => one === 'repair').length, 4, String(purposes));
  assert.equal(played.report.attempts.length, 6);
});

test('when a server becomes slow, sound first candidates cost at most 1.2 times their tokens', async () => {
  const model = modelWith();
  const processBudget = processBudgetOf();
  const jobs = 16;
  let tokens = 0;
  let single = 0;
  let questions = 0;
  for (let n = 0; n < jobs; n += 1) {
    const late = n >= 12;
    const answer: Behaviour = { ...sound, pieceCharacters: 250, pauseMs: late ? 250 : 1 };
    const { tested, report, asked } = await play(productJob(), ({ nth }) => (nth > 0 ? answer : sound), {
      model,
      processBudget,
    });
    assert.ok(tested);
    const { inputTokens, outputTokens } = report.usage;
    if (n === 0) single = inputTokens + outputTokens;
    tokens += inputTokens + outputTokens;
    questions += asked.length;
  }
  assert.ok(questions > jobs, 'late answers had company');
  assert.ok(tokens <= jobs * single * 1.2, `${(tokens / jobs / single).toFixed(2)} times the tokens`);
});

/** Passes every case, and breaks its types. */
const untyped = soundBut(
  'const { messageId } = request;',
  "const { messageId } = request;\n  const n: number = 'x';\n  void n;",
);

test('a handler that passes the cases and breaks its types is not verified', async () => {
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? untyped : sound));
  assert.ok(played.tested);
  assert.equal(played.report.attempts[0]?.result, 'failed-types');
  assert.notEqual(played.tested.source.includes("const n: number = 'x'"), true);
});

test('a repair without a module leaves the candidate unchanged: it is repaired again', async () => {
  const played = await play(productJob(), ({ nth, purpose, nthOfPurpose }) => {
    if (nth === 1) return wrong;
    if (purpose === 'fresh') return silence;
    return nthOfPurpose === 1 ? { kind: 'reply', text: 'It rains.' } : sound;
  });
  assert.ok(played.tested);
  assert.equal(played.asked.filter(({ purpose }) => purpose === 'repair').length, 2);
});

test('a repair without a module leaves even a candidate that never ran unchanged: its faults are repaired again', async () => {
  const unbundled = module('import x from "./x";\nexport const handle = () => x;');
  const played = await play(productJob(), ({ nth, purpose, nthOfPurpose }) => {
    if (nth === 1) return unbundled;
    if (purpose === 'fresh') return silence;
    return nthOfPurpose === 1 ? { kind: 'reply', text: 'It rains.' } : sound;
  });
  assert.ok(played.tested);
  const repairs = played.asked.filter(({ purpose }) => purpose === 'repair');
  assert.equal(repairs.length, 2);
  assert.ok(repairs[1]?.prompt.includes('from "./x"'));
});

/** The model with a configured speed. */
function modelOfSpeed(ms: number): Model {
  const speed = { medianMs: ms, p75Ms: ms, firstPieceMs: ms / 10, msPerCharacter: ms / sound.text.length };
  return { ...fallback, complete: (...args) => fallback.complete(...args), speed: () => speed };
}

/** A process budget that allows hedging. */
function openPurse() {
  const processBudget = processBudgetOf();
  for (let n = 0; n < 10; n += 1) processBudget.noteFirst();
  return processBudget;
}

/** Answers after about two seconds. */
const slow: Behaviour = { ...sound, pieceCharacters: Math.ceil(sound.text.length / 20), pauseMs: 100 };

test('an answer that comes earlier than usual for its endpoint is not late', async () => {
  const options = { model: modelOfSpeed(30_000), processBudget: openPurse(), timeoutMs: 240_000 };
  const played = await play(productJob(), () => slow, options);
  assert.ok(played.tested);
  assert.equal(played.asked.length, 1);
});

test('an answer is late when most others of its endpoint would have arrived', async () => {
  const options = { model: modelOfSpeed(10), processBudget: openPurse(), timeoutMs: 240_000 };
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? silence : sound), options);
  assert.ok(played.tested);
  assert.deepEqual(results(played), ['aborted', 'verified']);
});

for (const [first, behaviour, isReturned] of [
  ['was silent', silence, true],
  ['stopped midway', { kind: 'stall', text: 'Let me see what is asked for here.' }, false],
] as const) {
  test(`the right to hedge is ${isReturned ? '' : 'not '}returned where the late answer ${first}`, async () => {
    const processBudget = processBudgetOf();
    for (let n = 0; n < 4; n += 1) processBudget.noteFirst();
    const options = { model: modelOfSpeed(10), processBudget, timeoutMs: 240_000 };
    const played = await play(productJob(), ({ nth }) => (nth === 1 ? behaviour : sound), options);
    assert.deepEqual(results(played), ['aborted', 'verified']);
    assert.equal(processBudget.takeHedge(), isReturned);
  });
}

test('the right to hedge is not returned where the late answer came first after all', async () => {
  const processBudget = processBudgetOf();
  for (let n = 0; n < 4; n += 1) processBudget.noteFirst();
  const options = { model: modelOfSpeed(10), processBudget, timeoutMs: 240_000 };
  const late: Behaviour = { ...sound, pieceCharacters: Math.ceil(sound.text.length / 10), pauseMs: 100 };
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? late : silence), options);
  assert.deepEqual(results(played), ['verified', 'aborted']);
  assert.equal(processBudget.takeHedge(), false);
});

const passed = new Deadline(0, new AbortController().signal);

test('after the peer’s deadline there is no hurry, and one answer is awaited', async () => {
  const played = await play(productJob(), () => slow, {
    model: modelOfSpeed(10),
    processBudget: openPurse(),
    peerDeadline: passed,
  });
  assert.ok(played.tested);
  assert.equal(played.asked.length, 1);
});

test('after a repair that declines, the lane starts afresh', async () => {
  const declined: Behaviour = {
    kind: 'reply',
    text: '```json\n{"decline":"protocol","reason":"so","quote":"404 when there is no such product"}\n```',
  };
  const played = await play(productJob(), ({ nth, purpose, nthOfPurpose }) => {
    if (nth === 1) return wrong;
    if (purpose === 'repair') return declined;
    return nthOfPurpose === 2 ? silence : sound;
  });
  assert.ok(played.tested);
  assert.equal(played.asked.filter(({ purpose }) => purpose === 'repair').length, 1);
});

test('when a server fails one lane, the other lane decides the job', async () => {
  const { conclusion, thrown } = await play(
    productJob(),
    ({ nth, purpose }) =>
      purpose === 'fresh' && nth > 1
        ? { kind: 'status', status: 500 }
        : soundBut("message: 'OK'", `message: 'Okay ${nth}'`),
    { mayThrow: true },
  );
  assert.equal(thrown, undefined);
  assert.equal(conclusion?.findings[0]?.code, 'CANDIDATE_CASES_FAILED');
});

test('when a server fails the only lane, the job is retried because of a platform error', async () => {
  const { thrown, asked } = await play(productJob(), () => ({ kind: 'status', status: 500 }), { mayThrow: true });
  assert.equal((thrown as { code?: string }).code, 'PLATFORM_MODEL_UNAVAILABLE');
  assert.equal(asked.length, 2, 'once, and once again: no second lane');
});

test('a withheld answer is a failed candidate, and another is requested', async () => {
  const withheld: Behaviour = { kind: 'reply', text: 'I', finishReason: 'content_filter' };
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? withheld : sound));
  assert.ok(played.tested);
  assert.equal(played.report.attempts[0]?.result, 'refused');
});

test('candidates that fail in different ways in both lanes blame nobody else', async () => {
  const played = await play(productJob(), ({ nthOfPurpose }) => (nthOfPurpose % 2 === 0 ? wrong : otherwiseWrong));
  assert.equal(played.conclusion?.verdict, 'error');
  assert.ok(!played.asked.some(({ purpose }) => purpose === 'judge'));
});

test('while the peer still waits, the next model is asked when one is silent, however long the work may go on', async () => {
  const [silent, spare] = await Promise.all([
    startScriptedModel({ behave: () => silence }),
    startScriptedModel({ behave: () => sound }),
  ]);
  const [first, second] = [silent, spare].map(({ baseUrl }) => ({
    model: 'scripted',
    generator: 'scripted' as const,
    baseUrl,
  })) as [OpenAiOptions, OpenAiOptions];
  try {
    const peerDeadline = new Deadline(Date.now() + hangMs / 4, new AbortController().signal);
    const options = { model: createModel({ models: [first, second] }), timeoutMs: 10 * hangMs, peerDeadline };
    const { tested } = await play(productJob(), () => sound, options);
    assert.ok(tested);
    assert.ok(!peerDeadline.passed, 'too late for the peer');
    assert.ok(silent.questions.length > 0);
  } finally {
    await Promise.all([silent.close(), spare.close()]);
  }
});

test('an endless trial is not awaited: another candidate is requested while there is still time for it', async () => {
  const endless = soundSource.replace(
    'const { messageId } = request;',
    "if (typeof (request as { productId?: unknown }).productId !== 'string') for (;;);\n  $&",
  );
  assert.notEqual(endless, soundSource);
  // Each endless run takes a second, and there are about ten of them.
  const peerDeadline = new Deadline(Date.now() + hangMs / 12, new AbortController().signal);
  const options = { peerDeadline, timeoutMs: 4 * hangMs };
  const played = await play(productJob(), ({ nth }) => (nth === 1 ? module(endless) : sound), options);
  assert.equal(played.asked[1]?.purpose, 'fresh', 'no repair: the trial has not ended');
  assert.ok(results(played).includes('verified'));
  assert.equal(played.tested?.source.trim(), soundSource.trim());
});

test('a module that is too long for a prompt is not repaired but written afresh', async () => {
  const { text } = wrong;
  const long = {
    ...wrong,
    text: text.replace(/\n```$/, `\n${'// and so on\n'.repeat(6_000)}\`\`\``),
    pieceCharacters: 10_000,
  };
  const played = await play(productJob(), ({ nth }) => (nth < 3 ? long : sound));
  assert.ok(played.tested);
  assert.ok(played.asked.every(({ purpose }) => purpose === 'fresh'));
});

test('after a repair prompt that is too long for the model, the lane starts afresh', async () => {
  const tooLong: Behaviour = { kind: 'status', status: 413 };
  const played = await play(productJob(), ({ nth, purpose, nthOfPurpose }) => {
    if (purpose === 'repair') return tooLong;
    return nth === 1 ? wrong : nthOfPurpose === 2 ? silence : sound;
  });
  assert.ok(played.tested);
  assert.equal(played.asked.filter(({ purpose }) => purpose === 'repair').length, 1);
  assert.deepEqual(results(played).sort(), ['aborted', 'failed-cases', 'no-answer', 'verified']);
});
