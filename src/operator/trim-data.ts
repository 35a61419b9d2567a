/** Texts longer than this are cut, in characters: a document and its cases belong to the parties, not on a dashboard. */
const maxTextCharacters = 120;

/** Members shown of one object or list, and how deep. */
const maxMembers = 30;
const maxDepth = 4;

/** A job's data fit to be looked at: long texts cut with their length, large and deep values summed up. */
export function trimData(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return value.length <= maxTextCharacters
      ? value
      : `${value.slice(0, maxTextCharacters)}… (${value.length} characters)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (depth >= maxDepth) return Array.isArray(value) ? `${entries.length} items` : `${entries.length} members`;
  const shown = entries
    .slice(0, maxMembers)
    .map(([name, each]) => [trimData(name), trimData(each, depth + 1)] as const);
  const more = entries.length - shown.length;
  if (Array.isArray(value)) return [...shown.map(([, each]) => each), ...(more > 0 ? [`${more} more`] : [])];
  return Object.fromEntries([...shown, ...(more > 0 ? [['…', `${more} more`] as const] : [])]);
}
