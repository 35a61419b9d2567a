import { hasWord } from '../scalar-kinds.ts';
import { literalsOf, numbersOf } from './literals.ts';

/** The constants of a candidate's source, indexed for look-up. */
export class LiteralIndex {
  readonly #text: string;
  readonly #numbers: ReadonlySet<number>;
  /** The numbers of the source as written, without signs. */
  readonly numbers: readonly number[];
  /** The short texts of the source that may be values of a message. */
  readonly texts: readonly string[];
  /** The short texts that the source compares with. */
  readonly compared: readonly string[];
  /** The numbers that the source tests equality with, as written. */
  readonly equalled: readonly string[];

  constructor(bundle: string) {
    const literals = literalsOf(bundle);
    this.numbers = [...new Set(numbersOf(bundle).map(Math.abs))];
    this.#text = literals.flatMap((literal) => ('text' in literal ? [literal.text.toLowerCase()] : [])).join('\n');
    this.texts = [...new Set([...bundle.matchAll(QUOTED)].flatMap(({ groups }) => groups?.text ?? []))];
    this.compared = [
      ...new Set([...bundle.matchAll(COMPARED)].flatMap(({ groups }) => Object.values(groups ?? {}))),
    ].filter((text) => text !== undefined);
    this.equalled = [...bundle.matchAll(EQUALLED)].flatMap(([, right, left]) => right ?? left ?? []);
    this.#numbers = new Set(literals.flatMap((literal) => ('number' in literal ? [Math.abs(literal.number)] : [])));
  }

  /** Whether the source contains a value, alone or as a word of a longer text. */
  has(value: string | number): boolean {
    if (typeof value === 'number')
      return this.#numbers.has(Math.abs(value)) || (String(value).length >= 4 && hasWord(this.#text, String(value)));
    return value.trim() !== '' && hasWord(this.#text, value.toLowerCase());
  }
}

const QUOTED = /(?<mark>["'`])(?<text>[^"'`\\\s$]{3,24})\k<mark>/gu;

const COMPARED =
  /(?:[=!]==? *|\b(?:startsWith|endsWith|includes|indexOf|has)\(|\bcase )(?:"(?<double>[^"\\\n]{2,40})"|'(?<single>[^'\\\n]{2,40})')|"(?<left>[^"\\\n]{2,40})" *[=!]==?|\/\^?(?<pattern>[A-Za-z][\w-]{1,20})\$?\/[iu]*\.test\(/g;

const EQUALLED = /(?:[=!]==? *|\bcase )(\d{1,9})(?![\w.])|(?<![\w.])(\d{1,9}) *[=!]==?/g;
