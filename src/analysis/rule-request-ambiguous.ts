import type { Rule } from './rule.ts';

/** The request has one schema, or several that the cases or a constant tell apart. */
export const ruleRequestAmbiguous: Rule = {
  name: 'request-ambiguous',
  check({ agreement }, { requestRivals }) {
    const chosen = agreement.requestSchema;
    if (chosen === null || requestRivals.length === 0) return [];
    const titles = [chosen, ...requestRivals].map(({ heading, schema }, index) => {
      const title = typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? schema.title : undefined;
      return typeof title === 'string' ? title : heading || `schema ${index + 1}`;
    });
    return [
      {
        finding: {
          code: 'DOCUMENT_REQUEST_AMBIGUOUS',
          severity: 'error',
          in: 'document',
          message: `Cannot select the request schema: ${titles.length} schemas have an equal claim, wanted a heading that names one`,
          actual: titles,
        },
        text: 'document',
        at: requestRivals[0]?.start ?? chosen.start,
      },
    ];
  },
};
