const PLAIN = 'data:text/plain;charset=utf-8,';
const BASE64 = 'data:text/plain;charset=utf-8;base64,';

/** A document as a data URI, percent-encoded like the Python library does. */
export function sourceUriOf(document: string): string {
  const escaped = encodeURIComponent(document.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return PLAIN + escaped.replaceAll('%2F', '/');
}

/** A document as a data URI in base64, which the Python library also reads. */
export function base64SourceUriOf(document: string): string {
  return BASE64 + Buffer.from(document).toString('base64');
}

/** Whether a source is a data URI of any form. */
export function isDataUri(source: string): boolean {
  return source.startsWith('data:');
}

/** The document in a data URI; `undefined` unless it has an exact prefix of the Python library and can be decoded. */
export function documentInSource(source: string): string | undefined {
  if (source.startsWith(BASE64)) return decodedBase64(source.slice(BASE64.length));
  if (!source.startsWith(PLAIN)) return undefined;
  // Like Python: a percent sign without two hex digits stays, and invalid UTF-8 becomes U+FFFD.
  return source
    .slice(PLAIN.length)
    .replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
}

function decodedBase64(text: string): string | undefined {
  // Python ignores characters outside the alphabet, such as line breaks, and requires the padding.
  const digits = text.replace(/[^0-9A-Za-z+/=]/g, '');
  if (digits.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(digits)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(digits, 'base64'));
  } catch {
    return undefined;
  }
}
