import { sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { eachChosenSchema, type Rule } from './rule.ts';

/** Keywords that only a generator or a compiler would obey are taken out of the schemas, and said so. */
export const ruleKeywordRemoved: Rule = {
  name: 'keyword-removed',
  check({ agreement }) {
    return eachChosenSchema(agreement).flatMap(({ located, place }) =>
      sanitiseSchema(located.schema)
        .removed.filter(({ pointer, keyword }) => !HARMLESS.has(keyword) && pointer !== '/$id' && pointer !== '/id')
        .slice(0, 20)
        .map(({ pointer, keyword }) => ({
          finding: {
            code: 'DOCUMENT_KEYWORD_REMOVED',
            severity: 'warning',
            in: place,
            pointer,
            message: `Cannot obey keyword "${keyword}": it has no meaning for a message, wanted validation keywords only`,
          },
          text: 'document',
          at: located.start,
        })),
    );
  },
};

/** An id of its own is what a schema should have, and an external reference is a finding of its own. */
const HARMLESS: ReadonlySet<string> = new Set(['$ref', '$schema']);
