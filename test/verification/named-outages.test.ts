import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, findingsOf, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const nullable = (type: string) => ({ type: [type, 'null'] });

/** What a document says of an outage, in several ways, and what stands there in the answer. */
const outages: [why: string, sentence: string, answer: object][] = [
  [
    'beside a rule of the same sentence',
    'Rules cannot be fetched: verdict is stop, rule null, why "no rules".',
    { verdict: 'stop', rule: null, why: 'no rules' },
  ],
  [
    'as a malfunction',
    'Malfunction of the service: why "DEVICE_OUT", verdict stop.',
    { verdict: 'stop', rule: null, why: 'DEVICE_OUT' },
  ],
  ['as a look-up that failed', '`NO_BOOK` – look-up failed.', { verdict: 'stop', rule: null, why: 'NO_BOOK' }],
  [
    'by a number below zero',
    'If the service is down, rule is -1 and the rest as it stands.',
    { verdict: 'stop', rule: -1, why: 'x' },
  ],
];

const gate = (sentence: string): Agreed => ({
  rules: `rules tells the rule for a wagon by its number, or null. Then verdict is pass and why is its wagon. For null, verdict is stop, rule is null and why is "default". ${sentence}`,
  request: object({ wagon: text }),
  response: object({ verdict: { enum: ['pass', 'stop'] }, rule: nullable('integer'), why: text }),
  cases: [
    [{ wagon: 'wagon-814' }, { verdict: 'pass', rule: 4417, why: 'wagon-814' }],
    [{ wagon: 'wagon-929' }, { verdict: 'pass', rule: 6120, why: 'wagon-929' }],
    [{ wagon: 'wagon-100' }, { verdict: 'stop', rule: null, why: 'default' }],
  ],
  tools: [
    reading(
      'rules',
      object({ wagon: text }),
      nullable('integer'),
      [
        [{ wagon: 'wagon-814' }, 4417],
        [{ wagon: 'wagon-929' }, 6120],
      ],
      null,
    ),
  ],
});

const keeper = (answer: object) => `export async function handle({ wagon }, { call }) {
  let rule;
  try {
    rule = await call.rules({ wagon });
  } catch {
    return ${JSON.stringify(answer)};
  }
  return rule === null ? { verdict: 'stop', rule, why: 'default' } : { verdict: 'pass', rule, why: String(wagon) };
}`;

for (const [why, sentence, answer] of outages) {
  test(`an outage is named ${why}`, async () => {
    assert.deepEqual(await refusalsOf(gate(sentence), keeper(answer), sandbox), []);
    const other = keeper({ verdict: 'stop', rule: null, why: 'default' });
    assert.match((await refusalsOf(gate(sentence), other, sandbox)).join('\n'), /failing-tools: .*none of/);
  });
}

const lots: Agreed = {
  rules:
    'lotState tells the least offer for a lot, or null: outcome is "gone". An offer below it has outcome "low". Otherwise the offer is recorded with recordOffer and outcome is "noted". If lotState or recordOffer fails, outcome is "Please try again later".',
  request: object({ lot: text, cents: integer }),
  response: object({ lot: text, outcome: { enum: ['noted', 'low', 'gone', 'Please try again later'] } }),
  cases: [
    [
      { lot: 'lot-771', cents: 9100 },
      { lot: 'lot-771', outcome: 'noted' },
    ],
    [
      { lot: 'lot-772', cents: 1700 },
      { lot: 'lot-772', outcome: 'low' },
    ],
    [
      { lot: 'lot-773', cents: 4400 },
      { lot: 'lot-773', outcome: 'gone' },
    ],
  ],
  tools: [
    reading(
      'lotState',
      object({ lot: text }),
      nullable('integer'),
      [
        [{ lot: 'lot-771' }, 8000],
        [{ lot: 'lot-772' }, 2500],
      ],
      null,
    ),
    acting('recordOffer', object({ lot: text, cents: integer }), { type: 'null' }, [], null),
  ],
};

const offers = `export async function handle({ lot, cents }, { call }) {
  let least;
  try { least = await call.lotState({ lot }); } catch { return { lot, outcome: 'Please try again later' }; }
  if (least === null) return { lot, outcome: 'gone' };
  if (cents < least) return { lot, outcome: 'low' };
  try { await call.recordOffer({ lot, cents }); } catch { return { lot, outcome: 'Please try again later' }; }
  return { lot, outcome: 'noted' };
}`;

test('what writes down is missed where the document names its failure', async () => {
  assert.deepEqual(await refusalsOf(lots, offers, sandbox), []);
  const deaf = offers.replace(
    "cents }); } catch { return { lot, outcome: 'Please try again later' }; }",
    'cents }); } catch {}',
  );
  assert.notEqual(deaf, offers);
  assert.match((await findingsOf(lots, deaf, sandbox)).join('\n'), /failing-tools: .*as if nothing had failed/);
});

test('not refused: what writes down fails where the document has the answer the same', async () => {
  const rules = lots.rules.replace(
    'If lotState or recordOffer fails, outcome is "Please try again later".',
    'If lotState fails, outcome is "Please try again later". If recordOffer fails, outcome is "noted" still.',
  );
  const deaf = offers.replace(
    "cents }); } catch { return { lot, outcome: 'Please try again later' }; }",
    'cents }); } catch {}',
  );
  assert.deepEqual(await refusalsOf({ ...lots, rules }, deaf, sandbox), []);
});

const guides: Agreed = {
  rules:
    'texts tells the text of each exhibit. told has the texts in the order of exhibits. A failing look-up of one exhibit must not spoil the rest: it is listed in later.',
  request: object({ exhibits: { type: 'array', items: text } }),
  response: object({ told: { type: 'array', items: text }, later: { type: 'array', items: text } }),
  cases: [
    [{ exhibits: ['hall-17', 'hall-29'] }, { told: ['Amber 4471', 'Bronze 9020'], later: [] }],
    [{ exhibits: ['hall-29'] }, { told: ['Bronze 9020'], later: [] }],
  ],
  tools: [
    reading('texts', object({ exhibit: text }), text, [
      [{ exhibit: 'hall-17' }, 'Amber 4471'],
      [{ exhibit: 'hall-29' }, 'Bronze 9020'],
    ]),
  ],
};

const guide = `export async function handle({ exhibits }, { call }) {
  const told = [], later = [];
  for (const exhibit of exhibits) {
    try { told.push(await call.texts({ exhibit })); } catch { later.push(String(exhibit)); }
  }
  return { told, later };
}`;

test('a failing look-up that must not spoil the rest does not escape', async () => {
  assert.deepEqual(await refusalsOf(guides, guide, sandbox), []);
  const spoilt = guide.replace('catch { later', 'catch (error) { throw error; later');
  assert.match((await refusalsOf(guides, spoilt, sandbox)).join('\n'), /failing-tools: .*it throws/);
});
