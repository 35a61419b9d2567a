/** Longest body that is no stream, and longest event of one, in bytes: any answer that is taken fits, however it is escaped. */
const MAX_PART_BYTES = 8 * 1024 * 1024;
/** Longest stream in bytes: the longest answer that is taken, a few characters to an event. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
/** Blanks, and the bytes of a byte order mark. */
const UNTELLING = [0x20, 0x09, LINE_FEED, CARRIAGE_RETURN, 0xef, 0xbb, 0xbf];
/** Brackets and the mark of a page. */
const WHOLE = [...'{[<'].map((character) => character.charCodeAt(0));

/** A body that grew beyond what any answer needs. */
export class BodyTooLongError extends Error {}

/**
 * `fetch` for a server that may send anything. Redirects are not followed: the prompt goes where the operator said and nowhere else. A body
 * errors with `BodyTooLongError` as soon as it is too long once unpacked, and a stream comes an event at a time however it was sent.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { body, headers, ok, status } = response;
  if (body === null) return response;
  const bound = new TransformStream<Uint8Array, Uint8Array>(ok ? new AnyBody() : new WholeBody());
  return new Response(body.pipeThrough(bound), { headers, status });
}

/** A body that is whole or a stream of events, whatever its content type says: its first visible byte tells. */
class AnyBody {
  readonly #whole = new WholeBody();
  #stream: EventStream | undefined;
  #isWhole: boolean | undefined;

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    const first = this.#isWhole === undefined ? chunk.find((byte) => !UNTELLING.includes(byte)) : undefined;
    if (first !== undefined) {
      this.#isWhole = WHOLE.includes(first);
      if (!this.#isWhole) this.#stream = new EventStream();
    }
    (this.#stream ?? this.#whole).transform(chunk, controller);
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#stream?.flush(controller);
  }
}

class WholeBody {
  #bytes = 0;

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_PART_BYTES) throw new BodyTooLongError(`a body of over ${MAX_PART_BYTES} bytes`);
    controller.enqueue(chunk);
  }
}

/**
 * Events as HTML's section 9.2.6 divides them. Each is passed on as a whole, so that nothing behind it has to be
 * copied.
 */
class EventStream {
  #bytes = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #eventIsEmpty = true;
  #lineIsEmpty = true;
  #afterReturn = false;

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_STREAM_BYTES) throw new BodyTooLongError(`a stream of over ${MAX_STREAM_BYTES} bytes`);
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at])) continue;
      this.#hold(chunk.subarray(from, at + 1));
      from = at + 1;
      if (!this.#eventIsEmpty) controller.enqueue(Buffer.concat(this.#held, this.#heldBytes));
      [this.#held, this.#heldBytes, this.#eventIsEmpty] = [[], 0, true];
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    if (!this.#eventIsEmpty) controller.enqueue(Buffer.concat(this.#held, this.#heldBytes));
  }

  /** Whether this byte ends an empty line. */
  #endsEvent(byte: number | undefined): boolean {
    const continues = byte === LINE_FEED && this.#afterReturn;
    this.#afterReturn = byte === CARRIAGE_RETURN;
    if (continues) return false;
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
      this.#lineIsEmpty = false;
      this.#eventIsEmpty = false;
      return false;
    }
    const ends = this.#lineIsEmpty;
    this.#lineIsEmpty = true;
    return ends;
  }

  #hold(part: Uint8Array): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes > MAX_PART_BYTES) throw new BodyTooLongError(`an event of over ${MAX_PART_BYTES} bytes`);
    this.#held.push(part);
  }
}
