/** Most characters of a description in a comment. */
const MAX_CHARACTERS = 400;

/** Untrusted text as one short line of visible characters that cannot close a block comment. */
export function plainLine(text: string): string {
  return text
    .slice(0, MAX_CHARACTERS)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('*/', '* /')
    .trim();
}
