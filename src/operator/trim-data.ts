import { forTerminal } from './for-terminal.ts';

/** Texts longer than this are cut, in characters: a document and its cases belong to the parties, not on a dashboard. */
const maxTextCharacters = 120;

/** Members shown of one object or list, and how deep. */
const maxMembers = 30;
const maxDepth = 4;

/** A job's data fit to be looked at: long texts cut with their length, large and deep values summed up. */
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

/** Of a text on a dashboard: characters of a line, no fewer than a job's id may have, and lines. */
const maxLineCharacters = 200;
const maxLines = 30;

/** Deeper than a dashboard's own answers are. */
const maxShownDepth = 12;

/**
 * A dashboard's answer with all its texts fit to be looked at, whoever wrote them: lines and their number cut, and what a reader does not see, or what
 * changes what is seen, as escapes.
 */
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
