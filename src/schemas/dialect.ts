import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { allSubschemas, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './schema-walk.ts';

/** The drafts of JSON Schema that are distinguished, oldest first. */
const DRAFTS = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;

/** The dialects of schemas; `unnamed` if the schema does not say. */
export type Dialect = (typeof DRAFTS)[number] | 'openapi-3.0' | 'unnamed';

/** The dialect of schemas in OpenAPI 3.0 or Swagger, as a `$schema` URI. */
export const OPENAPI_3_0 = 'https://spec.openapis.org/oas/3.0/dialect/base';

/** The dialect that a `$schema` URI names; `undefined` if it is not a known one. */
export function dialectNamed(uri: Json | undefined): Dialect | undefined {
  if (typeof uri !== 'string') return undefined;
  if (/draft-0[1-3]\b/.test(uri)) return 'draft-04';
  if (/\/oas\/3\.0\b/.test(uri)) return 'openapi-3.0';
  if (/\/oas\/3\.\d/.test(uri)) return '2020-12';
  return DRAFTS.find((draft) => uri.includes(draft));
}

/** The dialect of a whole schema: the one named by `$schema`, or OpenAPI 3.0 if the schema uses its keywords. */
export function dialectOf(schema: Json): Dialect {
  if (!isObject(schema)) return 'unnamed';
  return dialectNamed(schema.$schema) ?? (allSubschemas(schema).some(isOfOpenApi) ? 'openapi-3.0' : 'unnamed');
}

function isOfOpenApi({ schema }: { schema: Json }): boolean {
  if (!isObject(schema)) return false;
  const { nullable, exclusiveMinimum, exclusiveMaximum } = schema;
  return [nullable, exclusiveMinimum, exclusiveMaximum].some((value) => typeof value === 'boolean');
}

/** Keywords that constrain a value by themselves, in any draft. */
export const ASSERTIONS: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems', 'uniqueItems', 'minContains', 'maxContains'],
  ...['minProperties', 'maxProperties', 'required', 'dependentRequired'],
]);

/** Keywords that only hold definitions for other schemas. */
export const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

function isConstraint(keyword: string): boolean {
  if (DEFINITIONS.has(keyword)) return false;
  return [ASSERTIONS, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS].some((set) => set.has(keyword));
}

/** The draft that introduced a keyword, unless it is the oldest one. */
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

/** Whether a dialect ignores a keyword of a schema: the keyword is newer, or is next to a `$ref` that overrides it. */
export function isIgnored(keyword: string, schema: JsonObject, dialect: Dialect): boolean {
  if (dialect === 'unnamed') return false;
  if (referenceOverrides(schema, dialect)) return isConstraint(keyword);
  const since = Object.hasOwn(SINCE, keyword) ? SINCE[keyword] : undefined;
  // OpenAPI 3.0 forbids these keywords instead of ignoring them, so an author who writes one means it.
  return since !== undefined && dialect !== 'openapi-3.0' && isOlder(dialect, since);
}

/** Whether a `$ref` overrides all other keywords of a schema, as up to draft-07 and in OpenAPI 3.0. */
export function referenceOverrides(schema: JsonObject, dialect: Dialect): boolean {
  return dialect !== 'unnamed' && isOlder(dialect, '2019-09') && typeof schema.$ref === 'string';
}

function isOlder(dialect: Dialect, than: Dialect): boolean {
  const [a, b] = [dialect, than].map((one) => (DRAFTS as readonly string[]).indexOf(one)) as [number, number];
  return a < b;
}

/** The id by which other schemas reference a schema, with its fragment; `undefined` if it has none. */
export function idOf(schema: JsonObject, dialect: Dialect, isRoot: boolean): string | undefined {
  if (referenceOverrides(schema, dialect) && !isRoot) return undefined;
  const old = dialect === 'draft-04' || (isRoot && dialect === 'unnamed') ? schema.id : undefined;
  const id = dialect === 'draft-04' ? old : (schema.$id ?? old);
  return typeof id === 'string' ? id : undefined;
}
