import type { Analyzed } from '../contract/agreement.ts';
import type { Finding } from '../contract/finding.ts';
import { cappedFindings } from './capped-findings.ts';
import { inDocumentOrder } from './document-order.ts';
import { readingOf } from './reading.ts';
import type { Rule } from './rule.ts';
import { ruleAnswerUnderivable } from './rule-answer-underivable.ts';
import { ruleBaseProtocolMissing } from './rule-base-protocol-missing.ts';
import { ruleCaseExpectedDiffers } from './rule-case-expected-differs.ts';
import { ruleCaseIdNotEchoed } from './rule-case-id-not-echoed.ts';
import { ruleCaseUnreadable } from './rule-case-unreadable.ts';
import { ruleCaseViolatesSchema } from './rule-case-violates-schema.ts';
import { ruleCasesContradict } from './rule-cases-contradict.ts';
import { ruleFailureUnanswerable } from './rule-failure-unanswerable.ts';
import { ruleKeywordRemoved } from './rule-keyword-removed.ts';
import { ruleNameRepeated } from './rule-name-repeated.ts';
import { ruleNumberInexact } from './rule-number-inexact.ts';
import { rulePatternUnsafe } from './rule-pattern-unsafe.ts';
import { ruleRequestAmbiguous } from './rule-request-ambiguous.ts';
import { ruleSchemaInvalid } from './rule-schema-invalid.ts';
import { ruleSchemaMissing } from './rule-schema-missing.ts';
import { ruleSchemaNone } from './rule-schema-none.ts';
import { ruleSchemaUnreadable } from './rule-schema-unreadable.ts';
import { ruleTextEscaped } from './rule-text-escaped.ts';

/**
 * The rules of the preflight, one per file. An error disputes the agreement, unless `decide` can amend it; a warning
 * disputes nothing.
 */
export const RULES: readonly Rule[] = [
  ruleTextEscaped,
  ruleBaseProtocolMissing,
  ruleSchemaUnreadable,
  ruleSchemaMissing,
  ruleSchemaNone,
  ruleSchemaInvalid,
  ruleKeywordRemoved,
  rulePatternUnsafe,
  ruleNumberInexact,
  ruleNameRepeated,
  ruleRequestAmbiguous,
  ruleFailureUnanswerable,
  ruleCaseUnreadable,
  ruleCaseViolatesSchema,
  ruleCasesContradict,
  ruleCaseIdNotEchoed,
  ruleCaseExpectedDiffers,
  ruleAnswerUnderivable,
];

const ruleByFinding = new WeakMap<Finding, Rule>();

/**
 * The rules that made these findings; running only these shows whether the findings are resolved. All rules if one is
 * unknown.
 */
export function rulesBehind(findings: readonly Finding[]): readonly Rule[] {
  const made = new Set(findings.map((finding) => ruleByFinding.get(finding)));
  return made.has(undefined) ? RULES : RULES.filter((rule) => made.has(rule));
}

/**
 * All findings about an agreement and its cases, in document order: first the document, then the cases. Fast, without a
 * model; pure; never throws.
 */
export function preflight(analyzed: Analyzed, rules: readonly Rule[] = RULES): Finding[] {
  const reading = readingOf(analyzed);
  const placed = rules.flatMap((rule) => {
    const found = rule.check(analyzed, reading);
    for (const { finding } of found) ruleByFinding.set(finding, rule);
    return found;
  });
  return cappedFindings(inDocumentOrder(placed, analyzed.agreement).map(({ finding }) => finding));
}
