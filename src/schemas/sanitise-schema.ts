import { escapeToken, isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { resolveLocalReference, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './schema-walk.ts';

/** A keyword that was taken out of a schema. */
export interface RemovedKeyword {
  /** JSON pointer to the keyword in the schema as given. */
  pointer: string;
  keyword: string;
}

/** The dialects whose `$schema` is kept and obeyed. */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)|draft-0[4-7])\/(?:hyper-)?schema#?$/;

/**
 * Keywords with a meaning beyond validation to a compiler or a generator: they change how code is made, what a reference
 * points at or when a verdict comes, and a document must not decide that.
 */
const REMOVED: ReadonlySet<string> = new Set([
  'tsType',
  'tsEnumNames',
  'extends',
  'goJSONSchema',
  '$async',
  '$data',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'discriminator',
]);

/**
 * A schema without anything that only a generator or compiler would obey: `tsType`, `$data`, `$async`, ids,
 * dynamic and external references. References to the schema's own id become local ones, and OpenAPI's `nullable` becomes
 * the type `null`. The schema itself where nothing is to be changed. Never throws; sanitising twice changes nothing.
 */
export function sanitiseSchema(schema: Json): { schema: Json; removed: RemovedKeyword[] } {
  const removed: RemovedKeyword[] = [];
  const ownId = isObject(schema) && typeof schema.$id === 'string' ? withoutFragment(schema.$id) : '';
  const isDraft04 = isObject(schema) && typeof schema.$schema === 'string' && schema.$schema.includes('draft-04');
  const copy = (node: Json, pointer: string): Json => {
    if (!isObject(node)) return node;
    const kept: [string, Json][] = [];
    let isSame = true;
    for (const [keyword, value] of Object.entries(node)) {
      const place = `${pointer}/${escapeToken(keyword)}`;
      let now: Json | undefined;
      if (isRemoved(keyword, value, pointer)) removed.push({ pointer: place, keyword });
      else if (keyword === '$ref' && typeof value === 'string') {
        const local = localReference(value, ownId);
        if (local === undefined) removed.push({ pointer: place, keyword });
        else now = pointerReference(local, schema);
      } else if (keyword === 'nullable') {
        // Its meaning moves into `type` below: ajv refuses it without a type, and generators do not know it.
      } else now = copyValue(keyword, value, place);
      if (now !== undefined) kept.push([keyword, now]);
      isSame &&= now === value;
    }
    const copied = isSame ? node : Object.fromEntries(kept);
    return withNull(isDraft04 ? withNumericBounds(copied) : copied, node.nullable, pointer === '');
  };
  const copyValue = (keyword: string, value: Json, place: string): Json => {
    if (Array.isArray(value)) {
      if (!SCHEMA_LIST_KEYWORDS.has(keyword)) return value;
      const items = value.map((item, index) => copy(item, `${place}/${index}`));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (SCHEMA_KEYWORDS.has(keyword)) return copy(value, place);
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isObject(value)) {
      const entries = Object.entries(value).map(([name, item]): [string, Json] => [
        name,
        copy(item, `${place}/${escapeToken(name)}`),
      ]);
      return entries.every(([name, item]) => item === value[name]) ? value : Object.fromEntries(entries);
    }
    return value;
  };
  // What is not changed stays the same object: what is known of it need not be found out again.
  return { schema: copy(schema, ''), removed };
}

/** The references of a schema, by place, that point outside it. */
export function isExternalReference(reference: string, rootSchema: Json): boolean {
  const ownId = isObject(rootSchema) && typeof rootSchema.$id === 'string' ? withoutFragment(rootSchema.$id) : '';
  return localReference(reference, ownId) === undefined;
}

/** A local reference by pointer: one by anchor is known to few readers of schemas. */
function pointerReference(reference: string, root: Json): string {
  if (reference === '#' || reference.startsWith('#/')) return reference;
  const pointer = resolveLocalReference(root, reference)?.pointer;
  return pointer === undefined ? reference : `#${encodeURI(pointer).replaceAll('#', '%23')}`;
}

function isRemoved(keyword: string, value: Json, pointer: string): boolean {
  if (REMOVED.has(keyword)) return true;
  if (keyword === '$id' || keyword === 'id') return typeof value === 'string';
  if (keyword === '$schema') return pointer !== '' || typeof value !== 'string' || !DIALECT.test(value);
  return (
    isObject(value) &&
    typeof value.$data === 'string' &&
    Object.keys(value).length === 1 &&
    !SCHEMA_MAP_KEYWORDS.has(keyword)
  );
}

/** Draft-04 says with a boolean whether a bound is exclusive; later drafts give the bound itself. */
function withNumericBounds(schema: JsonObject): JsonObject {
  let changed = schema;
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const { [bound]: value, [exclusive]: isExclusive, ...rest } = changed;
    if (typeof isExclusive !== 'boolean') continue;
    changed = value === undefined ? rest : { ...rest, [isExclusive ? exclusive : bound]: value };
  }
  return changed;
}

/** Keywords whose schemas would go on refusing `null` where only the type allowed it. */
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf'];

/** OpenAPI's own text has `nullable` add a type and nothing else; whoever writes it beside a list of values or a reference means `null` all the same. */
function withNull(schema: JsonObject, nullable: Json | undefined, isRoot: boolean): JsonObject {
  if (nullable !== true) return schema;
  // What the root holds is referred to by its place.
  if (!isRoot && COMBINING.some((keyword) => schema[keyword] !== undefined))
    return { anyOf: [schema, { type: 'null' }] };
  const { type, enum: values } = schema;
  const types = Array.isArray(type) ? type : [type];
  return {
    ...schema,
    ...(type === undefined || types.includes('null') ? {} : { type: [...types, 'null'] as Json }),
    ...(!Array.isArray(values) || values.includes(null) ? {} : { enum: [...values, null] }),
  };
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

function localReference(reference: string, ownId: string): string | undefined {
  if (reference.startsWith('#')) return reference;
  if (ownId === '') return undefined;
  const target = withoutFragment(reference);
  const fragment = reference.slice(target.length);
  const same = target === ownId || (URL.canParse(target, ownId) && new URL(target, ownId).href === ownId);
  return same ? fragment || '#' : undefined;
}
