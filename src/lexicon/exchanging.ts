import { phrases } from './phrases.ts';

/** What a request is called, by a heading, a title or the name of a member. */
export const REQUEST = phrases({
  en: ['*request(?!e[dr]s?\\b|ing\\b|ors?\\b)*', '*inputSchema*', 'req|input|query|command'],
  de: ['anfragen?'],
  fr: ['requ[eê]tes?'],
  es: ['solicitud|petición'],
  pt: ['solicitação|requisição|pedido'],
  it: ['richiesta'],
  nl: ['verzoek'],
  ru: ['запрос*'],
  zh: ['请求|输入|入参|查询消息|问询'],
  ja: ['リクエスト|要求'],
  ko: ['요청'],
});

/** What a response is called there. */
export const RESPONSE = phrases({
  en: ['*response*|*outputSchema*', 'resp?|reply|answers?|output|results?|ack'],
  de: ['antwort(en)?'],
  fr: ['réponses?'],
  es: ['respuesta'],
  pt: ['resposta'],
  it: ['risposta'],
  nl: ['antwoord'],
  ru: ['ответ*'],
  zh: ['响应|应答|返回|回复|输出|出参|结果'],
  ja: ['レスポンス|応答'],
  ko: ['응답'],
});

/** A word of a sentence for an answer. */
export const ANSWER = phrases({
  en: ['answers?|repl(y|ies)|responses?', '(whatever|anything|what) (that )?comes back'],
  de: ['antwort(en)?'],
  fr: ['réponses?'],
  es: ['respuestas?'],
  ru: ['ответ*'],
  zh: ['应答|响应|回复'],
  ja: ['回答|応答|返信'],
  ar: ['جواب', 'إجابة', 'رد'],
});

/** A word of a sentence that has something answered. */
export const ANSWERED = phrases({
  en: ['answer(s|ed)?|respon(se|ds?)|repl(y|ies|ied)'],
  de: ['antwort*'],
  es: ['respuesta|responde'],
  zh: ['响应|应答|答复'],
});

/** A word of a sentence about what others answer than the handler of this agreement, or about what nobody answers. */
export const ANSWERED_BY_OTHERS = phrases({
  en: [
    'https?|transport|gateway|proxy|upstream|servers?|tools?|peers?|other',
    'never|no longer|reserved|future|later|example|e\\.g|old(er)?|earlier|formerly',
    'not (be )?(used|answer*|respon*|repl*|return*|allowed)',
  ],
  zh: ['传输|上游|工具|例如|不再'],
});

/** An answer that is not to what was asked. */
export const ANSWER_TO_ANOTHER = phrases({
  en: [
    '(answers?|repl(y|ies)|responses?) …15 (for|to|of) (another|a different|some other|the wrong) (request|message|question|query|call)',
    '(answers?|repl(y|ies)|responses?|one) (that|which) (is|are) not (ours|(for|to) (our|this|that|the) (request|message|question|query|call))',
    '(answers?|repl(y|ies)|responses?) …15 not belong to (our|this|that|the|its) (request|message|question|query|call)',
    '(answers?|repl(y|ies)|responses?) (that|which) (repl(y|ies)|answers?) (to )?(something|another|anything) else',
    'none that is ours',
  ],
  de: ['auf eine andere (Anfrage|Nachricht|Frage)', 'Antwort …20 (zu|für) eine[r]? anderen? (Anfrage|Nachricht|Frage)'],
  fr: ['répon(d|se) à une autre (demande|requête|question)'],
  es: ['respuesta no corresponde a', 'respon(de|den|dió) a otra (petición|solicitud|pregunta)', 'respuesta a otra*'],
  pt: ['resposta não corresponde a*', 'respo(nde|sta) a outr[oa] (pedido|solicitação|requisição|pergunta)'],
  it: ['risposta non corrisponde a*', 'rispo(nde|sta) a un.altra (richiesta|domanda)'],
  ru: ['ответ (не наш|чужой)', 'ответ на (другой|чужой) (запрос|вопрос)'],
  zh: [
    '(应答|响应|回复|答复)(不是|并非)给(我们|本)',
    '(应答|响应|回复|答复)不属于(我们|本|该|此)',
    '(其他|其它|别的|另一个?)(请求|消息)的(应答|响应|回复|答复)',
    '(应答|响应|回复|答复)与请求不(对应|匹配|符|一致)',
  ],
  ja: ['(別|他|ほか)の(要求|リクエスト|依頼|質問)(への|に対する)(応答|回答|返答|返事)'],
});

/** An answer that repeats something of its request: nothing is sent again then. */
export const ANSWER_REPEATS = phrases({
  en: ['(answers?|repl(y|ies)|responses?) (repeats?|echo(es)?|copies)'],
  de: ['antwort wiederholt'],
  fr: ['réponse (l[ae] )?(répète|reprend)'],
  es: ['respuesta (l[oa] )?repite'],
  pt: ['resposta repete'],
  it: ['risposta ripete'],
  ru: ['ответ повторяет'],
  zh: ['(响应|应答|回复)(中)?(原样)?重复'],
});

/** What the number of a message is called. */
export const ID_WORD = phrases({
  en: ['ids?|identifiers?|correlation'],
  de: ['kennung'],
  fr: ['identifiant'],
  es: ['identificador'],
  pt: ['identificador'],
  ru: ['идентификатор*'],
  zh: ['标识|编号'],
  ja: ['識別'],
  ar: ['معر[ّ]?ف'],
});

/** Words for how long an answer may take. */
export const TIME_ALLOWED = phrases({
  en: [
    '*tim(e|es|ed|ing)[ _-]?outs?',
    '*no (response|return|reply|answer)*',
    '*(respon|repl|answer|return)* …40 within',
    'within …40 (respon|repl|answer|return)',
  ],
  zh: ['超时|时限', '内(没有|未|无|返回|响应|应答)'],
});

/** What a sentence calls the member of an answer that tells how it went, beside the code or word itself. */
export const CODE_WORD = phrases({
  en: ['(http|status|error|response|result) codes?|codes?|status(es)?|http'],
  de: ['(http-?|status|fehler)?codes?|status'],
  fr: ['codes?|statut'],
  es: ['c[oó]digos?|estado'],
  pt: ['c[oó]digos?|estado'],
  it: ['codic[ei]|stato'],
  nl: ['codes?|status'],
  ru: ['код(а|ом|е)?|статус(а|ом|е)?'],
  zh: ['(状态|错误|响应|返回)?码|状态|代码'],
  ja: ['(ステータス|エラー)?コード|状態'],
});

/** Whatever else a peer may answer than what was spoken of. */
export const ANY_OTHER_ANSWER = phrases({
  en: [
    '(any|every|all) other (results?|codes?|status(es)?|states?|answers?|outcomes?|repl(y|ies)|responses?|(error|status|result) codes?)',
  ],
  de: ['(jede[rs]?|alle[ns]?) andere[nrs]? (Ergebniss?e?|Codes?|Status|Antwort(en)?|Fehler(codes?)?)'],
  es: ['(cualquier otr[oa]|tod[oa]s l[oa]s demás) (resultado|código|estado|respuesta)s?'],
  fr: ['(tout|toute) autre (résultat|code|statut|réponse)'],
  zh: ['(其他|其它)(所有|任何)?(的)?(错误|返回|响应|结果|状态)?(码|代码|结果|状态)'],
});

/** What may stand between a name and the code or word that it is told for, without a condition of its own. */
export const TOLD_FOR = phrases({
  en: [
    '(if|when|where) (the|its|our|an?) \\p{L}+ (answers|replies|returns|responds)',
    'if|when|where|for|on|with|in case of|is|are|has|the|its|an?|of|it',
    'answers?|repl(y|ies)|response',
  ],
  de: ['wenn|falls|bei|der|die|das|den|dem|mit|ist|lautet|Antwort|antwortet|er|sie|es'],
  fr: ['si|quand|lorsque|pour|le|la|est|vaut|réponse|répond'],
  es: ['si|cuando|para|con|el|la|es|respuesta|responde'],
  pt: ['se|quando|para|com|o|a|é|resposta|responde'],
  it: ['se|quando|per|con|il|la|è|risposta|risponde'],
  nl: ['als|bij|voor|de|het|is|antwoord'],
  ru: ['если|когда|при|для|ответ(е|а)?'],
  zh: ['当|如果|若|对应|为|是|时|响应|应答|返回'],
  ja: ['場合|とき|なら|の|は|が|応答'],
});
