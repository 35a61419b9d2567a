import { escapeToken, isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { DEFINITIONS, referenceOverrides } from './dialect.ts';
import { namesIn } from './schema-names.ts';
import {
  childSchemas,
  MAX_SUBSCHEMAS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from './schema-walk.ts';

const cache = new WeakMap<object, Json>();

/**
 * A schema without its unused definitions, which constrain no value. Everything else keeps its place. Returns the same
 * object if all definitions are used or there are too many subschemas. The schema must not be changed afterwards.
 */
export function usedSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const before = cache.get(schema);
  if (before !== undefined) return before;
  const { definitions } = namesIn(schema);
  const used = definitions.size === 0 ? definitions : usedDefinitions(schema);
  const made = used === undefined || used.size === definitions.size ? schema : withDefinitions(schema, '', used);
  cache.set(schema, made);
  return made;
}

/** The places of the definitions reachable from the root; `undefined` if they contain too many subschemas. */
function usedDefinitions(root: JsonObject): ReadonlySet<string> | undefined {
  const names = namesIn(root);
  const used = new Set<string>();
  const visited = new Set<string>();
  const pending = [{ schema: root as Json, pointer: '', depth: 0 }];
  const visit = (pointer: string) => {
    const schema = valueAt(root, pointer);
    if (schema !== undefined && !visited.has(pointer)) pending.push({ schema, pointer, depth: 0 });
  };
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const { schema, pointer } = part;
    if (visited.has(pointer) || !isObject(schema)) continue;
    visited.add(pointer);
    if (visited.size > MAX_SUBSCHEMAS) return undefined;
    const resource = names.resourceAt(pointer);
    for (const place of names.placesFrom(schema, resource)) {
      // A reference into a definition keeps the whole definition.
      for (let slash = place.indexOf('/', 1); slash >= 0; slash = place.indexOf('/', slash + 1)) {
        const around = place.slice(0, slash);
        if (!names.definitions.has(around)) continue;
        used.add(around);
        visit(around);
      }
      if (names.definitions.has(place)) used.add(place);
      if (used.size > MAX_SUBSCHEMAS) return undefined;
      visit(place);
    }
    if (referenceOverrides(schema, resource.dialect)) continue;
    pending.push(...childSchemas(part).filter((child) => !names.definitions.has(child.pointer)));
  }
  return used;
}

/** A copy that keeps only these definitions. */
function withDefinitions(schema: Json, pointer: string, used: ReadonlySet<string>): Json {
  if (!isObject(schema)) return schema;
  const kept: [string, Json][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${pointer}/${escapeToken(keyword)}`;
    const copy = (item: Json, name: string | number) => withDefinitions(item, `${place}/${escapeToken(name)}`, used);
    if (Array.isArray(value)) kept.push([keyword, SCHEMA_LIST_KEYWORDS.has(keyword) ? value.map(copy) : value]);
    else if (SCHEMA_KEYWORDS.has(keyword)) kept.push([keyword, withDefinitions(value, place, used)]);
    else if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
      const members = Object.entries(value)
        .filter(([name]) => !DEFINITIONS.has(keyword) || used.has(`${place}/${escapeToken(name)}`))
        .map(([name, item]): [string, Json] => [name, copy(item, name)]);
      if (members.length > 0 || !DEFINITIONS.has(keyword)) kept.push([keyword, Object.fromEntries(members)]);
    } else kept.push([keyword, value]);
  }
  return Object.fromEntries(kept);
}
