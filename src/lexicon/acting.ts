import { either, inOrder, phrases } from './phrases.ts';

/** That nothing is done but what the same sentence has done. */
export const NOTHING_ELSE = phrases({
  en: ['nothing (else|more|further) (is|gets|happens|may be|must be|shall be|will be)'],
  de: ['(sonst|weiter) (wird|geschieht|passiert) nichts'],
  fr: ["rien d['’]autre n['’]est*"],
  es: ['no se hace nada más'],
  zh: ['不再(做|执行|进行)(任何)?(其他|其它)?(操作|动作)'],
});

/** That nothing is changed at all. */
export const NOTHING_CHANGED = phrases({
  en: [
    'nothing (happens|changes)',
    'without (any side[ -]effects?|(changing|writing|doing|storing) anything)',
    'no (writes?|writing|side[ -]effects?)',
  ],
  de: ['ohne etwas zu (ändern|speichern|schreiben)', 'nichts wird (geändert|gespeichert|geschrieben)'],
  fr: ['sans rien (changer|modifier|écrire)'],
  es: ['sin (cambiar|modificar|escribir|guardar|hacer) nada', 'no se (cambia|modifica|guarda|escribe) nada'],
  zh: ['不(做|作|进行)任何(修改|更改|变更|操作)'],
});

/** That the tool named behind it is not called. */
export const NOT_CALLED = phrases({
  en: [
    '(do|does|must|shall|may|is|will) not (then |be )?(call|ask|use|invoke|run)',
    'never (call|ask|use|invoke|run)s?',
    'without (calling|asking|using|invoking|running)',
  ],
  fr: ['(ne pas|sans) (appeler|exécuter|utiliser)'],
  es: ['(no|sin) (se )?(llam|ejecut|us)*( a)?'],
  pt: ['(não|sem) (se )?(cham|execut|us)*'],
  it: ['(non|senza) (si )?(chiam|esegu|us)*'],
  ru: ['(не|без) (вызов|вызыва|вызва|использ)*'],
  zh: ['不(得|能|可|应|会|要|许)?(再|继续)?(调用|执行|使用)', '(禁止|切勿|请勿)(再|继续)?(调用|执行|使用)'],
});

/** Words that make what is done depend on something. */
export const CONDITION = phrases({
  en: ['if|when|where|while|before|after|again|twice|as long as|in case|for'],
  de: ['wenn|falls|bei|bevor|solange|erneut'],
  fr: ['si|quand|avant'],
  es: ['si|cuando|antes'],
  zh: ['如果|若|之前'],
});

/** That something is done whatever the answer is. */
export const DONE_ALWAYS = phrases({
  en: [
    '(?<!for )(every|each|all) …30 (is|are|gets?|must be) (\\p{L}+ed|kept|written|put)',
    'in (any|every|each) case|whatever|regardless|either way|always',
    'although (nobody|no one|nothing)',
    'as well|also|too|likewise',
  ],
  de: ['(jede[rs]?|alle) …40 (wird|werden)', 'in jedem Fall|immer|stets|unabhängig', 'auch|ebenfalls'],
  fr: ['(chaque|tou(te)?s les) …40 (est|sont)', 'dans tous les cas|toujours', 'aussi|également'],
  es: ['(cada|tod[oa]s l[oa]s) …40 se', 'en (todo|cualquier) caso|siempre', 'también'],
  zh: ['(每|所有|任何|无论)…20(都|均|须|要|会)', '一律|总是|始终|也'],
});

/** That something is not done, is done already, or is done on a condition. */
export const NOT_ALWAYS = phrases({
  // "refused or not" leaves nothing out.
  en: ['(?<!or )not|cannot|never|no|nothing|none|neither|nor|without|already|only|unless|until|passed'],
  de: ['(?<!oder )nicht|nie*|kein*|ohne|bereits|schon|nur|erst'],
  fr: ['(?<!ou )pas|jamais|rien|aucun*|sans|déjà|seulement|sauf'],
  es: ['(?<!o )no|nunca|nada|ningun*|sin|ya|solo|sólo|salvo'],
  zh: ['不|未|没|无需|已|只有|仅|才'],
});

/** How an item begins of what is done where none of the items before it holds. */
export const OTHERWISE = phrases({
  en: ['^(otherwise|else|in (all|any) other cases?|(if|when) (all|none) of (these|the above))'],
  de: ['^(sonst|andernfalls|ansonsten|in allen anderen Fällen)'],
  fr: ['^(sinon|autrement|dans (tous )?les autres cas)'],
  es: ['^(en (todos )?los demás casos|en (cualquier )?otro caso|de lo contrario)'],
  pt: ['^(nos demais casos|em (qualquer )?outro caso|caso contrário|senão)'],
  it: ['^(altrimenti|negli altri casi|in caso contrario)'],
  zh: ['^(否则|其他情况|其余情况|(以上)?(全部|都|均)(满足|通过|符合))'],
});

/** Words that leave it open whether something is done, or say that it is not. */
export const LEFT_OPEN = phrases({
  en: [
    'not|never|may|might|can|could|should|optional*|or|either|instead|no longer|former*',
    'e\\.g|for example|such as|unless',
    '(requester|client|caller|customer) (calls|uses|runs|invokes)',
  ],
  zh: ['不|可以|可选|或|例如'],
});

/** Words by which a tool, or what is said of it, takes back what was done. */
export const TAKES_BACK = phrases({
  en: [
    'undo(es)?|releas*|cancel*|refund*|revert*|revers*|rolls? ?back|restor*|void*|unlock*|un ?reserv*|un ?do',
    '(puts?|gives?|given|takes?|taken|pays?|paid) ?(it |them |money |the \\w+ )?back|returns? (it|them|the (goods|stock|money|seats?))|frees?|withdraw*',
  ],
  de: ['*stornier*|*freigeben|gibt …20 frei|*zurück*|*rückgängig*|*aufheben'],
  fr: ['annul*|lib[eé]r*|rembours*|restitu*'],
  es: ['liber*|anul*|devolv*|devuel*|reembols*|cancel*|deshac*'],
  pt: ['liber*|anul*|devol*|reembols*|cancel*|desfa*'],
  it: ['liber*|annull*|rimbors*'],
  zh: ['释放', '取消', '退(款|还|回|订)', '撤销', '回滚', '归还', '恢复|还原'],
});

/** Words by which one tool puts right what it failed at, or is asked for the next of several. */
export const PUTS_RIGHT = phrases({
  en: [
    '(?<!\\b(com*|came|echo*|report*|call*|answer*|tell|told) )back(?! ?-?(ends?|office))',
    'rollback*|undo*|revert*|revers*|compensat*|restor*|fallback*',
    'instead|next|another',
  ],
  de: ['zurück*|rückgängig|nächste[nrsm]?'],
  fr: ['suivante?|annul*|remis*'],
  es: ['siguiente|próxim[oa]|deshac*|devuel*'],
  pt: ['próxim[oa]|desfe*|desfaz*'],
  it: ['successiv[oa]'],
  ru: ['следующ*|возвра*|отмен*'],
  zh: ['回滚|退回|撤销|恢复|下一'],
  ja: ['取り消|元に戻|次の'],
});

/** That something is never written to the log. */
export const NEVER_LOGGED = phrases({
  en: [
    '(never|not|nor|neither|no|none|nothing|nowhere) …100 (logs?|logged|log (lines?|entr(y|ies)|files?|messages?))',
    "(never|do not|don't|must not|may not|not to) log",
    '(logs?|log (lines?|files?)) …100 not be in (it|them|these|those)',
    '(logs?|log (lines?|entr(y|ies)|files?|messages?)) (may|can|might|holds?|contains?|ha(s|ve)) …100 but (never|not|no)',
  ],
  de: [
    '(nie|niemals|nicht|nichts|kein*|weder) …80 (protokolliert|geloggt|logs?|logzeile*|protokoll*)',
    '(logs?|logzeile*|protokoll*) …30 nichts (verloren|zu suchen)',
  ],
  fr: ['(ni|pas|jamais|rien) …60 (logs?|journal|journaux|journalis*)'],
  es: ['(ni|no|nunca|jamás|tampoco|nada) …60 (logs?|registros?|bitácoras?)'],
  pt: ['(nem|não|nunca|jamais|nada) …60 (logs?|registr?os?)'],
  it: ['(né|non|mai|nulla) …60 (logs?|registr[oi])'],
  zh: ['不[得能可要应会]?被?(写入|记录|记入|出现|进入|输出)…12日志', '日志…12不[得能可要应会]'],
});

/** That some things alone are written to the log. */
export const ONLY_LOGGED = phrases({
  en: [
    '(logs?|log (lines?|entr(y|ies)|files?|messages?)) …20 (contains?|holds?|has|have|carr(y|ies)|shows?|names?|tells?) …150 (nothing|none) (else|more|further|besides|beyond)',
    '(logs?|log (lines?|entr(y|ies)|files?|messages?)) …20 (contains?|holds?|has|have|carr(y|ies)|shows?) (only|nothing (but|except|other than|besides|beyond))',
    '(only|nothing (but|except|other than|besides|beyond)) …100 (be|is|are|gets?) (logged|written (to|into) (the |a |our |any )?logs?)',
  ],
  de: [
    '(logs?|logzeile*|protokoll*) …20 (nur|nichts (außer|als))',
    '(nur|nichts (außer|als)) …80 (protokolliert|geloggt|ins (log|protokoll))',
  ],
});

/** That something in an answer is told to nobody, each in its own words. */
const NEVER_IN_AN_ANSWER = inOrder(
  {
    en: ['never|not|at no time|nowhere|none of|neither'],
    de: ['nie|niemals|nicht'],
    fr: ['jamais|pas'],
    es: ['nunca|no|jamás'],
    pt: ['nunca|não|jamais'],
    it: ['mai|non'],
    zh: ['不得|不能|不可|不应|不会|绝不|禁止'],
  },
  {
    en: [
      '(part of|appear*|repeat(ed)?|contained|told|shown|included|found|stand|returned|sent|put|echoed|occurs?|be(?= in )) ' +
        '(it |them )?(back )?(anywhere )?((in(to)?|with|of|by) )?((an?|any|the|its|our) )?(\\p{L}{1,30})?(answers?|responses?|repl(y|ies))',
    ],
    de: ['(in|Teil) …12 Antwort* …20 (erscheinen|stehen|vorkommen|wiederholt|sein)'],
    fr: ['(dans|partie de) …12 réponses?'],
    es: ['(en|parte de) …12 respuestas?'],
    pt: ['(em|n[ao]s?|numa|parte da) …12 respostas?'],
    it: ['(in|nell[ae]|parte della) …12 rispost[ae]'],
    zh: ['(出现|包含|返回|写入|放)在?(响应|应答|回复|答复)'],
  },
  40,
);

/** That something is told to nobody at all. */
const NEVER_GIVEN_AWAY = phrases({
  en: [
    '(never|(must|may|shall|should|does|do|will|is|are) not|cannot) (ever )?(be )?' +
      '(leaves? (the provider|our (house|system|side)|us)|(?<=never )leaves? (the|our|this) \\p{L}+(?! (before|without|until))|disclosed?|revealed?|given (away|out)|sent back|passed on|leaked)',
    '(stays?|remains?|kept) (strictly )?(inside|with (us|the provider)|private|secret)|(is|are) (ours|for us) alone',
    '(is|are|stays?|remains?) (strictly )?(confidential|private)(?! to)',
    '(appears?|stands?|occurs?|is told|are told|go|goes) in no (answer|response|reply|message)',
    '(is|are) under (\\p{L}+ )?secrecy|subject to (\\p{L}+ )?(secrecy|confidentiality)',
    '(is|are) (passed on|handed on|given|told|shown|sent|disclosed|revealed) to (nobody|no one)(?! (but|else|except))',
    '(is|are) (not|never) to be (told|returned|shown|sent|shared|given)',
    '(is|are) (never|not) told(?=\\s?($|[.;,]|at all|to (anyone|anybody)|anywhere))',
    '(is|are) told to (nobody|no one)(?! (but|else|except|other))',
    '(must|may|shall|will) (never|not) leave (our|the|this) (system|house|office|building|company|department|ward|team)',
    '(?<=\\b(numbers?|codes?|address(es)?|names?|e-?mails?|phones?|details|keys?|tokens?|pins?|passwords?) (is|are) )never (returned|shared|exposed)',
    'neither …80 (may|must|can|shall|will|is|are) (be )?(told|returned|shown|sent|shared|given|disclosed)',
    '(?<=\\b(they|these|both|it) )(appear*|stand|occur|go|are told|is told) (neither|nowhere)',
  ],
  de: [
    '(darf|dürfen|wird|werden) …30 (nicht|nie|niemals|niemandem) (weitergegeben|herausgegeben|offengelegt|mitgeteilt|verraten)',
    'in keine[rn] (\\p{L}+ )?Antwort* …20 (erscheinen|erscheint|stehen|steht|vorkommen|vorkommt|sein)',
    '(erscheinen|erscheint|stehen|steht|kommen|kommt|tauchen|taucht) …30 in keine[rn] (\\p{L}+ )?Antwort*',
    '(bleiben|bleibt) (streng )?(beim Anbieter|bei uns|im Haus|intern|vertraulich|geheim)',
    '(verlassen|verlässt) (das|die|den|unser(e|en)?) \\p{L}+ (nicht|nie|niemals)',
    '(unterlieg(t|en) de[rm] (\\p{L}*pflicht|\\p{L}*geheimnis))',
  ],
  fr: [
    '(ne )?(doi(t|vent)|sera|seront|est|sont) (jamais|pas) (être )?(transmis|communiqu|divulgu|révél|renvoy)(es?|ée?s?)?',
  ],
  es: [
    '(nunca|no) (se )?(debe[n]? )?(ser )?(revel|divulg|comunic|transmit|devuelv|devolv)*',
    'no se (dan?|dicen?|muestran?|entregan?|facilitan?) (nunca|jamás|a nadie)',
  ],
  pt: ['(nunca|não) (deve[m]? )?(ser )?(revelad|divulgad|transmitid|comunicad)*'],
  it: ['(mai|non) (deve|devono|va|vanno) (mai )?(essere )?(rivelat|divulgat|comunicat|trasmess)*'],
  zh: ['(不得|不能|不可|绝不|禁止|不应)(返回|泄露|透露|公开|外传|披露)'],
  ja: ['(返し|公開し|開示し|漏らし)て(は(ならない|いけない)|はなりません)'],
});

/** That something is never told to whoever asked. */
export const NEVER_TOLD = either(NEVER_IN_AN_ANSWER, NEVER_GIVEN_AWAY);

/** That something goes to no peer, in what is sent. */
export const NEVER_SENT = phrases({
  en: [
    '(is|are|be) (never|not) (sent|transmitted|forwarded|passed on|shared|handed over)(?! (again|twice|before|until|a second))',
  ],
  de: ['(wird|werden) …20 (nie|nicht|niemals) (gesendet|übermittelt|übertragen|mitgeschickt|weitergegeben)'],
  fr: ["(ne|n[’']) ?(sont|est) (jamais|pas) (envoy|transmis|communiqu)*"],
  es: ['(nunca|no) se (envían?|transmiten?|comunican?)'],
  pt: ['(nunca|não) (é|são) (enviad|transmitid)*'],
  zh: ['(不得|不能|不可|绝不|禁止)(发送|传输|发给|传给)'],
});

/** That what was said before holds of something else as well, which stands behind it. */
export const SAME_OF = phrases({
  en: ['the same (goes|holds|applies|is true) (for|of|to)'],
  de: ['(dasselbe|das gleiche|gleiches) gilt für|ebenso wenig|ebensowenig'],
  fr: ['il en va de même (pour|de|des|du)|de même pour'],
  es: ['(lo mismo|igual) (vale|se aplica|rige) (para|a)|tampoco'],
  pt: ['o mesmo (vale|se aplica) (para|a)|tampouco'],
  zh: ['(同样|亦|也)(适用于|如此)'],
});

/** A sentence by which an answer has neither of what stands behind it. */
export const ANSWERS_WITHOUT = phrases({
  en: [
    '(answers?|responses?|repl(y|ies)) (contains?|has|have|includes?|tells?|carr(y|ies)) (neither|no|none of)',
    '(never|do not|must not) (answer|respond|reply) with',
    '(never|do not|must not) (mention|reveal|disclose)(?! (whether|that|why|if|which|who|how|any|anything))',
    'no (answers?|responses?|repl(y|ies)) (contains?|has|have|includes?|tells?|carr(y|ies))',
    'what (it|they|(an|the|no) answer|answers?) (must|may|shall|will) (never|not) (contain|hold|tell|say|carry|show)',
    'what (must|has to|shall|is to) (stay|remain) (with us|inside|in the house|private|secret)',
  ],
  de: ['(Antwort*) (enthält|enthalten|nennt) (weder|kein*)'],
  fr: ["réponses? (ne|n['’]) ?(contien|comport|inclu|mentionn|indiqu|révèl|donn)* (jamais|pas|ni|aucun)*"],
  es: [
    'respuestas? (no|nunca|jamás) (contien|incluy|llev|revel)*',
    'bajo ninguna circunstancia …10 (salen? de[l]?|se (comunica|revela|da|facilita|muestra)n?)',
  ],
  pt: ['respostas? (não|nunca|jamais) (cont[ée]m|inclu|lev|revel)*'],
  zh: ['(响应|应答|回复)(中|里)?(都|均|也)?(不得|不能|不可|不会)(包含|出现|带有)'],
});

/** A sentence by which a text for people has nothing of what stands behind it, or around it. */
export const TEXTS_WITHOUT = inOrder(
  {
    en: [
      'messages?|texts?|notes?|reasons?|explanations?|descriptions?|comments?|remarks?|sentences?|answers?|responses?|repl(y|ies)',
    ],
    de: ['Meldung*|Nachricht*|*text|*texte|Hinweis*|Begründung*|Antwort*|Bemerkung*'],
    fr: ['messages?|textes?|notes?|réponses?|motifs?'],
    es: ['mensajes?|textos?|notas?|respuestas?|motivos?'],
    pt: ['mensage(m|ns)|textos?|notas?|respostas?|motivos?'],
    it: ['messaggi[o]?|test[oi]|not[ae]|rispost[ae]|motiv[oi]'],
    zh: ['消息|说明|备注|提示|文本|描述|原因|响应|回复|应答'],
  },
  {
    en: [
      '(must|may|shall|should|do|does|will|can) (not|never) (contain|include|name|mention|repeat|tell|give|reveal|disclose|show|carry|hold|have)',
      'never (contains?|includes?|names?|mentions?|repeats?|tells?|gives?|reveals?|shows?|carr(y|ies)|holds?|have|has)',
      'cannot (contain|include|name|mention|repeat|tell|reveal|show)',
    ],
    de: [
      '(darf|dürfen|soll|sollen|wird|werden) …10 (nicht|nie|kein*|weder) …80 (enthalten|nennen|verraten|erwähnen)',
      '(nennt|nennen|enthält|enthalten) …10 (nie|niemals|weder)',
    ],
    fr: ['ne (doi(t|vent)|peu(t|vent)) (pas|jamais) (contenir|mentionner|inclure|donner|révéler)'],
    es: ['(no|nunca) (debe[n]?|puede[n]?) (contener|incluir|mencionar|dar|revelar)'],
    pt: ['(não|nunca) (deve[m]?|pode[m]?) (conter|incluir|mencionar|revelar)'],
    it: ['non (deve|devono|può|possono) (contenere|includere|menzionare|rivelare)'],
    zh: ['(不得|不能|不可|不应|禁止|绝不)(包含|出现|带有|提及|透露|泄露|含有)'],
  },
  24,
);

/** That something is for those alone whose house it is. */
export const FOR_OUR_OWN_USE = phrases({
  en: [
    '(for|of) (internal|in-house|staff|office|our own) (use|purposes|eyes)( only)?',
    '(used|kept|meant|held|needed) (only |solely |strictly )?(internally|in-house)( only)?',
    '(internal|staff) only|only internal',
  ],
  de: ['(nur|ausschließlich|rein) (intern|für (den )?intern*|für das Personal|im Haus*)', 'nur intern*'],
  fr: ['(usage|usages) (strictement |purement )?internes?( uniquement)?'],
  es: ['(solo|sólo|únicamente|exclusivamente)? ?(de|para) uso interno'],
  pt: ['(só|apenas|somente|exclusivamente)? ?(de|para) uso interno'],
  it: ['(solo|soltanto|esclusivamente)? ?(ad|per) uso interno'],
  zh: [
    '(只|仅)(在|供|限|限于|用于|作为)?…10(内部|校内|院内|馆内|店内|公司)…4(使用|查看|参考|流转|可见)',
    '(属于|为)内部',
  ],
});

/** Words by which a sentence goes on about what the one before speaks of. */
export const OF_THE_ONE_BEFORE = phrases({
  en: [
    '^(it|they|these|those|this|both|(none|neither|all|any) of (it|them|these|those|this)|neither (may|must|is|are|can))',
  ],
  de: ['^(er|sie|es|diese[rs]?|beide[s]?|keine[rs]? (davon|von ihnen)|all dies)'],
  fr: ['^(il|elle|ils|elles|ceux-ci|celles-ci|aucune? d.eux)'],
  es: ['^(estos|estas|esto|ambos|ambas|ningun[oa] de (ellos|ellas|estos|estas))'],
  zh: ['^(这些|(以上|上述|此类)(信息|数据|内容|字段)|它们|两者|二者)'],
});

/** What is told of people, by the words of a language and by how members are called that hold it. */
export const PERSONAL: readonly [words: RegExp, member: RegExp][] = [
  [phrases({ en: ['e-?mails?|mail address(es)?'] }), /^e?_?mail(?:_?address)?$/i],
  [
    phrases({ en: ['(tele|mobile )?phones?( numbers?)?|mobile numbers?'] }),
    /^(?:(?:tele|mobile_?)?phone|mobile)(?:_?(?:number|no))?$/i,
  ],
  [
    phrases({
      zh: ['电话|手机'],
      ja: ['電話'],
      de: ['Telefon*'],
      fr: ['téléphone'],
      es: ['teléfono'],
    }),
    /phone|tel$|mobile|telefon|téléphone|teléfono/i,
  ],
  [
    phrases({
      zh: ['邮箱|电子邮件|邮件地址'],
      ja: ['メール'],
      de: ['E-?Mail*'],
      fr: ['courriel'],
      es: ['correo'],
    }),
    /e?mail/i,
  ],
  [phrases({ zh: ['身份证|证件号'] }), /id_?card|identity|id_?(?:no|num)/i],
  [phrases({ zh: ['血型'] }), /blood/i],
  [phrases({ zh: ['(检测|检验|化验|检查)结果'] }), /(?:test|lab|check)_?result/i],
  [phrases({ zh: ['诊断|病情|病历|病史'] }), /diagnos|medical|disease/i],
  [phrases({ zh: ['生日|出生'], de: ['Geburtsdat*'], fr: ['naissance'], es: ['nacimiento'] }), /birth|^dob$/i],
  [phrases({ zh: ['护照'], de: ['*passnummer'], fr: ['passeport'], es: ['pasaporte'] }), /passport/i],
  [phrases({ zh: ['余额'], de: ['Kontostand*'], fr: ['solde'], es: ['saldo'] }), /balance/i],
  [phrases({ zh: ['成本|进价|采购价'] }), /cost|purchase|wholesale/i],
  [phrases({ zh: ['评语'] }), /comment|remark/i],
  [phrases({ zh: ['车牌'] }), /plate/i],
  [
    phrases({ zh: ['姓名'], ja: ['氏名'] }),
    /^(?:(?:full|real|user|owner|customer|student|receiver|recipient|holder|contact)_?)?name$|^(?:owner|receiver|recipient|holder|payer|tenant)$/i,
  ],
  [phrases({ zh: ['成绩'], ja: ['成績'], es: ['calificaci*'] }), /gpa|grade|score/i],
  [phrases({ zh: ['住址|家庭地址'], ja: ['住所'], de: ['Anschrift'] }), /home_?address|^address$/i],
  [
    phrases({ zh: ['密码'], ja: ['パスワード'], de: ['Passwort*'], fr: ['mot de passe'], es: ['contraseña'] }),
    /passw/i,
  ],
  [phrases({ zh: ['折扣'], de: ['Rabatt*'], fr: ['remise'], es: ['descuento'] }), /discount/i],
  [
    phrases({
      en: ['salar(y|ies)|wages?'],
      zh: ['工资|薪资|薪水'],
      ja: ['給与'],
      de: ['Gehalt*'],
      fr: ['salaire'],
      es: ['salario'],
    }),
    /salary|wage/i,
  ],
  [
    phrases({
      en: ['bank (accounts?|details|data)|account numbers?'],
      zh: ['银行(账|帐)(户|号)'],
      de: ['Bankverbindung*|Kontonummer*'],
      fr: ['compte bancaire'],
      es: ['cuenta bancaria'],
    }),
    /iban|bank_?account|account_?(?:no|num)/i,
  ],
];

/** That something is done behind all checks. */
export const ONLY_AFTER_CHECKS = phrases({
  en: ['only (after|once|when) (all|every|each) …40 (checked|verified|passed|met|fulfilled|validated)'],
  de: ['erst (nach|wenn) all* …40 (Prüfung*|geprüft|erfüllt)'],
  zh: ['(全部|所有)…8(校验|检查|条件)…8后?(才|方)'],
});

/** That something is done after something else, and not otherwise. */
export const ONLY_AFTER = phrases({
  en: ['only (after|once|when|if|upon)|not (until|before)'],
  de: ['(erst|nur) (nach|wenn|bei|dann)'],
  fr: ['(seulement|uniquement) (après|si|quand|lorsque)', 'ne …40 qu.(après|une fois)'],
  es: ['(solo|sólo|solamente|únicamente) (después|tras|si|cuando|una vez)'],
  pt: ['(só|somente|apenas) (depois|após|se|quando)'],
  it: ['(solo|soltanto) (dopo|se|quando)'],
  zh: ['只有', '(之后|以后|后)(才|方|再)'],
});

/** That something is only tried, and has no effect. */
export const WITHOUT_EFFECT = phrases({
  en: [
    '(change|store|write|book|charge|do)(s|ing)? nothing|nothing (is|will be|gets) (really )?\\p{L}+|no (changes?|effects?|side[ -]effects?)',
    'without (any )?(chang|effect|side|writ|stor|execut|perform|carry)*',
    '(not|never) (be |actually |really )?(executed|carried out|performed|changed|stored|written)',
  ],
  de: ['nichts|ohne …20 (Wirkung|Änderung)*'],
  fr: ['rien|sans …20 (effet|modif)*'],
  es: ['nada|sin …20 (efecto|cambi)*'],
  zh: ['不(做|作|进行|实际|真正|执行|写入|修改)', '无副作用'],
});
