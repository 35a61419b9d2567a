import { escapeInvisible, INVISIBLE } from '../../kernel/invisible-characters.ts';

/**
 * Makes untrusted text safe for a terminal. Control, bidirectional and other invisible characters are escaped, so that
 * they cannot move the cursor or change what is shown. Line feeds and tabs stay.
 */
export function forTerminal(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Writes a value as JSON with invisible characters escaped: safe for a terminal, and the same value to a parser. */
export function jsonForTerminal(value: unknown, indent?: number): string {
  return escapeInvisible(JSON.stringify(value, null, indent));
}
