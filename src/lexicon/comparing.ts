import { phrases } from './phrases.ts';

/** Words by which one quantity lies beyond another: where both are equal, it does not. */
export const BEYOND = phrases({
  en: [
    '(more|greater|larger|higher|bigger|longer|later|older|less|fewer|smaller|lower|shorter|earlier|younger) (\\w+ ){0,4}than(?! or equal)',
    'exceed(s|ed|ing)?|above|below|beyond|after|before',
  ],
  de: [
    '(mehr|größer|höher|länger|später|älter|kleiner|weniger|kürzer|früher|niedriger|geringer)( \\w+){0,4}( sein| ist)? als',
    '(übersteig|überschreit|unterschreit)*|nach de[mnr]|vor de[mnr]|(ist|sind) …12 (kleiner|größer|niedriger|höher|früher|später)(?! oder)',
  ],
  fr: ['(supérieure?|inférieure?|postérieure?|antérieure?)s?|plus …20 que|moins …20 que|(dépass|excèd)*|après|avant'],
  es: [
    '(mayor|menor|superior|inferior|posterior|anterior)(es)?|(más|menos) …20 que|(super|exced)(a|e|an|en|ar|er)|después de|antes de',
  ],
  pt: [
    '(maior|menor|superior|inferior|posterior|anterior)(es)?|(mais|menos) …20 que|(ultrapass|exced)*|depois d[aeo]|antes d[aeo]',
  ],
  it: ['(maggior|minor|superior|inferior|posterior|anterior)[ei]|(più|meno) …20 di|super(a|ano)|dopo|prima'],
  zh: ['超过|超出|大于|高于|多于|晚于|小于|低于|少于|早于|不足|不够'],
});

/** Words by which one quantity comes up to another: where both are equal, it does. */
export const MEETING = phrases({
  en: [
    'at (least|most)|cover(s|ed)?|reach(es|ed)?|up to|as (many|much|long|high|old) …40 as|suffic*|enough|or equal',
    '(on|at) or (after|before)|(equal|same) or',
  ],
  de: ['mindestens|höchstens|(deck|erreich|reich)(t|en)|genüg*|oder gleich'],
  fr: ['au (moins|plus)|couvr*|attein*|suffi*|ou égale?s?'],
  es: ['(al|por lo) menos|como máximo|cubr*|alcan*|suficiente*|o igual(es)?'],
  pt: ['pelo menos|no (máximo|mínimo)|cobr*|ating*|alcan*|suficiente*|ou igua(l|is)'],
  it: ['almeno|al massimo|copr*|raggiung*|sufficient*|o ugual[ei]'],
  zh: ['至少|至多|达到|等于|足够'],
});

/** Words by which it is said of two quantities that they are equal. */
export const EQUAL = phrases({
  en: ['exactly|same|equal|unchanged|identical|itself'],
  de: ['genau|dersel*|densel*|demsel*|diesel*|dassel*|selben?|gleich*|unverändert*'],
  fr: ['exactement|mêmes?|égale?s?|inchangée?s?'],
  es: ['exactamente|mism[oa]s?|igual(es)?|just[oa]'],
  pt: ['exatamente|mesm[oa]s?|igua(l|is)'],
  it: ['esattamente|stess[oa]|ugual[ei]'],
  zh: ['恰好|正好|等于|相同|同一|当天'],
});

/** Words by which that may be so. */
export const ALLOWED = phrases({
  en: ['allowed|enough|accepted|acceptable|fine|ok(ay)?|permitted|valid|suffic*|still|may|can|not late|no breach'],
  de: ['erlaubt|zulässig|genüg*|reicht|noch|darf|dürfen|gültig|in Ordnung'],
  fr: ['autorisée?s?|acceptée?s?|suffi*|permise?s?|encore|peut|valides?'],
  es: ['permitid*|aceptad*|se acepta|válid*|suficiente|basta|todavía|puede'],
  pt: ['permitid*|aceit*|válid*|suficiente|basta|ainda|pode'],
  it: ['permess*|accettat*|valid*|sufficiente|basta|ancora|può'],
  zh: ['可以|允许|仍|即可|可|有效|足够'],
});

/** Words by which a sentence tells of a case, and not of what must be so. */
export const SUPPOSING = phrases({
  en: ['if(?! not)|when|whenever|where|in case'],
  de: ['wenn|falls|sofern|bei'],
  fr: ['si(?! ?non)|quand|lorsque'],
  es: ['si(?! no)|cuando'],
  pt: ['se(?! não)|quando'],
  it: ['se(?! no)|quando'],
  zh: ['如果|若|时|的话|当'],
});

/** Words by which a sentence tells of what must be so, or of what comes of it that it is not. */
export const DEMANDING = phrases({
  en: ['must|has to|have to|shall|needs? to|should|may not|else|otherwise|if not'],
  de: ['muss|müssen|darf|dürfen|soll|sollen|sonst|andernfalls|wenn nicht'],
  fr: ['doit|doivent|sinon|faut'],
  es: ['debe|deben|tiene que|tienen que|si no|de lo contrario|en caso contrario'],
  pt: ['deve|devem|tem de|tem que|se não|senão|caso contrário'],
  it: ['deve|devono|altrimenti|se no'],
  zh: ['必须|应当|应|须|否则|不得|不能'],
});

/** Words that deny. */
export const DENYING = phrases({
  en: ["not|no|never|cannot|(do|does|is|are|must|may|can)n['’]t|neither|nor"],
  de: ['nicht|kein*|nie|niemals'],
  fr: ['ne|pas|jamais|aucune?'],
  es: ['no(?= \\p{L})|nunca|ningun*'],
  pt: ['não|nunca|nenhum*'],
  it: ['non|mai|nessun*'],
  zh: ['不|未|没'],
});

/** Words by which more than what is named is compared: a sum, or what is left of something. */
export const ADDING = phrases({
  en: [
    'plus|minus|sum|together|total|less the|added|including|remaining|remainder|so far|already|with (its|the|his|her)',
  ],
  de: ['plus|minus|Summe|zusammen|zuzüglich|abzüglich|insgesamt|übrig*|verbleib*|Rest*|samt|bereits|schon'],
  fr: ['plus(?! (de|que|tard|tôt|grand|petit))|moins l|somme|ensemble|total*|restante?s?|déjà'],
  es: ['más (el|la|los|las)|suma|junt[oa]s|total*|restantes?|menos (el|la)|ya'],
  pt: ['mais (o|a|os|as)|soma|junt[oa]s|total*|restantes?|menos (o|a)|já'],
  it: ['più (il|la|le|i)|somma|insieme|total[ei]|restant[ei]|già'],
  zh: ['加|减|之和|合计|总|剩余|已'],
});
