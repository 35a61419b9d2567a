interface Known<Line> {
  line: Line;
  unsaid: number;
  timer: NodeJS.Timeout;
}

/** Most kinds of line that are counted separately. */
const maxKinds = 200;

/**
 * Sums up repeated lines. The first line of a kind is logged at once; those that follow within `everyMs` are
 * logged as one line, the last of them, with their number.
 */
export class Repeats<Line> {
  readonly #say: (line: Line, count: number) => void;
  readonly #everyMs: number;
  readonly #known = new Map<string, Known<Line>>();

  constructor(say: (line: Line, count: number) => void, everyMs = 30_000) {
    this.#say = say;
    this.#everyMs = everyMs;
  }

  /** Logs a line of this kind, or counts it. */
  note(kind: string, line: Line): void {
    const known = this.#known.get(kind);
    if (known !== undefined) {
      known.line = line;
      known.unsaid += 1;
      return;
    }
    if (this.#known.size >= maxKinds) this.flush();
    this.#say(line, 1);
    this.#known.set(kind, { line, unsaid: 0, timer: this.#timer(kind) });
  }

  /** Logs everything that was only counted, and forgets all kinds. */
  flush(): void {
    for (const kind of [...this.#known.keys()]) this.#sum(kind, false);
  }

  #timer(kind: string): NodeJS.Timeout {
    const timer = setTimeout(() => this.#sum(kind, true), this.#everyMs);
    timer.unref();
    return timer;
  }

  #sum(kind: string, goOn: boolean): void {
    const known = this.#known.get(kind);
    if (known === undefined) return;
    clearTimeout(known.timer);
    this.#known.delete(kind);
    if (known.unsaid === 0) return;
    this.#say(known.line, known.unsaid);
    if (goOn) this.#known.set(kind, { line: known.line, unsaid: 0, timer: this.#timer(kind) });
  }
}
