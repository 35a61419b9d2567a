import { bigintText, indexOf, NativeError, slice, stringify, symbolText } from './primordials.ts';

// Getters, proxies and `toJSON` methods of the guest run here under the time limit of their own step.

/** A text of at most `length` characters, with a mark if it was cut. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${slice(text, 0, length)}…` : text;
}

/** Whether brackets in a JSON text nest deeper than `levels`. */
export function isDeeper(json: string, levels: number): boolean {
  // Mostly there are not even that many brackets.
  if (count(json, '[', levels) + count(json, '{', levels) <= levels) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > levels) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}

/** How often a text occurs in another one. Stops counting at one more than `most`. */
function count(json: string, what: string, most: number): number {
  let found = 0;
  for (let at = indexOf(json, what); at >= 0 && found <= most; at = indexOf(json, what, at + 1)) found += 1;
  return found;
}

/** The position of the quote that ends the string beginning here. */
function endOfText(json: string, begin: number): number {
  let at = begin + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

/** The text of a value in a log line. */
export function textOf(value: unknown, maxMessageLength: number): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'symbol':
      return symbolText(value);
    case 'bigint':
      return `${bigintText(value)}n`;
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? 'null' : textOfObject(value, maxMessageLength);
    default:
      return `${value as number}`;
  }
}

function textOfObject(value: object, maxMessageLength: number): string {
  try {
    if (value instanceof NativeError) return textOfThrown(value, maxMessageLength);
    const text = stringify(value) as unknown;
    return typeof text === 'string' ? text : '[object]';
  } catch {
    return '[object]';
  }
}

/** The text of a thrown value in a report. */
export function textOfThrown(thrown: unknown, maxLength: number): string {
  if (typeof thrown !== 'object' || thrown === null) return cut(textOf(thrown, maxLength), maxLength);
  const name = cut(readText(thrown, 'name'), 100);
  const message = cut(readText(thrown, 'message'), maxLength);
  if (name !== '' || message !== '') return name !== '' && message !== '' ? `${name}: ${message}` : name + message;
  try {
    const text = stringify(thrown) as unknown;
    return typeof text === 'string' ? cut(text, maxLength) : 'a value without text';
  } catch {
    return 'a value without text';
  }
}

/** A property that is a text; an empty text if it is not one or cannot be read. */
export function readText(value: object, key: string): string {
  try {
    const text = (value as Record<string, unknown>)[key];
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}
