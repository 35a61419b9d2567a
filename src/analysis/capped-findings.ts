import type { Finding } from '../contract/finding.ts';

/** Most findings of one job: an outcome must stay small, and a document with more is fixed in rounds. */
export const MAX_FINDINGS = 300;

/**
 * At most `MAX_FINDINGS` findings, in their order. Warnings never displace an error. If errors are dropped, an extra
 * error says so.
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

/** It has no amendment, because none resolves the dropped errors. */
function tooMany(errors: number): Finding {
  return {
    code: 'DOCUMENT_FINDINGS_TOO_MANY',
    severity: 'error',
    in: 'document',
    message: `Cannot list all errors: more than ${MAX_FINDINGS}, wanted the listed ones fixed first`,
    actual: errors,
  };
}
