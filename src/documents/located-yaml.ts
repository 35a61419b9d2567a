import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments } from 'yaml';
import type { Json } from '../kernel/json.ts';
import { type LocatedJson, MAX_JSON_DEPTH } from './located-json.ts';

/** Most values of a YAML text; aliases can multiply a few into many. */
const MAX_VALUES = 20_000;

/** A YAML document with the place of every value, or the offset where it cannot be read. */
export type LocatedYaml = { ok: true; node: LocatedJson } | { ok: false; at: number };

/**
 * Reads the documents of a YAML 1.2 text (core schema) that JSON can represent: no custom tags, only string keys, no
 * duplicate keys. Merge keys (`<<`) of YAML 1.1 are resolved. Offsets refer to the whole text. Never throws.
 */
export function readYaml(text: string, start: number, end: number): LocatedYaml[] {
  const unreadable: LocatedYaml[] = [{ ok: false, at: start }];
  try {
    const documents = parseAllDocuments(text.slice(start, end), {
      // The library's own check compares each key with all others.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    return Array.isArray(documents)
      ? documents.map((document) => new Reader(document, text, start).read())
      : unreadable;
  } catch {
    // Very deep nesting overflows the library's stack.
    return unreadable;
  }
}

class Unreadable extends Error {
  readonly at: number;

  constructor(at: number) {
    super('no JSON value');
    this.at = at;
  }
}

class Reader {
  readonly #document: Document.Parsed;
  readonly #text: string;
  readonly #start: number;
  readonly #anchors = new Map<string, { located: LocatedJson; size: number }>();
  #size = 0;

  constructor(document: Document.Parsed, text: string, start: number) {
    this.#document = document;
    this.#text = text;
    this.#start = start;
  }

  read(): LocatedYaml {
    const [fault] = [...this.#document.errors, ...this.#document.warnings];
    if (fault !== undefined) return { ok: false, at: this.#start + fault.pos[0] };
    try {
      return { ok: true, node: this.#located(this.#document.contents, this.#start, 0) };
    } catch (error) {
      return { ok: false, at: error instanceof Unreadable ? error.at : this.#start };
    }
  }

  #located(node: Node | null, above: number, depth: number): LocatedJson {
    const [from, to] = node?.range ?? [0, 0];
    const start = node?.range == null ? above : this.#start + from;
    const end = node?.range == null ? above : this.#start + to;
    const before = this.#size;
    this.#size += 1;
    if (this.#size > MAX_VALUES || depth > MAX_JSON_DEPTH) throw new Unreadable(start);
    const located = this.#valueOf(node, start, end, depth);
    const anchor = node !== null && !isAlias(node) && 'anchor' in node ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, { located, size: this.#size - before });
    return located;
  }

  #valueOf(node: Node | null, start: number, end: number, depth: number): LocatedJson {
    if (isAlias(node)) {
      const named = this.#anchors.get(node.source);
      if (named === undefined) throw new Unreadable(start);
      this.#size += named.size;
      return { ...named.located, start, end };
    }
    if (isMap(node)) return this.#mapOf(node, start, depth, end);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#located(item as Node | null, start, depth + 1));
      return withStyle(node, {
        start,
        end: endOf(items.at(-1), node, end),
        value: items.map(({ value }) => value),
        items,
      });
    }
    const value: unknown = isScalar(node) ? node.value : null;
    if (!isJsonScalar(value)) throw new Unreadable(start);
    // The range of a multi-line text includes its line break.
    return { start, end: start + this.#text.slice(start, end).trimEnd().length, value };
  }

  #mapOf(node: Extract<Node, { items: unknown }>, start: number, depth: number, end: number): LocatedJson {
    const own: NonNullable<LocatedJson['members']> = [];
    const merged: typeof own = [];
    const names = new Set<string>();
    let last: LocatedJson | undefined;
    for (const { key, value } of node.items as { key: Node; value: Node | null }[]) {
      const keyStart = this.#start + (key.range?.[0] ?? 0);
      const isMerge = isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
      const name = isScalar(key) ? nameOf(key.value, key.source) : undefined;
      if (name === undefined || (names.has(name) && !isMerge)) throw new Unreadable(keyStart);
      last = this.#located(value, this.#start + (key.range?.[1] ?? 0), depth + 1);
      if (isMerge) merged.push(...membersToMerge(last));
      else own.push({ name, keyStart, node: last });
      if (!isMerge) names.add(name);
    }
    // What is added to a mapping goes after its last member, which must not be one that stands elsewhere.
    const others = new Map(merged.toReversed().map((member) => [member.name, member]));
    const members = [...[...others.values()].filter(({ name }) => !names.has(name)), ...own];
    const value = Object.fromEntries(members.map(({ name, node: member }) => [name, member.value]));
    return withStyle(node, { start, end: endOf(last, node, end), value, members });
  }
}

/** The members of a mapping, or of those in a list, of which the first one with a name counts. */
function membersToMerge(source: LocatedJson): NonNullable<LocatedJson['members']> {
  return (source.items ?? [source]).flatMap(({ members, start }) => {
    if (members === undefined) throw new Unreadable(start);
    return members;
  });
}

/** A key as written: `200` as a key is text, not a number. */
function nameOf(value: unknown, source: string | undefined): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? (source ?? String(value)) : undefined;
}

function isJsonScalar(value: unknown): value is Json {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'boolean';
}

/** A block ends where its last value ends; only blanks and comments follow. */
function endOf(last: LocatedJson | undefined, node: Node, end: number): number {
  return last === undefined || ('flow' in node && node.flow === true) ? end : last.end;
}

function withStyle(node: Node, located: LocatedJson): LocatedJson {
  return 'flow' in node && node.flow === true ? located : { ...located, isBlock: true };
}
