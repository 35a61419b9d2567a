import type { Rule } from './rule.ts';

/** In a JSON protocol, request or response has a schema. Without any, a warning says what was not checked. */
export const ruleSchemaNone: Rule = {
  name: 'schema-none',
  check({ agreement }, { broken, missingBases }) {
    const { payload, requestSchema, responseSchema } = agreement;
    if (payload !== 'json' || requestSchema !== null || responseSchema !== null) return [];
    // Other rules already report these.
    if (broken.length > 0 || missingBases.length > 0) return [];
    return [
      {
        finding: {
          code: 'DOCUMENT_SCHEMA_NONE',
          severity: 'warning',
          in: 'document',
          message:
            'Cannot check members, types and bounds of requests and responses: the agreement has no schema, wanted a JSON Schema of each',
        },
        text: 'document',
        at: 0,
      },
    ];
  },
};
