import { isObject, type Json } from '../../kernel/json.ts';
import { decodedText, isEpoch, isIsoTime, type Leaf } from '../scalar-kinds.ts';
import { looksLikeData, type Vocabulary } from '../vocabulary.ts';
import { checksums } from './checked-values.ts';
import { SeededRandom } from './seeded-random.ts';

/** What a datum looks like; it decides how it is renamed and how certain a check may be about it. */
export type DatumKind = 'id' | 'name' | 'code' | 'word' | 'time' | 'number' | 'encoded';

/** A value of the cases or the tools' answers that is no public property and can be replaced by a fresh one of its shape. */
export interface Datum {
  key: string;
  value: string | number;
  kind: DatumKind;
  /** The member names it stands under. */
  names: string[];
}

/** How far a fresh value lies from the one it replaces: `far` changes all that its shape allows, `near` as little as possible. */
export type Reach = 'far' | 'near';

const DAY_MS = 86_400_000;

/** A whole number of weeks, so that days of the week and distances between dates stay. */
const SHIFT_DAYS = 364;

const ISO_TIME = String.raw`(?<![\p{L}\p{N}])\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\p{N}])`;
/** Dates and moments in ISO 8601's basic form. */
const BASIC_TIME = String.raw`(?<!\d)(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T[0-2]\d[0-5]\d(?:[0-5]\d)?Z?)?(?!\d)`;
const HEX = String.raw`(?<=#)(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?=[0-9A-F]*\d)(?=[0-9A-F]*[A-F])[0-9A-F]{8,}(?![\p{L}\p{N}])`;
const DECIMAL = String.raw`(?<![\p{L}\p{N}.])\d+\.\d+(?![\p{L}\p{N}]|\.\d)`;
const [WHOLE_BASIC_TIME, HOLDS_BASIC_TIME] = [new RegExp(`^${BASIC_TIME}$`, 'u'), new RegExp(BASIC_TIME, 'u')];
const RUN = new RegExp(
  `(?<time>${ISO_TIME}|${BASIC_TIME})|(?<hex>${HEX})|(?<decimal>${DECIMAL})|(?<digits>\\d+)|(?<letters>[\\p{L}\\p{M}]+)`,
  'gu',
);

/** Data worth renaming in some leaves: no public property, no small integers, nothing whose form has a meaning that cannot be kept. */
export function dataOf(leaves: readonly Leaf[], vocabulary: Vocabulary): Datum[] {
  const found = new Map<string, Datum>();
  const add = (value: string | number, kind: DatumKind, name: string): void => {
    const key = `${typeof value}:${value}`;
    const known = found.get(key);
    if (known) known.names.push(name);
    else found.set(key, { key, value, kind, names: [name] });
  };
  const isSpelledTwice = spelledTwice(leaves);
  for (const { value, name } of leaves) {
    if (typeof value === 'number') {
      if (isRenamableNumber(value, vocabulary)) add(value, isEpoch(value) ? 'time' : 'number', name);
    } else if (typeof value === 'string') {
      for (const segment of segmentsOf(value)) {
        const kind = kindOf(segment, vocabulary);
        if (kind && !isSpelledTwice(segment)) add(segment, kind, name);
      }
    }
  }
  return [...found.values()];
}

/** Tells of a text with few digits whether it stands elsewhere with other signs or spaces between its letters: it can only be renamed as a whole. */
function spelledTwice(leaves: readonly Leaf[]): (text: string) => boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const known = new Map<string, string>();
  const twice = new Set<string>();
  for (const { value } of leaves) {
    if (typeof value !== 'string' || value.length > maxSpelled || !/\d/.test(value)) continue;
    const [form, key] = [value.toLowerCase(), plain(value)];
    if ((known.get(key) ?? form) !== form) twice.add(key);
    known.set(key, form);
  }
  return (text) => twice.size > 0 && text.replace(/\D/g, '').length <= 2 && twice.has(plain(text));
}

/** Longer texts are no names of things. */
const maxSpelled = 40;

function isRenamableNumber(value: number, vocabulary: Vocabulary): boolean {
  if (!Number.isFinite(value) || vocabulary.hasNumber(value)) return false;
  return Number.isInteger(value) ? Math.abs(value) >= 1000 && Math.abs(value) < 2 ** 50 : Math.abs(value) > 1e-9;
}

/** The fields of a text: a short one is one field; longer ones fall apart at the marks of CSV, XML, forms and prose, and numbers beside each other at the space. */
export function segmentsOf(text: string): string[] {
  if (text.length <= 80 && !/[\n<>]/.test(text)) return rowOf(text);
  const markup = new Set(
    [...text.matchAll(/<[/?!]?([\w:.-]+)|\s([\w:.-]+)=["']/g)].flatMap(([, tag, attribute]) => [tag, attribute]),
  );
  return text
    .split(/[\n\r\t,;|<>"'=&{}[\]()]+|:\s/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !markup.has(part) && !part.startsWith('/'))
    .flatMap(rowOf);
}

/** Numbers beside each other are a row of a table, and no datum of one piece; of fields that lie at fixed places only the words can be told apart. */
function rowOf(text: string): string[] {
  if (/\S {2,}/.test(text) && /\d\p{L}|\p{L}\d/u.test(text)) return text.match(/\p{L}{4,}/gu) ?? [];
  const words = text.split(/[ \t]+/);
  const numbers = words.filter((word) => /^-?\d+(?:\.\d+)?$/.test(word));
  return numbers.length >= 2 && words.length - numbers.length <= 1 ? words : [text];
}

function kindOf(text: string, vocabulary: Vocabulary): DatumKind | undefined {
  if (text.length > 4_000 || vocabulary.hasText(text)) return undefined;
  if (isIsoTime(text) || WHOLE_BASIC_TIME.test(text)) return 'time';
  // Forms whose parts are bounded or checked: a fresh value of the same shape would often be no value at all.
  if (
    /^\d{1,2}:\d{2}|^-?P(?=[\dT])(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$|^v?\d+(?:\.\d+){2,}|^eyJ|^-?\d{1,3}(?:\.\d+)?\s?[%°\p{L}]{0,3}$/u.test(
      text,
    )
  ) {
    return /^\d{1,3}\.\d+$/.test(text) ? 'number' : undefined;
  }
  if (/^-?\d+\.\d+$/.test(text)) return 'number';
  if (decodedText(text) !== undefined) return 'encoded';
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  if (/\d/.test(text)) return /\s/.test(text) && !/\d{4}/.test(text) ? nameOf(text, vocabulary) : 'id';
  return nameOf(text, vocabulary);
}

function nameOf(text: string, vocabulary: Vocabulary): DatumKind | undefined {
  const fresh = [...text.matchAll(/[\p{L}\p{M}]+/gu)].filter(([run]) => isRenamableRun(run, vocabulary));
  if (fresh.length === 0) return undefined;
  if (/^[A-Z]{3}$/.test(text)) return 'code';
  if (/\s/.test(text.trim()) || /\p{Lu}\p{Ll}/u.test(text) || /[^\u0000-\u024f]/.test(text)) return 'name';
  return 'word';
}

function isRenamableRun(run: string, vocabulary: Vocabulary): boolean {
  const letters = [...run];
  if (letters.length < 3 && !/\p{Script=Han}/u.test(run)) return false;
  if (letters.length < 2) return false;
  return (
    !/^(?:true|false|null|yes|the|and|for|com|org|net|www|http|https|html|json|xml|csv|mailto|urn|uuid)$/i.test(run) &&
    !vocabulary.hasWord(run)
  );
}

/** Consistent fresh values: the same datum becomes the same fresh one wherever and in whatever letter case it stands. */
export class RenameMap {
  readonly #phrases = new Map<string, string>();
  readonly #runs = new Map<string, string>();
  readonly #numbers = new Map<number, number>();
  readonly #dates = new Set<string>();
  readonly #vocabulary: Vocabulary;
  /** Values with check digits that are right again: they may not change places with others of their shape. */
  readonly #checked = new Set<string>();
  /** Texts that were asked for, renamed: the worlds of a case have most of them in common. */
  readonly #known = new Map<string, string>();
  #phrasePattern: RegExp | undefined;
  /** By how much moments were moved, in milliseconds; 0 where none was. */
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

  /** Long numbers often hold check digits: whichever of the usual ones are right must be right again. */
  #addChecked(value: string, used: Set<string>, random: SeededRandom): boolean {
    const key = value.toLowerCase();
    if (this.#phrases.has(key) || this.#runs.has(key)) return true;
    const right = checksums(value);
    if (!right.includes(true)) return false;
    for (let tries = 0; tries < 1_000; tries += 1) {
      let kept = 1;
      const fresh = value.replace(/\d/g, (digit) => (kept-- > 0 ? digit : String(random.integer(0, 9))));
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

  /** Whether some of a value would be renamed. */
  changes(value: Json): boolean {
    if (typeof value === 'string') return this.text(value) !== value;
    if (typeof value === 'number') return this.number(value) !== value;
    if (Array.isArray(value)) return value.some((item) => this.changes(item));
    if (!isObject(value)) return false;
    return Object.entries(value).some(
      ([name, item]) => this.changes(item) || (!this.#vocabulary.hasName(name) && this.text(name) !== name),
    );
  }

  /** A value with its data renamed; so are member names that are data themselves. */
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
    // The digits of an id may travel as a number.
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

  /** Whether a text is certain to hold nothing that is renamed: looking for that takes much less than looking for all runs. */
  #lacksData(text: string): boolean {
    if ((this.#numbers.size > 0 || this.shiftMs !== 0) && /\d/.test(text)) return false;
    // What this letter is in small depends on what stands beside it.
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
      // All moments move together: how far they lie apart may be what counts.
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

/** The map of some data, made once for the same data, seed and reach: most worlds of a case differ in other things. `taken` belongs to the vocabulary. */
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

function isRenamableDigits(digits: string, whole: string): boolean {
  if (/\p{L}/u.test(whole) && !/\s/.test(whole)) return true;
  return /\s/.test(whole.trim()) ? digits.length >= 4 : digits.length >= 3;
}

/** In an id such as `ORD-10023` or `ORDX 100 230` the letters name its kind; the digits are enough to make it a fresh one. */
function isPrefix(run: string, whole: string): boolean {
  return run.length <= 8 && /\d{3}/.test(whole) && (!/\s/.test(whole) || /^\p{L}+ \d[\d -]{3,}$/u.test(whole));
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

const POOLS: readonly [RegExp, string][] = [
  [/\p{Script=Han}/u, '岚枫澜皓钰槿璟砚翎淞珂旻沐宸黎楠'],
  [/\p{Script=Hiragana}/u, 'さしすせそたちつてとなにぬねの'],
  [/\p{Script=Katakana}/u, 'サシスセソタチツテトナニヌネノ'],
  [/\p{Script=Hangul}/u, '가나다라마바사아자차카타파하'],
  [/\p{Script=Cyrillic}/u, 'бвгджзклмнпрстф'],
  [/\p{Script=Greek}/u, 'βγδζθκλμνξπρστφ'],
];

/** A fresh text of the same shape, in lower case where the letters allow it; none that was used before, so that short ones may have none. */
function freshOf(text: string, used: Set<string>, random: SeededRandom, reach: Reach): string | undefined {
  const chars = [...text];
  const lower = text.toLowerCase();
  const hex = /^(?=.*\d)[0-9a-f]+$/i.test(text) && /[a-f]/i.test(text);
  for (let tries = 0; tries < 300; tries += 1) {
    const fresh =
      reach === 'near' && tries < 50
        ? nearOf(chars, random, hex)
        : tries < 200
          ? farOf(chars, random, hex)
          : farthestOf(chars, random, hex);
    if (fresh.toLowerCase() !== lower && !used.has(fresh.toLowerCase())) {
      used.add(fresh.toLowerCase());
      return fresh;
    }
  }
  return undefined;
}

/** Every letter and digit another. */
function farthestOf(chars: readonly string[], random: SeededRandom, hex: boolean): string {
  return chars
    .map((char) => (/\d/.test(char) ? String(random.integer(1, 9)) : freshLetter(char, random, hex)))
    .join('');
}

function farOf(chars: readonly string[], random: SeededRandom, hex: boolean): string {
  const digits = chars.filter((char) => /\d/.test(char)).length;
  return chars
    .map((char, index) => {
      if (/\d/.test(char)) return index === 0 && chars.length > 1 && digits > 1 ? char : String(random.integer(0, 9));
      return index === 0 || (digits > 0 && !hex) ? char : freshLetter(char, random, hex);
    })
    .join('');
}

function nearOf(chars: readonly string[], random: SeededRandom, hex: boolean): string {
  const places = chars.flatMap((char, index) => (/\d/.test(char) ? [index] : []));
  const place = places.length > 0 ? random.pick(places.slice(-2)) : chars.length - 1;
  return chars
    .map((char, index) =>
      index !== place ? char : /\d/.test(char) ? String(random.integer(0, 9)) : freshLetter(char, random, hex),
    )
    .join('');
}

function freshLetter(char: string, random: SeededRandom, hex: boolean): string {
  if (/[a-z]/.test(char)) return random.pick([...(hex ? 'abcdef' : 'bcdfghjklmnpqrstvwxz')]) ?? char;
  if (/[A-Z]/.test(char)) return random.pick([...(hex ? 'ABCDEF' : 'BCDFGHJKLMNPQRSTVWXZ')]) ?? char;
  const pool = POOLS.find(([script]) => script.test(char))?.[1];
  return pool === undefined ? char : (random.pick([...pool]) ?? char);
}

/** Gives the fresh values of one shape the order of those that they replace: a list may be sorted by them. */
function keepOrder(fresh: Map<string, string>, checked: ReadonlySet<string>): void {
  const shapes = new Map<string, string[]>();
  for (const text of fresh.keys()) {
    if (checked.has(text)) continue;
    const shape = text.replace(/\d/g, '0').replace(/[a-z]/gi, 'a');
    shapes.set(shape, [...(shapes.get(shape) ?? []), text]);
  }
  for (const texts of shapes.values()) {
    const values = texts.map((text) => fresh.get(text) as string).sort();
    for (const [index, text] of texts.sort().entries()) fresh.set(text, values[index] as string);
  }
}

function withCaseOf(model: string, fresh: string): string {
  if (model === model.toLowerCase()) return fresh.toLowerCase();
  const shape = [...model];
  return [...fresh]
    .map((char, index) =>
      shape[index] !== undefined && shape[index] !== shape[index]?.toLowerCase()
        ? char.toUpperCase()
        : char.toLowerCase(),
    )
    .join('');
}

/** All runs of letters and digits that stand in some values, in lower case: what fresh values must keep clear of. */
export function runsOf(values: readonly Json[]): Set<string> {
  const runs = new Set<string>();
  for (const value of values) {
    const text = JSON.stringify(value).toLowerCase();
    for (const [run] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
      for (const part of [run, ...(run.match(/[\p{L}\p{M}]+|\d+/gu) ?? [])]) runs.add(part);
    // Short ids are renamed as wholes: none may become another one that is known.
    for (const [whole] of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:[-_.:/#][\p{L}\p{M}\p{N}]+)+/gu)) runs.add(whole);
  }
  return runs;
}

/** Whether a datum is distinctive: that it stands in an answer by chance is out of the question. */
export function isDistinctive({ kind, value }: Datum): boolean {
  if (kind === 'word') return false;
  if (kind === 'number') return typeof value === 'number' ? !Number.isInteger(value) || Math.abs(value) >= 1000 : true;
  return kind !== 'id' || (typeof value === 'string' && (value.length >= 3 || looksLikeData(value)));
}
