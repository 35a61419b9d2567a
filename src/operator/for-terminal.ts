/**
 * Text from elsewhere made fit for a terminal: control, bidirectional and other invisible characters are shown as escapes, so that it can
 * neither move the cursor nor change what the reader sees. Line feeds and tabs stay.
 */
export function forTerminal(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    character === '\n' || character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
