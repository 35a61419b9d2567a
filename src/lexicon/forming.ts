import { either, phrases } from './phrases.ts';

/** A value that is worked out from the rest of a message: whoever changes one has to change the other. */
export const CHECKED = phrases({
  en: ['check[ -]?(sums?|digits?|bytes?|characters?|values?|codes?)', 'crc(-?\\d+)?|xor|parity|luhn|hmac|signatures?'],
  de: ['*Prüf(summe|ziffer|byte|zeichen|wert)*', '*Kontroll(ziffer|summe)*'],
  fr: ['(somme|clé|chiffre) de contrôle*'],
  es: ['(suma|dígito) (verificador|de (control|verificación|comprobación))*'],
  pt: ['soma de verificação*'],
  it: ['cifra di controllo*'],
  ru: ['*контрольн*'],
  zh: ['校验|签名'],
  ja: ['チェック(ディジット|デジット|サム)|検査(数字|符号)'],
});

/** Fields that lie at fixed places of a line. */
export const COLUMNS = either(
  phrases({
    en: [
      'fixed[ -](width|length|columns?|positions?)',
      '(columns?|positions?|characters?|bytes?|offsets?) \\d+ ?([–-]|to) ?\\d*',
    ],
    de: ['feste[rn]? (Breite|Länge|Spalten)*', 'Spalten? \\d*'],
    fr: ['largeur fixe*', 'colonnes? \\d*'],
    es: ['ancho fijo*', 'columnas? \\d*'],
    pt: ['largura fixa*'],
    ru: ['фиксированн* (ширин|длин)*'],
    zh: ['固定(长度|宽度|列宽)|定长'],
    ja: ['固定長'],
  }),
  /\| *columns? *\|/,
);

/** That a field with signs of the form stands in quotes, and quotes in it are doubled. */
export const QUOTED_FIELDS = either(
  phrases({
    en: [
      'rfc ?4180',
      '(quotes?|quotation marks?) …40 (are|is|being)? ?(doubled|repeated)',
      'doubl(ed|ing) …20 (quotes?|quotation marks?)',
    ],
    de: ['Anführungszeichen …40 verdoppelt'],
    fr: ['guillemets …40 doublés'],
    es: ['comillas …40 (duplicad|doblad)as'],
    pt: ['aspas …40 (duplicad|dobrad)as'],
    it: ['virgolette …40 raddoppiat*'],
    zh: ['引号…20(双写|重复|加倍|成对|两个)'],
  }),
  /"["'`]? (?:inside|within|in)[^.\n]{0,40}"{2}/,
);

/** That signs of markup are written as entities. */
export const ESCAPED = either(
  phrases({
    en: ['escaped?|escaping|entit(y|ies)'],
    de: ['maskiert*'],
    fr: ['échapp*'],
    es: ['escap(ad|an)*'],
    zh: ['转义'],
  }),
  /&(?:lt|amp);/,
);

/** That the letters of a text decide, rather than what it stands for. */
export const LETTERS_DECIDE = phrases({
  en: [
    '(first|last|initial) (letters?|characters?|digits?|word)',
    'alphabet*|prefix*|suffix*|palindrom*',
    '(begin|start|end)(s|ning|ing)? (with|in|by)',
    '(number of|how many) (letters|characters|digits|words)',
  ],
  zh: ['首字母|字母|前缀|后缀|开头|结尾|字符数'],
});
