import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { allSubschemas, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './schema-walk.ts';

/** The drafts of JSON Schema that are told apart, from the oldest on. */
const DRAFTS = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;

/** The dialects that a schema may be read by; `unnamed` where nothing tells. */
export type Dialect = (typeof DRAFTS)[number] | 'openapi-3.0' | 'unnamed';

/** The dialect of schemas inside a description by OpenAPI 3.0 or Swagger, as `$schema` would name it. */
export const OPENAPI_3_0 = 'https://spec.openapis.org/oas/3.0/dialect/base';

/** The dialect that a `$schema` names; `undefined` where that is none of those known. */
export function dialectNamed(uri: Json | undefined): Dialect | undefined {
  if (typeof uri !== 'string') return undefined;
  if (/draft-0[1-3]\b/.test(uri)) return 'draft-04';
  if (/\/oas\/3\.0\b/.test(uri)) return 'openapi-3.0';
  if (/\/oas\/3\.\d/.test(uri)) return '2020-12';
  return DRAFTS.find((draft) => uri.includes(draft));
}

/** The dialect of a whole schema: the one that `$schema` names, else OpenAPI 3.0 where only that has such keywords. */
export function dialectOf(schema: Json): Dialect {
  if (!isObject(schema)) return 'unnamed';
  return dialectNamed(schema.$schema) ?? (allSubschemas(schema).some(isOfOpenApi) ? 'openapi-3.0' : 'unnamed');
}

function isOfOpenApi({ schema }: { schema: Json }): boolean {
  if (!isObject(schema)) return false;
  const { nullable, exclusiveMinimum, exclusiveMaximum } = schema;
  return [nullable, exclusiveMinimum, exclusiveMaximum].some((value) => typeof value === 'boolean');
}

/** Keywords that ask something of a value by themselves, over all drafts. */
export const ASSERTIONS: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'required', 'dependentRequired'],
]);

/** Keywords that keep schemas for others, and ask nothing of a value. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

function asksOfValue(keyword: string): boolean {
  if (DEFINITIONS.has(keyword)) return false;
  return [ASSERTIONS, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS].some((set) => set.has(keyword));
}

/** The draft that a keyword came with, where that is not the oldest one. */
const SINCE: Readonly<Record<string, Dialect>> = {
  const: 'draft-06',
  contains: 'draft-06',
  propertyNames: 'draft-06',
  if: 'draft-07',
  // biome-ignore lint/suspicious/noThenProperty: a keyword's name
  then: 'draft-07',
  else: 'draft-07',
  dependentSchemas: '2019-09',
  dependentRequired: '2019-09',
  unevaluatedProperties: '2019-09',
  unevaluatedItems: '2019-09',
  minContains: '2019-09',
  maxContains: '2019-09',
  contentSchema: '2019-09',
  $recursiveRef: '2019-09',
  prefixItems: '2020-12',
  $dynamicRef: '2020-12',
};

/** Whether a keyword of a schema says nothing in a dialect: it came later, or stands beside a reference that alone counts there. */
export function isIgnored(keyword: string, schema: JsonObject, dialect: Dialect): boolean {
  if (dialect === 'unnamed') return false;
  if (countsReferenceAlone(schema, dialect)) return asksOfValue(keyword);
  const since = Object.hasOwn(SINCE, keyword) ? SINCE[keyword] : undefined;
  // What OpenAPI 3.0 leaves out it forbids: whoever writes it all the same means it.
  return since !== undefined && dialect !== 'openapi-3.0' && isOlder(dialect, since);
}

/** Whether a schema is a reference beside which nothing counts: so it was up to draft-07, and in OpenAPI 3.0. */
export function countsReferenceAlone(schema: JsonObject, dialect: Dialect): boolean {
  return dialect !== 'unnamed' && isOlder(dialect, '2019-09') && typeof schema.$ref === 'string';
}

function isOlder(dialect: Dialect, than: Dialect): boolean {
  const [a, b] = [dialect, than].map((one) => (DRAFTS as readonly string[]).indexOf(one)) as [number, number];
  return a < b;
}

/** The id by which others refer to a schema, a part of it behind `#`; `undefined` where it has none. */
export function idOf(schema: JsonObject, dialect: Dialect, isRoot: boolean): string | undefined {
  if (countsReferenceAlone(schema, dialect) && !isRoot) return undefined;
  const old = dialect === 'draft-04' || (isRoot && dialect === 'unnamed') ? schema.id : undefined;
  const id = dialect === 'draft-04' ? old : (schema.$id ?? old);
  return typeof id === 'string' ? id : undefined;
}
