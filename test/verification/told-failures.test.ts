import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const slots = (rules: string): Agreed => ({
  rules,
  request: object({ mid: text, sku: text }),
  response: object({ re: text, slot: text }),
  loose: [{ pointer: '/mid', as: 'id' }],
  cases: [
    [
      { mid: 'm-1', sku: 'LAMP-88' },
      { re: 'm-1', slot: 'W-17-0930' },
    ],
    [
      { mid: 'm-2', sku: 'MUG-41' },
      { re: 'm-2', slot: 'W-02-1115' },
    ],
  ],
  task: {
    description: 'Reserve a slot for a product.',
    inputSchema: object({ sku: text }),
    outputSchema: object({ slot: text }),
    examples: [
      { testCase: 1, input: { sku: 'LAMP-88' }, output: { slot: 'W-17-0930' } },
      { testCase: 2, input: { sku: 'MUG-41' }, output: { slot: 'W-02-1115' } },
    ],
  },
});
const reserve = (guard: string) => `export async function perform({ sku }, { send, newId }) {
  const mid = newId();
  const answer = await send({ mid, sku });
  ${guard}
  return { slot: String(answer.slot) };
}`;
const comparing = reserve("if (answer.re !== mid) throw new Error('Cannot use answer: it is for another message');");

for (const rules of [
  'An answer whose `re` differs from the `mid` sent is discarded as an error.',
  'The shop ignores an answer with a wrong `re`; the exchange has failed then.',
  'Each answer repeats the identifier of its message. Other answers are treated as failures.',
  'An answer with another mid is a failure.',
  'Eine Antwort mit einer anderen Kennung wird verworfen, als Fehler.',
  'Ответ, в котором идентификатор отличается, использовать нельзя.',
  '编号不一致的响应当作没有收到。',
  '收到的响应不属于本请求时应当丢弃。',
  'إذا كان المعرّف في الجواب مختلفاً عن معرّف السؤال فالجواب مرفوض.',
])
  test(`an answer to another message is not taken: ${rules}`, async () => {
    assert.match(
      (await refusalsOf(slots(rules), reserve(''), sandbox)).join('\n'),
      /^requester-peer: .*not that of the request/,
    );
    assert.deepEqual(await refusalsOf(slots(rules), comparing, sandbox), []);
  });

for (const rules of [
  'The answer repeats the identifier of the message.',
  'A message whose `sku` is unknown is answered with another slot.',
  'A different slot in the answer is no error.',
])
  test(`an answer to another message may be taken: ${rules}`, async () =>
    assert.deepEqual(await refusalsOf(slots(rules), reserve(''), sandbox), []));

const rides = (rule: string): Agreed => ({
  rules: `The fare is 90 cents for every kilometre of route(to). When there is no way (null), reject with reason \`no_route\`. ${rule} fare and reason are null otherwise.`,
  request: object({ session: text, to: text }),
  response: object({
    session: text,
    verdict: { enum: ['accept', 'reject'] },
    fare: { type: ['integer', 'null'] },
    reason: { type: ['string', 'null'] },
  }),
  tools: [
    reading(
      'route',
      object({ to: text }),
      { type: ['integer', 'null'] },
      [
        [{ to: 'Harbour Street' }, 17],
        [{ to: 'Mill Lane' }, 31],
      ],
      null,
    ),
  ],
  cases: [
    [
      { session: 's-71', to: 'Harbour Street' },
      { session: 's-71', verdict: 'accept', fare: 1530, reason: null },
    ],
    [
      { session: 's-72', to: 'Mill Lane' },
      { session: 's-72', verdict: 'accept', fare: 2790, reason: null },
    ],
    [
      { session: 's-73', to: 'The Moon' },
      { session: 's-73', verdict: 'reject', fare: null, reason: 'no_route' },
    ],
  ],
});
const ride = (reason: string) => `export async function handle({ session, to }, { call }) {
  const answer = (verdict, fare, reason) => ({ session: String(session), verdict, fare, reason });
  try {
    const kilometres = await call.route({ to: String(to) });
    return kilometres === null ? answer('reject', null, 'no_route') : answer('accept', kilometres * 90, null);
  } catch {
    return answer('reject', null, '${reason}');
  }
}`;

test('a verdict alone is no name of a failure where its reason stands beside it', async () => {
  const agreed = rides('If the tool fails: reject with reason `busy`.');
  assert.deepEqual(await refusalsOf(agreed, ride('busy'), sandbox), []);
  assert.match((await refusalsOf(agreed, ride('no_route'), sandbox)).join('\n'), /^failing-tools: .*none of busy/);
});

test('of two names either will do', async () => {
  const agreed = rides('If the tool fails: reject, or accept with reason `later`.');
  assert.deepEqual(await refusalsOf(agreed, ride('down'), sandbox), []);
});
