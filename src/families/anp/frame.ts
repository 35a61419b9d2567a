import { type Fault, fault } from './fault.ts';

/** What a frame carries, by the two type bits: 00, 01, 10 and 11. */
export const frameTypes = ['meta', 'application', 'naturalLanguage', 'verification'] as const;

/** One of the `frameTypes`. */
export type FrameType = (typeof frameTypes)[number];

/** Most bytes of a frame, unless the reader sets another limit: the size of a job, since a frame ends up in one. */
export const MAX_FRAME_BYTES = 1_048_576;

/** Puts the header of one byte before the data: two type bits, and six reserved bits that are zero. */
export function frame(type: FrameType, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 1);
  bytes[0] = frameTypes.indexOf(type) << 6;
  bytes.set(data, 1);
  return bytes;
}

/**
 * The type and data of a frame; the six reserved bits are ignored. The data are a view of the bytes, no copy. Faults:
 * `empty`, `too-large`.
 */
export function unframe(
  bytes: Uint8Array,
  maxBytes = MAX_FRAME_BYTES,
): { ok: true; type: FrameType; data: Uint8Array } | Fault {
  const [header] = bytes;
  if (header === undefined) return fault('empty', 'Cannot read frame: found no byte, wanted a header');
  if (bytes.length > maxBytes)
    return fault('too-large', `Cannot read frame: found ${bytes.length} bytes, wanted at most ${maxBytes}`);
  const type = frameTypes[header >> 6] as FrameType;
  return { ok: true, type, data: new Uint8Array(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1) };
}

/** The text of UTF-8 bytes, with a byte order mark kept; `undefined` if they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
