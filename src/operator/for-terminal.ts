import { escapeInvisible, INVISIBLE } from '../kernel/invisible-characters.ts';

/**
 * Text from elsewhere made fit for a terminal: control, bidirectional and other invisible characters are shown as escapes, so that it can
 * neither move the cursor nor change what the reader sees. Line feeds and tabs stay.
 */
export function forTerminal(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A value as JSON text whose invisible characters are written as JSON escapes: fit for a terminal, and the same value to a reader. */
export function jsonForTerminal(value: unknown, indent?: number): string {
  return escapeInvisible(JSON.stringify(value, null, indent));
}
