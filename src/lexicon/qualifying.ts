import { either, phrases } from './phrases.ts';

/** Words by which a sentence says more than how one failure is answered: what makes up for it, another try, a further condition. */
export const QUALIFIED = phrases({
  en: [
    'both|neither|too|(?<!\\b(closed|released|cancelled|freed|locked|removed|deleted) )again|second|third|still|only|unless|except|otherwise|instead|however',
    'may|might|can|used|us(e|ing)|falls? back|fallback|counts? as|(?<!\\bno \\w{1,20} (is|are) )taken|treated|anyway|all the same',
    'cached?|stale|defaults?|retr(y|ies|ied|ying)|first|last',
  ],
  de: ['sonst|stattdessen|andernfalls|ersatz*|erneut|nochmals?|noch|außer'],
  fr: ['sinon|secours|encore|nouveau|sauf'],
  es: ['otra|nuevo|respaldo|si no|salvo|excepto'],
  pt: ['senão|vez|novamente|salvo|exceto'],
  it: ['altrimenti|invece|riserva|ancora|nuovo'],
  ru: ['иначе|вместо|резерв*|снова|ещё|повтор*'],
  zh: ['否则|改用|备用|缓存|默认|重试|再次'],
  ja: ['代わり|予備|既定|もう一度|再度'],
});

/** What is said of goods and rooms that are not to be had as well as of systems that fail. */
export const UNAVAILABLE = phrases({
  en: ['(not |un)available'],
  de: ['nicht verfügbar'],
  fr: ['(in|pas )disponible*'],
  es: ['no disponible*|no está disponible'],
  pt: ['indispon[ií]ve*|não está disponível'],
  it: ['(non |in)disponibil*'],
  ru: ['недоступ*'],
  ja: ['利用(できない|不可)'],
});

/** Words by which a description lets a place hold one thing or another. */
export const ALTERNATIVE = phrases({
  en: ['or|if|when|unless|otherwise|except|else|new|next'],
  de: ['oder|falls|wenn|sonst|andernfalls|neue*|nächste*'],
  fr: ['ou|si|sinon|nouve*|suivant*'],
  // What is "or" in one language is an article or a preposition in another: there it takes what follows it.
  es: ['o (un|una|el|la|bien|si|null|nul[oa]|vac[ií]*|otr[oa]|nuev*)|si|nuev*|siguiente'],
  pt: ['ou|se|nov*|seguinte'],
  it: ['o (un|una|uno|il|lo|la|null|null[oa]|vuot*|altr[oa]|nuov*)|se|nuov*|successiv*'],
  nl: ['of (een|de|het|als|anders|null|leeg|nieuw*)|ofwel|als|nieuw*|volgend*'],
  ru: ['или|если|нов*|следующ*'],
  zh: ['或|若|如果|否则|新|下一'],
  ja: ['または|場合|新|次'],
});

/** Words by which a rule leaves it open whether it holds. */
export const UNSURE = phrases({ en: ['may|might|can|unless|should'] });

/** Words by which what is done depends on something, or may as well be left. */
export const DEPENDING = phrases({
  en: ['if|when|whenever|once|unless|only|otherwise|else|except|where|in case|may|might|can|could|optional*|or'],
  de: ['wenn|falls|sobald|sofern|sonst|andernfalls|außer|nur|kann|können|darf|optional*|oder|bei|im Fall*'],
  fr: ['si|quand|lorsqu*|dès qu*|sinon|sauf|seulement|peut|peuvent|ou|en cas'],
  es: ['si|cuando|sino|salvo|excepto|solo|sólo|puede|pueden|o|en caso'],
  pt: ['se (não|o|a|os|as|for|houver|um|uma)|quando|senão|salvo|exceto|só|pode|podem|ou|em caso|caso'],
  it: ['se (non|il|lo|la|un|una)|quando|altrimenti|salvo|tranne|solo|può|possono|o|in caso'],
  nl: ['als|indien|wanneer|zodra|anders|behalve|alleen|kan|mag|bij'],
  ru: ['если|когда|иначе|кроме|только|может|можно|или|при'],
  zh: ['如果|若|除非|否则|只有|仅|可以|可选|或|时(?![间候刻])|其余|其他情况'],
  ja: ['場合|とき|なら|れば|たら|のみ|だけ|または|任意'],
});

/** Words by which a rule compares one amount with another, or reckons with it. */
export const RECKONING = phrases({
  en: [
    'than|below|above|at (least|most)|the (smaller|larger|greater|lower|higher|lesser) of|multiplied|times|divided|minus|plus',
  ],
  de: ['als|mindestens|höchstens|unter|über|mal|geteilt|minus|plus'],
  fr: ['au (moins|plus)|(plus|moins) …20 qu*|supérieur*|inférieur*|fois|divis*'],
  es: ['mayor*|menor*|(más|menos) …20 que|al menos|como máximo|multiplic*|divid*'],
  pt: ['maior*|menor*|(mais|menos) …20 que|pelo menos|no máximo|multiplic*|divid*'],
  it: ['maggior*|minor*|(più|meno) …20 (di|del*)|almeno|al massimo|moltiplic*|divis*'],
  zh: ['大于|小于|多于|少于|超过|低于|高于|不足|乘|除以|减|加上'],
});

/** Words by which a rule depends on what it names. */
export const DECIDING = either(
  phrases({
    en: ['if|when|whenever|unless|otherwise|(is|are) (true|false|null|0|zero|empty)'],
    de: ['wenn|falls|sofern|sonst|andernfalls|(ist|sind) (true|false|null|0|leer)'],
    fr: ['si|quand|lorsqu*|sinon|(est|sont) (true|false|null|0|vide*)'],
    es: ['si|cuando|(es|son|está*) (true|false|null|0|vací*)'],
    pt: ['se|quando|(é|são|está*) (true|false|null|0|vazi*)'],
    it: ['se|quando|(è|sono) (true|false|null|0|vuot*)'],
    zh: ['如果|若|否则|时(?![间候刻])|(不)?一致|为 ?(true|false|null|0|空)'],
  }),
  RECKONING,
);

/** Words behind which stands what a rule does not hold for. */
export const EXCEPTING = phrases({
  en: ['except|unless|other than|but not|apart from'],
  de: ['außer|ausgenommen|bis auf'],
  fr: ['sauf|excepté|hormis'],
  es: ['salvo|excepto|menos'],
  pt: ['salvo|exceto|menos'],
  it: ['salvo|tranne|eccetto'],
  nl: ['behalve|uitgezonderd'],
  ru: ['кроме'],
  zh: ['除(了|非)?'],
  ja: ['除き|除いて|以外'],
});

/** Before the name of a member: that what follows is a condition, or is denied. */
export const NOT_SAID_OF_ANSWERS = phrases({
  en: ['if|when(ever)?|where|while|unless|until|once|whose|never|not|nor|neither|formerly|reserved'],
  de: ['wenn|falls|sobald|solange|nie|niemals|nicht|kein*|früher'],
  fr: ['si|quand|lorsque|jamais|ne|ni'],
  es: ['si|cuando|mientras|nunca|no|ni'],
  pt: ['se|quando|nunca|não|nem'],
  it: ['se|quando|mai|non|né'],
  nl: ['als|indien|wanneer|nooit|niet|geen'],
  ru: ['если|когда|никогда|не'],
  zh: ['如果|若|当|不|非|曾|没有'],
  ja: ['場合|とき|ない'],
});

/** That something is not written yet. */
export const LEFT_FOR_LATER = phrases({
  en: ['tbd|tba|todo|pending|to be (defined|agreed|added|done|decided|determined|written|specified)( later)?'],
  de: ['folgt( später)?|offen|noch offen|ausstehend'],
  fr: ['à (définir|venir|compléter)'],
  es: ['pendiente( de definir)?|por (definir|completar)'],
  pt: ['pendente|a definir'],
  it: ['da definire'],
  zh: ['待定|待补充|待完善|暂无|略'],
  ja: ['未定|後日'],
});
