import { hash } from 'node:crypto';
import { type LocatedJson, readJson } from '../../documents/located-json.ts';
import { canonicalJson } from '../../kernel/digest.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';

/**
 * What a digest covers: the canonical JSON (RFC 8785) of the artifact without its `digest`, or its bytes, whole
 * or without that member.
 */
export type DigestBasis = 'canonical JSON' | 'bytes';

/**
 * The digest of a protocol artifact: `sha-256:` and the base64url of the SHA-256 of its canonical JSON (RFC
 * 8785) without the member `digest`. The draft does not say what its digest covers. Throws `TypeError` or
 * `RangeError` if there is no canonical JSON: for lone surrogates, cycles, and nesting beyond the stack.
 */
export function artifactDigest(artifact: JsonObject): string {
  return `sha-256:${sha256(canonicalJson(withoutDigest(artifact)))}`;
}

/**
 * Which form of an artifact has this digest; `undefined` if none has. The SHA-256 in `given` may be in
 * base64url, base64 or hexadecimal digits. `text` is the artifact exactly as it came.
 */
export function digestBasis(given: string, text: string): DigestBasis | undefined {
  const wanted = sha256In(given);
  const reading = readJson(text, text.search(/\S|$/));
  if (wanted === undefined || !reading.ok || !isObject(reading.node.value)) return undefined;
  const { node } = reading;
  if (text.slice(node.end).trim() !== '') return undefined;
  if (wanted === sha256(canonicalJson(withoutDigest(reading.node.value)))) return 'canonical JSON';
  const rest = JSON.stringify(withoutDigest(reading.node.value));
  return [text, rest, ...cutTexts(text, node)].some((bytes) => wanted === sha256(bytes)) ? 'bytes' : undefined;
}

/** Whether a text is a SHA-256 in the form of artifacts. */
export function isDigest(text: string): boolean {
  return sha256In(text) !== undefined;
}

function withoutDigest(artifact: JsonObject): JsonObject {
  const { digest: _, ...rest } = artifact;
  return rest;
}

/** The text without its member `digest`, and without the comma before or after it. */
function cutTexts(text: string, { members = [] }: LocatedJson): string[] {
  const at = members.findLastIndex(({ name }) => name === 'digest');
  const [before, own, after] = [members[at - 1], members[at], members[at + 1]];
  if (own === undefined) return [];
  const without = (start: number, end: number) => text.slice(0, start) + text.slice(end);
  return [
    ...(before === undefined ? [] : [without(before.node.end, own.node.end)]),
    ...(after === undefined ? [] : [without(own.keyStart, after.keyStart)]),
  ];
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

function sha256In(given: string): string | undefined {
  const [, written = ''] = /^sha-?256:([0-9A-Za-z+/_=-]{43,64})$/i.exec(given) ?? [];
  if (/^[0-9a-f]{64}$/i.test(written)) return Buffer.from(written, 'hex').toString('base64url');
  const bare = written.replace(/=$/, '').replaceAll('+', '-').replaceAll('/', '_');
  return /^[0-9A-Za-z_-]{43}$/.test(bare) ? bare : undefined;
}
