import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { multikey, type PublicKey, publicKeyOf, thumbprintOf } from './verification-key.ts';

/** A verification method: its key, and whether the DID is bound to that key. */
export interface Method {
  key: PublicKey;
  /** Whether the DID carries the thumbprint of this very key; `undefined` if the DID carries none. */
  isBound?: boolean;
}

/** The DID in a DID URL: what is before `#`, `?` and `/`. */
export function didOf(url: string): string {
  return /^[^#?/]*/.exec(url)?.[0] ?? '';
}

/**
 * The verification method that a DID URL names, from its DID document; a `did:key` needs no document. If the method
 * cannot be used for the purpose, the reason as a text: what was found and wanted.
 */
export function methodNamed(url: string, didDocument: Json | undefined, purpose: string): Method | string {
  const did = didOf(url);
  if (did.startsWith('did:key:')) {
    const text = did.slice('did:key:'.length);
    const key = multikey(text);
    if (key === undefined) return 'found a did:key that cannot be read, wanted one of a known curve';
    return [did, `${did}#${text}`].includes(url)
      ? { key }
      : 'found another key than that of the did:key, wanted its own';
  }
  if (!isObject(didDocument)) return 'found a DID document that is not an object, wanted an object';
  if (didDocument.id !== did) return 'found the DID document of another DID, wanted that of the verification method';
  const method = objectsIn(didDocument.verificationMethod)
    .concat(RELATIONSHIPS.flatMap((name) => objectsIn(didDocument[name])))
    .find(({ id }) => isSame(id, url, did));
  if (method === undefined) return 'found a DID document without this verification method, wanted one with it';
  if (!isAuthorised(didDocument, purpose, url, did))
    return `found a verification method that its DID document does not list under ${purpose}, wanted one that it lists`;
  const key = publicKeyOf(method);
  if (key === undefined) return 'found a verification method without a readable key, wanted one with it';
  const bound = thumbprintIn(did);
  return bound === undefined
    ? { key }
    : { key, isBound: bound.curve === key.curve && bound.text === thumbprintOf(key) };
}

/** The thumbprint that a did:wba carries in its last segment, after `e1_` or `k1_`. */
function thumbprintIn(did: string): { curve: PublicKey['curve']; text: string } | undefined {
  if (!did.startsWith('did:wba:')) return undefined;
  const [, kind, text = ''] = /^([ek]1)_(.*)$/s.exec(did.slice(did.lastIndexOf(':') + 1)) ?? [];
  return kind === undefined ? undefined : { curve: kind === 'e1' ? 'Ed25519' : 'secp256k1', text };
}

/** Where a DID document says what its methods are for (DID Core 1.0, section 5.3). */
const RELATIONSHIPS = ['assertionMethod', 'authentication'] as const;

/**
 * Whether a document lists a method for a purpose. Early documents of did:wba list only methods for authentication, and
 * the shortest ones list none.
 */
function isAuthorised(didDocument: JsonObject, purpose: string, url: string, did: string): boolean {
  const listed = RELATIONSHIPS.filter((name) => Array.isArray(didDocument[name]));
  const deciding = listed.find((name) => name === purpose) ?? listed[0];
  if (deciding === undefined) return true;
  return (didDocument[deciding] as Json[]).some((entry) => isSame(isObject(entry) ? entry.id : entry, url, did));
}

function isSame(id: Json | undefined, url: string, did: string): boolean {
  return typeof id === 'string' && (id === url || (id.startsWith('#') && did + id === url));
}

function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
