import { phrases } from './phrases.ts';

/** Words by which something is not so. */
export const NOT_SO = phrases({
  en: ['not|no|never|false|refus*|declin*|den(y|ies|ied)|reject*'],
  de: ['nicht|kein*|abgelehnt|verweiger*'],
  fr: ['pas|non|aucune?|faux|refus*'],
  es: ['no|ning[uú]n[oa]?|falso|rechaz*'],
  pt: ['não|nenhuma?|falso|recus*'],
  it: ['non|nessun[oa]?|falso|rifiut*'],
  ru: ['не|нет'],
  zh: ['未|没|不|否|拒绝'],
  ja: ['ない|ません|なかった'],
});

/** Words by which what a tool tells is other than what it was asked for. */
export const OTHER_THAN_ASKED = phrases({
  en: [
    'not the (wanted|requested|ordered|desired|asked|expected|same|new|target)',
    '(any ?thing )?other than|differ(s|ent)?( from)?|another (state|status|value|number|amount)',
    '(fewer|less|more) …30 than|too few|does not (match|equal|agree)|is not (equal to|as) |do(es)? not reach|did not reach|unequal|mismatch',
  ],
  de: [
    'nicht (der|die|das|den|dem) (gewünschte|verlangte|erwartete|bestellte|angeforderte|neue)[nrms]?',
    '(weicht|weichen) …40 ab|abweich*|eine? andere[rns]?|weniger …30 als|ungleich|stimmt …30 nicht|entspricht …30 nicht',
  ],
  fr: ['diffèr(e|ent)|différente?s?|autre …20 que|moins …30 que|ne correspond pas'],
  es: ['distint[oa]s?|diferentes?|no coincide|no es (el|la) (pedid|solicitad|esperad|desead)[oa]|menos …30 que'],
  pt: ['diferentes?|não (coincide|corresponde)|menos …30 que'],
  it: ['divers[oaie]|non (coincide|corrisponde)|meno …30 (di|del*)'],
  zh: ['不一致|不同|不等于|不相等|不符|少于|不足|不是(所)?(要求|请求|期望|目标)'],
  ja: ['異なる|一致しない|等しくない|少ない'],
});

/** Words by which one thing is answered as another is. */
export const COUNTS_AS = phrases({
  en: ['(is |are )?(counts?|counted|treated|handled|taken|regarded) (as|like)|the same (holds|applies|goes)|likewise'],
  de: ['zähl(t|en) (wie|als)|gilt (wie|als)|gelten (wie|als)|(wird|werden) wie …40 behandelt|ebenso'],
  fr: ['compte(nt)? comme|(est|sont) traitée?s? comme|de même'],
  es: ['cuentan? como|se (trata|considera)n? como|igual que'],
  pt: ['contam? como|(é|são) tratad[oa]s? como'],
  it: ['contano? come|conta come|trattat[oaie] come'],
  zh: ['视为|视同|等同|同样处理|按…12处理'],
  ja: ['とみなす|と同じ|と同様'],
});
