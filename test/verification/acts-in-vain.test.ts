import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Feasts in streets: answers that no word of which says that they refuse. */
const feasts = (rule: string, act = 'enterFeast'): Agreed => ({
  rules: `A feast is entered where the street holds all of its guests: decree \`fits\` with the number of the entry. More guests than that: decree \`larger\`. ${rule}`,
  request: object({ id: text, street: text, guests: integer }),
  response: object({ id: text, decree: { enum: ['fits', 'larger', 'later'] }, entry: text }, ['entry']),
  tools: [
    reading('streetOf', object({ street: text }), object({ holds: integer }), [
      [{ street: 'Lindenweg' }, { holds: 417 }],
      [{ street: 'Am Anger' }, { holds: 263 }],
    ]),
    acting(act, object({ street: text, guests: integer }), object({ entry: text }), [
      [{ street: 'Lindenweg', guests: 180 }, { entry: 'SF-2044' }],
      [{ street: 'Am Anger', guests: 95 }, { entry: 'SF-2051' }],
    ]),
  ],
  cases: [
    [
      { id: 'f-1', street: 'Lindenweg', guests: 180 },
      { id: 'f-1', decree: 'fits', entry: 'SF-2044' },
    ],
    [
      { id: 'f-2', street: 'Am Anger', guests: 95 },
      { id: 'f-2', decree: 'fits', entry: 'SF-2051' },
    ],
    [
      { id: 'f-3', street: 'Lindenweg', guests: 418 },
      { id: 'f-3', decree: 'larger' },
    ],
  ],
});
const later = 'If a tool fails: decree `later`.';
const feast = (
  larger: string,
  failing = "return { id, decree: 'later' }",
  act = 'enterFeast',
) => `export async function handle(request, { call }) {
  const id = String(request.id);
  const street = String(request.street);
  const guests = Number.isInteger(request.guests) ? request.guests : 0;
  try {
    const { holds } = await call.streetOf({ street });
    if (guests > holds) { ${larger} return { id, decree: 'larger' }; }
    const { entry } = await call.${act}({ street, guests });
    return { id, decree: 'fits', entry };
  } catch { ${failing}; }
}`;
const inVain = (act: string) => `await call.${act}({ street, guests }).catch(() => null);`;

test('an act whose success and failure leave the answer as it is was none of that answer', async () => {
  assert.deepEqual(await refusalsOf(feasts(later), feast(''), sandbox), []);
  const refusals = await refusalsOf(feasts(later), feast(inVain('enterFeast')), sandbox);
  assert.match(refusals.join('\n'), /side-effects: case 3: the answer is the same whether enterFeast succeeds or not/);
});

for (const [rule, act] of [
  [`${later} It does not matter whether the entry is made.`, 'enterFeast'],
  [later, 'logFeast'],
] as const)
  test(`an act that need not succeed is no act in vain: ${act}, ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(feasts(rule, act), feast(inVain(act), undefined, act), sandbox), []));

for (const rule of [
  later,
  'If one of our tools reports an error: `decree: "later"`.',
  'Schlägt ein Werkzeug fehl, lautet decree "later".',
  "En cas de panne d'un outil, decree vaut `later`.",
  '工具失败：decree 为 "later"。',
  'ツールが失敗した場合は decree "later" を返す。',
])
  test(`what the document has for whatever tool fails is said: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(feasts(rule), feast(''), sandbox), []);
    const refusals = await refusalsOf(feasts(rule), feast('', "return { id, decree: 'larger' }"), sandbox);
    assert.match(refusals.join('\n'), /failing-tools: .*none of later/);
  });

for (const rule of [
  'If a tool fails the decree may be `later`.',
  `${later} If the entry fails the feast counts as larger.`,
  '',
])
  test(`it need not be said where the document leaves it open: ${rule}`, async () =>
    assert.deepEqual(await refusalsOf(feasts(rule), feast('', "return { id, decree: 'larger' }"), sandbox), []));

test('a name in quotes is one, though others of the document are written with a bar', async () => {
  const agreed: Agreed = {
    ...feasts('If `streetOf` fails: `decree` = "down". If `enterFeast` fails: `decree` = "not_entered".'),
    response: object({ id: text, decree: { enum: ['fits', 'larger', 'down', 'not_entered'] }, entry: text }, ['entry']),
  };
  const each = feast('')
    .replace(
      'await call.streetOf({ street })',
      "await call.streetOf({ street }).catch(() => ({ holds: null }));\n    if (holds === null) return { id, decree: 'down' }",
    )
    .replace("decree: 'later'", "decree: 'not_entered'");
  assert.deepEqual(await refusalsOf(agreed, each, sandbox), []);
});

test('a text that merely comes back may be empty where it was not sent', async () => {
  const agreed: Agreed = {
    rules: '`msg` is echoed. If it is missing, it is "". The length of the word is told.',
    request: object({ msg: text, word: text }),
    response: object({ msg: text, length: integer }),
    cases: [
      [
        { msg: 'm1', word: 'lantern' },
        { msg: 'm1', length: 7 },
      ],
      [
        { msg: 'm2', word: 'fog' },
        { msg: 'm2', length: 3 },
      ],
      [
        { msg: 'm3', word: 'harbour light' },
        { msg: 'm3', length: 13 },
      ],
    ],
  };
  const handler = `export const handle = (request) => ({
    msg: typeof request?.msg === 'string' ? request.msg : '',
    length: String(request?.word ?? '').length,
  });`;
  assert.deepEqual(await refusalsOf(agreed, handler, sandbox), []);
});
