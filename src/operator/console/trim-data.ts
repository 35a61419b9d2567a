import { forTerminal } from '../shell/for-terminal.ts';

/** Longer texts are cut, in UTF-16 code units: documents and cases do not belong on a dashboard. */
const maxTextCharacters = 120;

/** Most members shown of one object or list, and the deepest level. */
const maxMembers = 30;
const maxDepth = 4;

/** A job's data for display: long texts are cut and their length is given; of large and deep values only the size. */
export function trimData(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    return cut(value, maxTextCharacters);
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

/** Longest line, in UTF-16 code units, and most lines of a text on the dashboard. A job's id must fit on a line. */
const maxLineCharacters = 200;
const maxLines = 30;

/** Deepest level of an answer that is shown; the dashboard's own answers are less deep. */
const maxShownDepth = 12;

/** Trims all texts in an answer of the dashboard: cuts long lines and extra lines, and escapes invisible characters. */
export function trimTexts(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return trimText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxShownDepth) return trimData(value, maxDepth);
  if (Array.isArray(value)) return value.map((each) => trimTexts(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [trimText(name), trimTexts(each, depth + 1)] as const),
  );
}

function trimText(text: string): string {
  const lines = text.split('\n', maxLines + 1).map((line) => cut(line, maxLineCharacters));
  if (lines.length > maxLines) lines.splice(maxLines, 1, `… (${text.length} characters)`);
  return forTerminal(lines.join('\n'));
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}
