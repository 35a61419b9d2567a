import type { CompiledPattern } from './pattern.ts';

/** Most work for matching, in units of up to 0.1 µs. Usual patterns need a third of it. */
const MAX_WORK = 600_000;

/** Matches patterns against texts. Caches each pair, and stops when the work budget is spent. */
export class Matching {
  readonly #results = new Map<string, Map<string, boolean>>();
  #workLeft: number;
  #leftOut: string | undefined;

  /** `share` multiplies the work budget of one agreement's cases. */
  constructor(share = 1) {
    this.#workLeft = MAX_WORK * share;
  }

  /** The first pattern that was not matched with some text because the budget was spent. */
  get leftOut(): string | undefined {
    return this.#leftOut;
  }

  /** Whether a text matches; `undefined` if the work budget is spent. */
  tell(
    pattern: string,
    { test, workPerCharacter }: Extract<CompiledPattern, { kind: 'linear' }>,
    text: string,
  ): boolean | undefined {
    const byText = this.#results.get(pattern) ?? new Map<string, boolean>();
    this.#results.set(pattern, byText);
    const known = byText.get(text);
    if (known !== undefined) return known;
    const work = (text.length + 1) * workPerCharacter;
    if (work > this.#workLeft) {
      this.#leftOut ??= pattern;
      return undefined;
    }
    this.#workLeft -= work;
    const result = test(text);
    byText.set(text, result);
    return result;
  }
}
