import type { ReadingReport } from '../contract/outcome.ts';
import type { Confirmation, DerivedCase, KeptReading, ReadingMode } from '../contract/reading.ts';
import { canonicalDigest } from '../kernel/digest.ts';
import type { Json } from '../kernel/json.ts';
import type { Unit } from '../readings/units.ts';

/** Most unclear sentences in a report, and most characters of each. */
const maxQuestions = 20;
const maxQuestionCharacters = 300;

/** Identifies a world and its expectations. */
function worldKey({ base, request, tools, peer, expect }: DerivedCase): string {
  return canonicalDigest(JSON.parse(JSON.stringify({ base, request, tools, peer, expect })) as Json);
}

/** The reading of one job, complete or still in progress. Its derived cases can be used as they arrive. */
export class ReadingWork {
  readonly mode: ReadingMode;
  readonly units: readonly Unit[];
  /** Resolves when no more entries will come. */
  readonly settled: Promise<void>;
  #live: () => KeptReading;
  #isSettled = false;
  #fault: string | undefined;
  readonly #confirmed = new Map<string, DerivedCase & { confirmation: Confirmation }>();
  readonly #save: (kept: KeptReading) => Promise<void>;
  readonly #upheld = new Set<string>();
  readonly #contested = new Set<string>();

  /**
   * `obtain` passes `show` the reading so far while it reads, and resolves to the whole. `save` stores a complete
   * reading for other jobs, with the answers of second readers.
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
      (kept) => this.#finish(kept),
      (error: unknown) => this.#fail(error),
    );
  }

  /** Whether no more entries will come. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** The reading so far. */
  current(): KeptReading {
    return this.#live();
  }

  /** A second reader's answer about a world. */
  confirmationOf(entry: DerivedCase): Confirmation | undefined {
    return entry.confirmation ?? this.#confirmed.get(worldKey(entry))?.confirmation;
  }

  /**
   * Keeps a second reader's answer about a world. A derived case that was made from others becomes an entry of its own.
   */
  keep(entry: DerivedCase, confirmation: Confirmation): void {
    this.#confirmed.set(worldKey(entry), { ...entry, confirmation });
  }

  /** Stores the reading for other jobs, with the answers of second readers. */
  async save(): Promise<void> {
    if (this.current().complete) await this.#save(this.kept());
  }

  /** Records whether a second reading confirmed a derived case. Returns whether that was not known before. */
  note(entry: DerivedCase, isUpheld: boolean): boolean {
    const known = isUpheld ? this.#upheld : this.#contested;
    const before = known.size;
    return known.add(worldKey(entry)).size > before;
  }

  /** The reading with all answers of second readers, as it is stored. */
  kept(): KeptReading {
    const kept = this.current();
    if (this.#confirmed.size === 0) return kept;
    const known = new Set(kept.reading.derived.map(worldKey));
    const derived = kept.reading.derived.map((entry) => this.#confirmed.get(worldKey(entry)) ?? entry);
    const made = [...this.#confirmed].flatMap(([key, entry]) => (known.has(key) ? [] : [entry]));
    return { ...kept, reading: { ...kept.reading, derived: [...derived, ...made] } };
  }

  /** The reading in a report; `isWhole` = all of it was run, and a second reader answered for all that broke. */
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
      confirmed: this.#upheld.size,
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

  #finish(kept: KeptReading): void {
    this.#live = () => kept;
    this.#isSettled = true;
  }

  #fail(error: unknown): void {
    this.#isSettled = true;
    this.#fault = error instanceof Error ? error.message.slice(0, 500) : 'an unknown fault';
  }
}

/** A reading without entries. */
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
