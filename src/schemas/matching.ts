import type { CompiledPattern } from './pattern.ts';

/** Most work that matching takes altogether, in units of up to 0.1 µs; patterns of everyday take a third of that. */
const MAX_WORK = 600_000;

/** What patterns say of texts: each pair is matched once, and what would take too long altogether is not matched. */
export class Matching {
  readonly #known = new Map<string, Map<string, boolean>>();
  #left: number;
  #leftOut: string | undefined;

  /** `share` is how often as much may be spent as on the texts of one agreement's cases. */
  constructor(share = 1) {
    this.#left = MAX_WORK * share;
  }

  /** The first pattern that was not matched with some text, since that would have taken too long. */
  get leftOut(): string | undefined {
    return this.#leftOut;
  }

  /** Whether a text matches; `undefined` where telling would take too long. */
  tell(
    pattern: string,
    { test, workPerCharacter }: Extract<CompiledPattern, { kind: 'linear' }>,
    text: string,
  ): boolean | undefined {
    const byText = this.#known.get(pattern) ?? new Map<string, boolean>();
    this.#known.set(pattern, byText);
    const known = byText.get(text);
    if (known !== undefined) return known;
    const work = (text.length + 1) * workPerCharacter;
    if (work > this.#left) {
      this.#leftOut ??= pattern;
      return undefined;
    }
    this.#left -= work;
    const told = test(text);
    byText.set(text, told);
    return told;
  }
}
