import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { isFault, readFault, ServerRefusal } from './server-fault.ts';

/** The response body is not a completion, whatever its content type says. */
export class NoAnswer extends Error {
  readonly found: string;

  constructor(found: string) {
    super(`Cannot read answer: ${found}, wanted a completion`);
    this.found = found;
  }
}

/** Matches the first character that shows what a body is: neither white space nor a byte order mark. */
const VISIBLE = /[^\s\ufeff]/;

/**
 * Yields the JSON objects of a response: server-sent events, one JSON value, or one value per line. The body decides
 * which, not the content type. Throws `ServerRefusal` if an object is an error report, and `NoAnswer` if the body is
 * anything else.
 */
export async function* piecesOf(
  response: Response,
  orStop: <T>(promise: Promise<T>) => Promise<T>,
): AsyncGenerator<JsonObject> {
  const chunks = textsOf(response, orStop);
  let start = '';
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    // Leading white space may go on for ever, so it is dropped chunk by chunk.
    start = next.value;
    if (VISIBLE.test(start)) break;
  }
  const first = VISIBLE.exec(start)?.[0];
  const kind = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (first === undefined) {
    if (kind === 'text/event-stream') return;
    throw new NoAnswer(`status ${response.status} with ${kind === '' ? 'no content type' : kind} and no event`);
  }
  if (first === '{' || first === '[') yield* wholeOf(await restOf(start, chunks), response.headers);
  else if (
    /^[\s\ufeff]*(?:data|event|error|id|retry)?:/.test(start) ||
    /^[\s\ufeff]*(?:data|event|error|id|retry)$/.test(start)
  )
    yield* eventsOf(start, chunks, response.headers);
  else if (first === '<') throw new NoAnswer(`status ${response.status} with a page of HTML`);
  else throw new NoAnswer(`status ${response.status} with ${kind === '' ? 'no content type' : kind} and no event`);
}

async function* textsOf(response: Response, orStop: <T>(promise: Promise<T>) => Promise<T>): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await orStop(reader.read());
    if (done) break;
    yield decoder.decode(value, { stream: true });
  }
  yield decoder.decode();
}

async function restOf(start: string, chunks: AsyncGenerator<string>): Promise<string> {
  const parts = [start];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.join('').replace(/^\ufeff/, '');
}

function* wholeOf(text: string, headers: Headers): Generator<JsonObject> {
  const whole = parsed(text);
  if (whole !== undefined) return yield* pieceIn(whole, headers);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  // A line that is cut off needs no error here: the answer then lacks its finish reason.
  for (const line of lines) {
    const piece = parsed(line);
    if (piece === undefined) throw new NoAnswer('JSON that cannot be read');
    yield* pieceIn(piece, headers);
  }
}

async function* eventsOf(start: string, chunks: AsyncGenerator<string>, headers: Headers): AsyncGenerator<JsonObject> {
  let pending = start;
  for (;;) {
    // `boundedFetch` passes on whole events, so `pending` never grows by many small chunks.
    const events = pending.split(/\r\n\r\n|\n\n|\r\r/);
    pending = events.pop() ?? '';
    for (const event of events) {
      const { name, data } = eventIn(event);
      for (const one of data) {
        if (one === '[DONE]') return;
        yield* pieceOf(name, one, headers);
      }
    }
    const next = await chunks.next();
    if (next.done === true) break;
    pending += next.value;
  }
  const { name, data } = eventIn(pending);
  for (const one of data) if (one !== '[DONE]') yield* pieceOf(name, one, headers);
}

/** The values of an event. Some servers leave out the blank lines between events, or the name of the field. */
function eventIn(text: string): { name: string; data: string[] } {
  let name = '';
  const data: string[] = [];
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    const [, field, value = ''] = /^(event|data|error): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value.trim();
    if (field === 'error') name = field;
    if (field === 'data' || field === 'error') data.push(value);
  }
  if (data.length === 0 && /^\s*[{[]/.test(text)) data.push(text);
  const isEach = data.length > 1 && data.every((one) => one.trim() === '[DONE]' || parsed(one) !== undefined);
  const values = isEach ? data : [data.join('\n')];
  return { name, data: values.map((one) => one.trim()).filter((one) => one !== '') };
}

function* pieceOf(name: string, data: string, headers: Headers): Generator<JsonObject> {
  const value = parsed(data);
  if (name === 'error' || (value === undefined && !/^[{[]/.test(data)))
    throw new ServerRefusal(readFault(undefined, value ?? data, headers));
  // The event was cut off.
  if (value === undefined) throw new SyntaxError('an event that is not JSON');
  yield* pieceIn(value, headers);
}

function* pieceIn(value: Json, headers: Headers): Generator<JsonObject> {
  const pieces = Array.isArray(value) && value.some(isAnswer) ? value : [value];
  for (const each of pieces) {
    const piece = isObject(each) ? (WRAPPERS.map((name) => each[name]).find(isAnswer) ?? each) : each;
    if (isFault(piece)) throw new ServerRefusal(readFault(undefined, piece, headers));
    if (isObject(piece)) yield piece;
  }
}

/** Members in which gateways wrap an answer. */
const WRAPPERS = ['data', 'result', 'output'];

function isAnswer(value: Json | undefined): value is JsonObject {
  return isObject(value) && Array.isArray(value.choices);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
