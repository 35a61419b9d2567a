import { hash } from 'node:crypto';

/** How a hash is spelled: the written standard wants hexadecimal digits, the Python library and the demo use base64. */
export type HashEncoding = 'hex' | 'base64';

/** The SHA-1 of the exact text of a protocol document, by which Agora's peers know it. */
export function protocolHash(document: string, encoding: HashEncoding = 'hex'): string {
  return hash('sha1', document, encoding);
}

/** How a text spells a SHA-1; `undefined` where it is none. */
export function encodingOf(given: string): HashEncoding | undefined {
  if (/^[0-9a-f]{40}$/i.test(given)) return 'hex';
  // The last digit before the padding has two bits to spare: one spelling for each hash.
  return /^[0-9A-Za-z+/]{26}[AEIMQUYcgkosw048]=$/.test(given) ? 'base64' : undefined;
}

/** Whether a hash, in either spelling, is that of a document. */
export function isHashOf(given: string, document: string): boolean {
  const encoding = encodingOf(given);
  return (
    encoding !== undefined && protocolHash(document, encoding) === (encoding === 'hex' ? given.toLowerCase() : given)
  );
}
