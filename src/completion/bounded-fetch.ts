/**
 * Longest plain body and longest event of a stream, in bytes. The longest accepted answer fits, however it is escaped.
 */
const MAX_PART_BYTES = 8 * 1024 * 1024;
/** Longest stream, in bytes: the longest accepted answer, sent as a few characters per event. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
/** White space, and the bytes of a byte order mark: they do not show what the body is. */
const LEADING = [0x20, 0x09, LINE_FEED, CARRIAGE_RETURN, 0xef, 0xbb, 0xbf];
/** First bytes of JSON and HTML. */
const WHOLE_STARTS = [...'{[<'].map((character) => character.charCodeAt(0));

/** A body is longer than any answer needs. */
export class BodyTooLongError extends Error {}

/**
 * `fetch` for an untrusted server. It does not follow redirects, because the prompt goes only where the operator said.
 * A body that is too long after decompression errors with `BodyTooLongError`. A stream is passed on one event at a
 * time, however it was sent.
 */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { body, headers, ok, status } = response;
  if (body === null) return response;
  const bound = new TransformStream<Uint8Array, Uint8Array>(ok ? new AnyBody() : new WholeBody());
  return new Response(body.pipeThrough(bound), { headers, status });
}

/** A plain body or a stream of events. Its first visible byte decides, not its content type. */
class AnyBody {
  readonly #whole = new WholeBody();
  #stream: EventStream | undefined;
  #isWhole: boolean | undefined;

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    const first = this.#isWhole === undefined ? chunk.find((byte) => !LEADING.includes(byte)) : undefined;
    if (first !== undefined) {
      this.#isWhole = WHOLE_STARTS.includes(first);
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
 * Splits a stream into events (HTML, section 9.2.6). Passes each event on whole, so that later code need not join
 * chunks.
 */
class EventStream {
  #bytes = 0;
  #buffered: Uint8Array[] = [];
  #bufferedBytes = 0;
  #eventIsEmpty = true;
  #lineIsEmpty = true;
  #afterReturn = false;

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_STREAM_BYTES) throw new BodyTooLongError(`a stream of over ${MAX_STREAM_BYTES} bytes`);
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (!this.#endsEvent(chunk[at])) continue;
      this.#buffer(chunk.subarray(from, at + 1));
      from = at + 1;
      if (!this.#eventIsEmpty) controller.enqueue(Buffer.concat(this.#buffered, this.#bufferedBytes));
      [this.#buffered, this.#bufferedBytes, this.#eventIsEmpty] = [[], 0, true];
    }
    if (from < chunk.length) this.#buffer(chunk.subarray(from));
  }

  flush(controller: TransformStreamDefaultController<Uint8Array>): void {
    if (!this.#eventIsEmpty) controller.enqueue(Buffer.concat(this.#buffered, this.#bufferedBytes));
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

  #buffer(part: Uint8Array): void {
    this.#bufferedBytes += part.length;
    if (this.#bufferedBytes > MAX_PART_BYTES) throw new BodyTooLongError(`an event of over ${MAX_PART_BYTES} bytes`);
    this.#buffered.push(part);
  }
}
