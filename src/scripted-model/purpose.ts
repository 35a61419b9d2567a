/** What a question is put for: a module, a judgement, a reading of an agreement, or its confirmation. */
export type Purpose = 'candidate' | 'judge' | 'read' | 'confirm';

/** How the system parts of the questions start that are not put for a module. */
const openings: readonly (readonly [Purpose, string])[] = [
  ['judge', 'You are a careful reader of agreements between software agents.'],
  ['read', 'You read agreements between software agents'],
  ['confirm', 'You answer questions about one agreement'],
];

/** What a question with this system part is put for; `candidate` where nothing else is told. */
export function purposeOf(system: string): Purpose {
  return openings.find(([, opening]) => system.startsWith(opening))?.[0] ?? 'candidate';
}

/** Says whether a word names a purpose. */
export function isPurpose(word: string): word is Purpose {
  return word === 'candidate' || openings.some(([purpose]) => purpose === word);
}
