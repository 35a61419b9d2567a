import { hash } from 'node:crypto';

/** The encoding of a hash: hex in the written standard, base64 in the Python library and the demo. */
export type HashEncoding = 'hex' | 'base64';

/** The SHA-1 of the exact text of a protocol document, its identifier in Agora. */
export function protocolHash(document: string, encoding: HashEncoding = 'hex'): string {
  return hash('sha1', document, encoding);
}

/** The encoding of a SHA-1; `undefined` if the text is not one. */
export function encodingOf(given: string): HashEncoding | undefined {
  if (/^[0-9a-f]{40}$/i.test(given)) return 'hex';
  // The last digit before the padding has two unused bits; they must be 0.
  return /^[0-9A-Za-z+/]{26}[AEIMQUYcgkosw048]=$/.test(given) ? 'base64' : undefined;
}

/** Whether a hash, in either encoding, belongs to a document. */
export function isHashOf(given: string, document: string): boolean {
  const encoding = encodingOf(given);
  return (
    encoding !== undefined && protocolHash(document, encoding) === (encoding === 'hex' ? given.toLowerCase() : given)
  );
}
