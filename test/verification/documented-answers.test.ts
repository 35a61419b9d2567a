import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/kernel/json.ts';
import { reportsFailure } from '../../src/verification/failure-answer.ts';
import {
  documentedAnswersOf,
  emptiedText,
  holdsConstant,
  stemsOf,
} from '../../src/verification/prose/documented-answers.ts';
import { failureRulesOf } from '../../src/verification/prose/failure-rules.ts';
import type { Subject } from '../../src/verification/subject.ts';

const accepts = () => [];

function subjectOf(text: string, responses: Json[] = [], responseSchema: Json = null): Subject {
  return {
    role: 'provider',
    payload: 'json',
    agreement: { text, language: 'en', schemas: [] },
    requestSchema: null,
    responseSchema,
    tools: [],
    loose: [],
    cases: responses.map((response, index) => ({
      testCase: index + 1,
      request: {},
      response,
      expected: '',
      negative: false,
    })),
    surface: {
      requestIssues: accepts,
      responseIssues: accepts,
      resultIssues: accepts,
      toolInputIssues: accepts,
      toolOutputIssues: accepts,
    },
  };
}

for (const [answer, expected] of [
  [{ status: { code: 404, message: 'Not Found' }, product: null }, true],
  [{ status: { code: 200, message: 'OK' } }, false],
  [{ ok: false }, true],
  [{ success: true, error: null }, false],
  [{ error: { code: 'E7' } }, true],
  [{ result: 'refunded' }, 'unknown'],
  [{ status: 'rejected', reason: 'OUT_OF_STOCK' }, true],
  [{ 成功: false, 错误信息: '城市不存在' }, true],
  ['ERR unknown command', true],
  ['PONG 7', 'unknown'],
  ['<sheet><minutes>435</minutes><rejected>0</rejected></sheet>', 'unknown'],
  ['stored=4\nrejected=2', 'unknown'],
  ['<error>404</error>', true],
  ['error=404', true],
  ['rejected: no such account', true],
  [[1, 2], 'unknown'],
  [{ estado: 'RECHAZADA', motivo: 'OTRO_COMPRADOR' }, true],
  [{ ergebnis: 'ANTRAG_UNGUELTIG' }, true],
  [{ ergebnis: 'FEHLERFREI' }, 'unknown'],
  [{ résultat: 'refusé' }, true],
  [{ codigo: 409 }, true],
  [{ decision: 'NO_SUCH_COPY' }, true],
] as [Json, boolean | 'unknown'][]) {
  test(`${JSON.stringify(answer)} reports failure: ${expected}`, () => assert.equal(reportsFailure(answer), expected));
}

test('what a document says of failures is told from its words', () => {
  const said = (text: string) =>
    Object.entries(failureRulesOf(text)).flatMap(([name, is]) => ([is].flat().some(Boolean) ? [name] : []));
  assert.deepEqual(said('The provider answers with the product.'), []);
  assert.deepEqual(said('Exception Handling:\n- Error codes use HTTP error codes'), ['failures', 'inWords']);
  assert.deepEqual(said('Exception Handling:\n- An unknown sensor is answered `NAK`'), ['failures']);
  assert.ok(said('When the stock system cannot be reached, the reason is DOWN.').includes('ownFailures'));
  assert.ok(said('系统异常时返回错误').includes('ownFailures'));
  assert.ok(said('An invalid request is answered with 400.').includes('invalidRequests'));
  assert.ok(said('A message that cannot be read is answered `<error/>`').includes('invalidRequests'));
  assert.ok(!said('An unknown product id is answered with 404.').includes('invalidRequests'));
  for (const sentence of [
    'Ist die Anfrage fehlerhaft, so lautet der Status `abgelehnt`.',
    'Una solicitud que no cumpla su esquema recibe `invalida`.',
    '`INVALIDE` : la demande ne respecte pas le schéma.',
    '- 400: pedido fora do esquema',
    'Un carrello non valido rispetto allo schema riceve `errore`.',
    'То же — для запросов, нарушающих схему.',
    'リクエストがスキーマに合わない場合は `BAD` とする。',
  ])
    assert.ok(said(sentence).includes('invalidRequests'), sentence);
  for (const sentence of [
    'Die Anfrage nennt die Nummer des Kontos.',
    'La demande est acceptée si le code est valide.',
    'リクエストは JSON である。',
  ])
    assert.ok(!said(sentence).includes('invalidRequests'), sentence);
  for (const one of [
    'An elapsed time that is not written `H:MM:SS` is answered with status 400.',
    'Si le nombre de cases diffère du nombre de lettres, `code` vaut 400.',
    '号码必须是 18 位数字，否则返回错误码 400。',
  ])
    assert.ok(!said(one).includes('invalidRequests'), one);
  for (const sentence of ['| 400 | Angaben fehlen |', '- 400 : paramètres invalides', '参数不正确时返回错误码 400。'])
    assert.ok(said(sentence).includes('invalidRequests'), sentence);
  assert.ok(said('A failing order may be retried once.').includes('retries'));
  for (const allowed of [
    'If it does not answer it is tried again.',
    'It is not retried more than twice.',
    '失败时重试一次',
  ])
    assert.ok(said(allowed).includes('retries'), allowed);
  for (const denied of ['It MUST NOT be tried again.', 'A payment shall never be attempted twice.', '不得重试'])
    assert.ok(!said(denied).includes('retries'), denied);
});

test('failing systems are known in other languages', () => {
  const named = (text: string, name: string) =>
    documentedAnswersOf(subjectOf(text, [], { properties: { status: { enum: [name, 'OK'] } } })).ownFailures;
  assert.deepEqual(named('| `ERROR` | 予約システムの障害 |', 'ERROR'), ['ERROR']);
  assert.deepEqual(named('Se o sistema falhar: `FORA`.', 'FORA'), ['FORA']);
  assert.deepEqual(named('Если система не отвечает, `status` — `СБОЙ`.', 'СБОЙ'), ['СБОЙ']);
  assert.deepEqual(named('Se il servizio non risponde: `GIU`.', 'GIU'), ['GIU']);
  assert.deepEqual(named('| `FULL` | 条件に合う部屋がない |', 'FULL'), []);
  assert.deepEqual(named('Se o quarto não existe: `NADA`.', 'NADA'), []);
});

test('without a schema the cases tell what the members are', () => {
  const own = (responses: Json[]) =>
    documentedAnswersOf(subjectOf('When one of our systems fails the result is "pending".', responses)).ownFailures;
  assert.deepEqual(own([{ result: 'granted' }]), ['pending']);
  assert.deepEqual(own([{ outcome: 'granted' }]), []);
  const russian = subjectOf('Если инструмент не отвечает: `accepted` — false, `note` — «later».', [
    { accepted: true, note: null },
  ]);
  assert.deepEqual(documentedAnswersOf(russian).ownFailureSentences[0]?.constants, ['later', 'accepted: false']);
});

test('the names of failures are those of the clause that speaks of them', () => {
  const text =
    '- 404 when there is no such product, 500 when the catalogue cannot be asked\n- An invalid request is rejected with reason BAD_REQUEST';
  assert.deepEqual(documentedAnswersOf(subjectOf(text)), {
    ownFailures: ['500'],
    ownFailureSentences: [{ sentence: text.split('\n')[0], constants: ['500'] }],
    otherFailures: [],
    invalidRequests: ['BAD_REQUEST'],
    missingMembers: [],
    incomplete: [],
  });
  assert.deepEqual(documentedAnswersOf(subjectOf('系统异常时，错误信息为“服务不可用”')).ownFailures, ['服务不可用']);
  assert.deepEqual(
    documentedAnswersOf(subjectOf('If a request is malformed the JSON answer MUST say so.')).invalidRequests,
    [],
  );
  assert.deepEqual(
    documentedAnswersOf(
      subjectOf('A bad request is one whose day is not of the form YYYY-MM-DD, whose hour is no HHMM.'),
    ).invalidRequests,
    [],
  );
  const schema = { type: 'object', properties: { accepted: { type: 'boolean' } } };
  assert.deepEqual(
    documentedAnswersOf(subjectOf('A malformed request is answered with accepted false.', [], schema)).invalidRequests,
    ['accepted: false'],
  );
});

test('a sentence may speak of missing members alone', () => {
  const missing = (text: string) => documentedAnswersOf(subjectOf(text)).missingMembers;
  assert.deepEqual(missing('- 400 for missing or invalid fields'), ['400']);
  assert.deepEqual(missing('Requests that do not satisfy the schema: INVALID_REQUEST'), ['INVALID_REQUEST']);
  assert.deepEqual(missing('- 缺少必填字段时状态码为 400'), ['400']);
  assert.deepEqual(missing('- 400 for an invalid request'), []);
  const incomplete = documentedAnswersOf(subjectOf('An invalid value is BAD_VALUE, a missing one NO_VALUE')).incomplete;
  assert.deepEqual(incomplete, ['NO_VALUE']);
});

test('the name of a member is no name of an answer, but what stands behind it is', () => {
  const schema = { type: 'object', properties: { error: { type: 'string' } } };
  const text = '- A malformed message is answered with `error` "bad_message" and no balances.';
  assert.deepEqual(documentedAnswersOf(subjectOf(text, [], schema)).invalidRequests, ['bad_message']);
});

test('the answer to broken requests is named in many ways, and headings and single rules name none', () => {
  const values = ['ok', 'invalid', 'BAD_REQUEST', 'E9', 'unknown', 'R1', 'peticion'];
  const schema = { type: 'object', properties: { result: { enum: values }, accepted: { type: 'boolean' } } };
  const named = (text: string) => documentedAnswersOf(subjectOf(text, [], schema)).invalidRequests;
  for (const [text, name] of [
    [
      '- Request does not match the schema: `{"accepted": false, "result": "BAD_REQUEST"}`; no tool is called',
      'BAD_REQUEST',
    ],
    ['A request that does not fit the schema gets `invalid`.', 'invalid'],
    ['| `BAD_REQUEST` | a required field is missing, or any field has the wrong type |', 'BAD_REQUEST'],
    ['A request that is not as described above is answered `BAD_REQUEST`.', 'BAD_REQUEST'],
    ['An order that does not follow section 1 gets `BAD_REQUEST`.', 'BAD_REQUEST'],
    ['1. The request must satisfy the schema; otherwise `{"accepted": false, "result": "R1"}`.', 'R1'],
    ['The request is checked against its schema. If it does not conform, the answer is `BAD_REQUEST`.', 'BAD_REQUEST'],
    ['| 1 | check the request against the schema | result `BAD_REQUEST` |', 'BAD_REQUEST'],
    ['| 请求不合法 | invalid | 无 |', 'invalid'],
    ['格式错误 → E9。', 'E9'],
    ['字段缺失、类型不对或不符合说明 → `BAD_REQUEST`', 'BAD_REQUEST'],
    ['Si un campo tiene un tipo incorrecto, el resultado es `peticion`.', 'peticion'],
    ['Hat ein Feld einen falschen Typ, lautet das Ergebnis `BAD_REQUEST`.', 'BAD_REQUEST'],
  ] as const)
    assert.deepEqual(named(text), [name], text);
  for (const text of [
    'BAD REQUEST.',
    'The request must satisfy the schema. The answer to an unknown id is `unknown`.',
    'An unknown id is answered with `BAD_REQUEST`.',
    'The request is checked against the schema, and an unknown id gets `unknown`.',
  ])
    assert.deepEqual(named(text), [], text);
  const rule = 'A speed above 90 is answered with `INVALID_REQUEST`.';
  assert.equal(failureRulesOf(rule).invalidRequests, false);
  assert.equal(failureRulesOf('A request that does not fit the schema gets `no`.').invalidRequests, true);
});

test('of a line with something put in, the longest piece names the answer', () => {
  const pieces = (text: string) => documentedAnswersOf({ ...subjectOf(text), payload: 'text' }).ownFailures;
  assert.deepEqual(pieces('When the timetable is unavailable the answer is `<error ref="..." code="no-data"/>`'), [
    '" code="no-data"/>',
  ]);
  assert.deepEqual(pieces('When the sounding system fails the answer is `DPE,<buoy>,NODATA`'), [',NODATA']);
  assert.deepEqual(pieces('When the carrier fails, the answer is `<error>unavailable</error>`'), [
    '<error>unavailable</error>',
  ]);
});

test('an answer holds a name as a value or as a word of one', () => {
  assert.ok(holdsConstant({ status: { code: 500 } }, ['500']));
  assert.ok(holdsConstant('BR00000102NOR000001796+00000000000000NOK                    #', ['96']));
  assert.ok(!holdsConstant('the reading of NOR000001796 is 17', ['96']));
  assert.ok(holdsConstant({ message: 'it is DOWN now' }, ['DOWN']));
  assert.ok(holdsConstant('<error>unavailable</error>', ['<error>unavailable</error>']));
  assert.ok(holdsConstant({ accepted: false }, ['accepted: false']));
  assert.ok(holdsConstant('AA01FF01FF', ['FF']));
  assert.ok(!holdsConstant('DOWNTOWN', ['DOWN']));
  assert.ok(!holdsConstant({ code: 200, message: 'DOWNTOWN' }, ['500', 'DOWN', 'accepted: false']));
});

test('messages that say nothing are told by the cases', () => {
  const subject = subjectOf('', [
    { ok: true, message: 'Fine' },
    { ok: false, message: 'Broken' },
  ]);
  assert.equal(emptiedText(subject, { ok: false, message: '' }), '/message');
  assert.equal(emptiedText(subject, { ok: false, message: 'x', id: '' }), undefined);
});

test('names of failures in other languages, quoted twice, in rows, and beside a truth value', () => {
  const tool = { name: 'measure', inputSchema: {}, outputSchema: {} };
  const namesOf = (text: string, responses: Json[] = []) =>
    documentedAnswersOf({ ...subjectOf(text, responses), tools: [tool] }).ownFailures;
  assert.deepEqual(namesOf('Si falla una herramienta: `FALLO_TECNICO`.'), ['FALLO_TECNICO']);
  assert.deepEqual(namesOf('Ist die Abfrage nicht möglich: Grund `STOERUNG`.'), ['STOERUNG']);
  assert.deepEqual(namesOf('Scheitert ein Werkzeug: `SPAETER`.'), ['SPAETER']);
  assert.deepEqual(namesOf('Outil en panne : motif `PANNE`.'), ['PANNE']);
  assert.deepEqual(namesOf('工具失败时返回 `BUSY_NOW`。'), ['BUSY_NOW']);
  assert.deepEqual(namesOf('| E900 | Service disturbed. | the look-up fails |'), ['E900']);
  assert.deepEqual(namesOf('| E900 | Nobody there. | the customer does not answer |'), []);
  assert.deepEqual(namesOf('If the tool fails, why is `"try-later"`.', [{ why: 'try-later' }]), ['try-later']);
  assert.deepEqual(
    namesOf('Tool out of order: found false, problem "try again".', [{ found: true, problem: 'try again' }]),
    ['try again'],
  );
});

for (const [text, names] of [
  ['The amount that the service tells is rounded down, else LATER.', []],
  ['When the service is down: LATER.', ['LATER']],
] as const)
  test(`a number that is rounded down is no system that is: ${text}`, () => {
    const subject = subjectOf(text, [], { type: 'object', properties: { state: { enum: ['DONE', 'LATER'] } } });
    assert.deepEqual(documentedAnswersOf(subject).ownFailures, names);
  });

test('a member may stand without a space before the word that gives it a value', () => {
  const schema = { type: 'object', properties: { reminded: { type: 'boolean' }, day: { type: ['string', 'null'] } } };
  const tool = { name: 'remind', description: '保存提醒', inputSchema: {}, outputSchema: {} };
  const namesOf = (text: string) => documentedAnswersOf({ ...subjectOf(text, [], schema), tools: [tool] }).ownFailures;
  assert.deepEqual(namesOf('提醒没能保存时，day为null。'), ['day: null']);
  assert.deepEqual(namesOf('无法保存提醒时，reminded为false。'), ['reminded: false']);
});

test('who cannot read the request speaks of no tool that fails', () => {
  const tool = { name: 'measure', inputSchema: {}, outputSchema: {} };
  const namesOf = (text: string) => documentedAnswersOf({ ...subjectOf(text), tools: [tool] }).ownFailures;
  assert.deepEqual(namesOf('| BAD_LINE | line n of the request cannot be read |'), []);
  assert.deepEqual(namesOf('| NO_DEPTH | the depth cannot be read |'), ['NO_DEPTH']);
});

test('a member that a tool tells is no name of an answer', () => {
  const subject = subjectOf('If the ledger is down the refund is `paid`.', [], {
    type: 'object',
    properties: { refund: { type: 'integer' } },
  });
  const ledger = { name: 'ledger', outputSchema: { type: 'object', properties: { paid: { type: 'integer' } } } };
  assert.deepEqual(documentedAnswersOf({ ...subject, tools: [ledger as never] }).ownFailures, []);
});

test('a word that a clause gives a meaning is a name, whatever word it is', () => {
  const statuses = { properties: { status: { enum: ['shipped', 'rejected', 'invalid', 'error'] } } };
  const text =
    'status: shipped if everything went well, rejected if an item is missing, invalid if the request does not match its schema (nothing is called then), and error when a tool fails.';
  const { invalidRequests, ownFailures } = documentedAnswersOf(subjectOf(text, [], statuses));
  assert.deepEqual(invalidRequests, ['invalid']);
  assert.deepEqual(ownFailures, ['error']);
});

test('a measurement is named after what measures, and a message is nothing that fails', () => {
  assert.deepEqual([...stemsOf('die Messung')], ['mess']);
  assert.deepEqual([...stemsOf('eine Message, the message')], []);
});

test('a name that says that something failed says nothing of how much did', () => {
  const subject = subjectOf('If the store fails, all holds are released and state is `FAILED`.', [{ state: 'FAILED' }]);
  assert.deepEqual(documentedAnswersOf(subject).ownFailures, ['FAILED']);
});
