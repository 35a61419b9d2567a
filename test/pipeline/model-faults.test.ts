import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { REPAIR_HEADING } from '../../src/prompting/render-repair.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { reportFault } from '../system/fault-report.ts';
import { markedJob, type Rig, soundReply, startRig, type WorkerUnderTest } from '../system/harness.ts';
import { probe } from '../system/status-names.ts';

const rig = await startRig();
after(() => rig.close());

/** The limit on modules. */
const maxCandidates = 3;
const worker = await rig.worker({ PROTOSMITH_MAX_CANDIDATES: String(maxCandidates) });

const sound: Behaviour = { kind: 'reply', text: soundReply };
const half = soundReply.slice(0, soundReply.length / 2);
const error: JsonObject = { action: 'codeGeneration', status: 'error' };

/** Runs a job with the nth behaviour for its nth question to the model; the last behaviour repeats. */
async function play(mark: string, behaviours: [Behaviour, ...Behaviour[]], more: JsonObject = {}, on = rig) {
  const askedAtMs: number[] = [];
  on.answer(mark, (nth) => {
    askedAtMs.push(Date.now());
    return behaviours[Math.min(nth, behaviours.length) - 1] ?? behaviours[0];
  });
  const sinceMs = Date.now();
  const jobId = await on.submit(markedJob(mark, more));
  const [outcome] = await reportFault(on, `model: ${mark}`, [jobId], sinceMs);
  assert.ok(outcome);
  return { outcome, askedAtMs, prompts: on.questions(mark).map(({ prompt }) => prompt) };
}

function codes({ findings }: Outcome): string[] {
  return findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

/** Faults of a model server after which the job must still succeed. */
const passing: Record<string, Behaviour> = {
  'rate-limited': { kind: 'status', status: 429 },
  'server-error': { kind: 'status', status: 500, body: { error: { message: 'oops' } } },
  unavailable: { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
  'reset-before': { kind: 'reset' },
  'reset-after': { kind: 'reset', text: half },
  'cut-stream': { kind: 'cut', text: half },
  'html-page': { kind: 'html' },
  'empty-answer': { kind: 'empty' },
  'no-finish': { kind: 'reply', text: half, finishReason: null, done: false },
};

for (const [name, behaviour] of Object.entries(passing)) {
  test(`${name}: asked again, and the handler generated`, async () => {
    const { outcome, askedAtMs } = await play(`fault-${name}`, [behaviour, sound]);
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
    // A second lane may ask a third question, where the pause made the first answer late.
    assert.ok(askedAtMs.length === 2 || askedAtMs.length === 3, `${askedAtMs.length} questions`);
    // A server's fault is no attempt of the model; its usage is booked with the answer that came.
    const [answered, ...others] = outcome.report.attempts.filter(({ result }) => result !== 'aborted');
    assert.deepEqual([answered?.result, others], ['verified', []]);
    assert.ok(outcome.report.usage.outputTokens > 0);
    // The question was retried in the worker, so the job did not go back to the queue.
    const { jobId } = outcome;
    await worker.logged((line) => line.msg === 'published' && line.job === jobId);
    assert.ok(!worker.lines.some((line) => line.msg === 'retried' && line.job === jobId), 'the job was put back');
  });
}

/** Unusual, but no fault. */
const unusual: Record<string, Behaviour> = {
  'slow-tokens': { ...sound, pauseMs: 15, pieceCharacters: 40 },
  'not-streamed': { kind: 'whole', text: soundReply },
  'fence-then-silence': { ...sound, finishReason: null, done: false },
  'talks-on': {
    kind: 'reply',
    text: `${soundReply}\nAnd here is another idea:\n\`\`\`ts\nexport const x = 1;\n\`\`\`\n`,
  },
};

for (const [name, behaviour] of Object.entries(unusual)) {
  test(`${name}: the handler is generated from the first answer`, async () => {
    const { outcome } = await play(`odd-${name}`, [behaviour, { kind: 'status', status: 401 }]);
    assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  });
}

test('Retry-After is honoured', async () => {
  const limited: Behaviour = { kind: 'status', status: 429, headers: { 'retry-after': '2' } };
  let [untilMs, early] = [0, 0];
  rig.answer('fault-retry-after', () => {
    untilMs ||= Date.now() + 1_950;
    if (Date.now() >= untilMs) return sound;
    early += 1;
    return limited;
  });
  const outcome = await rig.outcomeOf(markedJob('fault-retry-after'));
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  // On a busy machine a second lane may ask before the worker has read the first refusal.
  assert.ok(early <= 2, `${early} questions before the time was over`);
});

test('a stalled answer is aborted and requested again', async () => {
  const { outcome, askedAtMs } = await play('fault-stall', [{ kind: 'stall', text: half }, sound], {
    timeoutMs: 20_000,
  });
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.ok(askedAtMs.length >= 2);
});

/** Faults of one question: the job ends at once, and the error says whose move it is. */
const hopeless: Record<string, [Behaviour, RegExp]> = {
  'prompt-too-long': [{ kind: 'status', status: 413 }, /^PLATFORM_MODEL_PROMPT_TOO_LONG$/],
  refused: [{ kind: 'status', status: 400 }, /^PLATFORM_MODEL_REFUSED$/],
  'prompt-filtered': [
    { kind: 'status', status: 400, body: { error: { message: 'The prompt was filtered', code: 'content_filter' } } },
    /^PLATFORM_MODEL_PROMPT_FILTERED$/,
  ],
  declined: [
    { kind: 'reply', text: '```json\n{"decline": "missing-tool", "reason": "no stock", "quote": ""}\n```' },
    /^CANDIDATE_/,
  ],
};

for (const [name, [behaviour, code]] of Object.entries(hopeless)) {
  test(`${name}: an error that says so`, async () => {
    const { outcome, askedAtMs } = await play(`hopeless-${name}`, [behaviour], { timeoutMs: 60_000 });
    assert.equal(outcome.verdict, 'error');
    assert.deepEqual(outcome.messages, [error]);
    assert.equal(outcome.handler, null);
    assert.ok(codes(outcome).length > 0);
    for (const one of codes(outcome)) assert.match(one, code);
    assert.ok(askedAtMs.length <= maxCandidates, `${askedAtMs.length} questions`);
    assert.ok(!worker.lines.some(({ msg, message }) => msg === 'paused' && /hopeless/.test(String(message))));
  });
}

/** Faults that an operator may mend at any moment: they hold the queue, and the job waits until its deadline. */
const held: Record<string, [Behaviour, string]> = {
  'key-refused': [{ kind: 'status', status: 401 }, 'OPERATOR_MODEL_AUTH'],
  'key-forbidden': [{ kind: 'status', status: 403 }, 'OPERATOR_MODEL_AUTH'],
  'no-credit': [{ kind: 'status', status: 402 }, 'OPERATOR_MODEL_QUOTA'],
  'fault-inside-200': [
    { kind: 'status', status: 200, body: { error: { message: 'No credit is left', code: 402 } } },
    'OPERATOR_MODEL_QUOTA',
  ],
  'unknown-model': [{ kind: 'status', status: 404 }, 'OPERATOR_MODEL_UNKNOWN'],
};

// Each on a rig of its own: an endpoint that is held is held for every job.
describe('held', { concurrency: 3 }, () => {
  for (const [name, [behaviour, code]] of Object.entries(held)) {
    test(`${name}: the job waits until its deadline, and the error says so`, async (t) => {
      const own = await startRig();
      t.after(() => own.close());
      const one = await own.worker();
      own.answer(probe, () => behaviour);
      const { outcome, askedAtMs } = await play(`held-${name}`, [behaviour], { timeoutMs: 15_000 }, own);
      assert.deepEqual([outcome.verdict, outcome.messages, codes(outcome)], ['error', [error], [code]]);
      assert.match(outcome.findings[0]?.message ?? '', new RegExp(`at ${new URL(own.modelUrl).host}`));
      assert.ok(askedAtMs.length <= maxCandidates, `${askedAtMs.length} questions`);
      await one.logged((line) => line.msg === 'retried' && line.code === code);
      await one.logged((line) => line.msg === 'paused' && line.code === code);
    });
  }
});

/** Candidates that are always wrong, each with what the repair prompt must say about them. */
const wrong: Record<string, [answer: string, fact?: RegExp]> = {
  'wrong-answer': [soundReply.replace("'Success'", "'Succes'"), /"Succes"/],
  'no-code': ['I would rather talk about the weather.'],
  'foreign-import': [
    `\`\`\`ts\nimport { readFileSync } from 'node:fs';\nexport function handle() { return readFileSync('/etc/passwd', 'utf8'); }\n\`\`\``,
    /node:fs/,
  ],
  'syntax-error': ['```ts\nexport function handle( { return 1; }\n```', /line|Line/],
  throws: ["```ts\nexport function handle(): never {\n  throw new Error('not today');\n}\n```", /not today/],
  'runs-for-ever': ['```ts\nexport function handle(): never {\n  for (;;) {}\n}\n```', /./],
  'hard-coded': [
    `\`\`\`ts
export function handle(request: any): any {
  const status = { code: 200, message: 'Success' };
  const answer = { messageId: request.messageId, type: 'RESPONSE', status, productInfo: null as any };
  if (request.productId === 'P12345') answer.productInfo = { productId: 'P12345', productName: 'High-Performance Laptop', productDescription: 'A high-performance laptop equipped with the latest processor and large memory capacity.', price: 1299.99, currency: 'USD' };
  return answer;
}
\`\`\``,
    /./,
  ],
};

for (const [name, [text, fact]] of Object.entries(wrong)) {
  test(`${name}: repairs within the budget, then an error that blames nobody else`, async () => {
    const { outcome, prompts } = await play(`wrong-${name}`, [{ kind: 'reply', text }], { timeoutMs: 60_000 });
    assert.equal(outcome.verdict, 'error', JSON.stringify(outcome.report.checks));
    assert.deepEqual(outcome.messages, [error]);
    assert.equal(outcome.proposals, undefined);
    assert.ok(prompts.length > 1 && prompts.length <= maxCandidates, `${prompts.length} completions`);
    assert.equal(outcome.report.attempts.length, prompts.length);
    assert.deepEqual(
      codes(outcome).filter((code) => !code.startsWith('CANDIDATE_')),
      [],
    );
    if (fact) assert.ok(prompts.some((prompt) => fact.test(prompt.split(REPAIR_HEADING)[1] ?? '')));
    const { costUsd, outputTokens } = outcome.report.usage;
    assert.equal(costUsd, null);
    assert.ok(outputTokens > 0);
  });
}

test('all cases of a candidate are run, and the end of each is reported', async () => {
  const text = soundReply.replace("type: 'RESPONSE'", "type: 'ANSWER'");
  assert.notEqual(text, soundReply);
  const { outcome } = await play('wrong-all-cases', [{ kind: 'reply', text }]);
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(
    outcome.report.cases.map(({ testCase, passed, differences }) => [
      testCase,
      passed,
      differences.map(({ path }) => path),
    ]),
    [
      [1, false, ['/type']],
      [2, false, ['/type']],
    ],
  );
  assert.deepEqual(
    outcome.findings
      .filter(({ testCase }) => testCase !== undefined)
      .map(({ testCase, in: place, pointer, expected, actual }) => [testCase, place, pointer, expected, actual]),
    [
      [1, 'response', '/type', 'RESPONSE', 'ANSWER'],
      [2, 'response', '/type', 'RESPONSE', 'ANSWER'],
    ],
  );
});

test('a candidate that fails once is repaired', async () => {
  const { outcome, prompts } = await play('wrong-once', [
    { kind: 'reply', text: soundReply.replace("'Success'", "'Succes'") },
    sound,
  ]);
  assert.equal(outcome.verdict, 'generated', JSON.stringify(outcome.findings));
  assert.deepEqual(
    outcome.report.attempts.map(({ result }) => result).filter((result) => result !== 'aborted'),
    ['failed-cases', 'verified'],
  );
  assert.ok(prompts.slice(1).some((prompt) => prompt.includes('"Succes"')));
});

/** A separate rig with a worker: no endpoint is affected by earlier faults. */
async function ownRig(t: TestContext): Promise<{ own: Rig; worker: WorkerUnderTest }> {
  const own = await startRig();
  t.after(() => own.close());
  return { own, worker: await own.worker({ PROTOSMITH_MAX_CANDIDATES: String(maxCandidates) }) };
}

/** Runs a job that cannot finish in time: its error must be published before the deadline. */
async function late(t: TestContext, name: string, behaviour: Behaviour): Promise<Outcome> {
  const { own, worker } = await ownRig(t);
  // The shortest timeout with the largest reserve for publishing, two seconds, which is enough under load.
  const timeoutMs = 40_000;
  const { outcome } = await play(`late-${name}`, [behaviour], { timeoutMs, workMs: 0 }, own);
  assert.equal(outcome.verdict, 'error');
  assert.deepEqual(outcome.messages, [error]);
  for (const code of codes(outcome)) assert.match(code, /^PLATFORM_/);
  const { time, waitedMs } = await worker.logged(({ msg, job }) => msg === 'taken' && job === outcome.jobId);
  const deadlineMs = Date.parse(String(time)) - Number(waitedMs) + timeoutMs;
  // Ids of entries are times by Redis' clock.
  const entries = await own.connection.xrange(own.keys.outcomes('default'), '-', '+');
  const publishedMs = Number.parseInt(entries.find(([, fields]) => fields.includes(outcome.jobId))?.[0] ?? '', 10);
  assert.ok(publishedMs < deadlineMs, `published ${publishedMs - deadlineMs} ms after the deadline`);
  return outcome;
}

// These tests mostly wait, so a few run at the same time. Each starts a worker of its own, and more would be late.
describe('models that answer until the deadline', { concurrency: 3 }, () => {
  test('endless-tokens: the error is published before the peer’s deadline', async (t) => {
    const outcome = await late(t, 'endless-tokens', { kind: 'reply', text: 'word '.repeat(100_000), pauseMs: 50 });
    assert.deepEqual(codes(outcome), ['PLATFORM_DEADLINE']);
  });

  for (const [name, text] of Object.entries({ silence: undefined, 'silence-in-the-middle': half })) {
    test(`${name}: a job of ten seconds ends with an error that names the silence or the deadline`, async (t) => {
      const behaviour: Behaviour = { kind: 'stall', ...(text === undefined ? {} : { text }) };
      const { own } = await ownRig(t);
      const { outcome } = await play(`short-${name}`, [behaviour], { timeoutMs: 10_000, workMs: 0 }, own);
      // A silence that ends when no time is left for another question ends the job a little before its deadline.
      assert.match(codes(outcome).join(), /^PLATFORM_(?:DEADLINE|MODEL_STALLED|MODEL_TIMEOUT)$/);
    });
  }

  for (const [name, behaviour] of Object.entries<Behaviour>({
    silence: { kind: 'stall' },
    'silence-in-the-middle': { kind: 'stall', text: half },
    'always-500': { kind: 'status', status: 500 },
    'always-limited': { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
  })) {
    test(`${name}: the error is published before the peer’s deadline`, async (t) => {
      await late(t, name, behaviour);
    });
  }
});
