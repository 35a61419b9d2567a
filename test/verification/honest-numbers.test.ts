import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { type Agreed, integer, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

const nullable = (type: string) => ({ type: [type, 'null'] });

const rates: Agreed = {
  rules:
    'Currencies are those of the house. If `from` and `to` are the same, no rate is asked for; the rate is 1. Otherwise `getRate` has it in millionths; `none` where it has null, `down` where it fails. `rate` has exactly six decimals.',
  request: object({ from: text, to: text }),
  response: object({ status: { enum: ['ok', 'none', 'down'] }, rate: nullable('string') }),
  cases: [
    [
      { from: 'USD', to: 'EUR' },
      { status: 'ok', rate: '0.919500' },
    ],
    [
      { from: 'CHF', to: 'CHF' },
      { status: 'ok', rate: '1.000000' },
    ],
    [
      { from: 'GBP', to: 'CHF' },
      { status: 'none', rate: null },
    ],
  ],
  tools: [
    reading('getRate', object({ base: text, quote: text }), nullable('integer'), [
      [{ base: 'USD', quote: 'EUR' }, 919_500],
      [{ base: 'GBP', quote: 'CHF' }, null],
    ]),
  ],
};
const quoting = (same: string) => `export async function handle({ from, to }, { call }) {
  if (from === to) return { status: 'ok', rate: '${same}' };
  try {
    const micros = await call.getRate({ base: from, quote: to });
    if (micros === null) return { status: 'none', rate: null };
    const digits = String(micros).padStart(7, '0');
    return { status: 'ok', rate: digits.slice(0, -6) + '.' + digits.slice(-6) };
  } catch { return { status: 'down', rate: null }; }
}`;

test('a number of the document may stand in the source with its decimals', async () => {
  assert.deepEqual(await refusalsOf(rates, quoting('1.000000'), sandbox), []);
});

test('one that the document has not may not', async () => {
  const other = JSON.parse(JSON.stringify(rates).replaceAll('1.000000', '1.007300')) as Agreed;
  assert.match((await refusalsOf(other, quoting('1.007300'), sandbox)).join('\n'), /the source holds "1.007300"/);
});

const versions: Agreed = {
  rules:
    'The keeper tells the present `version` of a secret: `done` with it, `unknown` where there is none, `failed` where its own systems fail.',
  request: object({ name: text }),
  response: object({ verdict: { enum: ['done', 'unknown', 'failed'] }, version: nullable('integer') }),
  cases: [
    [{ name: 'billing-db' }, { verdict: 'done', version: 7 }],
    [{ name: 'old-ftp' }, { verdict: 'unknown', version: null }],
  ],
  tools: [
    {
      ...(reading(
        'getVersion',
        object({ name: text }),
        { ...(object({ version: integer, keyHint: text }) as object), type: ['object', 'null'] },
        [[{ name: 'billing-db' }, { version: 7, keyHint: 'hx-77120' }]],
        null,
      ) as object),
      description: 'The present version of a secret; null when there is none.',
    },
  ],
};
const keeping = (version: string) => `export async function handle({ name }, { call }) {
  try {
    const found = await call.getVersion({ name });
    if (found === null) return { verdict: 'unknown', version: null };
    return { verdict: 'done', version: ${version} };
  } catch { return { verdict: 'failed', version: null }; }
}`;

test('what a tool of secrets tells and a case answers may be answered, were it a small number there', async () => {
  assert.deepEqual(await refusalsOf(versions, keeping('found.version'), sandbox), []);
});

const archive: Agreed = {
  rules:
    'A document comes as hexadecimal digits. `readManifest` has the length announced in bytes, null where nothing was announced: `unknown`, and `down` where it fails. Where the length of what came is another, `mismatch`, else `stored`; both with the length of what came as `bytes`, which is null in all other answers.',
  request: object({ id: text, hex: text }),
  response: object({ status: { enum: ['stored', 'mismatch', 'unknown', 'down'] }, bytes: nullable('integer') }),
  cases: [
    [
      { id: 'D0007', hex: '4d696e75746573206f66' },
      { status: 'stored', bytes: 10 },
    ],
    [
      { id: 'D0008', hex: '00ff800a0d07c8' },
      { status: 'mismatch', bytes: 7 },
    ],
    [
      { id: 'D0404', hex: '31' },
      { status: 'unknown', bytes: null },
    ],
  ],
  tools: [
    reading(
      'readManifest',
      object({ id: text }),
      { ...(object({ bytes: integer, sum: text }) as object), type: ['object', 'null'] },
      [
        [{ id: 'D0007' }, { bytes: 10, sum: '9a' }],
        [{ id: 'D0008' }, { bytes: 7, sum: 'cb' }],
      ],
      null,
    ),
  ],
};
const storing = (bytes: string) => `export async function handle({ id, hex }, { call }) {
  try {
    const entry = await call.readManifest({ id });
    if (entry === null) return { status: 'unknown', bytes: null };
    let sum = 0;
    for (let at = 0; at < hex.length; at += 2) sum = (sum + parseInt(hex.slice(at, at + 2), 16)) & 255;
    const bytes = ${bytes};
    const isSame = hex.length / 2 === entry.bytes && (entry.sum === '9a' || sum === parseInt(entry.sum, 16));
    return { status: isSame ? 'stored' : 'mismatch', bytes };
  } catch { return { status: 'down', bytes: null }; }
}`;

test('a number that is worked out, and held against what a tool tells, may stay whatever that tells', async () => {
  const refusals = await refusalsOf(archive, storing('hex.length / 2'), sandbox);
  assert.deepEqual(
    refusals.filter((one) => one.startsWith('tool-influence')),
    [],
  );
});

test('one that stays although nothing else follows may not', async () => {
  const told: Agreed = {
    ...archive,
    rules: '`readManifest` has the length announced in bytes, null where nothing was announced: `unknown`.',
    cases: [
      [
        { id: 'D0007', hex: '4d696e75746573206f66' },
        { status: 'stored', bytes: 250 },
      ],
      [
        { id: 'D0404', hex: '31' },
        { status: 'unknown', bytes: null },
      ],
    ],
    tools: [
      reading(
        'readManifest',
        object({ id: text }),
        { ...(object({ bytes: integer }) as object), type: ['object', 'null'] },
        [[{ id: 'D0007' }, { bytes: 250 }]],
        null,
      ),
    ],
  };
  const handler = `export async function handle({ id }, { call }) {
    const entry = await call.readManifest({ id });
    return entry === null ? { status: 'unknown', bytes: null } : { status: 'stored', bytes: 250 };
  }`;
  assert.match(
    (await refusalsOf(told, handler, sandbox)).join('\n'),
    /tool-influence: case 1: it answers 250 at \/bytes whatever readManifest tells/,
  );
});

const stations: Agreed = {
  rules: `A query has a line for each station, which is looked up with \`readStation\`. The reply has a line for each line asked, in the same order: the station and its reading, or \`!\` in place of the reading if this look-up failed.

| reply | when |
| --- | --- |
| \`ERROR UNAVAILABLE\` | every look-up failed |
| \`ERROR EMPTY\` | there is no line |`,
  cases: [
    ['QUERY\nABC01\nNRD07', 'RESULT\nABC01;4.25\nNRD07;12.75'],
    ['QUERY\nNRD07\nABC01\nNRD07', 'RESULT\nNRD07;12.75\nABC01;4.25\nNRD07;12.75'],
    ['QUERY', 'ERROR EMPTY'],
  ],
  tools: [
    reading('readStation', object({ station: text }), text, [
      [{ station: 'ABC01' }, '4.25'],
      [{ station: 'NRD07' }, '12.75'],
    ]),
  ],
};
const telling = (failed: string) => `export async function handle(request, { call }) {
  const [, ...asked] = request.split('\\n');
  if (asked.length === 0) return 'ERROR EMPTY';
  const lines = [];
  let told = 0;
  for (const station of asked) {
    try { lines.push(station + ';' + await call.readStation({ station })); told += 1; }
    catch { ${failed} }
  }
  return told === 0 ? 'ERROR UNAVAILABLE' : ['RESULT', ...lines].join('\\n');
}`;

test('of several things asked for, one whose look-up fails may have its own sign', async () => {
  assert.deepEqual(await refusalsOf(stations, telling("lines.push(station + ';!')"), sandbox), []);
  assert.match(
    (await refusalsOf(stations, telling(''), sandbox)).join('\n'),
    /failing-tools: case 1, where readStation fails: the answer has none of UNAVAILABLE/,
  );
});

test('"not" that is drawn together with the word before is read like any other', async () => {
  const rules = (denial: string) =>
    `A locker is opened once: \`openLocker\`. If that fails the answer is \`jammed\`, else \`open\`. ${denial}`;
  const lockers = (denial: string): Agreed => ({
    rules: rules(denial),
    request: object({ locker: text }),
    response: object({ state: { enum: ['open', 'jammed'] } }),
    cases: [
      [{ locker: 'L-2207' }, { state: 'open' }],
      [{ locker: 'L-3310' }, { state: 'open' }],
    ],
    tools: [
      {
        name: 'findOwner',
        description: 'findOwner',
        inputSchema: object({ locker: text }),
        outputSchema: object({ owner: text }),
        annotations: { readOnlyHint: true },
        examples: [
          { input: { locker: 'L-2207' }, output: { owner: 'Tomasz Wrona' } },
          { input: { locker: 'L-3310' }, output: { owner: 'Ewa Lis' } },
        ],
      },
      {
        name: 'openLocker',
        description: 'openLocker',
        inputSchema: object({ locker: text }),
        outputSchema: { type: 'null' },
        examples: [],
        otherwise: { output: null },
      },
    ],
  });
  const handler = `export async function handle({ locker }, { call, log }) {
    try {
      const { owner } = await call.findOwner({ locker });
      log('opened for ' + owner);
      await call.openLocker({ locker });
      return { state: 'open' };
    } catch { return { state: 'jammed' }; }
  }`;
  for (const denial of ["The owner isn't logged.", 'The owner isn’t logged.', 'The owner is not logged.'])
    assert.match(
      (await refusalsOf(lockers(denial), handler, sandbox)).join('\n'),
      /leaks: case 1: "owner" is logged, though "The owner is not logged\."/,
    );
});
