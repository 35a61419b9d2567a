import type { LocatedJson } from '../../documents/located-json.ts';
import type { Json } from '../../kernel/json.ts';
import { locatedJsonOf } from './digests.ts';
import { type Identity, IdentityFault, isUserAddress, signDigest, verifyDigest } from './identity.ts';
import { sha256 } from './sha256.ts';

/** An envelope, which carries a message from one agent to another. Member names are those on the wire. */
export interface Envelope {
  version: bigint;
  sender: string;
  target: string;
  /** A UUID of version 4 in lower case, with hyphens. */
  session: string;
  schema_digest: string;
  protocol_digest: string | null;
  /** Base64 of the message's JSON. */
  payload: string | null;
  /** Seconds since 1970, up to 64 bits. */
  expires: bigint | null;
  nonce: bigint | null;
  signature: string | null;
}

/** An envelope, or what the peers' own endpoint answers to any other body. */
export type EnvelopeReading = { ok: true; envelope: Envelope } | { ok: false; error: string };

const NO_JSON = 'empty or invalid payload';
const NO_ENVELOPE = 'contents do not match envelope schema';

/**
 * Reads an envelope as the peers read it: whole numbers of any size, numbers written as texts, members that nobody
 * knows passed over. Never throws.
 */
export function readEnvelope(body: string | Uint8Array): EnvelopeReading {
  const text = typeof body === 'string' ? body : utf8(body);
  const root = text === undefined ? undefined : locatedJsonOf(text);
  if (text === undefined || root === undefined)
    return { ok: false, error: text !== undefined && isJson(text) ? NO_ENVELOPE : NO_JSON };
  const members = new Map((root.members ?? []).map(({ name, node }) => [name, node]));
  const textIn = (name: string): string | undefined => {
    const value = members.get(name)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const integerIn = (name: string): bigint | undefined => integerOf(members.get(name), text);
  const orNull = <T>(name: string, read: (name: string) => T | undefined): T | null | undefined =>
    (members.get(name)?.value ?? null) === null ? null : read(name);
  const envelope = {
    version: integerIn('version'),
    sender: textIn('sender'),
    target: textIn('target'),
    session: sessionOf(textIn('session')),
    schema_digest: textIn('schema_digest'),
    protocol_digest: orNull('protocol_digest', textIn),
    payload: orNull('payload', textIn),
    expires: orNull('expires', integerIn),
    nonce: orNull('nonce', integerIn),
    signature: orNull('signature', textIn),
  };
  if (Object.values(envelope).includes(undefined)) return { ok: false, error: NO_ENVELOPE };
  return { ok: true, envelope: envelope as Envelope };
}

/** The JSON text of an envelope, as the peers write it. */
export function envelopeText(envelope: Envelope): string {
  const written = (value: Json | bigint): string => (typeof value === 'bigint' ? `${value}` : JSON.stringify(value));
  const { version, sender, target, session, schema_digest, protocol_digest, payload, expires, nonce, signature } =
    envelope;
  const members = {
    version,
    sender,
    target,
    session,
    schema_digest,
    protocol_digest,
    payload,
    expires,
    nonce,
    signature,
  };
  return `{${Object.entries(members)
    .map(([name, value]) => `"${name}":${written(value)}`)
    .join(',')}}`;
}

/**
 * The digest that a signature is for: sender, target, session, digest of the schema, payload as it is written, and
 * if they are there, `expires` and `nonce`. Version and digest of the protocol are not part of it. Throws
 * `IdentityFault` for a number that does not fit 64 bits.
 */
export function envelopeDigest({
  sender,
  target,
  session,
  schema_digest,
  payload,
  expires,
  nonce,
}: Envelope): Uint8Array {
  const texts = [sender, target, session, schema_digest, payload ?? ''].map((text) => new TextEncoder().encode(text));
  const numbers = [expires, nonce].filter((number) => number !== null).map(uint64);
  return sha256(...texts, ...numbers);
}

/**
 * The envelope with its signature by this sender. Throws `IdentityFault` if the identity is not that of the
 * sender.
 */
export function signEnvelope(envelope: Envelope, identity: Identity): Envelope {
  if (identity.address !== envelope.sender)
    throw new IdentityFault('Cannot sign envelope: the key of another agent, wanted that of the sender');
  return { ...envelope, signature: signDigest(envelopeDigest(envelope), identity) };
}

/**
 * Whether the sender is known to have sent an envelope; `user` if the peers look at no signature, since the
 * sender claims to be a person.
 */
export type Verification = { ok: true; sender: 'agent' | 'user' } | { ok: false; error: string };

/**
 * Verifies an envelope as the peers do. An address that begins with `user` proves nothing: anybody may write it.
 * Never throws.
 */
export function verifyEnvelope(envelope: Envelope): Verification {
  if (isUserAddress(envelope.sender)) return { ok: true, sender: 'user' };
  if (envelope.signature === null) return { ok: false, error: 'Envelope signature is missing' };
  try {
    verifyDigest(envelope.sender, envelopeDigest(envelope), envelope.signature);
    return { ok: true, sender: 'agent' };
  } catch (error) {
    if (error instanceof IdentityFault) return { ok: false, error: error.message };
    throw error;
  }
}

function uint64(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 64n) throw new IdentityFault('argument out of range');
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setBigUint64(0, value);
  return new Uint8Array(bytes.buffer);
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether a text is JSON all the same: one with half a surrogate pair, or a number beyond a double, is not read.
 */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Longest numeral that is read: Python reads no longer one. */
const MAX_DIGITS = 4_300;

/** A whole number as pydantic takes it: also as a text, as a float without a fraction, and from a truth value. */
function integerOf(node: LocatedJson | undefined, text: string): bigint | undefined {
  const value = node?.value;
  if (node === undefined || value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') {
    const numeral = text.slice(node.start, node.end);
    if (/^-?\d+$/.test(numeral)) return BigInt(numeral);
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : undefined;
  }
  if (typeof value !== 'string' || value.length > MAX_DIGITS) return undefined;
  const digits = /^(?:\+(?!-))?(-?\d+(?:_\d+)*)(?:\.0+)?$/.exec(value.trim())?.[1];
  return digits === undefined ? undefined : BigInt(digits.replaceAll('_', ''));
}

const UUID = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2(4[0-9a-f]{3})\2([89ab][0-9a-f]{3})\2([0-9a-f]{12})$/;

/** A UUID of version 4 in the form that is hashed, from any of the forms that the peers take. */
function sessionOf(given: string | undefined): string | undefined {
  if (given === undefined || given.length > MAX_SESSION) return undefined;
  const framed = /^(?:urn:uuid:(.{36})|\{(.{36})\})$/.exec(given);
  const [, first, hyphen, second, third, fourth, last] =
    UUID.exec((framed?.[1] ?? framed?.[2] ?? given).toLowerCase()) ?? [];
  if (first === undefined || (framed !== null && hyphen === '')) return undefined;
  return [first, second, third, fourth, last].join('-');
}

/** Characters of the longest form, `urn:uuid:` and a UUID. */
const MAX_SESSION = 45;
