import type { LocatedSchema } from '../contract/agreement.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { type Dialect, dialectNamed } from '../schemas/dialect.ts';
import { sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../schemas/schema-walk.ts';

/** The pointer to the member with this number (from 1) in a union. */
export function partPointer(number: number): string {
  return `/$defs/${number}`;
}

/**
 * A schema that allows what any of the given schemas allows; the schema itself if there is only one, `null` if there is
 * none.
 */
export function unionOf(parts: readonly LocatedSchema[]): LocatedSchema | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? null;
  const schema: Json = {
    anyOf: parts.map((_, index) => ({ $ref: `#${partPointer(index + 1)}` })),
    $defs: Object.fromEntries(
      parts.map((part, index) => [String(index + 1), rebased(part.schema, `#${partPointer(index + 1)}`)]),
    ),
  };
  return { ...first, schema, parts: [...parts] };
}

/** The dialect that a schema declares, or the member of a union that contains a place. */
export function dialectAt({ schema, parts = [] }: LocatedSchema, pointer: string): Dialect | undefined {
  const part = parts.find((_, index) => `${pointer}/`.startsWith(`${partPointer(index + 1)}/`));
  return part === undefined ? dialectNamed(isObject(schema) ? schema.$schema : undefined) : dialectAt(part, '');
}

/** A copy of a schema whose references start at its new place, without ids and dialect. */
export function rebased(schema: Json, base: string): Json {
  const moved = (reference: string) => (reference.startsWith('#') ? `${base}${reference.slice(1)}` : reference);
  return withReferences(sanitiseSchema(schema, 'kept').schema, moved, new Set(['$schema']));
}

/** A copy of a schema with changed references and without some keywords. */
export function withReferences(
  schema: Json,
  change: (reference: string) => string,
  without: ReadonlySet<string> = new Set(),
): Json {
  if (!isObject(schema)) return schema;
  const copy = (inner: Json): Json => withReferences(inner, change, without);
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (without.has(keyword)) return [];
      if (keyword === '$ref' && typeof value === 'string') return [[keyword, change(value)]];
      if (Array.isArray(value)) return [[keyword, SCHEMA_LIST_KEYWORDS.has(keyword) ? value.map(copy) : value]];
      if (SCHEMA_KEYWORDS.has(keyword)) return [[keyword, copy(value)]];
      if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
        const entries = Object.entries(value).map(([name, item]): [string, Json] => [name, copy(item)]);
        return [[keyword, Object.fromEntries(entries)]];
      }
      return [[keyword, value]];
    }),
  );
}
