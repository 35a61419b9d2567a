import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompletionError } from '../../src/completion/completion-error.ts';
import type { Usage } from '../../src/contract/outcome.ts';
import { Budget, BudgetUsedUp, type Spent, usageOf } from '../../src/job/budget.ts';
import { noUsage } from '../../src/job/ledger.ts';
import { CodedError } from '../../src/kernel/errors.ts';
import { codes, module, processBudgetOf, productJob, silence, soundBut, soundSource, startGeneration } from './rig.ts';

const { play, modelWith } = await startGeneration();
const sound = module(soundSource);
const wrong = soundBut("message: 'OK'", "message: 'Okay'");
const prompt = { system: '', turns: [{ role: 'user' as const, text: 'x'.repeat(400) }] };
const used = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 50, costUsd: 0.01 };

test('a job asks for no more completions than its limit, and the error says so', async () => {
  const played = await play(productJob(), () => wrong, { limits: { maxCompletions: 2 } });
  assert.equal(played.asked.length, 2);
  assert.equal(played.conclusion?.verdict, 'error');
  assert.deepEqual(codes(played), ['CANDIDATE_BUDGET', 'CANDIDATE_CASES_FAILED']);
  assert.match(played.conclusion.findings[0]?.message ?? '', /2 of 2 completions/);
});

test('a job asks for no more candidates than its limit', async () => {
  const played = await play(productJob(), () => wrong, { limits: { maxCandidates: 3 } });
  assert.equal(played.asked.length, 3);
  assert.deepEqual(codes(played), ['CANDIDATE_CASES_FAILED']);
});

test('no completion starts when the job has too few tokens left', async () => {
  const alone = await play(productJob(), () => sound);
  const { inputTokens, outputTokens } = alone.report.usage;
  const played = await play(productJob(), () => wrong, { limits: { maxTokens: inputTokens + outputTokens + 50 } });
  assert.equal(played.asked.length, 1);
  assert.equal(codes(played)[0], 'CANDIDATE_BUDGET');
});

test('no completion starts once the cost limit of the job is reached', async () => {
  const model = modelWith({ inputUsd: 1, outputUsd: 1 });
  const played = await play(productJob(), () => wrong, { model, limits: { maxCostUsd: 0.000_001 } });
  assert.equal(played.asked.length, 1);
  assert.equal(codes(played)[0], 'CANDIDATE_BUDGET');
  assert.ok((played.report.usage.costUsd ?? 0) > 0);
});

test('a truncated answer is requested again only while job, hour and tenant have budget left', async () => {
  const cut = { kind: 'cut', text: sound.text.slice(0, 200) } as const;
  const asked = async (options: Parameters<typeof play>[2]) => {
    const played = await play(productJob(), () => cut, { ...options, mayThrow: true });
    assert.equal((played.thrown as CodedError).code, 'PLATFORM_MODEL_CUT');
    return played.asked.length;
  };
  assert.equal(await asked({}), 2);
  assert.equal(await asked({ limits: { maxTokens: 3_000 } }), 1);
  assert.equal(await asked({ processBudget: processBudgetOf({ maxTokensPerHour: 3_000 }) }), 1);
  assert.equal(await asked({ processBudget: processBudgetOf({ maxTokensPerHourPerTenant: 3_000 }) }), 1);
  const model = modelWith({ inputUsd: 1, outputUsd: 1 });
  assert.equal(await asked({ model, limits: { maxCostUsd: 0.003, usdPerInputToken: 0.000_001 } }), 1);
});

test('once a rate-limited model has refused a third of the questions, the others are spread over the time left', () => {
  const limits = { maxCandidates: 6, maxCompletions: 12, maxTokens: null, maxCostUsd: null };
  const limited = (retryAfterMs?: number) => new CompletionError('PLATFORM_MODEL_RATE_LIMITED', 'm', { retryAfterMs });
  const budgetAfter = (spent: Partial<Spent>) => new Budget(limits, processBudgetOf({}), spent);
  assert.equal(budgetAfter({ completions: 3 }).paced(limited(), 90_000).retryAfterMs, undefined);
  const refused = budgetAfter({ completions: 4 });
  assert.deepEqual([refused.asksOnce, refused.paced(limited(), 90_000).retryAfterMs], [true, 10_000]);
  assert.equal(refused.paced(limited(50_000), 90_000).retryAfterMs, 50_000, 'never sooner than the server asks');
  const stalled = new CompletionError('PLATFORM_MODEL_STALLED', 'm');
  assert.equal(refused.paced(stalled, 90_000), stalled, 'only a rate limit passes by waiting');
  // A model that has answered goes on with its repairs.
  const answered = budgetAfter({ completions: 8, candidates: 2 });
  assert.deepEqual([answered.asksOnce, answered.paced(limited(), 90_000).retryAfterMs], [false, undefined]);
});

test('the usage of failed attempts is booked at once, and only once', () => {
  const told: Partial<Spent> = {};
  const limits = { maxCandidates: 9, maxCompletions: 9, maxTokens: 650, maxCostUsd: null };
  const processBudget = processBudgetOf({ maxTokensPerHour: 650 });
  const budget = new Budget(limits, processBudget, {}, (more) => {
    for (const [name, amount] of Object.entries(more) as [keyof Spent, number][])
      told[name] = (told[name] ?? 0) + amount;
  });
  const { mayRepeat, book } = budget.take('generate', prompt);
  assert.equal(mayRepeat(used), true);
  assert.equal(told.tokens, 250);
  assert.equal(mayRepeat(), true);
  assert.equal(mayRepeat(used), true);
  assert.equal(told.tokens, 400);
  const all = { inputTokens: 300, cachedInputTokens: 0, outputTokens: 150, costUsd: 0.03 };
  book(all);
  assert.deepEqual([told.candidates, told.completions, usageOf(told)], [1, 1, all]);
  processBudget.take(200);
  assert.throws(() => processBudget.take(1), { code: 'PLATFORM_BUDGET' });
});

test('a completion aborted before its first piece does not make the cost of the job unknown', async () => {
  const model = modelWith({ inputUsd: 1, outputUsd: 1 });
  const played = await play(
    productJob(),
    ({ nth, purpose }) => (nth === 1 ? wrong : purpose === 'repair' ? sound : silence),
    { model },
  );
  assert.ok(played.tested);
  assert.ok(played.report.attempts.some(({ result }) => result === 'aborted'));
  assert.ok((played.report.usage.costUsd ?? 0) > 0);
});

test('when the hourly budget is used up, the error says when to retry, and nothing is asked', async () => {
  let nowMs = 1_000_000;
  const processBudget = processBudgetOf({ maxTokensPerHour: 3_000 }, () => nowMs);
  const first = await play(productJob(), () => sound, { processBudget });
  assert.ok(first.tested);
  nowMs += 600_000;
  const second = await play(productJob(), () => sound, { processBudget, mayThrow: true });
  assert.equal(second.asked.length, 0);
  const { thrown } = second;
  assert.ok(thrown instanceof CodedError);
  assert.equal(thrown.code, 'PLATFORM_BUDGET');
  assert.equal(thrown.retryAfterMs, 3_000_000);
  nowMs += 3_000_001;
  assert.ok((await play(productJob(), () => sound, { processBudget })).tested);
});

test('the hourly limit on cost works like the one on tokens', () => {
  const processBudget = processBudgetOf({ maxCostUsdPerHour: 0.02 });
  processBudget.take(100).book(used);
  processBudget.take(100).book(used);
  assert.throws(() => processBudget.take(100), { code: 'PLATFORM_BUDGET', message: /0\.0200 of 0\.02 US dollars/ });
});

test('one tenant cannot use up the budget of another, nor can all together exceed the hour', async () => {
  let nowMs = 1_000_000;
  const processBudget = processBudgetOf({ maxTokensPerHour: 500, maxTokensPerHourPerTenant: 300 }, () => nowMs);
  const spend = (tenant: string) => processBudget.take(100, tenant).book(used);
  spend('a');
  spend('a');
  assert.throws(() => processBudget.take(100, 'a'), {
    code: 'PLATFORM_BUDGET',
    message: /300 of 300 tokens of the hour of tenant "a"/,
  });
  spend('b');
  assert.throws(() => processBudget.take(100, 'c'), {
    code: 'PLATFORM_BUDGET',
    message: /450 of 500 tokens of this worker's hour/,
  });
  nowMs += 3_600_001;
  spend('a');

  const jobs = processBudgetOf({ maxTokensPerHourPerTenant: 3_000 });
  assert.ok((await play(productJob({ tenant: 'a' }), () => sound, { processBudget: jobs })).tested);
  const again = await play(productJob({ tenant: 'a' }), () => sound, { processBudget: jobs, mayThrow: true });
  assert.ok(again.thrown instanceof CodedError && again.thrown.code === 'PLATFORM_BUDGET');
  assert.ok((await play(productJob({ tenant: 'b' }), () => sound, { processBudget: jobs })).tested);
});

test('a job that is delivered again goes on with the rest of its budget', async () => {
  for (const [earlier, limits] of [
    [{ completions: 2 }, { maxCompletions: 2 }],
    [{ candidates: 3 }, { maxCandidates: 3 }],
    [{ tokens: 10_000 }, { maxTokens: 10_000 }],
  ] as const) {
    const spending = { of: async () => earlier, note: () => undefined };
    const played = await play(productJob(), () => sound, { spending, limits });
    assert.equal(played.asked.length, 0, JSON.stringify(earlier));
    assert.equal(played.conclusion?.verdict, 'error');
    assert.equal(codes(played)[0], 'CANDIDATE_BUDGET');
  }
  const spending = { of: async () => ({ completions: 1, candidates: 1, tokens: 10 }), note: () => undefined };
  assert.ok((await play(productJob(), () => sound, { spending, limits: { maxCompletions: 2 } })).tested);
});

test('the expected usage is stored before the model is asked, and corrected afterwards', () => {
  const limits = { maxCandidates: 9, maxCompletions: 9, maxTokens: null, maxCostUsd: null };
  const sum = { candidates: 0, completions: 0, tokens: 0, costUsd: 0 };
  const budget = new Budget(limits, processBudgetOf(), {}, (more) => {
    for (const name of ['candidates', 'completions', 'tokens', 'costUsd'] as const) sum[name] += more[name];
  });
  const first = budget.take('generate', prompt);
  assert.deepEqual(sum, { candidates: 1, completions: 1, tokens: 100, costUsd: 0 });
  first.book(used);
  assert.deepEqual(sum, { candidates: 1, completions: 1, tokens: 150, costUsd: 0.01 });
  budget.take('judge', prompt).book({ ...used, costUsd: null });
  assert.deepEqual(sum, { candidates: 1, completions: 2, tokens: 300, costUsd: 0.01 });
  // A refused request, as when rate limited: the next delivery asks again.
  budget.take('generate', prompt).book({ ...used, inputTokens: 0, outputTokens: 0, costUsd: null });
  assert.deepEqual(sum, { candidates: 1, completions: 2, tokens: 300, costUsd: 0.01 });
});

test('each request that reached a server counts, first or repeated; one that did not reach it does not', () => {
  const limits = { maxCandidates: 9, maxCompletions: 3, maxTokens: null, maxCostUsd: null };
  const told: Partial<Spent> = {};
  const budget = new Budget(limits, processBudgetOf(), {}, (more) => {
    told.completions = (told.completions ?? 0) + more.completions;
    told.candidates = (told.candidates ?? 0) + more.candidates;
  });
  const nobody = budget.take('generate', prompt);
  nobody.asking()();
  nobody.book();
  assert.deepEqual(told, { completions: 0, candidates: 0 });
  const { asking, mayRepeat, book } = budget.take('generate', prompt);
  asking();
  asking();
  assert.deepEqual([told.completions, mayRepeat()], [2, true]);
  const notReached = asking();
  assert.deepEqual([told.completions, mayRepeat()], [3, false]);
  assert.throws(asking, BudgetUsedUp);
  notReached();
  assert.equal(mayRepeat(), true);
  asking();
  assert.throws(asking, BudgetUsedUp);
  book();
  // Nothing was answered: no candidate, but three requests.
  assert.deepEqual(told, { completions: 3, candidates: 0 });
  assert.throws(() => budget.take('judge', prompt), BudgetUsedUp);
});

test('a failing server gets no more requests than the job may send, and the job ends with its fault', async () => {
  const failing = { kind: 'status', status: 500, body: { error: { message: 'no disk' } } } as const;
  const played = await play(productJob(), () => failing, { limits: { maxCompletions: 2 } });
  assert.equal(played.asked.length, 2);
  assert.deepEqual([played.conclusion?.verdict, codes(played)], ['error', ['PLATFORM_MODEL_UNAVAILABLE']]);
  assert.match(played.conclusion?.findings[0]?.message ?? '', /\(no disk\).*; 2 of 2 completions are used$/);
});

test('the report has the usage of all deliveries, with the cost as far as it is known', () => {
  const limits = { maxCandidates: 9, maxCompletions: 9, maxTokens: null, maxCostUsd: null, usdPerInputToken: 0.000_1 };
  const told = (...deliveries: ((budget: Budget) => void)[]) => {
    const sum: Partial<Spent> = {};
    for (const deliver of deliveries)
      deliver(
        new Budget(limits, processBudgetOf(), { ...sum }, (more) => {
          for (const [name, amount] of Object.entries(more) as [keyof Spent, number][])
            sum[name] = (sum[name] ?? 0) + amount;
        }),
      );
    return usageOf(sum);
  };
  const answered = (usage: Usage) => (budget: Budget) => budget.take('generate', prompt).book(usage);
  const cached = { ...used, cachedInputTokens: 30 };
  const both = { inputTokens: 200, cachedInputTokens: 30, outputTokens: 100, costUsd: 0.02 };
  assert.deepEqual(told(), noUsage);
  assert.deepEqual(told(answered(noUsage)), noUsage, 'what was turned away');
  assert.deepEqual(told(answered(used), answered(noUsage), answered(cached)), both);
  assert.deepEqual(told(answered(used), answered({ ...cached, costUsd: null })), { ...both, costUsd: null });
  const died = told((budget) => void budget.take('generate', prompt));
  assert.deepEqual(died, { inputTokens: 100, cachedInputTokens: 0, outputTokens: 0, costUsd: 0.01 });
});

test('a running question counts with its expected usage', () => {
  const limits = { maxCandidates: 9, maxCompletions: 9, maxTokens: 250, maxCostUsd: null };
  const budget = new Budget(limits, processBudgetOf());
  budget.take('generate', prompt);
  const second = budget.take('generate', prompt);
  assert.throws(() => budget.take('generate', prompt), BudgetUsedUp);
  second.book({ ...used, inputTokens: 0, outputTokens: 0 });
  assert.equal(budget.usedUp?.startsWith('200 of 250 tokens'), true, String(budget.usedUp));
});

test('a running question counts with the cost of its prompt, for the job and for all jobs', () => {
  const limits = { maxCandidates: 9, maxCompletions: 9, maxTokens: null, maxCostUsd: 0.025, usdPerInputToken: 0.000_1 };
  const budget = new Budget(limits, processBudgetOf());
  budget.take('generate', prompt).book({ ...used, costUsd: 0.012 });
  const open = budget.take('generate', prompt);
  assert.throws(() => budget.take('generate', prompt), BudgetUsedUp);
  assert.match(budget.usedUp ?? '', /^0\.0220 of 0\.025 US dollars, and the next question takes 0\.0100,$/);
  open.book({ ...used, costUsd: null });
  const processBudget = processBudgetOf({ maxCostUsdPerHour: 0.025, usdPerInputToken: 0.000_1 });
  processBudget.take(100);
  const second = processBudget.take(100);
  assert.throws(() => processBudget.take(100), { code: 'PLATFORM_BUDGET' });
  second.book({ ...used, inputTokens: 0, outputTokens: 0, costUsd: null });
  processBudget.take(100);
});

test('the real usage replaces the expected one, for the job and for all jobs', () => {
  const limits = { maxCandidates: 9, maxCompletions: 9, maxTokens: 250, maxCostUsd: null };
  const budget = new Budget(limits, processBudgetOf());
  budget.take('generate', prompt).book(used);
  budget.take('generate', prompt);
  const processBudget = processBudgetOf({ maxTokensPerHour: 250 });
  processBudget.take(100).book(used);
  processBudget.take(100);
  assert.throws(() => processBudget.take(1), { code: 'PLATFORM_BUDGET' });
});

test('running questions count in the hour too', () => {
  const processBudget = processBudgetOf({ maxTokensPerHour: 250 });
  processBudget.take(100);
  processBudget.take(100);
  assert.throws(() => processBudget.take(100), { code: 'PLATFORM_BUDGET' });
});

test('a judge does not count as a candidate', () => {
  const limits = { maxCandidates: 1, maxCompletions: 3, maxTokens: null, maxCostUsd: null };
  const budget = new Budget(limits, processBudgetOf());
  budget.take('judge', prompt);
  budget.take('generate', prompt);
  budget.take('judge', prompt);
  assert.throws(() => budget.take('judge', prompt), BudgetUsedUp);
});

test('one job in five may hedge, and at most two unused rights are kept', () => {
  const processBudget = processBudgetOf();
  const asked: boolean[] = [];
  for (let job = 0; job < 20; job += 1) {
    processBudget.noteFirst();
    asked.push(processBudget.takeHedge());
  }
  assert.equal(asked.filter(Boolean).length, 4);
  for (let job = 0; job < 100; job += 1) processBudget.noteFirst();
  assert.deepEqual(
    [processBudget.takeHedge(), processBudget.takeHedge(), processBudget.takeHedge()],
    [true, true, false],
  );
});
