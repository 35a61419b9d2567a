import type { Origin } from '../contract/agreement.ts';
import { withReferences } from '../documents/schema-union.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { decoded } from '../schemas/schema-names.ts';
import { resolveLocalReference } from '../schemas/schema-walk.ts';
import type { DescriptionPlace } from './source.ts';

/** The direction of a message. A `readOnly` or `writeOnly` member is required in one direction only. */
export type Direction = 'request' | 'response';

/** Most definitions of one schema. */
const MAX_DEFINITIONS = 400;

/** Most definitions made of one description, in both directions. */
const MAX_KNOWN = 2_000;

interface Definition {
  key: string;
  name: string;
  pointer: string;
  direction: Direction;
  schema: Json;
  /** The keys of the definitions that it refers to. */
  needs: Set<string>;
}

/** The parts of a description that its schemas refer to. However often a part is used, it becomes one definition. */
export class Definitions {
  readonly #place: DescriptionPlace;
  readonly #dialect: string | undefined;
  readonly #isOpenApi: boolean;
  readonly #known = new Map<string, Definition>();
  readonly #names = { request: new Set<string>(), response: new Set<string>() };
  #pending: Definition[] = [];

  constructor(place: DescriptionPlace, dialect: string | undefined, isOpenApi: boolean) {
    this.#place = place;
    this.#dialect = dialect;
    this.#isOpenApi = isOpenApi;
  }

  /** A schema of the description, placed at a pointer of another schema. Adds to `needs` what it refers to. */
  part(schema: Json, at: string, direction: Direction, needs: Set<string>): Json {
    const local = this.#local(schema, at, direction, needs);
    // A loop, because a long chain of definitions would overflow the stack.
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop())
      next.schema = this.#local(next.schema, `/$defs/${next.name}`, direction, next.needs);
    return local;
  }

  /** A schema that was built of such parts, with the definitions that they need and their origins. */
  complete(schema: Json, needs: ReadonlySet<string>): { schema: Json; origins: Origin[] } {
    if (!isObject(schema)) return { schema, origins: [] };
    const taken = new Map<string, Definition>();
    const pending = [...needs];
    for (let key = pending.pop(); key !== undefined && taken.size < MAX_DEFINITIONS; key = pending.pop()) {
      const found = this.#known.get(key);
      if (found === undefined || taken.has(key)) continue;
      taken.set(key, found);
      pending.push(...found.needs);
    }
    const all = [...taken.values()];
    const own = isObject(schema.$defs) ? schema.$defs : {};
    const $defs = { ...own, ...Object.fromEntries(all.map(({ name, schema: one }): [string, Json] => [name, one])) };
    const $schema = schema.$schema ?? this.#dialect;
    return {
      schema: { ...($schema === undefined ? {} : { $schema }), ...schema, ...(all.length === 0 ? {} : { $defs }) },
      origins: all.map(({ name, pointer }) => this.originAt(`/$defs/${name}`, pointer)),
    };
  }

  /** The origin of the part of a schema `at` a pointer, if it comes from `pointer` in the description. */
  originAt(at: string, pointer: string): Origin {
    return { at, start: this.#place.start, pointer: this.#place.pointer + pointer };
  }

  /** A schema whose references point to definitions, or to places in itself below a pointer. */
  #local(given: Json, at: string, direction: Direction, needs: Set<string>): Json {
    const schema = this.#isOpenApi ? requiredIn(given, direction) : given;
    return withReferences(schema, (reference) => {
      if (!reference.startsWith('#')) return reference;
      if (resolveLocalReference(given, reference) !== undefined) return `#${at}${reference.slice(1)}`;
      const definition = this.#definition(reference, direction);
      if (definition === undefined) return reference;
      needs.add(definition.key);
      return `#/$defs/${definition.name}`;
    });
  }

  #definition(reference: string, direction: Direction): Definition | undefined {
    const pointer = decoded(reference.slice(1));
    if (pointer === undefined || !pointer.startsWith('/')) return undefined;
    const key = `${direction} ${pointer}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const schema = valueAt(this.#place.root.value, pointer);
    // Beyond the limit the reference stays as it is, and a later check finds that it points to nothing.
    if ((!isObject(schema) && typeof schema !== 'boolean') || this.#known.size >= MAX_KNOWN) return undefined;
    const definition: Definition = {
      key,
      name: this.#freshName(pointer, direction),
      pointer,
      direction,
      schema,
      needs: new Set<string>(),
    };
    this.#known.set(key, definition);
    this.#pending.push(definition);
    return definition;
  }

  /** A name for a definition: the last one in its pointer, with a number if it is taken. */
  #freshName(pointer: string, direction: Direction): string {
    const names = this.#names[direction];
    const [, plain = 'definition'] = /\/(\w{1,60})$/.exec(pointer) ?? [];
    let name = plain;
    for (let number = names.size; names.has(name) || name === '__proto__'; number += 1) name = `${plain}-${number}`;
    names.add(name);
    return name;
  }
}

/** A schema that does not require the members that this direction does not have (OpenAPI: `readOnly`, `writeOnly`). */
function requiredIn(schema: Json, direction: Direction): Json {
  return inner(schema, direction === 'request' ? 'readOnly' : 'writeOnly');
}

function mapped(schema: JsonObject, absent: 'readOnly' | 'writeOnly'): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (keyword === 'properties' && isObject(value))
      return [
        keyword,
        sameOr(
          value,
          Object.entries(value).map(([name, one]) => [name, inner(one, absent)]),
        ),
      ];
    if (Array.isArray(value) && (keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf'))
      return [keyword, value.map((one) => inner(one, absent))];
    if (keyword === 'items' || keyword === 'additionalProperties') return [keyword, inner(value, absent)];
    if (keyword === 'required' && Array.isArray(value)) return [keyword, requiredWithout(value, schema, absent)];
    return [keyword, value];
  });
  return sameOr(schema, entries);
}

function inner(schema: Json, absent: 'readOnly' | 'writeOnly'): Json {
  return isObject(schema) ? mapped(schema, absent) : schema;
}

function sameOr(object: JsonObject, entries: [string, Json][]): JsonObject {
  return entries.every(([name, value]) => value === object[name]) ? object : Object.fromEntries(entries);
}

function requiredWithout(required: Json[], { properties }: JsonObject, absent: string): Json[] {
  const isAbsent = (name: Json): boolean => {
    const property =
      typeof name === 'string' && isObject(properties) && Object.hasOwn(properties, name)
        ? properties[name]
        : undefined;
    return isObject(property) && property[absent] === true;
  };
  return required.some(isAbsent) ? required.filter((name) => !isAbsent(name)) : required;
}
