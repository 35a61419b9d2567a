import { isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';
import { boundAlternatives } from './bound-alternatives.ts';
import { ANY, type GeneratorSchema } from './generator-schema.ts';
import { plainLine } from './plain-line.ts';

/** A schema reduced to what a type can express; references to other declarations are by name. */
export interface Projection {
  /**
   * The declarations, the requested one first. A body contains only what the generator understands; nothing unchecked
   * from the schema.
   */
  declarations: { name: string; body: GeneratorSchema }[];
  /** Restores the members' real names in the text generated from a body. */
  restore(text: string): string;
}

/**
 * Above these limits, a schema becomes `any`. A type is only a hint to the model; the validator checks the whole
 * schema.
 */
const MAX_NODES = 2_000;
const MAX_DEPTH = 48;
const MAX_ENUM_VALUES = 64;
const MAX_LITERAL_CHARACTERS = 200;

/**
 * Reduces a JSON Schema (2020-12 or draft-07) to what a TypeScript type can express. Follows references inside the
 * schema only. A broken reference, and anything a type cannot express, becomes `any`, so the type accepts every value
 * that the schema allows.
 */
export function projectSchema(root: Json, rootName: string, freshName: (wanted: string) => string): Projection {
  const members: string[] = [];
  const tag = absentTag(JSON.stringify(root));
  const named = new Map<string, { name: string; body: GeneratorSchema; immediate: Set<string> }>();
  let nodes = 0;

  const declare = (pointer: string, schema: Json, name: string): string => {
    const entry = { name, body: ANY, immediate: new Set<string>() };
    named.set(pointer, entry);
    entry.body = project(schema, 0, entry.immediate);
    return name;
  };

  /** `immediate` collects the names that the type expands to directly; a cycle of these is not a valid type. */
  const project = (schema: Json, depth: number, immediate: Set<string> | null): GeneratorSchema => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH || !isObject(schema)) return ANY;
    const parts: GeneratorSchema[] = [];
    if (typeof schema.$ref === 'string') parts.push(reference(schema.$ref, immediate));
    parts.push(ownType(schema, depth));
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = schema[keyword];
      if (Array.isArray(branches)) parts.push(union(branches.map((branch) => project(branch, depth + 1, immediate))));
    }
    if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map((part) => project(part, depth + 1, immediate)));
    return intersection(parts);
  };

  const reference = (ref: string, immediate: Set<string> | null): GeneratorSchema => {
    const pointer = localPointer(ref);
    const target = pointer === null ? undefined : valueAt(root, pointer);
    if (pointer === null || target === undefined) return ANY;
    const name =
      named.get(pointer)?.name ?? declare(pointer, target, freshName(pascalCase(pointerTokens(pointer).at(-1) ?? '')));
    immediate?.add(name);
    return { tsType: name };
  };

  const ownType = (schema: JsonObject, depth: number): GeneratorSchema => {
    if (Object.hasOwn(schema, 'const')) return literals([schema.const as Json]);
    if (Array.isArray(schema.enum)) return literals(schema.enum);
    const types = Array.isArray(schema.type)
      ? schema.type
      : schema.type === undefined
        ? impliedTypes(schema)
        : [schema.type];
    return types.length === 0 ? ANY : union(types.map((type) => singleType(type, schema, depth)));
  };

  const singleType = (type: Json, schema: JsonObject, depth: number): GeneratorSchema => {
    if (type === 'string' || type === 'boolean' || type === 'null' || type === 'number') return { type };
    if (type === 'integer') return { type: 'number' };
    if (type === 'array') return arrayType(schema, depth);
    if (type === 'object') return objectType(schema, depth);
    return ANY;
  };

  const arrayType = (schema: JsonObject, depth: number): GeneratorSchema => {
    const places = [schema.prefixItems, schema.items].flatMap((items) => (Array.isArray(items) ? items : []));
    if (places.length > 0) return { type: 'array', items: ANY };
    return { type: 'array', items: isObject(schema.items) ? project(schema.items, depth + 1, null) : ANY };
  };

  const objectType = (schema: JsonObject, depth: number): GeneratorSchema => {
    const properties: JsonObject = {};
    const required: string[] = [];
    const wanted = new Set(Array.isArray(schema.required) ? schema.required : []);
    for (const [member, value] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      const placeholder = `${tag}${members.push(member) - 1}_`;
      const text = isObject(value) && typeof value.description === 'string' ? plainLine(value.description) : '';
      const body = project(value, depth + 1, null);
      properties[placeholder] = text === '' ? body : { ...body, description: text };
      if (wanted.has(member)) required.push(placeholder);
    }
    const rest = schema.additionalProperties ?? schema.unevaluatedProperties;
    const closed = rest === false && !isObject(schema.patternProperties);
    const onlyRest = Object.keys(properties).length === 0 && !isObject(schema.patternProperties) && isObject(rest);
    return {
      type: 'object',
      properties,
      required,
      additionalProperties: closed ? false : onlyRest ? project(rest, depth + 1, null) : true,
    };
  };

  declare('', root, rootName);
  const circular = namesInCycles([...named.values()]);
  const types = new Map([...named.values()].map(({ name, body }) => [name, circular.has(name) ? ANY : body]));
  const placeholders = new RegExp(`${tag}(\\d+)_`, 'g');
  const memberOf = (index: string): string => members[Number(index)] ?? '';
  const bounded = boundAlternatives(types, (text) => text.replace(placeholders, (_, index) => memberOf(index)));
  return {
    declarations: [...bounded].map(([name, body]) => ({ name, body })),
    restore: (text) => text.replaceAll(placeholders, (_, index) => memberKey(memberOf(index))),
  };
}

function literals(values: readonly Json[]): GeneratorSchema {
  const small = values.every((value) => JSON.stringify(value).length <= MAX_LITERAL_CHARACTERS);
  if (values.length > 0 && values.length <= MAX_ENUM_VALUES && small && values.every(isScalar))
    return { enum: [...new Set(values)] };
  // Too many values, or values too long for a readable type: use their types instead.
  return union([...new Set(values.map(kindOf))].map((kind) => (kind === null ? ANY : { type: kind })));
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object';
}

function kindOf(value: Json): 'null' | 'string' | 'number' | 'boolean' | null {
  if (value === null) return 'null';
  const kind = typeof value;
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : null;
}

function union(branches: readonly GeneratorSchema[]): GeneratorSchema {
  const distinct = [...new Map(branches.map((branch) => [JSON.stringify(branch), branch])).values()];
  const [only] = distinct;
  if (only === undefined || distinct.some(isAny)) return ANY;
  return distinct.length === 1 ? only : { anyOf: distinct };
}

function intersection(parts: readonly GeneratorSchema[]): GeneratorSchema {
  // `T & any` is `any`, so an empty part would erase the others.
  const constraining = [
    ...new Map(parts.filter((part) => !isAny(part)).map((part) => [JSON.stringify(part), part])).values(),
  ];
  const [only] = constraining;
  if (only === undefined) return ANY;
  return constraining.length === 1 ? only : { allOf: constraining };
}

function isAny(schema: GeneratorSchema): boolean {
  return schema.tsType === 'any';
}

function impliedTypes(schema: JsonObject): Json[] {
  if (isObject(schema.properties) || isObject(schema.additionalProperties)) return ['object'];
  return isObject(schema.items) || Array.isArray(schema.items) || Array.isArray(schema.prefixItems) ? ['array'] : [];
}

/** The JSON pointer of a reference inside the same schema; `null` for any other reference. */
function localPointer(ref: string): string | null {
  if (ref === '#' || ref === '') return '';
  if (!ref.startsWith('#/')) return null;
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return null;
  }
}

/** A tag of letters that does not occur in a text, so that restoring names changes nothing else. */
function absentTag(text: string): string {
  let tag = 'member';
  while (text.includes(tag)) tag += 'x';
  return tag;
}

function memberKey(member: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(member) ? member : JSON.stringify(member);
}

function pascalCase(text: string): string {
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return joined === '' ? 'Part' : joined.slice(0, 40);
}

/** Names that reach themselves through immediate references only. */
function namesInCycles(entries: readonly { name: string; immediate: ReadonlySet<string> }[]): Set<string> {
  const next = new Map(entries.map(({ name, immediate }) => [name, immediate]));
  return new Set(
    entries
      .map(({ name }) => name)
      .filter((name) => {
        const visited = new Set<string>();
        const pending = [...(next.get(name) ?? [])];
        for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
          if (one === name) return true;
          if (visited.has(one)) continue;
          visited.add(one);
          pending.push(...(next.get(one) ?? []));
        }
        return false;
      }),
  );
}
