import { phrases } from './phrases.ts';

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
