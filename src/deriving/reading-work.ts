import type { ReadingReport } from '../contract/outcome.ts';
import type { Confirmation, DerivedCase, KeptReading, ReadingMode } from '../contract/reading.ts';
import { canonicalDigest } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import type { Unit } from '../readings/units.ts';

/** Most questions of a reader that a report has, and characters of each. */
const maxQuestions = 20;
const maxQuestionCharacters = 300;

/** Names a world with what is expected in it. */
export function worldKey({ base, request, tools, peer, expect }: DerivedCase): string {
  return canonicalDigest(JSON.parse(JSON.stringify({ base, request, tools, peer, expect })) as Json);
}

/** The reading of one job: on its way, or there. Its derived cases can be used as they come in. */
export class ReadingWork {
  readonly mode: ReadingMode;
  readonly units: readonly Unit[];
  /** Resolves once nothing more comes. */
  readonly settled: Promise<void>;
  #live: () => KeptReading;
  #isSettled = false;
  #fault: string | undefined;
  readonly #confirmed = new Map<string, DerivedCase & { confirmation: Confirmation }>();
  readonly #save: (kept: KeptReading) => Promise<void>;
  readonly #agreed = new Set<string>();
  readonly #contested = new Set<string>();

  /**
   * `obtain` shows what there is while it reads, and resolves to all of it; `save` keeps a whole one for others, with
   * what second readers said.
   */
  constructor(
    mode: ReadingMode,
    units: readonly Unit[],
    obtain: (show: (live: () => KeptReading) => void) => Promise<KeptReading>,
    save: (kept: KeptReading) => Promise<void> = async () => undefined,
  ) {
    this.mode = mode;
    this.#save = save;
    this.units = units;
    this.#live = () => emptyReading(units.length);
    this.settled = obtain((live) => {
      this.#live = live;
    }).then(
      (kept) => this.#decide(kept),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Whether nothing more comes. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** What there is now. */
  current(): KeptReading {
    return this.#live();
  }

  /** What a second reader said of a world. */
  confirmationOf(entry: DerivedCase): Confirmation | undefined {
    return entry.confirmation ?? this.#confirmed.get(worldKey(entry))?.confirmation;
  }

  /** Keeps what a second reader said of a world; a derived case that was made of others becomes one of its own. */
  keep(entry: DerivedCase, confirmation: Confirmation): void {
    this.#confirmed.set(worldKey(entry), { ...entry, confirmation });
  }

  /** Keeps for others what second readers said. */
  async save(): Promise<void> {
    if (this.current().complete) await this.#save(this.kept());
  }

  /** Notes whether a second reading bore out what a derived case wants. */
  note(entry: DerivedCase, isAgreed: boolean): void {
    (isAgreed ? this.#agreed : this.#contested).add(worldKey(entry));
  }

  /** The reading with all that second readers said, as it is stored. */
  kept(): KeptReading {
    const kept = this.current();
    if (this.#confirmed.size === 0) return kept;
    const known = new Set(kept.reading.derived.map(worldKey));
    const derived = kept.reading.derived.map((entry) => this.#confirmed.get(worldKey(entry)) ?? entry);
    const made = [...this.#confirmed].flatMap(([key, entry]) => (known.has(key) ? [] : [entry]));
    return { ...kept, reading: { ...kept.reading, derived: [...derived, ...made] } };
  }

  /** What a report says of it; `isWhole` = all of it was run, and what broke was put to a second reader. */
  report(isWhole: boolean): ReadingReport {
    const { reading, units, covered, dropped, complete } = this.current();
    const isComplete = complete && isWhole;
    const hasAny = reading.derived.length > 0 || covered > 0;
    return {
      state: this.mode === 'off' ? 'off' : isComplete ? 'complete' : this.#isSettled && !hasAny ? 'failed' : 'partial',
      complete: isComplete,
      reader: hasAny ? reading.reader.name : null,
      units,
      covered,
      derived: reading.derived.length,
      dropped,
      confirmed: this.#agreed.size,
      contested: this.#contested.size,
      questions: this.#questions(reading.units.flatMap(({ unit, none }) => (none === 'unclear' ? [unit] : []))),
      ...(this.#fault === undefined ? {} : { fault: this.#fault }),
    };
  }

  #questions(numbers: readonly number[]): ReadingReport['questions'] {
    return numbers.slice(0, maxQuestions).flatMap((unit) => {
      const text = this.units[unit - 1]?.text.slice(0, maxQuestionCharacters);
      return text === undefined ? [] : [{ unit, text }];
    });
  }

  #decide(kept: KeptReading): void {
    this.#live = () => kept;
    this.#isSettled = true;
  }

  #fail(error: unknown): void {
    this.#isSettled = true;
    this.#fault = error instanceof Error ? error.message.slice(0, 500) : 'an unknown fault';
  }
}

/** A reading of nothing. */
export function emptyReading(units: number): KeptReading {
  const reading = { version: 1, reader: { kind: 'model', name: 'none' }, derived: [], units: [] } as const;
  return {
    reading: { ...reading, derived: [], units: [] },
    promptVersion: '',
    units,
    covered: 0,
    dropped: {},
    complete: false,
  };
}
