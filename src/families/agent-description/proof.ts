import { hash } from 'node:crypto';
import { canonicalJson } from '../../kernel/digest.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { quoteText } from '../../kernel/quote.ts';
import { didOf, methodNamed } from './did-document.ts';
import { base64url, multibase, toBase64url, toMultibase } from './multibase.ts';
import { type Curve, isSignedBy, signBytes } from './verification-key.ts';

/**
 * What is signed: `two-hash` is the hash of the proof without its value followed by the hash of the document without
 * its proof (Data Integrity, the SDKs of ANP); `one-hash` is the hash of the document with its proof without the value
 * (the text of the Agent Description Protocol). Hashes are SHA-256 of canonical JSON (RFC 8785).
 */
export type SigningRule = 'two-hash' | 'one-hash';

/** What is known of the proof of a document. */
export type ProofReport =
  | { status: 'absent' }
  /** `suite` is the cryptosuite, or the type of the proof without one. */
  | {
      status: 'verified';
      suite: string;
      rule: SigningRule;
      verificationMethod: string;
      /** The proof's `domain` and `challenge`, for a caller that fetched the document to compare. */
      domain?: string;
      challenge?: string;
    }
  /** The DID document of this DID is needed. */
  | { status: 'unverified'; did: string; reason: string }
  /** The proof cannot be read, or does not belong to this document and signer. */
  | { status: 'wrong'; reason: string };

/** What a proof is verified against. */
export interface VerifyOptions {
  /** The DID document of the signer; a `did:key` needs none. */
  didDocument?: Json;
  /** The DID that must have signed; any if absent. */
  signer?: string;
}

/** The curve of each type of proof and each cryptosuite. */
const SUITES = {
  'eddsa-jcs-2022': 'Ed25519',
  'ecdsa-jcs-2019': 'P-256',
  'didwba-jcs-ecdsa-secp256k1-2025': 'secp256k1',
  Ed25519Signature2020: 'Ed25519',
  EcdsaSecp256k1Signature2019: 'secp256k1',
  EcdsaSecp256r1Signature2019: 'P-256',
} as const satisfies Record<string, Curve>;

/** A cryptosuite, or a type of proof that stands for one. */
export type Suite = keyof typeof SUITES;

/** Most proofs of one document that are verified. */
const MAX_PROOFS = 8;

/**
 * Verifies the proof of a document. If it has several proofs, all must be right; the report is about the first wrong
 * one, or else about the first one. Times are not checked: no proof is too old. Never throws.
 */
export function verifyProof(document: Json, options: VerifyOptions = {}): ProofReport {
  try {
    return isObject(document) ? verified(document, options) : { status: 'absent' };
  } catch {
    // A value that is not JSON has no canonical form.
    return wrong('found a document without a canonical form, wanted JSON');
  }
}

function verified(document: JsonObject, { didDocument, signer }: VerifyOptions): ProofReport {
  const name = PROOF_NAMES.find((one) => Object.hasOwn(document, one));
  const given = name === undefined ? null : (document[name] ?? null);
  if (name === undefined || given === null) return { status: 'absent' };
  const proofs = Array.isArray(given) ? given : [given];
  if (proofs.length === 0) return { status: 'absent' };
  if (proofs.length > MAX_PROOFS) return wrong(`found ${proofs.length} proofs, wanted at most ${MAX_PROOFS}`);
  const reports = proofs.map((proof) => reportOf({ document, name, proof }, didDocument, signer));
  return reports.find(({ status }) => status !== 'verified') ?? (reports[0] as ProofReport);
}

/** In JSON-LD, members may have the prefix of their vocabulary. */
const PROOF_NAMES = ['proof', 'ad:proof', 'sec:proof'];

/** A document, one of its proofs, and the member that holds the proofs. */
interface Proven {
  document: JsonObject;
  name: string;
  proof: Json;
}

function reportOf(proven: Proven, didDocument: Json | undefined, signer: string | undefined): ProofReport {
  const { proof } = proven;
  if (!isObject(proof)) return wrong('found a proof that is not an object, wanted an object');
  const texts = ['type', 'proofValue', 'proofPurpose', 'verificationMethod'] as const;
  const missing = texts.find((one) => typeof proof[one] !== 'string' || proof[one] === '');
  if (missing !== undefined) return wrong(`found a proof without ${missing}, wanted one with it`);
  const url = proof.verificationMethod as string;
  const suite = suiteOf(proof);
  if (suite === undefined) {
    const found = typeof proof.cryptosuite === 'string' ? proof.cryptosuite : String(proof.type);
    return wrong(`found a proof by ${quoteText(found)}, wanted one by ${Object.keys(SUITES).join(', ')}`);
  }
  if (proof.proofPurpose !== PURPOSE)
    return wrong(`found purpose ${quoteText(String(proof.proofPurpose))}, wanted "${PURPOSE}"`);
  const did = didOf(url);
  if (signer !== undefined && signer !== did)
    return wrong(`found a proof by ${quoteText(did)}, wanted one by ${quoteText(signer)}`);
  if (didDocument === undefined && !did.startsWith('did:key:'))
    return { status: 'unverified', did, reason: `found no DID document, wanted that of ${quoteText(did)}` };
  const method = methodNamed(url, didDocument, PURPOSE);
  if (typeof method === 'string') return wrong(method);
  if (method.key.curve !== SUITES[suite])
    return wrong(`found a key of ${method.key.curve}, wanted one of ${SUITES[suite]} for ${suite}`);
  if (method.isBound === false && !isOwnProofBound(didDocument))
    return wrong('found a DID with the thumbprint of another key, wanted the thumbprint of the key that signed');
  const rule = ruleOf(proven, (message, signature, isHashed) => isSignedBy(method.key, message, signature, isHashed));
  if (rule === undefined)
    return wrong('found a signature of another document or by another key, wanted one of this document by this key');
  const { domain, challenge } = proof;
  return {
    status: 'verified',
    suite,
    rule,
    verificationMethod: url,
    ...(typeof domain === 'string' ? { domain } : {}),
    ...(typeof challenge === 'string' ? { challenge } : {}),
  };
}

/** A description is an assertion. A signature that was made to log in proves nothing about it. */
const PURPOSE = 'assertionMethod';

function suiteOf(proof: JsonObject): Suite | undefined {
  const isIntegrity = proof.type === DATA_INTEGRITY;
  const named = isIntegrity ? proof.cryptosuite : proof.type;
  if (typeof named !== 'string' || !Object.hasOwn(SUITES, named)) return undefined;
  return isCryptosuite(named) === isIntegrity ? (named as Suite) : undefined;
}

const DATA_INTEGRITY = 'DataIntegrityProof';

/** Whether a suite is the `cryptosuite` of a proof; the others are types of proofs. */
function isCryptosuite(name: string): boolean {
  return name.includes('-');
}

/** Whether the key whose thumbprint the DID has signed the DID document: then its other keys belong to the DID too. */
function isOwnProofBound(didDocument: Json | undefined): boolean {
  if (!isObject(didDocument) || !isObject(didDocument.proof)) return false;
  const url = didDocument.proof.verificationMethod;
  const method = typeof url === 'string' ? methodNamed(url, didDocument, PURPOSE) : '';
  if (typeof method === 'string' || method.isBound !== true) return false;
  const signer = typeof didDocument.id === 'string' ? { signer: didDocument.id } : {};
  return verified(didDocument, { didDocument, ...signer }).status === 'verified';
}

type Check = (message: Uint8Array, signature: Uint8Array, isHashed?: boolean) => boolean;

/** The rule by which a document was signed; `undefined` if the signature matches by none. */
function ruleOf({ document, name, proof }: Proven, isSigned: Check): SigningRule | undefined {
  const { proofValue, ...options } = proof as JsonObject;
  const signatures = signaturesIn(String(proofValue));
  const { [name]: _, ...bare } = document;
  const pairs = [[options, bare], ...withContext(options, bare)] as const;
  const twoHash = pairs.map(([one, other]) => Buffer.concat([sha256(one), sha256(other)]));
  if (twoHash.some((message) => signatures.some((signature) => isSigned(message, signature)))) return 'two-hash';
  const oneHash = sha256({ ...bare, [name]: options });
  // The specification says to sign the hash; libraries for ECDSA may hash it once more.
  const isOneHash = signatures.some((signature) => isSigned(oneHash, signature, true) || isSigned(oneHash, signature));
  return isOneHash ? 'one-hash' : undefined;
}

/**
 * The same pair with `@context`: a proof without one takes that of its document, and a document may have got further
 * contexts after it was signed (Data Integrity EdDSA Cryptosuites 1.0, section 3.3).
 */
function withContext(options: JsonObject, bare: JsonObject): [JsonObject, JsonObject][] {
  const [of, in_] = [options['@context'], bare['@context']];
  if (in_ === undefined) return [];
  if (of === undefined) return [[{ ...options, '@context': in_ }, bare]];
  const [first, all] = [[of].flat() as Json[], [in_].flat() as Json[]];
  const isStart = first.every((one, index) => canonicalJson(one) === canonicalJson(all[index] ?? null));
  return isStart ? [[options, { ...bare, '@context': of }]] : [];
}

/** The signatures that a text can stand for: Multibase and base64url cannot always be told apart. */
function signaturesIn(text: string): Uint8Array[] {
  const isPossible = (bytes: Uint8Array | undefined) => bytes !== undefined && bytes.length >= 8 && bytes.length <= 72;
  return [multibase(text), base64url(text)].filter((bytes) => bytes !== undefined).filter(isPossible);
}

function sha256(value: Json): Uint8Array {
  return hash('sha256', canonicalJson(value), 'buffer');
}

function wrong(reason: string): ProofReport {
  return { status: 'wrong', reason };
}

/** How to sign a document. */
export interface SignOptions {
  /** 32 bytes, which are not kept. */
  privateKey: Uint8Array;
  /** The DID URL of the key in the DID document of the signer. */
  verificationMethod: string;
  suite: Suite;
  /** RFC 3339. */
  created: string;
}

/**
 * The document with a proof by the two-hash rule, in the form of the SDKs of ANP: in Multibase for `eddsa-jcs-2022` and
 * `ecdsa-jcs-2019`, else in base64url. Throws if the key is not a private key, or the document is not JSON.
 */
export function signDocument(document: JsonObject, options: SignOptions): JsonObject {
  const { privateKey, verificationMethod, suite, created } = options;
  const { proof: _, ...bare } = document;
  const proof: JsonObject = {
    ...(isCryptosuite(suite) ? { type: DATA_INTEGRITY, cryptosuite: suite } : { type: suite }),
    created,
    verificationMethod,
    proofPurpose: PURPOSE,
  };
  const signature = signBytes(SUITES[suite], Buffer.concat([sha256(proof), sha256(bare)]), privateKey);
  const isMultibase = suite === 'eddsa-jcs-2022' || suite === 'ecdsa-jcs-2019';
  return { ...bare, proof: { ...proof, proofValue: isMultibase ? toMultibase(signature) : toBase64url(signature) } };
}
