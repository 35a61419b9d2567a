import { policy } from './policy.ts';
import { frameHeadBytes } from './wire.ts';

/** Cuts the bytes that come from a cell into frames. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #buffered = 0;

  /** Takes bytes as they come. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
  }

  /**
   * The next frame without its head; `undefined` if it is not whole yet. Throws if the length in its head is not
   * allowed.
   */
  next(): Buffer | undefined {
    if (this.#buffered < frameHeadBytes) return undefined;
    if ((this.#chunks[0] as Buffer).length < frameHeadBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const end = frameHeadBytes + Number.parseInt((this.#chunks[0] as Buffer).toString('latin1', 0, frameHeadBytes), 16);
    if (!(end <= policy.maxFrameBytes.default)) throw new RangeError('Cannot read frame: too long');
    if (this.#buffered < end) return undefined;
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = all.length > end ? [all.subarray(end)] : [];
    this.#buffered = all.length - end;
    return all.subarray(frameHeadBytes, end);
  }
}
