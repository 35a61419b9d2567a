import { isAgreedFailure, reportsSuccess } from '../../analysis/agreed-failure.ts';
import type { Analyzed } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { type Exchange, exchangeOf, pointerTo } from './exchange.ts';

/** The codes that a failure may have. */
export interface FailureCodes {
  /** Those that the document lists. */
  listed: ReadonlySet<string>;
  /** Those that the document lists or the cases show. */
  known: ReadonlySet<string>;
  /** Whether a code has the form of the listed codes and the document does not have it anywhere. */
  hasListedForm(code: string): boolean;
}

const CODE_NAME = /^(?:code|status_?code|error_?code|err_?code)$/i;

/** What may be a code in a document. */
const CODE = /(?<![\p{L}\p{N}_])[A-Za-z_-]{0,20}\d{2,9}(?![\p{L}\p{N}_])/gu;

/** What allows codes that are not listed: a range, a form with placeholder digits, or words. */
const OTHER_CODES =
  /\d{3,9}\s?(?:[-–—~～]|\.{2,3}|to|bis|至|到)\s?\d{3,9}|\b[A-Za-z]?\dx{2,8}\b|(?<!\bno )\b(?:other|further|additional|unlisted) (?:(?:error|status|failure) )?codes?\b|其他(?:错误|状态)?码/i;

/** The codes of an agreement; `null` if the document lists none or allows others. */
export function failureCodesOf(
  { text, cases }: Analyzed['agreement'],
  listed: ReadonlySet<string>,
): FailureCodes | null {
  if (listed.size === 0 || /\bhttp\b/i.test(text)) return null;
  const shown = cases.flatMap(({ response }) =>
    leavesOf(response).flatMap(({ name, value }) => (CODE_NAME.test(name) ? [String(value)] : [])),
  );
  const otherForms = new Set(shown.filter((code) => !listed.has(code)).map(formOf));
  const forms = new Set(OTHER_CODES.test(text) ? [] : [...listed].map(formOf).filter((form) => !otherForms.has(form)));
  const written = new Set(forms.size === 0 ? [] : text.match(CODE));
  const hasListedForm = (code: string) => formOf(code) !== undefined && forms.has(formOf(code)) && !written.has(code);
  return { listed, known: new Set([...listed, ...shown]), hasListedForm };
}

/** A finding for each code of a failure that it may not have. */
export function failureFindings(exchange: Exchange, codes: FailureCodes | null): Finding[] {
  if (codes === null) return [];
  const { response } = exchange;
  const unknown = leavesOf(response).filter(
    ({ name, value }) => CODE_NAME.test(name) && value !== null && !codes.known.has(String(value)),
  );
  const likeListed = unknown.filter(({ value }) => codes.hasListedForm(String(value)));
  const isFailure = isAgreedFailure(response, codes.listed);
  if (!isFailure) {
    const values = new Set([...codes.listed, ...likeListed.map(({ value }) => String(value))]);
    if (reportsSuccess(response, codes.listed) || !isAgreedFailure(response, values)) return [];
  }
  return (isFailure ? unknown : likeListed).map(
    ({ pointer, value }): Finding => ({
      ...exchangeOf(exchange),
      code: 'DOCUMENT_EXCHANGE_FAILURE_UNDOCUMENTED',
      severity: 'error',
      pointer: pointerTo(exchange, 'response', pointer),
      message: `Cannot understand failure of exchange ${exchange.index + 1}: code ${JSON.stringify(value)}, wanted one that the document lists`,
      expected: [...codes.listed],
      actual: value,
    }),
  );
}

/**
 * The form of a numeric code: its letters or first digit, and its length. `undefined` for round numbers, which name a
 * class of codes or a success.
 */
function formOf(code: string): string | undefined {
  const [, start, rest = ''] = /^([A-Za-z_-]{1,20}|\d)(\d{2,8})$/.exec(code) ?? [];
  return start === undefined || /^0+$/.test(rest) ? undefined : `${start} ${rest.length}`;
}
