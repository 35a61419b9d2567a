import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from './json.ts';

/** SHA-256 of the UTF-8 bytes of a text, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text);
}

/** SHA-256 of the canonical JSON (RFC 8785) of a value, as 64 lower-case hex digits. */
export function canonicalDigest(value: Json): string {
  return sha256Hex(canonicalJson(value));
}

/** The canonical JSON text (RFC 8785) of a value. */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Cannot canonicalise value: undefined, wanted JSON');
  return text;
}
