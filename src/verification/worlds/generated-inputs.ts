import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { listsOf } from './lists.ts';
import { sampleSchema } from './schema-sample.ts';
import { SeededRandom } from './seeded-random.ts';
import { replacedAt } from './variations.ts';

/**
 * How an input came about: `plausible` is a case's own with values of the same shape changed, `sampled` comes from the schema alone,
 * `invalid` breaks the schema in one place.
 */
export type InputKind = 'plausible' | 'sampled' | 'invalid';

/** An input that no case has. */
export interface GeneratedInput {
  kind: InputKind;
  input: Json;
  /** What was done to get it, in words. */
  change: string;
  /** Whether it is broken inside a member rather than at the top: few documents speak of such requests. */
  deep?: boolean;
  /** The member that was taken from the top of a known input. */
  missing?: string;
}

/** How many inputs of each kind are wanted. */
export interface InputCounts {
  plausible: number;
  sampled: number;
  invalid: number;
}

/** Inputs of one kind that are made of one base at most: thousands of members are alike, and each input is a copy of them all. */
const maxTried = 60;

const lengthOf = (value: Json): number => JSON.stringify(value).length;

/**
 * Makes inputs out of a schema and the cases' own inputs: always the same for the same seed. `isValid` has the last word on each; there
 * may be fewer than wanted where a schema leaves no room.
 */
export function generateInputs(
  schema: Json,
  known: readonly Json[],
  isValid: (value: Json) => boolean,
  seed: string,
  counts: InputCounts,
): GeneratedInput[] {
  const random = new SeededRandom(seed);
  const found: GeneratedInput[] = [];
  const left = { ...counts };
  // What is equal is equally long.
  const taken = Map.groupBy(known, lengthOf);
  const add = (kind: InputKind, input: Json, change: string, deep = false, missing?: string): void => {
    if (left[kind] === 0) return;
    const alike = taken.get(lengthOf(input)) ?? [];
    if (alike.some((one) => equalJson(one, input)) || isValid(input) !== (kind !== 'invalid')) return;
    left[kind] -= 1;
    taken.set(lengthOf(input), [...alike, input]);
    found.push({ kind, input, change, ...(deep ? { deep } : {}), ...(missing === undefined ? {} : { missing }) });
  };
  const addAll = (kind: InputKind, made: Iterator<Omit<GeneratedInput, 'kind'>>): void => {
    for (let tries = 0; tries < maxTried && left[kind] > 0; tries += 1) {
      const next = made.next();
      if (next.done) return;
      const { input, change, deep, missing } = next.value;
      add(kind, input, change, deep, missing);
    }
  };
  const valid = known.filter((input) => isValid(input));
  for (const base of valid.slice(0, 4)) addAll('plausible', restructured(base, schema));
  for (let tries = 0; tries < counts.plausible * 4; tries += 1) {
    const base = random.pick(valid);
    if (base === undefined) break;
    const { input, change } = typeof base === 'string' ? changedText(base, random) : changedValue(base, random);
    add('plausible', input, change);
  }
  for (const base of valid.slice(0, 2)) addAll('sampled', emptied(base));
  if (isObject(schema))
    for (let tries = 0; tries < counts.sampled * 3; tries += 1)
      add('sampled', sampleSchema(schema, random), 'made from the schema');
  const bases = [...valid, ...found.filter(({ kind }) => kind === 'sampled').map(({ input }) => input)];
  for (const base of bases.slice(0, 6)) addAll('invalid', broken(base, random));
  return found;
}

/** A known input with an empty text in place of each of its own. */
function* emptied(base: Json): Generator<{ input: Json; change: string }> {
  for (const { pointer, name, value } of leavesOf(base))
    if (typeof value === 'string') yield { input: replacedAt(base, pointer, ''), change: `${name} empty` };
}

/** What a schema leaves open in a known input: members that may be left out, and lists of other lengths. */
function* restructured(base: Json, schema: Json): Generator<{ input: Json; change: string }> {
  for (const name of optionalNames(base, schema))
    if (isObject(base)) yield { input: without(base, name), change: `without ${name}` };
  for (const { pointer, items } of listsOf(base)) {
    for (const next of [[], items.slice(0, 1), [...items, ...items.slice(-1)], [...items].reverse()]) {
      yield { input: replacedAt(base, pointer, next), change: `a list of ${next.length} at ${pointer || 'the root'}` };
    }
  }
}

function changedValue(base: Json, random: SeededRandom): { input: Json; change: string } {
  const leaves = leavesOf(base).filter(({ value }) => value !== null);
  const leaf = random.pick(leaves);
  if (!leaf) return { input: base, change: 'nothing' };
  const { pointer, value } = leaf;
  const next: Json =
    typeof value === 'boolean'
      ? !value
      : typeof value === 'number'
        ? (random.pick([
            value + 1,
            value - 1,
            value * 2,
            0,
            1,
            Number.isInteger(value) ? value + 7 : Number((value * 1.5).toFixed(2)),
          ]) ?? 1)
        : shapedText(String(value), random);
  return { input: replacedAt(base, pointer, next), change: `another value at ${pointer || 'the root'}` };
}

function shapedText(text: string, random: SeededRandom): string {
  if (/^\d{4}-\d\d-\d\d/.test(text))
    return `20${random.integer(20, 29)}-0${random.integer(1, 9)}-1${random.integer(0, 9)}${text.slice(10)}`;
  return text
    .replace(/(?<=\d)\d|\d(?=\d)|\d$/g, () => String(random.integer(0, 9)))
    .replace(/(?<=[a-z])[a-z]/g, (char) => (random.chance(0.4) ? (random.pick([...'bcdfgklmnprst']) ?? char) : char));
}

function changedText(base: string, random: SeededRandom): { input: Json; change: string } {
  const lines = base.split('\n');
  const next =
    random.pick([
      shapedText(base, random),
      lines.length > 2 ? [...lines.slice(0, -1), ...lines.slice(-2)].join('\n') : shapedText(base, random),
      base.replace(/\d+/g, (digits) => String(Number(digits) + 1)),
    ]) ?? base;
  return { input: next, change: 'another text of the same form' };
}

function* broken(base: Json, random: SeededRandom): Generator<Omit<GeneratedInput, 'kind'>> {
  if (isObject(base)) {
    for (const name of Object.keys(base))
      yield { input: without(base, name), change: `without ${name}`, missing: name };
    for (const [name, value] of Object.entries(base))
      yield { input: { ...base, [name]: otherType(value, random) }, change: `${name} of another type` };
    for (const [name, value] of Object.entries(base)) {
      if (typeof value === 'string')
        yield { input: { ...base, [name]: `${value}?!` }, change: `${name} not of its form` };
      else if (typeof value === 'number')
        yield { input: { ...base, [name]: -Math.abs(value) - 0.5 }, change: `${name} out of range` };
      else if (Array.isArray(value))
        yield {
          input: { ...base, [name]: [...value, null] },
          change: `${name} with an item of another type`,
          deep: true,
        };
      else if (isObject(value)) {
        for (const inner of Object.keys(value))
          yield { input: { ...base, [name]: without(value, inner) }, change: `${name} without ${inner}`, deep: true };
      }
    }
    for (const [name, value] of Object.entries(base)) {
      if (value !== null) yield { input: { ...base, [name]: null }, change: `${name} null` };
      if (Array.isArray(value) && isObject(value[0])) {
        for (const inner of Object.keys(value[0]))
          yield {
            input: { ...base, [name]: [without(value[0], inner)] },
            change: `an item of ${name} without ${inner}`,
          };
      }
    }
    yield { input: { ...base, unforeseen: 1 }, change: 'with a member that nobody foresaw' };
  }
  yield { input: {}, change: 'an empty object' };
  yield { input: [], change: 'a list', deep: true };
  yield { input: 'text', change: 'a text', deep: true };
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object;
  return rest;
}

function otherType(value: Json, random: SeededRandom): Json {
  if (typeof value === 'string') return random.pick<Json>([17, true, ['x']]) ?? 17;
  if (typeof value === 'number') return 'seven';
  if (typeof value === 'boolean') return 'yes';
  return 'text';
}

function optionalNames(base: Json, schema: Json): string[] {
  if (!isObject(base)) return [];
  const required = new Set(
    isObject(schema) && Array.isArray(schema.required) ? schema.required.map(String) : Object.keys(base),
  );
  return Object.keys(base).filter((name) => !required.has(name));
}
