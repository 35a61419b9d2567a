import { phrases } from './phrases.ts';

/** Words by which a sentence says more than how one failure is answered: what makes up for it, another try, a further condition. */
export const QUALIFIED = phrases({
  en: [
    'both|neither|too|again|second|third|still|only|unless|except|otherwise|instead|however',
    'may|might|can|used|us(e|ing)|falls? back|fallback|counts? as|taken|treated|anyway|all the same',
    'cached?|stale|defaults?|retr(y|ies|ied|ying)|first|last',
  ],
  de: ['sonst|stattdessen|andernfalls|ersatz*|erneut|nochmals?|noch'],
  fr: ['sinon|secours|encore|nouveau'],
  es: ['otra|nuevo|respaldo|si no'],
  pt: ['senão|vez|novamente'],
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
  es: ['o|si|nuev*|siguiente'],
  pt: ['ou|se|nov*|seguinte'],
  it: ['o|se|nuov*|successiv*'],
  nl: ['of|als|nieuw*|volgend*'],
  ru: ['или|если|нов*|следующ*'],
  zh: ['或|若|如果|否则|新|下一'],
  ja: ['または|場合|新|次'],
});

/** Words by which a rule leaves it open whether it holds. */
export const UNSURE = phrases({ en: ['may|might|can|unless|should'] });
