import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Finding } from '../../src/contract/finding.ts';
import type { Tool } from '../../src/contract/job.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

function run(schema: JsonObject, responses: readonly Json[], more: Parameters<typeof sampleJob>[2] = {}) {
  const document = documentOf({ type: 'object' }, { type: 'object', ...schema });
  const cases = casesOf(...responses.map((response, n): [Json, Json] => [{ n }, response]));
  const analyzed = analyze(sampleJob(document, cases, more));
  const findings = preflight(analyzed).filter(({ severity }) => severity === 'error');
  return { findings, settlement: decide(analyzed, findings) };
}

const PRICED: JsonObject = { properties: { price: { type: 'number' } } };

const priceTool = (output: Json): Tool => ({ name: 'price', examples: [{ input: {}, output: { net: [output] } }] });

const amendments = (findings: readonly Finding[]) => findings.map(({ amendment }) => amendment);

const replaced = (path: string, value: Json) => [{ of: 'response', patch: [{ op: 'replace', path, value }] }];

test('a value in another type than schema and other cases use is amended in the case, not in the schema', () => {
  const { findings, settlement } = run(PRICED, [{ price: '0.40' }, { price: 1.5 }]);
  assert.deepEqual(amendments(findings), replaced('/price', 0.4));
  assert.ok(settlement.kind === 'disputed');
  assert.match(JSON.stringify(settlement.proposals), /"amended-cases".*price\\\\?": ?0\.4/s);
});

test('so is a value that only a tool contradicts', () => {
  const { findings } = run(PRICED, [{ price: '0.40' }], { tools: [priceTool(0.4)] });
  assert.deepEqual(amendments(findings), replaced('/price', 0.4));
});

const SLIPS: [name: string, schema: JsonObject, responses: Json[], path: string, meant: Json][] = [
  ['an integer as a text', { properties: { a: { type: 'integer' } } }, [{ a: 1 }, { a: '-2' }], '/a', -2],
  ['a text as a number', { properties: { a: { type: 'string' } } }, [{ a: '1' }, { a: 2 }], '/a', '2'],
  ['a truth as a text', { properties: { a: { type: 'boolean' } } }, [{ a: true }, { a: 'false' }], '/a', false],
  ['a code as a text', { properties: { a: { enum: [200, 404] } } }, [{ a: 200 }, { a: '404' }], '/a', 404],
  [
    'an item of a list',
    { properties: { a: { type: 'array', items: { type: 'number' } } } },
    [{ a: [1, 2, '3.5'] }],
    '/a/2',
    3.5,
  ],
  ['one of several types', { properties: { a: { type: ['number', 'null'] } } }, [{ a: 1 }, { a: '2' }], '/a', 2],
];

for (const [name, schema, responses, path, meant] of SLIPS) {
  test(`the case is amended for ${name}`, () => {
    const [first, ...more] = amendments(run(schema, responses).findings);
    assert.deepEqual([first, more.length], [replaced(path, meant)[0], 0]);
  });
}

const WIDENED: [name: string, responses: Json[], tools: Tool[]][] = [
  ['nothing else speaks against the case', [{ price: '0.40' }], []],
  ['most cases are like it', [{ price: '0.40' }, { price: '0.50' }, { price: 1.5 }], []],
  ['the tool says the same', [{ price: '0.40' }, { price: 1.5 }], [priceTool('0.40')]],
  ['the value has no other spelling', [{ price: null }, { price: 1.5 }], []],
  ['it would lose digits', [{ price: '9007199254740993' }, { price: 1.5 }], []],
];

for (const [name, responses, tools] of WIDENED) {
  test(`the schema is amended if ${name}`, () => {
    const { findings } = run(PRICED, responses, { tools });
    assert.ok(findings.length > 0);
    for (const { amendment } of findings) assert.equal(amendment?.of, 'responseSchema');
  });
}

test('a wrong type in one case does not widen the schema that another case needs wider', () => {
  const [slip, wider] = amendments(
    run(PRICED, [{ price: '0.40' }, { price: null }, { price: 1 }, { price: 2 }]).findings,
  );
  assert.deepEqual(slip, replaced('/price', 0.4)[0]);
  assert.deepEqual(wider?.patch, [{ op: 'replace', path: '/properties/price/type', value: ['number', 'null'] }]);
});

test('with "amend", a wrong type is disputed: no handler is made for it', () => {
  const { settlement } = run(PRICED, [{ price: '0.40' }, { price: 1.5 }], { onContradiction: 'amend' });
  assert.equal(settlement.kind, 'disputed');
});
