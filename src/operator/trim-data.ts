/** Longer texts are cut, in UTF-16 code units: documents and cases do not belong on a dashboard. */
const maxTextCharacters = 120;

/** Most members shown of one object or list, and the deepest level. */
const maxMembers = 30;
const maxDepth = 4;

/** Trims a job's data for display: cuts long texts with their length, and sums up large and deep values. */
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
