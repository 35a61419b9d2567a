import type { LocatedSchema, Origin } from '../contract/agreement.ts';
import { rebased } from '../documents/schema-union.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { resolveLocalReference } from '../schemas/schema-walk.ts';

/** Most references and combinations that are followed in a row to learn what a schema describes. */
const MAX_DEPTH = 8;

/** Most subschemas examined to learn what one schema describes; combinations could multiply them. */
const MAX_EXAMINED = 400;

/** Whether a schema describes only objects, so that a member can be added to them. */
export function describesObjects(schema: Json): boolean {
  const budget = { left: MAX_EXAMINED };
  const describes = (part: Json, depth: number): boolean => {
    budget.left -= 1;
    if (!isObject(part) || depth > MAX_DEPTH || budget.left < 0) return false;
    if (typeof part.$ref === 'string')
      return describes(resolveLocalReference(schema, part.$ref)?.schema ?? true, depth + 1);
    if (part.type !== undefined) return part.type === 'object';
    if (isObject(part.properties) || Array.isArray(part.required)) return true;
    const { allOf, anyOf, oneOf } = part;
    if (Array.isArray(allOf) && allOf.some((one) => describes(one, depth + 1))) return true;
    return [anyOf, oneOf].some(
      (list) => Array.isArray(list) && list.length > 0 && list.every((one) => describes(one, depth + 1)),
    );
  };
  return describes(schema, 0);
}

/**
 * A schema of objects with one more required member. Its own parts keep their places; a reference at its root is
 * replaced by what it points to.
 */
export function withMember(located: LocatedSchema, name: string, member: Json): LocatedSchema {
  const { schema: given, origins = [] } = located;
  if (!isObject(given)) return located;
  const { part, pointer } = withoutReference(given);
  const { properties, required } = part;
  const opened = openedFor(part, given, name);
  const schema: JsonObject = {
    ...definitionsOf(given),
    ...opened,
    type: 'object',
    // Last, so that the other members keep their places.
    properties: { ...(isObject(properties) ? properties : {}), [name]: member },
    required: [...(Array.isArray(required) ? required : []), name],
  };
  return { ...located, schema, origins: pointer === '' ? [...origins] : movedOrigins(located, pointer) };
}

/** A schema of objects with two required members: `inner`, which the given schema describes, and `name`. */
export function wrappedSchema(located: LocatedSchema, name: string, member: JsonObject, inner: string): LocatedSchema {
  const at = `/properties/${inner}`;
  const schema: Json = {
    type: 'object',
    properties: { [name]: member, [inner]: rebased(located.schema, `#${at}`) },
    required: [name, inner],
  };
  const own: Origin = { at: '', start: located.start, pointer: '' };
  const origins = [...(located.origins ?? []), own].map((origin) => ({ ...origin, at: `${at}${origin.at}` }));
  return { ...located, schema, origins };
}

/** What a reference at the root of a schema points to, and where that is. */
function withoutReference(schema: JsonObject): { part: JsonObject; pointer: string } {
  let [part, pointer] = [schema, ''];
  for (let depth = 0; depth < MAX_DEPTH && typeof part.$ref === 'string'; depth += 1) {
    const found = resolveLocalReference(schema, part.$ref);
    if (found === undefined || !isObject(found.schema)) break;
    [part, pointer] = [found.schema, found.pointer];
  }
  return { part, pointer };
}

function definitionsOf({ $schema, $defs, definitions }: JsonObject): JsonObject {
  return {
    ...($schema === undefined ? {} : { $schema }),
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

/** The origins of a schema whose root is now the part at a pointer. */
function movedOrigins({ origins = [], start }: LocatedSchema, pointer: string): Origin[] {
  const holder = origins.find(({ at }) => pointer === at || pointer.startsWith(`${at}/`));
  const root = {
    at: '',
    start: holder?.start ?? start,
    pointer: `${holder?.pointer ?? ''}${pointer.slice(holder?.at.length ?? 0)}`,
  };
  return [...origins.filter(({ at }) => at !== ''), root];
}

/** A part of a schema that now allows a member of that name, also in the parts that it refers to. */
function openedFor(given: JsonObject, root: JsonObject, name: string): JsonObject {
  const budget = { left: MAX_EXAMINED };
  const opened = (part: Json, depth: number): Json => {
    budget.left -= 1;
    if (!isObject(part) || depth > MAX_DEPTH || budget.left < 0) return part;
    if (typeof part.$ref === 'string') {
      const target = resolveLocalReference(root, part.$ref)?.schema;
      const inner = target === undefined ? target : opened(target, depth + 1);
      return inner === undefined || inner === target ? part : inner;
    }
    const changed: [string, Json][] = Object.entries(part).map(([keyword, value]) => [
      keyword,
      openedValue(keyword, value, (one) => opened(one, depth + 1)),
    ]);
    const isClosed = [part.additionalProperties, part.unevaluatedProperties].some(
      (rest) => rest !== undefined && rest !== true,
    );
    if (isClosed) {
      const properties = isObject(part.properties) ? part.properties : {};
      return { ...Object.fromEntries(changed), properties: { ...properties, [name]: true } };
    }
    return changed.every(([keyword, value]) => value === part[keyword]) ? part : Object.fromEntries(changed);
  };
  const openedValue = (keyword: string, value: Json, inner: (part: Json) => Json): Json => {
    if (Array.isArray(value) && IN_PLACE.has(keyword)) {
      const items = value.map(inner);
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (keyword === 'propertyNames') return { anyOf: [{ const: name }, value] };
    if (MEMBER_COUNTS.has(keyword) && typeof value === 'number') return value + 1;
    return value;
  };
  return opened(given, 0) as JsonObject;
}

/** Keywords whose schemas describe the same object. */
const IN_PLACE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf']);

const MEMBER_COUNTS: ReadonlySet<string> = new Set(['minProperties', 'maxProperties']);
