import type { Rule } from './rule.ts';

/**
 * Every protocol that the document builds on came with the job. An error only where the address is labelled as one:
 * what else a sentence says of an address may be that it is of something else.
 */
export const ruleBaseProtocolMissing: Rule = {
  name: 'base-protocol-missing',
  check(_, { missingBases, texts }) {
    const { document: text } = texts;
    return missingBases.map((uri) => ({
      finding: {
        code: 'DOCUMENT_BASE_PROTOCOL_MISSING',
        severity: isLabelled(uri, text) ? 'error' : 'warning',
        in: 'document',
        message: 'Cannot read base protocol: its text is not at hand, wanted the full text in the document',
        actual: uri,
      },
      text: 'document',
      at: Math.max(0, text.indexOf(uri)),
    }));
  },
};

/** What stands before an address that is labelled: `URI: `, `协议地址：`. */
const LABEL = /(?:\bUR[IL]|\baddress|协议地址)[\s`*_]{0,4}[:：=][\s`*_"'<“「]{0,4}$/i;

function isLabelled(uri: string, text: string): boolean {
  return text
    .split(uri)
    .slice(0, -1)
    .some((before) => LABEL.test(before.slice(-40)));
}
