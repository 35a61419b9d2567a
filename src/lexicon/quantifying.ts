import { phrases } from './phrases.ts';

/** Words before a number that is the last to fall below a limit. */
export const UP_TO = phrases({
  en: [
    '(?<!\\bthan or )(more|greater|larger|higher|bigger|longer|older|heavier|later) than',
    '(less|fewer|smaller|lower|shorter) than or equal to|at or below',
    '(?<!\\bthan or )(above|exceed(s|ing)?|beyond|at most|maximum( of)?)|up to( and including)?|over',
  ],
  de: ['(mehr|größer|höher|länger|schwerer|älter) als|höchstens|maximal|bis (zu|einschließlich)|über'],
  fr: ['plus de|(supérieure?|supérieurs) à|au plus|(dépass|excèd)*'],
  es: ['más de|(mayor|superior)(es)? (a|de|que)|como máximo|hasta|(super|exced)(a|e|an|en)'],
  pt: ['mais de|(maior|superior)(es)? (a|do|que|do que)|acima de|no máximo|(ultrapass|exced)*'],
  it: ['più di|(maggior|superior)[ei] (a|di)|oltre|al massimo|super(a|ano)'],
  zh: ['最多|不超过|不得超过|超过|大于|高于|至多|上限为?'],
  signs: ['≤|<=|(?<![<=-])>(?!=)|\\bmax\\.?( of)?'],
});

/** Words before a number that is the first to reach a limit. */
export const FROM = phrases({
  en: [
    '(less|fewer|smaller|lower|shorter|younger|lighter|earlier) than',
    '(more|greater|larger|higher) than or equal to',
    'below|under|at least|minimum( of)?|reach(es|ed|ing)?',
  ],
  de: ['(weniger|kleiner|kürzer|leichter|jünger) als|mindestens|ab|unter|erreich(t|en)'],
  fr: ['moins de|inférieure?s? à|au moins|à partir de|atteint'],
  es: ['menos de|(menor|inferior)(es)? (a|de|que)|(como mínimo|al menos|a partir de)|alcan(za|zan|ce|cen)|llegan? a'],
  pt: ['menos de|(menor|inferior)(es)? (a|do|que|do que)|abaixo de|pelo menos|no mínimo|a partir de|ating(e|em|ir)'],
  it: ['meno di|(minor|inferior)[ei] (a|di)|almeno|a partire da|raggiung(e|ono)'],
  zh: ['至少|不少于|不低于|低于|少于|小于|不足|达到|未?满|不到'],
  signs: ['≥|>=|<(?![=-])|\\bmin\\.?( of)?'],
});

/** Words before a number that is reached as well as passed, though the last of them alone would have it passed. */
export const FROM_AND_ABOVE = phrases({
  en: ['(reach|equal|meet)(s|ed)? or exceeds?|(at|equal to|equals) or (above|over|(more|greater|higher|larger) than)'],
  de: ['(gleich|erreicht|erreichen) oder (größer|höher|mehr) als|größer oder gleich|erreicht oder übersteigt'],
  fr: ['(atteint|égal à) ou (dépass|excèd|supérieur)*( à)?|supérieure?s? ou égale?s? à'],
  es: ['(alcanza|llega a|igual a) o (super|exced|mayor)*( que)?|(mayor|superior)(es)? o igual(es)? (a|que)'],
  pt: ['(atinge|igual a) ou (ultrapass|exced|maior)*( que)?|(maior|superior)(es)? ou igua(l|is) a'],
  it: ['(maggior|superior)[ei] o ugual[ei] a'],
  zh: ['(达到|等于)或者?(超过|大于|高于)|(大于|高于)(或者?)?等于'],
});

/** Words before a number that is the last, though the last of them alone would have it passed. */
export const UP_TO_AND_BELOW = phrases({
  en: ['(at|equal to|equals) or (below|under|(less|fewer|lower|smaller) than)'],
  de: ['(kleiner|gleich) oder (gleich|kleiner( als)?)'],
  fr: ['inférieure?s? ou égale?s? à'],
  es: ['(menor|inferior)(es)? o igual(es)? (a|que)'],
  pt: ['(menor|inferior)(es)? ou igua(l|is) a'],
  it: ['(minor|inferior)[ei] o ugual[ei] a'],
  zh: ['(小于|低于|少于)(或者?)?等于'],
});

/** Words before the first number of a range and between its two, by language; both numbers belong to it. */
export const RANGES: readonly (readonly [before: RegExp, between: RegExp])[] = [
  [/\bfrom\s*$/i, /^\s*(?:up )?to(?: and including)?\s*$/i],
  [/(?<!\p{L})von\s*$/iu, /^\s*bis(?: einschließlich)?\s*$/i],
  [/(?<!\p{L})de\s*$/iu, /^\s*(?:à|a)\s*$/i],
  [/(?<!\p{L})da\s*$/iu, /^\s*a\s*$/i],
  [/(?<!\p{L})van\s*$/iu, /^\s*tot en met\s*$/i],
  [/(?<!\p{L})от\s*$/iu, /^\s*до\s*$/iu],
  [/[\p{Script=Han}为]\s*$/u, /^\s*(?:至|到)\s*$/u],
];

/** Words for times and other ranges whose last number may be the first that is out of it. */
export const HALF_OPEN = phrases({
  en: ["hours?|o'clock|am|pm|times?|minutes?|opens?|opening|closed?|interval"],
  de: ['Uhr|Stunden?|*zeit(en)?|geöffnet|Intervall'],
  fr: ['heures?|h|ouvert*|intervalle'],
  es: ['horas?|h|abiert*|horario|intervalo'],
  pt: ['horas?|h|abert*|horário|intervalo'],
  it: ['ore|ora|apert*|orario|intervallo'],
  nl: ['uur|open|tijd'],
  ru: ['час*|открыт*|врем*|интервал'],
  zh: ['点|时|区间'],
});

/** Words by which a number of a sentence may be meant otherwise than it is said, or not hold for all. */
export const HEDGED = phrases({
  en: [
    'about|around|approximately|roughly|circa|means?',
    'exclud*|exclusive|(?<!up to and )includ*|inclusive|over \\d+ years|not counting',
    'together|altogether|in total|plus(?! de\\b)|additional|further|other|left|remaining',
    'per (minute|second|hour|day)|business|working',
  ],
  de: ['etwa|ungefähr|rund|circa|ca|insgesamt|zusammen|zuzüglich|weitere[nrsm]?|übrige*|ausschließlich|Werktag*'],
  fr: ['environ|au total|ensemble|supplémentaires?|autres?|reste*|exclu*'],
  es: ['aproximadamente|unos|unas|alrededor|en total|junt[oa]s|adicional*|otr[oa]s|rest*|exclu*|hábil*'],
  zh: ['大约|左右|另外'],
});

/** The same of a clause: by these words its number may be another that is taken, or count what comes after it. */
export const HEDGED_CLAUSE = phrases({
  en: [
    'already|treated|count(s|ed)? as|taken (as|for)|clamp*|capped|cut (to|off)|instead|raised to|lowered to|defaults?',
  ],
  de: ['bereits|pro|je|nach|(gilt|gelten|zählt|zählen) …20 als|statt*|sonst|gekürzt'],
  fr: ['déjà|par|après|(compte|considéré)* …10 comme|sinon'],
  es: ['por|después|tras|(cuent|consider|trat)* …10 como|si no|cada'],
  zh: ['按|视为|默认|约'],
});

/** Words behind a number by which it belongs to what was just said of it. */
export const INCLUDED =
  /[,，]?\s?[(（]?(?:(?:\p{L}{1,20}\s)?\d{1,12}\s)?(?:included|inclusive|eingeschlossen|inbegriffen|inklusive|incluid[oa]s?|incluíd[oa]s?|comprise?s?|inclus[aeio]?s?|含|包含)[)）]/giu;

/** Words and marks that make a limit of a number. */
export const LIMITING = phrases({
  en: [
    'than|above|over|exceed*|beyond|below|under|at (most|least)|max*|min*|up to|between|from|limit*|within',
    'largest|smallest|highest|lowest|longest|shortest|or (more|less|fewer)|onwards?',
  ],
  de: ['als|höchstens|mindestens|maximal|ab|bis|unter|zwischen|oder (mehr|weniger)'],
  fr: ['plus|moins|jusqu*|partir|entre|(maxim|minim|dépass|inférieur|supérieur|excèd)*'],
  es: ['más|menos|hasta|partir|entre|(máxim|mínim|may|men|super|inferior|exced)*'],
  zh: ['最|不超过|超过|大于|高于|低于|少于|小于|至少|至多|以上|以下|以内|上限|下限|限'],
  signs: ['[≤≥<>]'],
});

/** Words by which a value is taken for another, or the limit of one is told. */
export const ADJUSTED = phrases({
  en: [
    'counts? as|treated as|taken (as|for)|read as|instead|ignor*',
    'capped|clamp*|clipped|cut|reduced to|limited to|raised to',
    'at most \\d|never more than \\d',
    'unless|any other|other values?|unknown',
  ],
  zh: ['忽略'],
});

/** Words by which a document may have something of its own done with more than a bound. */
export const SAYS_MORE = phrases({ en: ['larger|higher|more than|above|over|greater'], zh: ['超过'] });

/** Words by which a document may have something of its own done with less than a bound. */
export const SAYS_LESS = phrases({
  en: ['smaller|lower|less than|below|under|fewer|negative|zero'],
  zh: ['少于|小于'],
});

/** Words by which an answer may leave out some of what was found. */
export const SOME_ALONE = phrases({
  en: [
    'at most|up to|(no|not) more than|maximum',
    '(first|top|best|last) (\\d+|n|two|three|four|five|six|seven|eight|nine|ten)',
    '(\\d+|two|three|four|five|six|seven|eight|nine|ten) (\\p{L}+ )?\\p{L}+est',
  ],
  zh: ['最多|不超过|至多'],
});

/** Words for a text without a character. */
export const EMPTY = phrases({
  en: ['empty|blank|zero-length'],
  de: ['leer(e[rnsm]?)?'],
  fr: ['vides?'],
  es: ['vac[ií][oa]s?'],
  pt: ['vazi[oa]s?'],
  it: ['vuot[oaie]'],
  ru: ['пуст*'],
  zh: ['空'],
  signs: ['(?<![\\p{L}\\p{N}])(""|\'\'|``)(?![\\p{L}\\p{N}])'],
});

/** Words by which an answer has nothing in it. */
export const NOTHING = phrases({
  en: ['empty|null|none|nothing|zeros?|blank|no \\w+|without'],
  de: ['leere?[rsmn]?|keine?[rsmn]?|nichts'],
  fr: ['vides?|aucune?|rien'],
  es: ['vac[ií][oa]s?|ning[uú]n[oa]?|nada'],
  pt: ['nada'],
  it: ['vuot[oaie]'],
  zh: ['空|无|没有'],
  signs: ['""', '\\[\\s?\\]', '\\{\\s?\\}'],
});

/** Words for texts whatever their names. */
export const SOME_TEXT = phrases({
  en: ['strings?|texts?|everything|all (the )?(other|else)|others?|the rest|remaining'],
  de: ['Zeichenketten?|Texte?|alles|übrigen?'],
  fr: ['cha[iî]nes?|textes?'],
  es: ['cadenas?|textos?'],
  pt: ['textos?'],
  it: ['stringhe?|testi?'],
  ru: ['строк*'],
  zh: ['字符串|其他|其它'],
  ja: ['文字列'],
});

/** That something is done one time, and not as often as there are things to do it for. */
export const ONCE = phrases({
  en: [
    '(exactly|only|just|precisely) once(?! (the|an?|it|all|this|that|they|he|she|you|we|there|every\\w*)\\b)',
    'at most once|never twice|(with|in|by) (one|a single) call',
    'once(?=[.,;:)]| with\\b| and (answers?|tells?|returns?)\\b)',
  ],
  de: ['(genau|nur|höchstens) einmal'],
  fr: ['une seule fois'],
  es: ['una sola vez'],
  pt: ['uma (única|só) vez'],
  it: ['una (sola|volta sola)( volta)?'],
  ru: ['(ровно|только) один раз'],
  zh: ['[只仅]\\p{Script=Han}{0,6}一次', '一次性', '执行一次'],
  ja: ['[一1１](度|回)(だけ|のみ)'],
});

/** That something is done as often as there are things to do it for. */
export const FOR_EACH = phrases({
  en: ['per|each|every|all|copy|copies'],
  de: ['je|pro|jede[nmrs]?|alle[nrs]?'],
  fr: ['par|chaque|tou(s|tes)'],
  es: ['por|cada|tod[ao]s'],
  pt: ['por|cada|tod[ao]s'],
  it: ['per|ogni|tutt[ie]'],
  ru: ['кажд*|все*'],
  zh: ['每|各'],
  ja: ['ごと|毎|各'],
});
