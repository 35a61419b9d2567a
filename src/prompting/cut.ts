/** A text of at most so many characters; what was left out is told. Never ends inside a surrogate pair. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}
