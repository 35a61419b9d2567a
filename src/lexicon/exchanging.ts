import { phrases } from './phrases.ts';

/** Words for a request in a heading, a title or a member's name. */
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

/** Words for a response in the same places. */
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

/** Says that an answer repeats part of its request; that is not a retry. */
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
