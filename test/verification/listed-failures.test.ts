import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, findingsOf, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** What stands in the answer where a tool fails: a code, or nothing of it. */
interface Told {
  read: number;
  issue: number | 'told as done';
  mail: number | 'told as done' | 'told as sent';
  message?: string;
}

const right: Told = { read: 503, issue: 503, mail: 'told as done' };

const described = (tool: object, description: string) => ({ ...tool, description });

/** A harbour that looks a berth up, issues a pass for it and mails that. */
const harbour = (sentences: string, [berth, pass, mail] = ['Berths.', 'Passes.', 'Mails.']): Agreed => ({
  rules: `The answer has code 200 and the pass. A berth that the harbour has not: code 404.\n${sentences}`,
  request: object({ berth: text }),
  response: object({ code: integer, message: text, pass: text, mailed: { type: 'boolean' } }, ['pass', 'mailed']),
  cases: [
    [{ berth: 'east-71' }, { code: 200, message: 'Welcome', pass: 'LP-5519', mailed: true }],
    [{ berth: 'west-04' }, { code: 200, message: 'Welcome', pass: 'LP-6027', mailed: true }],
    [{ berth: 'none-99' }, { code: 404, message: 'No berth there' }],
  ],
  loose: [{ pointer: '/message', as: 'text' }],
  tools: [
    described(
      reading(
        'findBerth',
        object({ berth: text }),
        { ...(object({ dock: text }) as object), type: ['object', 'null'] },
        [
          [{ berth: 'east-71' }, { dock: 'dock-417' }],
          [{ berth: 'west-04' }, { dock: 'dock-822' }],
        ],
        null,
      ) as object,
      berth ?? '',
    ),
    described(
      acting('issuePass', object({ dock: text }), object({ pass: text }), [
        [{ dock: 'dock-417' }, { pass: 'LP-5519' }],
        [{ dock: 'dock-822' }, { pass: 'LP-6027' }],
      ]) as object,
      pass ?? '',
    ),
    described(
      acting('sendCopy', object({ pass: text }), object({ sent: { type: 'boolean' } }), [], { sent: true }) as object,
      mail ?? '',
    ),
  ],
});

const harbourMaster = ({
  read,
  issue,
  mail,
  message = 'Sorry',
}: Told) => `export async function handle({ berth }, { call }) {
  const sorry = (code) => ({ code, message: '${message}' });
  let found;
  try {
    found = await call.findBerth({ berth });
  } catch {
    return sorry(${read});
  }
  if (found === null) return { code: 404, message: 'No berth there' };
  const answer = { code: 200, message: 'Welcome', pass: '-', mailed: true };
  try {
    answer.pass = (await call.issuePass({ dock: found.dock })).pass;
  } catch {
    ${typeof issue === 'number' ? `return sorry(${issue});` : ''}
  }
  try {
    await call.sendCopy({ pass: answer.pass });
  } catch {
    ${typeof mail === 'number' ? `return sorry(${mail});` : `answer.mailed = ${mail === 'told as sent'};`}
  }
  return answer;
}`;

const english = 'Whether the copy was sent is told by mailed. A copy that fails changes nothing about the result.';

const rows: [what: string, agreed: Agreed, wrong: Partial<Told>, sound?: Partial<Told>][] = [
  [
    'what cannot be issued or created has its code',
    harbour(`- 502: the berths could not be asked\n- 500: the pass could not be issued\n${english}`),
    { issue: 502 },
    { read: 502, issue: 500 },
  ],
  [
    'a code after a verb is that of the tool, and that of others is not',
    harbour(
      `If the berth cannot be looked up, the code is 503.\nIf the pass cannot be issued although there is a berth, the code is 500.\n${english}`,
      ['Looks a berth up.', 'Issues a pass.', 'Sends mails.'],
    ),
    { issue: 503 },
    { issue: 500 },
  ],
  [
    'the code of two other tools is none of this one',
    harbour(
      'If the berth index or the mail desk cannot be reached, the code is 503.\nIf the pass cannot be issued, the code is 500.',
      ['Berth index.', 'Issues a pass.', 'Mail desk.'],
    ),
    { issue: 503 },
    { issue: 500, mail: 503 },
  ],
  [
    'a list of what fails goes through its commas',
    harbour(`Si la búsqueda del amarre, el registro o el pase falla, el código es 503.\n${english}`, [
      'Búsqueda de un amarre.',
      'Pase nuevo.',
      'Correo.',
    ]),
    { read: 404 },
  ],
  [
    'a list of as many systems as there are tools means each of them',
    harbour('If the berth index, the gate desk or the post office does not answer, the code is 503.'),
    { issue: 404 },
    { mail: 503 },
  ],
  [
    'two German verbs share their auxiliary',
    harbour(
      `Kann der Liegeplatz nicht abgefragt oder der Ausweis nicht angelegt werden, lautet der Code 503.\n${english}`,
      ['Sucht einen Liegeplatz.', 'Neuer Ausweis.', 'Kopie.'],
    ),
    { read: 404 },
  ],
  [
    'signs between things that fail part no clauses, and a clause goes on with them',
    harbour(`- 泊位信息查询失败，或者证件登记失败时，返回代码503\n${english}`, ['泊位查询。', '证件登记。', '邮件。']),
    { issue: 404 },
  ],
  [
    'a text that may be any is no name of a failure',
    harbour(`- 泊位、码头查询失败时，返回代码503\n- 泊位不存在时，返回代码404\n${english}`, [
      '泊位查询。',
      '证件。',
      '邮件。',
    ]),
    { read: 404, message: '泊位不存在' },
  ],
  [
    'a success is none where the act failed whose failure has a name',
    harbour(`If the pass cannot be issued, the code is 500.\n${english}`, ['Berths.', 'Issues a pass.', 'Copies.']),
    { issue: 'told as done' },
    { issue: 500 },
  ],
  [
    'an act whose failure changes nothing leaves another one the only one that counts',
    harbour(`- 500: a system of the harbour does not respond\n${english}`),
    { issue: 'told as done' },
    { read: 500, issue: 500 },
  ],
  [
    'a member tells that a tool failed, with signs in front of its name',
    harbour('- 泊位查询失败时，返回代码503\n- 副本发送失败不影响登记结果，但响应中的mailed为false', [
      '泊位查询。',
      '证件登记。',
      '副本发送。',
    ]),
    { mail: 'told as sent' },
  ],
  [
    'a failure that changes nothing is none, by words between that and the result',
    harbour('- 泊位查询失败时，返回代码503\n- 副本发送失败不影响登记结果，但响应中的mailed为false', [
      '泊位查询。',
      '证件登记。',
      '副本发送。',
    ]),
    { mail: 503 },
  ],
  [
    'a success is none where one of two acts failed whose failure has a name',
    harbour('If the berths cannot be read, the code is 503.\nIf the copy cannot be sent, the code is 500.', [
      'Berths.',
      'Passes.',
      'Sends a copy.',
    ]),
    { mail: 'told as sent' },
    { issue: 500, mail: 500 },
  ],
  [
    'a failure leaves a result that still is what it was',
    harbour('If the berths cannot be read, the code is 503.\nIf the copy cannot be sent, the result is still 200.', [
      'Berths.',
      'Passes.',
      'Sends a copy.',
    ]),
    { mail: 503 },
  ],
  [
    'the answer stays what it is in Spanish',
    harbour(
      'Si el registro no responde, el código es 503.\nSi la copia no se puede enviar, el pase sigue siendo válido y la respuesta no cambia.',
      ['Registro de amarres.', 'Pase del registro.', 'Envía una copia.'],
    ),
    { mail: 503 },
  ],
];

for (const [what, agreed, wrong, sound] of rows) {
  test(what, async () => {
    assert.deepEqual(await refusalsOf(agreed, harbourMaster({ ...right, ...sound }), sandbox), []);
    const found = await findingsOf(agreed, harbourMaster({ ...right, ...sound, ...wrong }), sandbox);
    assert.match(found.join('\n'), /failing-tools: /);
  });
}

test('an act whose result the answer tells is waited for, whatever it is called', async () => {
  const rename = (source: string) => source.replaceAll('issuePass', 'recordPass');
  const agreed = JSON.parse(
    rename(JSON.stringify(harbour(`- 503: a system of the harbour does not respond\n${english}`))),
  );
  assert.deepEqual(await refusalsOf(agreed, rename(harbourMaster(right)), sandbox), []);
  const wrong = rename(harbourMaster({ ...right, issue: 'told as done' }));
  assert.match((await refusalsOf(agreed, wrong, sandbox)).join('\n'), /failing-tools: /);
});

for (const rule of [
  'A pass for a wreck cannot be issued: code 409.',
  'If a pass cannot be issued because the ship is a wreck, the code is 409.',
  'Ein Pass für ein Wrack kann nicht angelegt werden: Code 409.',
  'No se puede crear un pase para un barco hundido: código 409.',
])
  test(`a rule about what is asked for is none about a tool that fails: ${rule}`, async () => {
    const agreed = harbour(rule, ['Berths.', 'Issues a pass. Pass. Pase.', 'Mails.']);
    assert.deepEqual(await refusalsOf(agreed, harbourMaster({ read: 500, issue: 500, mail: 500 }), sandbox), []);
  });
