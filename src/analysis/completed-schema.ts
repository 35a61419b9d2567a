import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { isExternalReference } from '../schemas/sanitise-schema.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from '../schemas/schema-walk.ts';
import { ownIdOf, rebased, withReferences } from './schema-union.ts';

/**
 * A schema with what it refers to in other blocks of its document: definitions that it speaks of as its own, and schemas that it names by the `$id`
 * they give themselves. Nothing else is looked for, and nothing is fetched; the schema as it is where it needs none of them.
 */
export function completedSchema(schema: Json, roots: readonly Json[]): Json {
  return withNamed(withDefinitions(schema, roots), roots);
}

function withDefinitions(schema: Json, roots: readonly Json[]): Json {
  if (!isObject(schema)) return schema;
  let complete = schema;
  for (const reference of referencesIn(schema)) {
    const container = /^#\/(\$defs|definitions)\//.exec(reference)?.[1];
    if (container === undefined || complete[container] !== undefined) continue;
    const root = roots.find((value) => value !== schema && resolveLocalReference(value, reference) !== undefined);
    const definitions = isObject(root ?? null) ? (root as JsonObject)[container] : undefined;
    if (definitions !== undefined) complete = { ...complete, [container]: definitions };
  }
  return complete;
}

/** Most schemas of a document that one of its schemas takes in by their ids. */
const MAX_NAMED = 20;

function withNamed(schema: Json, roots: readonly Json[]): Json {
  // Whether a block has an id is seen at once; a schema may be as large as its definitions for each of many that share them.
  if (!isObject(schema) || roots.every((root) => ownIdOf(root) === '')) return schema;
  if (!referencesIn(schema).some((reference) => isExternalReference(reference, schema))) return schema;
  const named = new Map<string, Json>();
  for (const root of roots) if (ownIdOf(root) !== '' && !named.has(ownIdOf(root))) named.set(ownIdOf(root), root);
  const taken = new Map<string, string>();
  const definitions: JsonObject = isObject(schema.$defs) ? { ...schema.$defs } : {};
  const localIn =
    (base: string) =>
    (reference: string): string => {
      if (reference.startsWith('#') || !isExternalReference(reference, schema)) return reference;
      const [target = '', fragment = ''] = reference.split('#');
      const id = named.has(target) || !URL.canParse(target, base) ? target : new URL(target, base).href;
      const found = named.get(id);
      // An anchor, or a schema that is not there, stays what it was: a reference to something outside.
      if (found === undefined || (fragment !== '' && !fragment.startsWith('/'))) return reference;
      let name = taken.get(id);
      if (name === undefined) {
        if (taken.size >= MAX_NAMED) return reference;
        name = `document-${taken.size + 1}`;
        while (Object.hasOwn(definitions, name)) name += '-';
        taken.set(id, name);
        definitions[name] = true;
        definitions[name] = withReferences(rebased(found, `#/$defs/${name}`, id), localIn(id));
      }
      return `#/$defs/${name}${fragment}`;
    };
  const complete = withReferences(schema, localIn(ownIdOf(schema)));
  return taken.size === 0 || !isObject(complete)
    ? schema
    : { ...complete, $defs: { ...(complete.$defs as JsonObject), ...added(definitions, taken) } };
}

function added(definitions: JsonObject, taken: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries([...taken.values()].map((name) => [name, definitions[name] as Json]));
}

function referencesIn(schema: Json): string[] {
  return allSubschemas(schema, MAX_SUBSCHEMAS).flatMap(({ schema: each }) =>
    isObject(each) && typeof each.$ref === 'string' ? [each.$ref] : [],
  );
}
