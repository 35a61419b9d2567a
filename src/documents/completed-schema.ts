import type { Origin } from '../contract/agreement.ts';
import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { dialectNamed, OPENAPI_3_0 } from '../schemas/dialect.ts';
import { sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { addressesOf, namesIn } from '../schemas/schema-names.ts';
import { allSubschemas, MAX_SUBSCHEMAS, resolveLocalReference } from '../schemas/schema-walk.ts';
import type { JsonBlock } from './json-blocks.ts';
import { rebased, withReferences } from './schema-union.ts';

/** A schema with its referenced definitions included, and where those came from. */
export interface Completed {
  schema: Json;
  origins: Origin[];
}

/**
 * A schema with the definitions that it references in other blocks of the document: its `$defs` or `definitions`, and
 * schemas named by their `$id`. Fetches nothing. Returns the schema unchanged if it needs no other block.
 */
export function completedSchema(schema: Json, library: Library): Completed {
  const { schema: defined, origins } = withDefinitions(schema, library);
  const named = withNamed(defined, library);
  // A schema taken in by name may be inside definitions that were taken in.
  return { schema: named.schema, origins: [...named.origins, ...origins] };
}

/**
 * A schema inside a larger object, with the object's dialect and the definitions that it references elsewhere in that
 * object, as in an OpenAPI document. Returns the schema unchanged if it needs nothing from the object.
 */
export function enclosedSchema(given: Json, { value: root, start }: Pick<JsonBlock, 'value' | 'start'>): Completed {
  const origins: Origin[] = [];
  if (!isObject(given) || given === root) return { schema: given, origins };
  const $schema = given.$schema ?? dialectAround(root);
  const schema = $schema === undefined ? given : { ...given, $schema };
  const isElsewhere = (reference: string) =>
    reference.startsWith('#/') &&
    !/^#\/(?:\$defs|definitions)\//.test(reference) &&
    resolveLocalReference(schema, reference) === undefined &&
    isSchema(resolveLocalReference(root, reference)?.schema);
  if (!referencesIn(schema).some(isElsewhere)) return { schema, origins };
  const taken = new Map<string, string>();
  const definitions: JsonObject = isObject(schema.$defs) ? { ...schema.$defs } : {};
  const localReference = (reference: string): string => {
    const known = taken.get(reference);
    const { schema: found, pointer } = resolveLocalReference(root, reference) ?? { pointer: '' };
    if (known !== undefined || !isSchema(found) || taken.size >= MAX_NAMED) return known ?? reference;
    let name = /\/(\w{1,60})$/.exec(reference)?.[1] ?? `document-${taken.size + 1}`;
    while (Object.hasOwn(definitions, name)) name += '-';
    taken.set(reference, `#/$defs/${name}`);
    origins.push({ at: `/$defs/${name}`, start, pointer });
    definitions[name] = true;
    definitions[name] = withReferences(found, (inner) => (inner.startsWith('#/') ? localReference(inner) : inner));
    return `#/$defs/${name}`;
  };
  const complete = withReferences(schema, (reference) =>
    isElsewhere(reference) ? localReference(reference) : reference,
  );
  const added = Object.fromEntries([...taken.values()].map((at) => [at.slice(8), definitions[at.slice(8)] as Json]));
  if (!isObject(complete)) return { schema, origins: [] };
  return { schema: { ...complete, $defs: { ...(complete.$defs as JsonObject), ...added } }, origins };
}

/** The dialect that an object declares for the schemas in it. */
export function dialectAround(root: Json): string | undefined {
  if (!isObject(root)) return undefined;
  const { openapi, swagger, jsonSchemaDialect, $schema } = root;
  if (typeof swagger === 'string' || (typeof openapi === 'string' && openapi.startsWith('3.0'))) return OPENAPI_3_0;
  const named = [jsonSchemaDialect, $schema].find((uri) => typeof uri === 'string' && dialectNamed(uri) !== undefined);
  return typeof named === 'string' ? named : undefined;
}

function isSchema(value: Json | undefined): value is JsonObject | boolean {
  return isObject(value ?? null) || typeof value === 'boolean';
}

/** A block whose value is an object. */
interface ObjectBlock {
  value: JsonObject;
  start: number;
}

/** Index of what the schemas of a document can reference in its other blocks. */
export interface Library {
  /** The blocks that define a name, by `$defs/name`, `definitions/name` or `components/schemas/name`. */
  defining: ReadonlyMap<string, readonly ObjectBlock[]>;
  /** The first schema with each id, and its pointer in its block. */
  named: ReadonlyMap<string, ObjectBlock & { pointer: string }>;
}

/** Most blocks searched for one name; each of them may define it. */
const MAX_DEFINING = 8;

/** Indexes the blocks of a document by what their schemas can reference. */
export function libraryOf(blocks: readonly Pick<JsonBlock, 'value' | 'start'>[]): Library {
  const defining = new Map<string, ObjectBlock[]>();
  const named = new Map<string, ObjectBlock & { pointer: string }>();
  for (const { value, start } of blocks) {
    if (!isObject(value)) continue;
    const block = { value, start };
    for (const { uri, pointer } of mayHaveIds(value) ? namesIn(value).named : [])
      if (!named.has(uri)) named.set(uri, { ...block, pointer });
    for (const container of CONTAINERS) {
      const definitions = valueAt(value, `/${container}`);
      for (const name of isObject(definitions ?? null) ? Object.keys(definitions as JsonObject) : []) {
        const before = defining.get(`${container}/${name}`);
        if (before === undefined) defining.set(`${container}/${name}`, [block]);
        else if (before.length < MAX_DEFINING) before.push(block);
      }
    }
  }
  return { defining, named };
}

/** Where a block has definitions; the last is that of OpenAPI. */
const CONTAINERS = ['$defs', 'definitions', 'components/schemas'];

function mayHaveIds({ $id, id, $defs, definitions }: JsonObject): boolean {
  return [$id, id].some((own) => typeof own === 'string') || [$defs, definitions].some(isObject);
}

/** The container and name that a reference starts with. */
function definitionNamed(reference: string): { container: string; name: string } | undefined {
  const [, container, token = ''] = /^#\/(\$defs|definitions|components\/schemas)\/([^/]*)/.exec(reference) ?? [];
  if (container === undefined) return undefined;
  try {
    return { container, name: decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~') };
  } catch {
    return undefined;
  }
}

function withDefinitions(schema: Json, { defining }: Library): Completed {
  const origins: Origin[] = [];
  if (!isObject(schema)) return { schema, origins };
  let complete = schema;
  for (const reference of referencesIn(schema)) {
    const wanted = definitionNamed(reference);
    if (wanted === undefined) continue;
    const { container, name } = wanted;
    const [root = '', inner] = container.split('/');
    if (complete[root] !== undefined) continue;
    const blocks = defining.get(`${container}/${name}`);
    const found = blocks?.find(({ value }) => resolveLocalReference(value, reference) !== undefined);
    const definitions = found && valueAt(found.value, `/${container}`);
    if (found === undefined || definitions === undefined) continue;
    complete = { ...complete, [root]: inner === undefined ? definitions : { [inner]: definitions } };
    origins.push({ at: `/${container}`, start: found.start, pointer: `/${container}` });
  }
  return { schema: complete, origins };
}

/** Most schemas that one schema takes in by their ids. */
const MAX_NAMED = 20;

function withNamed(schema: Json, { named }: Library): Completed {
  const origins: Origin[] = [];
  // A schema may contain its definitions many times if many schemas share them.
  if (!isObject(schema) || named.size === 0) return { schema, origins };
  if (!sanitiseSchema(schema).removed.some(({ reason }) => reason === 'external')) return { schema, origins };
  const taken = new Map<number, string>();
  const definitions: JsonObject = isObject(schema.$defs) ? { ...schema.$defs } : {};
  const local = (reference: string): string => {
    const [, fragment = ''] = reference.split('#');
    const [address] = reference.startsWith('#') ? [] : addressesOf(reference).filter((each) => named.has(each));
    const found = address === undefined ? undefined : named.get(address);
    // A reference to an anchor or an unknown schema stays external.
    if (found === undefined || (fragment !== '' && !fragment.startsWith('/'))) return reference;
    let name = taken.get(found.start);
    if (name === undefined) {
      if (taken.size >= MAX_NAMED) return reference;
      name = `document-${taken.size + 1}`;
      while (Object.hasOwn(definitions, name)) name += '-';
      taken.set(found.start, name);
      origins.push({ at: `/$defs/${name}`, start: found.start, pointer: '' });
      definitions[name] = true;
      definitions[name] = withReferences(rebased(found.value, `#/$defs/${name}`), local);
    }
    return `#/$defs/${name}${found.pointer}${fragment}`;
  };
  const complete = withReferences(sanitiseSchema(schema, 'kept').schema, local);
  if (taken.size === 0 || !isObject(complete)) return { schema, origins: [] };
  const $defs = { ...(complete.$defs as JsonObject), ...added(definitions, taken) };
  return { schema: { ...complete, $defs }, origins };
}

function added(definitions: JsonObject, taken: ReadonlyMap<unknown, string>): JsonObject {
  return Object.fromEntries([...taken.values()].map((name) => [name, definitions[name] as Json]));
}

function referencesIn(schema: Json): string[] {
  return allSubschemas(schema, MAX_SUBSCHEMAS).flatMap(({ schema: each }) =>
    isObject(each) && typeof each.$ref === 'string' ? [each.$ref] : [],
  );
}
