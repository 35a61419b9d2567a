import { phrases } from './phrases.ts';

/** Says that one thing is repeated in another, or copied unchanged. */
export const REPEATS = phrases({
  en: [
    'comes? back|echo(e[ds])?|repeat(s|ed)?|cop(y|ies|ied)|unchanged|verbatim|same as|as in',
    '(is|are|stands?|appears?) in (every|each|the|all) (response|answer|repl)*',
    'of the (response|answer|reply) (equals?|matche?s?|is) (that|the one) of',
    '(that|the one|taken) (of|from|in)',
    'the \\w+ of the request',
    '(carr(y|ies)|ha(s|ve)|returns?|contains?|includes?|bears?) …40 of (its|the|their|each) requests?',
    '(carr(y|ies)|ha(s|ve)|returns?|contains?|includes?|bears?|with) the same',
    "equals? (that of )?(the|its) requests?|equals? the request's",
  ],
  de: [
    '*wiederholt*|*unverändert*',
    '(trägt|tragen|enthält|übernimmt) …60 der (zugehörigen )?anfrage*',
    'kommt* …60 *(wieder|zurück)*',
  ],
  fr: ['*répét*|*recopi*|reprend*|repris[es]?|inchangée?s?*', 'contient le même*|avec l[ea] même*', 'tel(le)?s? quel*'],
  es: ['con (el|la) mism[oa]*', 'repite*|repet(e|ido|ida)|devolvid[oa]*', 'tal cual*|sin cambios*|inalterad[oa]*'],
  pt: ['com [oa] mesm[oa]*', 'repete|devolvid[oa]*|inalterad[oa]*', 'sem alteraç*'],
  it: ['con (lo stesso|la stessa)*', 'invariat[oa]*|ripet[eu]*'],
  ru: ['повторя*', 'без изменений*'],
  zh: ['原样|回传|照抄|复制|等于请求', '与…20请求…30(相同|一致)'],
  ja: ['そのまま|繰り返', '(リクエスト|依頼|要求)…20(同じ|同一)'],
});

/** Says that the repeated value comes from the request. */
export const OF_REQUEST = phrases({
  en: [
    'echo*|unchanged|verbatim',
    '(of|from|in|as) (the|its|each|their) (requests?|subscription|call|question|query)|equals? (the|its) requests?',
  ],
  de: ['*unverändert*', 'der (zugehörigen )?anfrage*'],
  fr: ['tel(le)?s? quel*|inchangée?s?', 'de la (requête|demande)'],
  es: ['tal cual*|sin cambios*|inalterad*', '(de|en|como) la (solicitud|petición)'],
  pt: ['sem alteraç*|inalterad*', '(da|na) (solicitação|requisição)', '(do|no) pedido'],
  it: ['invariat*', '(dell|nell)a richiesta'],
  nl: ['(van|uit|in) het verzoek'],
  ru: ['без изменений*', '(из|в|как) запрос*'],
  zh: ['原样|照抄|请求'],
  ja: ['そのまま', 'リクエスト|依頼|要求'],
});

/** Says that the value is repeated in an answer. */
export const IN_ANSWER = phrases({
  en: ['answer(s|ed)?|repl(y|ies|ied)|respon(ses?|ds?)', 'echo*|unchanged|verbatim|returned|comes? back'],
  de: ['*antwort*', '*unverändert*|*zurück*'],
  fr: ['réponses?|répond*', 'renvoyée?s?|inchangée?s?|tel(le)?s? quel*'],
  es: ['respuestas?|respond*', 'devuel*|devolvid*|tal cual*|sin cambios*'],
  pt: ['respostas?|respond*', 'devolvid*|inalterad*|sem alteraç*'],
  it: ['rispost[ae]|rispond*', 'restituit*|invariat*'],
  nl: ['antwoord*|ongewijzigd*|terug*'],
  ru: ['ответ*|возвраща*|без изменений*'],
  zh: ['响应|应答|回复|返回|回传|原样'],
  ja: ['レスポンス|応答|回答|返信|返す|そのまま'],
});

/** Says that the repeated value is changed, or not repeated by every answer. */
export const REPEATED_IN_PART = phrases({
  en: [
    'own|not|never|no|without|differ*|an?other|only|optional*|may|might|can|retr(y|ies|ied)|re-?sen[dt]s?|log(s|ged)?',
    'plus|increas*|increment*|suffix*|prefix*|append*|prepend*|follow*|preced*|deriv*|hash*|revers*|sign(ed|ature)|truncat*|shorten*',
  ],
  de: ['eigene*|nicht|nie|kein*|andere*|nur|kann|können|optional*|plus|erhöht*|ergänzt*|angehängt*|abgeleitet*'],
  fr: ['propres?|pas|jamais|autres?|seulement|peu(ven)?t|plus|augmenté*|suivie?s?|suffix*|préfix*|dérivé*'],
  es: ['propi[oa]s?|no|nunca|otr[oa]s?|solo|sólo|pued*|más|seguid*|sufij*|prefij*|derivad*'],
  pt: ['própri[oa]s?|não|nunca|outr[oa]s?|só|pod*|mais|seguid*|sufix*|prefix*|derivad*'],
  it: ['propri[oa]|non|mai|altr[oaie]|solo|può|possono|più|seguit*|suffiss*|prefiss*|derivat*'],
  nl: ['eigen|niet|nooit|geen|ander*|alleen|kan|mag|plus|gevolgd*'],
  ru: ['свой|своя|своё|не|никогда|друг*|только|может|могут'],
  zh: ['自己|自身|各自|不(?!变)|未|无|没有|仅|可以|可能|可选|加|后缀|前缀|拼接|派生|重试|日志'],
  ja: ['独自|ない|ません|異なる|別|のみ|加え|追加|再送'],
});

/** Says that two things are the same. */
export const EQUALS = phrases({
  en: [
    'equals?|equal to|is (always )?(the|that|set)|are the|same|identical|matche?s?',
    'echo*|repeat*|cop(y|ies|ied)|refers? to',
  ],
  de: ['gleich|ist (die|der|das)'],
  fr: ["est (le|la|l')"],
  es: ['es (el|la|igual)'],
  pt: ['é (o|a|igual)'],
  it: ['è (il|la|lo)'],
  zh: ['等于|相同|一致'],
  ja: ['同じ'],
  signs: ['='],
});
