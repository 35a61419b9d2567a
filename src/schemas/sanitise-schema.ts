import { escapeToken, isObject, type Json, type JsonObject, pointerTokens } from '../kernel/json.ts';
import { type Dialect, isIgnored } from './dialect.ts';
import { decoded, namesIn } from './schema-names.ts';
import { allSubschemas, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './schema-walk.ts';
import { usedSchema } from './used-schema.ts';

/** A keyword that was taken out of a schema. */
export interface RemovedKeyword {
  /** JSON pointer to the keyword in the schema as given. */
  pointer: string;
  keyword: string;
  /** `unsafe`: only a generator or compiler would obey it; `external`: it refers to another document; `ignored`: the dialect does not obey it. */
  reason: 'unsafe' | 'external' | 'ignored';
}

/** The dialects whose `$schema` is kept and obeyed. */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)|draft-0[4-7])\/(?:hyper-)?schema#?$/;

/**
 * Keywords with a meaning beyond validation to a compiler or a generator: they change how code is made or when a verdict
 * comes, and a document must not decide that.
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
 * A schema in which every reference leads to a place in it, and that holds neither definitions that nothing leads to, nor
 * what its dialect ignores, nor anything that only a generator or compiler would obey: `tsType`, `$data`, `$async`, external
 * references. OpenAPI's `nullable` becomes the type `null`. What stays keeps its place. With `external` kept, references to
 * other documents stay, as whole addresses, and so do all definitions. The schema itself where nothing is to be changed. Never throws; sanitising twice
 * changes nothing. The schema must not be changed afterwards.
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
    /** Where dynamic references lead. */
    const leads: string[] = [];
    let isSame = true;
    for (const [keyword, value] of Object.entries(node)) {
      const place = `${pointer}/${escapeToken(keyword)}`;
      const leaveOut = (reason: RemovedKeyword['reason']) => void removed.push({ pointer: place, keyword, reason });
      let now: Json | undefined;
      if (isUnsafe(keyword, value)) leaveOut('unsafe');
      else if (isIgnored(keyword, node, resource.dialect)) leaveOut('ignored');
      else if (keyword === '$ref' && typeof value === 'string') {
        const target = names.targetOf(value, resource);
        if ('pointer' in target) now = referenceTo(target.pointer, value);
        else if ('missing' in target) now = target.missing;
        else if (keepsExternal) now = target.external;
        else leaveOut('external');
      } else if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
        const target = names.dynamicTargetOf(keyword, value, resource);
        if (target === undefined) leaveOut('unsafe');
        else leads.push(referenceTo(target));
      } else if (keyword === '$schema') {
        if (pointer === '' && typeof value === 'string' && DIALECT.test(value)) now = value;
      } else if (!isName(keyword, value) && keyword !== 'nullable') now = copyValue(keyword, value, place);
      if (now !== undefined) kept.push([keyword, now]);
      isSame &&= now === value;
    }
    const copied = isSame ? node : withReferences(Object.fromEntries(kept), leads);
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
  // What is not changed stays the same object: what is known of it need not be found out again.
  let schema = copy(given, '');
  for (const { schema: each, pointer, isApart } of allSubschemas(given))
    if (isApart === true) schema = withValue(schema, pointerTokens(pointer), copy(each, pointer));
  return { schema, removed };
}

/** A value with another one at a place that it has. */
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

/** A reference to a place, as it was written where that says the same. */
function referenceTo(pointer: string, written = ''): string {
  if ((written === '#' || written.startsWith('#/')) && decoded(written.slice(1)) === pointer) return written;
  return pointer.isWellFormed() ? `#${encodeURI(pointer).replaceAll('#', '%23')}` : written;
}

/** A schema that is held to these references besides its own. */
function withReferences(schema: JsonObject, references: readonly string[]): JsonObject {
  const [first, ...more] = references.map(($ref) => ({ $ref }));
  if (first === undefined) return schema;
  if (schema.$ref === undefined && more.length === 0) return { ...schema, ...first };
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), first, ...more] };
}

/** Whether a keyword names a schema: its names have done their work once references lead to places. */
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

/** Draft-04 and OpenAPI 3.0 say with a boolean whether a bound is exclusive; later drafts give the bound itself. */
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
