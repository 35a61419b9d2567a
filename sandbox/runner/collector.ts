import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** How much memory outside the heap is worth a collection, which takes 5 to 10 ms. */
const worthBytes = 33_554_432;

/** How much an isolate leaves behind at most, in handles and what they hold. */
const isolateBytes = 262_144;

/**
 * Collects the garbage of the cell itself. V8 would collect it late or never: texts of a kilobyte or more that come out
 * of an isolate are outside the heap, and so is what handles of isolates hold, and V8 does not know how much that is.
 */
export class Collector {
  readonly #collect: () => void;
  #bytes = 0;

  constructor() {
    // Switched off again at once: any context made while it is on has `gc` as a global.
    setFlagsFromString('--expose-gc');
    const { runInNewContext } = createRequire('/')('node:vm') as typeof import('node:vm');
    this.#collect = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
  }

  /** Records a text that has come out of an isolate. */
  noteText({ length }: string): void {
    this.#bytes += length;
  }

  /** Notes an isolate that was disposed of. */
  noteIsolate(): void {
    this.#bytes += isolateBytes;
  }

  /** Collects if it is worth it. To be called while nobody waits. */
  collectIfDue(): void {
    if (this.#bytes < worthBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}
