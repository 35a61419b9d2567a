import { escapeToken, isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';

/** Most subschemas of one schema. Compiling one takes about 0.1 ms, and an agreement must be read within 100 ms. */
export const MAX_SUBSCHEMAS = 400;

/** Keywords whose value is one schema, in any draft. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'additionalItems',
  'propertyNames',
  'contains',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
  'items',
]);

/** Keywords whose value is a list of schemas, in any draft. */
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);

/** Keywords whose value maps names to schemas, in any draft. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** A subschema with its place. */
export interface Subschema {
  schema: Json;
  /** JSON pointer from the root schema. */
  pointer: string;
  depth: number;
  /** Whether it is in a place where no dialect has a schema, but a reference points there. */
  isApart?: boolean;
}

/** The direct subschemas of a schema. Property names are data, never keywords. */
export function childSchemas({ schema, pointer, depth }: Subschema): Subschema[] {
  if (!isObject(schema)) return [];
  const children: Subschema[] = [];
  const add = (child: Json | undefined, place: string): void => {
    if (isObject(child) || typeof child === 'boolean') {
      children.push({ schema: child, pointer: `${pointer}/${place}`, depth: depth + 1 });
    }
  };
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value)) {
      if (SCHEMA_LIST_KEYWORDS.has(keyword))
        for (const [index, item] of value.entries()) add(item, `${keyword}/${index}`);
    } else if (SCHEMA_KEYWORDS.has(keyword)) add(value, keyword);
    else if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
      for (const [name, item] of Object.entries(value)) add(item, `${keyword}/${escapeToken(name)}`);
    }
  }
  return children;
}

/** The subschemas found, and whether those are all. */
interface Walk {
  found: readonly Subschema[];
  isWhole: boolean;
}

/** Cached per schema, because each is walked several times. */
const walks = new WeakMap<object, Walk>();

/**
 * All subschemas of a schema, itself first, in document order, then those reached only by references; at most `limit`.
 * The schema must not be changed afterwards.
 */
export function allSubschemas(schema: Json, limit = Number.POSITIVE_INFINITY): readonly Subschema[] {
  if (!isObject(schema)) return [{ schema, pointer: '', depth: 0 }];
  let walk = walks.get(schema);
  if (walk === undefined || (!walk.isWhole && walk.found.length < limit)) {
    walk = walkThrough(schema, Math.max(limit, MAX_SUBSCHEMAS + 1));
    walks.set(schema, walk);
  }
  return walk.found.length > limit ? walk.found.slice(0, limit) : walk.found;
}

function walkThrough(root: JsonObject, limit: number): Walk {
  const found: Subschema[] = [];
  const pending: Subschema[] = [{ schema: root, pointer: '', depth: 0 }];
  let places: Set<string> | undefined;
  for (let visited = 0; pending.length > 0; ) {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (found.length >= limit) return { found, isWhole: false };
      found.push(next);
      places?.add(next.pointer);
      pending.push(...childSchemas(next).reverse());
    }
    for (; visited < found.length && pending.length === 0; visited += 1) {
      const { schema } = found[visited] as Subschema;
      if (!isObject(schema) || typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) continue;
      const target = resolvePointer(root, schema.$ref);
      if (target === undefined || !isObject(target.schema)) continue;
      places ??= new Set(found.map(({ pointer }) => pointer));
      if (!places.has(target.pointer)) pending.push({ ...target, depth: 1, isApart: true });
    }
  }
  return { found, isWhole: true };
}

/**
 * The schema that a local reference (`#`, `#/pointer`, `#anchor`) points to, with its pointer; `undefined` if there is
 * none.
 */
export function resolveLocalReference(root: Json, reference: string): { schema: Json; pointer: string } | undefined {
  if (!reference.startsWith('#')) return undefined;
  if (reference === '#' || reference.startsWith('#/') || reference.startsWith('#%'))
    return resolvePointer(root, reference);
  const anchored = allSubschemas(root).find(({ schema }) => isObject(schema) && `#${schema.$anchor}` === reference);
  return anchored === undefined ? undefined : { schema: anchored.schema, pointer: anchored.pointer };
}

function resolvePointer(root: Json, reference: string): { schema: Json; pointer: string } | undefined {
  let pointer: string;
  try {
    pointer = decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
  const schema = valueAt(root, pointer);
  return schema === undefined ? undefined : { schema, pointer };
}

/** The parent pointer and last token of a pointer; `undefined` for the empty pointer. */
export function splitPointer(pointer: string): { parent: string; token: string } | undefined {
  const token = pointerTokens(pointer).at(-1);
  return token === undefined ? undefined : { parent: pointer.slice(0, pointer.lastIndexOf('/')), token };
}
