import type { LocatedSchema } from '../contract/agreement.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../schemas/schema-walk.ts';

/** Where the part with that number (from 1) stands inside a union. */
export function partPointer(number: number): string {
  return `/$defs/${number}`;
}

/** One schema that allows what any of the given ones allows; the schema itself where there is only one, `null` where there is none. */
export function unionOf(parts: readonly LocatedSchema[]): LocatedSchema | null {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? null;
  const schema: Json = {
    anyOf: parts.map((_, index) => ({ $ref: `#${partPointer(index + 1)}` })),
    $defs: Object.fromEntries(
      parts.map((part, index) => [
        String(index + 1),
        rebased(part.schema, `#${partPointer(index + 1)}`, ownIdOf(part.schema)),
      ]),
    ),
  };
  return { ...first, schema, parts: [...parts] };
}

function ownIdOf(schema: Json): string {
  return isObject(schema) && typeof schema.$id === 'string' ? schema.$id.replace(/#.*$/s, '') : '';
}

/** A copy whose local references start from where the schema now stands. */
function rebased(schema: Json, base: string, ownId: string): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === '$ref' && typeof value === 'string') {
        const local = ownId !== '' && value.startsWith(ownId) ? value.slice(ownId.length) || '#' : value;
        return [[keyword, local.startsWith('#/') || local === '#' ? `${base}${local.slice(1)}` : local]];
      }
      if (keyword === '$schema' || keyword === '$id') return [];
      if (Array.isArray(value)) {
        return [[keyword, SCHEMA_LIST_KEYWORDS.has(keyword) ? value.map((item) => rebased(item, base, ownId)) : value]];
      }
      if (SCHEMA_KEYWORDS.has(keyword)) return [[keyword, rebased(value, base, ownId)]];
      if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
        return [
          [
            keyword,
            Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rebased(item, base, ownId)])),
          ],
        ];
      }
      return [[keyword, value]];
    }),
  );
}
