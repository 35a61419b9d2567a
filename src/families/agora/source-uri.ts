const PLAIN = 'data:text/plain;charset=utf-8,';
const BASE64 = 'data:text/plain;charset=utf-8;base64,';

/** A document as a source of its own: the data URI that the Python library makes, so that nobody has to fetch it. */
export function sourceUriOf(document: string): string {
  const escaped = encodeURIComponent(document.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return PLAIN + escaped.replaceAll('%2F', '/');
}

/** The same in base64, which the library reads as well. */
export function base64SourceUriOf(document: string): string {
  return BASE64 + Buffer.from(document).toString('base64');
}

/** Whether a source is a data URI, of whatever form. */
export function isDataUri(source: string): boolean {
  return source.startsWith('data:');
}

/**
 * The document in a data URI; `undefined` where it is none of the two forms that the Python library reads, to the letter,
 * or what stands there cannot be decoded.
 */
export function documentInSource(source: string): string | undefined {
  if (source.startsWith(BASE64)) return decodedBase64(source.slice(BASE64.length));
  if (!source.startsWith(PLAIN)) return undefined;
  // As Python unquotes: a percent sign without two digits stays, and bytes that are no UTF-8 become U+FFFD.
  return source
    .slice(PLAIN.length)
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
}

function decodedBase64(text: string): string | undefined {
  // Python passes over what is no digit, a line break among them, and wants the padding.
  const digits = text.replace(/[^0-9A-Za-z+/=]/g, '');
  if (digits.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(digits)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(digits, 'base64'));
  } catch {
    return undefined;
  }
}
