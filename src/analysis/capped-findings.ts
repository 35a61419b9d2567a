import type { Finding } from '../contract/finding.ts';

/** Most findings of one job: an outcome must stay small, and a document with more of them is repaired in rounds. */
export const MAX_FINDINGS = 300;

/**
 * At most `MAX_FINDINGS` of some findings, in their order. No number of warnings keeps an error from being seen; errors that are left out are an
 * error of their own.
 */
export function cappedFindings(all: readonly Finding[]): Finding[] {
  const errors = all.filter(({ severity }) => severity === 'error').length;
  if (errors > MAX_FINDINGS) return [...firstOf(all, MAX_FINDINGS - 1, 0), tooMany(errors)];
  return firstOf(all, errors, MAX_FINDINGS - errors);
}

function firstOf(all: readonly Finding[], errors: number, warnings: number): Finding[] {
  const left = { error: errors, warning: warnings };
  return all.filter(({ severity }) => {
    left[severity] -= 1;
    return left[severity] >= 0;
  });
}

/** No amendment settles what is left out. */
function tooMany(errors: number): Finding {
  return {
    code: 'DOCUMENT_FINDINGS_TOO_MANY',
    severity: 'error',
    in: 'document',
    message: `Cannot list all that is wrong: more than ${MAX_FINDINGS} errors, wanted those listed repaired first`,
    actual: errors,
  };
}
