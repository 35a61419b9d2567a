import { either, inOrder, type Phrases, phrases } from './phrases.ts';

/** A word of refusal, in an answer or in what a document says of it. */
export const SAYS_NO = phrases({
  en: [
    'bad|malformed|ill[- ]formed|illegal|wrong|incorrect|broken|invalid|unreadable|unusable|unpars(e)?able',
    'not (a )?(valid|allowed|understood)',
    'cannot be (read|parsed|understood)',
    'errors?|fail(s|ed|ure)?|reject(s|ed)?|refuse[sd]?|denied',
  ],
  de: ['*abgelehnt*', '*zur[uü]ckgewiesen*', '*verweigert*', '*ung[uü]e?ltig*'],
  fr: ['refusée?s?', 'invalides?'],
  es: ['rechazad[ao]*', 'denegad[ao]*', 'inv[aá]lid[ao]s?'],
  pt: ['recusad[ao]*', 'inv[aá]lid[ao]s?'],
  it: ['rifiutat[ao]*', 'non valid*', 'invalid[aeo]'],
  nl: ['*ongeldig*'],
  zh: ['无效', '错误', '非法', '不合法', '不正确', '有误', '拒绝', '失败', '异常'],
  ja: ['不正', '無効'],
});

/** What documents say of requests that are not as agreed, besides words of refusal. */
export const BREAKS_RULES = phrases({
  en: [
    'misformed|unformed|nonsense|incomplete|against|violat*|breaks?|breach*',
    'not (in order|as agreed|follow*|conform*|fit|match*|keep|compl[yi]*|usable)',
    "(cannot|can't) (read|parse|understand|use)",
  ],
  de: ['*fehlerhaft*', '*verst[oö](ß|ss)t', '*verletzt*', 'nicht dem schema*'],
  fr: ['mal formée?*', 'ne respecte pas'],
  es: ['malformad*', 'no cumple*'],
  pt: ['malformad*', 'fora do (esquema|formato)', 'não (cumpr|respeit|segu|obede)*'],
  it: ['non rispetta*'],
  zh: ['不符'],
  ja: ['違反'],
});

/** What documents call requests, in languages whose words for them are as plain as those for what breaks them. */
const REQUESTS: Phrases = {
  de: ['Anfragen?|Nachrichten?|Eingaben?'],
  fr: ['demandes?|requ[eê]tes?'],
  es: ['solicitud(es)?|petici([oó]n|ones)'],
  pt: ['pedidos?|solicitaç(ão|ões)|requisiç(ão|ões)'],
  it: ['richiest[ae]'],
  ru: ['запрос*'],
  ja: ['リクエスト|要求'],
};

/** What they say of one that is not as agreed. */
const BROKEN: Phrases = {
  de: ['*fehlerhaft*|*ung[uü]ltig*|*verletz*|*verst[oö](ß|ss)*', 'nicht gen[uü]g*', 'nicht (dem|ihrem) schema*'],
  fr: ['mal form*|invalide*|ne respecte*'],
  es: ['no cumpl*|inv[aá]lid*|no v[aá]lid*|mal formad*'],
  pt: ['fora do esquema|inválid*|mal ?formad*', 'não (cumpr|respeit|válid|segu)*'],
  it: ['non (rispett|valid|conform)*', 'malformat*|errat*'],
  ru: ['*наруша*|не соответств*|неверн*|некорректн*'],
  ja: ['合わない|合わなければ|従わない|違反|不正|無効'],
};

/** The two in one breath. */
const BROKEN_REQUEST: Phrases = {
  de: ['(ung[uü]ltige|fehlerhafte)[nr]? (Anfragen?|Nachrichten?)'],
  it: ['non (valid|conform)* …30 schema'],
  ru: ['(неверн|некорректн|ошибочн)* запрос*'],
  ja: ['(不正|無効)な(リクエスト|要求)'],
};

/** A sentence about requests that are not as agreed, and about nothing else. */
export const BREAKS_A_REQUEST = either(
  inOrder(
    { ...REQUESTS, en: ['requests?|messages?|inputs?|queries|query|batch|those'], zh: ['请求'] },
    {
      ...BROKEN,
      en: [
        'not (match|keep|conform|follow|fit|valid|as agreed|compl[yi]|obey|satisfy)*',
        'not (of|in) (the|this|that|any of the) (form|format|shape)',
        'violat*|breaks?|breach*|in breach|broken|malformed|ill[- ]formed|invalid',
        'missing (members?|fields?|properties|values)',
      ],
      zh: ['不符|不合法|无效|格式错误|不满足|不正确'],
    },
  ),
  phrases({
    ...BROKEN_REQUEST,
    en: ['(broken|malformed|ill[- ]formed|invalid|bad|faulty|incorrect) (requests?|messages?|inputs?|queries|ones?)'],
    zh: ['(无效|非法|错误)的?请求'],
  }),
);

/** A word of an answer that makes it a failure in whatever agreement. */
export const BAD_WORD = phrases({
  en: [
    'error|err|fail(ed|ure)?|reject(ed)?|denied|refused?|declined|unauthori[sz]ed|forbidden|nack',
    'invalid|malformed|bad[ _-]?request|missing|cannot|conflict',
    'not[ _-]?found|no such|unknown|unavailable|timeout|expired|insufficient|out[ _-]?of[ _-]?stock',
    'too[ _-](late|early|soon|many|few|much|small|large|big|long|short|old|young)',
  ],
  de: [
    '*abgelehnt|*zur(ü|ue)ckgewiesen|*verweigert|fehler(haft)?|fehlgeschlagen|gescheitert|*ung(ü|ue)ltig*|unbekannt|nicht gefunden',
  ],
  fr: ['refus(é|e)e?|rejet(é|e)e?|erreur|(é|e)chec|invalide|inconnue?|introuvable'],
  es: ['(rechazad|denegad|inv(á|a)lid|desconocid)[oa]|fallid[oa]|no encontrad[oa]'],
  pt: ['(recusad|negad|inv(á|a)lid|desconhecid)[oa]|erro|n(ã|a)o encontrad[oa]'],
  zh: ['错误', '失败', '拒绝', '无效', '不存在', '未找到', '不足', '过期', '异常'],
});

/** A word of a case's expected result that makes it a failure. */
export const FAILURE_WORD = phrases({
  en: [
    'errors?|err|fail(ed|ure|s)?|exception|rejected|refused|denied|unauthori[sz]ed|forbidden',
    'invalid|not[ _-]?found|unknown|missing|unavailable|does not exist|timed? ?out',
  ],
  zh: ['错误', '失败', '无效', '不存在', '未找到', '拒绝', '非法', '异常', '超时', '缺少'],
});
