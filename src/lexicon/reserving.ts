import { phrases } from './phrases.ts';

/** That something is there with what is named behind it, and with nothing else. */
export const ONLY_WITH = phrases({
  en: ['only (present |given |included |set |returned |sent )?(with|when|if|for)'],
  de: ['nur (bei|mit|wenn|falls)'],
  fr: ['(seulement|uniquement) (avec|si|quand|pour)'],
  es: ['(solo|sólo|solamente|únicamente) (con|si|cuando)'],
  pt: ['(só|somente|apenas) (com|se|quando)'],
  it: ['(solo|soltanto) (con|se|quando)'],
  zh: ['(仅|只)(有)?(在|当)?'],
});

/** Words that go with the names of outcomes and say nothing more. */
export const SAID_OF_OUTCOMES =
  /^(?:the|an?|answers?|responses?|outcomes?|results?|status|state|code|verdict|decision|is|are|equals?|or|and|ist|das|der|die|ergebnis|code|oder|und|el|la|estado|resultado|código|es|vale|o|y|le|statut|résultat|est|ou|et|时|时出现|时返回|时存在|出现|代码为|代码是|状态为|状态是|结果为|结果是|为|或|和|才出现|返回)$/iu;

/** That something is said of whatever answer tells of a failure. */
export const IN_ALL_FAILURES = phrases({
  en: [
    '(in|with|for) (all|every|each|any) (\\p{L}+ )?(failures?|errors?|refusals?|rejections?|(failing|failed|refused|error) (answers?|responses?|repl(y|ies)|cases?))',
    '(all|every|each) (failures?|errors?|refusals?|(failing|failed|error) (answers?|responses?|repl(y|ies))) (has|have|carr(y|ies))',
  ],
  de: ['(bei|in) (jede[rm]?|allen?) (Fehler|Ablehnung|Fehlschl|Misserfolg)*'],
  zh: ['(所有|任何|一切)(的)?(失败|错误|异常)'],
});

/** Words that make it depend on something else whether a member is empty. */
export const EMPTY_SOMETIMES = phrases({
  en: ['if|when|where|unless|may|might|can|or|otherwise|except|not|only|until'],
  de: ['wenn|falls|kann|oder|sonst|außer|nicht|nur'],
  fr: ['si|quand|peut|ou|sinon|sauf|pas'],
  es: ['si|cuando|puede|o|salvo|no'],
  zh: ['如果|若|可以|可能|或|否则|除非|不|未'],
});
