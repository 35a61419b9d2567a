import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const flag = { type: 'boolean' };

/** A bed that is watered where it is neither closed nor wet; the words for its answers say nothing of a refusal. */
const beds = (rules: string): Agreed => ({
  rules,
  request: object({ ref: text, bed: text }),
  response: object({ ref: text, answer: { enum: ['WATERED', 'WET', 'CLOSED', 'WATCHED'] } }),
  cases: [
    [
      { ref: 'r-1', bed: 'tomato-2' },
      { ref: 'r-1', answer: 'WATERED' },
    ],
    [
      { ref: 'r-2', bed: 'salad-4' },
      { ref: 'r-2', answer: 'CLOSED' },
    ],
    [
      { ref: 'r-3', bed: 'carrot-7' },
      { ref: 'r-3', answer: 'WET' },
    ],
  ],
  tools: [
    reading(
      'measureBed',
      object({ bed: text }),
      object({ wet: flag, closed: flag }),
      [
        [{ bed: 'salad-4' }, { wet: false, closed: true }],
        [{ bed: 'carrot-7' }, { wet: true, closed: false }],
      ],
      { wet: false, closed: false },
    ),
    acting('openValve', object({ bed: text }), object({ open: flag }), [], { open: true }),
  ],
});

const gardener = (before: string, after: string) => `export async function handle(request, { call }) {
  const ref = String(request.ref), bed = String(request.bed);
  const { wet, closed } = await call.measureBed({ bed });
  ${before}
  if (wet) return { ref, answer: 'WET' };
  await call.openValve({ bed });
  ${after}
  return { ref, answer: 'WATERED' };
}`;

const closed = "if (closed) return { ref, answer: 'CLOSED' };";

const lists: [language: string, rules: string][] = [
  [
    'English',
    '1. If the bed is closed, the answer is `CLOSED`.\n2. If it is wet, the answer is `WET`.\n3. Otherwise the valve is opened (`openValve`), and the answer is `WATERED`.',
  ],
  [
    'German',
    '- Ist das Beet gesperrt, lautet die Antwort `CLOSED`.\n- Ist es feucht, lautet sie `WET`.\n- Sonst wird das Ventil mit `openValve` geöffnet, und die Antwort lautet `WATERED`.',
  ],
  [
    'Spanish',
    '- Si el bancal está cerrado, la respuesta es `CLOSED`.\n- Si está húmedo, es `WET`.\n- En los demás casos se abre la válvula con `openValve` y la respuesta es `WATERED`.',
  ],
  ['Chinese', '1. 苗床已关闭 → `CLOSED`\n2. 土壤湿润 → `WET`\n\n全部满足时用 `openValve` 打开阀门，返回 `WATERED`。'],
];
for (const [language, rules] of lists) {
  test(`what is done otherwise is not done with the answer of an item before, in ${language}`, async () => {
    assert.deepEqual(await refusalsOf(beds(rules), gardener(closed, ''), sandbox), []);
    const hasty = (await refusalsOf(beds(rules), gardener('', closed), sandbox)).join('\n');
    assert.match(hasty, /side-effects: case 2: the document has ".*openValve.*", yet openValve was called/);
  });
}

test('what stands behind it, or in another list, is no item before', async () => {
  const rules = [
    '- If it is wet, the answer is `WET`.',
    '- Otherwise the valve is opened (`openValve`).',
    '- A bed that is closed to visitors is watered as well: the answer is `CLOSED`.',
  ];
  const handler = gardener('', closed);
  assert.deepEqual(await refusalsOf(beds(rules.join('\n')), handler, sandbox), []);
  const apart = [rules[2], '', 'The rest:', '', rules[0], rules[1]].join('\n');
  assert.deepEqual(await refusalsOf(beds(apart), handler, sandbox), []);
});
