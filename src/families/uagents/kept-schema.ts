import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';

/**
 * The schema of a model as the peers' code keeps it: what a model may leave out without a default may be null, and
 * times need no zone. The schema that pydantic writes says neither.
 */
export function keptSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, keptMember(schema, name, value)]));
}

const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions']);
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'anyOf', 'allOf']);

function keptMember(schema: JsonObject, name: string, value: Json): Json {
  if (name === 'format') return value === 'date-time' ? 'iso-date-time' : value;
  if (SCHEMAS.has(name)) return Array.isArray(value) ? value.map(kept) : kept(value);
  if (!MAPS.has(name) || !isObject(value)) return value;
  const required = name === 'properties' && Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(value).map(([own, member]): [string, Json] => {
    const isOptional = name === 'properties' && !required.includes(own);
    return [own, isOptional ? orNull(kept(member)) : kept(member)];
  });
  return Object.fromEntries(members);
}

function kept(schema: Json): Json {
  return isObject(schema) ? keptSchema(schema) : schema;
}

const NULL: JsonObject = { type: 'null' };

/** A schema that also allows null, unless it has a default: null is no value of most members with one. */
function orNull(schema: Json): Json {
  if (!isObject(schema) || Object.hasOwn(schema, 'default')) return schema;
  const { type, anyOf } = schema;
  const isBare = !['enum', 'const', '$ref', 'allOf'].some((name) => Object.hasOwn(schema, name));
  if (isBare && typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (isBare && type === undefined) return Array.isArray(anyOf) ? { ...schema, anyOf: [...anyOf, NULL] } : schema;
  return { anyOf: [schema, NULL] };
}
