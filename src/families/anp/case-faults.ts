import type { Finding } from '../../contract/finding.ts';
import { MAX_JSON_DEPTH } from '../../documents/located-json.ts';
import type { PlacedFinding } from '../family.ts';
import type { PayloadFault } from './case-text.ts';

/** A case that cannot be read, or that has a wrong number. */
export interface CaseFault {
  reason: PayloadFault['reason'] | 'number-missing' | 'number-repeated' | 'number-skipped' | 'no-cases' | 'too-many';
  testCase?: number;
  side?: 'request' | 'response';
  /** UTF-16 offset in the case text. */
  at: number;
  found?: string;
  /** For a repeated number: whether the cases are equal. */
  same?: boolean;
}

/** A fault in the case text as a finding. */
export function placedFault(fault: CaseFault): PlacedFinding {
  return { finding: findingOf(fault), text: 'cases', at: fault.at };
}

const CODES = {
  missing: 'DOCUMENT_CASE_INCOMPLETE',
  empty: 'DOCUMENT_CASE_INCOMPLETE',
  unreadable: 'DOCUMENT_CASE_UNREADABLE',
  'too-deep': 'DOCUMENT_CASE_UNREADABLE',
  'too-large': 'DOCUMENT_CASE_UNREADABLE',
  several: 'DOCUMENT_CASE_UNREADABLE',
  repeated: 'DOCUMENT_CASE_UNREADABLE',
  'number-missing': 'DOCUMENT_CASE_NUMBER_MISSING',
  'number-repeated': 'DOCUMENT_CASE_NUMBER_REPEATED',
  'number-skipped': 'DOCUMENT_CASE_NUMBER_SKIPPED',
  'no-cases': 'DOCUMENT_CASES_UNREADABLE',
  'too-many': 'DOCUMENT_CASES_TOO_MANY',
} as const;

function findingOf(fault: CaseFault): Finding {
  const { reason, testCase, side, found } = fault;
  const harmless =
    reason === 'number-missing' || reason === 'number-skipped' || (reason === 'number-repeated' && fault.same === true);
  return {
    code: CODES[reason],
    severity: harmless ? 'warning' : 'error',
    in: side ?? 'document',
    ...(testCase === undefined ? {} : { testCase }),
    ...(side === undefined ? {} : { pointer: '' }),
    message: `Cannot read ${testCase === undefined ? 'cases' : `case ${testCase}`}: ${WORDS[reason](side ?? 'payload', found ?? '')}`,
    ...(found === undefined ? {} : { actual: found }),
    ...(LIMITS[reason] === undefined ? {} : { expected: LIMITS[reason] }),
  };
}

const LIMITS: Partial<Record<CaseFault['reason'], number>> = {
  'too-deep': MAX_JSON_DEPTH,
  'too-large': Number.MAX_VALUE,
};

const WORDS: Record<CaseFault['reason'], (side: string, found: string) => string> = {
  missing: (side) => `no ${side} data, wanted request and response`,
  empty: (side) => `empty ${side} data, wanted a payload`,
  unreadable: (side, found) =>
    `${side} data stop being valid JSON${found === '' ? '' : ` at ${found}`}, wanted one JSON value or a fenced text`,
  'too-deep': (side) => `${side} data are nested too deep, wanted at most ${MAX_JSON_DEPTH} levels`,
  'too-large': (side, found) => `${side} data have a number too large for a double at ${found}, wanted a smaller one`,
  several: (side) => `several payloads as ${side} data, wanted one`,
  repeated: (side) => `${side} data given twice, wanted them once`,
  'number-missing': () => 'a heading without a number, wanted one',
  'number-repeated': () => 'its number is used twice, wanted a number of its own for each case',
  'number-skipped': (_, found) => `no case ${found} before it, wanted numbers without a gap`,
  'no-cases': () => 'no case in the text, wanted "# Test Case 1" with request and response data',
  'too-many': (_, found) => `${found} of them, wanted at most 100`,
};
