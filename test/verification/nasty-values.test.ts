import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { createSandbox, type Sandbox } from '../../sandbox/index.ts';
import { measureOf, tryCandidate } from '../../scripts/try-candidate.ts';
import { type Json, valueAt } from '../../src/kernel/json.ts';
import { substitute } from '../../src/verification/loose-places.ts';
import { generateInputs } from '../../src/verification/worlds/generated-inputs.ts';
import { replacedAt, variedScalars } from '../../src/verification/worlds/variations.ts';
import { documentOf } from '../analysis/sample-job.ts';
import { startCost } from '../cost.ts';
import { type Agreed, object, reading, refusalsOf, text } from './agreed.ts';

let sandbox: Sandbox;
before(async () => {
  sandbox = await createSandbox({ cells: 1 });
});
after(() => sandbox.close());

/** A value that converts to neither a text nor a number. */
const stubborn = { toString: null, valueOf: null };

/** Far more than any of this costs; work that grows quadratically costs more. */
const hangCost = 1_000;

/** Sends an item and returns what was stored of it. */
function kept(pairs: [item: unknown, kept: unknown][], more: Partial<Agreed> = {}): Agreed {
  const item = pairs as [never, never][];
  return {
    rules: 'The requester sends id and item; the provider answers with id and what it kept of the item.',
    request: object({ id: text, item: {} }),
    response: object({ id: text, kept: {} }),
    cases: item.map(([sent, told], index) => [
      { id: `m-${1_000 + index * 37}`, item: sent },
      { id: `m-${1_000 + index * 37}`, kept: told },
    ]),
    task: {
      description: 'Send the item, tell what was kept.',
      examples: item.map(([sent, told], index) => ({
        testCase: index + 1,
        input: { item: sent },
        output: { kept: told },
      })),
    },
    ...more,
  };
}

const sends = `export async function perform(task: any, context: any) {
  const id = context.newId();
  const answer = await context.send({ id, item: task.item });
  if (answer.id !== id) throw new Error('the answer to another request');
  return { kept: answer.kept };
}`;

/** Looks a record up. */
function lookedUp(records: unknown[]): Agreed {
  const cases = (records as never[]).map(
    (record, index) => [`m-${1_000 + index * 37}`, `K-${7_001 + index * 13}`, record] as const,
  );
  return {
    rules:
      'The provider answers with id and the record of the key; where the store fails, with id and "error": "unavailable".',
    request: object({ id: text, key: text }),
    response: object({ id: text, record: {}, error: text }, ['record', 'error']),
    cases: cases.map(([id, key, record]) => [
      { id, key },
      { id, record },
    ]),
    tools: [
      reading(
        'fetchRecord',
        object({ key: text }),
        {},
        cases.map(([, key, record]) => [{ key }, record]),
      ),
    ],
  };
}

const looksUp = `export async function handle(request: any, { call }: any) {
  let record: any;
  try {
    record = await call.fetchRecord({ key: request.key });
  } catch {
    return { id: request.id, error: 'unavailable' };
  }
  return { id: request.id, record };
}`;

/** Sends an item back. */
function echoed(items: unknown[]): Agreed {
  const cases = items.map((item, index) => ({ id: `m-${1_000 + index * 37}`, item }) as never);
  return {
    rules: 'The provider answers with id and item of the request, unchanged.',
    request: object({ id: text, item: {} }),
    response: object({ id: text, item: {} }),
    cases: cases.map((one) => [one, one]),
  };
}

const echoes = 'export async function handle({ id, item }: any) { return { id, item }; }';

test('what can be made neither a text nor a number stands in no text', () => {
  for (const odd of [stubborn, [stubborn], { valueOf: 1, toString: 'x' }]) {
    assert.equal(substitute('order A-1001', [{ from: 'A-1001', to: odd }]), 'order A-1001');
  }
});

test('what was sent is put into a text to the letter', () => {
  assert.equal(
    substitute('order A-1001 is on its way', [{ from: 'A-1001', to: "$&$'$$" }]),
    "order $&$'$$ is on its way",
  );
});

test('a loose place may hold what can be made neither a text nor a number', async () => {
  const agreed = kept(
    [
      [stubborn, 'Kestrel 7714'],
      [[stubborn], 'Merlin 8823'],
    ],
    { loose: [{ pointer: '/item', as: 'text' }] },
  );
  await refusalsOf(agreed, sends, sandbox);
});

test('numbers that one more does not change are not taken for deaf to what is told', async () => {
  assert.deepEqual(variedScalars(1e308), []);
  assert.deepEqual(
    await refusalsOf(
      kept([
        [1, { total: 1.7976931348623157e308, parts: [5_001, 6_002, 7_003] }],
        [2, { total: -1e308 }],
        [3, { total: 1e22 }],
      ]),
      sends,
      sandbox,
    ),
    [],
  );
});

test('an answer may say NaN where what is told does', async () => {
  const records = [{ reading: 'NaN' }, { reading: 'Invalid Date' }, { reading: '[object Object]' }];
  assert.deepEqual(await refusalsOf(lookedUp(records), looksUp, sandbox), []);
  const wrong = await refusalsOf(
    lookedUp([{ reading: 1 }, { reading: 2 }]),
    looksUp.replace(
      'id: request.id, record',
      'id: request.id, record: request.key.startsWith("K-70") ? record : String(+request.key)',
    ),
    sandbox,
  );
  assert.ok(
    wrong.some((why) => why.includes('the answer says NaN')),
    JSON.stringify(wrong),
  );
});

test('a text whose numbers together look checked comes back as it is asked for', async () => {
  // Four of these texts have a valid checksum, so they are renamed as a whole.
  const items = [1_000, 2_000, 3_000].map((by) => [0, 3, 6, 9].map((nth) => `Item ${nth * 13 + by} of AB-${nth}${by}`));
  assert.deepEqual(await refusalsOf(echoed(items), echoes, sandbox), []);
});

test('a place is written into a copy, whatever its member is called', () => {
  const value = JSON.parse('{"__proto__":{"a":[1,2]},"length":3,"":{"":4}}');
  assert.equal(
    JSON.stringify(replacedAt(value, '/__proto__/a/1', 9)),
    '{"__proto__":{"a":[1,9]},"length":3,"":{"":4}}',
  );
  assert.equal(JSON.stringify(replacedAt(value, '//', 9)), '{"__proto__":{"a":[1,2]},"length":3,"":{"":9}}');
  for (const nowhere of ['/__proto__/a/length', '/__proto__/a/2', '/constructor', '/length/x'])
    assert.deepEqual(replacedAt(value, nowhere, 9), value);
  assert.equal(valueAt(value, '/__proto__/a/1'), 2);
});

test('of thousands of members few are taken away or changed', () => {
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`m${nth}`, `text ${nth}`]));
  let judged = 0;
  const isValid = (): boolean => {
    judged += 1;
    return true;
  };
  const wanted = { plausible: 16, sampled: 14, invalid: 18 };
  generateInputs({ type: 'object', required: [] }, [wide, { ...wide, m1: 1 }], isValid, 'seed', wanted);
  assert.ok(judged < 500, `${judged} inputs`);
});

const many = <T>(count: number, made: (nth: number) => T) => Array.from({ length: count }, (_, nth) => made(nth));

for (const [name, made] of Object.entries<(by: number) => unknown>({
  'an object of many members': (by) =>
    Object.fromEntries(
      many(500, (nth): [string, unknown] => [
        `k${nth}`,
        nth % 3 ? nth * 17 + by : `Item ${nth * 13 + by} of AB-${nth}${by}`,
      ]),
    ),
  'a long list of rows': (by) =>
    many(120, (nth) => ({ id: `R-${nth}${by}`, name: `Name ${nth}`, price: nth * 1.25 + by })),
}))
  for (const [form, agreedOn, source] of [
    ['comes back', () => echoed([1_000, 2_000, 3_000].map(made)), echoes],
    ['is sent', () => kept([1_000, 2_000, 3_000].map((by) => [made(by), made(by + 7)])), sends],
  ] as const)
    test(`${name} that ${form} keeps the checks no longer than another value`, async () => {
      const cost = startCost();
      assert.deepEqual(await refusalsOf(agreedOn(), source, sandbox), []);
      const spent = cost();
      assert.ok(spent < hangCost, `${spent}`);
    });

test('of many numbers that a tool tells few are tried, so that the runs last', async () => {
  const record = Object.fromEntries(many(300, (nth): [string, number] => [`m${nth}`, nth + 401]));
  const { rules, request, response, cases, tools } = lookedUp([record, { ...record, m7: 999 }]);
  const order = measureOf({
    version: 1,
    negotiationId: 'many-numbers',
    role: 'provider',
    agreement: {
      action: 'protocolNegotiation',
      sequenceId: 1,
      candidateProtocols: documentOf(request as Json, response as Json, rules),
      status: 'accepted',
    },
    testCases: cases.map(([asked, answer]) => ({ request: asked, response: answer })),
    tools: tools ?? [],
  });
  const { refusedFor, verification } = await tryCandidate(order, looksUp, sandbox);
  assert.deepEqual(refusedFor, []);
  const report = verification?.reports.find(({ name }) => name === 'tool-influence');
  assert.equal(report?.result, 'passed', report?.message);
  assert.ok(report.runs >= 40);
});

const oddName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  'hasOwnProperty',
  'length',
  '',
  '0',
  '-1',
  '~',
  'a/b',
  '\u202eabc',
  '\u0000',
  'a',
);
const oddScalar = fc.constantFrom<unknown>(
  null,
  true,
  '',
  '\u0000',
  '\u001b[2J',
  '\u202egnp',
  '9999-99-99',
  '2024-02-30',
  '1e308',
  '__proto__',
  'NaN',
  '[object Object]',
  "$&$'",
  '```',
  '# Test Case 9',
  '1,234,567.89',
  'YWJjZA==',
  0,
  -0,
  1e308,
  -1e-320,
  1e21,
  9_007_199_254_740_991,
  8_640_000_000_000_001,
  404,
  17.25,
  stubborn,
  {},
  [],
);
const odd = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    oddScalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(oddName, tie('value')), { maxLength: 3, selector: ([name]) => name })
      .map(Object.fromEntries),
  ),
})).value;

test('sound handlers of odd values are accepted, and odd handlers judged', async () => {
  const forms = fc.constantFrom(
    [echoed, echoes] as const,
    [lookedUp, looksUp] as const,
    [(items: unknown[]) => kept(items.map((item, nth) => [item, items[(nth + 1) % items.length]])), sends] as const,
  );
  await fc.assert(
    fc.asyncProperty(
      forms,
      fc.array(odd, { minLength: 1, maxLength: 3 }),
      odd,
      async ([agreedOn, source], items, answer) => {
        const plain = JSON.parse(JSON.stringify(items)) as unknown[];
        assert.deepEqual(await refusalsOf(agreedOn(plain), source, sandbox), []);
        const name = source === sends ? 'perform' : 'handle';
        const known = JSON.stringify(JSON.stringify(answer));
        await refusalsOf(
          agreedOn(plain),
          `export async function ${name}(given: any, { call, send }: any) {\n  const odd = JSON.parse(${known});\n  await (send ?? call.fetchRecord)?.(odd).catch(() => null);\n  if (JSON.stringify(given).length % 3 === 0) throw odd;\n  return odd;\n}`,
          sandbox,
        );
      },
    ),
    { numRuns: 25, seed: 8 },
  );
});
