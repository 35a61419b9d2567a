import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const outcome = { enum: ['opened', 'denied', 'foreign', 'silent', 'stuck'] };

/** A door that is opened upon a release by somebody else. */
const doors: Agreed = {
  rules:
    'The gate asks for a release with a fresh `askId`, which the answer repeats. `grant` yes: the gate opens the door with `openDoor`, outcome `opened`. no: `denied`. No answer, or none that fits the schema: `silent`. If openDoor fails: `stuck`. An answer with another askId: outcome `foreign`.',
  request: object({ askId: text, door: text }),
  response: object({ askId: text, grant: { enum: ['yes', 'no'] } }),
  loose: [{ pointer: '/askId', as: 'id' }],
  cases: [
    [
      { askId: 'a-100', door: 'D-204' },
      { askId: 'a-100', grant: 'yes' },
    ],
    [
      { askId: 'a-101', door: 'D-380' },
      { askId: 'a-101', grant: 'no' },
    ],
  ],
  tools: [acting('openDoor', object({ door: text }), { type: 'null' }, [], null)],
  task: {
    description: 'Open the door where it is released.',
    inputSchema: object({ door: text }),
    outputSchema: object({ outcome }),
    examples: [
      { testCase: 1, input: { door: 'D-204' }, output: { outcome: 'opened' } },
      { testCase: 2, input: { door: 'D-380' }, output: { outcome: 'denied' } },
    ],
  },
};
const guarding = (first: string, second: string) => `export async function perform({ door }, { send, call, newId }) {
  const askId = newId();
  let answer;
  try { answer = await send({ askId, door }); } catch { return { outcome: 'silent' }; }
  const isOpened = async () => {
    try { await call.openDoor({ door }); return true; } catch { return false; }
  };
  ${first}
  ${second}
}`;
const checksIt = "if (answer.askId !== askId) return { outcome: 'foreign' };";
const opensIt =
  "if (answer.grant === 'no') return { outcome: 'denied' };\n  const isOpen = await isOpened();\n  if (!isOpen) return { outcome: 'stuck' };";

test('who does not take an answer has not acted upon it', async () => {
  const done = "return { outcome: 'opened' };";
  assert.deepEqual(await refusalsOf(doors, guarding(checksIt, opensIt + done), sandbox), []);
  assert.match(
    (await refusalsOf(doors, guarding(opensIt, checksIt + done), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer answers another request: openDoor acts upon an answer that is not taken/m,
  );
});

test('an answer to another number, reference or poll is not taken, however the document says so', async () => {
  const handler = guarding('', `${opensIt}return { outcome: 'opened' };`);
  for (const rule of [
    'Anything else, or an answer with another reference than ours: outcome `foreign`.',
    'An answer for some other askId is lost: never act on it.',
  ]) {
    const agreed = { ...doors, rules: doors.rules.replace(/An answer with another askId.*$/, rule) };
    assert.match(
      (await refusalsOf(agreed, handler, sandbox)).join('\n'),
      /the answer is taken although its id is not that of the request/,
    );
  }
});

/** An order that is confirmed before the budget is committed, or the other way round. */
const orders = (rule: string): Agreed => ({
  rules: `First \`step\` order: the answer is of \`kind\` offer, with the \`cents\`. Then \`step\` confirm: the answer is of \`kind\` confirmed. ${rule} If no answer comes: outcome \`unconfirmed\`. If a tool fails: outcome \`unbooked\`.`,
  request: object({ step: { enum: ['order', 'confirm'] }, po: text }),
  response: object({ kind: { enum: ['offer', 'confirmed'] }, cents: integer }),
  cases: [
    [
      { step: 'order', po: 'PO-771' },
      { kind: 'offer', cents: 31880 },
    ],
    [
      { step: 'confirm', po: 'PO-771' },
      { kind: 'confirmed', cents: 31880 },
    ],
    [
      { step: 'order', po: 'PO-930' },
      { kind: 'offer', cents: 4200 },
    ],
    [
      { step: 'confirm', po: 'PO-930' },
      { kind: 'confirmed', cents: 4200 },
    ],
  ],
  tools: [acting('commitBudget', object({ po: text, cents: integer }), { type: 'null' }, [], null)],
  task: {
    description: 'Order what the number stands for.',
    inputSchema: object({ po: text }),
    outputSchema: object({ outcome: { enum: ['ordered', 'unconfirmed', 'unbooked'] } }),
    examples: [
      { testCase: 1, input: { po: 'PO-771' }, output: { outcome: 'ordered' } },
      { testCase: 2, input: { po: 'PO-771' }, output: { outcome: 'ordered' } },
      { testCase: 3, input: { po: 'PO-930' }, output: { outcome: 'ordered' } },
      { testCase: 4, input: { po: 'PO-930' }, output: { outcome: 'ordered' } },
    ],
  },
});
const ordering = (before: string, behind: string) => `export async function perform({ po }, { send, call }) {
  const commit = async (cents) => {
    try { await call.commitBudget({ po, cents }); return true; } catch { return false; }
  };
  try {
    const { cents } = await send({ step: 'order', po });
    ${before}
    await send({ step: 'confirm', po });
    ${behind}
    return { outcome: 'ordered' };
  } catch { return { outcome: 'unconfirmed' }; }
}`;
const commits = "if (!(await commit(cents))) return { outcome: 'unbooked' };";

test('what is done only after a later answer is not done before it', async () => {
  const agreed = orders('Only after a proper `confirmed`: `commitBudget`.');
  assert.deepEqual(await refusalsOf(agreed, ordering('', commits), sandbox), []);
  assert.match(
    (await refusalsOf(agreed, ordering(commits, ''), sandbox)).join('\n'),
    /^requester-peer: case 1, where the peer times out from its second message on: commitBudget acts all the same, though "Only after/m,
  );
});

test('what is done between two messages may be done though the second is not answered', async () => {
  const agreed = orders(
    'The budget is committed with `commitBudget` as soon as the offer is there, only then it is confirmed.',
  );
  assert.deepEqual(await refusalsOf(agreed, ordering(commits, ''), sandbox), []);
});
