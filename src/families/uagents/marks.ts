import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { sanitiseSchema } from '../../schemas/sanitise-schema.ts';
import { validatorOf } from '../../schemas/validator-of.ts';
import type { Model, Protocol } from './manifest.ts';

/** The member by which a payload names its model, if its other members do not tell it from another one's. */
export const MARK = '$model';

/** The schema of a model's payloads as handlers see them. */
export type Shown = ReadonlyMap<Model, JsonObject>;

/**
 * What handlers see of the models of a protocol: their schemas as agreed, with a mark if two on one side could
 * be taken for each other.
 */
export function shownModels({ models, interactions, errorMessage }: Protocol): Shown {
  const sides = [interactions.map(({ request }) => request), ...interactions.map(({ replies }) => replies)];
  const marked = new Set(sides.flatMap(alikeIn));
  const all = new Set([...models, errorMessage]);
  return new Map([...all].map((model) => [model, marked.has(model) ? withMark(model) : model.schema]));
}

/** Whether payloads of a model name it. */
export function isMarked(model: Model, shown: Shown): boolean {
  return shown.get(model) !== model.schema;
}

/**
 * The models among these that a payload as handlers see it can be of: those that know all of its members, else those
 * that allow it.
 */
export function modelsOf(payload: Json, candidates: readonly Model[], shown: Shown): Model[] {
  const allowing = candidates.filter((model) => allows(shown.get(model) ?? model.schema, payload));
  const knowing = allowing.filter((model) => isObject(payload) && knowsAll(shown.get(model) ?? model.schema, payload));
  return knowing.length > 0 ? knowing : allowing;
}

/** Whether a value is valid under a schema; `false` if that does not compile. */
export function allows(schema: JsonObject, value: Json): boolean {
  const validator = validatorOf(sanitiseSchema(schema).schema);
  return validator.ok && validator.validate(value).length === 0;
}

/** A payload without the members that its model does not know: the peers ignore them too. */
export function knownMembers(schema: JsonObject, payload: Json): Json {
  if (!isObject(payload) || isOpen(schema)) return payload;
  const names = namesIn(schema);
  return Object.fromEntries(Object.entries(payload).filter(([name]) => names.has(name)));
}

function knowsAll(schema: JsonObject, payload: JsonObject): boolean {
  const names = namesIn(schema);
  return isOpen(schema) || Object.keys(payload).every((name) => names.has(name));
}

function alikeIn(side: readonly Model[]): Model[] {
  const distinct = [...new Set(side)];
  return distinct.filter((model) => distinct.some((other) => other !== model && areAlike(model.schema, other.schema)));
}

/** Whether a payload without unknown members could belong to both. */
function areAlike(one: JsonObject, other: JsonObject): boolean {
  if (typeof one.type === 'string' && typeof other.type === 'string' && one.type !== other.type) return false;
  const lacks = (schema: JsonObject, names: readonly string[]) =>
    !isOpen(schema) && names.some((name) => !namesIn(schema).has(name));
  return !lacks(one, requiredOf(other)) && !lacks(other, requiredOf(one));
}

function withMark(model: Model): JsonObject {
  const { schema, name } = model;
  const properties = isObject(schema.properties) ? schema.properties : {};
  // Only an object can name anything, and a member of that name is the model's own.
  if (schema.type !== 'object' || Object.hasOwn(properties, MARK)) return schema;
  return {
    ...schema,
    properties: { [MARK]: { const: name }, ...properties },
    required: [MARK, ...requiredOf(schema)],
  };
}

/** Whether a model says itself what members beyond its own may hold. */
function isOpen({ type, additionalProperties }: JsonObject): boolean {
  return type !== 'object' || additionalProperties === true || isObject(additionalProperties);
}

const names = new WeakMap<JsonObject, ReadonlySet<string>>();

function namesIn(schema: JsonObject): ReadonlySet<string> {
  const found = names.get(schema) ?? new Set(isObject(schema.properties) ? Object.keys(schema.properties) : []);
  names.set(schema, found);
  return found;
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
