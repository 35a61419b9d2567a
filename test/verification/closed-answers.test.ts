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

const shown: Agreed['cases'][number] = [
  { ref: 'r-4', parcel: 'P-9000' },
  { ref: 'r-4', outcome: 'HELD', info: 'Please ask at the desk.' },
];

/** Parcels that wait in lockers, with outcomes that rules say more of; of one that is held a case may show the answer. */
const parcels = (rules: readonly string[], isHeldShown = false): Agreed => ({
  rules: [
    'A parcel is looked up with `findParcel`.',
    '',
    '- It waits in a locker: outcome READY with site',
    ...rules.map((rule) => `- ${rule}`),
    '- ref comes back',
  ].join('\n'),
  request: object({ ref: text, parcel: text }),
  response: object({ ref: text, outcome: { enum: ['READY', 'HELD', 'GONE', 'LATER'] }, site: text, info: text }, [
    'site',
    'info',
  ]),
  tools: [
    reading(
      'findParcel',
      object({ parcel: text }),
      {
        type: ['object', 'null'],
        properties: { site: text, held: { type: 'boolean' } },
        required: ['site', 'held'],
      },
      [
        [{ parcel: 'P-7711' }, { site: 'Harbour hall', held: false }],
        [{ parcel: 'P-8120' }, { site: 'Old mill', held: false }],
        ...(isHeldShown ? [[{ parcel: 'P-9000' }, { site: 'Quay', held: true }] as [Json, Json]] : []),
      ],
      null,
    ),
  ],
  cases: [
    [
      { ref: 'r-1', parcel: 'P-7711' },
      { ref: 'r-1', outcome: 'READY', site: 'Harbour hall' },
    ],
    [
      { ref: 'r-2', parcel: 'P-8120' },
      { ref: 'r-2', outcome: 'READY', site: 'Old mill' },
    ],
    [
      { ref: 'r-3', parcel: 'P-0000' },
      { ref: 'r-3', outcome: 'GONE' },
    ],
    ...(isHeldShown ? [shown] : []),
  ],
});

/** Answers what has been held, and failures, with these members beside ref. */
const answering = (held: string, later: string) => `export async function handle({ ref: given, parcel }, { call }) {
  const ref = String(given);
  let found;
  try { found = await call.findParcel({ parcel: String(parcel) }); } catch (error) { return { ref, ${later} }; }
  if (found === null) return { ref, outcome: 'GONE' };
  return found.held ? { ref, ${held} } : { ref, outcome: 'READY', site: found.site };
}`;

const held = "outcome: 'HELD', info: 'Please ask at the desk.'";
const later = "outcome: 'LATER'";
const withInfo = "outcome: 'LATER', info: 'the register is asleep'";
const fails = 'If `findParcel` fails: outcome LATER';

for (const rule of [
  `${fails}, nothing else besides ref`,
  `${fails} and nothing more, so that nobody learns why`,
  `${fails}; there is no more to it: LATER, with no other members`,
  'Schlägt `findParcel` fehl: outcome LATER, sonst nichts',
  'Si `findParcel` échoue : outcome LATER, rien d’autre que ref',
  'Si `findParcel` falla: outcome LATER, sin ningún otro campo',
  'findParcel 失败时 outcome 为 LATER，不含其他字段',
  `${fails}, no more than ref`,
  'Si `findParcel` échoue : outcome LATER, et rien d’autre ne figure dans la réponse',
  `${fails}; LATER travels alone, just ref and outcome`,
  `${fails}; with LATER, info is not given`,
  `${fails}; LATER comes without info`,
])
  test(`what does not come with an outcome is not answered with it: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(parcels([rule]), answering(held, later), sandbox), []);
    const more = parcels([rule], true);
    assert.deepEqual(await refusalsOf(more, answering(held, later), sandbox), []);
    const refusals = await refusalsOf(more, answering(held, withInfo), sandbox);
    assert.match(refusals.join('\n'), /leaks: case \d: the answer has "info", though ".*LATER/);
  });

for (const rule of [
  fails,
  `${fails}, and nothing else is done`,
  `${fails}, nothing else besides ref and, if there is any, info`,
  `${fails}; info may be added to any answer, and with LATER nothing is called again`,
  `${fails}, nothing else besides ref; info may stand in any answer`,
])
  test(`it may be answered where the document leaves it open: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(parcels([rule]), answering(held, withInfo), sandbox), []));

const elsewhere = "outcome: 'HELD', info: 'Ask at the desk of ' + found.site";

for (const rule of [
  'It is held: outcome HELD with info "Please ask at the desk."',
  'HELD, info "Please ask at the desk.": the parcel is locked up, or the site does not give it out',
  'Liegt eine Sperre vor (held): outcome HELD mit info „Please ask at the desk“',
  'held 为 true 时 outcome 为 HELD，info 为“Please ask at the desk.”',
])
  test(`a text that goes with an outcome is said word for word: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(parcels([rule, fails]), answering(held, later), sandbox), []);
    const refusals = await refusalsOf(parcels([rule, fails]), answering(elsewhere, later), sandbox);
    assert.match(refusals.join('\n'), /leaks: case 1: the answer says something else in "info", though/);
  });

for (const rule of [
  'It is held: outcome HELD with info such as "Please ask at the desk."',
  'It is held: outcome HELD with info "Ask at the desk of SITE"',
  'It is held: outcome HELD with info "Please ask at the desk.", or READY where the desk is closed',
  'It is held: outcome HELD with info "Please ask at the desk."; HELD also where the desk is closed',
  'It is held: outcome HELD. With HELD, info is in the words of the house, "Please ask" at least',
])
  test(`a text may be another one where the document has no more than a sample: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(parcels([rule, fails]), answering(elsewhere, later), sandbox), []));

const gone = "outcome: 'GONE'";

for (const rule of [
  'A parcel that does not exist and one that is held get one and the same answer: GONE',
  'One answer for all: the parcel is unknown; it is held. That answer is GONE',
  'Ein gesperrtes Paket (held) und ein unbekanntes bekommen dieselbe Antwort: GONE',
  'GONE is for parcels that nobody has, and for those that are held. One must not be told from the other',
  'GONE: there is no such parcel, OR it is held. Please keep these identical',
  'GONE gilt für unbekannte Pakete und für gesperrte (held). Diese Fälle dürfen sich in der Antwort nicht unterscheiden',
  'GONE est la réponse pour un colis inconnu, et aussi pour un colis retenu (held) : on ne doit pas pouvoir deviner une retenue',
])
  test(`what a switch of a record hides is answered as what does not exist: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(parcels([rule, fails]), answering(gone, later), sandbox), []);
    for (const told of [held, "outcome: 'READY', site: found.site", "outcome: 'GONE', info: 'It is held.'"]) {
      const refusals = await refusalsOf(parcels([rule, fails]), answering(told, later), sandbox);
      assert.match(refusals.join('\n'), /leaks: .*telling true as "held": it is answered otherwise than what does not/);
    }
  });

for (const rule of [
  'A parcel that does not exist: GONE. One that is held: HELD',
  'A parcel that does not exist is GONE, and one that is held is HELD',
  'A parcel that is held has the same answer at every desk: HELD; one that was sent back is GONE',
  'Who asks for an unknown parcel, or one of another town, gets one and the same answer, GONE, and never learns whether it is held',
  'An unknown parcel and one that is held without a reason get one and the same answer: GONE',
  'An unknown parcel and one that is not held any more get one and the same answer: GONE',
  'An unknown parcel is GONE, and one that is held is HELD.\n- Nobody must learn who sent it',
])
  test(`a switch hides nothing where the document does not say so: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(parcels([rule, fails]), answering("outcome: 'HELD'", later), sandbox), []));
