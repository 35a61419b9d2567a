import type { Rule } from './rule.ts';

/** Every protocol that the document builds on came with the job. */
export const ruleBaseProtocolMissing: Rule = {
  name: 'base-protocol-missing',
  check(_, { missingBaseUris, text }) {
    return missingBaseUris.map((uri) => ({
      finding: {
        code: 'DOCUMENT_BASE_PROTOCOL_MISSING',
        severity: 'error',
        in: 'document',
        message: 'Cannot read base protocol: its text is not at hand, wanted the full text in the document',
        actual: uri,
      },
      text: 'document',
      at: Math.max(0, text.indexOf(uri)),
    }));
  },
};
