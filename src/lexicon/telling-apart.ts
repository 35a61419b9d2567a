import { either, phrases } from './phrases.ts';

/** That what belongs to others is answered as what does not exist. */
export const AS_IF_UNKNOWN = phrases({
  en: [
    '(exactly|precisely|just|same|alike|identical|no different) …20 (as|like|to|from) …10 (for|if|when|with|that|one|an?|though) …60 (unknown|(does|do|did) not (exist|know)|not (exist|found|known)|no such|nonexistent|non-existent)',
    '(as if|as though|like) …40 (did not exist|does not exist|do not exist|were unknown|was unknown|had never existed|there were no)',
    '(to|for) (them|him|her|anybody else|anyone else|everybody else|everyone else|others|strangers|that requester|the requester) …30 (does|do) not exist',
  ],
  de: [
    '(genau(so)?|ebenso|gleiche|dieselbe|dasselbe|derselbe) …20 wie …60 (unbekannt*|nicht gibt|nicht existier*|nicht vorhanden*|nicht gefunden*)',
    'als (gäbe|existierte|wäre) …40 (nicht|unbekannt)',
  ],
  fr: [
    "(exactement|même) …30 (que|comme) …60 (inconnue?s?|n['’]existe|n['’]existait)",
    "comme s['’]il[s]? n['’]existai(t|ent)",
  ],
  es: ['(exactamente|igual|misma?) …30 (que|como) …60 (no exist*|desconocid*)', 'como si no exist*'],
  pt: ['(exatamente|igual|mesma?) …30 (que|como) …60 (não exist*|desconhecid*)', 'como se não exist*'],
  it: ['(esattamente|uguale|stess[ao]) …30 (che|come) …60 (non esist*|sconosciut*)', 'come se non esist*'],
  zh: [
    '[与和同如跟]…20(不存在|未知|查无|没有)…12(相同|一样|一致|无异|处理)',
    '(视为|视同|视作|等同于)…6(不存在|未知)',
    '如同…6不存在',
  ],
});

/** That an answer shows nobody whether what was asked for is unknown, or is another's. */
export const NOT_TOLD_APART = either(
  AS_IF_UNKNOWN,
  phrases({
    en: [
      '(not|never|cannot|nobody|no one|without) …40 (tell|distinguish*|told|discern*|separate) …40 (apart|between|which of)',
      '(not|never|cannot|nobody|no one|nothing|without) …30 (find out|finds out|learn|learns|learning|know|see|deduce|infer|guess|conclude) …30 (whether|which|that|of|about) …60 (exist|exists|existence|known|registered|others?|someone else|somebody else|belongs?)',
      '(not|never|without) …10 (reveal*|disclos*|leak*|betray*|confirm*|giv(e|es|ing) away|show|shows|showing|tell|say) …30 (whether|that|if) …60 (exists?|existence|known|registered|there is)',
      '(learns?|told|finds? out) nothing (about|of)',
      'nothing (of|about) …50 (is|are|may be|must be) (told|said|revealed|disclosed|given) …20 to …20 (who|without|with the wrong)',
      'nothing (of|about) …12 (another|others?|somebody|someone|foreign) …50 (is|are|may be|must be) (told|said|revealed|disclosed|given)',
      'not even (whether|that|if)',
      'indistinguishable|not (be )?distinguishable|(cannot|must not|can not) be (told apart|distinguished)',
    ],
    de: [
      '(nicht|niemand|nie|ohne) …40 (unterscheid*|erkenn*|erfahr*|erfähr*|feststell*|herausfind*|herauszufinden|ersehen|schließen|verrät|verraten) …20 (ob|welche*|zwischen|können|kann|lassen)',
      '(nicht|nie|niemand*) …20 (unterscheidbar|zu unterscheiden|unterscheiden)',
      '(erfährt|erfahren) …40 nichts',
      '(auch nicht|nicht einmal), ob',
      'ununterscheidbar',
    ],
    fr: [
      '(ne|sans|personne) …30 (distingu|savoir|révél|apprendre|déduire)* …20 (si|entre|les deux|laquelle)',
      'pas même si',
    ],
    es: [
      '(no|nunca|sin|nadie) …30 (distingu|sab|averigu|deduc|revel)* …20 (si|entre|cuál|las dos|los dos)',
      'ni siquiera si',
    ],
    pt: [
      '(não|nunca|sem|ninguém) …30 (distingu|sab|revel|descobr)* …20 (se|entre|qual|as duas|os dois)',
      'nem mesmo se',
    ],
    it: ['(non|mai|senza|nessuno) …30 (distingu|sapere|rivel|scopr)* …20 (se|tra|quale|le due|i due)'],
    zh: [
      '(不得|不能|不可|无法|不应|不允许|不会)…16(区分|分辨|得知|获知|判断|知道|推断|看出|透露|泄露)…16(是否|存在|哪|两|差别|差异|属于|情况|情形)',
      '(无法|不得|不能|不可)…4(区分|分辨)',
    ],
    ja: ['区別(でき|がつか)(ない|ません)', '存在(する|の有無)…10(知られ|わから|判別)'],
  }),
);

/** That several kinds of requests have one and the same answer. */
export const ONE_ANSWER = phrases({
  en: [
    '(one and )?the (very )?same (answer|response|reply|result|outcome|message)|one (answer|response|reply) for (both|all|any)',
    '(exactly|precisely|just|the same|alike) …10 (as|like) …10 (if|though|for)',
    '(answered|treated|handled) (alike|the same|identically)|counts? for nothing|identical|in (both|either) cases?',
  ],
  de: [
    '(ein und )?(dieselbe|die gleiche|die selbe) (Antwort|Meldung|Auskunft)|gleicht …20 der Antwort|genauso wie|identisch*|nicht zu unterscheiden',
    '(ist|sind|gilt|gelten) …40 (nicht vorhanden|als unbekannt|als nicht vorhanden)',
  ],
  fr: ["(la même|une seule et même) réponse|identiques?|comme s[’']il[s]? n[’']exist*"],
  es: ['(la misma|una sola|idéntica) respuesta|idéntic[oa]s?|como si no exist*'],
  pt: ['(a mesma|uma só|idêntica) resposta|idêntic[oa]s?|como se não exist*'],
  zh: [
    '(同样|相同|同一|一致)的?(响应|回复|答复|结果|回答)|(视为|视同|等同于)…6(不存在|未知)|(与|和)…16(一致|相同|无异)',
  ],
});

/** That who asks is not to find out why. */
export const NOT_LEARNT = phrases({
  en: [
    '(identical|indistinguishable|the same|alike) (from|to|for) (one another|each other|all|outside)|(keep|keeps|kept) …20 identical|whatever the (cause|reason|ground)',
    '(must|may|shall|can|should) (not|never) …20 (learn|find out|guess|recognise|recognize|see|tell|know)',
    '(cannot|can not|nobody can|no one can) …20 (be probed|probe|guess|tell …20 (from|apart))',
    'one must not be told from the other',
  ],
  de: ['(dürfen|darf|sollen|soll) …40 nicht …20 (unterscheid*|erkennbar|erkenn*)|nicht erkennbar'],
  fr: ["(ne|n['’]) …20 (doi(t|vent)|peu(t|vent)) (pas|jamais) …20 (devin|savoir|distingu|apprendre)*"],
  es: ['(no|nunca) (debe|puede)n? …20 (adivin|sab|distingu)*|idéntic[oa]s?'],
  zh: ['(不得|不能|无法|不可)…12(区分|分辨|得知|推断)'],
  ja: ['悟らせない|同じに答え|区別(でき|がつか)ない'],
});

/** That something is not known, or does not exist. */
export const UNKNOWN = phrases({
  en: [
    "unknown|nonexistent|no such|there is none|(does|do) not exist|(doesn|don)['’]t exist|never exist|simply does not exist",
    '(nobody|no one|we never) (has|had|knows)|(not|never) (in|on) (the|our) (register|file|list|directory|catalogue|book|records?)|not (found|known|registered|there)',
    'as if …20 (no|none|nobody)',
  ],
  de: ['unbekannt*|(nicht|keinen?) (vorhanden|gibt|existier*|gefunden)|gibt es nicht'],
  fr: ["inconnue?s?|n['’]exist*|introuvables?|n['’]est pas (au|dans le) (fichier|registre|catalogue)"],
  es: ['desconocid[oa]s?|no exist*|inexistentes?'],
  pt: ['desconhecid[oa]s?|não exist*|inexistentes?'],
  zh: ['不存在|未知|查无|没有(该|此|对应)'],
  ja: ['(目録|台帳|登録)にない|存在しない|不明な'],
});

/** That two kinds of requests have one outcome. */
export const ANSWERED_ALIKE = phrases({
  en: [
    '(in|for) (both|either|each of (these|the two)|all) (cases?|situations?)',
    'the same (answer )?(in|for) (both|either)',
  ],
  de: ['in (beiden|allen) Fällen', '(dieselbe|die gleiche) Antwort'],
  fr: ['dans les (deux|trois) cas'],
  es: ['en (ambos|los dos) casos'],
  pt: ['(em ambos os|nos dois) casos'],
  it: ['in (entrambi i|tutti e due i) casi'],
  zh: ['(均|都|一律|同样)(为|是|返回|按|回复|答复)', '两种情况'],
});

/** That something is another's, or is not what it is to match. */
export const OF_ANOTHER = phrases({
  en: [
    "another|others?|(someone|somebody|anyone|anybody|no ?body) else|not (his|her|their|its) own|belongs?|owned|owners?|wrong|strangers?|differs?|different|(does|do|is|are) not|doesn't|isn't|without",
  ],
  de: ['andere[rnms]?|fremde[rnms]?|gehör*|falsch*|stimmt'],
  fr: ["autres?|autrui|appartien*|incorrecte?|n['’]est pas|ne correspond"],
  es: ['otr[oa]s?|ajen[oa]s?|pertenec*|incorrect[oa]s?|no (es|coincid*)'],
  pt: ['outr[oa]s?|alhei[oa]s?|pertenc*|incorret[oa]s?|não (é|coincid*)'],
  it: ['altr[oiae]|altrui|appartien*|errat[oa]|non (è|corrispond*)'],
  zh: ['他人|别人|其他|另一|不属于|属于|不匹配|不符|不一致|不是|错误'],
});

/** That checks are made one after another. */
export const IN_THIS_ORDER = phrases({
  en: [
    '(in|by) (this|that|the following|the given|the) (order|sequence)',
    'from top to bottom|one after (another|the other)|the first (one )?(that|which|of them)',
    '(checks?|rules?|steps?|conditions?) …40 order',
  ],
  de: ['in (dieser|der) …20 Reihenfolge|der Reihe nach|von oben nach unten|nacheinander'],
  fr: ["dans (cet|l['’]) ordre|l['’]un après l['’]autre"],
  es: ['en (este|el siguiente) orden|por este orden|una tras otra|uno tras otro'],
  pt: ['nesta ordem|na seguinte ordem|um após o outro'],
  it: ["in (quest['’]|questo )ordine|nell['’]ordine"],
  zh: ['按(以下|下列|上述|此|照)?…6顺序|依次|逐[一项步]'],
});

/** That an answer is given to whoever asks, or before anything else is looked at. */
export const WHOEVER_ASKS = phrases({
  en: [
    'whoever|whatever|regardless|no matter|always|in any case|any ?body|any ?one|every ?body|every ?one|all (requests|requesters|callers)|(any|every|each) (request|requester|caller)',
    'before (any|all|the) …20 (else|other*|checks?|pin|owner)|first of all',
  ],
  de: [
    'wer auch immer|unabhängig|egal|immer|stets|jede[rms]?|alle[rn]?|in jedem Fall|zuerst|zuallererst|vor allem anderen',
  ],
  fr: ["quel que soit|toujours|dans tous les cas|tou(te)?s|d['’]abord|n['’]importe"],
  es: ['sea quien sea|siempre|en (todo|cualquier) caso|cualquiera|todos|primero|antes que nada'],
  pt: ['seja quem for|sempre|em (todo|qualquer) caso|qualquer|todos|primeiro|antes de tudo'],
  it: ['chiunque|sempre|in ogni caso|tutti|prima di tutto'],
  zh: ['无论|不论|任何人|所有(人|请求)|一律|首先|最先|总是'],
});

/** That something is said of one kind alone, or of all kinds but one. */
export const ALONE_OR_OTHERS = phrases({
  en: ['only|alone|solely|exclusively|any other|all others?|every other|other than|except|nothing but|anything but'],
  de: ['nur|allein|ausschließlich|lediglich|alle anderen|jede[srmn]? andere[nrs]?|außer'],
  fr: ['seul(e|s|es)?|seulement|uniquement|tou(te)?s les autres|sauf'],
  es: ['solo|sólo|solamente|únicamente|tod[oa]s l[oa]s demás|cualquier otr[oa]|salvo'],
  pt: ['só|somente|apenas|tod[oa]s [oa]s outr[oa]s|qualquer outr[oa]|exceto'],
  it: ['solo|soltanto|solamente|tutt[ie] (gli altri|le altre)|qualsiasi altr[oa]|tranne'],
  zh: ['只|仅|其他|其它|其余|除了?…20[外之]'],
});
