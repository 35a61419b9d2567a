import type { Agreement, LocatedSchema } from '../contract/agreement.ts';
import type { InteractionSchemas } from '../contract/handler.ts';
import { isObject, type Json } from '../kernel/json.ts';
import type { Violation } from '../schemas/violations.ts';
import type { CaseValidation } from './case-validation.ts';
import { partPointer } from './schema-union.ts';

/**
 * Which reply may follow which request, where an agreement has several interactions; none where it has one alone.
 * The schemas are parts of the agreement's, so that what amends those amends these.
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

/** The part of a union that some schemas make up; `true` where nothing is said. */
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
 * What is wrong with a response to a request, by the replies that may follow it: none where one of them allows it, and
 * where no interaction knows the request.
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
