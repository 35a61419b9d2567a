import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, acting, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** Bikes that are lent, each with an owner who is nobody's business. */
const bikes = (rule: string): Agreed => ({
  rules: `A bike is looked up with \`findBike\`: state GONE where there is none, else it is lent with \`lendBike\`, state LENT with its frame number. If a tool fails: LATER.\n\n${rule}`,
  request: object({ ref: text, bike: text }),
  response: object({ ref: text, state: { enum: ['LENT', 'GONE', 'LATER'] }, frame: text }, ['frame']),
  cases: [
    [
      { ref: 'b-1', bike: 'BK-310' },
      { ref: 'b-1', state: 'LENT', frame: 'FR-88120' },
    ],
    [
      { ref: 'b-2', bike: 'BK-999' },
      { ref: 'b-2', state: 'GONE' },
    ],
  ],
  tools: [
    reading(
      'findBike',
      object({ bike: text }),
      { ...(object({ frame: text, owner: text, lockCode: text, authId: text }) as object), type: ['object', 'null'] },
      [[{ bike: 'BK-310' }, { frame: 'FR-88120', owner: 'Tomasz Wrona', lockCode: 'lc-771530', authId: 'ax-20417' }]],
      null,
    ),
    acting('lendBike', object({ bike: text }), { type: 'null' }, [], null),
  ],
});
const lending = (line: string) => `export async function handle({ ref, bike }, { call, log }) {
  try {
    const found = await call.findBike({ bike });
    if (found === null) return { ref, state: 'GONE' };
    log(${line});
    await call.lendBike({ bike });
    return { ref, state: 'LENT', frame: found.frame };
  } catch { return { ref, state: 'LATER' }; }
}`;

for (const [rule, member] of [
  ["The owner's name must not appear in an answer, and neither in any log line.", 'owner'],
  ['Owners are personal data: no name goes into an answer, and none into a log line.', 'owner'],
  ['Bikes are known only by number: no owner goes into an answer, and none into a log line.', 'owner'],
  ['The register is where the owner is found; **these never leave the house**: not in an answer or in a log.', 'owner'],
  ['There is a lock code for the mechanics. It goes nowhere: not into answers, not into our own log.', 'lockCode'],
  [
    'The lock code opens it. With it one can ride off. It must not be told; and as log lines are read by all, it must not be in those either.',
    'lockCode',
  ],
  [
    'The record has the owner. Neither answers nor logs need the owner: it appears in neither, never in a log.',
    'owner',
  ],
  ['The record also has an owner and a lock code. Neither may be told, and neither may be written to a log.', 'owner'],
  ['Authorisation numbers stay here. They must not be in any answer, and not in our log lines either.', 'authId'],
  ['Der Owner geht niemanden etwas an und hat auch in Protokollzeilen (Log) nichts verloren.', 'owner'],
  ["L'owner ne doit apparaître ni dans la réponse ni dans le journal.", 'owner'],
  ['El owner no debe aparecer ni en la respuesta ni en el registro (log).', 'owner'],
  ['O owner não pode aparecer nem na resposta nem nos registos.', 'owner'],
  ['Il nome owner non appare né nella risposta né nel log.', 'owner'],
  ['owner 不得写入响应，也不得写入日志。', 'owner'],
  ['Whose bike it is (`owner`) is personal data and stays here: not in answers, not in log lines.', 'owner'],
  ['Owners are private people: their names are neither sent nor logged.', 'owner'],
  [
    'The lock code is there for the mechanics. We do not tell it, do not hand it on, and do not write it to any log.',
    'lockCode',
  ],
  [
    'Owner and lock code are our own affair. Only the frame may be told; the other two appear neither in an answer nor in the log.',
    'lockCode',
  ],
  ["Owners aren't told or logged either.", 'owner'],
  ['Log lines may hold the bike, but never the owner.', 'owner'],
  ['Auch Owner und Lockcode der Räder werden nicht protokolliert.', 'owner'],
  ['Der Owner geht niemanden etwas an: Er kommt weder in Antworten noch in Protokollzeilen vor.', 'owner'],
  ['Log lines may contain the bike and the state. Nothing else is logged.', 'owner'],
  ['Only the bike and the state are logged.', 'lockCode'],
] as const)
  test(`what is not to be logged is found in a log line: ${rule}`, async () => {
    assert.match(
      (await refusalsOf(bikes(rule), lending(`'lending ' + found.${member}`), sandbox)).join('\n'),
      new RegExp(`^leaks: case 1: "${member}" is logged`, 'm'),
    );
    assert.deepEqual(await refusalsOf(bikes(rule), lending("'lending ' + bike"), sandbox), []);
  });

for (const [rule, member] of [
  ['If lendBike fails, that is logged with the owner, so that somebody rings.', 'owner'],
  ['The owner must not be told, but may be logged.', 'owner'],
  ['The owner is never logged unless the bike is missing.', 'owner'],
  ['A bike has an owner and a lock code. It must not be logged.', 'owner'],
  ['A bike has an owner and a lock code. It goes neither into an answer nor into a log.', 'owner'],
  ['Log lines contain the ref, the state and the owner. Nothing else is logged.', 'owner'],
  ['Only the owner is logged of a bike.', 'owner'],
  ['A lock code is not told; a lent bike may be logged with its owner.', 'owner'],
] as const)
  test(`what may be logged, or may not be meant, is let pass: ${rule}`, async () => {
    assert.deepEqual(await refusalsOf(bikes(rule), lending(`'lending ' + found.${member}`), sandbox), []);
  });

test('what "it" means may be a member that a tool would have told, had it not failed', async () => {
  const rule =
    'The register has the bike with its owner. The lock code goes nowhere else: it must not turn up in a log line.';
  const telling = lending("'lending'").replace('} catch { return', "} catch { log('not lent: ' + bike); return");
  assert.deepEqual(await refusalsOf(bikes(rule.replace('lock code', '`lockCode`')), telling, sandbox), []);
});

test('a Chinese member of two signs is found where it must not be logged', async () => {
  const rule = '车主姓名和手机号不得写入响应，也不得写入日志。';
  const agreed = JSON.parse(JSON.stringify(bikes(rule)).replaceAll('"owner"', '"手机"')) as Agreed;
  assert.match(
    (await refusalsOf(agreed, lending("'lending ' + found['手机']"), sandbox)).join('\n'),
    /^leaks: case 1: "手机" is logged/m,
  );
});

test('what a tool tells is meant where its words are, and no member is named', async () => {
  const rule = 'What the register says is for us alone: nobody learns it. It is not logged either.';
  const of = (whole: string) => whole.replaceAll('findBike', 'readRegister');
  const agreed = JSON.parse(of(JSON.stringify(bikes(rule)))) as Agreed;
  assert.match(
    (await refusalsOf(agreed, of(lending("'lending ' + found.owner")), sandbox)).join('\n'),
    /^leaks: case 1: "owner" is logged/m,
  );
  assert.deepEqual(await refusalsOf(agreed, of(lending("'lending ' + bike")), sandbox), []);
});
