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
