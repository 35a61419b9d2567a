import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { MAX_FINDINGS } from '../../src/analysis/capped-findings.ts';
import { lint } from '../../src/analysis/lint.ts';
import { preflight, RULES } from '../../src/analysis/rules.ts';
import type { Finding } from '../../src/contract/finding.ts';
import type { Job, StructuredCase, Tool } from '../../src/contract/job.ts';
import type { Json } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const OPEN: Json = { type: 'object' };

/** For each rule a document that only this rule reports, and the findings. */
const SAMPLES: Record<
  string,
  { document: string; cases?: string; more?: Partial<Job>; says: [severity: string, code: string][] }
> = {
  'base-protocol-missing': {
    document: 'Based on the existing protocol (URI: https://e.org/a).',
    says: [['error', 'DOCUMENT_BASE_PROTOCOL_MISSING']],
  },
  'schema-unreadable': {
    document:
      '## Request\n```json\n{"type": "object", "properties": {"a": {"type": "string"}}, oops}\n```\n## Response\n{"type": "object",}\n',
    says: [
      ['error', 'DOCUMENT_SCHEMA_UNREADABLE'],
      ['warning', 'DOCUMENT_SCHEMA_NOT_STRICT'],
    ],
  },
  'schema-missing': {
    document:
      '## Request\n{"type": "object"}\n## Response\nThe response JSON schema is defined as follows:\n\n## Errors\nNone.',
    says: [['error', 'DOCUMENT_SCHEMA_MISSING']],
  },
  'schema-none': {
    document: '# Requirements\nGive a name, get JSON back.',
    says: [['warning', 'DOCUMENT_SCHEMA_NONE']],
  },
  'schema-invalid': {
    document: documentOf(
      { type: 'object', properties: { a: { type: 'text' }, b: { pattern: '(' } } },
      { type: 'object', properties: { c: { $ref: 'https://e.org/c.json' } } },
    ),
    says: [
      ['error', 'DOCUMENT_SCHEMA_INVALID'],
      ['error', 'DOCUMENT_PATTERN_INVALID'],
      ['error', 'DOCUMENT_REFERENCE_EXTERNAL'],
    ],
  },
  'keyword-removed': {
    document: documentOf({ type: 'object', tsType: 'any' }, { type: 'object', $async: true }),
    says: [
      ['warning', 'DOCUMENT_KEYWORD_REMOVED'],
      ['warning', 'DOCUMENT_KEYWORD_REMOVED'],
    ],
  },
  'pattern-unsafe': {
    document: documentOf(
      { type: 'object', properties: { a: { pattern: '^(a+)+$' } } },
      { type: 'object', properties: { a: { pattern: '^(?!x)' } } },
    ),
    says: [
      ['warning', 'DOCUMENT_PATTERN_UNSAFE'],
      ['warning', 'DOCUMENT_PATTERN_UNSUPPORTED'],
    ],
  },
  'text-escaped': {
    document: '# Requirements\\nAsk for it.\\n\\n# Flow\\nAnswer it.\\n',
    more: { payload: 'text' },
    says: [['error', 'DOCUMENT_TEXT_ESCAPED']],
  },
  'number-inexact': {
    document: '## Request\n{"type":"object"}\n## Response\n{"type":"object","default":{"id":9007199254740993}}',
    says: [['error', 'DOCUMENT_NUMBER_INEXACT']],
  },
  'name-repeated': {
    document: '## Request\n{"type":"object"}\n## Response\n{"type":"object","title":"A","title":"B"}',
    says: [['warning', 'DOCUMENT_NAME_REPEATED']],
  },
  'request-ambiguous': {
    document: `## Request\n{"type":"object","properties":{"a":{}}}\n## Request\n{"type":"object","properties":{"b":{}}}\n## Response\n{"type":"object"}`,
    says: [['error', 'DOCUMENT_REQUEST_AMBIGUOUS']],
  },
  'failure-unanswerable': {
    document: documentOf(
      OPEN,
      { type: 'object', properties: { code: { enum: [200, 404] } } },
      '- 404: not found\n- 410: gone',
    ),
    says: [['error', 'DOCUMENT_FAILURE_UNANSWERABLE']],
  },
  'case-unreadable': {
    document: documentOf(OPEN, OPEN),
    cases: 'There are none yet.',
    says: [['error', 'DOCUMENT_CASES_UNREADABLE']],
  },
  'case-violates-schema': {
    document: documentOf(OPEN, { type: 'object', required: ['a'] }),
    cases: casesOf([{}, {}]),
    says: [['error', 'DOCUMENT_CASE_VIOLATES_SCHEMA']],
  },
  'cases-contradict': {
    document: documentOf(OPEN, OPEN),
    cases: casesOf([{ a: 1 }, { b: 1 }], [{ a: 1 }, { b: 2 }]),
    says: [['error', 'DOCUMENT_CASES_CONTRADICT']],
  },
  'case-id-not-echoed': {
    document: documentOf(OPEN, OPEN, 'The answer repeats the messageId of the request.'),
    cases: casesOf(
      [{ messageId: 100, n: 1 }, { messageId: 100 }],
      [{ messageId: 200, n: 2 }, { messageId: 100 }],
      [{ messageId: 300, n: 3 }, { messageId: 300 }],
    ),
    says: [['error', 'DOCUMENT_CASE_ID_NOT_ECHOED']],
  },
  'case-expected-differs': {
    document: documentOf(OPEN, OPEN),
    cases: casesOf([{ a: 1 }, { code: 200 }, 'It does not exist, returns status code 404.']),
    says: [['warning', 'DOCUMENT_CASE_EXPECTED_DIFFERS']],
  },
  'answer-underivable': {
    document: documentOf(OPEN, OPEN),
    cases: casesOf([{ a: 1 }, { name: 'Sunrise 9000' }]),
    says: [['warning', 'DOCUMENT_ANSWER_UNDERIVABLE']],
  },
};

function said(findings: readonly Finding[]): [string, string][] {
  return findings.map(({ severity, code }) => [severity, code]);
}

for (const rule of RULES) {
  test(`rule ${rule.name} reports what it should, and no other rule does`, () => {
    const sample = SAMPLES[rule.name];
    assert.ok(sample, 'a sample for every rule');
    const analyzed = analyze(sampleJob(sample.document, sample.cases, sample.more));
    const findings = preflight(analyzed);
    assert.deepEqual(said(findings), sample.says);
    for (const { message } of findings) assert.match(message, /^Cannot .+: .+, wanted ./s);
    assert.deepEqual(
      said(
        preflight(
          analyzed,
          RULES.filter((each) => each !== rule),
        ),
      ),
      [],
      'switched off, nobody says it',
    );
  });
}

test('every rule has a file, and every rule file a rule', () => {
  const files = readdirSync(new URL('../../src/analysis/', import.meta.url)).filter((name) => name.startsWith('rule-'));
  assert.deepEqual(files.sort(), RULES.map(({ name }) => `rule-${name}.ts`).sort());
});

test('all findings are reported together, in document order', () => {
  const document = `- 410: gone\n## Response\n{"type":"object","properties":{"code":{"enum":[404,410],"tsType":"x"}}}\n## Request\n{"type":"object","properties":{"a":{"type":"objekt"}}}\nBased on the existing protocol (URI: https://e.org/a).`;
  const cases = casesOf([{ a: 1 }, { code: 1 }]).replace('"a": 1', '"a": 1,');
  assert.deepEqual(
    said(lint(document, cases)).map(([, code]) => code),
    [
      'DOCUMENT_KEYWORD_REMOVED',
      'DOCUMENT_SCHEMA_INVALID',
      'DOCUMENT_BASE_PROTOCOL_MISSING',
      'DOCUMENT_CASE_UNREADABLE',
    ],
  );
});

test('patterns are reported together with other faults of a schema', () => {
  const request = {
    type: 'object',
    properties: {
      a: { pattern: '^(?=x)x' },
      b: { type: 'text' },
      c: { pattern: '(a+)+' },
      d: { pattern: '((a+)+' },
    },
  };
  assert.deepEqual(
    lint(documentOf(request, OPEN)).map(({ code, pointer }) => [code, pointer]),
    [
      ['DOCUMENT_PATTERN_UNSUPPORTED', '/properties/a/pattern'],
      ['DOCUMENT_SCHEMA_INVALID', '/properties/b/type'],
      ['DOCUMENT_PATTERN_UNSAFE', '/properties/c/pattern'],
      ['DOCUMENT_PATTERN_INVALID', '/properties/d/pattern'],
    ],
  );
});

test('findings of one schema or case come in member order, whichever rule made them', () => {
  const request = {
    type: 'object',
    properties: {
      first: { type: 'string', tsType: 'any' },
      second: { type: 'text' },
      third: { type: 'string', tsEnumNames: ['x'] },
      fourth: { type: 'string', pattern: '(' },
    },
  };
  const answer = {
    type: 'object',
    properties: { code: { enum: [200] }, note: { type: 'string' }, ref: { type: 'string' } },
    required: ['code'],
  };
  const pointers = (findings: readonly Finding[]) => findings.map(({ in: root, pointer }) => `${root} ${pointer}`);
  assert.deepEqual(pointers(lint(documentOf(request, answer))), [
    'requestSchema /properties/first/tsType',
    'requestSchema /properties/second/type',
    'requestSchema /properties/third/tsEnumNames',
    'requestSchema /properties/fourth/pattern',
  ]);
  const asked = { type: 'object', properties: { id: { type: 'string' }, of: { type: 'string' } } };
  const cases: StructuredCase[] = [
    { request: { of: 'a', id: 7 }, response: { note: 1, code: 300, ref: 2 }, expected: 'status code 200' },
  ];
  const analyzed = analyze(sampleJob(documentOf(asked, answer), cases));
  assert.deepEqual(pointers(preflight(analyzed)), [
    'request /id',
    'response /note',
    'response /code',
    'response /code',
    'response /ref',
  ]);
});

const tool = (readOnlyHint?: boolean): Tool => {
  return { name: 'look', ...(readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }) };
};

test('cases contradict each other except in echoed ids, times and loose places', () => {
  const rows: [name: string, cases: [Json, Json][], more: Partial<Job>, severities: string[]][] = [
    [
      'echoed id',
      [
        [
          { messageId: 'a', q: 1 },
          { messageId: 'a', r: 1 },
        ],
        [
          { messageId: 'b', q: 1 },
          { messageId: 'b', r: 1 },
        ],
      ],
      {},
      [],
    ],
    [
      'echoed id, other answer',
      [
        [
          { messageId: 'a', q: 1 },
          { messageId: 'a', r: 1 },
        ],
        [
          { messageId: 'b', q: 1 },
          { messageId: 'b', r: 2 },
        ],
      ],
      {},
      ['error'],
    ],
    [
      'id that is asked for',
      [
        [{ productId: 'a' }, { productId: 'a', r: 1 }],
        [{ productId: 'b' }, { productId: 'b', r: 2 }],
      ],
      {},
      [],
    ],
    [
      'bare id that is asked for',
      [
        [{ id: 'a' }, { id: 'a', r: 1 }],
        [{ id: 'b' }, { id: 'b', r: 2 }],
      ],
      {},
      [],
    ],
    [
      'id of JSON-RPC',
      [
        [
          { jsonrpc: '2.0', id: 1, m: 'x' },
          { id: 1, r: 1 },
        ],
        [
          { jsonrpc: '2.0', id: 2, m: 'x' },
          { id: 2, r: 2 },
        ],
      ],
      {},
      ['error'],
    ],
    [
      'times',
      [
        [
          { q: 1, timestamp: 5 },
          { r: 1, createdAt: 'x' },
        ],
        [
          { q: 1, timestamp: 6 },
          { r: 1, createdAt: 'y' },
        ],
      ],
      {},
      [],
    ],
    [
      'loose place',
      [
        [{ q: 1 }, { r: 'x' }],
        [{ q: 1 }, { r: 'y' }],
      ],
      { loose: [{ pointer: '/r', as: 'text' }] },
      [],
    ],
    [
      'members in another order',
      [
        [{ a: 1, b: 2 }, { r: 1 }],
        [{ b: 2, a: 1 }, { r: 2 }],
      ],
      {},
      ['error'],
    ],
    [
      'read-only tool',
      [
        [{ q: 1 }, { r: 1 }],
        [{ q: 1 }, { r: 2 }],
      ],
      { tools: [tool(true)] },
      ['error'],
    ],
    [
      'tool with side effects',
      [
        [{ q: 1 }, { r: 1 }],
        [{ q: 1 }, { r: 2 }],
      ],
      { tools: [tool(true), tool()] },
      ['warning'],
    ],
    [
      'requester',
      [
        [{ q: 1 }, { r: 1 }],
        [{ q: 1 }, { r: 2 }],
      ],
      { role: 'requester' },
      ['warning'],
    ],
    [
      'same answer',
      [
        [{ q: 1 }, { r: 1 }],
        [{ q: 1 }, { r: 1 }],
      ],
      {},
      [],
    ],
  ];
  for (const [name, cases, more, severities] of rows) {
    const analyzed = analyze(sampleJob(documentOf(OPEN, OPEN), casesOf(...cases), more));
    const found = preflight(analyzed).filter(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT');
    assert.deepEqual(
      found.map(({ severity }) => severity),
      severities,
      name,
    );
  }
});

test('a repeated id is not part of the question', () => {
  const asked = (ref: string, q = 1): Json => ({ header: { ref }, q });
  const told = (ref: string, r: number): Json => ({ header: { ref }, r });
  const other: [Json, Json][] = [
    [asked('a'), told('a', 1)],
    [asked('b'), told('b', 2)],
  ];
  const takes: Tool = {
    ...tool(true),
    inputSchema: { type: 'object', properties: { ref: { type: 'string' } } },
  };
  const rows: [prose: string, cases: [Json, Json][], tools: Tool[], errors: number][] = [
    ['The ref is repeated.', other, [], 1],
    ['`header.ref` is echoed in the answer.', other, [], 1],
    ['ref 原样返回。', other, [], 1],
    ['The answer says what belongs to ref.', other, [], 0],
    ['What is asked is repeated; ref names the order.', other, [], 0],
    ['The ref is repeated.', other, [takes], 0],
    ['The ref is repeated.', [other[0] as [Json, Json], [asked('b', 2), told('b', 2)]], [], 0],
    [
      'The ref is repeated.',
      [
        [asked('a'), { r: 1 }],
        [asked('b'), { r: 2 }],
      ],
      [],
      0,
    ],
  ];
  for (const [prose, cases, tools, errors] of rows) {
    const analyzed = analyze(sampleJob(`${prose}\n\n${documentOf(OPEN, OPEN)}`, casesOf(...cases), { tools }));
    const found = preflight(analyzed).filter(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT');
    assert.equal(found.length, errors, prose);
  }
});

test('a contradiction has both values and their place', () => {
  const cases = casesOf([{ q: 1 }, { r: { s: [1, 2] } }], [{ q: 2 }, {}], [{ q: 1 }, { r: { s: [1, 3] } }]);
  const [finding] = lint(documentOf(OPEN, OPEN), cases);
  assert.deepEqual([finding?.testCase, finding?.pointer, finding?.expected, finding?.actual], [3, '/r/s/1', 2, 3]);
  assert.match(finding?.message ?? '', /cases 1 and 3/);
});

test('documented failures need a member that allows their code', () => {
  const listed = '- 404: not found\n- 410: gone';
  const rows: [name: string, prose: string, code: Json, codes: string[]][] = [
    ['listed and allowed', listed, { enum: [200, 404, 410] }, []],
    ['open', listed, { type: 'integer' }, []],
    ['one is missing', listed, { enum: [200, 404] }, ['410']],
    ['all are missing', listed, { const: 200 }, ['404', '410']],
    ['codes of another kind may be said elsewhere', '- 100001: sold out', { enum: [0, 1] }, []],
    [
      'most are codes beside 0',
      '# Errors\n- 1001: full\n- 1002: broken\n- 1003: late',
      { enum: [0, 1001, 1002] },
      ['1003'],
    ],
    ['half of them are', '# Errors\n- 404: no\n- 500: broken', { enum: [0, 404] }, []],
    ['half of a scheme of its own', '# Errors\n- 1001: full\n- 1002: broken', { enum: [0, 1001] }, ['1002']],
    [
      'below zero',
      '# Errors\n- -32001: unknown\n- -32002: offline\n- -32700: parse error',
      { enum: [-32001] },
      ['-32002'],
    ],
    ['nothing is listed', 'Error codes use HTTP error codes', { enum: [200] }, []],
    ['one line is no list', '- 503: what the other depot says of itself', { enum: [200, 404] }, []],
    [
      'nor are lines far apart',
      `- 404: not found\n${'Words.\n'.repeat(3)}- 503: the other depot`,
      { enum: [200, 404] },
      [],
    ],
    [
      'numbers are none of a list of names',
      '# Errors\n- E_LATE: late\n- E_GONE: gone\n- 404: the old store',
      { enum: ['E_LATE', 'E_GONE'] },
      [],
    ],
    ['a sentence is no label', 'Errors are rare.\n- 10001: guests\n- 10002: rooms', { enum: [10001, 10003] }, []],
    ['a label is', 'Errors:\n- 10001: guests\n- 10002: rooms', { enum: [10001, 10003] }, ['10002']],
  ];
  for (const [name, prose, code, codes] of rows) {
    const findings = lint(
      documentOf(OPEN, { type: 'object', properties: { status: { properties: { code } } } }, prose),
    );
    const found = findings.filter((finding) => finding.code === 'DOCUMENT_FAILURE_UNANSWERABLE');
    assert.deepEqual(
      found.flatMap(({ expected }) => (Array.isArray(expected) ? expected.map(String) : [])),
      codes,
      name,
    );
  }
});

test('a member that lists some of the codes is for codes, whatever its name', () => {
  const refused = (prose: string, listed: Json[]) => {
    const findings = lint(documentOf(OPEN, { type: 'object', properties: { codigo: { enum: listed } } }, prose));
    return findings.find(({ code }) => code === 'DOCUMENT_FAILURE_UNANSWERABLE')?.expected;
  };
  const list = 'Manejo de errores:\n- 402: no alcanza\n- 404: no existe';
  assert.deepEqual(refused(list, [200, 402]), [404]);
  assert.equal(refused(list, [200, 402, 404]), undefined);
  assert.equal(refused(list, [10, 20]), undefined);
  assert.equal(refused(list, ['402']), undefined);
});

test('no sentence makes a failure unanswerable: only lists and tables of codes count', () => {
  const properties: Json = {
    code: { enum: [200, 404] },
    status: { enum: ['OK', 'FULL'] },
    why: { enum: ['TOO_HEAVY', 'BAD_COUNTRY'] },
    data: { type: 'object' },
  };
  const response: Json = { type: 'object', properties, required: ['code', 'data'] };
  for (const prose of [
    'Where there is none, the answer has code 410.',
    'Unknown student: code 404. Not allowed to see: code 403.',
    'A taken name → 409, a locked forum → 423.',
    '库存系统故障时返回code 503。',
    '错误码503表示库存系统故障。',
    'Where all is taken, `status` is `FULL`. If a tool fails, `status` is `ERROR`.',
    'Ist alles belegt, lautet der Status `FULL`. Geht etwas schief, lautet der Status `ERROR`.',
    'Above 30 kg the answer is `TOO_HEAVY`, elsewhere `BAD_COUNTRY`. A large one is answered with `TOO_LARGE`.',
    'If the item does not exist, the response has code 404 and `data` is null.',
    'Errors are rare and short.\n- 10001: the most guests of a year',
  ])
    assert.deepEqual(lint(documentOf(OPEN, response, prose)), [], prose);
});

test('codes that a requester reports to its own caller need no answer', () => {
  const findingsOf = (outcomes: Json | null) => {
    const names = { type: 'object', properties: { kind: { enum: ['ALL_FREE', 'ALL_BUSY'] } }, required: ['kind'] };
    const list = '# Errors\n- ALL_FREE: none\n- ALL_BUSY: full\n- NO_DESK: the desk is late';
    const task = {
      description: 'Asks.',
      examples: [],
      outputSchema: { type: 'object', properties: { end: outcomes } },
    };
    const more: Partial<Job> = outcomes === null ? {} : { role: 'requester', task: task as never };
    return preflight(analyze(sampleJob(documentOf(OPEN, names, list), undefined, more)));
  };
  assert.deepEqual(findingsOf({ enum: ['ALL_FREE', 'ALL_BUSY', 'NO_DESK'] }), []);
  assert.equal(findingsOf({ enum: ['ALL_FREE', 'ALL_BUSY'] }).length, 1);
  assert.equal(findingsOf(null).length, 1);
});

test('a schema in other quotation marks or none is not JSON, and neither is a part of it', () => {
  const found = (request: string) => {
    const analyzed = analyze(sampleJob(`## Request\n${request}\n## Response\n{"type":"object"}\n`));
    assert.equal(analyzed.agreement.requestSchema, null, request);
    const unreadable = preflight(analyzed).find(({ code }) => code === 'DOCUMENT_SCHEMA_UNREADABLE');
    return unreadable && JSON.parse(String(unreadable.actual)).slice(0, 6);
  };
  const fence = (content: string, language = 'json') => `\`\`\`${language}\n${content}\n\`\`\``;
  const python = "{'title': 'Ask', 'type': 'object', 'properties': {'a': {'type': 'string'}}}";
  assert.equal(found(fence(python)), "'title");
  assert.equal(found(python), "'title");
  assert.equal(found(fence(`# what is asked\n${python}`)), "'title");
  assert.equal(found(fence('{type: "object", properties: {"a": {"type": "string"}}}')), 'type: ');
  assert.equal(found(fence('{“type”: “object”, “required”: [“a”], “properties”: {}}')), '“type”');
  assert.equal(found(fence('{"type"："object"，"properties"：{}}')), '："obje');
  assert.equal(found(fence('{"title": "Ask", type: object, properties: {}}')), 'type: ');
  assert.equal(found(fence("{'type': ['array', 'null'],\n\n 'items': {'type': 'string'}}", 'python')), "'type'");
  for (const other of [
    fence("{'city': 'Paris', 'type': 'object'}"),
    fence("{type: 'Feature', properties: {colour: 'red'}}"),
    fence('{ city: string, days: number }', ''),
    fence(`const ask = ${python};`, 'js'),
    "The {city} has a {type: 'object'}, properties: {none}.\n\n{type: 'object',\n\nproperties: {}}",
  ])
    assert.equal(found(other), undefined, other);
});

test('in a text protocol, a case with another value is a violation', () => {
  const found = (payload: 'json' | 'text', ...[request, response]: Json[]) => {
    const testCases = [{ request: request ?? null, response: response ?? null }];
    const all = preflight(analyze(sampleJob('# Format', testCases, { payload })));
    return all
      .filter(({ code }) => code === 'DOCUMENT_CASE_VIOLATES_SCHEMA')
      .map((each) => [each.in, each.testCase, each.expected, each.actual]);
  };
  const TEXT = { type: 'string' };
  assert.deepEqual(found('text', { a: 1 }, 'b'), [['request', 1, TEXT, { a: 1 }]]);
  assert.deepEqual(found('text', 'a', 4), [['response', 1, TEXT, 4]]);
  assert.deepEqual(found('text', 'a', 'b'), []);
  assert.deepEqual(found('json', { a: 1 }, 4), []);
});

test("if one side has a schema, the other side's section or announcement must not be empty", () => {
  const missing = (below: string, heading = '## Response Message') => {
    const document = `## Request Message\n{"type":"object"}\n\n${heading}\n${below}\n\n## Errors\nNone.`;
    return lint(document).find(({ code }) => code === 'DOCUMENT_SCHEMA_MISSING')?.actual;
  };
  assert.equal(missing(''), '## Response Message');
  assert.equal(missing('```json\n```'), '## Response Message');
  assert.equal(missing('', '## 响应消息'), '## 响应消息');
  assert.equal(missing('El esquema de la respuesta es el siguiente:'), 'El esquema de la respuesta es el siguiente:');
  for (const words of ['A line of text.', '(TBD)', 'offen', '（略）']) assert.equal(missing(words), undefined, words);
  assert.equal(missing('The response schema is:\n| member | type |\n|---|---|\n| a | string |'), undefined);
  assert.equal(missing('### Success\nA text.'), undefined);
  assert.equal(missing('', '## Notes'), undefined);
  assert.equal(missing('{"type":"object"}'), undefined);
});

test('a failure named by a word belongs to the enum that has the other words', () => {
  const list = '# Error Handling\n- TOO_HEAVY: over 30 kg\n- BAD_COUNTRY: not served\n';
  const both: Json = { why: { enum: ['TOO_HEAVY', 'BAD_COUNTRY'] } };
  const rows: [prose: string, members: Json, codes: string[]][] = [
    [list, both, []],
    [`${list}- TOO_LARGE: over 150 cm`, both, ['TOO_LARGE']],
    [`${list.replace('Error Handling', 'Gestion des erreurs')}- HORS_ZONE : pas desservi`, both, ['HORS_ZONE']],
    [`${list}- ANSWER_LATE: the requester gives up after 10 s`, both, []],
    [`${list}- TOO_LARGE: over 150 cm`, { ...(both as object), reason: { type: 'string' } }, []],
    [`${list}- TOO_LARGE: over 150 cm`, { ...(both as object), size: { enum: ['SMALL', 'TOO_LARGE'] } }, []],
    [list, { state: { enum: ['NEW', 'TOO_HEAVY'] } }, []],
    [list, { state: { enum: ['OK', 'TOO_HEAVY'] } }, ['BAD_COUNTRY']],
    [`${list}- TOO_LARGE: over 150 cm`, { state: { enum: ['NEW', 'TOO_HEAVY'] } }, []],
    [`${list}${'\n'.repeat(9)}- TOO_LARGE: over 150 cm`, both, []],
  ];
  for (const [prose, properties, codes] of rows) {
    const findings = lint(documentOf(OPEN, { type: 'object', properties }, prose));
    const found = findings.filter((finding) => finding.code === 'DOCUMENT_FAILURE_UNANSWERABLE');
    assert.deepEqual(
      found.flatMap(({ expected }) => expected),
      codes,
      prose,
    );
  }
});

test('an answer that no source can yield causes a warning', () => {
  const look: Tool = {
    name: 'look',
    annotations: { readOnlyHint: true },
    examples: [{ input: { id: 1 }, output: { name: 'Blue Lamp 7', price: 19.5 } }],
  };
  const rows: [name: string, response: Json, more: Partial<Job>, places: string[]][] = [
    ['nothing', { code: 200, name: 'Blue Lamp 7', message: 'Success!' }, {}, ['/name']],
    ['a tool', { code: 200, name: 'Blue Lamp 7', total: 39 }, { tools: [look] }, []],
    ['the request', { code: 200, label: 'For ABC-1' }, {}, []],
    ['single characters of the request', { code: 200, label: 'A-B' }, {}, []],
    ['single characters of nothing', { code: 200, label: 'A-7' }, {}, ['/label']],
    ['the document', { code: 200, unit: 'Kelvin' }, {}, []],
    ['a failure may be worded freely', { code: 404, name: 'Blue Lamp 7' }, {}, []],
    ['a loose place', { code: 200, name: 'Blue Lamp 7' }, { loose: [{ pointer: '/name', as: 'text' }] }, []],
    ['a requester does not answer', { code: 200, name: 'Blue Lamp 7' }, { role: 'requester' }, []],
  ];
  for (const [name, response, more, places] of rows) {
    const cases = casesOf([{ for: 'abc-1' }, response]);
    const analyzed = analyze(sampleJob(documentOf(OPEN, OPEN, 'Units are Kelvin. For each'), cases, more));
    const found = preflight(analyzed).filter(({ code }) => code === 'DOCUMENT_ANSWER_UNDERIVABLE');
    assert.deepEqual(
      found.map(({ pointer }) => pointer),
      places,
      name,
    );
  }
});

test('numbers may be computed from dates', () => {
  const places = (request: Json) =>
    preflight(analyze(sampleJob(documentOf(OPEN, OPEN), casesOf([request, { wait: 28 }])))).map(
      ({ pointer }) => pointer,
    );
  assert.deepEqual(places({ last: '2026-02-01', day: '2026-03-01T08:00:00Z' }), []);
  assert.deepEqual(places({ last: 'Tuesday' }), ['/wait']);
});

test('indistinguishable request schemas are ambiguous, those that cases or constants distinguish are not', () => {
  const open = (name: string) => `{"type":"object","properties":{"${name}":{}}}`;
  const rows: [name: string, document: string, cases: string | undefined, ambiguous: boolean][] = [
    ['two requests', `## Request\n${open('a')}\n## Request\n${open('b')}\n## Response\n${open('c')}`, undefined, true],
    [
      'two requests, one described by the cases',
      `## Request\n${open('a')}\n## Request\n${open('b')}\n## Response\n${open('c')}`,
      casesOf([{ a: 1 }, { c: 1 }]),
      false,
    ],
    [
      'two requests, both described',
      `## Request\n${open('a')}\n## Request\n${open('b')}\n## Response\n${open('c')}`,
      casesOf([{ a: 1, b: 1 }, { c: 1 }]),
      true,
    ],
    [
      'two equal requests',
      `## Request\n${open('a')}\n## Request\n${open('a')}\n## Response\n${open('c')}`,
      undefined,
      false,
    ],
    ['two unmarked', `${open('a')}\n${open('b')}`, undefined, true],
    ['two unmarked with cases', `${open('a')}\n${open('b')}`, casesOf([{ b: 1 }, { a: 1 }]), false],
    ['a shared type', `## Types\n${open('x')}\n## Request\n${open('a')}\n## Response\n${open('c')}`, undefined, false],
  ];
  for (const [name, document, cases, ambiguous] of rows) {
    const codes = lint(document, cases).map(({ code }) => code);
    assert.equal(codes.includes('DOCUMENT_REQUEST_AMBIGUOUS'), ambiguous, name);
  }
});

test('an intentionally invalid request with a failure answer is no fault, an invalid answer is', () => {
  const document = documentOf(
    { type: 'object', required: ['a'] },
    { type: 'object', properties: { code: { type: 'integer' }, x: { type: 'string' } } },
  );
  assert.deepEqual(lint(document, casesOf([{ b: 1 }, { code: 400 }])), []);
  assert.deepEqual(
    lint(document, casesOf([{ b: 1 }, { code: 200 }])).map(({ in: root }) => root),
    ['request'],
  );
  assert.deepEqual(
    lint(document, casesOf([{ b: 1 }, { code: 400, x: 1 }])).map(({ in: root }) => root),
    ['response'],
  );
});

test('a flood of findings and huge values stays small', () => {
  const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
  const schema = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
  const broken = Object.fromEntries(names.map((name) => [name, 1]));
  const findings = lint(documentOf(OPEN, schema), casesOf(...names.map((n): [Json, Json] => [{ n }, broken])));
  assert.equal(findings.length, MAX_FINDINGS);
  const [large] = lint(documentOf(OPEN, { type: 'array' }), casesOf([{}, { a: 'x'.repeat(10_000) }]));
  assert.equal(large?.actual, undefined);
  assert.deepEqual([large?.expected, large?.pointer], [{ type: 'array' }, '']);
});

test('a schema that multiplies its own parts gives one finding', () => {
  const doubled = (level: number) => [`d${level}`, { allOf: [1, 2].map(() => ({ $ref: `#/$defs/d${level + 1}` })) }];
  const $defs = { ...Object.fromEntries(Array.from({ length: 40 }, (_, level) => doubled(level))), d40: {} };
  const findings = lint(
    documentOf(OPEN, { type: 'object', $ref: '#/$defs/d0', $defs }),
    casesOf([{ a: 1 }, {}], [{ a: 2 }, {}]),
  );
  assert.deepEqual(
    findings.map(({ code, in: root }) => [code, root]),
    [['DOCUMENT_SCHEMA_TOO_LARGE', 'responseSchema']],
  );
});

test('keywords that only a generator or compiler obeys are reported with their place', () => {
  const schema = {
    $id: 'https://e.org/own',
    type: 'object',
    properties: {
      a: { $id: 'https://e.org/foreign', tsType: 'x' },
      b: { $dynamicRef: '#d' },
      c: { maximum: { $data: '1/a' } },
      tsType: {},
    },
  };
  const found = lint(documentOf(schema, OPEN)).map(({ code, in: root, pointer }) => [code, root, pointer]);
  assert.deepEqual(
    found,
    ['/properties/a/tsType', '/properties/b/$dynamicRef', '/properties/c/maximum'].map((pointer) => [
      'DOCUMENT_KEYWORD_REMOVED',
      'requestSchema',
      pointer,
    ]),
  );
});

test("another case's id is a mistake if the document or all other cases say so", () => {
  const slips = (prose: string, ...ids: [sent: Json, answered: Json][]) => {
    const cases = casesOf(
      ...ids.map(([sent, answered]): [Json, Json] => [{ a: { messageId: sent } }, { a: { messageId: answered } }]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.flatMap(({ code, severity, testCase }) =>
      code === 'DOCUMENT_CASE_ID_NOT_ECHOED' ? [[severity, testCase]] : [],
    );
  };
  const echoed: [Json, Json][] = [
    ['m-1', 'm-1'],
    ['m-2', 'm-2'],
  ];
  const prose = '响应中原样返回 messageId。';
  assert.deepEqual(slips(prose, ...echoed, ['m-3', 'm-2']), [['error', 3]]);
  assert.deepEqual(slips('', ...echoed, ['m-3', 'm-2']), [['warning', 3]]);
  assert.deepEqual(slips(prose, ...echoed, ['m-3', 'm-4']), [['error', 3]]);
  assert.deepEqual(slips(prose, ['m-1', 'm-1'], ['m-3', 'm-4']), [['error', 2]]);
  assert.deepEqual(slips('', ...echoed, ['m-3', 'm-4']), []);
  assert.deepEqual(slips('', ['m-1', 'm-1'], ['m-3', 'm-1']), []);
  const swapped: [Json, Json][] = [
    ['m-1', 'm-3'],
    ['m-3', 'm-1'],
  ];
  assert.deepEqual(
    slips(prose, ...swapped),
    [
      ['warning', 1],
      ['warning', 2],
    ],
    'no case bears the sentence out',
  );
  assert.deepEqual(slips('', ...swapped), []);
  assert.deepEqual(slips(prose, ...echoed, ['m-1', 'm-2']), [['error', 3]]);
});

test('message ids, and words for repetition, are recognised in other languages', () => {
  const severityOf = (prose: string, name: string) => {
    const pairs = [
      ['no-1', 'no-1'],
      ['no-2', 'no-1'],
    ];
    const cases = casesOf(
      ...pairs.map(([sent, back], n): [Json, Json] => [
        { [name]: String(sent), n },
        { [name]: String(back), n },
      ]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED')?.severity;
  };
  assert.equal(severityOf('La respuesta repite el `idMensaje` de la petición.', 'idMensaje'), 'error');
  assert.equal(severityOf('Die anfrageId kommt in der Antwort zurück.', 'anfrageId'), 'warning', 'from where?');
  assert.equal(severityOf('Die anfrageId der Anfrage kommt in der Antwort zurück.', 'anfrageId'), 'error');
  assert.equal(severityOf('La réponse reprend idDemande.', 'idDemande'), 'error');
  assert.equal(severityOf('响应中的 messageId 与请求中的 messageId 相同。', 'messageId'), 'error');
  assert.equal(severityOf('El idMensaje es único.', 'idMensaje'), undefined);
});

test('a repeated number does not distinguish cases', () => {
  const document = documentOf(OPEN, OPEN, 'The ref is repeated.');
  const said = (last: Json) =>
    preflight(
      analyze(
        sampleJob(
          document,
          casesOf(
            [
              { ref: 100, n: 2 },
              { ref: 100, n: 4 },
            ],
            [{ ref: 300, n: 2 }, last],
          ),
        ),
      ),
    ).length;
  assert.equal(said({ ref: 300, n: 4 }), 0);
  assert.equal(said({ ref: 300, n: 5 }), 1);
});

test('ids that may change, and values that are not ids, are no mistakes', () => {
  const isSlip = (prose: string, name: string, pairs: [sent: Json, answered: Json][], more: Partial<Job> = {}) => {
    const cases = casesOf(...pairs.map(([sent, answered]): [Json, Json] => [{ [name]: sent }, { [name]: answered }]));
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases, more)));
    return found.some(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED');
  };
  const pairs: [Json, Json][] = [
    ['A-1', 'A-1'],
    ['A-2', 'A-2'],
    ['A-3', 'A-1'],
  ];
  assert.equal(isSlip('The itemId is repeated.', 'itemId', pairs), true);
  const tools = [{ name: 'substitute', examples: [{ input: { for: 'A-3' }, output: 'A-1' }] }];
  assert.equal(isSlip('The itemId is repeated, or that of the substitute.', 'itemId', pairs, { tools }), false);
  assert.equal(isSlip('Refused: the state is unchanged.', 'state', pairs), false);
  assert.equal(isSlip('Die Vorgangsnummer steht unverändert in der Antwort.', 'Vorgangsnummer', pairs), true);
  const pages: [Json, Json][] = [
    ['t-1', 't-2'],
    ['t-2', 't-2'],
  ];
  assert.equal(isSlip('On the last page the token is repeated.', 'token', pages), false);
});

test('a code with its HTTP reason phrase needs no separator', () => {
  const response: Json = { type: 'object', properties: { code: { enum: [200, 404] } }, required: ['code'] };
  const lacks = (prose: string) => {
    const found = preflight(analyze(sampleJob(documentOf(OPEN, response, `- 404: unknown city\n${prose}`))));
    return found.find(({ code }) => code === 'DOCUMENT_FAILURE_UNANSWERABLE')?.expected;
  };
  assert.deepEqual(lacks('- 503 Service Unavailable'), [503]);
  assert.deepEqual(lacks('* `422 Unprocessable Entity` – the request breaks its schema'), [422]);
  assert.deepEqual(lacks('| 409 Conflict | taken |'), [409]);
  assert.deepEqual(lacks('### 500 Internal Server Error'), [500]);
  assert.equal(lacks('- 500 requests a day'), undefined);
  assert.equal(lacks('At 503 Service Road.'), undefined);
  assert.equal(lacks('- 404 Not Found'), undefined);
  assert.deepEqual(
    lacks('`code` has the HTTP status codes:\n- 200 found\n- 404 never seen\n- 503 depot offline'),
    [503],
  );
  assert.equal(lacks('`code` has the HTTP status codes:\n- 200 found\n\nA day has\n- 503 slots'), undefined);
  assert.equal(lacks('Limits:\n- 200 guests\n- 500 requests a day'), undefined);
  assert.deepEqual(
    lacks('Exception handling:\n- 404 when the city is unknown\n- 503 when the depot is offline'),
    [503],
  );
  assert.deepEqual(lacks('### Fehler\n\n- 404 wenn es die Stadt nicht gibt\n- 503 wenn das Lager ruht'), [503]);
  assert.equal(lacks('Errors:\n- 404 when the city is unknown\n- 408 if no answer comes within 15 s'), undefined);
  assert.equal(lacks('- 502: the gateway cannot reach us'), undefined);
  assert.deepEqual(lacks('- 410: gone from the catalogue'), [410]);
  assert.equal(lacks('Errors are rare. Limits:\n- 404 guests\n- 503 requests a day'), undefined);
  assert.equal(lacks('Errors are rare\n- 404 guests\n- 503 requests a day'), undefined);
  assert.equal(lacks('Status codes: see `code`. Limits:\n- 200 guests\n- 500 requests a day'), undefined);
});

test('a finding about a reference has its place and target', () => {
  const response: Json = { type: 'object', properties: { code: { $ref: '#/parts/code' } } };
  const found = preflight(analyze(sampleJob(documentOf(OPEN, response))));
  const message = found.find(({ code }) => code === 'DOCUMENT_SCHEMA_INVALID')?.message ?? '';
  assert.match(message, /at \/properties\/code\/\$ref: "#\/parts\/code" points to no schema/);
});

test('new cases for a stored handler may continue the agreed numbers', () => {
  const cases = casesOf([{}, {}]).replace('Test Case 1', 'Test Case 4');
  const skipped = (kind: 'verify' | 'generate') =>
    preflight(analyze(sampleJob(documentOf(OPEN, OPEN), cases, { kind } as Partial<Job>))).some(
      ({ code }) => code === 'DOCUMENT_CASE_NUMBER_SKIPPED',
    );
  assert.equal(skipped('generate'), true);
  assert.equal(skipped('verify'), false);
});

test('an expected result may be only the code, or the code with its phrase', () => {
  const differs = (expected: string) => {
    const cases = casesOf([{ city: 'Rome' }, { statusCode: 404 }, expected]);
    return preflight(analyze(sampleJob(documentOf(OPEN, OPEN), cases))).some(
      ({ code }) => code === 'DOCUMENT_CASE_EXPECTED_DIFFERS',
    );
  };
  assert.equal(differs('400'), true);
  assert.equal(differs('**400**: the city is unknown'), true);
  assert.equal(differs('400 Bad Request'), true);
  assert.equal(differs('404'), false);
  assert.equal(differs('400 km away'), false);
  assert.equal(differs('200-300 items'), false);
  assert.equal(differs('400.5'), false);
});

test('an expected result may name codes by words, by numbers of other lengths, and in other languages', () => {
  const differs = (
    answer: Json,
    expected: string,
    prose = 'Failures: TOO_HEAVY, BAD_COUNTRY.',
    response: Json = OPEN,
  ) => {
    const cases = casesOf([{ to: 'NO', error: 'IS_URGENT' }, answer, expected]);
    const found = preflight(analyze(sampleJob(documentOf(OPEN, response, prose), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_EXPECTED_DIFFERS')?.expected;
  };
  const heavy: Json = { ok: false, error: { reason: 'TOO_HEAVY' } };
  assert.equal(differs(heavy, 'Refused with BAD_COUNTRY.'), 'BAD_COUNTRY');
  assert.equal(differs(heavy, 'Refused with TOO_HEAVY, and not BAD_COUNTRY.'), undefined);
  assert.equal(differs(heavy, 'It is not BAD_COUNTRY that stands there.'), undefined);
  assert.equal(differs(heavy, 'The PARCEL_SERVICE refuses.'), undefined, 'the document does not know it');
  assert.equal(differs(heavy, 'Refused for IS_URGENT.', 'TOO_HEAVY, IS_URGENT'), undefined, 'it was asked for');
  const listed: Json = { type: 'object', properties: { reason: { enum: ['TOO_HEAVY', 'TOO_LARGE'] } } };
  assert.equal(differs({ reason: 'TOO_HEAVY' }, 'Refused: TOO_LARGE', '', listed), 'TOO_LARGE');
  assert.equal(differs({ reason: 'TOO_HEAVY' }, 'Refused by PARCEL_DESK', 'TOO_HEAVY PARCEL_DESK', listed), undefined);
  assert.equal(differs({ error: { code: -32601 } }, 'error -32602'), -32602);
  assert.equal(differs({ error: { code: 1001 } }, 'error 1002'), 1002);
  assert.equal(differs({ error: { code: 1001 } }, 'HTTP 400 with the error of its own'), undefined);
  assert.equal(differs({ code: 422 }, 'HTTP 404, and no order'), 404);
  assert.equal(differs({ 错误: { 代码: 422 } }, '返回错误 404'), 404);
  assert.equal(differs({ code: 422 }, '返回 100 条'), undefined);
  assert.equal(differs({ code: 422 }, 'code 500 ms later'), undefined);
});

test("an expected result may name an enum value, in capitals or after its member's name", () => {
  const listed: Json = {
    type: 'object',
    properties: {
      kind: { enum: ['REQUEST', 'RESPONSE'] },
      status: { enum: ['OPEN', 'SOLD', 'late', 'on time', 'half-way', '(*'] },
    },
  };
  const differs = (answer: Json, expected: string, prose = 'E001: full, E002: late') => {
    const cases = casesOf([{ ask: 'LATE' }, { kind: 'RESPONSE', ...(answer as object) }, expected]);
    const found = preflight(analyze(sampleJob(documentOf(OPEN, listed, prose), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_EXPECTED_DIFFERS')?.expected;
  };
  assert.equal(differs({ status: 'OPEN' }, 'It is SOLD.'), 'SOLD');
  assert.equal(differs({ status: 'OPEN' }, 'It is not SOLD.'), undefined);
  assert.equal(differs({ status: 'OPEN' }, 'It is OPEN, and no longer SOLD.'), undefined);
  assert.equal(differs({ status: 'OPEN', was: 'SOLD' }, 'It was SOLD.'), undefined, 'the answer has it');
  assert.equal(differs({ status: 'OPEN' }, 'It is LOST.'), undefined, 'no list has it');
  assert.equal(differs({ status: 'on time' }, 'status is `late`'), 'late');
  assert.equal(differs({ status: 'on time' }, 'status 为 late'), 'late');
  assert.equal(differs({ status: 'on time' }, '结果的status为late的列车'), 'late');
  assert.equal(differs({ status: 'on time' }, '结果的laststatus为late'), undefined);
  assert.equal(differs({ status: 'late' }, 'status: half-way'), 'half-way');
  assert.equal(differs({ status: 'late' }, 'status = (*'), '(*');
  assert.equal(differs({ status: 'on time' }, 'The status is not late.'), undefined);
  assert.equal(differs({ status: 'on time' }, 'The later status, whatever is late.'), undefined);
  assert.equal(differs({ status: 'late' }, 'The REQUEST is answered.'), undefined, 'the kind of a message');
  assert.equal(differs({ errorCode: 'E001' }, 'E002 is answered.'), 'E002');
  assert.equal(differs({ errorCode: 'E001' }, 'E003 is answered.'), undefined, 'the document does not know it');
  assert.equal(differs({ seat: 'E001' }, 'E002 is answered.'), undefined, 'no code');
});

test("an expected result that negates a code, or also names the answer's, causes no finding", () => {
  const differs = (expected: string, response: Json = { status: { code: 200 } }) => {
    const analyzed = analyze(sampleJob(documentOf(OPEN, OPEN), casesOf([{ a: 1 }, response, expected])));
    return preflight(analyzed).some(({ code }) => code === 'DOCUMENT_CASE_EXPECTED_DIFFERS');
  };
  assert.equal(differs('商品不存在，返回状态码 404。'), true);
  assert.equal(differs('Code: 404'), true);
  for (const text of [
    'Status code 200, not 404.',
    'Must not be status code 404.',
    'Room 404 is free.',
    'Codes 404 and 410.',
  ])
    assert.equal(differs(text), false, text);
  assert.equal(differs('status code 404', { code: 7 }), false);
  assert.equal(differs('status code 404 or code 410'), false);
});

test('a member without listed codes may refuse one by a bound, a pattern or a reference', () => {
  const found = (code: Json, $defs: Json = {}, prose = '- 404: not found\n- 503: the store is down') => {
    const document = documentOf(OPEN, { type: 'object', properties: { code }, $defs }, prose);
    const finding = lint(document).find(({ code }) => code === 'DOCUMENT_FAILURE_UNANSWERABLE');
    return finding && [finding.pointer, finding.expected, finding.amendment?.patch];
  };
  const at = (keyword: string) => `/properties/code/${keyword}`;
  assert.deepEqual(found({ type: 'integer', maximum: 499 }), [
    at('maximum'),
    [503],
    [{ op: 'replace', path: at('maximum'), value: 503 }],
  ]);
  assert.deepEqual(found({ type: 'integer', minimum: 500 }), [
    at('minimum'),
    [404],
    [{ op: 'replace', path: at('minimum'), value: 404 }],
  ]);
  assert.deepEqual(found({ minimum: 100, exclusiveMaximum: 503 }), [
    at('exclusiveMaximum'),
    [503],
    [
      { op: 'remove', path: at('exclusiveMaximum') },
      { op: 'add', path: at('maximum'), value: 503 },
    ],
  ]);
  assert.deepEqual(found({ anyOf: [{ const: 200 }, { const: 404 }] }), [
    at('anyOf'),
    [503],
    [{ op: 'add', path: at('anyOf/-'), value: { const: 503 } }],
  ]);
  assert.deepEqual(found({ $ref: '#/$defs/code' }, { code: { enum: [200, 404] } }), [
    '/$defs/code/enum',
    [503],
    [{ op: 'add', path: '/$defs/code/enum/-', value: 503 }],
  ]);
  const pattern: Json = { type: 'string', pattern: '^[24]\\d\\d$' };
  assert.deepEqual(found(pattern), [at('pattern'), ['503'], undefined]);
  assert.deepEqual(found({ type: 'integer', minimum: 100, maximum: 299 })?.[1], [404, 503]);
  const rows: [Json, Json?][] = [
    [{ type: 'integer', minimum: 100, maximum: 599 }],
    [{ type: 'string', pattern: '^[245]\\d\\d$' }],
    [{ type: ['integer', 'string'], maximum: 499 }],
    [{ anyOf: [{ type: 'integer', maximum: 499 }, { type: 'string' }] }],
    [{ $ref: '#/$defs/code' }, { code: { enum: [0, 404] } }],
    [{ $ref: '#/$defs/code' }, { code: { type: 'object', properties: { text: {} } } }],
    [{ type: 'integer', minimum: 0, maximum: 3 }],
    [{ type: 'integer', minimum: 1, maximum: 300 }],
    [{ type: 'string', pattern: '^[A-Z]{3}$' }],
  ];
  for (const [code, defs] of rows) assert.equal(found(code, defs), undefined, JSON.stringify(code));
  const timeout = '- 404: not found\n- 503: the requester reports a timeout';
  assert.equal(found({ type: 'integer', maximum: 499 }, {}, timeout), undefined);
});

test('of several members for codes, the one with some of the listed codes is amended', () => {
  const branch = (code: Json): Json => ({ type: 'object', properties: { code }, required: ['code'] });
  const response: Json = { oneOf: [branch({ const: 200 }), branch({ enum: [404] })] };
  const found = lint(documentOf(OPEN, response, '- 404: not found\n- 503: the store is down'));
  assert.deepEqual(
    found.map(({ pointer, expected }) => [pointer, expected]),
    [['/oneOf/1/properties/code/enum', [503]]],
  );
});
