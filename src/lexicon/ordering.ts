import { phrases } from './phrases.ts';

/** Words by which a document fixes the order of a list. */
export const SORTED = phrases({
  en: [
    'sort(s|ed|ing)?|ordered by',
    'ascending*|descending*|alphabetical*',
    '(newest|oldest|earliest|latest|cheapest|dearest|nearest)( \\p{L}+){0,2} first',
    '(highest|lowest|largest|smallest|longest|shortest|fastest|slowest|best|heaviest|lightest|youngest)( \\p{L}+){0,2} first',
  ],
  de: ['(auf|ab)steigend*|alphabetisch|sortiert'],
  fr: ['(tri|class)ée?s? par|(dé)?croissante?s?'],
  es: [
    'se ordenan?|ordenad[oa]s? por',
    'de (mayor a menor|menor a mayor)|del (mayor a menor|menor a mayor)',
    '(de|a)scendentes?',
  ],
  pt: ['ordenad[oa]s? por', 'do (maior ao menor|menor ao maior)', 'crescentes?|decrescentes?'],
  it: ['ordinat[aeio] per', '(de)?crescent[ei]'],
  ru: ['отсортирован*|сортиру*', 'по (возрастанию|убыванию)*'],
  zh: ['升序|降序|排序', '(从|由)[高低大小新旧早晚]到'],
  ja: ['昇順|降順'],
});

/** Words of a sentence that speaks of what comes in rather than of the answer. */
export const INCOMING = phrases({
  en: ['sends?|sent|requesters?|requests?|clients?|input|come|arrives?|given'],
  de: ['Anfragen?'],
  fr: ['demandes?|requêtes?'],
  es: ['solicitud(es)?|petici(ón|ones)'],
  pt: ['pedido'],
  it: ['richiest[ae]'],
  ru: ['запрос*'],
  zh: ['请求'],
  ja: ['リクエスト'],
});

/** Words by which the order is that in which things come, or one that the items of a list do not show. */
export const HIDDEN_ORDER = phrases({
  en: [
    'appear*|occur*|original|same order|where|positions?',
    'first (stands?|seen|mentioned|named|used)',
    'order (in which|(is (that|the one) )?of (the|their))',
  ],
  de: ['Auftreten*', 'Reihenfolge de[rs]', 'unsortiert*|nicht sortiert*', 'ursprünglich*'],
  fr: ['apparition', 'même ordre', "ordre d(e la|es|['’]arrivée)"],
  es: ['aparición|aparecen?', 'mismo orden', 'orden de (la|las|los|llegada)', 'sin ordenar'],
  pt: ['aparecimento', 'mesma ordem', 'ordem d[ao]s?'],
  it: ['comparsa', 'stesso ordine', 'ordine d*'],
  ru: ['порядке'],
  zh: ['出现|原有|顺序一致'],
  ja: ['出現'],
});

/** Words by which a list has no order to rely on. */
export const ANY_ORDER = phrases({
  en: [
    'in (any|no (particular|special|fixed|certain|guaranteed)|random|arbitrary|whatever) order',
    'un(sorted|ordered)|not (sorted|ordered)',
  ],
  de: ['in beliebiger Reihenfolge', 'unsortiert'],
  fr: ['dans un ordre quelconque', "dans n['’]importe quel ordre", 'non triée?s?'],
  es: ['en cualquier orden', 'sin (orden|ordenar)'],
  pt: ['em qualquer ordem'],
  it: ['in qualsiasi ordine'],
  ru: ['в любом порядке'],
  zh: ['任意顺序|顺序(任意|不定)|无序'],
  ja: ['順不同'],
});

/** Words by which whatever pages there are are read. */
export const EVERY_PAGE = phrases({
  en: ['(all|every|each) …20 pages?', 'follow(s|ed|ing)? the (cursors?|next)'],
  de: ['alle Seiten'],
  fr: ['toutes les pages'],
  es: ['todas las páginas'],
  zh: ['(所有|全部|每一)页'],
});

/** Words by which one page is read. */
export const ONE_PAGE = phrases({
  en: ['(first|one|single|only|next) pages?'],
  de: ['erste Seite*'],
  fr: ['première page*'],
  es: ['primera página*'],
  zh: ['第一页'],
});

/** Words by which one thing is done behind another. */
export const AND_THEN = phrases({
  en: ['(and|only) then|then(?! (if|when))|afterwards?|(only )?after (that|this|it)|(is|was|are) followed by|next'],
  de: ['danach|dann|anschließend|daraufhin'],
  fr: ['puis|ensuite|après (cela|quoi)'],
  es: ['después|luego|a continuación'],
  pt: ['depois|em seguida'],
  it: ['poi|dopo di che|successivamente'],
  ru: ['затем|потом|после этого'],
  zh: ['然后|之后|随后|再'],
  ja: ['その後|次に'],
});

/** That nothing more is done of what was under way. */
export const STOPS = phrases({
  en: [
    '(always|at once|immediately) stops?|stops? (at once|immediately|there|right away)',
    'no (further|more|other) \\p{L}+ (may|must|shall|can|will|is|are) (be )?(asked|called|sent|posted|booked|held|tried|touched|made|done)',
    'not (go|carry) on|not continue|not go for the next|no (other|next) one is (tried|asked|booked|held)',
  ],
  de: ['(wird|werden) …40 (abgebrochen|nicht fortgesetzt)|bricht …20 ab', 'keine weiteren? …30 (mehr)?'],
});

/** That what was under way has come to its end. */
export const ENDS_THERE = phrases({
  en: ["that('s| is| was) the end of (it|the matter|the story)|ends (it|the (attempt|request|whole))|end of story"],
  de: ['damit (ist|endet) …20 (Schluss|Ende|Vorgang)'],
});

/** That what is left is done all the same. */
export const CARRIES_ON = phrases({
  en: [
    '(?<!not )(goes|go|going|carry|carries|carrying) on|(?<!not )continue[sd]?',
    '(the|all) (others?|rest|remaining|following|next) …40 (still|as usual|all the same|nevertheless|nonetheless)',
    '(does|do|must|may) not (stop|affect|hold up|block|keep) …30 (others?|rest|remaining|following|next)',
  ],
  de: [
    '(geht|gehen|macht|machen|fährt) …40 (weiter|fort)',
    '(die )?(anderen|übrigen|restlichen) …40 (trotzdem|dennoch)',
  ],
});
