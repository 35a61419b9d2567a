import canonicalize from 'canonicalize';
import { sha256Hex } from '../redis/sha256.ts';

/**
 * SHA-256 of the canonical JSON (RFC 8785) of a job's data, as 64 lower-case hex digits. Data without canonical JSON (a
 * lone surrogate, a number beyond doubles) get the digest of `text`, or of their plain JSON, so that the same bytes
 * always have the same digest. Never throws.
 */
export function dataDigestOf(data: unknown, text?: string): string {
  return sha256Hex(canonicalText(data) ?? `not canonical:${text ?? plainText(data)}`);
}

/** The recommended job id for data: `ps-` and the first 40 hex digits of `dataDigestOf`. */
export function jobIdOf(data: unknown): string {
  return jobIdFor(dataDigestOf(data));
}

/** The recommended job id for a digest of data. */
export function jobIdFor(digest: string): string {
  return `ps-${digest.slice(0, 40)}`;
}

/**
 * The digest of data, the size of their JSON in bytes (canonical JSON is as long as any without whitespace), and the
 * data as they can be written to the queue.
 */
export function measured(data: unknown): { digest: string; bytes: number; writable: unknown } {
  const canonical = canonicalText(data);
  const text = canonical ?? plainText(data);
  const digest = sha256Hex(canonical ?? `not canonical:${text}`);
  return { digest, bytes: Buffer.byteLength(text), writable: canonical === undefined ? writable(data) : data };
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
    return JSON.stringify(writable(data)) ?? 'undefined';
  } catch {
    return 'no JSON';
  }
}

/**
 * Keeps numbers beyond doubles when the data are written: JSON would make them `null`, which are the data of another
 * job.
 */
function writable(value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY) return rawJson('1e999');
  if (value === Number.NEGATIVE_INFINITY) return rawJson('-1e999');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(writable);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, writable(item)]));
}

/** ECMAScript's `JSON.rawJSON`, which TypeScript does not declare. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };
