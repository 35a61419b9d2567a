import { escapeToken, isObject, type Json, pointerTokens } from '../kernel/json.ts';

/** Deepest nesting of a JSON value inside a document: the job's own limit. */
export const MAX_JSON_DEPTH = 64;

/** A JSON value with the place of its text: UTF-16 offsets, end exclusive. */
export interface LocatedJson {
  start: number;
  end: number;
  value: Json;
  /** Members of an object, in the order of the text. */
  members?: { name: string; keyStart: number; node: LocatedJson }[];
  /** Items of an array. */
  items?: LocatedJson[];
}

/** What reading JSON at a place gave: the value, or the place where it stopped being JSON. */
export type JsonReading =
  | { ok: true; node: LocatedJson /** Whether comments or trailing commas had to be passed over. */; lenient: boolean }
  | { ok: false; at: number; found: string /** Whether at least one member or item had been read. */; begun: boolean };

/**
 * Reads one JSON value that starts at an offset, without recursion and in one pass. Comments and trailing commas are passed
 * over only where `allowLenient` is set. Never throws.
 */
export function readJson(text: string, start: number, allowLenient = false): JsonReading {
  return new JsonReader(text, start, allowLenient).read();
}

/** Reads a text that is one strict JSON value and nothing else. */
export function readWholeJson(text: string, start: number, end: number): JsonReading {
  const slice = text.slice(0, end);
  const first = skipSpace(slice, start);
  const reading = readJson(slice, first);
  if (!reading.ok) return reading;
  const after = skipSpace(slice, reading.node.end);
  return after >= end ? reading : { ok: false, at: after, found: excerpt(slice, after), begun: true };
}

/** The place of the value at a JSON pointer; `undefined` where there is none. */
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

/** The pointers of all values inside a value, itself first; ends early after `limit` of them. */
export function pointersOf(value: Json, limit = Number.POSITIVE_INFINITY): { pointer: string; value: Json }[] {
  const found: { pointer: string; value: Json }[] = [];
  const pending = [{ pointer: '', value }];
  for (let next = pending.pop(); next !== undefined && found.length < limit; next = pending.pop()) {
    found.push(next);
    const { pointer, value: here } = next;
    if (Array.isArray(here)) {
      for (let index = here.length - 1; index >= 0; index -= 1) {
        pending.push({ pointer: `${pointer}/${index}`, value: here[index] as Json });
      }
    } else if (isObject(here)) {
      for (const [name, item] of Object.entries(here).reverse()) {
        pending.push({ pointer: `${pointer}/${escapeToken(name)}`, value: item });
      }
    }
  }
  return found;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;
const COMMENT = /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\//y;

const [QUOTE, MINUS, ZERO, NINE] = [0x22, 0x2d, 0x30, 0x39];

function matchAt(expression: RegExp, text: string, at: number): string | undefined {
  expression.lastIndex = at;
  return expression.exec(text)?.[0];
}

function skipSpace(text: string, at: number): number {
  for (let here = at; ; here += 1) {
    const code = text.charCodeAt(here);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return here;
  }
}

function excerpt(text: string, at: number): string {
  return at >= text.length ? 'the end of the text' : JSON.stringify(text.slice(at, at + 12));
}

interface Frame {
  node: LocatedJson;
  /** The name of the member whose value comes next. */
  key?: { name: string; keyStart: number };
  count: number;
}

class JsonReader {
  readonly #text: string;
  readonly #allowLenient: boolean;
  #at: number;
  #lenient = false;
  #begun = false;

  constructor(text: string, start: number, allowLenient: boolean) {
    this.#text = text;
    this.#at = start;
    this.#allowLenient = allowLenient;
  }

  read(): JsonReading {
    const open: Frame[] = [];
    for (;;) {
      this.#skip();
      let node = this.#scalar();
      if (node === undefined) {
        const character = this.#text[this.#at];
        if (character !== '{' && character !== '[') return this.#fault();
        if (open.length >= MAX_JSON_DEPTH) return this.#fault();
        const container: LocatedJson = { start: this.#at, end: this.#at, value: null };
        if (character === '{') container.members = [];
        else container.items = [];
        open.push({ node: container, count: 0 });
        this.#at += 1;
        const step = this.#next(open);
        if (step === 'value') continue;
        if (step === undefined) return this.#fault();
        node = step;
      }
      for (;;) {
        const frame = open.at(-1);
        if (frame === undefined) return { ok: true, node, lenient: this.#lenient };
        this.#begun = true;
        if (frame.key === undefined) frame.node.items?.push(node);
        else frame.node.members?.push({ ...frame.key, node });
        frame.count += 1;
        const step = this.#next(open);
        if (step === 'value') break;
        if (step === undefined) return this.#fault();
        node = step;
      }
    }
  }

  /** Moves on inside the innermost container: to its next value, or past its end; `undefined` where neither stands there. */
  #next(open: Frame[]): 'value' | LocatedJson | undefined {
    const frame = open.at(-1);
    if (frame === undefined) return undefined;
    const isMap = frame.node.members !== undefined;
    this.#skip();
    const closer = isMap ? '}' : ']';
    if (this.#text[this.#at] === closer) return this.#close(open);
    if (frame.count > 0) {
      if (this.#text[this.#at] !== ',') return undefined;
      this.#at += 1;
      this.#skip();
      if (this.#text[this.#at] === closer && this.#allowLenient) {
        this.#lenient = true;
        return this.#close(open);
      }
    }
    if (!isMap) return 'value';
    const keyStart = this.#at;
    const key = matchAt(STRING, this.#text, keyStart);
    if (key === undefined) return undefined;
    this.#at += key.length;
    this.#skip();
    if (this.#text[this.#at] !== ':') return undefined;
    this.#at += 1;
    frame.key = { name: JSON.parse(key) as string, keyStart };
    return 'value';
  }

  #close(open: Frame[]): LocatedJson | undefined {
    const node = open.pop()?.node;
    if (node === undefined) return undefined;
    this.#at += 1;
    node.end = this.#at;
    node.value =
      node.members === undefined
        ? (node.items ?? []).map((item) => item.value)
        : Object.fromEntries(node.members.map(({ name, node: member }) => [name, member.value]));
    return node;
  }

  #scalar(): LocatedJson | undefined {
    const start = this.#at;
    const first = this.#text.charCodeAt(start);
    const expression = first === QUOTE ? STRING : first === MINUS || (first >= ZERO && first <= NINE) ? NUMBER : WORD;
    const token = matchAt(expression, this.#text, start);
    if (token === undefined) return undefined;
    const value = expression === NUMBER ? Number(token) : (JSON.parse(token) as Json);
    // JSON has no infinity: a number too large for a double has no value here.
    if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
    this.#at += token.length;
    return { start, end: this.#at, value };
  }

  #skip(): void {
    this.#at = skipSpace(this.#text, this.#at);
    if (!this.#allowLenient) return;
    for (let comment = matchAt(COMMENT, this.#text, this.#at); comment !== undefined; ) {
      this.#lenient = true;
      this.#at = skipSpace(this.#text, this.#at + comment.length);
      comment = matchAt(COMMENT, this.#text, this.#at);
    }
  }

  #fault(): JsonReading {
    return { ok: false, at: this.#at, found: excerpt(this.#text, this.#at), begun: this.#begun };
  }
}
