/** A text of at most `maxCharacters` characters, with a note about the rest. Never splits a surrogate pair. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}
