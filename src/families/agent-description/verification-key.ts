import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { member } from '../../contract/job-fault.ts';
import { canonicalJson } from '../../kernel/digest.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { base58btc, base64url, hex, multibase, toBase64url } from './multibase.ts';

/** The curves of the keys that sign descriptions. */
export type Curve = 'Ed25519' | 'secp256k1' | 'P-256';

/** A public key. Its bytes are 32 for Ed25519, and for the other curves a valid point in any form of SEC 1. */
export interface PublicKey {
  curve: Curve;
  bytes: Uint8Array;
}

const curves = { secp256k1, 'P-256': p256 };

/** The first two bytes of a Multikey (Multicodec). */
const CODECS: Record<string, Curve> = { ed01: 'Ed25519', e701: 'secp256k1', '8024': 'P-256' };

/** The curve of a key without a codec, by the type of its verification method. */
const CURVE_OF_TYPE: Record<string, Curve> = {
  Multikey: 'Ed25519',
  Ed25519VerificationKey2018: 'Ed25519',
  Ed25519VerificationKey2020: 'Ed25519',
  EcdsaSecp256k1VerificationKey2019: 'secp256k1',
  EcdsaSecp256r1VerificationKey2019: 'P-256',
};

/**
 * The key of a verification method of a DID document (DID Core 1.0, section 5.2.1), given as JWK, Multibase, base58 or
 * hex; `undefined` if there is none of a known form that is valid.
 */
export function publicKeyOf(method: JsonObject): PublicKey | undefined {
  const type = textOf(method.type) ?? '';
  const curve = Object.hasOwn(CURVE_OF_TYPE, type) ? CURVE_OF_TYPE[type] : undefined;
  if (Object.hasOwn(method, 'publicKeyJwk')) return keyOfJwk(method.publicKeyJwk);
  const multi = textOf(method.publicKeyMultibase);
  if (multi !== undefined) return multikey(multi, curve);
  const bytes = base58btc(textOf(method.publicKeyBase58) ?? '-') ?? hex(textOf(method.publicKeyHex) ?? '');
  return curve === undefined || bytes === undefined ? undefined : valid({ curve, bytes });
}

/** The key in a Multikey text, such as that of a `did:key`; a text without a codec is a key of `curve`. */
export function multikey(text: string, curve?: Curve): PublicKey | undefined {
  const bytes = multibase(text);
  if (bytes === undefined) return undefined;
  const codec = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const named = Object.hasOwn(CODECS, codec) && bytes.length > 33 ? CODECS[codec] : undefined;
  if (named !== undefined) return valid({ curve: named, bytes: bytes.subarray(2) });
  return curve && valid({ curve, bytes });
}

/** The JWK thumbprint of a key (RFC 7638) as base64url. */
export function thumbprintOf({ curve, bytes }: PublicKey): string {
  if (curve === 'Ed25519') return thumbprint({ crv: curve, kty: 'OKP', x: toBase64url(bytes) });
  const point = curves[curve].Point.fromBytes(bytes).toBytes(false);
  const [x, y] = [toBase64url(point.subarray(1, 33)), toBase64url(point.subarray(33))];
  return thumbprint({ crv: curve, kty: 'EC', x, y });
}

/**
 * Whether a signature belongs to a message. ECDSA hashes the message with SHA-256, unless it `isHashed` already; its
 * signature is `r` and `s`, or DER, and may have the high or the low `s`. Never throws.
 */
export function isSignedBy(
  { curve, bytes }: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
  isHashed = false,
): boolean {
  try {
    if (curve === 'Ed25519') return ed25519.verify(signature, message, bytes, { zip215: false });
    const format = signature.length === 64 ? 'compact' : 'der';
    return curves[curve].verify(signature, message, bytes, { prehash: !isHashed, lowS: false, format });
  } catch {
    return false;
  }
}

/** A signature of a message: 64 bytes, with the low `s` for ECDSA. Throws if the key is not a private key. */
export function signBytes(curve: Curve, message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return curve === 'Ed25519' ? ed25519.sign(message, privateKey) : curves[curve].sign(message, privateKey);
}

function keyOfJwk(jwk: Json | undefined): PublicKey | undefined {
  const text = (name: string) => textOf(member(jwk, name)) ?? '';
  const [crv, x] = [text('crv'), base64url(text('x'))];
  if (text('kty') === 'OKP') return crv === 'Ed25519' && x !== undefined ? valid({ curve: crv, bytes: x }) : undefined;
  const y = base64url(text('y'));
  if (text('kty') !== 'EC' || (crv !== 'secp256k1' && crv !== 'P-256')) return undefined;
  // Some peers leave out leading zeros.
  if (x === undefined || y === undefined || x.length > 32 || y.length > 32) return undefined;
  const bytes = new Uint8Array(65);
  bytes[0] = 4;
  bytes.set(x, 33 - x.length);
  bytes.set(y, 65 - y.length);
  return valid({ curve: crv, bytes });
}

function valid(key: PublicKey): PublicKey | undefined {
  const { curve, bytes } = key;
  if (curve === 'Ed25519') return bytes.length === 32 ? key : undefined;
  return curves[curve].utils.isValidPublicKey(bytes) ? key : undefined;
}

function thumbprint(jwk: JsonObject): string {
  return hash('sha256', canonicalJson(jwk), 'base64url');
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
