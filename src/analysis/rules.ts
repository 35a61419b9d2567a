import type { Analyzed } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import { readingOf } from './reading.ts';
import { MAX_FINDINGS, type Rule } from './rule.ts';
import { ruleAnswerUnderivable } from './rule-answer-underivable.ts';
import { ruleBaseProtocolMissing } from './rule-base-protocol-missing.ts';
import { ruleCaseUnreadable } from './rule-case-unreadable.ts';
import { ruleCaseViolatesSchema } from './rule-case-violates-schema.ts';
import { ruleCasesContradict } from './rule-cases-contradict.ts';
import { ruleFailureUnanswerable } from './rule-failure-unanswerable.ts';
import { ruleKeywordRemoved } from './rule-keyword-removed.ts';
import { rulePatternUnsafe } from './rule-pattern-unsafe.ts';
import { ruleRequestAmbiguous } from './rule-request-ambiguous.ts';
import { ruleSchemaInvalid } from './rule-schema-invalid.ts';
import { ruleSchemaUnreadable } from './rule-schema-unreadable.ts';

/** The rules of the preflight, one a file. */
export const RULES: readonly Rule[] = [
  ruleBaseProtocolMissing,
  ruleSchemaUnreadable,
  ruleSchemaInvalid,
  ruleKeywordRemoved,
  rulePatternUnsafe,
  ruleRequestAmbiguous,
  ruleFailureUnanswerable,
  ruleCaseUnreadable,
  ruleCaseViolatesSchema,
  ruleCasesContradict,
  ruleAnswerUnderivable,
];

/**
 * All that is wrong with an agreement and its cases, in document order: first the document, then the cases. Needs no model
 * and no time worth speaking of; pure; never throws.
 */
export function preflight(analyzed: Analyzed, rules: readonly Rule[] = RULES): Finding[] {
  const reading = readingOf(analyzed.job);
  const all = rules
    .flatMap((rule) => rule.check(analyzed, reading))
    .sort((a, b) => (a.text === b.text ? a.at - b.at : a.text === 'document' ? -1 : 1))
    .map(({ finding }) => finding);
  const errors = all.filter(({ severity }) => severity === 'error').length;
  if (errors > MAX_FINDINGS) return [...firstOf(all, MAX_FINDINGS - 1, 0), tooMany(errors)];
  return firstOf(all, errors, MAX_FINDINGS - errors);
}

/** The first errors and the first warnings, in their order: no number of warnings keeps an error from being seen. */
function firstOf(all: readonly Finding[], errors: number, warnings: number): Finding[] {
  const left = { error: errors, warning: warnings };
  return all.filter(({ severity }) => {
    left[severity] -= 1;
    return left[severity] >= 0;
  });
}

/** What is left out is not settled by any amendment. */
function tooMany(errors: number): Finding {
  return {
    code: 'DOCUMENT_FINDINGS_TOO_MANY',
    severity: 'error',
    in: 'document',
    message: `Cannot list all that is wrong: more than ${MAX_FINDINGS} errors, wanted those listed repaired first`,
    actual: errors,
  };
}
