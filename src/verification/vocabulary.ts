import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { isIsoTime, leavesOf, tokensOf } from './scalar-kinds.ts';
import type { Subject } from './subject.ts';

/** Names of standards and formats that a handler may know without the document. */
const COMMON_KNOWLEDGE =
  /^(?:utf-?(?:8|16|32)|us-ascii|ascii|iso[-_ ]?\d{3,5}(?:-\d+)?|latin-?1|sha-?(?:1|224|256|384|512)|sha3-\d+|md5|hmac.*|crc-?(?:16|32)|aes.*|rsa.*|ed25519|base(?:16|32|58|64)(?:url)?|https?(?:\/\d(?:\.\d)?)?|v?\d{1,2}(?:\.\d{1,3}){1,2}|v\d{1,2}|rfc ?\d+|mp[34]|ipv[46]|h26[45]|oauth2?|json|xml|csv|(?:text|application|image|audio|video|multipart)\/.+|(?:africa|america|asia|europe|australia|pacific|atlantic|indian|antarctica|etc)\/.+|utc|gmt|utc[+-]\d.*)$/i;

/** Numbers of common formulas: unit factors, percentages, clock arithmetic. */
const COMMON_NUMBERS: ReadonlySet<number> = new Set([
  1000,
  1024,
  10_000,
  100_000,
  1_000_000,
  1e9,
  3600,
  86_400,
  3_600_000,
  86_400_000,
  604_800,
  1440,
  0.1,
  0.01,
  0.001,
  0.5,
  1.5,
  0.25,
  1.8,
  273.15,
  459.67,
  2.54,
  30.48,
  0.3048,
  0.9144,
  1.609344,
  1609.344,
  0.453592,
  0.45359237,
  453.59237,
  28.3495,
  2.20462,
  2.2046226218,
  3.6,
  9.81,
  9.80665,
  Math.PI,
  Math.E,
  4.184,
  4.546,
  3.785,
  3.785411784,
  4.54609,
  5280,
  1760,
  65_535,
  65_536,
  2_147_483_647,
  4_294_967_295,
  9_007_199_254_740_991,
  365.25,
]);

/**
 * What a handler may know from an agreement: words of the document and of those it builds on, constants of the schemas,
 * and descriptions of the tools. Everything else in cases and tool answers is data. Examples inside a document count as
 * data too: only words without digits are taken from them.
 */
export class Vocabulary {
  readonly #words: ReadonlySet<string>;
  readonly #prose: string;
  readonly #full: string;
  readonly #names: ReadonlySet<string>;
  readonly #constants: ReadonlySet<string>;
  readonly #numbers: ReadonlySet<number>;
  readonly #knownTexts = new Map<string, boolean>();

  constructor(subject: Subject) {
    const { agreement, tools, task } = subject;
    const schemas: Json[] = [
      ...agreement.schemas.map(({ schema }) => schema),
      subject.requestSchema,
      subject.responseSchema,
      ...tools.flatMap((tool) => [tool.inputSchema ?? null, tool.outputSchema ?? null]),
      task?.inputSchema ?? null,
      task?.outputSchema ?? null,
    ];
    const words: string[] = [];
    const names = new Set<string>();
    const constants = new Set<string>();
    for (const schema of schemas) collectSchemaTexts(schema, words, names, constants, 0);
    for (const tool of tools) {
      words.push(tool.name, tool.description ?? '');
      names.add(tool.name);
    }
    if (task) words.push(task.description);
    const own = words.join('\n');
    const { bases = [] } = agreement;
    const prose = [proseOf(agreement.text, agreement), ...bases.map(({ text, uri }) => proseOf(text, agreement, uri))];
    this.#full = [agreement.text, ...bases.map(({ text }) => text), own].join('\n').toLowerCase();
    this.#prose = withoutExampleTokens([...prose, own].join('\n')).toLowerCase();
    const shared = [...sharedWords(subject)].join('\n');
    this.#words = new Set([...`${this.#full}\n${shared}`.matchAll(/[\p{L}\p{M}]+/gu)].map(([word]) => word));
    this.#names = names;
    for (const value of sharedValues(subject)) constants.add(value);
    for (const word of sharedWords(subject)) constants.add(word);
    this.#constants = constants;
    this.#numbers = new Set(
      [...this.#prose.matchAll(/(?<![\p{L}\p{N}.])\d[\d,]*(?:\.\d+)?(?![\p{L}\p{N}])/gu)].map(([text]) =>
        Number(text.replaceAll(',', '')),
      ),
    );
  }

  /** Whether the document has a run of letters as a word. */
  hasWord(letters: string): boolean {
    return this.#words.has(letters.toLowerCase());
  }

  /** Whether a handler may know a text as a whole. */
  hasText(text: string): boolean {
    let known = this.#knownTexts.get(text);
    if (known === undefined) {
      known = this.#hasText(text);
      this.#knownTexts.set(text, known);
    }
    return known;
  }

  #hasText(text: string): boolean {
    const lower = text.toLowerCase();
    if (this.#constants.has(lower) || this.#names.has(text) || COMMON_KNOWLEDGE.test(text.trim())) return true;
    const where = looksLikeData(text) ? this.#prose : this.#full;
    if (lower.trim() !== '' && containsWord(where, lower)) return true;
    // Zeros that pad a word of the document to a column are not data.
    const filled = /^(?:0{2,}([^\d\s]+)|([^\d\s]+)0{2,})$/.exec(text);
    if (filled !== null && /\p{L}/u.test(text)) return this.hasText((filled[1] ?? filled[2]) as string);
    // Nor are zeros among one-column marks, if the document has all of these marks.
    if (/^[\p{L}\d]+$/u.test(lower) && /(?<!\d)0{2,}/.test(lower) && /\p{L}/u.test(lower))
      return (lower.match(/\p{L}+|\d+/gu) ?? []).every((part) => containsWord(this.#prose, part));
    // A line may be composed of separate words of the document: `ERR;E2` of `ERR` and `E2`.
    const fields = text.split(/[;|,:=]/);
    return fields.length > 1 && fields.every((field) => /\p{L}/u.test(field) && this.hasText(field));
  }

  /** Whether a text is a constant of a schema, or the same in every case at one place. */
  isConstant(text: string): boolean {
    return this.#constants.has(text.toLowerCase());
  }

  hasNumber(value: number): boolean {
    return (
      this.#numbers.has(value) ||
      this.#numbers.has(Math.abs(value)) ||
      COMMON_NUMBERS.has(Math.abs(value)) ||
      this.#constants.has(String(value))
    );
  }

  /** Whether a schema declares a member of this name. */
  hasName(name: string): boolean {
    return this.#names.has(name);
  }
}

/** Whether a text looks like data, not like a plain word: it has a digit or several words. */
export function looksLikeData(text: string): boolean {
  return /\d/.test(text) || isIsoTime(text) || /\S\s+\S/.test(text.trim());
}

function containsWord(where: string, lower: string): boolean {
  for (let at = where.indexOf(lower); at >= 0; at = where.indexOf(lower, at + 1)) {
    if (!/[a-z0-9_]/.test(where[at - 1] ?? '') || !/[a-z0-9_]/.test(lower[0] ?? '')) {
      if (!/[a-z0-9_]/.test(where[at + lower.length] ?? '') || !/[a-z0-9_]/.test(lower.at(-1) ?? '')) return true;
    }
  }
  return false;
}

function collectSchemaTexts(
  node: Json,
  words: string[],
  names: Set<string>,
  constants: Set<string>,
  depth: number,
): void {
  if (depth > 40) return;
  if (Array.isArray(node)) {
    for (const item of node) collectSchemaTexts(item, words, names, constants, depth + 1);
    return;
  }
  if (!isObject(node)) return;
  for (const [keyword, value] of Object.entries(node)) {
    if (
      (keyword === 'description' || keyword === 'title' || keyword === 'pattern' || keyword === '$comment') &&
      typeof value === 'string'
    )
      words.push(value);
    else if (keyword === 'enum' || keyword === 'const' || keyword === 'default') {
      for (const { value: leaf } of leavesOf(value)) {
        constants.add(String(leaf).toLowerCase());
        words.push(String(leaf));
      }
    } else if (keyword === 'properties' && isObject(value)) {
      for (const [name, child] of Object.entries(value)) {
        names.add(name);
        words.push(name);
        collectSchemaTexts(child, words, names, constants, depth + 1);
      }
    } else if (keyword !== 'examples' && keyword !== 'example')
      collectSchemaTexts(value, words, names, constants, depth + 1);
    if (
      (keyword === 'minimum' ||
        keyword === 'maximum' ||
        keyword === 'exclusiveMinimum' ||
        keyword === 'exclusiveMaximum' ||
        keyword === 'multipleOf') &&
      typeof value === 'number'
    ) {
      words.push(String(value));
    }
  }
}

/** The document, or one that it builds on, without schemas and blocks of sample data. */
function proseOf(document: string, { schemas }: Subject['agreement'], uri?: string): string {
  let text = document;
  const ofDocument = schemas.filter(({ baseUri }) => baseUri === uri);
  for (const { start, end } of ofDocument.sort((a, b) => b.start - a.start))
    text = `${text.slice(0, start)}\n${text.slice(end)}`;
  text = text.replace(/^(```|~~~)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, (block) => (/\{|\[|<|,/.test(block) ? '\n' : block));
  return withoutJsonBlocks(text);
}

function withoutJsonBlocks(text: string): string {
  let kept = '';
  let at = 0;
  let left = MAX_VAIN_CHARACTERS;
  for (let open = text.indexOf('{', at); open >= 0 && left > 0; open = text.indexOf('{', at)) {
    const { end, isData } = objectAt(text, open);
    kept += text.slice(at, isData ? open : open + 1);
    at = isData ? end : open + 1;
    if (!isData) left -= end - open;
  }
  return kept + text.slice(at);
}

/** Most characters (UTF-16 units) read from braces that open no sample data: a document may consist of them. */
const MAX_VAIN_CHARACTERS = 4_000_000;

/** Where the block of a brace ends, and whether it is sample data. */
function objectAt(text: string, open: number): { end: number; isData: boolean } {
  let depth = 0;
  let inString = false;
  // Sample data are short: searching further from each brace is not worth it.
  const most = Math.min(text.length, open + 20_000);
  for (let at = open; at < most; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"' || char === '\n') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) return { end: at + 1, isData: /"[^"\n]*"\s*:/.test(text.slice(open, at)) };
  }
  return { end: most, isData: false };
}

/** The text without what follows an "e.g.". */
function withoutExampleTokens(text: string): string {
  return text.replace(
    /(\be\.g\.,?|\bfor example,?:?|\bfor instance,?:?|\bsuch as|\bexample:|例如[:：]?|比如[:：]?|如[:：])\s*[`"'“]?[^\s`"'”，。]{0,200}\d[^\s`"'”，。]*[`"'”]?/giu,
    '$1 ',
  );
}

/** Words that all text requests or all text responses share; needs two cases. */
function* sharedWords({ cases }: Subject): Generator<string> {
  for (const side of ['request', 'response'] as const) {
    const texts = cases.map((one) => one[side]);
    if (texts.length < 2 || !texts.every((text) => typeof text === 'string')) continue;
    const [first, ...others] = texts.map((text) => new Set(tokensOf(text)));
    for (const word of first ?? []) if (others.every((words) => words.has(word))) yield word.toLowerCase();
  }
}

/** Values at the same place in all requests or in all responses; needs two cases. */
function* sharedValues(subject: Subject): Generator<string> {
  const [first, ...rest] = subject.cases;
  if (!first || rest.length === 0) return;
  for (const side of ['request', 'response'] as const) {
    for (const { pointer, value } of leavesOf(first[side])) {
      if (pointer !== '' && value !== null && rest.every((other) => valueAt(other[side], pointer) === value))
        yield String(value).toLowerCase();
    }
  }
  for (const { pointer, value } of leavesOf(subject.task?.examples?.[0]?.input ?? null)) {
    const examples = subject.task?.examples ?? [];
    if (
      pointer !== '' &&
      value !== null &&
      examples.length > 1 &&
      examples.every(({ input }) => valueAt(input, pointer) === value)
    )
      yield String(value).toLowerCase();
  }
}
