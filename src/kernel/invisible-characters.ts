/**
 * Characters that a reader cannot see or that reorder text: control characters and line ends, format characters
 * (zero-width, bidirectional), tags, fillers, lone surrogates, private-use and non-characters, and variation selectors
 * except those in emoji and keycaps. The only such list: prompts, peers, logs and terminals all use it.
 */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u2800]|(?<![\p{Extended_Pictographic}\d#*])[\ufe0e\ufe0f]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/**
 * JSON or source text with every invisible character except line feeds as `\uXXXX`, which means the same inside a
 * string literal.
 */
export function escapeInvisible(text: string): string {
  // The fast path matters: every step of a job writes a log line.
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  return text.replace(INVISIBLE, (character) => (character === '\n' ? character : jsonEscape(character)));
}

/** A character as JSON escapes, one per UTF-16 unit. */
export function jsonEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
