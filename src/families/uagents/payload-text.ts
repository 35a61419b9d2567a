/** The text in a payload, or the peers' own error message if there is none. */
export type PayloadText = { ok: true; text: string } | { ok: false; error: string };

/** The payload of an envelope: base64 of the UTF-8 bytes of a JSON text. */
export function encodePayload(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/**
 * The text in a payload, read as the peers read it: characters outside base64 are ignored, and a missing
 * payload is the empty text.
 */
export function decodePayload(payload: string | null): PayloadText {
  if (payload === null) return { ok: true, text: '' };
  const bytes = pythonBase64(payload);
  if (typeof bytes === 'string') return { ok: false, error: bytes };
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { ok: false, error: 'payload is not UTF-8' };
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sextets = new Map([...ALPHABET].map((character, value) => [character, value]));

/**
 * Python's `b64decode` without validation: it ends at the first whole padding, which other decoders read past or
 * refuse.
 */
function pythonBase64(payload: string): Uint8Array | string {
  if (/[\u0080-\uffff]/.test(payload)) return 'string argument should contain only ASCII characters';
  const bytes = new Uint8Array(Math.ceil((payload.length * 3) / 4));
  let length = 0;
  let [place, left, pads] = [0, 0, 0];
  for (const character of payload) {
    if (character === '=') {
      if (place < 2) continue;
      pads += 1;
      if (place + pads >= 4) return bytes.subarray(0, length);
      continue;
    }
    const value = sextets.get(character);
    if (value === undefined) continue;
    pads = 0;
    left = (left << 6) | value;
    place = (place + 1) % 4;
    const bits = place === 0 ? 0 : 8 - place * 2;
    if (place !== 1) {
      bytes[length] = left >> bits;
      length += 1;
    }
    left &= (1 << bits) - 1;
  }
  if (place === 0) return bytes.subarray(0, length);
  return place === 1 ? 'Invalid base64-encoded string' : 'Incorrect padding';
}
