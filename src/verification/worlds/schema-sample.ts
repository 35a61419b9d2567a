import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { resolveLocalReference } from '../../schemas/schema-walk.ts';
import { samplePattern } from './pattern-sample.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The random source, and the number of values left: recursive schemas must not grow without end. */
interface Source {
  random: SeededRandom;
  left: number;
}

const maxValues = 2_000;

const maxDepth = 12;

/**
 * A value that is probably valid by a JSON Schema (2020-12, and the keywords of older drafts). Ignores keywords that
 * only validation can decide, such as `not` and `if`: the caller must validate.
 */
export function sampleSchema(root: Json, random: SeededRandom): Json {
  return sample(root, root, { random, left: maxValues }, 0);
}

function sample(schema: Json | undefined, root: Json, source: Source, depth: number): Json {
  source.left -= 1;
  if (source.left < 0 || depth > maxDepth * 2) return null;
  if (!isObject(schema)) return schema === false ? null : anything(source);
  const merged = flattened(schema, root, source, depth);
  if (Object.hasOwn(merged, 'const')) return merged.const as Json;
  if (Array.isArray(merged.enum)) return source.random.pick(merged.enum) ?? null;
  switch (typeOf(merged, source, depth)) {
    case 'object':
      return sampleObject(merged, root, source, depth);
    case 'array':
      return sampleArray(merged, root, source, depth);
    case 'string':
      return sampleString(merged, source);
    case 'integer':
      return sampleNumber(merged, source, true);
    case 'number':
      return sampleNumber(merged, source, false);
    case 'boolean':
      return source.random.chance(0.5);
    case 'null':
      return null;
    default:
      return anything(source);
  }
}

/** The schema with references resolved and one alternative chosen. */
function flattened(schema: JsonObject, root: Json, source: Source, depth: number): JsonObject {
  let merged: JsonObject = { ...schema };
  for (let hops = 0; typeof merged.$ref === 'string' && hops < 16; hops += 1) {
    const { $ref, ...rest } = merged;
    const target = resolveLocalReference(root, $ref as string)?.schema;
    merged = isObject(target) ? merge(target, rest) : rest;
  }
  if (depth > maxDepth + 8) return merged;
  for (const part of Array.isArray(merged.allOf) ? merged.allOf : [])
    if (isObject(part)) merged = merge(merged, flattened(part, root, source, depth + 1));
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const choices = merged[keyword];
    const choice = Array.isArray(choices) ? source.random.pick(choices.filter(isObject)) : undefined;
    if (choice) merged = merge(merged, flattened(choice, root, source, depth + 1));
  }
  const condition =
    isObject(merged.then) && source.random.chance(0.5) ? merged.then : isObject(merged.else) ? merged.else : undefined;
  if (condition) merged = merge(merged, flattened(condition, root, source, depth + 1));
  return merged;
}

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const properties =
    isObject(a.properties) && isObject(b.properties)
      ? mergedProperties(a.properties, b.properties)
      : (b.properties ?? a.properties);
  const required = [...(Array.isArray(a.required) ? a.required : []), ...(Array.isArray(b.required) ? b.required : [])];
  return {
    ...a,
    ...b,
    ...(properties === undefined ? {} : { properties }),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

function mergedProperties(a: JsonObject, b: JsonObject): JsonObject {
  const merged = new Map(Object.entries(a));
  for (const [name, schema] of Object.entries(b)) {
    const known = merged.get(name);
    merged.set(name, isObject(known) && isObject(schema) ? merge(known, schema) : schema);
  }
  return Object.fromEntries(merged);
}

function typeOf(schema: JsonObject, source: Source, depth: number): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) {
    const useful = depth > maxDepth && type.includes('null') ? ['null'] : type.filter((one) => one !== 'null');
    return String(source.random.pick(useful.length > 0 && !source.random.chance(0.15) ? useful : type) ?? 'null');
  }
  if (schema.properties !== undefined || schema.required !== undefined || schema.additionalProperties !== undefined)
    return 'object';
  if (schema.items !== undefined || schema.prefixItems !== undefined || schema.minItems !== undefined) return 'array';
  if (
    schema.pattern !== undefined ||
    schema.format !== undefined ||
    schema.minLength !== undefined ||
    schema.maxLength !== undefined
  )
    return 'string';
  if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined) return 'number';
  return undefined;
}

function sampleObject(schema: JsonObject, root: Json, source: Source, depth: number): Json {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set((Array.isArray(schema.required) ? schema.required : []).map(String));
  const entries: [string, Json][] = [];
  for (const [name, child] of Object.entries(properties)) {
    if (required.has(name) || (depth < maxDepth && source.random.chance(0.5)))
      entries.push([name, sample(child, root, source, depth + 1)]);
  }
  const extra = isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
  for (const name of required) {
    if (!Object.hasOwn(properties, name))
      entries.push([
        name,
        depth > maxDepth ? null : sample(patternSchema(schema, name) ?? extra, root, source, depth + 1),
      ]);
  }
  const least = numberOf(schema.minProperties) ?? 0;
  if (extra && depth < maxDepth) {
    for (let nth = entries.length; nth < Math.max(least, source.random.integer(0, 2)) && nth < 50; nth += 1)
      entries.push([`m${nth}`, sample(extra, root, source, depth + 1)]);
  }
  for (const [name, child] of Object.entries(properties)) {
    if (entries.length < least && !entries.some(([known]) => known === name))
      entries.push([name, sample(child, root, source, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

function patternSchema(schema: JsonObject, name: string): Json | undefined {
  if (!isObject(schema.patternProperties)) return undefined;
  // Name patterns are not matched here; the first one stands for all.
  return name === '' ? undefined : Object.values(schema.patternProperties)[0];
}

function sampleArray(schema: JsonObject, root: Json, source: Source, depth: number): Json {
  const prefix = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : [];
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  const least = Math.min(50, numberOf(schema.minItems) ?? 0);
  const most = Math.min(numberOf(schema.maxItems) ?? least + 3, least + 3);
  const length =
    depth > maxDepth
      ? least
      : Math.max(
          prefix.length && source.random.chance(0.7) ? prefix.length : 0,
          source.random.integer(least, Math.max(least, most)),
        );
  const items: Json[] = [];
  for (let index = 0; index < length; index += 1) {
    if (index >= prefix.length && rest === false) break;
    items.push(sample(index < prefix.length ? prefix[index] : rest, root, source, depth + 1));
  }
  if (isObject(schema.contains) && items.length > 0 && rest !== false)
    items[items.length - 1] = sample(schema.contains, root, source, depth + 1);
  return items;
}

const WORDS = [
  'alpha',
  'Sample',
  'north',
  'ticket',
  'Zoë',
  '示例',
  'a b',
  'value-7',
  'X1',
  'item 42',
  "O'Neil",
  'naïve',
  '<b>&"',
  'line\nbreak',
];

function sampleString(schema: JsonObject, source: Source): string {
  if (typeof schema.pattern === 'string') return samplePattern(schema.pattern, source.random);
  const least = numberOf(schema.minLength) ?? 0;
  const most = numberOf(schema.maxLength) ?? Math.max(least, 40);
  let text =
    formatted(schema, source) ??
    (source.random.chance(0.08) && least === 0
      ? ''
      : `${source.random.pick(WORDS)}${source.random.chance(0.3) ? source.random.integer(0, 999) : ''}`);
  while (text.length < Math.min(least, 10_000)) text += String.fromCharCode(97 + source.random.integer(0, 25));
  return text.length > most ? text.slice(0, Math.max(0, most)) : text;
}

function formatted({ format, contentEncoding }: JsonObject, source: Source): string | undefined {
  const two = (from: number, to: number) => String(source.random.integer(from, to)).padStart(2, '0');
  const hex = (length: number) => Array.from({ length }, () => source.random.integer(0, 15).toString(16)).join('');
  const date = () => `20${two(20, 29)}-${two(1, 12)}-${two(1, 28)}`;
  const time = () => `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}Z`;
  if (contentEncoding === 'base64' || format === 'byte' || format === 'base64')
    return Buffer.from(hex(source.random.integer(1, 12))).toString('base64');
  switch (format) {
    case 'date':
      return date();
    case 'date-time':
    case 'iso-date-time':
      return `${date()}T${time()}`;
    case 'time':
      return time();
    case 'duration':
      return `P${source.random.integer(1, 9)}DT${source.random.integer(1, 20)}H`;
    case 'email':
    case 'idn-email':
      return `user${source.random.integer(1, 99)}@example.com`;
    case 'uuid':
      return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
    case 'uri':
    case 'url':
    case 'iri':
    case 'uri-reference':
      return `https://example.com/${hex(4)}`;
    case 'hostname':
      return `host${source.random.integer(1, 99)}.example.com`;
    case 'ipv4':
      return `192.0.2.${source.random.integer(1, 254)}`;
    case 'ipv6':
      return `2001:db8::${hex(4)}`;
    case 'json-pointer':
      return '/a/0';
    default:
      return undefined;
  }
}

function sampleNumber(schema: JsonObject, source: Source, integer: boolean): number {
  const step = numberOf(schema.multipleOf) ?? (integer ? 1 : 0.01);
  const low =
    numberOf(schema.minimum) ??
    (numberOf(schema.exclusiveMinimum) === undefined ? undefined : Number(schema.exclusiveMinimum) + step);
  const high =
    numberOf(schema.maximum) ??
    (numberOf(schema.exclusiveMaximum) === undefined ? undefined : Number(schema.exclusiveMaximum) - step);
  const from = low ?? (high === undefined ? -20 : high - 1_000);
  const to = high ?? from + 1_000;
  // Handlers often fail at the ends of a range.
  const aim = source.random.chance(0.2)
    ? from
    : source.random.chance(0.2)
      ? to
      : from + source.random.next() * (to - from);
  const steps = Math.min(Math.max(Math.round(aim / step), Math.ceil(from / step - 1e-9)), Math.floor(to / step + 1e-9));
  return Number((steps * step).toFixed(10));
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function anything(source: Source): Json {
  return source.random.pick<Json>([null, true, 0, 7, 'text', '', [], [1], {}, { m1: 'v1' }]) ?? null;
}
