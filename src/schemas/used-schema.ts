import { escapeToken, isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { countsReferenceAlone, DEFINITIONS } from './dialect.ts';
import { namesIn } from './schema-names.ts';
import {
  childSchemas,
  MAX_SUBSCHEMAS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from './schema-walk.ts';

const known = new WeakMap<object, Json>();

/**
 * A schema without the definitions that nothing in it leads to: they ask nothing of a value. The schema itself where all are used, or where more are
 * than a schema may hold. What is left keeps its place. The schema must not be changed afterwards.
 */
export function usedSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const before = known.get(schema);
  if (before !== undefined) return before;
  const { definitions } = namesIn(schema);
  const used = definitions.size === 0 ? definitions : usedDefinitions(schema);
  const made = used === undefined || used.size === definitions.size ? schema : withDefinitions(schema, '', used);
  known.set(schema, made);
  return made;
}

/** The places of the definitions that the root leads to; `undefined` where they hold too many schemas. */
function usedDefinitions(root: JsonObject): ReadonlySet<string> | undefined {
  const names = namesIn(root);
  const used = new Set<string>();
  const seen = new Set<string>();
  const pending = [{ schema: root as Json, pointer: '', depth: 0 }];
  const visit = (pointer: string) => {
    const schema = valueAt(root, pointer);
    if (schema !== undefined && !seen.has(pointer)) pending.push({ schema, pointer, depth: 0 });
  };
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const { schema, pointer } = part;
    if (seen.has(pointer) || !isObject(schema)) continue;
    seen.add(pointer);
    if (seen.size > MAX_SUBSCHEMAS) return undefined;
    const resource = names.resourceAt(pointer);
    for (const place of names.placesFrom(schema, resource)) {
      // What leads into a definition keeps all of it.
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
    if (countsReferenceAlone(schema, resource.dialect)) continue;
    pending.push(...childSchemas(part).filter((child) => !names.definitions.has(child.pointer)));
  }
  return used;
}

/** A copy with these definitions alone. */
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
