import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, Scalar } from 'yaml';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/** The result of PyYAML's `safe_load` as JSON, or the reason for its error. */
export type PythonYaml = { ok: true; value: Json } | { ok: false; why: string };

/** Longest text, in UTF-16 units: front matter is a few lines. */
const MAX_TEXT = 16_384;

/** Most values: aliases can multiply them. */
const MAX_VALUES = 2_000;

const MAX_DEPTH = 32;

/**
 * Reads a YAML text like PyYAML: YAML 1.1 with PyYAML's own rules for plain scalars, repeated names allowed, standard
 * tags only. Times become strings. Never throws.
 */
export function readPythonYaml(given: string): PythonYaml {
  const text = given.replace(/\r\n?/g, '\n');
  if (text.length > MAX_TEXT) return { ok: false, why: `more than ${MAX_TEXT} characters` };
  if (UNPRINTABLE.test(text)) return { ok: false, why: 'a character that YAML does not allow' };
  try {
    // PyYAML resolves plain scalars differently from this library, so the library leaves them as strings.
    const document = parseDocument(text, {
      version: '1.1',
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const [fault] = document.errors;
    if (fault !== undefined) return { ok: false, why: `no YAML from character ${fault.pos[0]} on` };
    return { ok: true, value: new Reader(document, text).read() };
  } catch (error) {
    // Deep nesting exhausts the library's stack.
    return { ok: false, why: error instanceof Refused ? error.message : 'too many levels of nesting' };
  }
}

/** Characters that PyYAML's reader refuses. */
const UNPRINTABLE = /[^\x09\x0A\x0D\x20-\x7E\x85\xA0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

class Refused extends Error {}

const TAG = 'tag:yaml.org,2002:';

class Reader {
  readonly #document: Document.Parsed;
  readonly #text: string;
  // The library searches the whole document for each alias.
  readonly #anchors = new Map<string, Node>();
  #values = 0;

  constructor(document: Document.Parsed, text: string) {
    this.#document = document;
    this.#text = text;
  }

  read(): Json {
    return this.#valueOf(this.#document.contents, 0);
  }

  #valueOf(node: Node | null, depth: number): Json {
    this.#values += 1;
    if (this.#values > MAX_VALUES || depth > MAX_DEPTH) throw new Refused('too many values');
    if (node === null) return null;
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target === undefined) throw new Refused('an alias without an anchor');
      return this.#valueOf(target, depth + 1);
    }
    if ('anchor' in node && typeof node.anchor === 'string') this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#object(node.tag, node.items as unknown as Pair[], depth);
    if (isSeq(node)) return this.#list(node.tag, node.items as (Node | null)[], depth);
    return isScalar(node) ? this.#scalar(node) : null;
  }

  #list(tag: string | undefined, items: readonly (Node | null)[], depth: number): Json {
    const values = items.map((item) => this.#valueOf(item, depth + 1));
    if (tag === undefined || tag === `${TAG}seq`) return values;
    if (tag !== `${TAG}omap` && tag !== `${TAG}pairs`) throw new Refused("a tag that is not one of YAML's own");
    return values.map((value) => (isObject(value) ? (Object.entries(value)[0] ?? []) : value));
  }

  #scalar(node: Scalar): Json {
    const text = typeof node.value === 'string' ? node.value : '';
    const [start = 0, end = 0] = node.range ?? [];
    const isPlain = node.type === Scalar.PLAIN || node.type === undefined;
    // PyYAML allows no tab in plain scalars, and treats Unicode line ends as such.
    if (isPlain && (this.#text[start - 1] === '\t' || OF_NO_PLAIN_TEXT.test(this.#text.slice(start, end))))
      throw new Refused('a plain text with a character that YAML 1.1 reserves');
    // The library always ends a block with a line break; PyYAML only if the text has one.
    const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
    const value = isBlock && end >= this.#text.length ? text.replace(/\n$/, '') : text;
    return taggedValue(node.tag, isPlain, value);
  }

  #object(tag: string | undefined, items: readonly Pair[], depth: number): Json {
    if (tag !== undefined && tag !== `${TAG}map` && tag !== `${TAG}set`)
      throw new Refused("a tag that is not one of YAML's own");
    const own: [string, Json][] = [];
    const merged: [string, Json][] = [];
    for (const { key, value } of items) {
      const isMerge = isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN;
      const name = isMerge ? '<<' : this.#valueOf(key, depth + 1);
      if (typeof name === 'object' && name !== null) throw new Refused('a name that is not a scalar');
      const member = this.#valueOf(value, depth + 1);
      if (isMerge) merged.push(...entriesToMerge(member));
      else own.push([String(name), member]);
    }
    const object = Object.fromEntries([...merged, ...own]);
    return tag === `${TAG}set` ? Object.keys(object) : object;
  }
}

interface Pair {
  key: Node | null;
  value: Node | null;
}

function entriesToMerge(value: Json): [string, Json][] {
  const objects = Array.isArray(value) ? value.toReversed() : [value];
  if (!objects.every(isObject)) throw new Refused('a merge of something that is not a mapping');
  return objects.flatMap((object) => Object.entries(object as JsonObject));
}

/**
 * A tab or a Unicode line end, a percent sign at the start, and the words `<<` and `=`, which are only valid as names.
 */
const OF_NO_PLAIN_TEXT = /[\t\x85\u2028\u2029]|^%|^(?:<<|=)$/;

/** The value of a scalar with a tag, or of a plain one. */
function taggedValue(tag: string | undefined, isPlain: boolean, text: string): Json {
  const name = tag?.startsWith(TAG) ? tag.slice(TAG.length) : tag;
  if (name === undefined || name === '!') return isPlain ? finite(plainValue(text), text) : text;
  if (name === 'null') return null;
  if (name === 'str' || name === 'timestamp' || name === 'binary') return text;
  const value = plainValue(text);
  const isFitting =
    (name === 'bool' && typeof value === 'boolean') ||
    ((name === 'int' || name === 'float') && typeof value === 'number');
  if (!isFitting) throw new Refused('a tag on a text of another kind');
  return finite(value, text);
}

/** JSON cannot represent infinity; the text stands for it. */
function finite(value: Json, text: string): Json {
  return typeof value === 'number' && !Number.isFinite(value) ? text : value;
}

function plainValue(text: string): Json {
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null;
  const word = text.toLowerCase();
  if (/^(?:[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/.test(text)) return true;
  if (/^(?:[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/.test(text)) return false;
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replace(/^[-+]/, '').replaceAll('_', '');
  if (/^[-+]?0b[01_]+$/.test(text)) return whole(sign * Number.parseInt(digits.slice(2), 2));
  if (/^[-+]?0x[0-9a-fA-F_]+$/.test(text)) return whole(sign * Number.parseInt(digits.slice(2), 16));
  if (/^[-+]?0[0-7_]+$/.test(text)) return sign * Number.parseInt(digits, 8);
  if (/^[-+]?(?:0|[1-9][0-9_]*)$/.test(text)) return sign * Number(digits);
  if (/^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/.test(text) || /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/.test(text))
    return sign * digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  if (/^[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?$/.test(text) || /^\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?$/.test(text))
    return sign * Number(digits);
  // JSON cannot represent these.
  if (/^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text)) return word;
  return text;
}

function whole(value: number): number {
  if (Number.isNaN(value)) throw new Refused('a number without digits');
  return value;
}
