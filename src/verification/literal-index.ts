import { literalsOf, numbersOf } from './literals.ts';
import { hasWord } from './scalar-kinds.ts';

/** The constants of a candidate, to be asked whether a value is among them. */
export class LiteralIndex {
  readonly #text: string;
  readonly #numbers: ReadonlySet<number>;
  /** The numbers that stand in the source as they are, without their signs. */
  readonly numbers: readonly number[];

  constructor(bundle: string) {
    const literals = literalsOf(bundle);
    this.numbers = [...new Set(numbersOf(bundle).map(Math.abs))];
    this.#text = literals.flatMap((literal) => ('text' in literal ? [literal.text.toLowerCase()] : [])).join('\n');
    this.#numbers = new Set(literals.flatMap((literal) => ('number' in literal ? [Math.abs(literal.number)] : [])));
  }

  /** Whether a value stands in the source, alone or as a word of a longer text. */
  has(value: string | number): boolean {
    if (typeof value === 'number')
      return this.#numbers.has(Math.abs(value)) || (String(value).length >= 4 && hasWord(this.#text, String(value)));
    return value.trim() !== '' && hasWord(this.#text, value.toLowerCase());
  }
}
