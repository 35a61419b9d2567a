/** The most characters of a description that a comment carries. */
const MAX_CHARACTERS = 400;

/** Hostile text as one short line of visible characters that cannot end a block comment. */
export function plainLine(text: string): string {
  return text
    .slice(0, MAX_CHARACTERS)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim();
}
