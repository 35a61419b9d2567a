import { isObject, type Json } from '../../kernel/json.ts';
import { decodedText, isEpoch } from '../scalar-kinds.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { checksums } from './checked-values.ts';
import type { Datum } from './datum.ts';
import { freshOf, keepOrder, type Reach, withCaseOf } from './fresh-text.ts';
import { SeededRandom } from './seeded-random.ts';
import { HOLDS_BASIC_TIME, isPrefix, isRenamableDigits, isRenamableRun, RUN } from './text-runs.ts';

const DAY_MS = 86_400_000;

/** A whole number of weeks: weekdays and distances between dates stay the same. */
const SHIFT_DAYS = 364;

/** Replaces data by fresh values, consistently: the same datum always becomes the same value, in any letter case. */
export class RenameMap {
  readonly #phrases = new Map<string, string>();
  readonly #runs = new Map<string, string>();
  readonly #numbers = new Map<number, number>();
  readonly #dates = new Set<string>();
  readonly #vocabulary: Vocabulary;
  /** Values with valid check digits: `keepOrder` must not move them. */
  readonly #checked = new Set<string>();
  /** Cache of renamed texts: the worlds of a case share most of them. */
  readonly #known = new Map<string, string>();
  #phrasePattern: RegExp | undefined;
  /** The shift of all times, in milliseconds; 0 if there is none. */
  shiftMs = 0;

  constructor(
    data: readonly Datum[],
    vocabulary: Vocabulary,
    taken: ReadonlySet<string>,
    random: SeededRandom,
    reach: Reach,
  ) {
    this.#vocabulary = vocabulary;
    const used = new Set(taken);
    const scale = reach === 'far' ? 1.07 + random.next() * 0.11 : 1.013 + random.next() * 0.004;
    for (const datum of data) this.#add(datum, used, random, reach, scale);
    for (const fresh of [this.#phrases, this.#runs]) keepOrder(fresh, this.#checked);
    for (const { value, kind } of data) if (kind === 'encoded') this.#encode(String(value));
    if (this.#phrases.size > 0) {
      const alternatives = [...this.#phrases.keys()]
        .sort((a, b) => b.length - a.length)
        .map((text) => RegExp.escape(text));
      this.#phrasePattern = new RegExp(`(?<![a-z0-9])(?:${alternatives.join('|')})(?![a-z0-9])`, 'giu');
    }
  }

  get size(): number {
    return this.#phrases.size + this.#runs.size + this.#numbers.size + this.#dates.size;
  }

  #add({ value, kind }: Datum, used: Set<string>, random: SeededRandom, reach: Reach, scale: number): void {
    if (typeof value === 'number') {
      if (kind === 'time') this.#shift(value);
      else if (!this.#numbers.has(value)) this.#numbers.set(value, scaled(value, scale));
      return;
    }
    if (kind === 'time') {
      this.#dates.add(value);
      this.shiftMs = SHIFT_DAYS * DAY_MS;
      return;
    }
    if (kind === 'encoded') {
      const inner = decodedText(value) ?? '';
      for (const match of inner.matchAll(RUN)) this.#addRun(match, inner, used, random, reach);
      return;
    }
    const digits = value.replace(/\D/g, '').length;
    const short = kind === 'id' && !/\s/.test(value) && digits <= 2 && /\p{L}/u.test(value);
    if (short || /^\p{Script=Han}/u.test(value)) {
      if (this.#phrases.has(value.toLowerCase())) return;
      const fresh = freshOf(value, used, random, reach);
      if (fresh !== undefined) this.#phrases.set(value.toLowerCase(), fresh);
      return;
    }
    if (digits >= 8 && !HOLDS_BASIC_TIME.test(value) && this.#addChecked(value, used, random)) return;
    for (const match of value.matchAll(RUN)) this.#addRun(match, value, used, random, reach, scale);
  }

  #encode(value: string): void {
    const inner = decodedText(value) ?? '';
    const renamed = this.#renameRuns(inner);
    if (renamed !== inner) this.#phrases.set(value.toLowerCase(), Buffer.from(renamed).toString('base64'));
  }

  #shift(value: number): void {
    this.#numbers.set(value, value + (value >= 1e12 ? 1 : 0.001) * SHIFT_DAYS * DAY_MS);
    this.shiftMs = SHIFT_DAYS * DAY_MS;
  }

  #addRun(
    match: RegExpMatchArray,
    whole: string,
    used: Set<string>,
    random: SeededRandom,
    reach: Reach,
    scale = 1.11,
  ): void {
    const { time, hex, decimal, digits, letters } = match.groups ?? {};
    if (time !== undefined) {
      if (!time.includes('-') && this.#vocabulary.hasText(time)) return;
      this.#dates.add(time);
      this.shiftMs = SHIFT_DAYS * DAY_MS;
      return;
    }
    if (decimal !== undefined) {
      const value = Number(decimal);
      if (!this.#numbers.has(value) && !this.#vocabulary.hasNumber(value))
        this.#numbers.set(value, scaled(value, scale, decimal.length - decimal.indexOf('.') - 1));
      return;
    }
    const run = hex ?? digits ?? letters ?? '';
    if (this.#runs.has(run.toLowerCase())) return;
    const renamable =
      hex !== undefined ||
      (digits !== undefined
        ? isRenamableDigits(digits, whole) && !this.#vocabulary.hasText(digits)
        : isRenamableRun(run, this.#vocabulary) && !isPrefix(run, whole));
    const fresh = renamable ? freshOf(run.toLowerCase(), used, random, reach) : undefined;
    if (fresh !== undefined) this.#runs.set(run.toLowerCase(), fresh);
  }

  /** Long numbers often have check digits: the fresh value must pass every common scheme that the original passes. */
  #addChecked(value: string, used: Set<string>, random: SeededRandom): boolean {
    const key = value.toLowerCase();
    if (this.#phrases.has(key) || this.#runs.has(key)) return true;
    const right = checksums(value);
    if (!right.includes(true)) return false;
    for (let tries = 0; tries < 1_000; tries += 1) {
      let leading = 1;
      const fresh = value.replace(/\d/g, (digit) => (leading-- > 0 ? digit : String(random.integer(0, 9))));
      const got = checksums(fresh);
      if (used.has(fresh.toLowerCase()) || !right.every((is, index) => !is || got[index] === true)) continue;
      used.add(fresh.toLowerCase());
      this.#checked.add(key);
      if (/^\d+$/.test(value)) this.#runs.set(key, fresh);
      else this.#phrases.set(key, fresh);
      return true;
    }
    return false;
  }

  /** Whether renaming changes a value. */
  changes(value: Json): boolean {
    if (typeof value === 'string') return this.text(value) !== value;
    if (typeof value === 'number') return this.number(value) !== value;
    if (Array.isArray(value)) return value.some((item) => this.changes(item));
    if (!isObject(value)) return false;
    return Object.entries(value).some(
      ([name, item]) => this.changes(item) || (!this.#vocabulary.hasName(name) && this.text(name) !== name),
    );
  }

  /** The value with its data renamed, including member names that are data. */
  json(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.number(value);
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        this.#vocabulary.hasName(name) ? name : this.text(name),
        this.json(item),
      ]),
    );
  }

  number(value: number): number {
    // The digits of an id may also occur as a number.
    if (Number.isInteger(value) && value >= 100) {
      const run = this.#runs.get(String(value));
      if (run !== undefined && !run.startsWith('0')) return Number(run);
    }
    const fresh = this.#numbers.get(value);
    if (fresh !== undefined) return fresh;
    return isEpoch(value) && this.shiftMs !== 0 ? value + (value >= 1e12 ? 1 : 0.001) * this.shiftMs : value;
  }

  text(text: string): string {
    let renamed = this.#known.get(text);
    if (renamed === undefined) {
      renamed = this.#lacksData(text) ? text : this.#renamed(text);
      this.#known.set(text, renamed);
    }
    return renamed;
  }

  /** Whether a text certainly contains no data; much cheaper than matching all runs. */
  #lacksData(text: string): boolean {
    if ((this.#numbers.size > 0 || this.shiftMs !== 0) && /\d/.test(text)) return false;
    // The lower case of this letter depends on its neighbours.
    if (text.includes('Σ')) return false;
    const lower = text.toLowerCase();
    for (const run of this.#runs.keys()) if (lower.includes(run)) return false;
    for (const phrase of this.#phrases.keys()) if (lower.includes(phrase)) return false;
    return true;
  }

  #renamed(text: string): string {
    const pattern = this.#phrasePattern;
    if (!pattern) return this.#renameRuns(text);
    let renamed = '';
    let at = 0;
    for (const match of text.matchAll(pattern)) {
      const fresh = this.#phrases.get(match[0].toLowerCase()) ?? match[0];
      renamed +=
        this.#renameRuns(text.slice(at, match.index)) +
        (fresh.length === match[0].length && decodedText(match[0]) === undefined ? withCaseOf(match[0], fresh) : fresh);
      at = match.index + match[0].length;
    }
    return renamed + this.#renameRuns(text.slice(at));
  }

  #renameRuns(text: string): string {
    return text.replace(RUN, (run: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      // All times shift together: their distances may matter.
      if (groups.time !== undefined) return this.shiftMs !== 0 ? shiftedTime(run, this.shiftMs) : run;
      if (groups.decimal !== undefined) {
        const fresh = this.#numbers.get(Number(run));
        return fresh === undefined ? run : fresh.toFixed(run.length - run.indexOf('.') - 1);
      }
      const fresh = this.#runs.get(run.toLowerCase());
      if (fresh !== undefined) return withCaseOf(run, fresh);
      const number =
        groups.digits !== undefined && run.length >= 4 && !run.startsWith('0')
          ? this.#numbers.get(Number(run))
          : undefined;
      return number === undefined ? run : String(number);
    });
  }
}

const known = new WeakMap<Vocabulary, Map<string, RenameMap>>();

/**
 * The rename map of some data, cached by data, seed and reach: most worlds of a case differ in other things. `taken`
 * must always be the same for a vocabulary.
 */
export function renameMapOf(
  data: readonly Datum[],
  vocabulary: Vocabulary,
  taken: ReadonlySet<string>,
  seed: string,
  reach: Reach,
): RenameMap {
  const maps = known.get(vocabulary) ?? new Map<string, RenameMap>();
  known.set(vocabulary, maps);
  const key = JSON.stringify([seed, reach, data.map(({ key: datum, kind }) => [datum, kind])]);
  const map = maps.get(key) ?? new RenameMap(data, vocabulary, taken, new SeededRandom(seed), reach);
  maps.set(key, map);
  return map;
}

function scaled(value: number, scale: number, places = decimalsOf(value)): number {
  const fresh = Number((value * scale).toFixed(places));
  return fresh === value ? Number((value + 10 ** -places).toFixed(places)) : fresh;
}

function decimalsOf(value: number): number {
  const text = String(value);
  const dot = text.indexOf('.');
  return dot < 0 || text.includes('e') ? (text.includes('e') ? 12 : 0) : Math.min(12, text.length - dot - 1);
}

function shiftedTime(text: string, shiftMs: number): string {
  if (!text.includes('-')) {
    const dashed = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
    return shiftedTime(dashed, shiftMs).replaceAll('-', '') + text.slice(8);
  }
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(day) ? text : new Date(day + shiftMs).toISOString().slice(0, 10) + text.slice(10);
}
