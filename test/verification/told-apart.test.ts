import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const OUTCOMES = ['open', 'unknown', 'blocked', 'busy', 'later'];
const locker = { pin: text, content: text, blocked: { type: 'boolean' }, shared: { type: 'boolean' } };
const nullable = (properties: Record<string, Json>): Json => ({
  ...(object(properties) as object),
  type: ['object', 'null'],
});

/** Lockers that open to whoever knows their PIN. */
const lockers = (rules: string): Agreed => ({
  rules: `A locker is read with \`locker\`, which tells null where there is none. If \`locker\` fails the outcome is \`later\`.\n\n${rules}`,
  request: object({ id: text, locker: text, pin: text }),
  response: object({ id: text, outcome: { enum: OUTCOMES }, message: text }),
  loose: [{ pointer: '/message', as: 'text' }],
  tools: [
    {
      ...(reading('locker', object({ locker: text }), nullable(locker), [
        [{ locker: 'north-4' }, { pin: '7305', content: 'skates', blocked: false, shared: false }],
        [{ locker: 'south-9' }, { pin: '1946', content: 'violin', blocked: false, shared: false }],
      ]) as object),
      otherwise: { output: null },
    } as Json,
  ],
  cases: [
    [
      { id: 'l-1', locker: 'north-4', pin: '7305' },
      { id: 'l-1', outcome: 'open', message: 'It is open.' },
    ],
    [
      { id: 'l-2', locker: 'south-9', pin: '1946' },
      { id: 'l-2', outcome: 'open', message: 'It is open.' },
    ],
    [
      { id: 'l-3', locker: 'west-1', pin: '0000' },
      { id: 'l-3', outcome: 'unknown', message: 'No such locker, or another PIN.' },
    ],
  ],
});
const opening = (checks: string) => `export async function handle({ id: given, locker: name, pin }, { call }) {
  const id = String(given);
  const say = (outcome, message) => ({ id, outcome, message });
  const unknown = (message = 'no such locker with this PIN') => say('unknown', message);
  let box;
  try { box = await call.locker({ locker: String(name) }); } catch { return say('later', 'cannot be read'); }
  ${checks}
  return say('open', 'it is open now');
}`;
const NONE = 'if (box === null) return unknown();';
const PIN = 'if (box.pin !== pin) return unknown();';
const BLOCKED = "if (box.blocked) return say('blocked', 'nobody opens it now');";

const ALIKE = [
  'No such locker, or another PIN: `unknown`. Who does not have the PIN must not be able to tell the two apart.',
  'Without the PIN one learns nothing about a locker, not even whether it is blocked: the outcome is `unknown`.',
  'If the PIN is another one the outcome is `unknown`, exactly as for a locker that does not exist.',
  'Ist die PIN falsch oder gibt es das Fach nicht, lautet das Ergebnis `unknown`; der Anfragende kann beides nicht unterscheiden.',
  'pin 不正确时与柜子不存在时的结果完全相同，均为 unknown，请求方不得得知柜子是否存在。',
  'Si el pin no coincide, el resultado es `unknown`, igual que para una taquilla que no existe.',
];
for (const rule of ALIKE) {
  test(`the state of what is another's changes no answer: ${rule}`, async () => {
    const agreed = lockers(`${rule}\n\nA blocked locker has the outcome \`blocked\`.`);
    assert.deepEqual(await refusalsOf(agreed, opening(NONE + PIN + BLOCKED), sandbox), []);
    const refusals = await refusalsOf(agreed, opening(NONE + BLOCKED + PIN), sandbox);
    assert.match(refusals.join('\n'), /leaks: case 1, asked by somebody else: .* is answered by its "blocked"/);
  });
}

test("what is another's is told by no text", async () => {
  const telling = opening(`${NONE} if (box.pin !== pin) return unknown('the PIN is wrong'); ${BLOCKED}`);
  const refusals = await refusalsOf(lockers(ALIKE[0] as string), telling, sandbox);
  assert.match(refusals.join('\n'), /leaks: .* it says another text than for none/);
  const alike = lockers('No such locker, or another PIN: in both cases the outcome is `unknown`.');
  assert.deepEqual(await refusalsOf(alike, telling, sandbox), []);
});

test("what is another's has the outcome of what is unknown", async () => {
  const busy = opening(`${NONE} if (box.pin !== pin) return say('busy', 'not now');`);
  const refusals = await refusalsOf(lockers(ALIKE[2] as string), busy, sandbox);
  assert.match(refusals.join('\n'), /leaks: .* is answered otherwise than none/);
  // Which of the two it is, no sentence says.
  assert.deepEqual(await refusalsOf(lockers('Nothing about other lockers is told to anybody.'), busy, sandbox), []);
});

test('two checks with one outcome are made in the order of their steps', async () => {
  const steps = '1. No such locker, or another PIN: in both cases `unknown`.\n2. The locker is blocked: `blocked`.';
  const refusals = await refusalsOf(lockers(steps), opening(NONE + BLOCKED + PIN), sandbox);
  assert.match(refusals.join('\n'), /leaks: .* is answered by its "blocked"/);
});

for (const rules of [
  // The order of the steps is that of the checks.
  `1. No such locker: \`unknown\`.\n2. The locker is blocked: \`blocked\`.\n3. Another PIN: \`unknown\`, so that nobody can find out which lockers exist.`,
  'A blocked locker has the outcome `blocked`, whoever asks. Another PIN is answered exactly as a locker that does not exist: `unknown`.',
  'No such locker, or another PIN: `unknown` in both cases. A blocked locker has the outcome `blocked`.',
  'A blocked locker has the outcome `blocked`. No such locker, or another PIN: `unknown`. Who keeps the lockers must not tell a visitor whether there are others.',
])
  test(`a check before that may tell more: ${rules}`, async () =>
    assert.deepEqual(await refusalsOf(lockers(rules), opening(NONE + BLOCKED + PIN), sandbox), []));

test("what is another's may be had by whoever the document lets have it", async () => {
  const rules = `Another PIN is answered exactly as a locker that does not exist, \`unknown\`, unless the locker is shared: a shared one opens to all.`;
  const shared = opening(`${NONE} if (!box.shared && box.pin !== pin) return unknown();`);
  assert.deepEqual(await refusalsOf(lockers(rules), shared, sandbox), []);
  const busy = opening(`${NONE} if (box.pin !== pin) return box.shared ? say('busy', 'in use') : unknown();`);
  const lent = `${rules} Who has not the PIN of a shared one gets \`busy\`.`;
  assert.deepEqual(await refusalsOf(lockers(lent), busy, sandbox), []);
});
