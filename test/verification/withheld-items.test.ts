import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const remark = object({ audience: { enum: ['public', 'staff', 'crew'] }, text });

/** Flights with remarks, of which some are for the public. */
const flights = (rule: string): Agreed => ({
  rules: `A flight is answered with its gate and remarks, in the order of \`flight\`. If \`flight\` fails the gate is \`?\`.\n\n${rule}`,
  request: object({ id: text, flight: text }),
  response: object({ id: text, gate: text, remarks: { type: 'array', items: text } }),
  tools: [
    reading('flight', object({ flight: text }), object({ gate: text, remarks: { type: 'array', items: remark } }), [
      [
        { flight: 'LX16' },
        {
          gate: 'B38',
          remarks: [
            { audience: 'public', text: 'Boarding by groups' },
            { audience: 'staff', text: 'Two wheelchairs at row 4' },
          ],
        },
      ],
      [{ flight: 'TP95' }, { gate: 'C11', remarks: [{ audience: 'public', text: 'Bags under the seat' }] }],
    ]),
  ],
  cases: [
    [
      { id: 'f-1', flight: 'LX16' },
      { id: 'f-1', gate: 'B38', remarks: ['Boarding by groups'] },
    ],
    [
      { id: 'f-2', flight: 'TP95' },
      { id: 'f-2', gate: 'C11', remarks: ['Bags under the seat'] },
    ],
  ],
});
const telling = (isShown: string) => `export async function handle({ id: given, flight: name }, { call }) {
  const id = String(given);
  try {
    const { gate, remarks } = await call.flight({ flight: String(name) });
    return { id, gate, remarks: remarks.filter(({ audience }) => ${isShown}).map(({ text }) => text) };
  } catch { return { id, gate: '?', remarks: [] }; }
}`;

for (const rule of [
  'Remarks for any other audience than `public` are internal.',
  'Only remarks whose audience is `public` are told.',
  'Nur Bemerkungen mit audience `public` werden genannt.',
  '只返回 audience 为 public 的备注。',
])
  test(`what is for nobody but some is not told for a word that no case has: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(flights(rule), telling("audience === 'public'"), sandbox), []);
    const refusals = await refusalsOf(flights(rule), telling("audience !== 'staff'"), sandbox);
    assert.match(refusals.join('\n'), /leaks: case 1: the answer passes on an item whose "audience" is "crew"/);
  });

for (const rule of [
  'Remarks whose audience is `staff` are not told.',
  'A remark whose audience is `public` comes first of all.',
  'Remarks are told if their audience is `public`, or only the crew is asked for.',
  'Only remarks whose audience is `public` or `crew` are told.',
  'Any other remark follows those whose audience is `public` unless it is for staff.',
])
  test(`it may be told where the document has no more than some kept: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(flights(rule), telling("audience !== 'staff'"), sandbox), []));
