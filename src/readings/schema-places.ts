import { escapeToken, isObject, type Json, pointerTokens, valueAt } from '../kernel/json.ts';
import { resolveLocalReference } from '../schemas/schema-walk.ts';
import { validatorOf } from '../schemas/validator-of.ts';

/**
 * Whether a valid value may have this value at this place. At a place that the schema does not describe, any value may.
 */
export function mayHaveValueAt(schema: Json, pointer: string, value: Json): boolean {
  const parts = partsAt(schema, pointer);
  return parts.length > 0 && parts.some((part) => allows(part, schema, value));
}

/** Whether a valid value may have anything at this place. */
export function mayExistAt(schema: Json, pointer: string): boolean {
  return partsAt(schema, pointer).length > 0;
}

/** Whether every valid value has this top-level member. */
export function mustExistAt(schema: Json, pointer: string): boolean {
  const [name, ...rest] = pointerTokens(pointer);
  if (name === undefined || rest.length > 0) return false;
  return isObject(schema) && Array.isArray(schema.required) && schema.required.includes(name);
}

/** Most nested references and alternatives that are followed. */
const maxDepth = 12;

/**
 * The schemas that apply at a place: one for each alternative, `true` if the schema does not describe the
 * place.
 */
function partsAt(root: Json, pointer: string): Json[] {
  let parts = alternatives(root, root, 0);
  for (const token of pointerTokens(pointer)) parts = parts.flatMap((part) => membersOf(part, token, root));
  return parts;
}

/** A schema and its branches, each of which may apply alone. */
function alternatives(schema: Json, root: Json, depth: number): Json[] {
  if (!isObject(schema) || depth > maxDepth) return schema === false ? [] : [schema];
  const { $ref: reference, anyOf, oneOf, allOf } = schema;
  if (typeof reference === 'string') {
    const target = resolveLocalReference(root, reference)?.schema;
    return target === undefined ? [true] : alternatives(target, root, depth + 1);
  }
  const options = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const nested = options.flatMap((one) => alternatives(one, root, depth + 1));
  const hasOwn = isObject(schema.properties) || schema.items !== undefined || nested.length === 0;
  return hasOwn ? [schema, ...nested] : nested;
}

function membersOf(schema: Json, token: string, root: Json): Json[] {
  if (!isObject(schema)) return schema === false ? [] : [true];
  const { properties, patternProperties, additionalProperties, items, prefixItems } = schema;
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? undefined : [schema.const];
  if (values !== undefined)
    return values.flatMap((one): Json[] => {
      const member = valueAt(one, `/${escapeToken(token)}`);
      return member === undefined ? [] : [{ const: member }];
    });
  if (isObject(properties) && Object.hasOwn(properties, token)) return alternatives(properties[token] as Json, root, 0);
  if (/^\d+$/.test(token) && (items !== undefined || prefixItems !== undefined)) {
    const item = (Array.isArray(prefixItems) ? prefixItems[Number(token)] : undefined) ?? items ?? true;
    return Array.isArray(item) ? [true] : alternatives(item, root, 0);
  }
  if (typeof schema.type === 'string' && schema.type !== 'object' && schema.type !== 'array') return [];
  if (isObject(patternProperties)) return [true];
  return additionalProperties === undefined ? [true] : alternatives(additionalProperties, root, 0);
}

/** Whether a part of a schema, with the definitions of the whole schema, allows a value. */
function allows(part: Json, root: Json, value: Json): boolean {
  if (!isObject(part)) return part !== false;
  const { $defs, definitions } = isObject(root) ? root : {};
  const whole = {
    ...part,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  const validator = validatorOf(whole);
  return !validator.ok || validator.allows(value);
}
