import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32 } from '@scure/base';
import { sha256 } from './sha256.ts';

/** An agent's identity: its address, and its key, which stays with its owner. */
export interface Identity {
  readonly address: string;
  readonly privateKey: Uint8Array;
}

/** An address or signature that the peers' own code refuses, with its error message. */
export class IdentityFault extends Error {
  override readonly name = 'IdentityFault';
}

/**
 * The identity that a seed phrase gives, as the peers derive it; `index` is a whole number from 0 to 255. Throws
 * `RangeError` for another one.
 */
export function identityFromSeed(seed: string, index = 0): Identity {
  if (!Number.isInteger(index) || index < 0 || index > 255)
    throw new RangeError(`Cannot derive key: index ${index}, wanted a whole number from 0 to 255`);
  const bytes = new TextEncoder();
  const prefix = sha256(bytes.encode('agent'), Uint8Array.of(index));
  return identityOf(sha256(prefix, sha256(bytes.encode(seed))));
}

/** The identity of a private key of 32 bytes. Throws if it is invalid. */
export function identityOf(privateKey: Uint8Array): Identity {
  return { address: encodeBech32('agent', secp256k1.getPublicKey(privateKey)), privateKey };
}

/**
 * Whether an address claims to be a person's: the peers verify no signature of such a sender, so anybody may
 * send under it.
 */
export function isUserAddress(address: string): boolean {
  return address.startsWith('user');
}

/** Signs a digest of 32 bytes: deterministic (RFC 6979), with the lower of the two values of `s`. */
export function signDigest(digest: Uint8Array, { privateKey }: Identity): string {
  return encodeBech32('sig', secp256k1.sign(digest, privateKey, { prehash: false }));
}

/**
 * Checks a signature against a digest and its sender's address; both values of `s` are valid. Throws
 * `IdentityFault`, with the peers' own message, if they do not match.
 */
export function verifyDigest(address: string, digest: Uint8Array, signature: string): void {
  const sender = decodeBech32(address);
  const signed = decodeBech32(signature);
  if (sender.prefix !== 'agent') throw new IdentityFault('Unable to decode agent address');
  if (signed.prefix !== 'sig') throw new IdentityFault('Unable to decode signature');
  const publicKey = publicKeyOf(sender.bytes);
  if (signed.bytes.length !== 64) throw new IdentityFault('Malformed formatting of signature');
  if (!isSignatureOf(signed.bytes, digest, publicKey)) throw new IdentityFault('Signature verification failed');
}

/**
 * A public key in any of the forms that the peers take: compressed, whole, whole without its first byte, or hybrid.
 */
function publicKeyOf(bytes: Uint8Array): Uint8Array {
  const [first = 0] = bytes;
  const isHybrid = bytes.length === 65 && first >> 1 === 3 && ((bytes[64] ?? 0) & 1) === (first & 1);
  const whole = bytes.length === 64 ? bytes : isHybrid ? bytes.subarray(1) : undefined;
  const key = whole === undefined ? bytes : Uint8Array.of(4, ...whole);
  if (!secp256k1.utils.isValidPublicKey(key)) throw new IdentityFault('Malformed public key');
  return key;
}

function isSignatureOf(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, digest, publicKey, { prehash: false, lowS: false });
  } catch {
    return false;
  }
}

/** The text form of bytes on the wire: Bech32 (BIP 173) without its limit of 90 characters. */
export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes), false);
}

/**
 * The bytes that a text of Bech32 stands for, and its prefix. Throws `IdentityFault`, in the peers' own words,
 * if it is not one.
 */
export function decodeBech32(text: string): { prefix: string; bytes: Uint8Array } {
  const decoded = bech32.decodeUnsafe(text, false);
  if (decoded === undefined || decoded.words.length === 0) throw new IdentityFault('Unable to decode value');
  const bytes = bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || bytes.length === 0) throw new IdentityFault('Unable to convert value');
  return { prefix: decoded.prefix, bytes };
}
