import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { decide } from '../../src/analysis/decide.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Analyzed } from '../../src/contract/agreement.ts';
import type { Finding } from '../../src/contract/finding.ts';
import type { Job } from '../../src/contract/job.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { type Told, told } from '../told.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const OPEN: Json = { type: 'object' };

type Cleared = Extract<ReturnType<typeof decide>, { kind: 'cleared' }>;

interface Settled {
  findings: Finding[];
  decision: Cleared | (Told & { kind: 'disputed' | 'error'; proposals: JsonObject[] });
}

function run(document: string, cases: string, more: Partial<Job> = {}): Settled {
  const analyzed = analyze(sampleJob(document, cases, more));
  const findings = preflight(analyzed).filter(({ code }) => code !== 'DOCUMENT_ANSWER_UNDERIVABLE');
  return { findings, decision: saidBy(decide(analyzed, findings), analyzed) };
}

/** A decision with the text for the peer. */
function saidBy(decision: ReturnType<typeof decide>, { job, agreement }: Analyzed): Settled['decision'] {
  if (decision.kind === 'cleared') return decision;
  const { language } = agreement;
  const { proposals = [], ...said } = told({ ...decision, verdict: decision.kind, language }, job.kind, job);
  return { ...said, kind: decision.kind, proposals };
}

/** A schema with one property, a value that breaks it, and the patch that resolves it. */
const SMALL: [name: string, schema: JsonObject, response: Json, patch: object[], amended: string][] = [
  [
    'a type is added',
    { properties: { a: { type: 'string' } } },
    { a: null },
    [{ op: 'replace', path: '/properties/a/type', value: ['string', 'null'] }],
    '"type": ["string", "null"]',
  ],
  [
    'a type is added to several',
    { properties: { a: { type: ['string', 'null'] } } },
    { a: [] },
    [{ op: 'replace', path: '/properties/a/type', value: ['string', 'null', 'array'] }],
    '["string", "null", "array"]',
  ],
  [
    'an integer becomes a number',
    { properties: { a: { type: 'integer' } } },
    { a: 1.5 },
    [{ op: 'replace', path: '/properties/a/type', value: 'number' }],
    '"type": "number"',
  ],
  [
    'an enum value is added',
    { properties: { a: { enum: ['x', 'y'] } } },
    { a: 'z' },
    [{ op: 'add', path: '/properties/a/enum/-', value: 'z' }],
    '"y",\n        "z"\n',
  ],
  [
    'a required name is dropped',
    { properties: { a: {}, b: {} }, required: ['a', 'b'] },
    { a: 1 },
    [{ op: 'remove', path: '/required/1' }],
    '"required": [\n    "a"\n  ]',
  ],
  [
    'required names are dropped',
    { required: ['a', 'b', 'c'] },
    { b: 1 },
    [
      { op: 'remove', path: '/required/2' },
      { op: 'remove', path: '/required/0' },
    ],
    '"required": [\n    "b"\n  ]',
  ],
  [
    'a property is declared',
    { properties: { a: {} }, additionalProperties: false },
    { b: 'x' },
    [{ op: 'add', path: '/properties/b', value: { type: 'string' } }],
    '"a": {},\n    "b": { "type": "string" }\n',
  ],
  [
    'properties are declared where there were none',
    { additionalProperties: false },
    { b: 1 },
    [{ op: 'add', path: '/properties', value: { b: { type: 'integer' } } }],
    '"additionalProperties": false,\n  "properties": { "b": { "type": "integer" } }\n',
  ],
  [
    'an upper bound is widened',
    { properties: { a: { maximum: 5 } } },
    { a: 7 },
    [{ op: 'replace', path: '/properties/a/maximum', value: 7 }],
    '"maximum": 7',
  ],
  [
    'a lower bound is widened',
    { properties: { a: { minLength: 3 } } },
    { a: '中' },
    [{ op: 'replace', path: '/properties/a/minLength', value: 1 }],
    '"minLength": 1',
  ],
  [
    'an exclusive bound becomes inclusive',
    { properties: { a: { exclusiveMinimum: 0 } } },
    { a: 0 },
    [
      { op: 'remove', path: '/properties/a/exclusiveMinimum' },
      { op: 'add', path: '/properties/a/minimum', value: 0 },
    ],
    '"minimum": 0',
  ],
  [
    'null is added to alternatives',
    { properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } },
    { a: null },
    [{ op: 'add', path: '/properties/a/anyOf/-', value: { type: 'null' } }],
    '{ "type": "null" }',
  ],
  [
    'a definition is amended where it stands',
    { properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: { type: 'string' } } },
    { a: 1 },
    [{ op: 'replace', path: '/$defs/t/type', value: ['string', 'integer'] }],
    '["string", "integer"]',
  ],
];

for (const [name, schema, response, patch, amended] of SMALL) {
  test(`smallest amendment: ${name}`, () => {
    const document = documentOf(OPEN, { type: 'object', ...schema });
    const cases = casesOf([{}, response]);
    const { findings, decision } = run(document, cases);
    assert.deepEqual(
      findings.map(({ code, in: root, testCase, amendment }) => ({ code, root, testCase, amendment })),
      [
        {
          code: 'DOCUMENT_CASE_VIOLATES_SCHEMA',
          root: 'response',
          testCase: 1,
          amendment: { of: 'responseSchema', patch },
        },
      ],
    );
    assert.equal(decision.kind, 'disputed');
    const text = String(decision.kind === 'disputed' && decision.proposals[0]?.candidateProtocols);
    assert.ok(text.includes(amended), text);
    assert.deepEqual(run(text, cases).findings, [], 'the counter-offer is consistent');

    const willing = run(document, cases, { onContradiction: 'amend' }).decision;
    assert.equal(willing.kind, 'cleared');
    assert.deepEqual(willing.kind === 'cleared' && willing.amendments, [{ of: 'responseSchema', patch }]);
  });
}

const LARGE: [name: string, schema: JsonObject, response: Json][] = [
  ['a constant', { properties: { a: { const: 1 } } }, { a: 2 }],
  ['a pattern', { properties: { a: { pattern: '^x' } } }, { a: 'y' }],
  ['a format', { properties: { a: { format: 'uuid' } } }, { a: 'y' }],
  ['a multiple', { properties: { a: { multipleOf: 2 } } }, { a: 3 }],
  ['uniqueness', { properties: { a: { uniqueItems: true } } }, { a: [1, 1] }],
  ['a structure as enum value', { properties: { a: { enum: [{ b: 1 }] } } }, { a: { b: 2 } }],
  ['a forbidden member', { properties: { a: false } }, { a: 1 }],
];

for (const [name, schema, response] of LARGE) {
  test(`no small change resolves ${name}`, () => {
    const { decision } = run(documentOf(OPEN, schema), casesOf([{}, response]), { onContradiction: 'amend' });
    assert.equal(decision.kind, 'disputed');
    assert.equal(decision.kind === 'disputed' && decision.messages[0]?.action, 'fixErrorNegotiation');
  });
}

test('violations at one place in several cases share one patch, and so does the document', () => {
  const document = documentOf(OPEN, { properties: { a: { type: 'string' }, b: { maximum: 1 } }, required: ['c', 'd'] });
  const cases = casesOf(
    [{ n: 1 }, { a: null, c: 1 }],
    [{ n: 2 }, { a: 3, d: 1, b: 5 }],
    [{ n: 3 }, { a: 'x', c: 1, d: 1, b: 9 }],
  );
  const { findings, decision } = run(document, cases);
  assert.deepEqual(
    findings.map(({ testCase, pointer }) => [testCase, pointer]),
    [
      [1, ''],
      [1, '/a'],
      [2, ''],
      [2, '/a'],
      [2, '/b'],
      [3, '/b'],
    ],
  );
  assert.deepEqual(findings[1]?.amendment, findings[3]?.amendment);
  assert.equal(decision.kind, 'disputed');
  assert.ok(decision.kind === 'disputed');
  const text = String(decision.proposals[0]?.candidateProtocols);
  assert.ok(text.includes('"type": ["string", "null", "integer"]'), text);
  assert.ok(text.includes('"maximum": 9'));
  assert.deepEqual(run(text, cases).findings, []);
  const amended = run(document, cases, { onContradiction: 'amend' }).decision;
  assert.ok(amended.kind === 'cleared');
  assert.equal(amended.amendments.flatMap(({ patch }) => patch).length, 4);
});

test('if a case misses a constant, a change of the case is proposed', () => {
  const document = documentOf(OPEN, { properties: { type: { const: 'RESPONSE' } } });
  const cases = casesOf([{ type: 'REQUEST' }, { type: 'REPLY' }]);
  const { findings, decision } = run(document, cases);
  assert.deepEqual(findings[0]?.amendment, {
    of: 'response',
    patch: [{ op: 'replace', path: '/type', value: 'RESPONSE' }],
  });
  assert.ok(decision.kind === 'disputed');
  assert.deepEqual(decision.proposals, [
    {
      action: 'testCasesNegotiation',
      testCases: cases.replace('"REPLY"', '"RESPONSE"'),
      modificationSummary: 'Modifications:\n- In the response data of test case 1, set `/type` to `"RESPONSE"`',
      status: 'negotiating',
    },
  ]);
});

test('the counter-offer changes only the schema, whatever is around it', () => {
  const around = 'Prices  are in €, "quoted" {not json}.\r\n\t- keep\u200b this \n';
  const document = `${around}\n# Response\n{"type":"object","properties":{"a":{"type":"string"}}}\n${around}# Request\n{ "type" : "object" }\n${around}`;
  const { decision } = run(document, casesOf([{}, { a: 1 }]));
  assert.ok(decision.kind === 'disputed');
  assert.deepEqual(decision.proposals, [
    {
      action: 'protocolNegotiation',
      sequenceId: 4,
      candidateProtocols: document.replace('{"type":"string"}', '{"type":["string", "integer"]}'),
      modificationSummary:
        'Modifications:\n- In the response JSON schema, set `/properties/a/type` to `["string","integer"]`',
      status: 'negotiating',
    },
  ]);
});

test('the best fitting member of a union is amended, in its own text', () => {
  const good = {
    properties: { code: { const: 200 }, data: { type: 'object' } },
    required: ['code', 'data'],
    additionalProperties: false,
  };
  const bad = {
    properties: { code: { const: 404 }, error: { type: 'string' } },
    required: ['code', 'error'],
    additionalProperties: false,
  };
  const document = `${documentOf(OPEN, good)}## Error Response\n${JSON.stringify(bad)}\n`;
  const cases = casesOf(
    [{ n: 1 }, { code: 200, data: {} }],
    [{ n: 2 }, { code: 404, error: 'x' }],
    [{ n: 3 }, { code: 404, error: null }],
  );
  const { findings, decision } = run(document, cases);
  assert.deepEqual(
    findings.map(({ testCase, pointer, amendment }) => ({ testCase, pointer, patch: amendment?.patch })),
    [
      {
        testCase: 3,
        pointer: '/error',
        patch: [{ op: 'replace', path: '/$defs/2/properties/error/type', value: ['string', 'null'] }],
      },
    ],
  );
  assert.ok(decision.kind === 'disputed');
  assert.equal(
    decision.proposals[0]?.candidateProtocols,
    document.replace('"error":{"type":"string"}', '"error":{"type":["string", "null"]}'),
  );
});

test('a failure with an unlisted code counts as a failure, not as an incomplete success', () => {
  const success = { type: 'object', properties: { v: { type: 'integer' } }, required: ['v'] };
  const failure = (codes: number[]) => ({
    type: 'object',
    properties: { err: { type: 'string' }, code: { enum: codes } },
    required: ['err', 'code'],
  });
  const more = (...schemas: Json[]) =>
    schemas.map((schema) => `## Error Response\n${JSON.stringify(schema)}\n`).join('\n');
  const cases = (code: number) =>
    casesOf(
      [{ n: 1 }, { v: 1 }],
      [{ n: 2 }, { err: 'no', code: 404 }],
      [{ n: 3 }, { err: 'no', code }],
      [{ n: 4 }, { err: 'no', code: 500 }],
    );
  for (const [document, codes, path] of [
    [documentOf(OPEN, success) + more(failure([404])), 404, '/$defs/2/properties/code/enum/-'],
    [documentOf(OPEN, { oneOf: [success, failure([404])] }), 404, '/oneOf/1/properties/code/enum/-'],
    [documentOf(OPEN, success) + more(failure([404]), failure([409])), 409, '/$defs/2/properties/code/enum/-'],
  ] as const) {
    const { decision } = run(document, cases(codes), { onContradiction: 'amend' });
    assert.ok(decision.kind === 'cleared');
    assert.deepEqual(decision.amendments, [{ of: 'responseSchema', patch: [{ op: 'add', path, value: 500 }] }]);
  }
});

const MONEY = { type: 'object', properties: { amount: { maximum: 10 } }, required: ['amount', 'currency', 'tax'] };
const REQUEST = { type: 'object', properties: { price: { $ref: '#/$defs/Money' } }, required: ['price'] };
const RESPONSE = {
  type: 'object',
  properties: { total: { $ref: '#/$defs/Money' }, paid: { type: 'boolean' } },
  required: ['total'],
};
const block = (heading: string, value: Json) =>
  `## ${heading}\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
const named = (name: string) => `https://e.org/${name}`;

/** Documents with two schemas that share a third from elsewhere. */
const SHARED: [name: string, document: string][] = [
  [
    'a block of definitions',
    block('Common', { $defs: { Money: MONEY } }) + block('Request', REQUEST) + block('Response', RESPONSE),
  ],
  ['a block that holds all', block('Schemas', { $defs: { Money: MONEY, PayRequest: REQUEST, PayResponse: RESPONSE } })],
  [
    'the block of the other side',
    block('Request', { ...REQUEST, $defs: { Money: MONEY } }) + block('Response', RESPONSE),
  ],
  [
    'a schema with an id',
    block('Money', { $id: named('money'), ...MONEY }) +
      block('Request', { ...REQUEST, properties: { price: { $ref: named('money') } } }) +
      block('Response', { ...RESPONSE, properties: { ...RESPONSE.properties, total: { $ref: named('money') } } }),
  ],
  [
    'an interface description',
    block('Interface', {
      components: { schemas: { Money: MONEY, PayRequest: REQUEST, PayResponse: RESPONSE } },
    }).replaceAll('#/$defs/', '#/components/schemas/'),
  ],
];

for (const [name, document] of SHARED) {
  test(`definitions taken from ${name} are amended there, for both schemas`, () => {
    const money = (amount: number) => ({ amount, currency: 'EUR' });
    const cases = casesOf(
      [{ price: { ...money(10), tax: 1 } }, { total: { ...money(10), tax: 1 }, paid: true }],
      [{ price: { amount: 15, tax: 1 } }, { total: money(30), paid: 'yes' }],
    );
    const { decision } = run(document, cases);
    assert.ok(decision.kind === 'disputed');
    assert.equal(decision.proposals.length, 1);
    const proposed = String(decision.proposals[0]?.candidateProtocols);
    assert.deepEqual(
      proposed.replace(/\s+/g, ''),
      document
        .replace('"maximum": 10', '"maximum": 30')
        .replace(/"amount",\s*"currency",\s*"tax"/, '"amount"')
        .replace('"boolean"', '["boolean", "string"]')
        .replace(/\s+/g, ''),
    );
    assert.equal(run(proposed, cases).findings.filter(({ severity }) => severity === 'error').length, 0);
  });
}

const NULL_IN_FAILURE = {
  type: 'object',
  properties: { code: { type: 'integer' }, data: { type: 'object' } },
  required: ['code', 'data'],
};

test('if the peer cannot be told, null in a failure is amended, and anything else is an error', () => {
  const deaf = { peerCapabilities: ['testCasesNegotiation'] };
  const document = documentOf(OPEN, NULL_IN_FAILURE);
  const rows: [Json, ReturnType<typeof decide>['kind']][] = [
    [{ code: 404, data: null }, 'cleared'],
    [{ code: 200, data: null }, 'error'],
    [{ code: 404, data: [] }, 'error'],
    [{ code: '404', data: null }, 'error'],
  ];
  for (const [response, kind] of rows) {
    const { decision } = run(document, casesOf([{ n: 1 }, { code: 200, data: {} }], [{ n: 2 }, response]), deaf);
    assert.equal(decision.kind, kind, JSON.stringify(response));
    if (decision.kind !== 'error') continue;
    assert.deepEqual(decision.messages, [{ action: 'codeGeneration', status: 'error' }]);
    assert.ok(decision.findings.length > 0 && decision.proposals.length > 0);
  }
  const told = run(document, casesOf([{ n: 2 }, { code: 404, data: null }]), {
    peerCapabilities: ['fixErrorNegotiation'],
  });
  assert.equal(told.decision.kind, 'disputed');
});

test('with "amend", every contradiction must need only a small change, or all are disputed', () => {
  const document = documentOf(OPEN, { properties: { a: { type: 'string' }, b: { const: 1 } } });
  const { decision } = run(document, casesOf([{}, { a: 1, b: 2 }]), { onContradiction: 'amend' });
  assert.equal(decision.kind, 'disputed');
});

test('a review only reports: it amends nothing and makes no message', () => {
  const document = documentOf(OPEN, NULL_IN_FAILURE);
  for (const more of [{}, { onContradiction: 'amend' }, { peerCapabilities: [] }] as const) {
    const job = { ...more, kind: 'review' } as Partial<Job>;
    const { decision } = run(document, casesOf([{}, { code: 404, data: null }]), job);
    assert.ok(decision.kind === 'disputed');
    assert.deepEqual(decision.messages, []);
    assert.equal(decision.proposals.length, 1);
  }
});

test('a cleared agreement is amended and sanitised, with resolved findings as warnings', () => {
  const document = documentOf(OPEN, { tsType: 'any', properties: { a: { type: 'string', $id: 'x' } } });
  const { decision } = run(document, casesOf([{}, { a: 1 }]), { onContradiction: 'amend' });
  assert.ok(decision.kind === 'cleared');
  assert.deepEqual(decision.agreement.responseSchema?.schema, { properties: { a: { type: ['string', 'integer'] } } });
  assert.deepEqual(
    decision.warnings.map(({ code, severity }) => [code, severity]),
    [
      ['DOCUMENT_KEYWORD_REMOVED', 'warning'],
      ['DOCUMENT_CASE_VIOLATES_SCHEMA', 'warning'],
    ],
  );
});

test('cases with the same number are offered renumbered', () => {
  const cases = casesOf([{ n: 1 }, {}], [{ n: 2 }, {}]).replace('# Test Case 2', '# Test Case 1');
  const { decision } = run(documentOf(OPEN, OPEN), `${cases}\n# Test Case 5: last\n- Request: {}\n- Response: {}\n`);
  assert.ok(decision.kind === 'disputed');
  const [proposal] = decision.proposals;
  assert.equal(proposal?.action, 'testCasesNegotiation');
  assert.deepEqual(String(proposal?.testCases).match(/# Test Case.*/g), [
    '# Test Case 1',
    '# Test Case 2',
    '# Test Case 3: last',
  ]);
  assert.equal(
    String(proposal?.testCases).replace(/# Test Case \d/g, ''),
    `${cases}\n# Test Case 5: last\n- Request: {}\n- Response: {}\n`.replace(/# Test Case \d/g, ''),
  );
});

test('null in a failure is amended at its place, even inside alternatives', () => {
  const good = {
    type: 'object',
    properties: { code: { const: 200 }, data: { type: 'object' } },
    required: ['code', 'data'],
  };
  const bad = {
    type: 'object',
    properties: { code: { const: 404 }, data: { $ref: '#/$defs/none' } },
    required: ['code', 'data'],
  };
  const document = documentOf(OPEN, { oneOf: [good, bad], $defs: { none: { type: 'object' } } });
  const cases = casesOf([{ n: 1 }, { code: 200, data: {} }], [{ n: 2 }, { code: 404, data: null }]);
  const { findings, decision } = run(document, cases, { peerCapabilities: [] });
  assert.deepEqual(
    findings.map(({ pointer, actual }) => [pointer, actual]),
    [['/data', null]],
  );
  assert.ok(decision.kind === 'cleared');
  assert.deepEqual(decision.amendments, [
    { of: 'responseSchema', patch: [{ op: 'replace', path: '/$defs/none/type', value: ['object', 'null'] }] },
  ]);
});

test('null in a failure counts for one of several objects too, however the failure is reported', () => {
  const settled = (data: Json, answer: Json, defs: Json = {}) => {
    const names = Object.keys(answer as object);
    const schema = { type: 'object', properties: { [names[1] ?? '']: data }, required: names, $defs: defs };
    return run(documentOf(OPEN, schema), casesOf([{ n: 2 }, answer]), { peerCapabilities: [] }).decision.kind;
  };
  const [one, other]: [Json, Json] = [
    { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    { type: 'object', properties: { b: { type: 'integer' } }, required: ['b'] },
  ];
  const failed: Json = { code: 404, data: null };
  assert.equal(settled({ anyOf: [one, other] }, failed), 'cleared');
  assert.equal(settled({ oneOf: [one, other] }, failed), 'cleared');
  assert.equal(settled({ anyOf: [{ $ref: '#/$defs/one' }, { type: 'string' }] }, failed, { one }), 'cleared');
  assert.equal(settled({ anyOf: [{ $ref: '#/$defs/one' }] }, failed, { one: { anyOf: [one, other] } }), 'cleared');
  assert.equal(settled({ anyOf: [{ type: 'integer' }, { type: 'string' }] }, failed), 'error');
  assert.equal(settled({ anyOf: [one, other] }, { code: 200, data: null }), 'error');
  for (const [name, word, success] of [
    ['状态', '失败', '成功'],
    ['结果', '已拒绝', '正常'],
    ['estado', 'rechazado', 'ok'],
    ['Status', 'abgelehnt', 'frei'],
    ['成功', false, true],
    ['错误码', 404, 200],
    ['status', 'error', 'ok'],
  ] as const) {
    assert.equal(settled({ type: 'object' }, { [name]: word, 数据: null }), 'cleared', name);
    assert.equal(settled({ type: 'object' }, { [name]: success, 数据: null }), 'error', name);
  }
});

test('only a member with a wrong name is reported as undeclared', () => {
  const response = {
    type: 'object',
    properties: { id: {}, text: {} },
    required: ['id', 'text'],
    additionalProperties: false,
  };
  const { findings } = run(documentOf({ type: 'object' }, response), casesOf([{}, { id: 'a', message: 'b' }]));
  assert.match(findings[0]?.message ?? '', /field `text` is missing, the field `message` is not declared/);
});

test('the text for the peer names the other case of a contradiction and uses one language', () => {
  const told = (document: string, cases: string) => {
    const { decision } = run(document, cases);
    return decision.kind === 'disputed' ? String(decision.messages[0]?.errorDescription) : '';
  };
  const open = documentOf({ type: 'object' }, { type: 'object' });
  const chinese = documentOf({ type: 'object' }, { type: 'object' }, '请求携带商品编号，响应返回商品的价格与库存。');
  const contrary = casesOf([{ a: 1 }, { b: 1 }], [{ a: 2 }, { b: 1 }], [{ a: 1 }, { b: 2 }]);
  assert.match(
    told(open, contrary),
    /data of test case 3, at `\/b`: .* differently in test case 1: here `2`, there `1`/,
  );
  assert.match(told(chinese, contrary), /测试用例3的响应数据.*在测试用例1中得到不同的响应/);
  const torn = casesOf([{ a: 1 }, { b: 1 }]).replace(/\}\n\n- \*\*Expected.*/s, '');
  assert.match(told(open, torn), /stop being valid JSON at the end of the text;/);
  assert.match(told(chinese, torn), /在 文本末尾 处不是合法的JSON/);
});

test('a proposal for a text with block quotes leaves all other lines unchanged', () => {
  const request = '# Test Case 1\n> **Request**\n> ```json\n> {}\n> ```\n';
  const cases = (kind: string) =>
    `${request}\n> **Response**\n> {\n>   "kind": "${kind}"\n> }\n\n**Expected**: Works.\n`;
  const response = { type: 'object', properties: { kind: { const: 'b' } } };
  const { decision } = run(documentOf({ type: 'object' }, response), cases('a'));
  assert.ok(decision.kind === 'disputed');
  assert.equal(decision.proposals[0]?.testCases, cases('b'));
});

test('a proposal for a quoted text keeps the quote marks', () => {
  const quoted = (text: string) => text.replace(/^/gm, '> ').replace(/^> $/gm, '>');
  const response = { type: 'object', properties: { cents: { type: 'integer' } } };
  const document = quoted(documentOf({ type: 'object' }, response));
  const { decision } = run(document, casesOf([{}, { cents: '300' }]));
  assert.ok(decision.kind === 'disputed');
  const text = String(decision.proposals[0]?.candidateProtocols);
  assert.ok(text.includes('"string"'), text);
  assert.ok(
    text
      .trimEnd()
      .split('\n')
      .every((line) => line.startsWith('>')),
    text,
  );
});
