import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { answerNamesIn, sentencesOnFailureOf } from '../../src/verification/prose/failure-names.ts';
import { type Agreed, acting, object, reading, refusalsOf, subjectOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Permits that are put on file, which may be declined. */
const permits = (rule: string): Agreed => ({
  rules: `The application is looked up with \`findPlan\`; none there: NO_PLAN. It is granted when it is on file: state GRANTED.\n\n${rule}`,
  request: object({ ref: text, plan: text }),
  response: object({ ref: text, state: { enum: ['GRANTED', 'NO_PLAN', 'LATER'] } }),
  cases: [
    [
      { ref: 'p-1', plan: 'PL-71' },
      { ref: 'p-1', state: 'GRANTED' },
    ],
    [
      { ref: 'p-2', plan: 'PL-99' },
      { ref: 'p-2', state: 'NO_PLAN' },
    ],
  ],
  tools: [
    reading('findPlan', object({ plan: text }), { type: ['object', 'null'] }, [[{ plan: 'PL-71' }, { day: 3 }]], null),
    acting('filePermit', object({ plan: text }), object({ filed: { type: 'boolean' } }), [], { filed: true }),
  ],
});

test('a switch that the next sentence turns over is declined as that has it', async () => {
  const agreed = permits(
    'The permit is on file only if the filing says `filed: true`. If it says false, or fails, the state is LATER. It is also LATER if the plan cannot be read.',
  );
  const handler = (filed: string) => `export async function handle({ ref, plan }, { call }) {
    try {
      if ((await call.findPlan({ plan })) === null) return { ref, state: 'NO_PLAN' };
      const { filed } = await call.filePermit({ plan });
      return { ref, state: ${filed} };
    } catch { return { ref, state: 'LATER' }; }
  }`;
  assert.deepEqual(await refusalsOf(agreed, handler("filed ? 'GRANTED' : 'LATER'"), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, handler("'GRANTED'"), sandbox)).join('\n'),
    /filePermit tells \{"filed":false\}: .*though "If it says false/,
  );
});

test('what an answer has left undone is not done after a failure that has that answer', async () => {
  const agreed = permits(
    '1. Look the plan up.\n2. Put it on file.\n\n- LATER: step 1 or 2 failed; the permit is not filed then.',
  );
  const handler = (then: string) => `export async function handle({ ref, plan }, { call }) {
    let found;
    try { found = await call.findPlan({ plan }); } catch { ${then} return { ref, state: 'LATER' }; }
    if (found === null) return { ref, state: 'NO_PLAN' };
    try { const { filed } = await call.filePermit({ plan }); return { ref, state: filed ? 'GRANTED' : 'LATER' }; }
    catch { return { ref, state: 'LATER' }; }
  }`;
  assert.deepEqual(await refusalsOf(agreed, handler(''), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, handler('await call.filePermit({ plan }).catch(() => null);'), sandbox)).join('\n'),
    /where findPlan fails: filePermit is called all the same, though "the permit is not filed then/,
  );
});

test('an answer that "it" stands for is no tool that fails', () => {
  const subject = subjectOf(
    permits('The permit is put on file with `filePermit`. It is also LATER if the plan cannot be read.'),
  );
  assert.deepEqual(sentencesOnFailureOf(subject, 'filePermit'), []);
});

/** Gauges that are read, in a protocol of texts. */
const gauges = (rule: string): Agreed => ({
  rules: `A line is a gauge, its answer is \`LEVEL <n>\`.\n\n${rule}\n\nThere is no other answer.`,
  cases: [['G-7001', 'LEVEL 41']],
  tools: [
    reading('gaugeOf', object({ gauge: text }), object({ level: text }), [[{ gauge: 'G-7001' }, { level: '41' }]]),
  ],
});

for (const [rule, name] of [
  ['If gaugeOf does not work, the answer is the fault try-later.', 'try-later'],
  ['Where gaugeOf fails: answer\n\n    Sorry, please ring us.', 'Sorry, please ring us.'],
] as const)
  test(`what a text answers to a failure is read: ${name}`, () => {
    const subject = subjectOf(gauges(rule));
    const names = sentencesOnFailureOf(subject, 'gaugeOf').flatMap((sentence) => answerNamesIn(subject, sentence));
    assert.deepEqual([...new Set(names)], [name]);
  });
