/** What a question asks for: a module, a judgement, a reading of an agreement, or its confirmation. */
export type Purpose = 'candidate' | 'judge' | 'read' | 'confirm';

/** How system prompts start, except those that ask for a module. */
const openings: readonly (readonly [Purpose, string])[] = [
  ['judge', 'You are a careful reader of agreements between software agents.'],
  ['read', 'You read agreements between software agents'],
  ['confirm', 'You answer questions about one agreement'],
];

/** The purpose of a question with this system prompt; `candidate` if none other matches. */
export function purposeOf(system: string): Purpose {
  return openings.find(([, opening]) => system.startsWith(opening))?.[0] ?? 'candidate';
}

/** Whether a word names a purpose. */
export function isPurpose(word: string): word is Purpose {
  return word === 'candidate' || openings.some(([purpose]) => purpose === word);
}
