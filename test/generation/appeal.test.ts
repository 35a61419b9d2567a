import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appeal } from '../../src/generation/appeal.ts';
import { failed, mayAppeal, type Tested } from '../../src/generation/lane-candidate.ts';
import type { LaneContext } from '../../src/generation/lane-context.ts';
import { Deadline } from '../../src/kernel/deadline.ts';
import { JUDGE_SYSTEM_PROMPT } from '../../src/prompting/judge-prompt.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { type RuleId, ruleOf } from '../../src/verification/rules.ts';
import {
  type Asked,
  codes,
  json,
  lines,
  module,
  type Played,
  type Purpose,
  productJob,
  readingsInMemory,
  silence,
  soundSource,
  startGeneration,
  tableSource,
} from './rig.ts';

const { play } = await startGeneration();
const sound = module(soundSource);
const quote = '500 when the catalogue cannot be asked';

/** Misreads the agreement: it expects an unavailable catalogue to be reported as an unknown product. */
function misreader({ prompt }: Asked): Behaviour {
  const unit = Number(/^\[(\d+)\] .*500 when the catalogue cannot be asked/m.exec(prompt)?.[1]);
  const claim = 'a catalogue that is late has no such product';
  return lines({ of: [unit], claim, base: 1, tools: { lookupProduct: 'TIMEOUT' }, answer: { '/status/code': 404 } });
}

/** Confirms that reading. */
function fellow({ prompt }: Asked): Behaviour {
  const place = Number(/^place (\d+): "What must stand at \/status\/code/m.exec(prompt)?.[1]);
  return lines({ world: 1, place, value: 404 });
}

/** The number of the judge's answer that the agreement does not demand what the findings say. */
function keptIn({ prompt }: Asked): number {
  return /^1: the agreement wants what was seen/m.test(prompt) ? 1 : 2;
}

const judgeFor =
  (kept: boolean, words = quote) =>
  (asked: Asked): Behaviour =>
    json({ right: kept ? keptIn(asked) : 3 - keptIn(asked), quote: words, reason: '' });

type Answers = Partial<Record<Purpose, (asked: Asked) => Behaviour>>;

/** Generates for the product job with a misread agreement. By default every module is sound, and the judge says so. */
function misread(answers: Answers = {}, options: Parameters<typeof play>[2] = {}): Promise<Played> {
  const by = { fresh: () => sound, repair: () => sound, read: misreader, confirm: fellow, judge: judgeFor(true) };
  return play(productJob(), (asked) => ({ ...by, ...answers })[asked.purpose](asked), {
    reading: 'required',
    ...options,
  });
}

function of(purpose: Purpose, { asked }: Played): Asked[] {
  return asked.filter((one) => one.purpose === purpose);
}

function isRefused(played: Played): void {
  assert.equal(played.tested, null);
  assert.equal(played.conclusion?.verdict, 'error', JSON.stringify(played.conclusion));
  assert.deepEqual(codes(played), ['CANDIDATE_DERIVED_CASE']);
}

test('findings that refuse three independent candidates, and that a judge overrules twice, become warnings', async () => {
  const played = await misread();
  assert.ok(played.tested);
  assert.equal(played.tested.source.replace(/\n\/\/ version .*/, '').trim(), soundSource.trim());
  assert.deepEqual(of('judge', played).map(keptIn).sort(), [1, 2]);
  const found = played.report.checks.find(({ name }) => name === 'derived-cases');
  assert.equal(found?.result, 'warned');
  assert.match(
    found.message ?? '',
    /a judge interprets the agreement differently: "500 when the catalogue cannot be asked"; .*a catalogue that is late/,
  );
  const others = played.report.checks.filter((one) => one !== found);
  assert.ok(others.some(({ result }) => result === 'passed'));
  assert.ok(others.every(({ result, message = '' }) => result !== 'failed' && !message.includes('a judge')));
});

test('findings that a judge overruled refuse no later handler', async () => {
  const readings = readingsInMemory();
  await misread({}, { readings });
  const again = await misread({}, { readings });
  assert.ok(again.tested);
  assert.deepEqual(
    (['read', 'confirm', 'judge'] as const).map((purpose) => of(purpose, again).length),
    [0, 0, 0],
  );
  assert.equal(again.report.checks.find(({ name }) => name === 'derived-cases')?.result, 'warned');
});

test('a judge sees only the agreement and the findings', async () => {
  const judges = of('judge', await misread());
  assert.equal(judges.length, 2);
  for (const { system, prompt } of judges) {
    assert.equal(system, JUDGE_SYSTEM_PROMPT);
    assert.ok(prompt.includes('a catalogue that is late'));
    assert.doesNotMatch(prompt, /candidate|test case|appeal/i);
  }
});

for (const [name, judge] of Object.entries<(asked: Asked) => Behaviour>({
  'bears the reading out': judgeFor(false),
  'makes up the quote': judgeFor(true, 'failures are answered with 500'),
  'prefers what stands first': () => json({ right: 1, quote, reason: '' }),
  'cannot tell': () => json({ right: 0, quote, reason: '' }),
  'answers with a module': () => sound,
}))
  test(`a judge who ${name} overrules nothing, and is not asked a third time`, async () => {
    const played = await misread({ judge });
    isRefused(played);
    assert.equal(of('judge', played).length, 2);
  });

test('a judge who does not answer in time overrules nothing, and the job ends as without one', async () => {
  const played = await misread({ judge: () => silence }, { timeoutMs: 4_000 });
  isRefused(played);
  assert.ok(of('judge', played).length > 0);
});

test('fewer than three independent candidates are not enough for a judge, and repairs do not count', async () => {
  const found = [{ check: 'derived-cases', code: 'CANDIDATE_DERIVED_CASE' as const, message: 'it is late' }];
  const one = { ...failed('failed-checks', 'CANDIDATE_DERIVED_CASE', '', null), tested: {} as Tested, findings: found };
  for (const voices of [
    [true, true],
    [true, false, false, true],
  ]) {
    const tried = voices.map((fresh) => ({ fresh, attempted: one }));
    // A question to the judge would fail here: there is neither an assignment nor a model.
    const work = { tried } as unknown as LaneContext;
    assert.equal(await appeal(work, new Deadline(Date.now(), AbortSignal.abort())), null);
  }
});

test('a judge does not help a table of the examples', async () => {
  const table = () => module(tableSource);
  const played = await misread({ fresh: table, repair: table });
  assert.equal(played.tested, null);
  assert.equal(of('judge', played).length, 0);
});

test('the fault of a peer’s complaint stays a fault, even if a judge overrules the reading', async () => {
  const fact = { check: 'complaint', code: 'CANDIDATE_COMPLAINT_STANDS' as const, message: 'the complaint stands' };
  const played = await misread({}, { change: (order) => ({ ...order, faultsOf: async () => [fact] }) });
  assert.equal(of('judge', played).length, 2);
  assert.equal(played.tested, null);
});

test('rules that are final, and more findings than a judge can decide, are not put to a judge', () => {
  const found = (...ids: RuleId[]) => ({
    memorised: false,
    findings: ids.map((rule) => ({ check: 'some', code: ruleOf(rule).code, rule, message: '' })),
  });
  const words = 'derived-cases/broken';
  assert.ok(mayAppeal(found(words, words)));
  for (const rule of [
    'literal-audit/told-value',
    'renaming/answer-does-not-follow',
    'leaks/hidden-words',
    'generated-requests/breaks-schema',
    'determinism/same-run',
  ] as const)
    assert.ok(!mayAppeal(found(words, rule)), rule);
  assert.ok(!mayAppeal({ ...found(words), memorised: true }));
  assert.ok(!mayAppeal(found()));
  assert.ok(!mayAppeal(found(...Array.from({ length: 13 }, () => words as RuleId))));
});
