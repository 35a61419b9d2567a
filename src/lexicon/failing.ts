import { either, inOrder, phrases } from './phrases.ts';

/** That a system is down; what is rounded, written or gone down to something is not. */
const DOWN = String.raw`(?<!\b(?!be)\w+(ed|ing|en) |\b(round|scale|write|count|step|cut|turn|put|note|scroll)s? )down(?! (to|by|into|from|the)\b)`;

/** What somebody may say of a system that fails, without an "if". */
export const FAILS = phrases({
  en: [
    'fail(s|ed|ing|ures? of)?',
    // What breaks something has not failed.
    'breaks? down|(breaks|broke)(?! (an?|the|any|one|its|their|our|this|that|these|those|some|no|schemas?|rules?|off|out|into|up|through|ties?|even|with|from|apart)\\b)',
    "(cannot|can not|can't|could not) be (asked|reached|read|written|contacted|queried|used|stored|saved|recorded)",
    "(cannot|can not|can't|could not) be (opened|obtained|fetched|had|got|accessed|consulted|retrieved|looked up)",
    'could not be (created|issued|delivered|notified|unlocked|sent)',
    // Without a condition, that is a rule: "a past date cannot be issued".
    "(cannot|can not|can't) be (created|issued|delivered|notified|unlocked|sent)(?<=\\b(if|when|where|that|which) [^.\\n]{1,90})(?! (because|since|as|to|by|in|until|unless|before|after)\\b)",
    "((does|do|did) not|(does|do|did)n['’]t) (answer|respond|reply|react|work)",
    '(is|are|was) (silent|not (available|reachable|working))|not reachable',
    `${DOWN}|offline|unreachable|unavailable`,
    'times? out|timed out|time-?out',
    'out of (order|service)|should …30 not be (readable|reachable|available)',
    'no (answer|reply|response) from',
    'malfunction*|outages?|crash(es|ed|ing)?',
    '(reports?|reported|raises?|raised|throws?|threw|signals?) an? (error|exception|failure|fault)',
    // Without a condition, that is an answer of the provider's own.
    '(gives?|returns?|produces?|yields?|results? in|ends? (in|with)|answers? with) an? (error|exception|failure)(?<=\\b(if|when|where|whenever|once|should) [^.,;\\n]{1,90})',
    '(tool|call|look-?up|service|system|back-?end) errors( out)?',
    '(an? |any )?(errors?|exceptions?|problems?|faults?) (occurs?|arises?|happens?|is raised|is thrown)',
    'in case of (an? )?(error|failure|exception|outage)|on (an? )?(error|failure) (of|in|from)',
    '(goes|went) wrong|(does|did) not go through',
  ],
  de: [
    'scheiter(t|n)',
    'miss(lingt|lingen|lungen|glückt)',
    '(geht|gehen|ging) …30 schief|schief ?(geht|gehen|gegangen)',
    'gelingt …40 nicht|nicht gelingt',
    '(bei|im Falle?) (einem|eines|einer) (Fehlers?|Störung|Ausfalls?)|bei (Störung(en)?|Ausfall)',
    '(tritt|treten) …30 (Fehler|Störung(en)?) …10 auf|kommt es …20 zu (einem Fehler|einer Störung|Fehlern|Störungen)',
    'aus(fällt|fallen|gefallen)',
    'bleibt (die|eine|jede) Antwort aus|Antwort ausbleibt',
    'lässt sich …60 nicht (abfragen|abrufen|laden|holen|ermitteln|buchen|anlegen|ausführen|erreichen|lesen|schreiben|senden|speichern|verschicken)',
    'fällt …60 aus',
    'gestört',
    'schlägt …80 fehl',
    'fehlschlägt|fehlgeschlagen|klappt …20 nicht|nicht klappt',
    'antwortet nicht',
    'meld(et|en) (einen Fehler|eine Störung)|(einen Fehler|eine Störung) (meldet|melden|liefert|liefern|wirft)',
    'nicht (erreichbar|verfügbar)',
    '(Abfrage|Abruf|Zugriff|Verbindung) …30 nicht möglich',
    'nicht (abgefragt|abgerufen|befragt|gelesen|erreicht|geschrieben|gespeichert|gesendet|verschickt) werden (kann|können|konnten?)',
    '(kann|können|konnten?) …50 nicht (abgefragt|abgerufen|befragt|gelesen|erreicht|geschrieben|gespeichert|vermerkt|gesendet|verschickt) werden',
    'nicht (angelegt|erstellt|zugestellt|benachrichtigt) werden (kann|können|konnten?)',
    'nicht (angelegt|erstellt|zugestellt|benachrichtigt) werden(?<=(^|[-•|]) ?(kann|können|konnten?) [^.\\n]{1,90})',
  ],
  fr: [
    '(tombe |est |sont )?en panne',
    'pannes? d[eu]',
    'hors (ligne|service)',
    'échou(e|ent|era|eraient)',
    'ne répond pas',
    "(ne peu(t|vent)|n['’](a|ont)) (pas )?(pu )?être (obtenu|lu|joint|consulté|contacté|interrogé|atteint|récupéré|enregistré|prévenu|averti|envoyé|transmis)e?s?",
    'indisponible|injoignable',
    '(signale|renvoie|rend|lève|donne|se solde par) une (erreur|exception)',
    "en cas (d['’](erreur|échec)|de (panne|défaillance))|(erreur|panne) (survient|se produit)",
    "n['’]about(it|issent) pas|ne (réussit|réussissent|fonctionne|fonctionnent) pas",
  ],
  es: [
    'fallan?|falló|fallaron|al fallar|(ha|han|haya|hayan) fallado',
    '(da|dan|comunica|lanza|informa de|señala) (un )?(error|fallo)',
    '(se produce|ocurre|hay|surge) (un|algún) (error|fallo)|en caso de (error|fallo|avería)',
    'no funcionan?|(está|esté|están|estén) caíd[oa]s?',
    'no (respond|contest)(e|a)n?',
    'no (está|están) disponibles?',
    'no (se )?pued(e|en) (ser )?(obten|consult|leer|leíd|contact|guard)*',
    'no (se )?pued(e|en) (ser )?(envi|cre[ae])\\p{L}{0,9}(?<=(si|cuando) [^.\\n]{1,90})',
  ],
  pt: [
    'falh(am?|ou|ar(em|am)?)',
    '(dá|dão|comunica|lança) um erro',
    'em caso de (erro|falha|avaria)|(ocorrer?|houver|há) um(a)? (erro|falha)|fora do ar',
    'não (responde|está disponível)',
    'indispon[ií]ve(l|is)',
  ],
  it: ['non (risponde|è disponibile)', 'fallisce'],
  ru: [
    'не (отве(ча|ти)|работа)*',
    'не ответил*',
    'недоступ*',
    'сбо[йеяю]*',
    'верн(ул|ёт|ет)* ошибку|возвраща(ет|ют) ошибку',
  ],
  zh: [
    '(调用|查询|访问|系统|服务|接口|工具)[^。，,；\\n]{0,20}(失败|异常|超时|出错|不可用|无响应|故障)',
    '(读取|获取|写入|保存|存储|创建|更新|删除|发送|登记|冻结|退回|退款|签发)(操作)?(失败|出错|超时)',
    '(如果?|若|一旦)(调用|操作)?(失败|出错|超时)',
    '(取消|预订|预约|支付|扣款|退订|借出|开单|通知|推送|上传|锁定|解锁|释放|归还|转交|检索)(操作)?(失败|出错|超时)',
    '(读取|获取|写入|保存|存储|创建|更新|删除|发送|登记|取消|支付)(不成功|未成功|未能完成)',
    '(系统|服务|接口|工具|网络)[^。，,；\\n]{0,10}(中断|宕机|报错|故障|出现问题|连接不上)|抛出(异常|错误)|工具(报错|出错)',
    '(没能|未能|无法)(成功)?(读取|获取|写入|保存|存储|创建|更新|删除|发送|登记|冻结|退回|退款|签发|打开)',
  ],
  ja: [
    '障害',
    '失敗',
    'エラー',
    '応答が?(ない|しない)',
    '利用(できない|不可)',
    '停止中',
    '(取得|接続|送信|読み取り|保存|登録|通知|照会)(が|も)?でき(ない|なかった|なければ)',
  ],
});

/** That something could not be done, of a system that fails as of what is not allowed: alone it is no sign of a failure. */
export const NOT_DONE = phrases({
  en: ["(cannot|can not|can't|could not|couldn't) be", 'unable to|impossible|not possible'],
  de: ['nicht …40 (werden )?(kann|können|konnten?)', 'lässt sich nicht|nicht möglich|unmöglich'],
  fr: ["(ne|n['’]) ?(peu(t|vent)|(a|ont) pu)", 'impossible'],
  es: ['no (se )?(pued(e|en)|pud(o|ieron))', 'imposible'],
  pt: ['não (se )?(pod(e|em)|pôde|puderam)', 'impossível'],
  it: ['non (si )?(può|possono|poteva)', 'impossibile'],
  ru: ['не удал*|невозможно|нельзя'],
  zh: ['无法|不能|未能|没能|未成功|不成功'],
  ja: ['でき(ない|なかった|なければ)'],
});

/** A sentence about whichever tool or system of the provider's own fails, without another condition. */
export const WHICHEVER_FAILS = phrases({
  en: [
    '(if|when|whenever|where|once|should|in case) (an?|any|one of (our|the|its|these)|some|either of the) ' +
      '((\\p{L}+ )?(tools?|systems?|services?|back-?ends?|tool calls?|calls? to a tool)( of (ours|the provider))?) ' +
      '(fails?|failed|is (down|unavailable|unreachable)|(raises?|throws?|reports?) an? (error|exception)|does not (answer|respond))',
    '(an?|any) (tool|system|back-?end|service)( of ours)? (that|which) fails',
    '(failing|failed) (tools?|tool calls?|systems?|back-?ends?)(?! of)',
    '(an?|any|any of (our|the|its)|one of (our|the|its)) (tools?|systems?|services?|back-?ends?|calls? to (a tool|our systems)) ' +
      '(fails?|failed|(does|do|did) not (answer|respond|work)|(is|are) (down|unreachable))',
    '(anything|something) of (ours|our own) (fails|breaks)( down)?',
  ],
  de: [
    '(schlägt|scheitert|versagt|fällt) (ein|irgendein|eine[sr] (unserer|der)( beteiligten)?) (Werkzeug|System|Dienst)e?( fehl| aus)?',
    '(ein|irgendein|eine[sr] (unserer|der)) (Werkzeuge?|Systeme?) (scheitert|fehlschlägt|versagt|ausfällt|nicht antwortet)',
  ],
  fr: [
    "(panne|échec) d['’]une? (des |de ces |de nos )?(outils?|systèmes?)",
    "(un|une|l[’']un) (des|de ces|de nos) (outils|systèmes) (échoue|tombe en panne|est en panne|ne répond pas)",
    'si un (outil|système) (échoue|tombe en panne|est en panne)',
  ],
  es: [
    '(si|cuando) (una|alguna) (herramienta|llamada) falla',
    '(falla|fallan?) (cualquiera|alguna|una) de (las|estas|nuestras) (herramientas|llamadas)',
    '(si|cuando) (un|algún) sistema falla',
    '(si|cuando) falla (una|alguna|un|algún) (herramienta|llamada|sistema)',
  ],
  pt: [
    '(se|quando) (uma|alguma) ferramenta (falh*)',
    '(se|quando) (um|algum) sistema (falh*)',
    '(falha|falhar|falhe) (qualquer|alguma|uma)( uma)? das (nossas )?ferramentas',
  ],
  it: ['(se|quando) uno strumento fallisce', '(fallisce|fallisca) uno (qualsiasi )?(degli|dei nostri) strumenti'],
  ru: [
    '(если|когда) (какой-либо |любой )?инструмент (не (работает|отвечает)|даёт сбой)',
    'при сбое (любого )?инструмента',
  ],
  zh: ['(任何|任一|某个|其中)?(一个)?(内部)?(工具|系统)(调用)?(失败|异常|出错)'],
  ja: ['(いずれかの)?ツール(の呼び出し)?(が|に)失敗'],
});

/** A sentence that has a system of our own fail, or that fails already: by its condition, or by what such failures are called. */
export const OUR_SYSTEM_FAILS = either(
  inOrder(
    { en: ['when|if|where|unless|in case|whenever|once'] },
    {
      en: [
        `fails?|failing|unavailable|${DOWN}|unreachable|times? out`,
        "(cannot|can not|can't|could not) be (asked|reached|read|contacted|queried|used)",
        '(is|are) not available',
        'do(es)? not (answer|respond)',
      ],
    },
    80,
  ),
  phrases({
    en: [
      'could not be (asked|reached|read|contacted|queried)',
      'failing (look-?ups?|calls?|tools?|quer(y|ies)|services?|systems?|back-?ends?|databases?)' +
        '(?![^.\\n]{0,60}\\b(whole|entire|throws?|abort*|error of)\\b)',
      '(internal|server|back-?end|upstream|system|database|unexpected) (errors?|failures?)',
      'unavailable',
    ],
    zh: ['内部错误', '系统错误', '服务不可用', '服务异常', '服务器错误', '系统异常', '查询失败'],
  }),
  WHICHEVER_FAILS,
);

/** Words for what failed or for a failure itself, in whatever form. */
export const FAILURE = phrases({
  en: ['fail*', `unavailable|unreachable|${DOWN}`, 'does not answer', 'cannot be (asked|read|reached)'],
  de: ['*Fehler*', '*scheiter*', '*fehlschl*', '*schlägt*'],
  fr: ['*échec*', '*échou*', '*panne*'],
  es: ['fall[aoó]*'],
  zh: ['失败', '异常', '出错', '报错', '出?故障'],
});

/** What a failing system says of its failure. */
export const FAILURE_TEXT = phrases({
  en: [
    '(details?|messages?|texts?|wordings?|descriptions?|reasons?) (of|from|about|behind) (the|an?|any|such|our) …30 (fail|error|outage|exception|fault)*',
    '(error|failure|exception|fault) (details?|messages?|texts?|descriptions?|information)',
    '(texts?|messages?|wordings?) of (errors|failures|exceptions)',
    '(internal|technical) (details?|messages?|errors?)',
  ],
  de: [
    '(Fehler|Störungs)*(meldung|text|beschreibung|detail)*',
    '(interne|technische)[nr]? (Details|Meldungen|Angaben)',
  ],
  fr: ["messages? d['’]erreur|détails (de l['’]erreur|internes|techniques)"],
  es: ['mensajes? de error|detalles (del error|internos|técnicos)'],
  zh: ['(错误|异常|故障|失败)(信息|详情|细节|消息)', '内部(信息|细节|错误)'],
});

/** That nothing of what a failing system says of its failure is told. */
export const KEEPS_FAILURE_IN = phrases({
  en: [
    'nothing (further |more )?(of|from|about|is (told|said) (of|about)) (the (failure|trouble|error|outage)|what …20 (said|says|told|tells|reported|reports))',
    "(don['’]t|do not|never|must not|shall not|may not) …30 what …30 (said|says|reported|reports)",
    'what …30 (said|says|reported|reports|told) …40 (stays?|is for our|are not for|is not for|is kept|must not|never|not told|is not repeated)',
    'not (one|a single) word (more )?(about|on) (what|why|the)|without (anything|a word|saying anything) (about|on) the failure',
    '(wording|details?|causes?|reasons?|texts?|messages?) (of|from|behind|about) (the |a |an |any |our )?(technical )?(failures?|errors?|outages?|troubles?|faults?|exceptions?) …30 (confidential|not|never|inside|internal|nobody|stays?|nothing)',
    '(must|may|shall|does|do|is|are) (not|never) …20 (contain|repeat|carry|hold|show|tell|quote) …30 (text|words?|message|wording) of (a|the|any) (tool|system|failure|error)',
    "or the text of a tool['’]s error",
  ],
  de: [
    '(Einzelheiten|Wortlaut|Ursache|Grund|Details) …20 (Störung|Fehlers?|Ausfalls?) …30 (nicht|nie|intern|vertraulich)',
    'nichts …20 (Störung|Fehler|Ausfall)',
  ],
  fr: ["(pas|sans|aucun|jamais|ni) …20 (détail technique|texte d['’]erreur|message technique|motif technique)"],
  es: ['motivo técnico no se …20|(sin|nunca|no) …20 detalles? técnicos?'],
  pt: ['(sem|nunca|não) …20 (detalhes? técnicos?|motivo técnico)'],
  zh: ['(不得|不能|不可|禁止|不要)…6(透露|返回|包含|泄露|附带)…8(失败|故障|错误|异常)(的)?(原因|详情|细节|信息)'],
  ja: ['障害の(内容|詳細|原因)は(書かない|含めない|知らせない|返さない)'],
});

/** Words for any system or tool of the provider's own, none by its name. */
export const ANY_SYSTEM = phrases({
  en: ['tools?|calls?|look-?ups?|systems?|services?|back-?ends?|databases?|servers?'],
  de: ['werkzeuge?|abfrage|dienst|system*|schnittstelle*'],
  fr: ['outils?|systèmes?|services?'],
  es: ['herramientas?|sistema|servicio'],
  pt: ['ferramentas?|sistema|serviço'],
  it: ['strument[oi]|sistema|servizio'],
  ru: ['(систем|сервис|инструмент|служб)*'],
  zh: ['工具', '系统', '服务', '接口'],
  ja: ['システム', 'ツール', 'サービス'],
});

/** A sentence that has whichever system it is fail, by an article or the kind of failure. */
export const WHICHEVER_SYSTEM = phrases({
  en: [
    'internal|server|unexpected|technical|anything|something|500',
    '(at|in|on|during) (any|some|whichever|one of the) (steps?|stages?|points?)',
    '(an?|any|our|its|one of (our|the)) (own |failing |broken )?(back-?ends?|systems?|services?|databases?|tools?|calls?)',
    '(back-?end|upstream|system|database) (errors?|failures?)',
  ],
  de: [
    'Werkzeug',
    '(in|bei|an) (irgend)?eine[mr] (der )?(Schritte?|Stelle)',
    '(ein|eines|einer|irgendein|unsere[rs]?) ((unserer|der|von unseren) )?((eigenen|beteiligten) )?(System|Dienst|Werkzeug|Schnittstelle)*',
  ],
  fr: ['outils?', "(un|l['’]un) (de nos |des )?(systèmes?|services?)", 'une? (de nos )?(interfaces?|bases?)'],
  es: [
    'herramientas?',
    '(un|una|alg[uú]n|alguna|uno de nuestros) (sistemas?|servicios?)',
    'en (alg[uú]n|cualquier|uno de los) (pasos?|momento)',
  ],
  pt: ['ferramentas?', '(um|uma|algum|alguma|um dos nossos) (sistemas?|serviços?)', 'em (algum|qualquer) passo'],
  it: ['strument[oi]', '(un|uno|uno dei nostri) (sistem[ai]|serviz(io|i))'],
  nl: ['hulpmiddel(en)?', '(een|een van onze) (systeem|systemen|dienst|diensten)'],
  ru: ['инструмент*'],
  zh: ['工具|系统|服务|接口|调用|内部|任何|任意|后端|数据库|上游'],
  ja: ['ツール'],
});

/** A sentence about several systems that fail, or do not, together: it says nothing about one of them. */
export const SEVERAL_FAIL = either(
  inOrder(
    {
      en: ['both|all|none|neither|every one|each one'],
      de: ['alle|beide|keine[rs]?'],
      fr: ['tou(te)?s|les deux|aucune?'],
      es: ['tod[oa]s|amb[oa]s|ningun[oa]?|ningún'],
      pt: ['tod[oa]s|amb[oa]s|nenhuma?'],
      it: ['tutt[ie]|entramb[ie]|nessun[oa]?'],
      ru: ['все|оба|обе|ни один|ни одна'],
      zh: ['都|均|全部'],
      ja: ['すべて|全て|全部|両方|いずれも'],
    },
    {
      en: ['fails?|failed|unavailable|down|unreachable|answers?|respond'],
      de: [
        'scheiter(t|n)|fehl(schlagen|geschlagen)|ausfallen|ausgefallen',
        '(nicht )?(erreichbar|verfügbar)',
        'antworte[tn]',
      ],
      fr: ['échou*|répond*', 'en panne', '(in)?disponi*'],
      es: ['fall(an?|aron|en)', 'respond*', '(in)?disponi*'],
      pt: ['falha(m|ram|rem)?|falh(ou|ar)', 'respond*', '(in)?dispon[ií]*'],
      it: ['fallit[ie]|falliscono', 'rispond*', '(in)?disponi*'],
      ru: ['не (отвеча|работа|удал)*', 'недоступ*', 'сбо[йия]*'],
      zh: ['失败|不可用|异常'],
      ja: ['失敗|エラー|応答しない|利用できない'],
    },
  ),
  phrases({
    fr: ['échou(ent|aient) tou(te)?s'],
    es: ['fall(an|aron|en) (tod[oa]s|amb[oa]s)'],
    pt: ['falha(m|ram|rem) (tod[oa]s|amb[oa]s)'],
    it: ['falliscono (tutt[ie]|entramb[ie])'],
  }),
);

/** A sentence about two systems that both fail. */
export const BOTH_FAIL = phrases({
  en: ['both …30 (fail|are (down|unavailable|unreachable))', 'neither …30 answers'],
  de: ['beide …30 (scheitern|fehlschlagen|ausfallen)', 'beide …30 fallen …10 aus'],
  fr: ['les deux …30 (échouent|en panne)'],
  es: ['amb[oa]s …30 fallan'],
  zh: ['(两者|两个\\p{L}{0,6})(都|均)失败'],
});

/** A sentence about whatever no other sentence speaks of. */
export const OTHER_FAILURES = phrases({
  en: [
    'any ?(thing|one)? (other|else)',
    '(all|every) other|everything else',
    'other (\\w+ )?(errors?|failures?|problems?|faults?|reasons?)',
    'technical (errors?|failures?|problems?)',
    'goes wrong',
  ],
  zh: ['其他', '其它'],
});

/** That something takes too long to be answered, or that nobody knows whether it was done: a time-out may be a matter of its own then. */
export const TIMES_OUT = phrases({
  en: [
    'times? out|timed out|time-?outs?|timing out|in (good )?time|too (long|late|slow(ly)?)|deadlines?|slow(ly)?|within …30 (seconds?|ms|milliseconds?)|overdue',
    "(no|without an?|(does|do|did|is|are|was)( not|n['’]t)) (answer|respon|repl)*|unclear|uncertain|unsure|unknown whether|may (or may not )?have",
  ],
  de: [
    'Zeitüberschreitung*|rechtzeitig|zu (lange|spät)|Frist*|antwortet …20 nicht|keine Antwort|unklar|ungewiss|weiß niemand',
  ],
  fr: ['délais?|trop (long*|tard)|à temps|ne répond*|sans réponse|incertain*'],
  es: ['tiempo|plazos?|demasiado (tarde|lento)|no (responde|contesta)|sin respuesta|incierto'],
  pt: ['tempo|prazos?|demasiado tarde|não responde|sem resposta|incerto'],
  it: ['tempo|scadenz*|troppo (tardi|lento)|non risponde|senza risposta|incerto'],
  ru: ['тайм-?аут*|вовремя|не отвеча*|слишком долго'],
  zh: ['超时|时限|及时|未响应|无响应|没有(响应|回应|应答)|不确定|未知是否'],
  ja: ['タイムアウト|時間切れ|応答(が)?な'],
});

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

/** Words for an answer of a peer that cannot be used, whatever is wrong with it. */
export const UNUSABLE_ANSWER = phrases({
  en: [
    'no (usable|valid|proper) (answer|reply|response)',
    '(invalid|malformed|unreadable|garbled|unusable|nonsensical) (answer|reply|response)s?',
    '(answer|reply|response)s? …40 (makes? no sense|(cannot|can not) be (read|understood|parsed|used))',
    '(answer|reply|response)s? …20 not (have|follow|keep|match|fit|conform*) …20 (form|format|protocol|schema)',
  ],
  de: [
    'keine[nr]? (gültige|brauchbare|verwertbare) Antwort',
    '(ungültige|unbrauchbare|unlesbare|fehlerhafte)[nr]? Antwort(en)?',
  ],
  fr: ['réponses? (invalide|illisible|inutilisable|incorrecte|mal formée)s?'],
  es: ['respuestas? (inválida|no válida|ilegible|incorrecta|mal formada)s?', '(contest|respond)(a|e)n? mal'],
  pt: ['respostas? (inválida|ilegível|incorreta|malformada)s?'],
  zh: [
    '(响应|应答|回复|答复)(的?(格式|内容))?(有误|无效|错误|不正确|不合法|无法(解析|识别))',
    '(响应|应答|回复|答复)不符合?…6(格式|协议)',
    '无效的?(响应|应答|回复|答复)',
  ],
});

/** Words for a peer that says no or cannot be reached, which one that is only silent does not. */
export const CANNOT_BE_REACHED = phrases({
  en: [
    'fail(s|ed|ing|ures?)?(?! to (answer|reply|respond))',
    '(could|can) ?not be (reached|asked|contacted|delivered)',
    'unreachable|not reachable|unavailable|down|offline',
    'no (usable|valid|proper) (answer|reply|response)',
  ],
  de: ['nicht erreich*', 'keine[nr]? (gültige|brauchbare|verwertbare) Antwort', '(scheiter|fehlschl)*'],
  fr: ['injoignable', 'échou*'],
  es: ['inalcanzable', 'fall[aoó]*'],
  pt: ['inacess*', 'falh*'],
  it: ['irraggiungibil*', 'fallisce'],
  ru: ['недоступ*'],
  zh: ['失败|不可用|无法(连接|访问|联系)'],
  ja: ['失敗|接続できない'],
});

/** Words by which something counts as something else that may come. */
export const TREATED_LIKE = phrases({
  en: [
    '(treat|handl|count|regard|consider|tak|record|report)(s|es|ed|en)? (just |exactly )?(like|as|for)',
    'as (if|though)|(the )?same as|just (like|as)',
  ],
  de: [
    '(gilt|gelten|zähl(t|en)|gewertet|behandelt|betrachtet) …30 (wie|als)',
    '(wie|als) …30 (gewertet|behandelt|betrachtet)',
    'als (ob|wäre|hätte)',
  ],
  fr: ['(traitée?|considérée?|compte|comptée?|tenue?)s? (comme|pour)', 'comme si'],
  es: ['(trata|considera|cuenta|toma)n? (como|por)', 'como si'],
  pt: ['(tratad[oa]|considerad[oa]|conta|contad[oa])s? como', 'como se'],
  it: ['(trattat|considerat|conta|contat)[oaie]? come', 'come se'],
  nl: ['(geldt|telt|behandeld|beschouwd) als', 'alsof'],
  ru: ['счита(ет|ют)ся', 'рассматрива(ет|ют)ся', 'как (если бы|будто)'],
  zh: ['视(为|作|同)|当作|算作|等同|按…15处理'],
  ja: ['みなす|みなし|として(扱|数)|と同じ|同様'],
});

/** That something is tried again. */
export const RETRIES = phrases({
  en: [
    'retr(y|ies|ied|ying)',
    'tr(y|ies|ied|ying) (it |this |that )?(again|once more|anew|up to|at most)*',
    '(attempts?|tries) (in all|in total|altogether|are made)*',
    '(\\d+|two|three|four|five|up to \\p{L}+|several|at most \\p{L}+) (attempts|tries)',
    're-?sent|re-?sends?',
    "repeat(s|ed)? (it|the call|the request(?!['’]s)|once|twice|up to)",
    'repeated until',
    '(asked|called|sent|tried|attempted|contacted) (once more|again|twice|a second time)',
    'once more',
    '(second|another) (try|attempt)',
  ],
  de: ['noch (ein|zwei|drei)mal'],
  zh: ['重试', '再试', '重新(调用|发送|请求)'],
});

/** That something is done more often than once, of whatever kind it is. */
export const MORE_THAN_ONCE = phrases({
  en: [
    '(two|three|four|five|several|\\d+) (times|tries|attempts|goes)|twice|thrice',
    '(one|two|another|a second) (more|further) (go|try|time|attempt)s?|another (go|try|attempt)|once more|try again|tried again|a second time',
    '(may|can) be (repeated|tried)|once or twice',
  ],
  de: ['(zwei|drei|vier|fünf|mehr|noch ein|\\d+ ?)mal|erneut*|noch einmal|Versuche'],
  fr: [
    'nouve(l|lle) (essai|tentative)s?|(deux|trois|quatre|cinq|plusieurs|\\d+) (fois|essais|tentatives)|encore une fois|recommenc*|réessa*',
  ],
  es: ['(dos|tres|cuatro|cinco|varias|\\d+) (veces|intentos)|otra vez|de nuevo|reintent*'],
  pt: ['(duas|três|quatro|cinco|várias|\\d+) (vezes|tentativas)|outra vez|de novo|novamente'],
  it: ['(due|tre|quattro|cinque|più|\\d+) (volte|tentativi)|di nuovo|ancora una volta|riprov*|ritent*'],
  ru: ['(два|три|четыре|пять|\\d+) (раза?|попыт*)|снова|ещё раз|повтор*'],
  zh: ['[两二三四五多数\\d]次|再(试|次|发|调)|重(试|新|发)'],
  ja: ['[二三四五2-9]回|再(試行|送|度)|もう一度'],
});

/** What asking a tool that only reads is called, whatever it is asked for. */
export const LOOK_UP = phrases({ en: ['look(ing)?[- ]?ups?'] });

/** That somebody reads, and changes nothing. */
export const READING = phrases({
  en: ['look(ing|ed)?[- ]?ups?|reads?|reading|quer(y|ies|ied)|fetch*'],
  de: ['Abfragen?|abgefragt|Lesen|Nachschlagen|nachgeschlagen|Lesezugriff*'],
  fr: ['lectures?|lue?s?|consult(ations?|ée?s?)|recherches?'],
  es: ['lecturas?|leer|consultas?|búsquedas?'],
  pt: ['leituras?|consultas?'],
  it: ['lettur[ae]|consultazion[ei]'],
  ru: ['чтени*|запрос*'],
  zh: ['查询|读取|查找'],
  ja: ['照会|読み(込み|取り)'],
});

/** That what was tried is not tried a second time. */
export const NOT_DONE_AGAIN = phrases({
  en: [
    '(attempted|tried|called|made|done|ordered|instructed|asked for) …20 (at most|exactly|only|just) once|once at most',
    '(not|never) (be )?(attempted|tried|called|made|done|ordered|repeated) (more than once|again|twice|a second time)',
    '(does|do|must|may|shall|will) (not|never) \\p{L}+ (it |them |this |that )?(again|twice|a second time|more than once)',
  ],
  de: [
    'höchstens einmal (versucht|aufgerufen|ausgeführt)',
    'nicht (ein zweites Mal|noch einmal|erneut) (versucht|aufgerufen)',
  ],
  fr: ['(tentée?|appelée?|exécutée?) …20 (au plus une|une seule) fois'],
  es: ['(se (intenta|llama|ejecuta)) …20 (como máximo una|una sola) vez'],
  zh: ['(最多|至多|只)(允许)?(尝试|调用|执行|提交)一次', '不再(重试|尝试)'],
});

/** That something is tried one time. */
export const ONE_TRY = phrases({
  en: ['(only|just|at most|exactly) (one|a single) (try|attempt|go)|one (try|attempt|go) (only|and no more|each)'],
  de: ['(nur|höchstens|genau|lediglich) ein(en|em)? (einzigen? )?(Versuch|Anlauf)|nur einmal (versucht|probiert)'],
  fr: ['(une seule|une unique) (tentative|fois)|un seul essai'],
  es: ['(un solo|un único) intento'],
  pt: ['uma (só|única) tentativa'],
  it: ['un solo tentativo'],
  zh: ['(只|仅)(尝试|试)(一|1)次'],
});

/** That what is asked for, or was not answered, is never asked for a second time. */
export const NEVER_REPEATED = phrases({
  en: [
    'no (retr(y|ies)|repetitions?|second (try|tries|attempts?))',
    '(is|are) sent (at most|exactly|only|just|but) once|(is|are) sent once (only|and never again)|sent once, whatever',
    'at most (one|a single) (message|request|question) (is|may be|will be) sent|neither (of them )?is repeated',
    '(retr(y|ies|ying)|re-?sending|repeating) …20 (is|are) (forbidden|prohibited|not (allowed|permitted))',
    '(not|never) (be )?(retr(y|ied)|repeat(ed)?|re-?sen[dt]|(sent|send|asked|ask|tried|try) ((it|this|that|them|(the|this|that) (request|message|question|query)) )?(again|a second time|twice))',
    '(no|none of the) (requests?|messages?) (is|are|may be|must be) (ever )?(repeated|re-?sent|sent again|retried)',
  ],
  de: [
    '(nicht|nie|niemals|keinesfalls) (wiederholt|erneut|noch einmal)',
    'keine (Wiederholung|erneute*)',
    'wiederholt (wird|werden) (sie|er|es|das|dies|die|der) nicht',
  ],
  fr: [
    "(rien n['’]est|n['’]est pas|ne sont pas|jamais) (renvoy|répét|réémis)ée?s?",
    'ne (l[ae]s? )?(répète|renvoie|réémet)(nt)? (pas|jamais)',
    "sans nouvelle tentative|(on )?n['’]insiste pas",
  ],
  es: [
    '(no|nunca) se (repite|reintenta|reenvía)n?',
    'sin (reintentos|repetición)',
    '(prohibido|no (se )?(debe|puede)) (repetir|reintentar|reenviar)*',
  ],
  pt: [
    'não se repetem?',
    'não é (repetid|reenviad)[oa]',
    'sem (novas? tentativas?|repetição)',
    '(proibido|não (se )?(deve|pode)) (repetir|reenviar)*',
  ],
  ru: ['не повторя*', 'повторять …20 (нельзя|запрещено)', '(нельзя|запрещено) повторять'],
  zh: ['(不(再|得|会|可|能|要)?|禁止)(重发|重试|重复发送|重新发送)'],
  ja: ['(再送|再試行)(しない|せず|は?行わない|を?してはならない|は?禁止)'],
  ar: ['لا (يعيد|يعاد|تعيد|تعاد|يكرر|تكرر)'],
});

/** That what is not answered is tried again once, and no more. */
export const TRIED_ONCE_MORE = phrases({
  en: [
    '(may|can|shall|should|must|is|are) (be )?(repeated|retried|re-?sent|asked again|sent again|tried again) (only |just |exactly )?once',
    '(may|can) (ask|send|try|repeat|retry) (it |the request |the question )?(again )?(only |just )?once( more)?',
    '(one|a single) retry',
  ],
  de: ['(nur |genau |höchstens )?einmal (wiederholt|erneut …20 (gesendet|gestellt))'],
  fr: ['(répétée?|renvoyée?|réémise?) (une seule fois|au plus une fois)'],
  es: ['(repetirse|reintentarse|reenviarse|repetir|reintentar) (una sola vez|una vez)'],
  pt: ['(repetid[oa]|reenviad[oa]) (uma única vez|uma vez|só uma vez)'],
  it: ['(ripetut[oa]|rinviat[oa]) (una sola volta|una volta)'],
  zh: ['(可以?|只能|允许)(再|重新)?(请求|重试|重发|发送|询问)\\p{L}{0,6}(一次|1次)'],
});

/** Words by which what is not tried again may be, on a condition or so many times. */
export const TRIED_WITHIN_BOUNDS = phrases({
  en: ['more|unless|until|before|except|but|longer|only|often|oftener|within|immediately'],
  de: ['mehr|öfter|außer|bevor|bis|solange|nur|innerhalb|sofort'],
  fr: ['plus|sauf|avant|jusqu*|seulement|immédiatement'],
  es: ['más|salvo|excepto|antes|hasta|solo|sólo|inmediatamente'],
  pt: ['mais|salvo|exceto|antes|até|só|imediatamente'],
  ru: ['более|больше|кроме|до|пока|только|сразу|чаще'],
  zh: ['超过|除非|之前|以上|多于|直到|只|立即'],
  ja: ['以上|超え|除き|まで|だけ|すぐ'],
});

/** Any word that has to do with trying again. */
export const TRIED_AGAIN = phrases({
  en: ['retr(y|ies|ied|ying)|repeat*|again|re-?sen[dt]*|once more|anew|second|twice|attempts?|tries'],
  de: ['wiederhol*|erneut*|noch ?mal*|noch einmal|zweite*|Versuche?'],
  fr: ['renvo*|répét*|nouveau|réess*|relanc*|recommenc*|seconde fois|deuxième|tentatives?'],
  es: ['repet*|repit*|reint*|reenv*|otra vez|de nuevo|nuevamente|segunda|segundo (intento|envío)|intent*'],
  pt: ['repet*|repit*|reenvi*|novamente|de novo|outra vez|segunda|segundo (envio|pedido)|tent*'],
  it: ['ripet*|riprov*|di nuovo|ancora|seconda|secondo (invio|tentativo)|tentativ*'],
  ru: ['повтор*|снова|вновь|ещё раз|еще раз|втор*|попыт*'],
  zh: ['重发|重试|重复|重新|再次|再(发|试|问|请求)|第二次'],
  ja: ['再送|再試行|再度|もう一度|二回|2回'],
});

/** How failures in general are answered, told in words or by a heading. */
export const FAILURES_IN_GENERAL = phrases({
  en: [
    '*exception handling*',
    '*error[ -](handling|code|response|message|answer|object)*',
    'failure (semantics|modes?|answers?|cases?|codes?)',
    '*(error|failure)s? (are|is|must|should|will|shall)*',
    '*(on|in case of|upon) (an? )?(error|failure)*',
    'if …80 (fails?|unavailable|cannot)',
  ],
  zh: ['异常处理', '错误码', '错误处理', '错误信息', '出错', '失败', '异常', '故障'],
});

/** Words by which a task has a failure end all, or says something of its own of an answer in part. */
export const GIVES_UP = phrases({
  en: [
    'throws?|thrown|raises?|rejects|gives? up|aborts?',
    'partial*|so far|best[ -]effort',
    'what (it|was) (got|gathered|had)',
  ],
  zh: ['抛出', '报错'],
});

/** Words by which it does not matter that something fails, or the answer goes on without it. */
export const NO_MATTER = phrases({
  en: [
    'all the same|regardless|anyway|not checked|nevertheless|nonetheless|even if|never makes?',
    '(does|do) not matter',
    'ignor*',
    'best[ -]effort',
    'treated as (an? )?(empty|missing|absent)',
  ],
  zh: ['忽略', '不影响', '无论'],
});

/** That all goes on although something fails. */
export const GOES_ON = phrases({
  en: ['(go|goes|carry|carries) on|proceeds?|continues?|as if …20 (had|were|was)|nothing changes'],
  de: ['trotzdem|dennoch|(läuft|geht) weiter|fortgesetzt|unabhängig davon|spielt keine Rolle'],
  fr: ['quand même|malgré tout|continue*|se poursuit|sans incidence'],
  es: ['de todos modos|igualmente|contin(úa|uar|uará)|sigue|da igual|no importa'],
  pt: ['mesmo assim|continua|prossegue|não importa'],
  it: ['comunque|continua|prosegue|non importa'],
  ru: ['продолжа*|всё равно|не важно'],
  zh: ['继续|照常|仍然|照样|不影响'],
  ja: ['続行|続ける|そのまま|影響しない'],
});

/** That the answer is the same although something fails. */
export const STAYS = phrases({
  en: [
    '(answer|response|reply|result|outcome|status) …20 (stays?|remains?|is|are) (still )?(the same|unchanged|unaffected|as (it is|it was|if))',
    '(does|do|must|will|shall) not (change|affect|influence) (the|its|this) (answer|response|reply|result|outcome|status)',
    '(answer|response|reply|result|outcome|status) (does|do|must|will|shall) not change',
    'changes? nothing about the (answer|response|reply|result|outcome|status)',
    '(outcome|result|status|decision|code|verdict|refusal) (is still|stays?|remains?|stands|holds)',
    'is (not an|no) (error|failure)( of (the|an?) (answer|request))?(?=[,.;:])',
    '(it|this|that|which) does not matter',
    'whether …30 (succeeds?|works?|worked|succeeded|goes (well|through)) or (fails?|failed|not)|whether or not',
  ],
  de: [
    'bleibt es bei|(das|dies|es) spielt keine Rolle',
    'ist kein (Fehler|Fehlschlag)',
    '(ändert|ändern) …30 nichts',
    '(hat|haben) keinen Einfluss auf (die Antwort|das Ergebnis)',
  ],
  fr: [
    "n['’]est pas une erreur",
    'ne chang(e|ent) rien à la réponse',
    "n['’]affect(e|ent) pas la réponse",
    "(l['’]issue|la réponse|le résultat|le statut) reste",
  ],
  es: [
    'no es (un|ningún) error',
    'no (cambia|afecta|influye en) (a )?(la respuesta|el resultado)',
    '(la respuesta|el resultado) no cambia',
  ],
  pt: ['(a resposta|o resultado) não muda', 'não (altera|afeta|muda) (a resposta|o resultado)'],
  zh: ['不影响\\p{Script=Han}{0,4}(结果|响应|应答|答复|返回)', '不(算|视为|作为)(错误|失败)'],
});

/** Parts of a message, of which it may not matter how they are. */
export const PART_OF_MESSAGE = phrases({
  en: [
    'members?|fields?|propert(y|ies)|parameters?|attributes?|keys?|letters?|case|(white ?)?spaces?|duplicates?',
    '(line|blank|empty|final|trailing) (breaks?|feeds?|ends?|lines?)|new ?lines?|comments?',
    '(order|sequence) (of|in which)',
  ],
  zh: ['字段|成员|属性|参数|大小写|空格|空行|换行|顺序'],
});

/** Words by which a failing system may be made up for by something else. */
export const MADE_UP_FOR = phrases({
  en: [
    '(?<!\\bnothing )(may|can)|might|unless|if there|otherwise|instead|however|nevertheless|anyway|all the same',
    'used|falls? back|fallback|cached?|stale|defaults?|ignor*',
    'counts? as|taken (as|for)|as if|treated',
  ],
});

/** Words by which a failing system is done without. */
export const DONE_WITHOUT = phrases({
  en: [
    'treated as|tak(e|es|en|ing) (it |this |that |them )?(as|for)|counts? as|taken (as|for)',
    'assum(e|es|ing)|assumed|defaults?|skipped|ignored|left out|all the same|nevertheless',
  ],
});

/** A sentence that only says what is not done when something fails, or that another goes on from. */
export const LEAVES_OPEN = either(
  phrases({
    en: ['no|not|nothing|never|none|neither|see|same|error|failure'],
    de: ['nicht*|kein*'],
    fr: ['rien|pas'],
    es: ['nada'],
    it: ['niente'],
    zh: ['不|没'],
  }),
  /[:;]\s*$/,
);

/** Words by which one of several names will do. */
export const ANY_OF_SEVERAL = phrases({
  en: ['or|either|such as|e\\.g|for example|like'],
  de: ['oder'],
  fr: ['ou'],
  es: ['o'],
  ru: ['или'],
  zh: ['或'],
  ja: ['または'],
  ar: ['أو'],
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

/** What any message may be called where it is said that it is not sent again; some languages need not call it anything. */
export const ANY_MESSAGE = phrases({
  en: [
    'requests?|messages?|orders?|commands?|questions?|quer(y|ies)|inquir(y|ies)|calls?|nothing|none|retr(y|ies|ied|ying)',
  ],
  de: ['*(anfrage|abfrage|frage|nachricht|botschaft|bestellung|gebot|auftr[aä]g)(n|en|e)?|nichts'],
  fr: ['requêtes?|questions?|messages?|demandes?|commandes?|ordres?|rien'],
  es: ['peticiones|petición|órdenes|orden|pedidos?|preguntas?|mensajes?|solicitud(es)?|consultas?|nada|reint*'],
  pt: ['pedidos?|perguntas?|mensage(m|ns)|consultas?|nada'],
  it: ['richiest[ae]|domand[ae]|messaggi(o)?|niente'],
  ru: ['запрос*|вопрос*|сообщени*|ничего'],
  zh: ['\\p{Script=Han}'],
  ja: ['\\p{Script=Han}'],
  ar: ['\\p{Script=Arabic}'],
});

/** That a failure ends the task: it reaches the caller as an error. */
export const PASSED_ON = phrases({
  en: ['throws?|(re-?)?thrown', 'propagate[sd]?', '(is|are|becomes?) (an )?errors? for the caller'],
  de: ['geworfen|wirft'],
  fr: ['se propagent?|propagée?s?'],
  es: ['se propagan?|propagad[oa]s?'],
  pt: ['se propagam?|propagad[oa]s?'],
  it: ['si propaga(no)?|propagat[oaie]'],
  ru: ['пробрасыва*'],
  zh: ['抛出|抛给|原样抛'],
  ja: ['例外を投げる'],
});

/** That a failure does not, or not always, end the task. */
export const NOT_PASSED_ON = phrases({
  en: [
    '(not|never|without|nothing|no longer|instead of) (be )?(throw*|pass*|propagat*)',
    'unless|except|but|only|otherwise|first|second|last',
  ],
  de: ['nicht (weiter|durch)gereicht|nicht geworfen|wirft …10 nicht', 'außer|sonst|nur|sondern|erste*|letzte*'],
  fr: ['ne …20 pas', 'sauf|sinon|seulement|premi*'],
  es: ['no se propagan?', 'salvo|excepto|solo|sino|primer*'],
  pt: ['não se propagam?', 'salvo|exceto|só|senão|primeir*'],
  ru: ['не пробрасыва*', 'кроме|иначе|только|перв*'],
  zh: ['不(要|得|会)?抛|除|否则|只|第'],
  ja: ['ない|除き|だけ|最初'],
});

/** That somebody who gives no answer is passed over, and others are asked. */
export const PASSED_OVER = phrases({
  en: [
    'passed over|skip(s|ped)?|left out|leave out|omitted',
    '(go|goes|carry|carries|continue|continues|move|moves) on (to|with) the (next|others?|rest)',
  ],
  de: ['übersprungen|ausgelassen|übergangen', '(weiter )?mit (dem|der) nächsten'],
  fr: ['(saut|ignor|omi[st])(ée?)?s?'],
  es: ['se (omite|salta|ignora)n?', '(sigue|pasa|continúa|pregunta) …10 (siguiente|próxim[oa]|demás|otr[oa]s)'],
  pt: ['(se |é |são )?(ignorad|omitid|pulad)[oa]s?'],
  it: ['(saltat|omess|tralasciat)[oaie]'],
  ru: ['пропуска*'],
  zh: ['跳过|忽略'],
  ja: ['飛ばす|飛ばし|読み飛ば*'],
});

/** That it does not matter why something fails. */
export const FOR_ANY_REASON = phrases({
  en: ['(whatever|for (any|whatever)) (the )?(reason|cause)', 'in (any|whatever) way'],
  de: ['(gleich )?aus welchem Grund*'],
  fr: ['quelle que soit la (raison|cause)|pour quelque raison'],
  es: ['por cualquier (motivo|razón)|sea cual sea'],
  pt: ['por qualquer (motivo|razão)|seja qual for'],
  ru: ['по любой причине'],
  zh: ['无论(何种|什么)?原因|任何原因'],
  ja: ['理由を問わず|いかなる理由'],
});

/** That whatever may go wrong does. */
export const GOES_WRONG = phrases({
  en: [
    '(anything|whatever|everything) (that |which |else )?(goes|may go|can go|went) wrong(?! (with|in|during|at|on))',
    '(anything|whatever) (that )?fails',
  ],
  de: ['(was auch immer|alles, was|etwas|irgend ?etwas) schief*'],
  es: ['(algo|cualquier cosa|todo lo que) (sale|salga|va|vaya) mal'],
  pt: ['(algo|qualquer coisa|tudo o que) (dê|der|dá) errado'],
  zh: ['(任何|一切)(错误|异常|问题|失败)'],
});

/** That a failure is for the caller to handle, or handed to it in whatever form. */
export const LEFT_TO_CALLER = phrases({
  en: [
    '(handled|dealt with|decided) by (the|its|our) caller',
    '(passed|handed|forwarded) (on |up |through )?(unchanged )?to (the|its|our) caller',
  ],
  de: ['(dem|vom) Aufrufer', 'durchgereicht'],
  fr: ["(par|à) l['’]appelant"],
  es: ['quien (lo |la )?llam*'],
  ru: ['переда[её](тся|ются) вызывающ*'],
  zh: ['由调用(方|者)(自行)?(处理|决定)'],
  ja: ['呼び出し元(で|が|に|へ)'],
});

/** That a failing tool is told by its own name. */
export const NAMES_THE_TOOL = phrases({
  en: ['names? (of )?(the|this|that) ((failed|failing) )?(tool|system|service)'],
  de: ['(Name[n]?|Bezeichnung) (des|dieses) (Werkzeug|System|Dienst)e?s'],
  fr: ["nom (de cet|de l['’]|du) ?(outil|système|service)"],
  es: ['nombre (de la|de esa|de esta|del|de ese|de este) (herramienta|sistema|servicio)'],
  pt: ['nome (da|dessa|do|desse) (ferramenta|sistema|serviço)'],
  zh: ['(工具|系统|服务)(的)?(名|名称|名字)'],
});

/** The tool of one that has but one. */
export const THE_TOOL = phrases({
  en: ['(the|our|its|an?) (own )?tools?( call)?'],
  de: ['(das|ein|unser) (eigene )?Werkzeug'],
  fr: ["(l['’]|un |notre )outil"],
  es: ['(la|una|nuestra) herramienta'],
  pt: ['(a|uma|nossa) ferramenta'],
  zh: ['工具'],
});
