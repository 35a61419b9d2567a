import type { Case } from '../../contract/agreement.ts';
import type { Finding } from '../../contract/finding.ts';
import type { CaseValidation } from '../../documents/case-validation.ts';
import { escapeToken, type Json } from '../../kernel/json.ts';
import { summaryOf } from '../../schemas/violation-summary.ts';
import { violationMessage } from '../../schemas/violation-words.ts';
import type { Violation } from '../../schemas/violations.ts';
import { aboutUs, changedInWords, type Exchange, exchangeOf, pointerTo, type Side } from './exchange.ts';

/** A validator for one schema; without a schema it finds nothing, and so once the validation has used up its budget. */
export function validatorOf(
  schema: Json | undefined,
  validation: CaseValidation,
): (value: Json) => readonly Violation[] {
  if (schema === undefined) return () => [];
  return (value) => {
    const violations = validation.violations(schema, value);
    return validation.isUsedUp ? [] : violations;
  };
}

/**
 * One finding for each place of a message that breaks the schema: a warning if the message is ours, or if words change
 * the schema.
 */
export function schemaFindings(
  exchange: Exchange,
  side: Side,
  violations: readonly Violation[],
  { peerSide, isChanged }: { peerSide: Side; isChanged: Readonly<Record<Side, boolean>> },
): Finding[] {
  const places = Map.groupBy(violations, ({ pointer }) => pointer);
  return [...places.values()].map((together) => {
    const finding = schemaFinding(exchange, side, together);
    if (isChanged[side]) return changedInWords(finding);
    return side === peerSide ? finding : aboutUs(finding);
  });
}

/** The pointers at which a message breaks the schema, with those of missing members. */
export function violatedPointers(exchange: Exchange, side: Side, violations: readonly Violation[]): string[] {
  return violations.flatMap(({ pointer, keyword, property = '' }) => [
    pointerTo(exchange, side, pointer),
    ...(keyword === 'required' ? [pointerTo(exchange, side, `${pointer}/${escapeToken(property)}`)] : []),
  ]);
}

/**
 * Whether a case with the same request, but for its ids, breaks the schema at all these places: then the breach is
 * agreed.
 */
export function isAgreedBreach(
  violations: readonly Violation[],
  cases: readonly Case[],
  validate: (request: Json) => readonly Violation[],
): boolean {
  return cases.some((one) => {
    const agreed = new Set(validate(one.request).map(({ pointer }) => pointer));
    return violations.every(({ pointer }) => agreed.has(pointer));
  });
}

/** Findings about checks that were skipped because they would have taken too long. */
export function skippedChecks({ isUsedUp, matching }: CaseValidation): Finding[] {
  const findings: Finding[] = [];
  if (matching.leftOut !== undefined)
    findings.push({
      code: 'DOCUMENT_PATTERN_UNSUPPORTED',
      severity: 'warning',
      in: 'exchange',
      message:
        'Cannot match pattern with all texts of the exchanges: patterns and texts multiply to too much work, wanted fewer exchanges',
      actual: matching.leftOut.slice(0, 500),
    });
  if (isUsedUp)
    findings.push({
      code: 'JOB_TOO_LARGE',
      severity: 'error',
      in: 'job',
      pointer: '/exchanges',
      message:
        'Cannot accept job at /exchanges: they and the schemas multiply to too many steps, wanted fewer or smaller exchanges',
    });
  return findings;
}

function schemaFinding(exchange: Exchange, side: Side, violations: readonly Violation[]): Finding {
  const { expected, actual } = summaryOf(violations);
  return {
    ...exchangeOf(exchange),
    code: 'DOCUMENT_EXCHANGE_VIOLATES_SCHEMA',
    severity: 'error',
    pointer: pointerTo(exchange, side, violations[0]?.pointer ?? ''),
    message: `Cannot accept ${side} of exchange ${exchange.index + 1}: ${violationMessage(expected, actual)}`,
    expected,
    ...(actual === undefined ? {} : { actual }),
  };
}
