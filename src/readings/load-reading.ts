import type {
  DerivedCase,
  DropReason,
  Expectation,
  OrderExpectation,
  Reader,
  Reading,
  SilentUnit,
} from '../contract/reading.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import readingSchema from './reading.schema.json' with { type: 'json' };
import type { Unit } from './units.ts';

/** A dropped entry: its index in the reading and the reason. */
export interface Dropped {
  entry: number;
  reason: DropReason;
}

/** A reading with its valid entries, and the entries that were dropped. */
export interface Loaded {
  reading: Reading;
  dropped: Dropped[];
}

/** A definition of the published schema, with everything it refers to. */
function partOf(name: 'derivedCase' | 'silentUnit'): Json {
  return { $ref: `#/$defs/${name}`, $defs: readingSchema.$defs } as unknown as Json;
}

const parts = { derivedCase: partOf('derivedCase'), silentUnit: partOf('silentUnit') };

/** Whether a value is valid by a definition of the published schema. */
function isPart(name: keyof typeof parts, value: Json): boolean {
  const validator = validatorOf(parts[name]);
  return validator.ok && validator.allows(value);
}

/**
 * Loads one derived case of a reader: adds the text of its units and converts older forms. Returns the reason
 * if it must be dropped.
 */
export function loadEntry(value: Json, units: readonly Unit[]): DerivedCase | DropReason {
  if (!isPart('derivedCase', value)) return 'form';
  const { of, quote, expect, ...entry } = value as unknown as DerivedCase;
  const words = of?.map((number) => units.find((unit) => unit.number === number)?.text);
  // A stored entry contains the text, because units may be numbered differently later.
  if (quote === undefined && words?.includes(undefined) === true) return 'quote';
  const text = quote ?? words?.join(' … ') ?? '';
  return { ...(of === undefined ? {} : { of }), quote: text, ...entry, expect: expectationOf(expect) };
}

/** Loads a reader's statement that a unit yields no derived case; `undefined` if the value is not one. */
export function loadSilentUnit(value: Json): SilentUnit | undefined {
  return isPart('silentUnit', value) ? (value as unknown as SilentUnit) : undefined;
}

/** Loads a stored reading. A value that is not one becomes an empty reading. */
export function loadReading(value: Json, units: readonly Unit[] = []): Loaded {
  const file: JsonObject = isObject(value) ? value : {};
  const derived: DerivedCase[] = [];
  const dropped: Dropped[] = [];
  const ids = new Set<string>();
  for (const [index, each] of listOf(file.derived).entries()) {
    const entry = loadEntry(each, units);
    if (typeof entry === 'string') dropped.push({ entry: index, reason: entry });
    else if (entry.id !== undefined && ids.has(entry.id)) dropped.push({ entry: index, reason: 'duplicate' });
    else derived.push(entry);
    if (typeof entry !== 'string' && entry.id !== undefined) ids.add(entry.id);
  }
  const silent = listOf(file.units).flatMap((one) => loadSilentUnit(one) ?? []);
  const { waitMs } = file;
  const reading: Reading = {
    version: 1,
    reader: readerOf(file.reader),
    derived,
    units: silent,
    ...(typeof waitMs === 'number' && Number.isInteger(waitMs) && waitMs > 0 ? { waitMs } : {}),
  };
  return { reading, dropped };
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function readerOf(value: Json | undefined): Reader {
  if (isObject(value) && typeof value.name === 'string' && (value.kind === 'model' || value.kind === 'recorded'))
    return { kind: value.kind, name: value.name };
  return { kind: 'recorded', name: 'unknown' };
}

/** An expectation in the current form: a single `sends` becomes a list, and `before` of a call an order. */
function expectationOf(written: Expectation): Expectation {
  const { sends, calls, order, anyOf, ...others } = written as unknown as JsonObject;
  const callList = Array.isArray(calls) ? (calls as JsonObject[]) : [];
  const orders = callList.flatMap((call): Json[] =>
    call.before === undefined ? [] : [[call.tool as Json, call.before]],
  );
  const counted = callList.map(({ before: _, ...call }) => call).filter((call) => Object.keys(call).length > 1);
  const allOrders = [...listOf(order), ...orders] as unknown as OrderExpectation[];
  return {
    ...(others as Expectation),
    ...(counted.length === 0 ? {} : { calls: counted as unknown as NonNullable<Expectation['calls']> }),
    ...(sends === undefined
      ? {}
      : { sends: (Array.isArray(sends) ? sends : [sends]) as NonNullable<Expectation['sends']> }),
    ...(allOrders.length === 0 ? {} : { order: allOrders }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((one) => expectationOf(one as Expectation)) } : {}),
  };
}
