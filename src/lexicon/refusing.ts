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

/** A sentence about requests that break the agreement, in other languages than English and Chinese. */
export const INVALID_REQUESTS_ELSEWHERE = either(inOrder(REQUESTS, BROKEN), phrases(BROKEN_REQUEST));

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

/** A sentence about requests that break the schema, whatever breaks it. */
export const BREAKS_THE_SCHEMA = inOrder(
  {
    en: [
      'breaks?|violat*|against|outside',
      'not (satisfy|match|follow|fit|conform to|conform|comply with|keep to|valid against)',
    ],
    de: ['nicht|verletz*|verst[oö](ß|ss)*'],
    fr: ['ne|pas|viole*'],
    es: ['no|viol*|incumpl*'],
    pt: ['não|viol*'],
    it: ['non|viol*'],
    ru: ['не|наруша*'],
    zh: ['不(符合?|满足|匹配)|违反'],
    ja: ['スキーマ'],
  },
  {
    en: ['schemas?'],
    de: ['schemas?'],
    fr: ['sch[ée]mas?'],
    es: ['esquemas?'],
    pt: ['esquemas?'],
    it: ['schem[ai]'],
    ru: ['схем*'],
    zh: ['模式|schema|架构'],
    ja: ['(合|従|沿)わ(ない|ず)|(準拠|適合|一致)し(ない|ず|ていない)|違反'],
  },
  30,
);

/** Requests that break the agreement, by what English and Chinese documents call them or say of them. */
export const INVALID_REQUESTS_NAMED = either(
  inOrder(
    { en: ['request*|message*'] },
    {
      en: [
        'not valid*|not satisfy*|not conform*|not match*|violate*|break*',
        '(is|are) invalid*',
        '(cannot|can not) be (read|parsed|understood|decoded)*',
      ],
    },
    40,
  ),
  phrases({
    en: [
      'invalid(,? or \\w+)?[ -](request|message|input|payload|parameter|format|data|field|value)*',
      '*malformed*|*bad request*',
      'missing (or \\w+ )?(field|required|parameter|member)*',
    ],
    zh: ['格式错误|请求无效|无效的?请求|参数错误|参数无效|缺少'],
  }),
);

/** What leaves no doubt that a request without a member it must have is meant. */
export const MISSING_MEMBERS = phrases({
  en: [
    'missing (or \\w+ )?(required )?(fields?|members?|parameters?|properties)',
    '(required|mandatory) (field|member|parameter|propert)(s|y|ies)? …20 (is|are) (missing|absent|not given)',
    '(requests?|messages?) …30 (not (satisfy|match|conform to|follow|valid against)|violates?|breaks?) ' +
      '(its|the|this|their)( request)? schema',
  ],
  zh: ['缺少(必填|必需|必要)?(的)?(字段|参数|属性)'],
});

/** What may mean a request in which something is missing. */
export const INCOMPLETE = phrases({
  en: [
    'missing|absent|incomplete|required|mandatory|lacks?|lacking|without|not given',
    'empty (requests?|messages?|fields?|strings?|values?|texts?)',
    '(is|are) empty',
  ],
  zh: ['缺', '必填', '为空'],
});

/** A sentence about requests that are wrong, rather than one rule that has the code of those. */
export const WRONG_IN_GENERAL = phrases({
  en: [
    'invalid*|malformed|bad|missing|incomplete|unreadable|wrong|incorrect|faulty|improper|unparsable',
    'not (be )?(valid|read|parsed|understood|decoded|match|conform|satisfy|follow)',
    'cannot be|violat*|breaks?|broken|schema|format',
  ],
  zh: ['错(?!误(码|代码|编号))', '无效', '缺', '不合法', '不正确', '非法', '格式'],
});

/** The same in other languages. */
export const WRONG_ELSEWHERE = phrases({
  de: ['*fehlerhaft*|*ung[uü]e?ltig*|*verletz*|*verst[oö](ß|ss)*|falsch*|fehlt|fehlen*|schema'],
  fr: ['mal form*|invalide*|incorrect*|manquant*|ne respecte*|schéma'],
  es: ['no cumpl*|inv[aá]lid*|no v[aá]lid*|mal formad*|incorrect*|falta*|esquema'],
  pt: ['inválid*|mal ?formad*|incorret*|falta*|em falta|esquema'],
  it: ['non valid*|malformat*|errat*|mancant*|schema'],
  nl: ['*ongeldig*|onjuist*|ontbre*'],
  ru: ['*наруша*|не соответств*|неверн*|некорректн*|отсутств*'],
  ja: ['不正|無効|違反|不足'],
});

/** That a member of a request is not of its type, or that a request is not what the document has described. */
export const WRONG_MEMBERS = phrases({
  en: [
    '(wrong|invalid|incorrect|unexpected|bad) (data )?types?',
    'not (of|in) (the|a|its|their) (right|correct|expected|declared|required|given|proper) (types?|format|form|shape)',
    '(request|message|line|input|command)s? …20 not …10 (as|like) (described|specified|given|defined|shown)',
    'not a (valid|well-formed|proper|correct) (request|message|line|input|command)',
    '(requests?|messages?|orders?|lines?) …30 not (follow|fit|keep to|obey|comply with|validate against) (the |this |that |its )?(section|chapter|form|format|schema|rules|description)',
  ],
  de: [
    'falsche[nrms]? (daten)?typ*',
    'nicht de[mnr] (angegebenen |beschriebenen |verlangten )?(typ|form|format|schema)*',
  ],
  fr: ['(mauvais|faux) type', "n'est pas du (bon )?type", 'type (incorrect|invalide|erron[ée]*)'],
  es: [
    'tipo (de dato )?(incorrecto|equivocado|inv[áa]lido|err[óo]neo)',
    'no (tiene|tienen|sigue|siguen|respeta|respetan) (el|su) (formato|tipo|esquema)*',
  ],
  pt: ['tipo (incorreto|errado|inv[áa]lido)'],
  it: ['tipo (errato|sbagliato|non valido)'],
  zh: ['类型(不对|错误|不符|不正确|有误)', '(请求|消息|报文)…6(格式)?(不对|不符|不合)'],
});

/** That a request is held against its schema, whatever comes of it. */
export const CHECKED = inOrder(
  {
    en: ['requests?|messages?|inputs?|it'],
    de: ['Anfragen?|Nachrichten?|Eingaben?|sie'],
    fr: ['demandes?|requ[eê]tes?'],
    es: ['solicitud(es)?|petici([oó]n|ones)'],
    zh: ['请求|消息|报文'],
  },
  {
    en: [
      '(satisfy|match|fit|follow|conform to|comply with|check(ed)? against|validated? against|against|valid against) (the |its |this |that )?(request )?schema',
    ],
    de: ['gegen (das|ihr) Schema', '(dem|ihrem) Schema (entspr|gen[uü]g)*'],
    fr: ['(respecte*|suit|suivre|conforme*) (le |son |au )*sch[eé]ma'],
    es: ['(cumpl|sigue|respet|valid)* (con )?(el|su|contra el) esquema'],
    zh: ['(符合|校验|检查|满足)…10(schema|格式|模式)'],
  },
);

/** A sentence about all that the one before it does not hold for. */
export const OR_ELSE =
  /^[\s>*•-]*(?:\|.*)?(?:(?:otherwise|else|if not|if (?:it|that|this) (?:does not|doesn't|is not|isn't|fails)|sonst|andernfalls|wenn nicht|entspricht sie|(?:tut|erfüllt) sie|sinon|si no|de lo contrario|en caso contrario)(?!\p{L})|否则|不然|若不|如果不)/iu;

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

/** That a message is thrown away or counts as an error. */
export const REFUSED = phrases({
  en: [
    'ignor*|discard*|reject*|refus*|dropp?(ed)?|(is|are|counts? as) lost|never act(ed)? on',
    'errors?|fail(s|ed|ures?)?',
    '(must not be|is not|are not) (used|taken|accepted|trusted)',
    '(does|do|must|will|shall) not (use|take|accept|trust)',
    '(counts?|treated|regarded|taken|handled) as (if )?(there (was|were|is|had been) )?no (answer|reply|response)',
    '(does|do) not concern',
  ],
  de: [
    'verw(erfen|orfen)',
    'fehler',
    'abgelehnt',
    '(ist|sind) ungültig',
    'gilt (nicht als|als keine) Antwort',
    'gilt (sie|er|es|diese) nicht',
  ],
  fr: ['rejetée?s?', 'ignorée?s?', 'erreurs?', "n['’]en tient pas compte|n['’]est pas (prise en compte|retenue)"],
  es: ['rechaz*', 'descart*', 'no se (tiene|tienen) en cuenta', 'no (vale|cuenta|sirve)n? como respuesta'],
  pt: ['descart*'],
  ru: ['(отклон|отверг|ошибк|игнорир|нельзя)*', 'не учитыва*'],
  zh: ['丢弃', '忽略', '拒绝', '错误', '作废', '无效', '(视为|视作|当作|算作)(没有|没|未|无)'],
  ja: ['使ってはならない', '破棄', '無視', '拒否', 'エラー'],
  ar: ['مرفوض', 'يرفض', 'تجاهل', 'خطأ'],
});
