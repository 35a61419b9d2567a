import type { Rule } from './rule.ts';

/**
 * The job supplies every base protocol of the document. An error only if the URI is labelled as such; in a sentence, it
 * may mean something else.
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
        message: 'Cannot read base protocol: its text is missing, wanted the full text in the document',
        actual: uri,
      },
      text: 'document',
      at: Math.max(0, text.indexOf(uri)),
    }));
  },
};

/** A label before a URI: `URI: `, `协议地址：`. */
const LABEL = /(?:\bUR[IL]|\baddress|协议地址)[\s`*_]{0,4}[:：=][\s`*_"'<“「]{0,4}$/i;

function isLabelled(uri: string, text: string): boolean {
  return text
    .split(uri)
    .slice(0, -1)
    .some((before) => LABEL.test(before.slice(-40)));
}
