import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text, warningsOf } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const unheeded = (name: string) => new RegExp(`rare-worlds: .* tells as "${name}" changes anything`);

/** Kites that a shed lends where the wind allows it. */
const kites = (rule: string): Agreed => ({
  rules: `The kite is looked up with \`kiteOf\`; none there is answered with verdict "unknown". ${rule} Else the verdict is "lent". If the tool fails, the verdict is "later".`,
  request: object({ kite: text, wind: integer }),
  response: object({ verdict: { enum: ['lent', 'unknown', 'kept', 'later'] }, hue: text }, ['hue']),
  tools: [
    reading(
      'kiteOf',
      object({ kite: text }),
      {
        ...(object({ hue: text, strength: integer, isTorn: { type: 'boolean' }, ownerName: text }) as object),
        type: ['object', 'null'],
      },
      [
        [{ kite: 'K-17' }, { hue: 'teal', strength: 40, isTorn: false, ownerName: 'Ada Brisk' }],
        [{ kite: 'K-18' }, { hue: 'rose', strength: 15, isTorn: false, ownerName: 'Ole Funk' }],
        [{ kite: 'K-19' }, { hue: 'grey', strength: 60, isTorn: true, ownerName: 'Ida Storch' }],
      ],
      null,
    ),
  ],
  cases: [
    [
      { kite: 'K-17', wind: 20 },
      { verdict: 'lent', hue: 'teal' },
    ],
    [{ kite: 'K-18', wind: 32 }, { verdict: 'kept' }],
    [{ kite: 'K-19', wind: 33 }, { verdict: 'kept' }],
    [{ kite: 'K-99', wind: 20 }, { verdict: 'unknown' }],
  ],
});

const lending = (keeps: string) => `
export async function handle(request: any, { call }: any) {
  try {
    const kite = await call.kiteOf({ kite: request.kite });
    if (kite === null) return { verdict: 'unknown' };
    if (${keeps}) return { verdict: 'kept' };
    return { verdict: 'lent', hue: kite.hue };
  } catch {
    return { verdict: 'later' };
  }
}`;

test('warned of: what a tool tells and a rule decides by matters nowhere', async () => {
  const rule = 'If the wind is more than its strength, or `isTorn` is true, the verdict is "kept".';
  const sound = lending('request.wind > kite.strength || kite.isTorn');
  assert.deepEqual(await refusalsOf(kites(rule), sound, sandbox), []);
  const warnings = async (keeps: string) => (await warningsOf(kites(rule), lending(keeps), sandbox)).join('\n');
  assert.doesNotMatch(await warnings('request.wind > kite.strength || kite.isTorn'), /changes anything/);
  assert.match(await warnings('request.wind > 25 || kite.isTorn'), unheeded('strength'));
  assert.match(await warnings('request.wind > Math.min(kite.strength, 31)'), unheeded('isTorn'));
});

test('what no rule decides by, or nobody is told, need not matter', async () => {
  for (const rule of [
    'If the wind is above 25, the verdict is "kept". The strength of a kite and whether it is torn stand on its label.',
    'If the wind is above 25, the verdict is "kept". For whoever has one, `kiteOf` tells an `ownerName`, when the shed knows it.',
    'If the wind is above 25, the verdict is "kept". The `ownerName` is never told to anybody. The `strength` is for the shed alone.',
  ])
    assert.doesNotMatch(
      (await warningsOf(kites(rule), lending('request.wind > 25'), sandbox)).join('\n'),
      /changes anything/,
    );
});

/** A lender who asks a depot how much of something there is. */
const depot: Agreed = {
  rules:
    'The depot is asked for a sort and answers with status "some" and how many crates are `onHand`, or with status "none".',
  request: object({ sort: text }),
  response: object({ status: { enum: ['some', 'none'] }, onHand: integer }, ['onHand']),
  task: {
    description:
      'Ask the depot for crates. `crates` is the smaller of what is wanted and what is onHand; 0 where there is none. If the depot does not answer, state is "silent", else "told".',
    inputSchema: object({ sort: text, wanted: integer }),
    outputSchema: object({ state: { enum: ['told', 'silent'] }, crates: integer }),
    examples: [
      { testCase: 1, input: { sort: 'plums', wanted: 4 }, output: { state: 'told', crates: 4 } },
      { testCase: 2, input: { sort: 'figs', wanted: 9 }, output: { state: 'told', crates: 2 } },
      { testCase: 3, input: { sort: 'kiwis', wanted: 3 }, output: { state: 'told', crates: 0 } },
    ],
  },
  cases: [
    [{ sort: 'plums' }, { status: 'some', onHand: 11 }],
    [{ sort: 'figs' }, { status: 'some', onHand: 2 }],
    [{ sort: 'kiwis' }, { status: 'none' }],
  ],
};

test('warned of: what the peer tells and a task reckons with matters nowhere', async () => {
  const asking = (crates: string) => `
export async function perform(task: any, context: any) {
  try {
    const answer = await context.send({ sort: task.sort });
    return { state: 'told', crates: answer.status === 'none' ? 0 : ${crates} };
  } catch {
    return { state: 'silent', crates: 0 };
  }
}`;
  assert.deepEqual(await refusalsOf(depot, asking('Math.min(task.wanted, answer.onHand)'), sandbox), []);
  const warnings = await warningsOf(depot, asking('task.wanted > 6 ? 2 : task.wanted'), sandbox);
  assert.match(warnings.join('\n'), unheeded('onHand'));
});

test('what matters under a condition alone that no case meets is no reason to refuse', async () => {
  const rule =
    'If the wind is above 90, `strength` is compared with it, and the verdict is "kept" where it is smaller.';
  const sound = lending('request.wind > 90 ? request.wind > kite.strength : request.wind > 25');
  assert.deepEqual(await refusalsOf(kites(`Above a wind of 25 the verdict is "kept". ${rule}`), sound, sandbox), []);
});

test('a number that nothing made larger than what it is held against may matter there', async () => {
  const wallets: Agreed = {
    rules:
      'The wallet is read with `walletOf`, its limit with `limitOf`. If what was sent today, `sentToday`, plus the amount exceeds its `daily` limit, the verdict is "limit", else "sent". If a tool fails, the verdict is "later".',
    request: object({ from: text, amount: integer }),
    response: object({ verdict: { enum: ['sent', 'limit', 'later'] } }),
    tools: [
      reading('walletOf', object({ wallet: text }), object({ sentToday: integer }), [
        [{ wallet: 'W-20' }, { sentToday: 0 }],
        [{ wallet: 'W-21' }, { sentToday: 3 }],
      ]),
      reading('limitOf', object({ wallet: text }), object({ daily: integer }), [
        [{ wallet: 'W-20' }, { daily: 50_000 }],
        [{ wallet: 'W-21' }, { daily: 90_000 }],
      ]),
    ],
    cases: [
      [{ from: 'W-20', amount: 400 }, { verdict: 'sent' }],
      [{ from: 'W-21', amount: 900 }, { verdict: 'sent' }],
      [{ from: 'W-21', amount: 95_000 }, { verdict: 'limit' }],
    ],
  };
  const sending = `export async function handle({ from, amount }: any, { call }: any) {
  try {
    const { sentToday } = await call.walletOf({ wallet: from });
    const { daily } = await call.limitOf({ wallet: from });
    return { verdict: sentToday + amount > daily ? 'limit' : 'sent' };
  } catch {
    return { verdict: 'later' };
  }
}`;
  assert.doesNotMatch((await warningsOf(wallets, sending, sandbox)).join('\n'), /changes anything/);
});
