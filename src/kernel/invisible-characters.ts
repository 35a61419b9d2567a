/**
 * Characters that a reader does not see, or that reorder what is seen: control (line ends too), format (zero-width, bidirectional), tags, fillers, lone
 * surrogates, private and no characters, and variation selectors but for those that a picture or a keycap is written with. The one list of them: for
 * prompts, peers, logs and terminals.
 */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u2800]|(?<![\p{Extended_Pictographic}\d#*])[\ufe0e\ufe0f]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** JSON or source text with every unseen character but line feeds as `\uXXXX`, which stands for it inside a string literal. */
export function escapeInvisible(text: string): string {
  // Most texts are plain, and a log line is written for every step of a job.
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  return text.replace(INVISIBLE, (character) => (character === '\n' ? character : jsonEscape(character)));
}

/** A character as JSON escapes, one for each UTF-16 unit. */
export function jsonEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
