import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyze } from '../../src/analysis/analyze.ts';
import { preflight } from '../../src/analysis/rules.ts';
import type { Json } from '../../src/kernel/json.ts';
import { casesOf, documentOf, sampleJob } from './sample-job.ts';

const OPEN: Json = { type: 'object' };

test('file numbers are recognised in other languages, even short ones if the document says they are repeated', () => {
  const isSlip = (prose: string, name: string, ...ids: Json[]) => {
    const cases = casesOf(
      ...ids.map((id, n): [Json, Json] => [{ [name]: id }, { [name]: n === 2 ? (ids[0] ?? 0) : id }]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.some(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED');
  };
  assert.equal(isSlip('`folio` se devuelve tal cual.', 'folio', 71, 72, 73), true);
  assert.equal(isSlip('`folio` es un entero.', 'folio', 71, 72, 73), false);
  assert.equal(isSlip('Si `folio` es igual a 0, no hay nada.', 'folio', 71, 72, 73), false);
  assert.equal(isSlip('O `protocolo` repete o do pedido.', 'protocolo', 'c-1', 'c-2', 'c-3'), true);
  assert.equal(isSlip('`номер` возвращается без изменений.', 'номер', 'н-1', 'н-2', 'н-3'), true);
  assert.equal(isSlip('依頼番号はそのまま返す。', '依頼番号', 'r-1', 'r-2', 'r-3'), true);
});

test("a short message id must equal the request's, even with two cases, in any wording", () => {
  const slip = (prose: string, name: string, ids: [Json, Json], ...tools: string[]) => {
    const [first, second] = ids;
    const cases = casesOf([{ [name]: first, n: 1 }, { [name]: first }], [{ [name]: second, n: 2 }, { [name]: first }]);
    const taking = tools.map((input) => ({
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object', properties: { [input]: {} } },
      annotations: { readOnlyHint: true },
    }));
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases, { tools: taking })));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED')?.severity;
  };
  assert.equal(slip('响应中的 seq 与请求相同。', 'seq', [7, 8]), 'warning');
  assert.equal(slip('`rid` is echoed.', 'rid', ['a', 'b']), 'warning');
  assert.equal(slip('响应中的seq与请求相同。', 'seq', [7, 8]), 'warning');
  assert.equal(slip('响应必须原样返回请求的ref。', 'ref', ['a', 'b']), 'warning');
  assert.equal(slip('响应必须原样返回请求的消息id。', '消息id', ['a', 'b']), 'error');
  assert.equal(slip('応答のridは依頼と同じ値とする。', 'rid', ['a', 'b']), 'warning');
  assert.equal(slip('响应必须原样返回请求的refs。', 'ref', ['a', 'b']), undefined);
  assert.equal(slip("The reply's `id` equals the request's.", 'id', ['a', 'b']), 'warning');
  assert.equal(slip('Each answer carries the Id of its request.', 'id', ['a', 'b']), 'warning');
  assert.equal(slip('Die Antwort trägt den Vorgang der Anfrage.', 'vorgang', ['V-1', 'V-2']), 'warning');
  assert.equal(slip('La référence est reprise telle quelle.', 'ref', ['D-1', 'D-2']), 'warning');
  assert.equal(slip('応答の照会番号は依頼と同じ値とする。', '照会番号', ['S-1', 'S-2']), 'warning');
  assert.equal(slip('`id` is a number.', 'id', [71, 72]), undefined);
  assert.equal(slip('`id` is echoed.', 'id', [71, 72], 'id'), undefined);
  assert.equal(slip('The orderId is repeated.', 'orderId', ['O-1', 'O-2']), undefined);
});

test('two cases are enough if a sentence clearly says whose id an answer has', () => {
  const slip = (prose: string, name: string, ...more: [Json, Json][]) => {
    const cases = casesOf(
      [{ [name]: 'k-1', n: 1 }, { [name]: 'k-1' }],
      [{ [name]: 'k-2', n: 2 }, { [name]: 'k-1' }],
      ...more,
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED')?.severity;
  };
  assert.equal(slip('Die `antragId` wird unverändert zurückgegeben.', 'antragId'), 'warning');
  assert.equal(slip('The `tag` is copied from the request.', 'tag'), 'warning');
  assert.equal(slip('El proveedor responde con el mismo idMensaje.', 'idMensaje'), 'warning');
  assert.equal(slip('The key comes back in the Idempotency-Key header.', 'Idempotency-Key'), 'warning');
  assert.equal(slip('The subId of the reply equals that of the subscription.', 'subId'), 'warning');
  assert.equal(slip('The subId is a text.', 'subId'), undefined);
  const later: [Json, Json] = [{ holdId: 'k-1', n: 3 }, { holdId: 'k-1' }];
  assert.equal(slip('The `holdId` of the request is in every response.', 'holdId', later), 'warning');
  assert.equal(slip('The `holdId` names a seat.', 'holdId', later), undefined);
});

test("a message id must equal the request's if the document is clear and a case confirms it", () => {
  const slips = (prose: string, name: string, pairs: [Json, Json][], more: { [name: string]: Json } = {}, job = {}) => {
    const cases = casesOf(
      ...pairs.map(([sent, back], n): [Json, Json] => [
        { [name]: sent, n },
        { [name]: back, ...more },
      ]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases, job)));
    return found.flatMap(({ code, severity, testCase, amendment }) =>
      code === 'DOCUMENT_CASE_ID_NOT_ECHOED' && severity === 'error' && amendment !== undefined ? [testCase] : [],
    );
  };
  const echoed: [Json, Json] = ['msg000', 'msg000'];
  const one: [Json, Json][] = [echoed, ['msg001', 'msg777']];
  for (const [prose, name] of [
    ['The response repeats the messageId of the request.', 'messageId'],
    ['`traceId` is echoed unchanged.', 'traceId'],
    ['The requestId of the request comes back.', 'requestId'],
    ["The reply's correlationId equals the request's.", 'correlationId'],
    ['Die Antwort enthält die nachrichtId der Anfrage.', 'nachrichtId'],
    ['La respuesta repite el idMensaje de la petición.', 'idMensaje'],
    ['响应中的 messageId 与请求中的 messageId 相同。', 'messageId'],
    ['messageId 为唯一标识，响应原样返回。', 'messageId'],
  ] as const) {
    assert.deepEqual(slips(prose, name, one), [2], prose);
    assert.deepEqual(slips(prose, name, [echoed]), [], prose);
    assert.deepEqual(slips(prose, name, one.slice(1)), [], 'no case bears it out');
  }
  for (const [prose, name] of [
    ['The response has a messageId.', 'messageId'],
    ['The messageId of the request names it in logs.', 'messageId'],
    ['The messageId of the response is not the messageId of the request.', 'messageId'],
    ['The response has its own messageId, another one than the messageId of the request.', 'messageId'],
    ['The response carries the messageId of the request, or a new one.', 'messageId'],
    ['The messageId of the response is that of the request plus one.', 'messageId'],
    ['If it is known, the response repeats the messageId of the request.', 'messageId'],
    ['Retries carry the same messageId as in the request; responses have theirs.', 'messageId'],
    ['响应的 messageId 与请求中的 messageId 不相同。', 'messageId'],
    ['The response repeats the orderId of the request.', 'orderId'],
  ] as const)
    assert.deepEqual(slips(prose, name, one), [], prose);
  const said = 'The response repeats the messageId of the request.';
  assert.deepEqual(
    slips(said, 'messageId', [
      ['msg001', 'msg001'],
      ['msg002', 'msg999'],
    ]),
    [2],
  );
  assert.deepEqual(
    slips(said, 'messageId', [
      ['msg001', 'msg777'],
      ['msg001', 'msg001'],
    ]),
    [1],
    'sent twice',
  );
  assert.deepEqual(
    slips(said, 'messageId', [
      ['a1', 'b1'],
      ['a2', 'b2'],
      ['a3', 'b3'],
      ['a4', 'b4'],
    ]),
    [],
    'no case bears it out',
  );
  assert.deepEqual(slips(said, 'messageId', [echoed, ['msg001', 'msg001-r']]), [], 'made of it');
  assert.deepEqual(slips(said, 'messageId', [echoed, [7, '7']]), [], 'as a text');
  assert.deepEqual(slips(said, 'messageId', [echoed, ['msg001', 'unknown']]), [], 'stands for none');
  const none = `${said} \`m0-9\` stands for one that was not read.`;
  assert.deepEqual(slips(none, 'messageId', [echoed, ['msg001', 'm0-9']]), []);
  assert.deepEqual(slips(said, 'messageId', one, { about: 'msg001' }), [], 'repeated elsewhere');
  assert.deepEqual(slips(said, 'messageId', one, { inReplyTo: 'msg002' }), [], 'what is repeated is another member');
  assert.deepEqual(slips(said, 'messageId', one, {}, { loose: [{ pointer: '/messageId', as: 'id' }] }), []);
  const tools = [{ name: 'look', examples: [{ input: 1, output: { id: 'msg777' } }] }];
  assert.deepEqual(slips(said, 'messageId', one, {}, { tools }), [], 'told by a tool');
});

test("another request's id is a mistake in the answer to an invalid request too", () => {
  const ask: Json = { type: 'object', properties: { n: { type: 'integer' } } };
  const document = documentOf(ask, OPEN, '`rid` is echoed.');
  const slip = (rid: string) => {
    const cases = casesOf(
      [{ rid: 'a', n: 4 }, { rid: 'a' }],
      [
        { rid: 'c', n: 'x' },
        { rid, error: 'NOT_A_NUMBER' },
      ],
    );
    const found = preflight(analyze(sampleJob(document, cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED')?.testCase;
  };
  assert.equal(slip('a'), 2);
  assert.equal(slip('c'), undefined);
  assert.equal(slip('none'), undefined, 'what answers a broken request may not know its id');
});

test('a file number that a sentence takes from the request must be the same', () => {
  const slip = (prose: string, name: string) => {
    const cases = casesOf(
      ...['v1', 'v2', 'v3'].map((id, n): [Json, Json] => [{ [name]: id, n }, { [name]: n === 2 ? 'v9' : id }]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED')?.severity;
  };
  const prose = (name: string) => `Die \`${name}\` der Anfrage wird unverändert zurückgegeben.`;
  assert.equal(slip(prose('vorgangsnummer'), 'vorgangsnummer'), 'warning');
  assert.equal(slip(prose('ort'), 'ort'), undefined, 'no id');
  assert.equal(slip('Die `vorgangsnummer` steht in der Anfrage.', 'vorgangsnummer'), undefined);
});

test('JSON-RPC requires ids to be repeated, whatever the document says', () => {
  const slip = (version: string, id: Json) => {
    const cases = casesOf(
      [
        { jsonrpc: version, id: 41, method: 'a' },
        { jsonrpc: version, id: 41, result: 1 },
      ],
      [
        { jsonrpc: version, id: 42, method: 'b' },
        { jsonrpc: version, id, result: 2 },
      ],
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN), cases)));
    return found.some(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED');
  };
  assert.deepEqual(
    [slip('2.0', '42'), slip('2.0', 41), slip('2.0', 42), slip('2.0', null)],
    [true, true, false, false],
  );
  assert.equal(slip('1.0', '42'), false);
});

test('an id may be returned under another name', () => {
  const slip = (prose: string, [id, reply]: [string, string], ids: string[], last: string) => {
    const cases = casesOf(
      ...ids.map((each, n): [Json, Json] => [
        { head: { [id]: each }, n },
        { head: { [id]: `x${n}`, [reply]: n === ids.length - 1 ? last : each } },
      ]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    const [slip] = found.filter(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED');
    return slip === undefined ? undefined : `${slip.severity} ${slip.pointer}`;
  };
  const said = 'inReplyTo of the answer is the msgId of the request.';
  const reply: [string, string] = ['msgId', 'inReplyTo'];
  assert.equal(slip(said, reply, ['u-1', 'u-2'], 'u-1'), 'warning /head/inReplyTo');
  assert.equal(slip(said, reply, ['u-1', 'u-2'], 'u-2'), undefined);
  assert.equal(slip('', reply, ['u-1', 'u-2', 'u-3'], 'u-1'), 'warning /head/inReplyTo');
  assert.equal(slip('', reply, ['u-1', 'u-2'], 'u-1'), undefined);
  assert.equal(slip(said, reply, ['u-1', 'u-2'], 'v-9'), 'warning /head/inReplyTo', 'an id that nobody sent');
  assert.equal(slip('', reply, ['u-1', 'u-2', 'u-3'], 'v-9'), undefined);
  assert.equal(slip('The ref is the msgId.', ['msgId', 'ref'], ['u-1', 'u-2'], 'v-9'), undefined, 'may be of a thing');
  assert.equal(slip('ack 等于请求的 seq。', ['seq', 'ack'], ['3', '4'], '3'), 'warning /head/ack');
  assert.equal(slip('', ['msgId', 'room'], ['u-1', 'u-2', 'u-3'], 'u-1'), undefined);
});

test("an id that the response schema describes as the request's must be equal", () => {
  const slip = (description: string, [name, reply]: [string, string], last: string, more: object[] = []) => {
    const answers: Json = { type: 'object', properties: { [reply]: { type: 'string', description } } };
    const ids = ['u-1', 'u-2', 'u-3'];
    const cases = casesOf(
      ...ids.map((id, n): [Json, Json] => [
        { [name]: id, n },
        { [reply]: n === 2 ? last : id, ...more[n] },
      ]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, answers), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED')?.severity;
  };
  assert.equal(slip('与请求中的messageId一致', ['messageId', 'messageId'], 'u-1'), 'error');
  assert.equal(slip('消息标识', ['messageId', 'messageId'], 'u-1'), 'warning');
  assert.equal(slip('wie in der Anfrage', ['vorgang', 'vorgang'], 'v-9'), 'error');
  assert.equal(slip('The id of the request', ['id', 'id'], ' U-3'), undefined, 'in its proper form');
  assert.equal(slip('The messageId of the request', ['messageId', 'messageId'], 'v-9'), 'error');
  assert.equal(slip('O id do pedido', ['id', 'id'], 'v-9'), 'error');
  assert.equal(slip('id de la solicitud o null', ['id', 'id'], 'v-9'), undefined);
  assert.equal(slip('id van het verzoek of een andere', ['id', 'id'], 'v-9'), undefined);
  assert.equal(slip('Nummer des Vorgangs', ['vorgang', 'vorgang'], 'v-9'), undefined);
  assert.equal(slip('Vorgang der Anfrage, oder ein neuer', ['vorgang', 'vorgang'], 'v-9'), undefined);
  assert.equal(slip('对应请求的 requestId', ['requestId', 'replyTo'], 'v-9'), 'error');
  assert.equal(slip('对应的房间', ['requestId', 'replyTo'], 'v-9'), undefined);
  assert.equal(slip('The city of the request.', ['city', 'city'], 'u-9'), undefined, 'no id');
});

test('a repeated file number does not distinguish cases in other languages either', () => {
  const document = documentOf(OPEN, OPEN, 'O `protocolo` repete o do pedido.');
  const contradicts = (name: string, nome: string) => {
    const cases = casesOf(
      [
        { [name]: 'c-1', perfil: 'x' },
        { [name]: 'c-1', nome: 'Ana' },
      ],
      [
        { [name]: 'c-2', perfil: 'x' },
        { [name]: 'c-2', nome },
      ],
    );
    return preflight(analyze(sampleJob(document, cases))).some(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT');
  };
  assert.equal(contradicts('protocolo', 'Rui'), true);
  assert.equal(contradicts('protocolo', 'Ana'), false);
  assert.equal(contradicts('paciente', 'Rui'), false);
});

test('a returned id may be the subject of the request', () => {
  const look = { name: 'look', annotations: { readOnlyHint: true }, examples: [{ input: { at: 9 }, output: 7 }] };
  const severity = (prose: string, description: string, more: object = {}) => {
    const answers: Json = { type: 'object', properties: { productId: { type: 'string', description } } };
    const cases = casesOf(
      [
        { productId: 'p-1', lang: 'en' },
        { productId: 'p-1', name: 'Lamp' },
      ],
      [
        { productId: 'p-2', lang: 'en' },
        { productId: 'p-2', name: 'Chair' },
      ],
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, answers, prose), cases, more)));
    return found.find(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT')?.severity;
  };
  assert.equal(severity('Looks products up.', 'The productId from the request'), undefined);
  assert.equal(severity('The productId is copied from the request.', 'id'), 'warning', 'nobody can tell');
  assert.equal(severity('The productId is copied from the request.', 'id', { tools: [look] }), 'warning');
});

test('an id that breaks its schema distinguishes two cases, repeated or not', () => {
  const ask: Json = { type: 'object', properties: { vorgang: { type: 'string', pattern: '^[A-Z]-' } } };
  const document = documentOf(
    ask,
    OPEN,
    'Der Vorgang wird wiederholt. Fehlerhafte Anfragen: `status` ist `abgelehnt`.',
  );
  const contradicts = (vorgang: string) => {
    const cases = casesOf(
      [
        { vorgang: 'V-1', n: 1 },
        { vorgang: 'V-1', status: 'erledigt' },
      ],
      [
        { vorgang, n: 1 },
        { vorgang, status: 'abgelehnt' },
      ],
    );
    return preflight(analyze(sampleJob(document, cases))).some(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT');
  };
  assert.equal(contradicts('V-2'), true);
  assert.equal(contradicts('v-2'), false);
});

test("a text starts with its request's tag if all others do and the document says it is repeated", () => {
  const slips = (prose: string, answers: string[]) => {
    const cases = answers.map((answer, n): [Json, Json] => [`t${n + 1} STATE door`, answer]);
    const job = sampleJob(prose, undefined, {
      payload: 'text',
      testCases: cases.map(([request, response]) => ({ request, response })),
    });
    const found = preflight(analyze(job)).filter(({ code }) => code === 'DOCUMENT_CASE_ID_NOT_ECHOED');
    return found.map(({ severity, testCase, expected, actual }) => [severity, testCase, expected, actual]);
  };
  const said = 'Plain text. An answer begins with the tag of the request, `t0` where it has none.';
  const answers = ['t1 open', 't2 shut', 't7 shut', 't4 open'];
  assert.deepEqual(slips(said, answers), [['warning', 3, 't3', 't7']]);
  assert.deepEqual(slips(said, ['t1 open', 't2 shut', 't3 shut', 't4 open']), []);
  assert.deepEqual(slips(said, ['t1 open', 't2 shut', 't0 what', 't4 open']), [], 'the document has it');
  assert.deepEqual(slips(said, ['t1 open', 't2 shut', 'what', 't4 open']), [], 'no tag');
  assert.deepEqual(slips(said, ['t1 open', 't2 shut', 't7 shut']), [], 'too few');
  assert.deepEqual(slips('Plain text. Doors open.', answers), [], 'nothing is repeated');
});

test('a tag that the answer repeats does not distinguish texts', () => {
  const contradicts = (prose: string, pairs: [string, string][], tools: object[] = []) => {
    const job = sampleJob(prose, undefined, {
      payload: 'text',
      testCases: pairs.map(([request, response]) => ({ request, response })),
      tools: tools.map((each) => ({ name: 'look', annotations: { readOnlyHint: true }, ...each })),
    });
    const found = preflight(analyze(job)).filter(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT');
    return found.map(({ severity, testCase, expected, actual }) => [severity, testCase, expected, actual]);
  };
  const said = 'Plain text. Each request begins with a tag `#n` that the reply repeats.';
  const other: [string, string][] = [
    ['#1 GET X', '#1 10'],
    ['#2 GET X', '#2 20'],
  ];
  assert.deepEqual(contradicts(said, other), [['warning', 2, '#1 10', '#2 20']]);
  assert.equal(
    contradicts('Plain text. A line begins with its message id; replies have the same message id.', other).length,
    1,
  );
  assert.equal(contradicts('纯文本。每行以消息编号开头，响应原样返回消息编号。', other).length, 1);
  const rows: [prose: string, pairs: [string, string][], input?: string | number][] = [
    [
      said,
      [
        ['#1 GET X', '#1 10'],
        ['#2 GET X', '#2 10'],
      ],
    ],
    [
      said,
      [
        ['#1 GET X', '#1 10'],
        ['#2 GET Y', '#2 20'],
      ],
    ],
    [
      said,
      [
        ['#1 GET X', '#1 10'],
        ['#2 GET X', '20'],
      ],
    ],
    [
      said,
      [
        ['#1', '#1 10'],
        ['#2', '#2 20'],
      ],
    ],
    [said, other, '#2'],
    [said, other, 2],
    ['Plain text. Each request begins with a sku that the reply repeats.', other],
    ['Plain text. Each request begins with an asset tag; the reply repeats the tag.', other],
    ['Plain text. Each request begins with a tag.', other],
  ];
  for (const [prose, pairs, input] of rows) {
    const tools = input === undefined ? [] : [{ examples: [{ input: { id: input }, output: 1 }] }];
    assert.deepEqual(contradicts(prose, pairs, tools), [], `${prose} ${JSON.stringify(pairs)} ${input}`);
  }
});

test('a request id in a message header is not part of the question either', () => {
  const severity = (prose: string, request: (id: string) => Json) => {
    const cases = casesOf(
      ...[1, 2].map((t): [Json, Json] => [request(`r-${t}`), { ...(request(`r-${t}`) as object), t }]),
    );
    const found = preflight(analyze(sampleJob(documentOf(OPEN, OPEN, prose), cases)));
    return found.find(({ code }) => code === 'DOCUMENT_CASES_CONTRADICT')?.severity;
  };
  const said = 'The response repeats the requestId of the header.';
  assert.equal(
    severity(said, (requestId) => ({ header: { requestId }, city: 'Paris' })),
    'warning',
  );
  assert.equal(
    severity(said, (requestId) => ({ meta: { requestId, lang: 'en' } })),
    'warning',
  );
  assert.equal(
    severity(said, (requestId) => ({ header: { head: { requestId } }, city: 'Paris' })),
    'warning',
  );
  assert.equal(
    severity('A header has a requestId.', (requestId) => ({ header: { requestId }, city: 'x' })),
    undefined,
  );
  assert.equal(
    severity(said, (requestId) => ({ header: { requestId }, type: 'STATUS' })),
    undefined,
    'all it asks for',
  );
  assert.equal(
    severity(said, (requestId) => ({ about: { requestId }, city: 'Paris' })),
    'warning',
    'nobody can tell',
  );
  assert.equal(
    severity('The messageId is echoed.', (messageId) => ({ header: { messageId } })),
    'warning',
    'no request id',
  );
});
