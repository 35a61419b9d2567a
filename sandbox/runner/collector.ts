import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** How much memory outside of the heap is worth a collection, which takes 5 to 10 ms. */
const worthBytes = 33_554_432;

/** What an isolate leaves behind at most, in handles and what they hold. */
const isolateBytes = 262_144;

/**
 * Collects a cell's own garbage. V8 would come for it late or never: a text of a kilobyte or more that comes out of an isolate lies outside
 * of the heap, and so does what handles of isolates hold, and nobody tells V8 how much that is.
 */
export class Collector {
  readonly #collect: () => void;
  #bytes = 0;

  constructor() {
    // Only for as long as it takes to get hold of it: a context that is made meanwhile has it as a global of its own.
    setFlagsFromString('--expose-gc');
    const { runInNewContext } = createRequire('/')('node:vm') as typeof import('node:vm');
    this.#collect = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
  }

  /** Notes a text that has come out of an isolate. */
  noteText({ length }: string): void {
    this.#bytes += length;
  }

  /** Notes an isolate that is gone. */
  noteIsolate(): void {
    this.#bytes += isolateBytes;
  }

  /** Collects if it is worth it; to be called where nobody waits. */
  collectIfDue(): void {
    if (this.#bytes < worthBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}
