import { phrases } from './phrases.ts';

/** Words that give a place several possible values. */
export const ALTERNATIVE = phrases({
  en: ['or|if|when|unless|otherwise|except|else|new|next'],
  de: ['oder|falls|wenn|sonst|andernfalls|neue*|nächste*'],
  fr: ['ou|si|sinon|nouve*|suivant*'],
  // "Or" of one language is an article or preposition in another, so these languages need the next word too.
  es: ['o (un|una|el|la|bien|si|null|nul[oa]|vac[ií]*|otr[oa]|nuev*)|si|nuev*|siguiente'],
  pt: ['ou|se|nov*|seguinte'],
  it: ['o (un|una|uno|il|lo|la|null|null[oa]|vuot*|altr[oa]|nuov*)|se|nuov*|successiv*'],
  nl: ['of (een|de|het|als|anders|null|leeg|nieuw*)|ofwel|als|nieuw*|volgend*'],
  ru: ['или|если|нов*|следующ*'],
  zh: ['或|若|如果|否则|新|下一'],
  ja: ['または|場合|新|次'],
});

/** Words that make an action conditional or optional. */
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
