import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompletionError } from '../../src/completion/completion-error.ts';
import type { Model } from '../../src/completion/create-model.ts';
import type { LaneContext } from '../../src/generation/lane-context.ts';
import { failureSignature, faultCount, repairChecks } from '../../src/generation/lane-facts.ts';
import { ask } from '../../src/job/ask.ts';
import { Budget, type Spent } from '../../src/job/budget.ts';
import { Ledger } from '../../src/job/ledger.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import type { RepairFacts } from '../../src/prompting/render-repair.ts';
import type { JobEvent } from '../../src/telemetry/job-event.ts';
import {
  codes,
  hangMs,
  module,
  processBudgetOf,
  productJob,
  silence,
  soundBut,
  soundSource,
  startGeneration,
  tableSource,
} from './rig.ts';
import { farOff, noReading } from './workbench.ts';

const { play } = await startGeneration();
const sound = module(soundSource);
const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 50, costUsd: null };
const prompt = { system: '', turns: [{ role: 'user' as const, text: 'x'.repeat(400) }] };

/** What the candidates of a job share, with a scripted model, its questions and the events. */
function workWith(complete: Model['complete']) {
  const events: JobEvent[] = [];
  const spent = { candidates: 0, completions: 0, tokens: 0, costUsd: 0 };
  const note = (more: Spent) => {
    for (const name of ['candidates', 'completions', 'tokens', 'costUsd'] as const) spent[name] += more[name];
  };
  const limits = { maxCandidates: 6, maxCompletions: 8, maxTokens: null, maxCostUsd: null };
  const work: LaneContext = {
    assignment: undefined as never,
    services: { completer: { generator: 'scripted', speed: () => null, complete }, model: 'm' } as Partial<
      LaneContext['services']
    > as LaneContext['services'],
    ledger: new Ledger({ jobId: 'job', negotiationId: null }, (event) => void events.push(event)),
    budget: new Budget(limits, processBudgetOf(), {}, note),
    tried: [],
    reading: noReading(),
    peerDeadline: farOff(),
    modules: new Map(),
    running: new Set(),
  };
  return { work, events, spent };
}

const answering: Model['complete'] = async () => ({ text: 'so', model: 'm', usage, durationMs: 1 });

function until(signal = new AbortController().signal): Deadline {
  return new Deadline(Date.now() + hangMs, signal);
}

const question = { prompt, purpose: 'generate' } as const;

test('a question that is aborted before it is sent costs nothing', async () => {
  let asked = 0;
  const { work, events, spent } = workWith((...args) => {
    asked += 1;
    return answering(...args);
  });
  const reason = new Error('called off');
  await assert.rejects(
    ask(question, work, until(AbortSignal.abort(reason)), async () => assert.fail('no answer')),
    reason,
  );
  assert.deepEqual([asked, events, work.ledger.attempts], [0, [], []]);
  assert.deepEqual(spent, { candidates: 0, completions: 0, tokens: 0, costUsd: 0 });
});

test('an answer is paid for once, whatever becomes of it', async () => {
  const { work, spent } = workWith(answering);
  const lost = new Error('the sandbox is lost');
  await assert.rejects(
    ask(question, work, until(), () => Promise.reject(lost)),
    lost,
  );
  assert.deepEqual(spent, { candidates: 1, completions: 1, tokens: 150, costUsd: 0 });
  assert.deepEqual(work.ledger.attempts[0]?.usage, usage);
});

test('an interrupted answer is paid for as far as it came', async () => {
  const { work, spent } = workWith(() =>
    Promise.reject(new CompletionError('PLATFORM_MODEL_UNAVAILABLE', 'it broke off', { usage })),
  );
  await assert.rejects(ask(question, work, until(), async () => assert.fail('no answer')));
  assert.deepEqual(spent, { candidates: 1, completions: 1, tokens: 150, costUsd: 0 });
  const [report] = work.ledger.attempts;
  assert.deepEqual(
    [report?.result, report?.code, report?.message, report?.usage],
    ['no-answer', 'PLATFORM_MODEL_UNAVAILABLE', 'it broke off', usage],
  );
});

test('an unanswered question is booked with what it used', async () => {
  const { work, spent } = workWith(() => Promise.reject(new CompletionError('PLATFORM_MODEL_UNAVAILABLE', 'down')));
  await assert.rejects(ask(question, work, until(), async () => assert.fail('no answer')));
  assert.deepEqual(spent, { candidates: 0, completions: 0, tokens: 0, costUsd: 0 });
});

test('the answer is announced before it is verified', async () => {
  const { work } = workWith(answering);
  const order: string[] = [];
  await ask({ ...question, onAnswer: () => void order.push('answered') }, work, until(), async () => {
    order.push('used');
    return [1, { result: 'verified', passedCases: 2 }];
  });
  assert.deepEqual(order, ['answered', 'used']);
});

test('the events of a question name its purpose, such as that of a judge', async () => {
  const { work, events } = workWith(answering);
  await ask({ ...question, purpose: 'judge' }, work, until(), async () => [1, { result: 'judged', passedCases: 0 }]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['prompted', 'stage', 'completed', 'attempted'],
  );
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'prompted' ? [[event.attempt, event.repair, event.purpose]] : [])),
    [[1, false, 'judge']],
  );
});

test('an aborted question is reported as dropped, and in the report as aborted', async () => {
  const stop = new AbortController();
  const { work, events } = workWith(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const asking = ask(question, work, until(stop.signal), async () => assert.fail('no answer'));
  stop.abort(new Error('another won'));
  await assert.rejects(asking, /another won/);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['prompted', 'stage', 'attempted', 'dropped'],
  );
  assert.equal(work.ledger.attempts[0]?.result, 'aborted');
});

test('an answer that exceeds the length limit is a failed candidate, not a platform error', async () => {
  const endless = { ...sound, finishReason: 'length', text: sound.text.slice(0, -20) } as const;
  const mended = await play(productJob(), ({ nth }) => (nth === 1 ? endless : sound));
  assert.ok(mended.tested);
  const [first, ...others] = mended.report.attempts;
  assert.deepEqual([first?.result, first?.code], ['no-answer', 'PLATFORM_MODEL_LENGTH']);
  assert.ok(others.some(({ result }) => result === 'verified'));
  const never = await play(productJob(), () => endless);
  assert.deepEqual([never.conclusion?.verdict, codes(never)], ['error', ['CANDIDATE_TOO_LONG']]);
});

test('the passed cases of each candidate are reported', async () => {
  const oneOfTwo = soundBut("status: { code: 404, message: 'Not Found' }", "status: { code: 200, message: 'OK' }");
  const played = await play(productJob(), ({ nth, purpose }) =>
    nth === 1 ? oneOfTwo : purpose === 'repair' ? sound : silence,
  );
  const ended = played.report.attempts.filter(({ result }) => result !== 'aborted');
  assert.deepEqual(
    ended.map(({ result, passedCases }) => [result, passedCases]),
    [
      ['failed-cases', 1],
      ['verified', 2],
    ],
  );
  const refused = played.events.find(({ type }) => type === 'refused');
  assert.ok(refused?.type === 'refused');
  assert.deepEqual([refused.attempt, refused.code, refused.faults], [1, 'CANDIDATE_CASES_FAILED', 1]);
});

test('a repair prompt says what the checks refused', async () => {
  const played = await play(productJob(), ({ purpose }) => (purpose === 'repair' ? sound : module(tableSource)));
  assert.ok(played.tested);
  const repair = played.asked.find(({ purpose }) => purpose === 'repair');
  const checked = played.events.find(({ type }) => type === 'checked');
  assert.ok(checked?.type === 'checked' && checked.failed.length > 0);
  for (const name of checked.failed) assert.ok(repair?.prompt.includes(name), name);
});

const fact = (check: string, message: string) => ({ check, code: 'CANDIDATE_CHECKS_FAILED' as const, message });

test('facts are grouped by the check that found them', () => {
  const facts = [{ ...fact('a', 'one'), input: 1, got: null }, fact('b', 'two'), fact('a', 'three')];
  assert.deepEqual(repairChecks(facts), [
    { name: 'a', facts: ['one; input: 1; got: null', 'three'] },
    { name: 'b', facts: ['two'] },
  ]);
});

const failedCase = {
  testCase: 1,
  input: 1,
  expected: 2,
  got: 3,
  differences: [{ path: '/a' }],
  end: 'returned' as const,
  calls: [],
};

test('a failure counts as many faults as it shows, at least one', () => {
  assert.equal(faultCount(null), 1);
  assert.equal(faultCount({}), 0);
  const faults = [{ message: 'x' }, { message: 'y' }];
  assert.equal(faultCount({ typeFaults: faults, bundleFaults: faults, cases: [failedCase], checks: [] }), 5);
});

test('a failure is the same wherever it occurs in the source, and different otherwise', () => {
  const facts: RepairFacts = {
    typeFaults: [{ message: 'no such name', line: 1, column: 2 }],
    cases: [failedCase],
    checks: [{ name: 'a', facts: ['x'] }],
  };
  const signature = failureSignature('CANDIDATE_CASES_FAILED', facts);
  const moved = { ...facts, typeFaults: [{ message: 'no such name', line: 9 }] };
  assert.equal(failureSignature('CANDIDATE_CASES_FAILED', moved), signature);
  for (const other of [
    { ...facts, typeFaults: [] },
    { ...facts, bundleFaults: [{ message: 'x' }] },
    { ...facts, checks: [{ name: 'a', facts: ['y'] }] },
    { ...facts, cases: [] },
    { ...facts, cases: [{ ...failedCase, testCase: 2 }] },
    { ...facts, cases: [{ ...failedCase, got: 4 }] },
    { ...facts, cases: [{ ...failedCase, end: 'threw' as const }] },
    { ...facts, cases: [{ ...failedCase, message: 'm' }] },
    { ...facts, cases: [{ ...failedCase, differences: [] }] },
  ])
    assert.notEqual(failureSignature('CANDIDATE_CASES_FAILED', other), signature, JSON.stringify(other));
  assert.notEqual(failureSignature('CANDIDATE_CHECKS_FAILED', facts), signature);
});
