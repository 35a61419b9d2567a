import type { Agreement } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import { documentedCodesIn } from '../documents/document-facts.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { resolveLocalReference } from '../schemas/schema-walk.ts';
import { isAgreedFailure } from './agreed-failure.ts';

/**
 * Whether a failure answer in a case has `null` where the schema wants an object. If the peer cannot be told, this is
 * the only contradiction that is amended without telling it.
 */
export function isNullInFailure(finding: Finding, agreement: Agreement): boolean {
  if (finding.code !== 'DOCUMENT_CASE_VIOLATES_SCHEMA' || finding.in !== 'response' || finding.actual !== null)
    return false;
  if (finding.expected === undefined || !wantsObject(finding.expected, agreement.responseSchema?.schema)) return false;
  const found = agreement.cases.find(({ testCase }) => testCase === finding.testCase);
  const codes = new Set(documentedCodesIn(agreement.text).map(({ code }) => code));
  return found !== undefined && isAgreedFailure(found.response, codes);
}

/** Most nested schemas, because references may be circular. */
const MAX_DEPTH = 8;

function wantsObject(expected: Json, root: Json = null, depth = 0): boolean {
  if (!isObject(expected)) return expected === 'object' || (Array.isArray(expected) && expected.includes('object'));
  if (expected.type !== undefined) return wantsObject(expected.type);
  if (depth > MAX_DEPTH) return false;
  const { $ref: reference } = expected;
  const named = typeof reference === 'string' ? resolveLocalReference(root, reference)?.schema : undefined;
  const parts = [expected.anyOf, expected.oneOf, expected.allOf, [named ?? null]].filter(Array.isArray);
  return parts.flat().some((part) => isObject(part) && wantsObject(part, root, depth + 1));
}
