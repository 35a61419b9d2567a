import type { Agreement, LocatedSchema } from '../contract/agreement.ts';
import type { InteractionSchemas } from '../contract/handler.ts';
import { isObject, type Json } from '../kernel/json.ts';
import type { Violation } from '../schemas/violations.ts';
import type { CaseValidation } from './case-validation.ts';
import { partPointer } from './schema-union.ts';

/**
 * Which reply may follow which request, if an agreement has several interactions; empty if it has only one. The schemas
 * reference parts of the agreement's schemas, so amendments apply to both.
 */
export function interactionSchemas({
  interactions,
  requestSchema,
  responseSchema,
}: Pick<Agreement, 'interactions' | 'requestSchema' | 'responseSchema'>): InteractionSchemas[] {
  if (interactions.length < 2) return [];
  return interactions.map(({ request, replies }) => ({
    request: partOf(requestSchema, request === null ? [] : [request]),
    reply: partOf(responseSchema, replies),
  }));
}

/** The part of a union that consists of these schemas; `true` if there are none. */
function partOf(union: LocatedSchema | null, schemas: readonly LocatedSchema[]): Json {
  if (union === null || schemas.length === 0) return true;
  if (union.parts === undefined || !isObject(union.schema)) return union.schema;
  const numbers = schemas.map((schema) => (union.parts?.indexOf(schema) ?? -1) + 1).filter((number) => number > 0);
  const references = numbers.map((number) => ({ $ref: `#${partPointer(number)}` }));
  const [only] = references;
  const { anyOf: _, ...rest } = union.schema;
  return { ...rest, ...(references.length === 1 ? only : { anyOf: references }) };
}

/**
 * Where a response breaks the schemas of the possible replies to its request. Empty if one of these schemas allows it,
 * or if no interaction matches the request.
 */
export function replyViolations(
  interactions: readonly InteractionSchemas[],
  request: Json,
  response: Json,
  validation: CaseValidation,
): readonly Violation[] {
  const asked = interactions.filter((one) => validation.allows(one.request, request) !== false);
  const found = asked.map(({ reply }) => validation.violations(reply, response));
  return found.some(({ length }) => length === 0) ? [] : (found[0] ?? []);
}
