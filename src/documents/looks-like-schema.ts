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

/** Keywords that hardly ever name a member of a message when their values have these shapes. */
const TELLING: Readonly<Record<string, (value: Json) => boolean>> = {
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

const TELLING_KEYWORDS = Object.keys(TELLING);

/** Says whether a JSON value is a JSON Schema rather than an example of a message. */
export function looksLikeSchema(value: Json): value is JsonObject {
  if (!isObject(value) || isLibrary(value)) return false;
  if (typeof value.$schema === 'string') return true;
  const typed = isTypeKeyword(value.type);
  // Keyword by keyword: an object of thousands of members has no more of them.
  const told = TELLING_KEYWORDS.filter(
    (keyword) => Object.hasOwn(value, keyword) && TELLING[keyword]?.(value[keyword] as Json) === true,
  );
  if (typed && (told.length > 0 || isObject(value.properties))) return true;
  // `type` alone names a member of many messages, so it must stand nearly alone to make a schema.
  if (typed) return Object.keys(value).every((keyword) => PART_KEYWORDS.has(keyword) || /^(?:\$|x-)/.test(keyword));
  // A reference into definitions of its own is how generators write a schema that refers to itself.
  if (typeof value.$ref === 'string' && (isMapOfSchemas(value.$defs) || isMapOfSchemas(value.definitions))) return true;
  return told.some((keyword) => STRUCTURAL.has(keyword) && hasContent(value[keyword]));
}

/**
 * Whether a value that stands where a schema is announced is one, though it would pass for data elsewhere. Where only a message of that side is
 * announced, `isSchemaNamed` unset, it must have a keyword that no message has a reason for.
 */
export function isAnnouncedSchema(value: Json, isSchemaNamed: boolean): boolean {
  if (typeof value === 'boolean') return isSchemaNamed;
  if (!isObject(value) || isLibrary(value)) return false;
  const keywords = Object.keys(value);
  const hasShape = (keyword: string) =>
    !Object.hasOwn(TELLING, keyword) || TELLING[keyword]?.(value[keyword] as Json) === true;
  if (!keywords.every((keyword) => (PART_KEYWORDS.has(keyword) || /^(?:\$|x-)/.test(keyword)) && hasShape(keyword)))
    return false;
  return isSchemaNamed || keywords.some((keyword) => ALONE.has(keyword));
}

const ALONE: ReadonlySet<string> = new Set(['$ref', 'const', 'enum', 'not']);

/** Whether a value only keeps definitions for others: it describes no message, or holds schemas beside them. */
function isLibrary(value: Json): boolean {
  if (!isObject(value)) return false;
  if (!isObject(value.$defs ?? null) && !isObject(value.definitions ?? null)) return false;
  return !Object.keys(value).some((keyword) => TELLS_OF_MESSAGE.has(keyword));
}

const TELLS_OF_MESSAGE: ReadonlySet<string> = new Set([
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
  ...Object.keys(TELLING),
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
