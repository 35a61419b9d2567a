import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withBreaker } from '../../src/completion/circuit-breaker.ts';
import { CompletionError } from '../../src/completion/completion-error.ts';
import { createModel } from '../../src/completion/create-model.ts';
import { failOver } from '../../src/completion/fail-over.ts';
import { createLatencyRecord, withLatency } from '../../src/completion/latency.ts';
import { createOpenAiCompleter } from '../../src/completion/openai-completer.ts';
import { createCoolDown, withRetries } from '../../src/completion/retry-policy.ts';
import type { Completer, Completion, Prompt } from '../../src/contract/completion.ts';
import type { FailedTry, Usage } from '../../src/contract/outcome.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { Code } from '../../src/kernel/errors.ts';
import { type Behaviour, startScriptedModel } from '../../src/scripted-model/server.ts';

const PROMPT: Prompt = { system: 's', turns: [{ role: 'user', text: 'u' }] };
const ANSWER = '```ts\nexport const handle = () => 1;\n```';
const HANG_MS = 20_000;

function deadlineIn(ms: number): Deadline {
  return new Deadline(Date.now() + ms, AbortSignal.timeout(ms));
}

/** A completer that fails with the codes given, in turn, and then succeeds. */
function failing(...failures: (Code | CompletionError)[]): Completer & { asked: number } {
  const completer = {
    generator: 'live' as const,
    asked: 0,
    async complete(): Promise<Completion> {
      const failure = failures[completer.asked];
      completer.asked += 1;
      if (failure !== undefined)
        throw failure instanceof CompletionError ? failure : new CompletionError(failure, 'Cannot: a, wanted b');
      return {
        text: ANSWER,
        model: 'm',
        usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, costUsd: null },
        durationMs: 10 * completer.asked,
      };
    },
  };
  return completer;
}

const codeIs = (code: string) => (error: unknown) => error instanceof CompletionError && error.code === code;

test('over HTTP, passing failures are tried again until one attempt succeeds', async () => {
  const behaviours: Behaviour[] = [
    { kind: 'status', status: 500 },
    { kind: 'reset' },
    { kind: 'status', status: 429, headers: { 'retry-after-ms': '20' } },
    { kind: 'cut', text: '```ts' },
    { kind: 'reply', text: ANSWER },
  ];
  const model = await startScriptedModel({ behave: ({ nth }) => behaviours[nth - 1] ?? { kind: 'empty' } });
  try {
    const completer = withRetries(
      createOpenAiCompleter({ model: 'm', generator: 'scripted', baseUrl: model.baseUrl }),
      { baseMs: 5 },
    );
    assert.equal((await completer.complete(PROMPT, deadlineIn(HANG_MS))).text, ANSWER);
    assert.equal(model.questions.length, 5);
  } finally {
    await model.close();
  }
});

test('over HTTP, a server that says nothing is asked again', async () => {
  const behaviours: Behaviour[] = [
    { kind: 'stall' },
    { kind: 'stall', text: '' },
    { kind: 'stall', text: '```ts' },
    { kind: 'reply', text: ANSWER },
  ];
  const model = await startScriptedModel({ behave: ({ nth }) => behaviours[nth - 1] ?? { kind: 'empty' } });
  try {
    const patience = { headersMs: 200, firstWordMs: 200, stallMs: 200 };
    const completer = withRetries(
      createOpenAiCompleter({ model: 'm', generator: 'scripted', baseUrl: model.baseUrl, patience }),
      { baseMs: 5 },
    );
    assert.equal((await completer.complete(PROMPT, deadlineIn(HANG_MS))).text, ANSWER);
  } finally {
    await model.close();
  }
});

test('without a patience of its own, silence leaves time for another attempt', async () => {
  const model = await startScriptedModel({
    behave: ({ nth }) => (nth === 1 ? { kind: 'stall' } : { kind: 'reply', text: ANSWER }),
  });
  try {
    const completer = withRetries(
      createOpenAiCompleter({ model: 'm', generator: 'scripted', baseUrl: model.baseUrl }),
      { baseMs: 5 },
    );
    assert.equal((await completer.complete(PROMPT, deadlineIn(8_000))).text, ANSWER);
  } finally {
    await model.close();
  }
});

test('a failure that will not pass is not tried again', async () => {
  for (const code of [
    'OPERATOR_MODEL_AUTH',
    'OPERATOR_NO_SCRIPT',
    'PLATFORM_MODEL_LENGTH',
    'PLATFORM_MODEL_ABORTED',
    'PLATFORM_MODEL_TIMEOUT',
  ] as const) {
    const completer = failing(code);
    await assert.rejects(withRetries(completer, { baseMs: 1 }).complete(PROMPT, deadlineIn(HANG_MS)), codeIs(code));
    assert.equal(completer.asked, 1, code);
  }
});

test('the number of retries is bounded', async () => {
  const completer = failing(...Array.from({ length: 9 }, () => 'PLATFORM_MODEL_UNAVAILABLE' as const));
  await assert.rejects(
    withRetries(completer, { retries: 2, baseMs: 1 }).complete(PROMPT, deadlineIn(HANG_MS)),
    codeIs('PLATFORM_MODEL_UNAVAILABLE'),
  );
  assert.equal(completer.asked, 3);
});

test('the server is left alone for as long as it asked', async () => {
  const completer = failing(new CompletionError('PLATFORM_MODEL_RATE_LIMITED', 'm', { retryAfterMs: 300 }));
  const startedAt = performance.now();
  await withRetries(completer, { baseMs: 1 }).complete(PROMPT, deadlineIn(HANG_MS));
  assert.ok(performance.now() - startedAt >= 295);
});

test('where another endpoint can be asked nothing is waited for, and nothing tried again', async () => {
  const completer = failing('PLATFORM_MODEL_STALLED', 'PLATFORM_MODEL_STALLED');
  const coolDown = createCoolDown();
  const impatient = withRetries(completer, { elsewhere: true, coolDown, endpoint: 'e' });
  await assert.rejects(impatient.complete(PROMPT, deadlineIn(HANG_MS)), codeIs('PLATFORM_MODEL_STALLED'));
  assert.equal(completer.asked, 1);
  await coolDown.set('e', Date.now() + HANG_MS / 2);
  await assert.rejects(impatient.complete(PROMPT, deadlineIn(HANG_MS)), codeIs('PLATFORM_MODEL_RATE_LIMITED'));
  assert.equal(completer.asked, 1);
});

test('a pause that would outlast the deadline is not begun', async () => {
  const completer = failing(new CompletionError('PLATFORM_MODEL_RATE_LIMITED', 'm', { retryAfterMs: 90_000 }));
  await assert.rejects(
    withRetries(completer).complete(PROMPT, deadlineIn(HANG_MS)),
    (error) =>
      codeIs('PLATFORM_MODEL_RATE_LIMITED')(error) && error instanceof CompletionError && error.retryAfterMs === 90_000,
  );
  assert.equal(completer.asked, 1);
});

test('calling off ends a pause', async () => {
  const controller = new AbortController();
  const completer = failing(new CompletionError('PLATFORM_MODEL_RATE_LIMITED', 'm', { retryAfterMs: 10_000 }));
  const completion = withRetries(completer).complete(PROMPT, new Deadline(Date.now() + HANG_MS, controller.signal));
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(completion, codeIs('PLATFORM_MODEL_ABORTED'));
  assert.equal(completer.asked, 1);
});

test('a cool-down that one completer was told holds for every other of the endpoint', async () => {
  const coolDown = createCoolDown();
  const first = failing(new CompletionError('PLATFORM_MODEL_RATE_LIMITED', 'm', { retryAfterMs: 60_000 }));
  await assert.rejects(withRetries(first, { coolDown, endpoint: 'a' }).complete(PROMPT, deadlineIn(5_000)));
  const second = failing();
  await assert.rejects(
    withRetries(second, { coolDown, endpoint: 'a' }).complete(PROMPT, deadlineIn(5_000)),
    codeIs('PLATFORM_MODEL_RATE_LIMITED'),
  );
  assert.equal(second.asked, 0);
  await withRetries(second, { coolDown, endpoint: 'b' }).complete(PROMPT, deadlineIn(5_000));
  assert.equal(second.asked, 1);
});

test('the breaker opens after so many failures in a row, lets one through later, and closes when it succeeds', async () => {
  let nowMs = 0;
  const completer = failing('PLATFORM_MODEL_UNAVAILABLE', 'PLATFORM_MODEL_STALLED', 'PLATFORM_MODEL_UNAVAILABLE');
  const guarded = withBreaker(completer, { failures: 2, openMs: 1_000, clock: () => nowMs });
  const ask = () => guarded.complete(PROMPT, deadlineIn(HANG_MS));
  await assert.rejects(ask(), codeIs('PLATFORM_MODEL_UNAVAILABLE'));
  await assert.rejects(ask(), codeIs('PLATFORM_MODEL_STALLED'));
  await assert.rejects(ask(), codeIs('PLATFORM_MODEL_CIRCUIT_OPEN'));
  assert.equal(completer.asked, 2);
  nowMs = 1_001;
  await assert.rejects(ask(), codeIs('PLATFORM_MODEL_UNAVAILABLE'));
  await assert.rejects(ask(), codeIs('PLATFORM_MODEL_CIRCUIT_OPEN'));
  nowMs = 2_002;
  await ask();
  await ask();
  assert.equal(completer.asked, 5);
});

test('the breaker does not count failures that say nothing about the endpoint', async () => {
  const completer = failing('PLATFORM_MODEL_RATE_LIMITED', 'PLATFORM_MODEL_CUT', 'PLATFORM_MODEL_ABORTED');
  const guarded = withBreaker(completer, { failures: 1 });
  for (let n = 0; n < 3; n += 1) await assert.rejects(guarded.complete(PROMPT, deadlineIn(HANG_MS)));
  await guarded.complete(PROMPT, deadlineIn(HANG_MS));
});

test('the next model is asked where one fails, and where all do the failure is told that passes soonest', async () => {
  const first = failing('OPERATOR_MODEL_UNKNOWN', 'PLATFORM_MODEL_UNAVAILABLE');
  const second = failing(...([] as Code[]));
  const both = failOver([first, second]);
  assert.equal((await both.complete(PROMPT, deadlineIn(HANG_MS))).text, ANSWER);
  assert.deepEqual([first.asked, second.asked], [1, 1]);
  const resting = (retryAfterMs: number) => new CompletionError('PLATFORM_MODEL_RATE_LIMITED', 'm', { retryAfterMs });
  for (const [one, other, wanted] of [
    ['OPERATOR_MODEL_AUTH', 'PLATFORM_MODEL_UNAVAILABLE', 'PLATFORM_MODEL_UNAVAILABLE'],
    ['PLATFORM_MODEL_CUT', 'PLATFORM_MODEL_UNAVAILABLE', 'PLATFORM_MODEL_CUT'],
    ['OPERATOR_MODEL_AUTH', 'OPERATOR_MODEL_UNKNOWN', 'OPERATOR_MODEL_AUTH'],
    [resting(20_000), 'PLATFORM_MODEL_UNAVAILABLE', 'PLATFORM_MODEL_UNAVAILABLE'],
    ['OPERATOR_MODEL_AUTH', resting(20_000), 'PLATFORM_MODEL_RATE_LIMITED'],
    ['PLATFORM_MODEL_PROMPT_TOO_LONG', resting(20_000), 'PLATFORM_MODEL_RATE_LIMITED'],
  ] as const)
    await assert.rejects(
      failOver([failing(one), failing(other)]).complete(PROMPT, deadlineIn(HANG_MS)),
      codeIs(wanted),
    );
  const late = failOver([failing(resting(20_000)), failing(resting(500))]).complete(PROMPT, deadlineIn(HANG_MS));
  await assert.rejects(late, { retryAfterMs: 500 });
});

test('no other model is asked once the work was called off', async () => {
  const second = failing();
  await assert.rejects(
    failOver([failing('PLATFORM_MODEL_ABORTED'), second]).complete(PROMPT, deadlineIn(HANG_MS)),
    codeIs('PLATFORM_MODEL_ABORTED'),
  );
  assert.equal(second.asked, 0);
});

test('the speed is known after a few completions, failures aside', async () => {
  const record = createLatencyRecord();
  const completer = withLatency(failing('PLATFORM_MODEL_CUT'), record);
  await assert.rejects(completer.complete(PROMPT, deadlineIn(HANG_MS)));
  for (let n = 0; n < 3; n += 1) await completer.complete(PROMPT, deadlineIn(HANG_MS));
  assert.equal(record.speed(), null);
  await completer.complete(PROMPT, deadlineIn(HANG_MS));
  const speed = record.speed();
  assert.deepEqual([speed?.medianMs, speed?.p75Ms], [30, 40]);
});

test('how long a text takes says nothing of how long a module takes', async () => {
  const record = createLatencyRecord();
  const completer = withLatency(failing(), record);
  for (let n = 0; n < 4; n += 1) await completer.complete(PROMPT, deadlineIn(HANG_MS), { answer: 'text' });
  assert.equal(record.speed(), null);
});

test('no attempt follows without leave, neither there nor elsewhere, and each that is paid for is told', async () => {
  const used = { inputTokens: 10, cachedInputTokens: 2, outputTokens: 3, costUsd: 0.5 };
  const cut = () => new CompletionError('PLATFORM_MODEL_CUT', 'm', { usage: used });
  for (const [attempts, asked] of [
    [1, [1, 0]],
    [2, [2, 0]],
    [3, [2, 1]],
    [9, [2, 2]],
  ] as const) {
    const [first, second] = [failing(cut(), cut()), failing(cut(), cut())];
    const once = { retries: 1, baseMs: 1 };
    let paid = 0;
    const mayRepeat = (failed?: Usage) => {
      if (failed !== undefined) paid += 1;
      return paid < attempts;
    };
    const both = failOver([withRetries(first, once), withRetries(second, once)]);
    await assert.rejects(both.complete(PROMPT, deadlineIn(HANG_MS), { mayRepeat }), codeIs('PLATFORM_MODEL_CUT'));
    assert.deepEqual([first.asked, second.asked], asked);
    assert.equal(paid, first.asked + second.asked);
  }
});

test('whatever comes of several attempts carries what all of them used', async () => {
  const used = { inputTokens: 10, cachedInputTokens: 2, outputTokens: 3, costUsd: 0.5 };
  const cut = () => new CompletionError('PLATFORM_MODEL_CUT', 'm', { usage: used });
  const { usage } = await withRetries(failing(cut(), 'PLATFORM_MODEL_UNAVAILABLE', cut()), { baseMs: 1 }).complete(
    PROMPT,
    deadlineIn(HANG_MS),
  );
  assert.deepEqual(usage, { inputTokens: 21, cachedInputTokens: 4, outputTokens: 7, costUsd: null });
  await assert.rejects(
    failOver([withRetries(failing(cut(), cut()), { retries: 1, baseMs: 1 }), failing(cut())]).complete(
      PROMPT,
      deadlineIn(HANG_MS),
    ),
    (error) =>
      error instanceof CompletionError &&
      error.code === 'PLATFORM_MODEL_CUT' &&
      error.usage?.inputTokens === 30 &&
      error.usage.costUsd === 1.5,
  );
});

test('a model is put together so that it survives a bad server and knows its latency', async () => {
  const bad = await startScriptedModel({ behave: () => ({ kind: 'status', status: 500 }) });
  const good = await startScriptedModel({ behave: () => ({ kind: 'reply', text: ANSWER }) });
  try {
    const options = { model: 'm', generator: 'scripted' as const };
    const model = createModel({
      models: [
        { ...options, baseUrl: bad.baseUrl },
        { ...options, baseUrl: good.baseUrl },
      ],
      retries: { retries: 1, baseMs: 1 },
      breaker: { failures: 3 },
    });
    for (let n = 0; n < 5; n += 1) assert.equal((await model.complete(PROMPT, deadlineIn(HANG_MS))).text, ANSWER);
    assert.equal(bad.questions.length, 3, 'the breaker opened');
    assert.equal(model.generator, 'scripted');
    assert.equal(model.speed(), null);
    const heard: number[] = [];
    await model.complete(PROMPT, deadlineIn(HANG_MS), { heard: (characters) => void heard.push(characters) });
    assert.equal(
      heard.reduce((sum, one) => sum + one, 0),
      ANSWER.length,
    );
    const quick = createModel({ models: [{ ...options, baseUrl: good.baseUrl }] });
    for (let n = 0; n < 4; n += 1) await quick.complete(PROMPT, deadlineIn(HANG_MS));
    const { p75Ms = 0, firstPieceMs = 0, msPerCharacter = 0 } = quick.speed() ?? {};
    assert.ok(firstPieceMs > 0 && firstPieceMs <= p75Ms && msPerCharacter * ANSWER.length <= p75Ms);
  } finally {
    await Promise.all([bad.close(), good.close()]);
  }
});

test('every try that fails is told, with its code and server, and so is a cool-down that nobody waits for', async () => {
  const told: string[] = [];
  const server = { endpoint: 'models.example', model: 'm' };
  const completer = withRetries(failing('PLATFORM_MODEL_UNAVAILABLE', 'PLATFORM_MODEL_CUT'), { baseMs: 1, server });
  const failed = ({ endpoint, code, atMs, durationMs }: FailedTry) => {
    assert.ok(Date.now() - atMs < HANG_MS && durationMs >= 0);
    told.push(`${endpoint} ${code}`);
  };
  await completer.complete(PROMPT, deadlineIn(HANG_MS), { failed });
  assert.deepEqual(told, ['models.example PLATFORM_MODEL_UNAVAILABLE', 'models.example PLATFORM_MODEL_CUT']);
  told.length = 0;
  const coolDown = createCoolDown();
  await coolDown.set('e', Date.now() + 60_000);
  const cooling = withRetries(failing(), { coolDown, endpoint: 'e', elsewhere: true, server });
  await assert.rejects(cooling.complete(PROMPT, deadlineIn(HANG_MS), { failed }));
  assert.deepEqual(told, ['models.example PLATFORM_MODEL_RATE_LIMITED']);
  told.length = 0;
  const cancelled = withRetries(failing('PLATFORM_MODEL_ABORTED'), { server });
  await assert.rejects(cancelled.complete(PROMPT, deadlineIn(HANG_MS), { failed }));
  assert.deepEqual(told, [], 'a call that its caller no longer wants has not failed');
});
