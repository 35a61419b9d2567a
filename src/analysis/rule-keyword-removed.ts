import type { LocatedSchema } from '../contract/agreement.ts';
import { partPointer } from '../documents/schema-union.ts';
import { isObject, valueAt } from '../kernel/json.ts';
import { type RemovedKeyword, sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { splitPointer } from '../schemas/schema-walk.ts';
import { eachChosenSchema, type Rule } from './rule.ts';

/**
 * Warns of removed keywords: those that only a generator or compiler obeys, and those that the schema's dialect
 * ignores.
 */
export const ruleKeywordRemoved: Rule = {
  name: 'keyword-removed',
  check({ agreement }) {
    return eachChosenSchema(agreement).flatMap(({ located, place }) =>
      removedFrom(located)
        .filter(({ reason }) => reason !== 'external')
        .slice(0, 20)
        .map(({ pointer, message, reason }) => ({
          finding: {
            code: reason === 'unsafe' ? 'DOCUMENT_KEYWORD_REMOVED' : 'DOCUMENT_KEYWORD_IGNORED',
            severity: 'warning',
            in: place,
            pointer,
            message,
          },
          text: 'document',
          at: located.start,
        })),
    );
  },
};

function removedFrom({ schema, parts = [] }: LocatedSchema): (RemovedKeyword & { message: string })[] {
  if (parts.length > 0)
    return parts.flatMap((part, index) =>
      removedFrom(part).map((each) => ({ ...each, pointer: `${partPointer(index + 1)}${each.pointer}` })),
    );
  return sanitiseSchema(schema).removed.map((each) => {
    const owner = valueAt(schema, splitPointer(each.pointer)?.parent ?? '');
    const isBesideReference = isObject(owner) && owner.$ref !== undefined;
    const found =
      each.reason === 'unsafe'
        ? 'it has no meaning for a message, wanted validation keywords only'
        : `the schema's dialect ${isBesideReference ? 'ignores it next to "$ref"' : 'does not have it'}, wanted one that it supports`;
    return { ...each, message: `Cannot obey keyword "${each.keyword}": ${found}` };
  });
}
