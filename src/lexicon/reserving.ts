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
