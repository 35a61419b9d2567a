import { escapeToken, isObject, type Json, type JsonObject, pointerTokens, valueAt } from '../kernel/json.ts';

/** Most schemas inside one schema. Compiling one takes about 0.1 ms, and an agreement must be read within 100 ms. */
export const MAX_SUBSCHEMAS = 400;

/** Keywords whose value is one schema, over all drafts. */
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

/** Keywords whose value is a list of schemas, over all drafts. */
export const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);

/** Keywords whose value maps names to schemas, over all drafts. */
export const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** A schema inside a schema, with its place. */
export interface Subschema {
  schema: Json;
  /** JSON pointer from the root schema. */
  pointer: string;
  depth: number;
  /** Whether it stands where no dialect has a schema, and references lead there all the same. */
  isApart?: boolean;
}

/** The schemas directly inside a schema. Names of properties are data and never taken for keywords. */
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

/** The schemas in a schema as far as they were looked for, and whether that is all of them. */
interface Walk {
  found: readonly Subschema[];
  isWhole: boolean;
}

/** By schema: each is walked through for many reasons. */
const walks = new WeakMap<object, Walk>();

/**
 * Every schema in a schema, itself first, in document order, then those that only references lead to; ends early after `limit` of them. The schema must not
 * be changed afterwards.
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
  for (let looked = 0; pending.length > 0; ) {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (found.length >= limit) return { found, isWhole: false };
      found.push(next);
      places?.add(next.pointer);
      pending.push(...childSchemas(next).reverse());
    }
    for (; looked < found.length && pending.length === 0; looked += 1) {
      const { schema } = found[looked] as Subschema;
      if (!isObject(schema) || typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) continue;
      const target = resolvePointer(root, schema.$ref);
      if (target === undefined || !isObject(target.schema)) continue;
      places ??= new Set(found.map(({ pointer }) => pointer));
      if (!places.has(target.pointer)) pending.push({ ...target, depth: 1, isApart: true });
    }
  }
  return { found, isWhole: true };
}

/** The schema that a local reference (`#`, `#/pointer`, `#anchor`) names, with its pointer; `undefined` where there is none. */
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

/** The parent and last token of a pointer; `undefined` for the empty pointer. */
export function splitPointer(pointer: string): { parent: string; token: string } | undefined {
  const token = pointerTokens(pointer).at(-1);
  return token === undefined ? undefined : { parent: pointer.slice(0, pointer.lastIndexOf('/')), token };
}
