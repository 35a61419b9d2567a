import type { Agreement } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { isAgreedFailure } from './agreed-failure.ts';
import { documentedCodesIn } from './document-facts.ts';

/**
 * Says whether a case whose answer reports failure carries `null` where the schema wants an object: the one contradiction
 * that is settled without being told to the peer where the peer cannot be told.
 */
export function isNullInFailure(finding: Finding, agreement: Agreement): boolean {
  if (finding.code !== 'DOCUMENT_CASE_VIOLATES_SCHEMA' || finding.in !== 'response' || finding.actual !== null)
    return false;
  if (finding.expected === undefined || !wantsObject(finding.expected)) return false;
  const found = agreement.cases.find(({ testCase }) => testCase === finding.testCase);
  const codes = new Set(documentedCodesIn(agreement.text).map(({ code }) => code));
  return found !== undefined && isAgreedFailure(found.response, codes, found.expected);
}

function wantsObject(expected: Json): boolean {
  if (isObject(expected)) return expected.type !== undefined && wantsObject(expected.type);
  return expected === 'object' || (Array.isArray(expected) && expected.includes('object'));
}
