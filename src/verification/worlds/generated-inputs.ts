import { escapeToken, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { resolveLocalReference } from '../../schemas/schema-walk.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { listsOf } from './lists.ts';
import { sampleSchema } from './schema-sample.ts';
import { SeededRandom } from './seeded-random.ts';
import { replacedAt } from './variations.ts';

/**
 * How an input was made: `plausible` changes values of a case's input within their shape, `sampled` comes from the
 * schema alone, `invalid` breaks the schema at one place.
 */
export type InputKind = 'plausible' | 'sampled' | 'invalid';

/** An input that no case has. */
export interface GeneratedInput {
  kind: InputKind;
  input: Json;
  /** The change, in words. */
  change: string;
  /** Whether it is invalid inside a member, not at the top: few documents mention such requests. */
  deep?: boolean;
  /** The top-level member that was removed from a known input. */
  missing?: string;
  /** Whether only members of a known input were added or removed. */
  reshaped?: boolean;
  /** Whether the change only emptied a list: an empty request rightly gets an empty answer. */
  emptied?: boolean;
}

/** How many inputs of each kind to make. */
export interface InputCounts {
  plausible: number;
  sampled: number;
  invalid: number;
}

/** Most inputs of one kind from one base: thousands of members are alike, and each input copies them all. */
const maxTried = 60;

/** Known inputs that are used as bases. */
const maxBases = 8;

type Made = Omit<GeneratedInput, 'kind'>;

function* firstOf(made: Iterable<Made>): Generator<Made> {
  let left = maxTried;
  for (const one of made) {
    if (left === 0) return;
    left -= 1;
    yield one;
  }
}

const lengthOf = (value: Json): number => JSON.stringify(value).length;

/**
 * Makes inputs from a schema and the cases' inputs, always the same for a seed. `isValid` must accept each; there may
 * be fewer than wanted if a schema allows few.
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
  // Equal values have equal lengths.
  const taken = Map.groupBy(known, lengthOf);
  const add = (kind: InputKind, made: Made): boolean => {
    if (left[kind] === 0) return false;
    const alike = taken.get(lengthOf(made.input)) ?? [];
    if (alike.some((one) => equalJson(one, made.input)) || isValid(made.input) !== (kind !== 'invalid')) return false;
    left[kind] -= 1;
    taken.set(lengthOf(made.input), [...alike, made.input]);
    found.push({ kind, ...made });
    return true;
  };
  // Makes each change to one base before it makes it to another.
  const addAll = (
    kind: InputKind,
    bases: readonly Json[],
    made: (base: Json) => Iterable<Made>,
    most: number,
  ): void => {
    const least = Math.max(0, left[kind] - most);
    const done = new Set<string>();
    for (const isRepeated of [false, true]) {
      for (const base of bases) {
        for (const one of firstOf(made(base))) {
          if (left[kind] <= least) return;
          if (done.has(one.change) === isRepeated && add(kind, one)) done.add(one.change);
        }
      }
    }
  };
  const valid = known.filter((input) => isValid(input));
  const bases = valid.slice(0, maxBases);
  addAll('plausible', bases, (base) => restructured(base, schema), Math.ceil(counts.plausible * 0.75));
  for (let tries = 0; tries < counts.plausible * 4; tries += 1) {
    const base = random.pick(valid);
    if (base === undefined) break;
    add('plausible', typeof base === 'string' ? changedText(base, random) : changedValue(base, random));
  }
  addAll('sampled', bases, (base) => completed(base, schema, valid, random), Math.ceil(counts.sampled / 2));
  addAll('sampled', valid.slice(0, 2), emptied, Math.ceil(left.sampled / 2));
  if (isObject(schema))
    for (let tries = 0; tries < counts.sampled * 3; tries += 1)
      add('sampled', { input: sampleSchema(schema, random), change: 'made from the schema' });
  const whole = [...valid, ...found.filter(({ kind }) => kind === 'sampled').map(({ input }) => input)];
  addAll('invalid', whole.slice(0, 6), (base) => broken(base, random), counts.invalid);
  return found;
}

/** A known input with each of its texts emptied in turn. */
function* emptied(base: Json): Generator<Made> {
  for (const { pointer, name, value } of leavesOf(base))
    if (typeof value === 'string') yield { input: replacedAt(base, pointer, ''), change: `${name} empty` };
}

/** Variants that a schema allows: without optional members, and with lists of other lengths. */
function* restructured(base: Json, schema: Json): Generator<Made> {
  for (const name of optionalNames(base, schema))
    if (isObject(base)) yield { input: without(base, name), change: `without ${name}`, reshaped: true };
  for (const { pointer, items } of listsOf(base)) {
    const at = pointer || 'the root';
    yield { input: replacedAt(base, pointer, []), change: `an empty list at ${at}`, reshaped: true, emptied: true };
    const repeated = [...items, ...items.slice(-1)];
    yield { input: replacedAt(base, pointer, repeated), change: `an item twice at ${at}`, reshaped: true };
    if (items.length < 2) continue;
    yield { input: replacedAt(base, pointer, items.slice(0, 1)), change: `one item at ${at}`, reshaped: true };
    yield { input: replacedAt(base, pointer, [...items].reverse()), change: `a list turned round at ${at}` };
  }
}

/**
 * Variants with a member that the schema declares and the input lacks (from another known input or sampled), with
 * `null` or every enum item where allowed, or without an optional nested member.
 */
function* completed(base: Json, schema: Json, known: readonly Json[], random: SeededRandom): Generator<Made> {
  for (const { pointer, object, properties, required } of objectsOf(base, schema, schema)) {
    for (const [name, child] of Object.entries(properties)) {
      const path = `${pointer}/${escapeToken(name)}`;
      const set = (value: Json, change: string): Made => ({
        input: replacedAt(base, pointer, { ...object, [name]: value }),
        change,
        reshaped: true,
      });
      const all = enumItems(child);
      if (all.length > 0) yield set(all, `each item there is at ${path}`);
      if (Object.hasOwn(object, name)) {
        if (object[name] !== null) yield set(null, `null at ${path}`);
        if (pointer !== '' && !required.has(name))
          yield {
            input: replacedAt(base, pointer, without(object, name)),
            change: `without ${path}`,
            reshaped: true,
          };
        continue;
      }
      const shown = pointer === '' ? known.find((one) => isObject(one) && Object.hasOwn(one, name)) : undefined;
      const value =
        isObject(shown) && shown[name] !== undefined
          ? shown[name]
          : sampleSchema(withDefinitions(child, schema), random);
      if (Array.isArray(value)) yield { ...set([], `an empty list added at ${path}`), emptied: true };
      yield set(value, `${path} added`);
      yield set(null, `null added at ${path}`);
    }
  }
}

/** The allowed items of a list, if its schema lists them. */
function enumItems(schema: Json): Json[] {
  const items = isObject(schema) && isObject(schema.items) ? schema.items.enum : undefined;
  return Array.isArray(items) && items.length <= maxEnumItems ? items : [];
}

const maxEnumItems = 20;

interface ObjectPlace {
  pointer: string;
  object: JsonObject;
  properties: JsonObject;
  required: ReadonlySet<string>;
}

/** The objects of a value with the schemas of their members; only the first of a list. */
function* objectsOf(
  value: Json,
  schema: Json | undefined,
  root: Json,
  pointer = '',
  depth = 0,
): Generator<ObjectPlace> {
  let own = schema;
  for (let hops = 0; isObject(own) && typeof own.$ref === 'string' && hops < 16; hops += 1)
    own = resolveLocalReference(root, own.$ref)?.schema;
  if (!isObject(own) || depth > maxObjectDepth) return;
  if (Array.isArray(value)) {
    if (value[0] !== undefined) yield* objectsOf(value[0], own.items, root, `${pointer}/0`, depth + 1);
    return;
  }
  if (!isObject(value) || !isObject(own.properties)) return;
  const { properties } = own;
  const required = new Set(Array.isArray(own.required) ? own.required.map(String) : Object.keys(properties));
  yield { pointer, object: value, properties, required };
  for (const [name, child] of Object.entries(properties)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member !== undefined) yield* objectsOf(member, child, root, `${pointer}/${escapeToken(name)}`, depth + 1);
  }
}

/** Deepest nesting of objects that is examined. */
const maxObjectDepth = 6;

/** A part of a schema together with the definitions it may refer to. */
function withDefinitions(part: Json, schema: Json): Json {
  if (!isObject(part) || !isObject(schema)) return part;
  const { $defs, definitions } = schema;
  return { ...part, ...($defs === undefined ? {} : { $defs }), ...(definitions === undefined ? {} : { definitions }) };
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

/** Invalid variants of a known input: each kind of fault once before any again, but every member is removed once. */
function* broken(base: Json, random: SeededRandom): Generator<Made> {
  if (isObject(base)) {
    for (const name of Object.keys(base))
      yield { input: without(base, name), change: `without ${name}`, missing: name };
    const ways = [nulls(base), otherTypes(base, random), outOfForm(base), brokenInside(base), strange(base)];
    for (let made = ways.map((way) => way.next()); made.some(({ done }) => !done); made = ways.map((way) => way.next()))
      for (const one of made) if (!one.done) yield one.value;
  }
  yield { input: {}, change: 'an empty object' };
  yield { input: [], change: 'a list', deep: true };
  yield { input: 'text', change: 'a text', deep: true };
}

function* nulls(base: JsonObject): Generator<Made> {
  const entries = Object.entries(base).filter(([, value]) => value !== null);
  // A handler that reads into it without a check throws.
  const isHolder = ([, value]: [string, Json]): boolean =>
    isObject(value) || (Array.isArray(value) && value.some((item) => isObject(item)));
  for (const [name, value] of entries.filter(isHolder)) {
    if (Array.isArray(value)) yield { input: { ...base, [name]: [...value, null] }, change: `an item of ${name} null` };
  }
  for (const [name] of [...entries.filter(isHolder), ...entries.filter((entry) => !isHolder(entry))])
    yield { input: { ...base, [name]: null }, change: `${name} null` };
}

function* otherTypes(base: JsonObject, random: SeededRandom): Generator<Made> {
  for (const [name, value] of Object.entries(base))
    yield { input: { ...base, [name]: otherType(value, random) }, change: `${name} of another type` };
}

function* outOfForm(base: JsonObject): Generator<Made> {
  for (const [name, value] of Object.entries(base)) {
    if (typeof value === 'string')
      yield { input: { ...base, [name]: `${value}?!` }, change: `${name} not of its form` };
    else if (typeof value === 'number')
      yield { input: { ...base, [name]: -Math.abs(value) - 0.5 }, change: `${name} out of range` };
    else if (Array.isArray(value) && !isObject(value[0]))
      yield {
        input: { ...base, [name]: [...value, null] },
        change: `${name} with an item of another type`,
        deep: true,
      };
  }
}

function* brokenInside(base: JsonObject): Generator<Made> {
  for (const [name, value] of Object.entries(base)) {
    if (isObject(value)) {
      for (const inner of Object.keys(value))
        yield { input: { ...base, [name]: without(value, inner) }, change: `${name} without ${inner}`, deep: true };
    } else if (Array.isArray(value) && isObject(value[0])) {
      for (const inner of Object.keys(value[0]))
        yield { input: { ...base, [name]: [without(value[0], inner)] }, change: `an item of ${name} without ${inner}` };
    }
  }
}

function* strange(base: JsonObject): Generator<Made> {
  yield { input: {}, change: 'an empty object' };
  yield { input: { ...base, unforeseen: 1 }, change: 'with a member that nobody foresaw' };
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
