import type { DerivedCase, Reader, Reading, SilentUnit } from '../contract/reading.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { runnableCases } from '../verification/case-scenarios.ts';
import { asRead } from '../verification/hidden-words.ts';
import { isReadOnly, type Subject } from '../verification/subject.ts';
import { type Dropped, loadEntry, loadSilentUnit } from './load-reading.ts';
import { type Unit, unitsOfSubject } from './units.ts';
import { dropReasonOf } from './validity.ts';
import { storedEntry } from './wire-entry.ts';

/** Most derived cases of one reading: each costs a run of every candidate. */
const maxDerived = 200;

/** Collects the entries of a reader's answer one by one, and drops those that are not valid for an agreement. */
export class ReadingCollector {
  readonly units: readonly Unit[];
  readonly derived: DerivedCase[] = [];
  readonly dropped: Dropped[] = [];
  readonly #silent = new Map<number, SilentUnit>();
  readonly #covered = new Set<number>();
  readonly #subject: Subject;
  readonly #ids = new Set<string | number>();
  readonly #writingTools: readonly string[];
  #entries = 0;
  #waitMs: number | undefined;

  constructor(subject: Subject) {
    this.#subject = asRead(subject);
    this.#writingTools = subject.tools.flatMap(({ name }) => (isReadOnly(subject, name) ? [] : [name]));
    this.units = unitsOfSubject(this.#subject);
    for (const { testCase } of runnableCases(this.#subject)) this.#ids.add(testCase);
  }

  /** The units that a derived case names, or that yield none. */
  get coveredUnits(): ReadonlySet<number> {
    return new Set([...this.#covered, ...this.#silent.keys()]);
  }

  /** The number of these units. */
  get covered(): number {
    return this.coveredUnits.size;
  }

  /** Adds one object of a reader's answer. */
  add(value: Json): void {
    if (!isObject(value)) return;
    if (typeof value.waitMs === 'number' && value.waitMs >= 1) this.#waitMs = Math.round(value.waitMs);
    if (value.none !== undefined) this.#addSilent(value);
    else if (value.of !== undefined || value.quote !== undefined) this.#addEntry(value);
  }

  /** The reading so far. */
  reading(reader: Reader): Reading {
    return {
      version: 1,
      reader,
      derived: this.derived,
      units: [...this.#silent.values()].toSorted((one, other) => one.unit - other.unit),
      ...(this.#waitMs === undefined ? {} : { waitMs: this.#waitMs }),
    };
  }

  #addSilent({ unit, units, none }: JsonObject): void {
    const numbers = [...(Array.isArray(units) ? units : []), ...(unit === undefined ? [] : [unit])];
    for (const one of numbers) {
      const silent = loadSilentUnit({ unit: one, none: none as Json });
      if (silent !== undefined && silent.unit <= this.units.length) this.#silent.set(silent.unit, silent);
    }
  }

  #addEntry(line: JsonObject): void {
    const place = this.#entries;
    this.#entries += 1;
    const inputOf = (testCase: number) => runnableCases(this.#subject).find((one) => one.testCase === testCase)?.input;
    const entry = loadEntry(storedEntry(line, inputOf, this.#writingTools), this.units);
    const reason = typeof entry === 'string' ? entry : this.#dropReason(entry);
    if (typeof entry === 'string' || reason !== undefined || this.derived.length >= maxDerived) {
      this.dropped.push({ entry: place, reason: reason ?? 'form' });
      return;
    }
    if (entry.id !== undefined) this.#ids.add(entry.id);
    for (const number of entry.of ?? []) this.#covered.add(number);
    this.derived.push(entry);
  }

  #dropReason(entry: DerivedCase): Dropped['reason'] | undefined {
    if (entry.id !== undefined && this.#ids.has(entry.id)) return 'duplicate';
    const { alike } = entry.expect;
    if (alike !== undefined && !this.#ids.has(alike.to)) return 'alike';
    return dropReasonOf(entry, this.#subject);
  }
}
