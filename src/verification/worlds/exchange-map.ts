import { isObject, type Json } from '../../kernel/json.ts';

/** A value that identifies something to tools or the peer: a name or a number. */
export type Key = string | number;

/** Swaps two keys of one kind everywhere; numeric keys only under the names of key members. */
export class ExchangeMap {
  /** Times do not shift. */
  readonly shiftMs = 0;
  /** Compiled on first use: most pairs are never tried. */
  #pattern: RegExp | undefined;

  readonly pair: readonly [Key, Key];
  readonly names: ReadonlySet<string>;

  constructor(pair: readonly [Key, Key], names: ReadonlySet<string>) {
    this.pair = pair;
    this.names = names;
  }

  /** The value with the keys swapped, member names included. */
  json(value: Json, name = ''): Json {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return this.names.has(name) ? (this.#other(value) as number) : value;
    if (Array.isArray(value)) return value.map((item) => this.json(item, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, item]) => [String(this.#other(member)), this.json(item, member)]),
    );
  }

  #text(text: string): string {
    const keys = this.pair.filter((key) => typeof key === 'string');
    if (keys.length === 0) return text;
    this.#pattern ??= patternOf(keys);
    return text.replace(this.#pattern, (key) => String(this.#other(key)));
  }

  #other(key: Key): Key {
    const [a, b] = this.pair;
    return key === a ? b : key === b ? a : key;
  }
}

/** Matches texts as whole words; in scripts without spaces, anywhere. */
function patternOf(texts: readonly string[]): RegExp {
  const bound = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]`;
  const isBound = new RegExp(`^${bound}$`, 'u');
  const alternatives = [...texts]
    .sort((a, b) => b.length - a.length)
    .map((text) => {
      const [first, last] = [[...text][0] ?? '', [...text].at(-1) ?? ''];
      return `${isBound.test(first) ? `(?<!${bound})` : ''}${RegExp.escape(text)}${isBound.test(last) ? `(?!${bound})` : ''}`;
    });
  return new RegExp(alternatives.join('|'), 'gu');
}
