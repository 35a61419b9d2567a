import { INVISIBLE, jsonEscape } from './invisible-characters.ts';
import type { Json } from './json.ts';

/** Longest quotation from a document in a text for a peer, in characters. */
export const MAX_QUOTE_CHARS = 160;

/**
 * A JSON value as inline code of markdown, on one line and cut to `MAX_QUOTE_CHARS`. Whatever the value holds, it cannot end
 * the code, begin a line or hide: backticks, control, bidirectional and invisible characters are written as JSON escapes.
 */
export function quoteJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return asCode(JSON.stringify(value));
  // The same part of a schema is quoted for every case that breaks it, and it may be large.
  const quoted = quotes.get(value) ?? asCode(JSON.stringify(value));
  quotes.set(value, quoted);
  return quoted;
}

const quotes = new WeakMap<object, string>();

/** A text, such as a name or a JSON pointer, as inline code of markdown; as safe as `quoteJson`. */
export function quoteText(text: string): string {
  return asCode(text);
}

/** A text on one line without characters that hide or reorder others, each written as a JSON escape; not cut. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, jsonEscape);
}

function asCode(text: string): string {
  const cut =
    text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS).replace(/[\ud800-\udbff]$/, '')}…` : text;
  const safe = visibleText(cut).replaceAll('`', jsonEscape);
  return `\`${safe === '' ? '""' : safe}\``;
}
