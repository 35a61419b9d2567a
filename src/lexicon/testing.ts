/**
 * Words for cases and their parts in headings and labels, one entry per language, as regular expression sources for the
 * start of a line.
 */
type Labels = readonly string[];

const english = (word: string): string =>
  `(?:the[ \\t]+)?(?:test[ \\t]+|expected[ \\t]+)?(?:${word})(?:[ \\t]+(?:data|message|payload|body|json))*(?:[ \\t]+(?:is|are)?[ \\t]*as[ \\t]+follows)?`;
const german = (word: string): string => `(?:erwartete[ \\t]+)?(?:test-?)?(?:${word})(?:s?daten|nachricht)?`;
/** For languages that say "data of the request of the test". */
const romance = (parts: string, of: string, word: string): string =>
  `(?:(?:${parts})[ \\t]+(?:${of})[ \\t]*)?(?:${word})(?:[ \\t]+(?:${of})[ \\t]*(?:test|prueba|teste|prova))?`;
const chinese = (word: string): string => `(?:测试|预期|期望)?(?:${word})(?:数据|消息|报文|内容)?(?:如下|为)?`;
const japanese = (word: string): string => `(?:テスト|期待される)?(?:${word})(?:の?(?:データ|メッセージ|内容))?`;
const korean = (word: string): string => `(?:테스트[ \\t]*)?(?:${word})(?:[ \\t]*(?:데이터|메시지))?`;
const russian = (word: string): string =>
  `(?:(?:тестовы[ей]|ожидаемы[ей]|данные|сообщение|тело)[ \\t]+){0,2}(?:${word})(?:[ \\t]+теста)?`;

/** Matches a word only if a number follows. */
const numbered = (word: string): string =>
  `(?:${word})(?=[ \\t_-]*(?:#|no\\.?|nr\\.?|n[.ºo°]{1,2}|№)?[ \\t]*[0-9０-９])`;

/** Words for a case. */
export const CASE_WORDS: Labels = [
  'test[ \\t_-]*case|case|example|scenario|tc(?=[ \\t_-]*\\d)',
  'test-?fall|fall|beispiel|szenario',
  'cas(?:[ \\t]+de[ \\t]+tests?)?|exemple|scénario',
  'caso(?:[ \\t]+d[ei][ \\t]+(?:prueba|teste?|prova))?|ejemplo|escenario|exemplo|cenário|esempio',
  'testgeval|voorbeeld',
  '测试用例|测试案例|测试样例|用例|测试场景|场景',
  '(?:テスト|検証|試験)[ \\t]*ケース|ケース|シナリオ',
  '테스트[ \\t]*케이스|시나리오',
  'тест-?кейс|тестовый[ \\t]+(?:случай|пример|сценарий)|сценарий|пример',
];

/** Short words for a case, used if no longer one occurs. */
export const SHORT_CASE_WORDS: Labels = [numbered('test|prueba|prova|тест|测试|テスト|試験|테스트')];

/** Labels of a request. */
export const REQUEST_LABELS: Labels = [
  english('request|input'),
  german('anfragen?|eingaben?'),
  romance('données|message|corps', "de(?:[ \\t]+la)?|d['’]", 'requête|entrée|demande'),
  romance('datos|mensaje', 'de(?:[ \\t]+la)?', 'solicitud|petición|entrada'),
  romance('dados|mensagem', 'd[ea]', 'solicitação|requisição|entrada|pedido'),
  romance('dati|messaggio', "d(?:i|ella|ell['’])", 'richiesta|input'),
  'verzoek(?:gegevens)?|aanvraag',
  chinese('请求|输入'),
  japanese('リクエスト|要求|入力'),
  korean('요청|입력'),
  russian('запроса?|входные[ \\t]+данные'),
];

/** Labels of a response. */
export const RESPONSE_LABELS: Labels = [
  english('response|output|reply|answer'),
  german('antwort(?:en)?|ausgaben?'),
  romance('données|message|corps', 'de(?:[ \\t]+la)?', 'réponse|sortie'),
  romance('datos|mensaje', 'de(?:[ \\t]+la)?', 'respuesta|salida'),
  romance('dados|mensagem', 'd[ea]', 'resposta|saída'),
  romance('dati|messaggio', 'd(?:i|ella)', 'risposta|output'),
  'antwoord(?:gegevens)?',
  chinese('响应|应答|输出|返回'),
  japanese('レスポンス|応答|出力'),
  korean('응답|출력'),
  russian('ответа?|выходные[ \\t]+данные'),
];

/** Labels of the expected result in words. */
export const RESULT_LABELS: Labels = [
  '(?:expected|test)[ \\t]+(?:test[ \\t]+)?(?:results?|outcomes?|behaviou?r)|expected',
  '(?:erwartetes[ \\t]+)?(?:test)?ergebnis|erwartetes[ \\t]+verhalten|erwartung',
  'résultat(?:[ \\t]+(?:d[eu][ \\t]+test|attendu|prévu)){1,2}',
  'resultado(?:[ \\t]+(?:d[eo][ \\t]+(?:la[ \\t]+)?(?:prueba|teste)|esperado|previsto)){1,2}',
  'risultato(?:[ \\t]+(?:del[ \\t]+test|atteso|previsto)){1,2}',
  'verwacht[ \\t]+resultaat',
  '测试?(?:预期|期望)(?:的)?(?:测试)?结果|(?:预期|期望)(?:测试)?结果|测试结果|预期|期望',
  '(?:期待|想定)(?:される)?(?:テスト)?(?:結果|値|動作)',
  '(?:예상|기대)[ \\t]*(?:되는[ \\t]*)?(?:테스트[ \\t]*)?결과',
  'ожидаемый[ \\t]+результат(?:[ \\t]+теста)?',
];

/** Words of Given-When-Then stories: before the precondition, the request and the response. */
export const STORY_WORDS: Record<'before' | 'request' | 'response', Labels> = {
  before: [
    'given|angenommen|gegeben(?:[ \\t]+sei(?:en)?)?|étant[ \\t]+donnée?s?|dad[oa]s?|dat[oi]',
    '假设|假如|给定|前提',
    'дано|пусть',
  ],
  request: ["when|wenn|quand|lorsqu(?:e|['’])|cuando|quando|когда", '当', 'もし'],
  response: ['then|dann|alors|entonces|então|allora|тогда', '那么|则', 'ならば'],
};
