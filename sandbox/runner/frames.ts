import { readSync, writeSync } from 'node:fs';
import { frameHead, frameHeadBytes } from '../wire.ts';

// Read and written synchronously: a cell has nothing else to wait for, and the event loop would cost more than a small
// batch. Buffers are reused, since new ones for each frame would keep the garbage collector busy.

let inbox = Buffer.alloc(262_144);
/** How many bytes of the inbox are read and not yet taken. */
let filled = 0;
let outbox = Buffer.alloc(262_144);

/** Waits for a frame. Returns `undefined` at the end of the input or for a frame that is too large. */
export function readFrame(maxBytes: number): string | undefined {
  if (!fill(frameHeadBytes)) return undefined;
  const length = Number.parseInt(inbox.toString('latin1', 0, frameHeadBytes), 16);
  const end = frameHeadBytes + length;
  if (!(length <= maxBytes) || !fill(end)) return undefined;
  const text = inbox.toString('utf8', frameHeadBytes, end);
  inbox.copyWithin(0, end, filled);
  filled -= end;
  return text;
}

function fill(bytes: number): boolean {
  if (bytes > inbox.length) {
    const larger = Buffer.alloc(2 * bytes);
    inbox.copy(larger, 0, 0, filled);
    inbox = larger;
  }
  while (filled < bytes) {
    const count = readSync(0, inbox, filled, inbox.length - filled, null);
    if (count === 0) return false;
    filled += count;
  }
  return true;
}

/** Writes a frame. */
export function writeFrame(text: string): void {
  const bytes = Buffer.byteLength(text);
  const end = frameHeadBytes + bytes;
  if (end > outbox.length) outbox = Buffer.alloc(2 * end);
  outbox.write(frameHead(bytes), 'latin1');
  // ASCII need not be encoded.
  outbox.write(text, frameHeadBytes, bytes === text.length ? 'latin1' : 'utf8');
  for (let at = 0; at < end; ) at += writeSync(1, outbox, at, end - at);
}
