import { bigintText, NativeError, slice, stringify, symbolText } from './primordials.ts';

// Whatever a getter, a proxy or a `toJSON` of the guest's does here, it does under the time limit of its own step.

/** A text of at most so many characters, and a mark where something is missing. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${slice(text, 0, length)}…` : text;
}

/** What a log line says of a value. */
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

/** What a report says of a thrown value. */
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

/** A property where it is a text, else nothing. */
export function readText(value: object, key: string): string {
  try {
    const text = (value as Record<string, unknown>)[key];
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}
