import { escapeToken, isObject, type Json, type JsonObject, pointerTokens } from '../kernel/json.ts';
import { type Dialect, isIgnored } from './dialect.ts';
import { decoded, namesIn } from './schema-names.ts';
import { allSubschemas, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './schema-walk.ts';
import { usedSchema } from './used-schema.ts';

/** A keyword removed from a schema. */
export interface RemovedKeyword {
  /** JSON pointer to the keyword in the original schema. */
  pointer: string;
  keyword: string;
  /**
   * `unsafe`: only a generator or compiler would obey it; `external`: it references another document; `ignored`: the
   * dialect ignores it.
   */
  reason: 'unsafe' | 'external' | 'ignored';
}

/** The dialects whose `$schema` is kept. */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)|draft-0[4-7])\/(?:hyper-)?schema#?$/;

/**
 * Keywords with a meaning for a compiler or generator, beyond validation: they change how code is generated or make
 * validation asynchronous. A document must not control that.
 */
const REMOVED: ReadonlySet<string> = new Set([
  'tsType',
  'tsEnumNames',
  'extends',
  'goJSONSchema',
  '$async',
  '$data',
  '$vocabulary',
  'discriminator',
]);

interface Sanitised {
  schema: Json;
  removed: RemovedKeyword[];
}

const known = { removed: new WeakMap<object, Sanitised>(), kept: new WeakMap<object, Sanitised>() };

/**
 * Makes a schema safe. Every reference points to a place in it. Unused definitions are removed, and so are keywords
 * that its dialect ignores or that only a generator or compiler obeys: `tsType`, `$data`, `$async`, external
 * references. OpenAPI's `nullable` becomes the type `null`. Everything else keeps its place. With `external` = `kept`,
 * references to other documents stay, as absolute URIs, and so do all definitions.
 *
 * Returns the same object if nothing changes. Idempotent; never throws. The schema must not be changed afterwards.
 */
export function sanitiseSchema(schema: Json, external: 'removed' | 'kept' = 'removed'): Sanitised {
  if (!isObject(schema)) return { schema, removed: [] };
  const before = known[external].get(schema);
  if (before !== undefined) return before;
  const isKept = external === 'kept';
  const made = sanitised(isKept ? schema : (usedSchema(schema) as JsonObject), isKept);
  known[external].set(schema, made);
  return made;
}

function sanitised(given: JsonObject, keepsExternal: boolean): Sanitised {
  const names = namesIn(given);
  const removed: RemovedKeyword[] = [];
  const copy = (node: Json, pointer: string): Json => {
    if (!isObject(node)) return node;
    const resource = names.resourceAt(pointer);
    const kept: [string, Json][] = [];
    /** Targets of dynamic references. */
    const targets: string[] = [];
    let isSame = true;
    for (const [keyword, value] of Object.entries(node)) {
      const place = `${pointer}/${escapeToken(keyword)}`;
      const remove = (reason: RemovedKeyword['reason']) => void removed.push({ pointer: place, keyword, reason });
      let now: Json | undefined;
      if (isUnsafe(keyword, value)) remove('unsafe');
      else if (isIgnored(keyword, node, resource.dialect)) remove('ignored');
      else if (keyword === '$ref' && typeof value === 'string') {
        const target = names.targetOf(value, resource);
        if ('pointer' in target) now = referenceTo(target.pointer, value);
        else if ('missing' in target) now = target.missing;
        else if (keepsExternal) now = target.external;
        else remove('external');
      } else if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
        const target = names.dynamicTargetOf(keyword, value, resource);
        if (target === undefined) remove('unsafe');
        else targets.push(referenceTo(target));
      } else if (keyword === '$schema') {
        if (pointer === '' && typeof value === 'string' && DIALECT.test(value)) now = value;
      } else if (!isName(keyword, value) && keyword !== 'nullable') now = copyValue(keyword, value, place);
      if (now !== undefined) kept.push([keyword, now]);
      isSame &&= now === value;
    }
    const copied = isSame ? node : withReferences(Object.fromEntries(kept), targets);
    return withNull(withNumericBounds(copied, resource.dialect), node.nullable, pointer === '');
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
  // Unchanged parts stay the same objects, so that caches keyed by object still apply.
  let schema = copy(given, '');
  for (const { schema: each, pointer, isApart } of allSubschemas(given))
    if (isApart === true) schema = withValue(schema, pointerTokens(pointer), copy(each, pointer));
  return { schema, removed };
}

/** A copy of a value with the value at an existing place replaced. */
function withValue(whole: Json, [token, ...rest]: readonly string[], value: Json): Json {
  if (token === undefined) return value;
  if (Array.isArray(whole))
    return whole.map((item, index) => (String(index) === token ? withValue(item, rest, value) : item));
  if (!isObject(whole)) return whole;
  const inner = withValue(whole[token] ?? null, rest, value);
  return inner === whole[token]
    ? whole
    : Object.fromEntries(Object.entries(whole).map(([name, item]) => [name, name === token ? inner : item]));
}

/** A reference to a place, as originally written if that means the same. */
function referenceTo(pointer: string, written = ''): string {
  if ((written === '#' || written.startsWith('#/')) && decoded(written.slice(1)) === pointer) return written;
  return pointer.isWellFormed() ? `#${encodeURI(pointer).replaceAll('#', '%23')}` : written;
}

/** A schema with additional references that the value must satisfy. */
function withReferences(schema: JsonObject, references: readonly string[]): JsonObject {
  const [first, ...more] = references.map(($ref) => ({ $ref }));
  if (first === undefined) return schema;
  if (schema.$ref === undefined && more.length === 0) return { ...schema, ...first };
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), first, ...more] };
}

/** Whether a keyword names a schema. Names are no longer needed once references are pointers. */
function isName(keyword: string, value: Json): boolean {
  if (keyword === '$dynamicAnchor' || keyword === '$recursiveAnchor') return true;
  return (keyword === '$id' || keyword === 'id' || keyword === '$anchor') && typeof value === 'string';
}

function isUnsafe(keyword: string, value: Json): boolean {
  if (REMOVED.has(keyword)) return true;
  return (
    isObject(value) &&
    typeof value.$data === 'string' &&
    Object.keys(value).length === 1 &&
    !SCHEMA_MAP_KEYWORDS.has(keyword)
  );
}

/** Draft-04 and OpenAPI 3.0 mark a bound as exclusive with a boolean; later drafts write the exclusive bound itself. */
function withNumericBounds(schema: JsonObject, dialect: Dialect): JsonObject {
  let changed = schema;
  if (dialect !== 'draft-04' && dialect !== 'openapi-3.0') return schema;
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

/** Keywords that would still reject `null` if only the type allowed it. */
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf'];

/**
 * By the OpenAPI text, `nullable` only adds a type. An author who writes it next to an enum or a reference still means
 * that `null` is allowed.
 */
function withNull(schema: JsonObject, nullable: Json | undefined, isRoot: boolean): JsonObject {
  if (nullable !== true) return schema;
  // The root keeps its shape, because references point to places in it.
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
