import { phrases } from './phrases.ts';

/** What may stand behind the words that there is nothing else: the end of the clause, or what is excepted. */
const END = '(?=\\s?($|[.;,:\\x29，；。）]|(';

/** That an answer has what was named, and nothing else; not that nothing else is done. */
export const NOTHING_ELSE = phrases({
  en: [
    `nothing (else|more|further)${END}besides?|but|except|than|apart from|aside from|in the (body|answer|response|reply))))`,
    `(no|without) (any )?(other|further|more) (members?|fields?|propert(y|ies))${END}besides?|but|except|than|apart from)))`,
    `(,|is|are) no more${END}than)))`,
    'travels? alone|comes? alone|only (\\w+ and (outcome|status|code|result)|(outcome|status|code|result) and \\w+)',
  ],
  de: [`sonst (gar )?nichts${END}außer|als|neben)))`, 'ohne weitere (Felder|Angaben)'],
  fr: [`rien d['’]autre${END}que|sauf|hormis|ne figure|n['’]y figure)))`, 'sans autre champ'],
  es: [`nada más${END}que|salvo|aparte de)))`, 'sin (ningún otro campo|otros campos|más campos)'],
  pt: [`nada mais${END}que|além)))`, 'sem (nenhum outro campo|outros campos|mais campos)'],
  zh: ['(不含|不带|没有|无)(任何)?(其他|其它|别的)(字段|内容|信息)', '此外(不含|没有|无)'],
});

/** What says of the member in front of it that answers do not have it. */
export const NOT_GIVEN = phrases({
  en: [
    '(is|are|must be|shall be) (not|never) (told|given|included|added|present|shown|returned|sent|disclosed|part|there)',
    '(is|are|must be|shall be) (left out|omitted|absent|missing)',
    '(does|do|must|may) not (appear|occur)',
  ],
  de: [
    '(wird|werden|ist|sind) …20 (nicht|nie) (genannt|mitgeteilt|angegeben|gesendet|enthalten)',
    'fehlt|fehlen|entfällt|entfallen',
  ],
  fr: ["(n[’']est|ne sont) (pas|jamais) (donnée?s?|indiquée?s?|présente?s?)"],
  es: ['no se (envía|incluye|indica)n?'],
  zh: ['(不返回|不给出|不提供|不出现|省略|缺省)'],
});

/** What says of the member behind it that answers do not have it. */
export const LEFT_OUT = phrases({
  en: ['without( an?| any| the)?|(leave|leaves|leaving) out|omit(s|ting)?'],
  de: ['ohne( ein(e|en)?)?'],
  fr: ['sans'],
  es: ['sin|no se (envía|incluye|indica)n?'],
  pt: ['sem'],
  zh: ['不(返回|给出|提供|含)'],
});

/** That a member may be there whatever the outcome is. */
export const IN_ANY_ANSWER = phrases({
  en: ['every|each|any|all|always|whatever|optional(ly)?|may'],
  de: ['jede[rmns]?|alle[nr]?|immer|stets|kann|darf|optional*|freiwillig*'],
  fr: ['chaque|tou(te)?s?|toujours|peut|facultati(f|ve)*'],
  es: ['cada|tod[oa]s?|siempre|puede|opcional*|cualquier*'],
  pt: ['cada|tod[oa]s?|sempre|pode|opcional*|qualquer'],
  zh: ['每|所有|任何|总是|始终|可选|可以'],
});

/** That a text is said as it stands. */
export const WORD_FOR_WORD = phrases({
  en: ['exactly|word for word|verbatim|precisely|literally|always|fixed'],
  de: ['genau|wörtlich|exakt|immer|stets|fest(er|e|en)?'],
  fr: ['exactement|mot pour mot|toujours|vaut'],
  es: ['exactamente|literal(mente)?|siempre|fij[oa]'],
  pt: ['exatamente|literalmente|sempre|fix[oa]'],
  zh: ['固定|原文|始终|一律|必须为'],
  ja: ['に限る|固定|必ず'],
});

/** That a text stands for others like it. */
export const SUCH_AS = phrases({
  en: ['such as|for (example|instance)|e\\.g|like|similar|begin(s|ning)?|start(s|ing)?|contain(s|ing)?|about|or'],
  de: ['etwa|zum Beispiel|beispielsweise|z\\.\\s?B|wie|ähnlich*|beginn*|enthält|oder'],
  fr: ['par exemple|tel(le)?s? que|comme|commen*|contien*|ou'],
  es: ['por ejemplo|como|similar*|empiez*|comienz*|contien*|o'],
  pt: ['por exemplo|como|semelhante*|começ*|contém|ou'],
  zh: ['例如|比如|如：|类似|以…20(开头|开始)|包含|或'],
});
