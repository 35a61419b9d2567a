/** Counts are kept in steps of this length, in milliseconds. */
const stepMs = 10_000;

/** Most names in one step, over all kinds; further ones are counted as `others` of their kind. */
const maxNames = 200;

/** Counts by kind and name, of the recent past only. */
export class RecentCounts {
  readonly #keptMs: number;
  readonly #clock: () => number;
  readonly #steps: { step: number; counts: Map<string, { kind: string; name: string; count: number }> }[] = [];

  /** Keeps counts for `keptMs`. */
  constructor(keptMs: number, clock: () => number = () => performance.now()) {
    this.#keptMs = keptMs;
    this.#clock = clock;
  }

  /** Adds to a count. */
  add(kind: string, name: string, more = 1): void {
    const step = Math.floor(this.#clock() / stepMs);
    let current = this.#steps.at(-1);
    if (current?.step !== step) {
      current = { step, counts: new Map() };
      this.#steps.push(current);
      while ((this.#steps[0]?.step ?? step) < step - this.#keptMs / stepMs) this.#steps.shift();
    }
    const { counts } = current;
    const isNew = !counts.has(`${kind} ${name}`);
    const known = isNew && counts.size >= maxNames ? 'others' : name;
    const entry = counts.get(`${kind} ${known}`) ?? { kind, name: known, count: 0 };
    entry.count += more;
    counts.set(`${kind} ${known}`, entry);
  }

  /** The counts of one kind within the last `withinMs`, by name: the `most` most frequent, and the rest as `others`. */
  of(kind: string, withinMs = this.#keptMs, most = 40): Record<string, number> {
    const first = Math.floor((this.#clock() - withinMs) / stepMs);
    const sums = new Map<string, number>();
    for (const { step, counts } of this.#steps) {
      if (step < first) continue;
      for (const one of counts.values())
        if (one.kind === kind) sums.set(one.name, (sums.get(one.name) ?? 0) + one.count);
    }
    const sorted = [...sums].sort(([, one], [, other]) => other - one);
    const others = sorted.slice(most).reduce((sum, [, count]) => sum + count, 0);
    return Object.fromEntries([...sorted.slice(0, most), ...(others > 0 ? [['others', others] as const] : [])]);
  }
}
