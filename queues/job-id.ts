import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * SHA-256 of the canonical JSON (RFC 8785) of a job's data, as 64 lower-case hex digits. Data that have no canonical JSON (a lone surrogate, a number
 * beyond the range of doubles) get the digest of the text given, or of their plain JSON, so that the same bytes always have the same digest. Never throws.
 */
export function dataDigestOf(data: unknown, text?: string): string {
  return sha256Hex(canonicalText(data) ?? `not canonical:${text ?? plainText(data)}`);
}

/** The job id recommended for data: `ps-` and the first 40 hex digits of `dataDigestOf`. */
export function jobIdOf(data: unknown): string {
  return jobIdFor(dataDigestOf(data));
}

/** The job id recommended for data of a digest. */
export function jobIdFor(digest: string): string {
  return `ps-${digest.slice(0, 40)}`;
}

/** The digest of data with the size of their JSON text in bytes, of one pass: canonical JSON is as long as any without blanks. */
export function measured(data: unknown): { digest: string; bytes: number } {
  const canonical = canonicalText(data);
  const text = canonical ?? plainText(data);
  return { digest: sha256Hex(canonical ?? `not canonical:${text}`), bytes: Buffer.byteLength(text) };
}

/** SHA-256 of the UTF-8 bytes of a text, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function canonicalText(data: unknown): string | undefined {
  try {
    return canonicalize(data);
  } catch {
    return undefined;
  }
}

function plainText(data: unknown): string {
  try {
    return JSON.stringify(data) ?? 'undefined';
  } catch {
    return 'no JSON';
  }
}
