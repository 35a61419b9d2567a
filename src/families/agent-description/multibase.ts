import { base58 } from '@scure/base';

/** Longest text that is decoded, in characters: base58 takes quadratic time, and no key or signature is longer. */
const MAX_LENGTH = 400;

/** The bytes of a base64url text, with or without padding; `undefined` for any other text. */
export function base64url(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH || !/^[\w-]+={0,2}$/.test(text)) return undefined;
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}

/** Bytes as base64url without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** The bytes of a base58btc text; `undefined` for any other text. */
export function base58btc(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

/** The bytes of a text in hexadecimal digits; `undefined` for any other text. */
export function hex(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH || !/^(?:[0-9a-f]{2})+$/i.test(text)) return undefined;
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

/** The bytes of a Multibase text: `z` base58btc, `u` base64url, `f` hex; `undefined` for any other text. */
export function multibase(text: string): Uint8Array | undefined {
  const rest = text.slice(1);
  if (text.startsWith('z')) return base58btc(rest);
  if (text.startsWith('u')) return base64url(rest);
  return /^f/i.test(text) ? hex(rest) : undefined;
}

/** Bytes as Multibase in base58btc. */
export function toMultibase(bytes: Uint8Array): string {
  return `z${base58.encode(bytes)}`;
}
