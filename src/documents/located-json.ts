import { END_OF_TEXT } from '../contract/finding.ts';
import { escapeToken, isObject, type Json, pointerTokens } from '../kernel/json.ts';
import { memberNames } from '../schemas/member-names.ts';

/** Deepest nesting of a JSON value in a document, the same limit as for a job. */
export const MAX_JSON_DEPTH = 64;

/** A JSON value with its place in the text: UTF-16 offsets, end exclusive. */
export interface LocatedJson {
  start: number;
  end: number;
  value: Json;
  /** Members of an object, in text order. */
  members?: { name: string; keyStart: number; node: LocatedJson }[];
  /** Items of an array. */
  items?: LocatedJson[];
  /** Whether it is in YAML block style: parts on their own lines, no brackets. */
  isBlock?: boolean;
}

/**
 * Where a text stops being JSON. `named`: at least one member name was read before. `begun`: at least one member or
 * item was read before. `beyond`: the text continues as JSON that cannot be represented, because of its depth or a
 * number larger than a double.
 */
export interface JsonFault {
  ok: false;
  at: number;
  named: boolean;
  begun: boolean;
  beyond?: 'depth' | 'number';
}

/** Where a JSON value ends, and whether comments or trailing commas were skipped. */
export type JsonExtent =
  | {
      ok: true;
      end: number;
      lenient: boolean;
      /** The comments and trailing commas; without them the text is strict JSON. */
      loose: readonly { start: number; end: number }[];
    }
  | JsonFault;

/**
 * Finds the end of the JSON value that starts at an offset, in one pass without recursion. Skips comments and trailing
 * commas only if `allowLenient` is set. Never throws.
 */
export function scanJson(text: string, start: number, allowLenient = false): JsonExtent {
  return new JsonReader(text, start, allowLenient, false).read();
}

/** Reads the JSON value that starts at an offset, with the place of every value in it; otherwise like `scanJson`. */
export function readJson(
  text: string,
  start: number,
  allowLenient = false,
): { ok: true; node: LocatedJson } | JsonFault {
  const reader = new JsonReader(text, start, allowLenient, true);
  const extent = reader.read();
  return extent.ok ? { ok: true, node: reader.node } : extent;
}

/**
 * Reads the strict JSON object or array that starts at an offset and ends before a limit, with `JSON.parse`. Several
 * times faster than `scanJson`, which reads more and says where it fails. `lookedTo` is how far it looked.
 */
export function parseJsonAt(
  text: string,
  start: number,
  limit: number,
  known?: KnownJson,
): { ok: true; end: number; value: Json } | { ok: false; lookedTo: number } {
  const { end, lookedTo } = closingBracket(text, start, limit);
  if (end === undefined) return { ok: false, lookedTo };
  const slice = text.slice(start, end);
  const value = known?.get(slice);
  if (value !== undefined) return { ok: true, end, value };
  if (!slice.isWellFormed() || MAY_HAVE_NO_VALUE.test(slice) || hasLongNumber(slice)) return { ok: false, lookedTo };
  try {
    return { ok: true, end, value: JSON.parse(slice) as Json };
  } catch {
    return { ok: false, lookedTo };
  }
}

/** Parsed values by their texts, as a cache. */
export type KnownJson = ReadonlyMap<string, Json>;

/** Shortest text worth caching, in UTF-16 units. */
const MIN_KNOWN_CHARS = 200;

/** Makes a cache of the values read from a text, for reading a similar text. */
export function knownJson(text: string, read: readonly { start: number; end: number; value: Json }[]): KnownJson {
  const long = read.filter(({ start, end }) => end - start >= MIN_KNOWN_CHARS);
  return new Map(long.map(({ start, end, value }) => [text.slice(start, end), value]));
}

/** Escaped halves of surrogate pairs, and numbers whose exponents may exceed a double. */
const MAY_HAVE_NO_VALUE = /\\u[dD]|\d[eE]\+?\d{3}/;

/** Number of digits that may exceed a double. */
const LONG_NUMBER = 300;

/** Whether that many digits appear in a row. Testing every 300th character is enough to find such a row. */
function hasLongNumber(text: string): boolean {
  for (let at = LONG_NUMBER - 1; at < text.length; at += LONG_NUMBER) {
    if (!isDigitAt(text, at)) continue;
    let [first, last] = [at, at];
    while (isDigitAt(text, first - 1)) first -= 1;
    while (isDigitAt(text, last + 1)) last += 1;
    if (last - first + 1 >= LONG_NUMBER) return true;
  }
  return false;
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}

/**
 * Where the brackets opened at an offset are all closed; ignores brackets in strings. `end` is absent if they are not
 * closed or nest too deep.
 */
function closingBracket(text: string, start: number, limit: number): { end?: number; lookedTo: number } {
  let depth = 0;
  for (let at = start; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (depth === 0 && code !== OPEN_MAP && code !== OPEN_LIST) return { lookedTo: at };
    if (code === QUOTE) {
      for (at += 1; text.charCodeAt(at) !== QUOTE; at += 1) {
        const inside = text.charCodeAt(at);
        if (inside === BACKSLASH) at += 1;
        // Strings do not span lines. Past the end of the text, the code is NaN.
        else if (!(inside >= SPACE)) return { lookedTo: at };
      }
    } else if (code === OPEN_MAP || code === OPEN_LIST) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return { lookedTo: at };
    } else if (code === CLOSE_MAP || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return { end: at + 1, lookedTo: at + 1 };
    }
  }
  return { lookedTo: limit };
}

/** Reads a range of a text that is exactly one strict JSON value. */
export function wholeJson(
  text: string,
  start: number,
  end: number,
): { ok: true; start: number; end: number; value: Json } | JsonFault {
  const first = skipSpace(text, start);
  const quick = parseJsonAt(text, first, end);
  if (quick.ok && skipSpace(text, quick.end) >= end) {
    return { ok: true, start: first, end: quick.end, value: quick.value };
  }
  const extent = scanJson(text, first);
  if (!extent.ok) return extent;
  if (extent.end > end || skipSpace(text, extent.end) < end)
    return { ok: false, at: Math.min(extent.end, end), named: true, begun: true };
  return { ok: true, start: first, end: extent.end, value: JSON.parse(text.slice(first, extent.end)) as Json };
}

/** The next characters of a text as a JSON string, for error messages. */
export function excerptAt(text: string, at: number): string {
  return text.slice(at, at + 100).trim() === '' && text.slice(at).trim() === ''
    ? END_OF_TEXT
    : JSON.stringify(text.slice(at, at + 12));
}

/** The located value at a JSON pointer; `undefined` if there is none. */
export function nodeAt(root: LocatedJson, pointer: string): LocatedJson | undefined {
  let here: LocatedJson | undefined = root;
  for (const token of pointerTokens(pointer)) {
    if (here === undefined) return undefined;
    here =
      here.items?.[/^\d+$/.test(token) ? Number(token) : -1] ??
      here.members?.findLast(({ name }) => name === token)?.node;
  }
  return here;
}

/** The pointers of a value and of all values inside it, in document order, at most `limit` of them. */
export function pointersOf(value: Json, limit = Number.POSITIVE_INFINITY): { pointer: string; value: Json }[] {
  const found: { pointer: string; value: Json }[] = [];
  const pending = [{ pointer: '', value }];
  for (let next = pending.pop(); next !== undefined && found.length < limit; next = pending.pop()) {
    found.push(next);
    const { pointer, value: here } = next;
    // Only as many children as will be returned.
    const left = limit - found.length;
    if (Array.isArray(here)) {
      for (let index = Math.min(here.length, left) - 1; index >= 0; index -= 1) {
        pending.push({ pointer: `${pointer}/${index}`, value: here[index] as Json });
      }
    } else if (isObject(here)) {
      const names = memberNames(here);
      for (let index = Math.min(names.length, left) - 1; index >= 0; index -= 1) {
        const name = names[index] as string;
        pending.push({ pointer: `${pointer}/${escapeToken(name)}`, value: here[name] as Json });
      }
    }
  }
  return found;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
// The length of a comment is limited, because an unclosed one is read to the limit at every try.
const COMMENT = /\/\/[^\n]{0,2000}|\/\*(?:[^*]|\*(?!\/)){0,2000}\*\//y;

const [QUOTE, MINUS, ZERO, NINE, BACKSLASH, SPACE] = [0x22, 0x2d, 0x30, 0x39, 0x5c, 0x20];
const [OPEN_MAP, CLOSE_MAP, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

function matchAt(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : -1;
}

/** Whether the number at an offset is larger than any double. */
function isEndlessAt(text: string, at: number): boolean {
  const end = matchAt(NUMBER, text, at);
  return end >= 0 && !Number.isFinite(Number(text.slice(at, end)));
}

/** Whether a JSON string is valid Unicode: a lone surrogate has no UTF-8 form and no canonical JSON (RFC 8785). */
function isUnicode(token: string): boolean {
  return token.isWellFormed() && (!token.includes('\\u') || (JSON.parse(token) as string).isWellFormed());
}

function skipSpace(text: string, at: number): number {
  for (let here = at; ; here += 1) {
    const code = text.charCodeAt(here);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return here;
  }
}

interface Frame {
  isMap: boolean;
  count: number;
  node: LocatedJson;
  /** The member whose value comes next. */
  key: { name: string; keyStart: number };
}

const NOTHING: LocatedJson = Object.freeze({ start: 0, end: 0, value: null });
const NO_KEY = Object.freeze({ name: '', keyStart: 0 });

/** Reads a JSON text in one pass; builds located values only if `builds` is set. */
class JsonReader {
  /** The value read last. */
  node: LocatedJson = NOTHING;
  readonly #text: string;
  readonly #allowLenient: boolean;
  readonly #builds: boolean;
  readonly #open: Frame[] = [];
  #at: number;
  readonly #loose: { start: number; end: number }[] = [];
  #named = false;
  #begun = false;

  constructor(text: string, start: number, allowLenient: boolean, builds: boolean) {
    this.#text = text;
    this.#at = start;
    this.#allowLenient = allowLenient;
    this.#builds = builds;
  }

  read(): JsonExtent {
    for (;;) {
      this.#skip();
      if (!this.#scalar()) {
        const character = this.#text[this.#at];
        if (character !== '{' && character !== '[') return this.#fault();
        if (this.#open.length >= MAX_JSON_DEPTH) return this.#fault('depth');
        this.#enter(character === '{');
        const step = this.#next();
        if (step === 'value') continue;
        if (step === 'fault') return this.#fault();
      }
      for (;;) {
        const frame = this.#open.at(-1);
        if (frame === undefined)
          return { ok: true, end: this.#at, lenient: this.#loose.length > 0, loose: this.#loose };
        this.#begun = true;
        frame.count += 1;
        if (this.#builds && frame.isMap) frame.node.members?.push({ ...frame.key, node: this.node });
        else if (this.#builds) frame.node.items?.push(this.node);
        const step = this.#next();
        if (step === 'value') break;
        if (step === 'fault') return this.#fault();
      }
    }
  }

  #enter(isMap: boolean): void {
    const start = this.#at;
    const node: LocatedJson = this.#builds
      ? { start, end: start, value: null, ...(isMap ? { members: [] } : { items: [] }) }
      : NOTHING;
    this.#open.push({ isMap, count: 0, node, key: NO_KEY });
    this.#at += 1;
  }

  /** Moves on in the innermost container: to its next value, or past its end. */
  #next(): 'value' | 'closed' | 'fault' {
    const frame = this.#open.at(-1);
    if (frame === undefined) return 'fault';
    this.#skip();
    const closer = frame.isMap ? '}' : ']';
    if (this.#text[this.#at] === closer) return this.#close();
    if (frame.count > 0) {
      if (this.#text[this.#at] !== ',') return 'fault';
      const comma = this.#at;
      this.#at += 1;
      this.#skip();
      if (this.#text[this.#at] === closer && this.#allowLenient) {
        this.#loose.push({ start: comma, end: comma + 1 });
        return this.#close();
      }
    }
    if (!frame.isMap) return 'value';
    const keyStart = this.#at;
    const keyEnd = matchAt(STRING, this.#text, keyStart);
    if (keyEnd < 0 || !isUnicode(this.#text.slice(keyStart, keyEnd))) return 'fault';
    this.#at = keyEnd;
    this.#skip();
    if (this.#text[this.#at] !== ':') return 'fault';
    this.#at += 1;
    this.#named = true;
    if (this.#builds) frame.key = { name: JSON.parse(this.#text.slice(keyStart, keyEnd)) as string, keyStart };
    return 'value';
  }

  #close(): 'closed' {
    this.#at += 1;
    const node = this.#open.pop()?.node;
    if (!this.#builds || node === undefined) return 'closed';
    node.end = this.#at;
    node.value =
      node.members === undefined
        ? (node.items ?? []).map((item) => item.value)
        : Object.fromEntries(node.members.map(({ name, node: member }) => [name, member.value]));
    this.node = node;
    return 'closed';
  }

  #scalar(): boolean {
    const start = this.#at;
    const first = this.#text.charCodeAt(start);
    const isNumber = first === MINUS || (first >= ZERO && first <= NINE);
    const end = matchAt(first === QUOTE ? STRING : isNumber ? NUMBER : WORD, this.#text, start);
    if (end < 0) return false;
    if (first === QUOTE && !isUnicode(this.#text.slice(start, end))) return false;
    // JSON has no infinity, so a number larger than any double cannot be represented.
    if (isNumber && !Number.isFinite(Number(this.#text.slice(start, end)))) return false;
    this.#at = end;
    if (this.#builds) this.node = { start, end, value: JSON.parse(this.#text.slice(start, end)) as Json };
    return true;
  }

  #skip(): void {
    this.#at = skipSpace(this.#text, this.#at);
    if (!this.#allowLenient) return;
    for (let end = matchAt(COMMENT, this.#text, this.#at); end >= 0; end = matchAt(COMMENT, this.#text, this.#at)) {
      this.#loose.push({ start: this.#at, end });
      this.#at = skipSpace(this.#text, end);
    }
  }

  #fault(beyond?: 'depth'): JsonFault {
    const why = beyond ?? (isEndlessAt(this.#text, this.#at) ? 'number' : undefined);
    const fault: JsonFault = { ok: false, at: this.#at, named: this.#named, begun: this.#begun };
    return why === undefined ? fault : { ...fault, beyond: why };
  }
}
