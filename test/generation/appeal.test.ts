import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deadline } from '../../src/kernel/deadline.ts';
import { appealOfAll } from '../../src/pipeline/appeal.ts';
import { failed, mayAppeal, type Tested } from '../../src/pipeline/lane-candidate.ts';
import type { Work } from '../../src/pipeline/lane-work.ts';
import { JUDGE_SYSTEM_PROMPT } from '../../src/prompting/judge-prompt.ts';
import type { Behaviour } from '../../src/scripted-model/server.ts';
import { type RuleId, rules } from '../../src/verification/rules.ts';
import {
  type Asked,
  codes,
  json,
  module,
  type Played,
  productJob,
  silence,
  soundBut,
  soundSource,
  startGeneration,
  tableSource,
} from './rig.ts';

const { play } = await startGeneration();
const sound = module(soundSource);

const quote = 'gets no answer: the line is cut';

/** An agreement with a sentence that no check reads: they want whatever the schema allows answered. */
const job = (() => {
  const plain = productJob();
  const text = String(plain.agreement.candidateProtocols);
  const candidateProtocols = text.replace(
    '- Then product is null',
    `- Then product is null\n- Any other action ${quote}`,
  );
  assert.notEqual(candidateProtocols, text);
  return { ...plain, agreement: { ...plain.agreement, candidateProtocols } };
})();

/** Keeps that agreement to the letter. */
const faithful = soundBut(
  'const { messageId } = request;',
  "const { messageId } = request;\n  if (request.action !== 'getProduct') throw new Error('cut');",
);

const appeals = (words = quote): Behaviour => json({ appeal: true, reason: 'the log is ours', quote: words });

/** The number under which a judge is shown that the agreement does not demand what was found. */
function keptIn({ prompt }: Asked): number {
  return /^1: the agreement wants what was seen/m.test(prompt) ? 1 : 2;
}

const judgeFor =
  (kept: boolean, words = quote) =>
  (asked: Asked): Behaviour =>
    json({ right: kept ? keptIn(asked) : 3 - keptIn(asked), quote: words, reason: '' });

const model =
  (answers: { fresh: Behaviour; repair: Behaviour; judge: (asked: Asked) => Behaviour }) =>
  (asked: Asked): Behaviour =>
    asked.purpose === 'judge' ? answers.judge(asked) : answers[asked.purpose];

function of(purpose: Asked['purpose'], { asked }: Played): Asked[] {
  return asked.filter((one) => one.purpose === purpose);
}

function isRefused(played: Played): void {
  assert.equal(played.tested, null);
  assert.equal(played.conclusion?.verdict, 'error', JSON.stringify(played.conclusion));
  assert.deepEqual(codes(played), ['CANDIDATE_CHECKS_FAILED']);
}

test('a repair that appeals, and a judge who bears it out twice: the candidate is verified, and the report warns of what was found', async () => {
  const played = await play(job, model({ fresh: faithful, repair: appeals(), judge: judgeFor(true) }));
  assert.equal(`\`\`\`ts\n${played.tested?.source.trim()}\n\`\`\``, faithful.text);
  assert.deepEqual(of('judge', played).map(keptIn).sort(), [1, 2]);
  const found = played.report.checks.find(({ name }) => name === 'generated-requests');
  assert.equal(found?.result, 'warned');
  assert.match(
    found.message ?? '',
    /a judge reads the agreement otherwise: "gets no answer: the line is cut"; .*it throws: Error: cut/,
  );
  const others = played.report.checks.filter(({ name }) => name !== 'generated-requests');
  assert.ok(others.some(({ result }) => result === 'passed'));
  assert.ok(others.every(({ result, message = '' }) => result !== 'failed' && !message.includes('a judge')));
});

test('the question for a repair offers the appeal for what was read in words, and for nothing else', async () => {
  const offered = async (fresh: Behaviour) => {
    const played = await play(job, model({ fresh, repair: sound, judge: judgeFor(false) }));
    return of('repair', played).map(({ prompt }) => prompt.includes('"appeal": true'));
  };
  assert.ok((await offered(faithful)).every(Boolean));
  assert.ok(!(await offered(module(tableSource))).some(Boolean));
  assert.ok(!(await offered(soundBut('code: 404', 'code: 410'))).some(Boolean));
});

test('a judge is asked by the agreement alone', async () => {
  const played = await play(job, model({ fresh: faithful, repair: appeals(), judge: judgeFor(true) }));
  for (const { system, prompt } of of('judge', played)) {
    assert.equal(system, JUDGE_SYSTEM_PROMPT);
    assert.ok(prompt.includes('it throws: Error: cut'));
    assert.doesNotMatch(prompt, /candidate|test case|appeal|the log is ours/i);
  }
});

for (const [name, judge] of Object.entries<(asked: Asked) => Behaviour>({
  'finds the reading right': judgeFor(false),
  'makes up the quote': judgeFor(true, 'failures are answered with 404'),
  'prefers what stands first': () => json({ right: 1, quote, reason: '' }),
  'cannot tell': () => json({ right: 0, quote, reason: '' }),
  'answers with a module': () => sound,
}))
  test(`a judge who ${name} upholds no appeal, and the same findings are put to a judge once`, async () => {
    const played = await play(job, model({ fresh: faithful, repair: appeals(), judge }));
    isRefused(played);
    assert.equal(of('judge', played).length, 2);
  });

test('an appeal whose quote does not stand in the document does not count', async () => {
  const invented = appeals('failures are answered with 404');
  const played = await play(job, model({ fresh: faithful, repair: invented, judge: judgeFor(true) }), {
    // Nothing is left for the appeal that nobody needs to ask for.
    limits: { maxCandidates: 6, maxCompletions: 6 },
  });
  assert.equal(played.tested, null);
  assert.equal(of('judge', played).length, 0);
  const declined = played.report.attempts.filter(({ result }) => result === 'declined');
  assert.ok(declined.length > 0);
  for (const { code, message } of declined) {
    assert.equal(code, 'CANDIDATE_DECLINED');
    assert.equal(message, 'The model appealed, and what it quotes does not stand in the document');
  }
});

test('an appeal in place of a first module is no candidate, and asks no judge', async () => {
  const played = await play(job, ({ nth }) => (nth === 1 ? appeals() : sound));
  assert.ok(played.tested);
  assert.equal(of('judge', played).length, 0);
});

test('where independent candidates are refused for the same reading and none appeals, a judge is asked before the job ends', async () => {
  const played = await play(job, model({ fresh: faithful, repair: faithful, judge: judgeFor(true) }));
  assert.equal(`\`\`\`ts\n${played.tested?.source.trim()}\n\`\`\``, faithful.text);
  assert.equal(of('judge', played).length, 2);
  const denied = await play(job, model({ fresh: faithful, repair: faithful, judge: judgeFor(false) }));
  isRefused(denied);
});

test('a judge who does not answer in time upholds nothing, and the job ends as it would have', async () => {
  const played = await play(job, model({ fresh: faithful, repair: faithful, judge: () => silence }), {
    timeoutMs: 4_000,
  });
  isRefused(played);
  assert.ok(of('judge', played).length > 0);
});

test('a candidate and its repairs are one voice, and do not bring a reading before a judge', async () => {
  const found = [
    {
      check: 'generated-requests',
      rule: 'generated-requests/throws' as const,
      code: 'CANDIDATE_BREAKS_ON_REQUEST' as const,
      message: 'it throws',
    },
  ];
  const one = {
    ...failed('failed-checks', 'CANDIDATE_CHECKS_FAILED', '', null),
    tested: {} as Tested,
    findings: found,
  };
  const tried = [true, false, false].map((fresh) => ({ fresh, attempted: one }));
  const work = { tried, appeals: new Map() } as unknown as Work;
  assert.equal(await appealOfAll(work, new Deadline(Date.now(), AbortSignal.abort())), null);
  assert.equal(work.appeals.size, 0);
});

test('a table is not helped by a judge', async () => {
  const played = await play(job, model({ fresh: module(tableSource), repair: appeals(), judge: judgeFor(true) }));
  assert.equal(played.tested, null);
  assert.equal(of('judge', played).length, 0);
});

test('what a peer has complained of stays a fault whatever a judge says of the checks', async () => {
  const fact = { check: 'complaint', code: 'CANDIDATE_COMPLAINT_STANDS' as const, message: 'the complaint stands' };
  const played = await play(job, model({ fresh: faithful, repair: appeals(), judge: judgeFor(true) }), {
    change: (order) => ({ ...order, faultsOf: async () => [fact] }),
  });
  assert.equal(played.tested, null);
});

test('the table of rules says what may be appealed for; what is of no rule is final, and so is too much for a judge', () => {
  const found = (...ids: (RuleId | undefined)[]) => ({
    memorised: false,
    findings: ids.map((rule) => ({
      check: 'some',
      code: 'CANDIDATE_LEAK' as const,
      message: '',
      ...(rule === undefined ? {} : { rule }),
    })),
  });
  const open = rules.filter(({ mayBeAppealed }) => mayBeAppealed).map(({ id }) => id);
  const [words] = open;
  assert.ok(mayAppeal(found(...open)));
  for (const { id } of rules.filter(({ mayBeAppealed }) => !mayBeAppealed)) assert.ok(!mayAppeal(found(words, id)), id);
  assert.ok(!mayAppeal(found(words, undefined)));
  assert.ok(!mayAppeal({ ...found(words), memorised: true }));
  assert.ok(!mayAppeal(found()));
  assert.ok(!mayAppeal(found(...Array.from({ length: 13 }, () => words))));
});

test('whoever appeals before anything was found has failed, and a fresh candidate is asked for; the end says so', async () => {
  const mended = await play(productJob(), ({ nth }) =>
    nth === 1 ? appeals('404 when there is no such product') : sound,
  );
  assert.ok(mended.tested);
  const stubborn = await play(job, () => appeals());
  assert.equal(stubborn.conclusion?.verdict, 'error');
  assert.deepEqual(codes(stubborn), ['CANDIDATE_DECLINED']);
  assert.equal(stubborn.asked.length, 6, 'both lanes tried');
});
