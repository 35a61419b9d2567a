import { isObject, type Json, type JsonObject } from '../kernel/json.ts';

const TYPE_NAMES: ReadonlySet<string> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'any',
]);

/** Keywords that rarely name a member of a message if their values have these shapes. */
const SHAPE_OF_KEYWORD: Readonly<Record<string, (value: Json) => boolean>> = {
  properties: (value) => isObject(value) && Object.values(value).every(isSchemaPart),
  patternProperties: isMapOfSchemas,
  $defs: isMapOfSchemas,
  definitions: isMapOfSchemas,
  items: (value) => isSchemaPart(value) || (Array.isArray(value) && value.length > 0 && value.every(isSchemaPart)),
  prefixItems: isListOfSchemas,
  allOf: isListOfSchemas,
  anyOf: isListOfSchemas,
  oneOf: isListOfSchemas,
  $ref: (value) => typeof value === 'string',
  enum: (value) => Array.isArray(value),
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  additionalProperties: (value) => typeof value === 'boolean' || isObject(value),
  pattern: (value) => typeof value === 'string',
};

const DISTINCTIVE_KEYWORDS = Object.keys(SHAPE_OF_KEYWORD);

/** Whether a JSON value is a JSON Schema and not an example message. */
export function looksLikeSchema(value: Json): value is JsonObject {
  if (!isObject(value) || isLibrary(value)) return false;
  if (typeof value.$schema === 'string') return true;
  const typed = isTypeKeyword(value.type);
  // Iterates over the keywords, because an object may have thousands of members.
  const distinctive = DISTINCTIVE_KEYWORDS.filter(
    (keyword) => Object.hasOwn(value, keyword) && SHAPE_OF_KEYWORD[keyword]?.(value[keyword] as Json) === true,
  );
  if (typed && (distinctive.length > 0 || isObject(value.properties))) return true;
  // Many messages have a member named `type`, so `type` makes a schema only if all other members are keywords too.
  if (typed) return Object.keys(value).every((keyword) => PART_KEYWORDS.has(keyword) || /^(?:\$|x-)/.test(keyword));
  // Code generators write a recursive schema as a `$ref` into its own definitions.
  if (typeof value.$ref === 'string' && (isMapOfSchemas(value.$defs) || isMapOfSchemas(value.definitions))) return true;
  return distinctive.some((keyword) => STRUCTURAL.has(keyword) && hasContent(value[keyword]));
}

/**
 * Whether a value below an announcement of a schema is a schema, even if it would count as data elsewhere. If only a
 * message is announced (`isSchemaNamed` is false), the value needs a keyword that messages do not use.
 */
export function isAnnouncedSchema(value: Json, isSchemaNamed: boolean): boolean {
  if (typeof value === 'boolean') return isSchemaNamed;
  if (!isObject(value) || isLibrary(value)) return false;
  const keywords = Object.keys(value);
  const hasShape = (keyword: string) =>
    !Object.hasOwn(SHAPE_OF_KEYWORD, keyword) || SHAPE_OF_KEYWORD[keyword]?.(value[keyword] as Json) === true;
  if (!keywords.every((keyword) => (PART_KEYWORDS.has(keyword) || /^(?:\$|x-)/.test(keyword)) && hasShape(keyword)))
    return false;
  return isSchemaNamed || keywords.some((keyword) => SCHEMA_ONLY.has(keyword));
}

const SCHEMA_ONLY: ReadonlySet<string> = new Set(['$ref', 'const', 'enum', 'not']);

/** Whether a value only holds definitions for other schemas and describes no message itself. */
function isLibrary(value: Json): boolean {
  if (!isObject(value)) return false;
  if (!isObject(value.$defs ?? null) && !isObject(value.definitions ?? null)) return false;
  return !Object.keys(value).some((keyword) => DESCRIBES_MESSAGE.has(keyword));
}

const DESCRIBES_MESSAGE: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'items', 'prefixItems', '$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const', 'required'],
]);

const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'title',
    'description',
    'examples',
    'default',
    'format',
    'const',
    '$id',
    '$comment',
    'deprecated',
    'readOnly',
  ],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'nullable'],
  ...[
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'maxProperties',
    'writeOnly',
    'contentEncoding',
    'contentMediaType',
  ],
]);

const STRUCTURAL: ReadonlySet<string> = new Set(['properties', 'allOf', 'anyOf', 'oneOf', 'prefixItems']);

function hasContent(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

function isTypeKeyword(value: Json | undefined): boolean {
  if (typeof value === 'string') return TYPE_NAMES.has(value);
  return (
    Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && TYPE_NAMES.has(name))
  );
}

function isSchemaPart(value: Json): boolean {
  if (typeof value === 'boolean') return true;
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length === 0 || names.some((name) => PART_KEYWORDS.has(name));
}

const PART_KEYWORDS: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  ...Object.keys(SHAPE_OF_KEYWORD),
  ...[
    'not',
    'if',
    'then',
    'else',
    'contains',
    'propertyNames',
    'dependencies',
    'dependentSchemas',
    'dependentRequired',
  ],
  ...['additionalItems', 'unevaluatedProperties', 'unevaluatedItems', 'minContains', 'maxContains', 'contentSchema'],
  '$data',
  'tsType',
]);

function isMapOfSchemas(value: Json | undefined): boolean {
  return isObject(value) && Object.values(value).every(isSchemaPart);
}

function isListOfSchemas(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSchemaPart);
}
