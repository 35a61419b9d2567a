import { INVISIBLE, jsonEscape } from './invisible-characters.ts';
import type { Json } from './json.ts';

/** Longest quotation from a document in a text for a peer, in characters. */
export const MAX_QUOTE_CHARS = 160;

/**
 * A JSON value as inline Markdown code, on one line, cut to `MAX_QUOTE_CHARS`. No value can end the code, start a line
 * or hide text: backticks, control, bidirectional and invisible characters become JSON escapes.
 */
export function quoteJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return asCode(JSON.stringify(value));
  // A large schema part may be quoted once for each case that breaks it.
  const quoted = quotes.get(value) ?? asCode(JSON.stringify(value));
  quotes.set(value, quoted);
  return quoted;
}

const quotes = new WeakMap<object, string>();

/** A text such as a name or JSON pointer as inline Markdown code; as safe as `quoteJson`. */
export function quoteText(text: string): string {
  return asCode(text);
}

/** A text on one line, with each invisible or reordering character as a JSON escape; not cut. */
export function escapedLine(text: string): string {
  return text.replace(INVISIBLE, jsonEscape);
}

function asCode(text: string): string {
  const cut =
    text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS).replace(/[\ud800-\udbff]$/, '')}…` : text;
  const safe = escapedLine(cut).replaceAll('`', jsonEscape);
  return `\`${safe === '' ? '""' : safe}\``;
}
