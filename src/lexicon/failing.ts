import { phrases } from './phrases.ts';

/** Words for a peer of whom nothing is heard. */
export const NO_ANSWER = phrases({
  en: [
    'no (usable |valid |proper )?(answer|reply|response)(?! (is|was) (needed|expected|wanted))',
    "((does|do|did) not|(does|do|did)n['’]t) (answer|reply|respond)",
    '(could|can) ?not be (reached|asked|contacted|delivered)',
    '(is|was|are|were) (not answered|unreachable|not reachable)',
    'never answered',
    '(fails? to|without an?) (answer|reply|respon)',
    'times? out|time-?outs?',
    '(a|the|any|this|that|each|every|if|when|whenever) (send|sending|request|message)( that)? (fails|failed|cannot be sent)',
  ],
  de: [
    'keine[nr]? ((gültige|brauchbare|verwertbare) )?Antwort',
    'fehlende[rn]? …30 Antwort',
    'antwort(et|en) ((der|die|das) \\p{L}+ )?nicht',
    'nicht erreich*',
  ],
  fr: ['(pas|aucune) (de )?réponse', 'sans réponse', 'réponse manque', 'ne répond(ent)? pas', 'injoignable'],
  es: ['no hay respuesta', 'sin respuesta', 'no (respond(e|en|ió|ieron)|contest(a|an|ó|aron))', 'inalcanzable'],
  pt: ['sem resposta', 'não respond(e|em|eu|eram)', 'não há resposta'],
  it: ['nessuna risposta', 'non rispond(e|ono)'],
  ru: ['нет ответа', 'ответа нет', 'не отвеча(ет|ют)', 'не ответил[аои]?', 'без ответа'],
  zh: ['超时', '(没有?收到|未能?收到|收不到|没有|无|未|不)(任何)?(有效的?)?(响应|回应|答复|回复|应答)'],
  ja: ['(応答|返答|回答|返事)(が|し)?(ない|なし|得られない)', '時間切れ|タイムアウト'],
});

/** A sentence that speaks of errors. */
export const SPEAKS_OF_ERRORS = phrases({
  en: ['errors?|exceptions?|failures?|*status code*'],
  de: ['*fehler*'],
  fr: ['erreurs?'],
  es: ['errores'],
  pt: ['erros?'],
  it: ['errori'],
  zh: ['错误|异常|失败|状态码|返回码'],
  ja: ['エラー'],
});
