import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Agreement } from '../../src/contract/agreement.ts';
import type { Job, Loose, StructuredCase } from '../../src/contract/job.ts';
import { isObject, type Json } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const ASK = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const TELL = {
  type: 'object',
  properties: { degrees: { type: 'number' }, code: { type: 'integer' } },
  required: ['code'],
};
const CASES = casesOf([{ city: 'Rome' }, { code: 200, degrees: 31 }], [{ city: 'X' }, { code: 404 }]);

function read(document: string, cases?: string | StructuredCase[], more?: Partial<Job>): Agreement {
  const { agreement } = analyze(sampleJob(document, cases, more));
  for (const { schema, start, end, baseUri } of agreement.schemas) {
    if (baseUri !== undefined) continue;
    // In every layout, the span is exactly the schema's own text.
    assert.equal(document.slice(start, end).trim()[0], '{');
    if (!document.slice(start, end).includes('//')) assert.deepEqual(JSON.parse(document.slice(start, end)), schema);
  }
  return agreement;
}

function chosen({ requestSchema, responseSchema }: Agreement): [Json | undefined, Json | undefined] {
  return [requestSchema?.schema, responseSchema?.schema];
}

const inline = JSON.stringify;
const fenced = (schema: Json, word = 'json'): string => `\`\`\`${word}\n${JSON.stringify(schema, null, 2)}\n\`\`\``;

const LAYOUTS: Record<string, string> = {
  'fenced under the headings of the ANP text': `## Request Message\n${fenced(ASK)}\n## Response Message\n${fenced(TELL)}`,
  'bare under the headings of the ANP text': `## Request Message\nDefined as follows:\n${inline(ASK)}\n\n## Response Message\n${inline(TELL)}`,
  'under the headings of the Python SDK': `# Data Format\n\n## Request Message Format\n\nThe request message is in JSON format:\n\n${fenced(ASK)}\n\n## Response Message Format\n\n${fenced(TELL)}\n\n# Error Handling\n- 404: city not found`,
  'under Chinese headings': `# 数据格式描述\n## 请求消息\n请求json schema定义如下：\n${inline(ASK)}\n\n## 响应消息\n响应json schema定义如下：\n${inline(TELL)}`,
  'under Chinese headings without a space': `##请求格式\n${fenced(ASK, '')}\n##返回格式\n${fenced(TELL, '')}`,
  'the response first': `## Response\n${fenced(TELL)}\n## Request\n${fenced(ASK)}`,
  'both in one block, one after the other': `# Data\n\`\`\`json\n${inline({ title: 'WeatherRequest', ...ASK })}\n${inline({ title: 'WeatherResponse', ...TELL })}\n\`\`\``,
  'both in one object': `# Data Format\n${fenced({ request: ASK, response: TELL })}`,
  'both in one object of other names': `# Data Format\n${fenced({ version: 1, schemas: { inputSchema: ASK, outputSchema: TELL } })}`,
  'both in one list, by title': fenced([
    { title: 'WeatherResponse', ...TELL },
    { title: 'WeatherRequest', ...ASK },
  ]),
  'named by a bold line': `**Request**:\n${inline(ASK)}\n\n**Response**:\n${inline(TELL)}`,
  'named by the line above': `The request looks like this:\n${inline(ASK)}\nThe response looks like this:\n${inline(TELL)}`,
  'on the line of their names': `Request schema: ${inline(ASK)}\nResponse schema: ${inline(TELL)}`,
  'in a quotation': `> ## Request\n> ${inline(ASK)}\n\n> ## Response\n> ${inline(TELL)}`,
  'with tildes and Windows line ends': `## Request\r\n~~~json\r\n${JSON.stringify(ASK, null, 2).replaceAll('\n', '\r\n')}\r\n~~~\r\n## Response\r\n~~~\r\n${inline(TELL)}\r\n~~~\r\n`,
  'with comments and trailing commas': `## Request\n\`\`\`jsonc\n{ // what we ask\n"type": "object", "properties": {"city": {"type": "string"},}, "required": ["city"], "additionalProperties": false,}\n\`\`\`\n## Response\n${fenced(TELL)}`,
  'among examples': `## Request Message\n${fenced(ASK)}\nExample:\n${fenced({ city: 'Rome', type: 'REQUEST' })}\n## Response Message\n${fenced(TELL)}\nExample: ${inline({ code: 200, type: 'object', items: ['a'] })}`,
  unmarked: `${inline(ASK)}\n\n${inline(TELL)}`,
  'unmarked, the response first': `${inline(TELL)}\n\n${inline(ASK)}`,
  'in code of another language, braces around': `function f() { return { a: 1 } }\n{ not json }\n## Request\n${inline(ASK)}\n[see](x) {"broken": \n## Response\n${inline(TELL)}`,
};

for (const [layout, document] of Object.entries(LAYOUTS)) {
  test(`schemas are found ${layout}`, () => {
    const agreement = read(document, CASES);
    const [request, response] = chosen(agreement).map((schema) => {
      if (!isObject(schema ?? null)) return schema;
      const { title: _, ...rest } = schema as { [name: string]: Json };
      return rest;
    });
    assert.deepEqual(request, ASK);
    assert.deepEqual(response, TELL);
    assert.equal(agreement.cases.length, 2);
    const errors = preflight(analyze(sampleJob(document, CASES))).filter(({ severity }) => severity === 'error');
    assert.deepEqual(errors, []);
  });
}

test('without cases, titles and headings name the sides', () => {
  for (const [layout, document] of Object.entries(LAYOUTS)) {
    if (layout.startsWith('unmarked')) continue;
    const [request, response] = chosen(read(document));
    assert.ok(isObject(request ?? null) && isObject(response ?? null), layout);
    assert.ok('city' in ((request as { properties: object }).properties ?? {}), layout);
    assert.ok('code' in ((response as { properties: object }).properties ?? {}), layout);
  }
});

test('headings are kept with the schemas', () => {
  const { requestSchema, responseSchema } = read(documentOf(ASK, TELL));
  assert.equal(requestSchema?.heading, 'Request Message');
  assert.equal(responseSchema?.heading, 'Response Message');
});

test('case data outweigh a wrong heading', () => {
  const document = `## Request\n${fenced(TELL)}\n## Response\n${fenced(ASK)}`;
  assert.deepEqual(chosen(read(document, CASES)), [ASK, TELL]);
});

test('a shared type is not selected for a side', () => {
  const money = { title: 'Money', type: 'object', properties: { amount: { type: 'number' } } };
  const document = `# Types\n${fenced(money)}\n${documentOf(ASK, TELL)}`;
  assert.deepEqual(chosen(read(document, CASES)), [ASK, TELL]);
  assert.deepEqual(chosen(read(document)), [ASK, TELL]);
  assert.equal(read(document).schemas.length, 3);
});

test('documents with no schema or only one are valid', () => {
  assert.deepEqual(chosen(read('# Requirements\nEcho what is sent.', CASES)), [undefined, undefined]);
  assert.deepEqual(
    preflight(analyze(sampleJob('# Requirements\nEcho what is sent.', CASES))).filter(
      ({ severity }) => severity === 'error',
    ),
    [],
  );
  assert.deepEqual(chosen(read(`## Request\n${fenced(ASK)}`, CASES)), [ASK, undefined]);
  assert.deepEqual(chosen(read(`## Response\n${fenced(TELL)}`, CASES)), [undefined, TELL]);
  assert.deepEqual(chosen(read('')), [undefined, undefined]);
});

test('a schema of neither side is not added for a case that another schema describes completely', () => {
  const old = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] };
  const good = { ...TELL, additionalProperties: false };
  const failed = { type: 'object', properties: { trouble: { type: 'string' } }, required: ['trouble'] };
  const read2 = (title: string, other: Json, answer: Json) => {
    const document = `## ${title}\n${fenced(other)}\n## Request\n${fenced(ASK)}\n## Response\n${fenced(good)}`;
    const cases = casesOf([{ city: 'Rome' }, { code: 200, degrees: 3 }], [{ city: 'X' }, answer]);
    return read(document, cases).responseSchema?.parts?.length;
  };
  assert.equal(read2('No longer used', old, { code: '404', degrees: 4 }), undefined);
  assert.equal(read2('Trouble', failed, { trouble: 'none so far' }), 2);
});

test('a success schema and an error schema together describe the answers', () => {
  const failed = {
    type: 'object',
    properties: { error: { type: 'string' } },
    required: ['error'],
    additionalProperties: false,
  };
  const good = { ...TELL, additionalProperties: false };
  const document = `## Request\n${fenced(ASK)}\n## Response\n${fenced(good)}\n## Error Response\n${fenced(failed)}`;
  const cases = casesOf([{ city: 'Rome' }, { code: 200 }], [{ city: 'X' }, { error: 'no such city' }]);
  const { responseSchema } = read(document, cases);
  assert.deepEqual(responseSchema?.schema, {
    anyOf: [{ $ref: '#/$defs/1' }, { $ref: '#/$defs/2' }],
    $defs: { 1: good, 2: failed },
  });
  assert.equal(responseSchema?.parts?.length, 2);
  assert.deepEqual(
    preflight(analyze(sampleJob(document, cases))).filter(({ severity }) => severity === 'error'),
    [],
  );
  assert.equal(read(document).responseSchema?.parts?.length, 2, 'also before cases are known');
});

test('a schema under an error heading shows where a failure breaks it', () => {
  const failed = {
    type: 'object',
    properties: {
      error: { type: 'object', properties: { code: { type: 'integer', enum: [404] } }, required: ['code'] },
    },
    required: ['error'],
  };
  const document = `## Request\n${fenced(ASK)}\n## Response\n${fenced(TELL)}\n## Error format\n${fenced(failed)}`;
  const cases = casesOf([{ city: 'Rome' }, { code: 200 }], [{ city: 'X' }, { error: { code: '404' } }]);
  const [finding] = preflight(analyze(sampleJob(document, cases)));
  assert.deepEqual([finding?.testCase, finding?.pointer], [2, '/error/code']);
});

test('the direction of a message names its side, in any order of the schemas', () => {
  const kind = (type: string, member: string): Json => ({
    type: 'object',
    properties: { type: { const: type }, [member]: { type: 'integer' } },
    required: ['type', member],
  });
  const [ask, told, failed] = [kind('Ask', 'n'), kind('Told', 'm'), kind('Failed', 'code')];
  for (const [there, back] of [
    ['(requester → provider)', '(provider → requester)'],
    ['(client -> server)', '(server -> client)'],
    ['sent by the requester', 'sent by the provider'],
    ['from requester to provider', 'from provider to requester'],
    ['（请求方 → 提供方）', '（提供方 → 请求方）'],
  ]) {
    const document = `### Failed ${back}\n${fenced(failed)}\n### Told ${back}\n${fenced(told)}\n### Ask ${there}\n${fenced(ask)}\n`;
    const cases = casesOf(
      [
        { type: 'Ask', n: 1 },
        { type: 'Told', m: 1 },
      ],
      [
        { type: 'Ask', n: 0 },
        { type: 'Failed', code: 1 },
      ],
    );
    for (const agreement of [read(document), read(document, cases)]) {
      assert.deepEqual(agreement.requestSchema?.schema, ask, there);
      assert.deepEqual(
        agreement.responseSchema?.parts?.map(({ schema }) => schema),
        [failed, told],
        back,
      );
    }
  }
});

test('two operations of one document are distinguished by their constants', () => {
  const operation = (action: string, name: string) => ({
    type: 'object',
    properties: { action: { const: action }, [name]: { type: 'string' } },
    required: ['action', name],
  });
  const document = `## Get Request\n${fenced(operation('get', 'id'))}\n## Put Request\n${fenced(operation('put', 'text'))}\n## Response\n${fenced(TELL)}`;
  const cases = casesOf([{ action: 'get', id: '1' }, { code: 200 }], [{ action: 'put', text: 'x' }, { code: 200 }]);
  for (const agreement of [read(document, cases), read(document)])
    assert.equal(agreement.requestSchema?.parts?.length, 2);
  assert.deepEqual(
    preflight(analyze(sampleJob(document, cases))).filter(({ severity }) => severity === 'error'),
    [],
  );
});

test('base protocols are found in both languages', () => {
  const uri = 'https://example.org/protocols/a-1';
  for (const sentence of [
    `This process is implemented based on the existing protocol (URI: ${uri}).`,
    `该流程基于已有协议（URI: ${uri}）实现。`,
    `This protocol extends the protocol ${uri}.`,
    `This protocol modifies ${uri} : the timeout is longer.`,
    `本协议在现有协议 ${uri} 的基础上修改。`,
    `This agreement is based on ${uri} with the following changes:`,
    `Diese Vereinbarung ändert das bestehende Protokoll ${uri}.`,
    `Se basa en el protocolo existente ${uri}.`,
  ]) {
    assert.deepEqual(read(`# Process\n${sentence}\n`).baseUris, [uri], sentence);
  }
  assert.deepEqual(read('Messages are JSON, following https://tools.ietf.org/html/rfc8259.').baseUris, []);
});

test('a supplied base protocol contributes its schemas, even indirectly', () => {
  const document = 'Based on the existing protocol (URI: https://e.org/b).\n';
  const baseProtocols = {
    'https://e.org/b': { content: 'This protocol is based on the existing protocol (URI: https://e.org/a).' },
    'https://e.org/a': { content: documentOf(ASK, TELL, 'based on the existing protocol https://e.org/b') },
  };
  const agreement = read(document, CASES, { baseProtocols });
  assert.deepEqual(chosen(agreement), [ASK, TELL]);
  assert.equal(agreement.requestSchema?.baseUri, 'https://e.org/a');
  assert.deepEqual(agreement.baseUris, ['https://e.org/b', 'https://e.org/a']);
});

test('the prose decides the language, not the schemas', () => {
  assert.equal(read(documentOf(ASK, TELL, 'Weather of a city')).language, 'en');
  assert.equal(read(`## 请求\n${fenced(ASK)}\n## 响应\n${fenced(TELL)}\n根据城市名返回气温`).language, 'zh');
  assert.equal(read('').language, 'en');
});

test('payloads other than JSON stay unchanged', () => {
  const cases =
    '# Test Case 1\n- **Test Request Data**:\n```text\nGET  /a b\n\nx: y \n```\n- **Test Response Data**:\n```\nid,name\r\n1,"a, b"\r\n```\n- **Expected Test Result**:\nA table.\n';
  const agreement = read('# Format\nRequests and answers are plain text.', cases);
  assert.equal(agreement.payload, 'text');
  assert.deepEqual(
    agreement.cases.map(({ request, response }) => [request, response]),
    [['GET  /a b\n\nx: y ', 'id,name\r\n1,"a, b"']],
  );
});

const inFences = (cases: readonly [string, string][], language = '') =>
  cases
    .map(([request, response], index) => {
      const fence = (content: string, word = '') => `\`\`\`${word}\n${content}\n\`\`\``;
      return `# Test Case ${index + 1}\n- Request:\n${fence(request)}\n- Response:\n${fence(response, language)}\n`;
    })
    .join('');

/** The payload type, and the payloads of the cases. */
function payloadsOf(document: string, cases: readonly [string, string][], language?: string): Json[] {
  const agreement = read(document, inFences(cases, language));
  return [agreement.payload, ...agreement.cases.map(({ request, response }) => [request, response])];
}

test('bare scalars are texts if the other side is text, or if the document asks for texts', () => {
  assert.deepEqual(
    payloadsOf('# Sums', [
      ['ADD 1 2', '3'],
      ['ADD 20 5', '25'],
    ]),
    ['text', ['ADD 1 2', '3'], ['ADD 20 5', '25']],
  );
  assert.deepEqual(payloadsOf('# 素数', [['是否 7', 'true']]), ['text', ['是否 7', 'true']]);
  assert.deepEqual(payloadsOf('Plain text, a number each.', [['3', '9']]), ['text', ['3', '9']]);
  assert.deepEqual(payloadsOf('Numbers.', [['3', '9']]), ['json', [3, 9]]);
  assert.deepEqual(payloadsOf('JSON, no plain text.', [['3', '9']]), ['json', [3, 9]]);
  assert.deepEqual(payloadsOf('# Format', [['GET a', '3']], 'json'), ['json', ['GET a', 3]]);
  assert.deepEqual(payloadsOf('Answers are JSON.', [['GET a', '3']]), ['json', ['GET a', 3]]);
  assert.deepEqual(payloadsOf('Lines, not JSON.', [['GET a', '3']]), ['text', ['GET a', '3']]);
  assert.deepEqual(payloadsOf('消息不使用JSON。', [['GET a', '3']]), ['text', ['GET a', '3']]);
  assert.deepEqual(payloadsOf('Plain text.', [['"a"', '"b"']]), ['json', ['a', 'b']]);
  assert.deepEqual(
    payloadsOf('Plain text.', [
      ['GET a', '3'],
      ['GET b', '{"b":1}'],
    ]),
    ['json', ['GET a', 3], ['GET b', { b: 1 }]],
  );
  assert.deepEqual(
    payloadsOf('# Format', [
      ['GET a', '3'],
      ['GET b', ''],
    ]),
    ['text', ['GET a', '3'], ['GET b', '']],
  );
});

test('bare scalars are texts if their schema allows only texts', () => {
  const TEXT: Json = { type: 'string' };
  assert.deepEqual(payloadsOf(documentOf(TEXT, TEXT), [['ADD 1 2', '3']]), ['text', ['ADD 1 2', '3']]);
  assert.deepEqual(payloadsOf(documentOf(TEXT, TELL), [['7', '{"code":200}']]), ['json', ['7', { code: 200 }]]);
  const either: Json = { type: ['string', 'integer'] };
  assert.deepEqual(payloadsOf(documentOf(TEXT, either), [['ADD 1 2', '3']]), ['json', ['ADD 1 2', 3]]);
  const slip: [string, string][] = [
    ['ADD 1 2', '"three"'],
    ['ADD 2 2', '4'],
  ];
  assert.deepEqual(payloadsOf(documentOf(TEXT, TEXT), slip), ['json', ['ADD 1 2', 'three'], ['ADD 2 2', 4]]);
  assert.deepEqual(payloadsOf(documentOf(TEXT, { enum: ['FULL'] }), [['7', '3']]), ['json', ['7', 3]]);
});

test('an empty fence is an empty text in a text protocol, and a mistake elsewhere', () => {
  const cases = '# Test Case 1\n- Request:\n```\n```\n- Response:\n```\nIDLE\n```\n';
  const { cases: texts } = read('# Format', cases, { payload: 'text' });
  assert.deepEqual(
    texts.map(({ request, response }) => [request, response]),
    [['', 'IDLE']],
  );
  assert.deepEqual(read('# Format', cases, { payload: 'json' }).cases, []);
});

test('an empty fence next to fenced texts is a text, whatever the document says about payloads', () => {
  const cases =
    '# Test Case 1\n- Request:\n```\n1 ROOF\n```\n- Response:\n```\nOK\n```\n# Test Case 2\n- Request:\n```\n```\n- Response:\n```\nNONE\n```\n';
  const agreement = read('# Format', cases);
  assert.equal(agreement.payload, 'text');
  assert.deepEqual(
    agreement.cases.map(({ request, response }) => [request, response]),
    [
      ['1 ROOF', 'OK'],
      ['', 'NONE'],
    ],
  );
  assert.deepEqual(read('# Format', cases.replace('1 ROOF', '{"at": 1}')).cases.length, 1);
});

test('JSON lines are a text, and so is broken JSON in a text protocol', () => {
  const lines = '{"at":1}\n\n{"at":2}';
  const cases = (fence: string) =>
    `# Test Case 1\n- Request:\n\`\`\`${fence}\n${lines}\n\`\`\`\n- Response:\n\`\`\`\n{"sum":3}\n\`\`\`\n`;
  for (const fence of ['', 'json', 'jsonl', 'ndjson']) {
    const [only] = read('# Format', cases(fence)).cases;
    assert.equal(only?.request, lines, fence);
  }
  const torn = cases('').replace(lines, '{"at": 1');
  assert.deepEqual(read('# Format', torn).cases, []);
  assert.equal(read('# Format', torn, { payload: 'text' }).cases[0]?.request, '{"at": 1');
});

test('the job can set the payload type', () => {
  const agreement = read('# Format', casesOf([{ a: 1 }, [1]]), { payload: 'text' });
  assert.equal(agreement.payload, 'text');
  assert.deepEqual(agreement.cases[0]?.request, '{\n  "a": 1\n}');
  assert.equal(read('# Format', casesOf([{ a: 1 }, [1]])).payload, 'json');
});

test('structured cases are numbered from 1', () => {
  const agreement = read(documentOf(ASK, TELL), [
    { request: { city: 'Rome' }, response: { code: 200 } },
    { request: { city: 'X' }, response: { code: 404 }, expected: 'not found' },
  ]);
  assert.deepEqual(
    agreement.cases.map(({ testCase, expected }) => [testCase, expected]),
    [
      [1, ''],
      [2, 'not found'],
    ],
  );
  assert.equal(agreement.caseText, null);
});

test('an invalid request answered with a failure is a negative case', () => {
  const answers: [Json, boolean][] = [
    [{ code: 400 }, true],
    [{ code: 200 }, false],
    [{ status: { code: 422 } }, true],
    [{ code: 'E_BAD_CITY', message: 'Error: no city' }, true],
    [{ code: 'CITY_NOT_FOUND' }, true],
    [{ code: 1, success: false }, true],
    [{ code: 1, error: { message: 'no city' } }, true],
    [{ code: 1, status: 'ok' }, false],
  ];
  for (const [response, negative] of answers) {
    const { cases } = read(documentOf(ASK, { type: 'object' }), casesOf([{ town: 1 }, response]));
    assert.equal(cases[0]?.negative, negative, JSON.stringify(response));
  }
});

test('a document or case text inside a block quote is read as if unquoted', () => {
  const quoted = (text: string) => text.replace(/^/gm, '> ');
  const document = documentOf(ASK, { type: 'object', properties: { degrees: { type: 'integer' } } });
  const cases = quoted(casesOf([{ city: 'Rome' }, { degrees: 31 }]));
  const { agreement } = analyze(sampleJob(quoted(document), cases));
  assert.deepEqual([agreement.requestSchema?.schema, agreement.cases[0]?.response], [ASK, { degrees: 31 }]);
  assert.equal(agreement.text.slice(agreement.responseSchema?.start).includes('"degrees"'), true);
  const texts = '# Test Case 1\nRequest:\n```\n> a\n```\nResponse:\n```\n> b\n```\n';
  assert.equal(analyze(sampleJob('Plain text.', texts)).agreement.cases[0]?.request, '> a');
});

test('the URI of a base protocol may be on its own line', () => {
  const missing = (text: string) =>
    preflight(analyze(sampleJob(text))).flatMap(({ code, actual }) =>
      code === 'DOCUMENT_BASE_PROTOCOL_MISSING' ? [actual] : [],
    );
  assert.deepEqual(missing('This modifies the existing protocol.\n\n- URI: https://e.org/a\n'), ['https://e.org/a']);
  assert.deepEqual(missing('## Base protocol\nProtocol URL: https://e.org/b\n'), ['https://e.org/b']);
  assert.deepEqual(missing('This modifies the existing protocol.\n\nSee also https://e.org/c\n'), []);
  assert.deepEqual(missing('This replaces the old paper.\nURI: https://e.org/d\n'), []);
});

test('a missing base protocol is an error if its URI is labelled, else a warning', () => {
  const severity = (text: string) => preflight(analyze(sampleJob(text)))[0]?.severity;
  for (const text of [
    'Based on the existing protocol (URI: https://e.org/a).',
    '该流程基于已有协议（URI：`https://e.org/a`）实现。',
    'This modifies the existing protocol.\n\n- **Protocol URL**: <https://e.org/a>\n',
    'See the existing protocol https://e.org/a.\n\nProtocol URI = https://e.org/a\n',
  ])
    assert.equal(severity(text), 'error', text);
  for (const text of [
    'This replaces the existing protocol https://e.org/a.',
    'This protocol extends the protocol https://e.org/a, which nobody uses.',
  ])
    assert.equal(severity(text), 'warning', text);
});

test('new ids and times do not count as data of a refusal', () => {
  const request = { type: 'object', properties: { level: { type: 'integer', maximum: 10 } }, required: ['level'] };
  const document = documentOf(request, { type: 'object' });
  const answer = (more: { [name: string]: Json }) => ({ valid: true, severity: 'high', ...more });
  const last = (more: { [name: string]: Json }, loose: Loose[]) => {
    const text = casesOf([{ level: 3 }, answer({ ackId: 'a1', sentAt: 1 })], [{ level: 11 }, answer(more)]);
    return analyze(sampleJob(document, text, { loose })).agreement.cases[1]?.negative;
  };
  const loose: Loose[] = [{ pointer: '/ackId', as: 'id' }];
  assert.equal(last({ valid: false, severity: null, ackId: 'a2', sentAt: 2 }, loose), true);
  assert.equal(last({ ackId: 'a2', sentAt: 2 }, loose), false);
});

test('an answer that a valid request gets too makes a negative case if another valid request gets a longer one', () => {
  const document = documentOf(ASK, { type: 'object' });
  const [told, untold]: [Json, Json] = [
    { verdict: 'go', degrees: 31 },
    { verdict: 'call', degrees: 0 },
  ];
  const last = (answer: Json, ...sound: Json[]) => {
    const { cases } = read(
      document,
      casesOf(...sound.map((one): [Json, Json] => [{ city: 'Rome' }, one]), [{ town: 1 }, answer]),
    );
    return cases.at(-1)?.negative;
  };
  assert.equal(last(untold, told, untold), true);
  assert.equal(last(told, told, untold), false);
  assert.equal(last(untold, untold), false);
});

test('an answer with only a result refuses the request, even with an unknown result', () => {
  const sound: [Json, Json] = [{ city: 'Rome' }, { code: 0, state: 'found', by: 3 }];
  const cases: [Json, boolean][] = [
    [{ code: 2 }, true],
    [{ code: 7, state: 'odd' }, true],
    [{ code: 7, state: 'odd', level: 0 }, true],
    [{ state: 'invalid', by: 5 }, true],
    [{ outcome: 'weighing error', by: 5 }, true],
    [{ codigo: 409, state: null }, true],
    [{ code: 7, by: -2 }, true],
    [{ code: 7, by: 2 }, false],
    [{ by: -2 }, true],
    [{ code: 0 }, false],
    [{ code: 0, state: 'found', count: 2 }, false],
    [{ state: 'found' }, false],
    [{ state: 'ok' }, false],
    ['no such city', true],
    ['OK 17', false],
    [null, true],
    [17, false],
  ];
  for (const [response, negative] of cases) {
    const { cases } = read(documentOf(ASK, { type: 'object' }), casesOf(sound, [{ town: 1 }, response]));
    assert.equal(cases[1]?.negative, negative, JSON.stringify(response));
  }
});

test('no sentence of a document decides whether an answer is a refusal', () => {
  const negative = (prose: string, response: Json) =>
    read(
      `${prose}\n\n${documentOf(ASK, { type: 'object' })}`,
      casesOf([{ city: 'Rome' }, { by: 3 }], [{ town: 1 }, response]),
    ).cases[1]?.negative;
  for (const prose of [
    '',
    'A request that breaks its schema is answered with `by` 17.',
    'A request that breaks its schema gets `{"by": 17}`.',
    'Broken requests are answered with nothing.',
    '请求不符合格式时返回空列表。',
  ]) {
    assert.equal(negative(prose, { by: 17 }), false, prose);
    assert.equal(negative(prose, { by: null }), true, prose);
  }
});

test('an answer that omits data of valid answers refuses the request', () => {
  const sound: [Json, Json][] = [
    [
      { id: 'a', city: 'Rome' },
      { id: 'a', is: 'hot', degrees: 31, days: [31, 30] },
    ],
    [
      { id: 'b', city: 'Oslo' },
      { id: 'b', is: 'cold', degrees: 3, days: [3, 4] },
    ],
  ];
  const cases: [Json, boolean][] = [
    [{ id: 'c', is: 'odd', degrees: null, days: [] }, true],
    [{ id: 'c', is: null, degrees: null, days: null }, true],
    [{ id: 'c', trouble: 'T17' }, true],
    [{ id: 'c', is: 'odd', degrees: 0, days: [] }, true],
    [{ id: 'c', degrees: null }, true],
    [{ id: 'c', is: 'hot', degrees: null, days: null }, false],
    [{ id: 'c', is: 'hot', degrees: 30, days: [] }, false],
    [{ id: 'c', is: 'mild', degrees: null, days: [] }, true],
    [{ id: 'c', days: [] }, true],
    [{ id: 'c', is: 'odd', degrees: 17, days: [17] }, false],
    [{ id: 'c', is: 'odd', degrees: 7, days: [] }, false],
    [{ id: 'c', is: 'odd', degrees: -9, days: [] }, true],
    [{ is: 'hot', degrees: 31, days: [31, 30] }, false],
  ];
  const document = documentOf({ ...ASK, additionalProperties: true }, { type: 'object' });
  for (const [response, negative] of cases) {
    const { cases } = read(document, casesOf(...sound, [{ id: 'c', city: 1 }, response]));
    assert.equal(cases[2]?.negative, negative, JSON.stringify(response));
  }
});

test('an answer that reports success, or has data of its operation, refuses no request', () => {
  const request: Json = {
    type: 'object',
    properties: { action: { enum: ['ask', 'book'] }, city: { type: 'string' } },
    required: ['action', 'city'],
    additionalProperties: false,
  };
  const sound: [Json, Json][] = [
    [
      { action: 'ask', city: 'Rome' },
      { action: 'ask', degrees: 31 },
    ],
    [
      { action: 'book', city: 'Oslo' },
      { action: 'book', reason: 'full' },
    ],
  ];
  const cases: [response: Json, negative: boolean][] = [
    [{ action: 'book', done: true }, false],
    [{ action: 'book', done: false }, true],
    [{ action: 'book', notBooked: true }, true],
    [{ action: 'book', ok: true, place: 17 }, false],
    [{ action: 'book', statusCode: 200, place: 17 }, false],
    [{ action: 'book', code: 0 }, false],
    [{ action: 'book', state: 'done' }, false],
    [{ action: 'book', state: 'full' }, true],
    [{ action: 'book', ok: true }, false],
  ];
  for (const [response, negative] of cases) {
    const document = documentOf(request, { type: 'object' });
    const { cases } = read(document, casesOf(...sound, [{ action: 'book', city: 7 }, response]));
    assert.equal(cases[2]?.negative, negative, JSON.stringify(response));
  }
});

test('values in a list that other answers have too are data, not a refusal', () => {
  const sound: [Json, Json][] = [
    [{ city: 'Rome' }, { degrees: 31, days: [] }],
    [{ city: 'Oslo' }, { degrees: 22, days: [] }],
  ];
  const negative = (response: Json) =>
    read(documentOf(ASK, { type: 'object' }), casesOf(...sound, [{ city: 7 }, response])).cases[2]?.negative;
  assert.equal(negative({ days: [{ high: 31 }] }), false);
  assert.equal(negative({ days: [], position: 3 }), true);
  assert.equal(negative({ hints: [{ sign: 3 }] }), true);
});

test('a refusal is recognised next to a request that is invalid by mistake', () => {
  const answers: Json[] = [
    { is: 'hot', degrees: 31 },
    { is: 'gone', degrees: null },
    { is: 'odd', degrees: null },
  ];
  const document = documentOf(ASK, { type: 'object' });
  const negatives = (...requests: Json[]) => {
    const { cases } = read(document, casesOf(...requests.map((one, n): [Json, Json] => [one, answers[n] ?? null])));
    return cases.flatMap(({ testCase, negative }) => (negative ? [testCase] : []));
  };
  assert.deepEqual(negatives({ city: 'Rome' }, { city: 'Ur' }, { city: 1 }), [3]);
  assert.deepEqual(negatives({ city: 2 }, { city: 'Ur' }, { city: 1 }), [3]);
});

test('the content of a failure is not data that an answer could omit', () => {
  const negative = (failure: Json): boolean | undefined =>
    read(documentOf(ASK, { type: 'object' }), casesOf([{ city: 5 }, { degrees: 31 }], [{ city: 'Ur' }, failure]))
      .cases[0]?.negative;
  assert.equal(negative({ error: 'NO_CITY' }), false);
  assert.equal(negative({ refused: 'no such place' }), false);
  assert.equal(negative({ kind: 'CityError', place: 'Ur' }), false);
  assert.equal(negative({ wind: 4 }), true);
});

test('an answer without data refuses a request', () => {
  const cases: [Json, boolean][] = [
    [{ days: [] }, true],
    [{ degrees: null, count: [0, 0], days: [] }, true],
    [[], true],
    [{ days: [7] }, false],
    [{ days: [31, 30] }, false],
  ];
  for (const [response, negative] of cases) {
    const { cases } = read(
      documentOf(ASK, { type: 'object' }),
      casesOf([{ city: 'Rome' }, { days: [31, 30] }], [{ city: 1 }, response]),
    );
    assert.equal(cases[1]?.negative, negative, JSON.stringify(response));
  }
});

test('links to standards and other protocols are not base protocols', () => {
  for (const sentence of [
    'The format is based on the HTTP protocol, see https://www.rfc-editor.org/rfc/rfc9110.',
    'Based on the existing protocol JSON (https://www.json.org/).',
    'This protocol is based on the ideas of https://example.org/blog.',
    'This agreement is based on https://example.org/blog.',
    '本协议基于HTTP协议 https://tools.ietf.org/html/rfc9110 。',
  ]) {
    assert.deepEqual(read(`# Process\n${sentence}\n`).baseUris, [], sentence);
  }
});

test('one side may have text payloads and the other JSON', () => {
  const cases = '# Test Case 1\n- Request: {"table":"a"}\n- Response:\n```csv\nid\n1\n```\n';
  for (const document of [
    '# Format\nJSON in, CSV out.',
    `## Request\n${fenced({ type: 'object', properties: { table: {} } })}\nThe answer is CSV.`,
  ]) {
    const agreement = read(document, cases);
    assert.equal(agreement.payload, 'json');
    assert.deepEqual(
      agreement.cases.map(({ request, response }) => [request, response]),
      [[{ table: 'a' }, 'id\n1']],
    );
    assert.equal(agreement.responseSchema, null);
    assert.deepEqual(
      preflight(analyze(sampleJob(document, cases))).filter(({ severity }) => severity === 'error'),
      [],
    );
  }
  const mixed =
    '# Test Case 1\n- Request: {"table":"a"}\n- Response:\n```\nok\n```\n# Test Case 2\n- Request: {"table":"b"}\n- Response:\n```\n{"a": 1}\n```\n';
  assert.deepEqual(
    read('# Format', mixed).cases.map(({ response }) => response),
    ['ok', '{"a": 1}'],
  );
});

test('cases without headings are separated by their labels', () => {
  const cases =
    'Request: {"city":"Rome"}\nResponse: {"code":200}\nExpected: fine\n\nRequest: {"city":"X"}\nResponse: {"code":404}\nExpected: none\n';
  assert.deepEqual(
    read(documentOf(ASK, TELL), cases).cases.map(({ testCase, expected }) => [testCase, expected]),
    [
      [1, 'fine'],
      [2, 'none'],
    ],
  );
});

test('definitions in another block belong to a schema that references them', () => {
  const money = { type: 'object', properties: { amount: { type: 'number' } } };
  const response = { type: 'object', properties: { price: { $ref: '#/definitions/Money' } } };
  for (const document of [
    fenced({ request: ASK, response, definitions: { Money: money } }),
    `## Request\n${fenced(ASK)}\n## Response\n${fenced(response)}\n## Types\n${fenced({ definitions: { Money: money } })}`,
  ]) {
    const analyzed = analyze(sampleJob(document, casesOf([{ city: 'Rome' }, { price: { amount: '1' } }])));
    assert.deepEqual(analyzed.agreement.responseSchema?.schema, { ...response, definitions: { Money: money } });
    assert.deepEqual(
      preflight(analyzed).map(({ code, pointer }) => [code, pointer]),
      [['DOCUMENT_CASE_VIOLATES_SCHEMA', '/price/amount']],
    );
  }
});

test('schemas of OpenAPI in another block belong to a schema that references them', () => {
  const money = { type: 'object', properties: { amount: { type: 'number', nullable: true } } };
  const price = { $ref: '#/components/schemas/Price' };
  const schemas = { Price: { properties: { full: { $ref: '#/components/schemas/Money' } } }, Money: money, Other: {} };
  for (const types of [{ components: { schemas } }, { openapi: '3.0.3', components: { schemas, responses: {} } }]) {
    const document = `## Request\n${fenced(ASK)}\n## Response\n${fenced(price)}\n## Types\n${fenced(types)}`;
    for (const [amount, found] of [
      [null, []],
      ['1', [['DOCUMENT_CASE_VIOLATES_SCHEMA', '/full/amount']]],
    ] as const) {
      const analyzed = analyze(sampleJob(document, casesOf([{ city: 'Rome' }, { full: { amount } }])));
      assert.deepEqual(
        preflight(analyzed).map(({ code, pointer }) => [code, pointer]),
        found,
      );
    }
  }
});

test('an abridged example is not a broken schema', () => {
  const document = '# Format\n```json\n{ "type": "REQUEST", "items": [1, 2, ...], "required": true, ... }\n```\n';
  assert.deepEqual(
    preflight(analyze(sampleJob(document))).map(({ code }) => code),
    ['DOCUMENT_SCHEMA_NONE'],
  );
});

test('headings in other languages name the sides too', () => {
  const request: Json = { type: 'object', properties: { city: { type: 'string' } } };
  const response: Json = { type: 'object', properties: { price: { type: 'number' } } };
  for (const [asks, tells] of [
    ['Anfrage', 'Antwort'],
    ['Requête', 'Réponse'],
    ['Solicitud', 'Respuesta'],
    ['Requisição', 'Resposta'],
    ['Запрос', 'Ответ'],
    ['요청 메시지', '응답 메시지'],
    ['Richiesta', 'Risposta'],
    ['リクエスト', 'レスポンス'],
  ]) {
    // The answer comes first, so that only the headings distinguish them.
    const section = (heading: string | undefined, schema: Json) => `## ${heading}\n${JSON.stringify(schema)}\n`;
    const { agreement } = analyze(sampleJob(section(tells, response) + section(asks, request)));
    assert.deepEqual([agreement.requestSchema?.schema, agreement.responseSchema?.schema], [request, response]);
  }
});

test('a schema includes other schemas of its document that it references by id', () => {
  const city: Json = {
    $id: 'https://e.org/schemas/city',
    type: 'object',
    properties: { name: { $ref: '#/$defs/Name' }, in: { $ref: 'country' } },
    $defs: { Name: { type: 'string' } },
  };
  const country: Json = { $id: 'https://e.org/schemas/country', enum: ['DE', 'FR'] };
  const request: Json = {
    $id: 'https://e.org/schemas/request',
    type: 'object',
    properties: { city: { $ref: 'city' }, name: { $ref: 'https://e.org/schemas/city#/$defs/Name' } },
  };
  const blocks = [city, country].map((schema) => `### Shared\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\`\n`);
  const judge = (shared: readonly string[], data: Json) => {
    const document = documentOf(request, { type: 'object' }) + shared.join('');
    return preflight(analyze(sampleJob(document, casesOf([data, {}])))).map(({ code, pointer }) => [code, pointer]);
  };
  assert.deepEqual(judge(blocks, { city: { name: 'Bonn', in: 'DE' }, name: 'x' }), []);
  assert.deepEqual(judge(blocks, { city: { name: 5, in: 'XX' }, name: 6 }), [
    ['DOCUMENT_CASE_VIOLATES_SCHEMA', '/city/name'],
    ['DOCUMENT_CASE_VIOLATES_SCHEMA', '/city/in'],
    ['DOCUMENT_CASE_VIOLATES_SCHEMA', '/name'],
  ]);
  // Schemas that the document lacks stay external and are never fetched.
  assert.deepEqual(judge([], {}), [
    ['DOCUMENT_REFERENCE_EXTERNAL', '/properties/city/$ref'],
    ['DOCUMENT_REFERENCE_EXTERNAL', '/properties/name/$ref'],
  ]);
});

test('schemas of an interface description are found in its operations and include shared definitions', () => {
  const components = {
    Town: { type: 'object', properties: { name: { type: 'string' }, in: { $ref: '#/components/schemas/Country' } } },
    Country: { enum: ['DE', 'FR'] },
    AskRequest: { type: 'object', properties: { town: { $ref: '#/components/schemas/Town' } }, required: ['town'] },
    AskResponse: { type: 'object', properties: { from: { $ref: '#/components/schemas/Country' } }, required: ['from'] },
  };
  const inline = {
    ask: { type: 'object', properties: { town: { $ref: '#/components/schemas/Town' } }, required: ['town'] },
    tell: { type: 'object', properties: { from: { $ref: '#/components/schemas/Country' } }, required: ['from'] },
  };
  const operation = (ask: Json, tell: Json) => ({
    requestBody: { content: { 'application/json': { schema: ask } } },
    responses: { 200: { content: { 'application/json': { schema: tell } } } },
  });
  const { AskRequest: _, AskResponse: __, ...shared } = components;
  const interfaces = [
    { components: { schemas: components } },
    {
      paths: { '/ask': { post: operation(inline.ask, inline.tell) } },
      components: { schemas: shared },
    },
  ];
  for (const described of interfaces) {
    const document = `# Interface\n\`\`\`json\n${JSON.stringify(described)}\n\`\`\`\n`;
    const judge = (country: string, from: string) =>
      preflight(
        analyze(
          sampleJob(
            document,
            casesOf([{ town: { name: 'Bonn', in: country } }, { from }], [{ town: {} }, { from: 'FR' }]),
          ),
        ),
      ).map(({ code, testCase, pointer }) => [code, testCase, pointer]);
    assert.deepEqual(judge('DE', 'DE'), []);
    assert.deepEqual(judge('XX', 'YY'), [
      ['DOCUMENT_CASE_VIOLATES_SCHEMA', 1, '/town/in'],
      ['DOCUMENT_CASE_VIOLATES_SCHEMA', 1, '/from'],
    ]);
  }
});

test('a schema that references its own definitions is one schema', () => {
  for (const container of ['$defs', 'definitions']) {
    const node: Json = {
      type: 'object',
      properties: { next: { $ref: `#/${container}/node` }, id: { type: 'string' } },
    };
    const request: Json = { $ref: `#/${container}/node`, [container]: { node } };
    const { agreement } = analyze(sampleJob(documentOf(request, { type: 'object' })));
    assert.deepEqual(agreement.requestSchema?.schema, request);
    assert.equal(agreement.schemas.length, 2);
  }
});

test('hundreds of schemas in one object are all separated from the prose, and the first 64 resolved', () => {
  const $ref = '#/components/schemas/s0';
  const schemas = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`s${n}`, { type: 'object', properties: { [`a${n}`]: { $ref } } }]),
  );
  const found = analyze(sampleJob(JSON.stringify({ components: { schemas } }))).agreement.schemas;
  assert.equal(found.length, 100);
  const isComplete = found.map(({ schema }) => Object.hasOwn(schema as object, '$defs'));
  assert.deepEqual([isComplete.indexOf(false), isComplete.lastIndexOf(true)], [64, 63]);
});
