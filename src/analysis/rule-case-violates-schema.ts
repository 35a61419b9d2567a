import type { Agreement, Case, LocatedSchema } from '../contract/agreement.ts';
import type { Amendment, Finding, PatchOperation } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import type { CaseValidation } from '../documents/case-validation.ts';
import { interactionSchemas, replyViolations } from '../documents/interaction-schemas.ts';
import { dialectAt, partPointer } from '../documents/schema-union.ts';
import type { PlacedFinding } from '../families/family.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { escapedLine } from '../kernel/quote.ts';
import { branchMembersOf } from '../schemas/branch-members.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { summaryOf } from '../schemas/violation-summary.ts';
import { violationMessage } from '../schemas/violation-words.ts';
import type { Violation } from '../schemas/violations.ts';
import { AmendmentPlan } from './amendment-plan.ts';
import { isChangedInWords } from './base-in-words.ts';
import { MAX_FINDINGS } from './capped-findings.ts';
import { CaseSlips } from './case-slips.ts';
import type { Reading } from './reading.ts';
import { isSmall, type Rule, reportable } from './rule.ts';

/**
 * The data of every case match the schema of their side, and are texts in a text protocol. An intentionally invalid
 * request, answered with a failure, may break its schema. Only a warning if the document may have changed the schema;
 * the schema is then amended.
 */
export const ruleCaseViolatesSchema: Rule = {
  name: 'case-violates-schema',
  check({ agreement, job: { tools } }, reading) {
    const { validation } = reading;
    const sides = [
      ['request', agreement.requestSchema],
      ['response', agreement.responseSchema],
    ] as const;
    const isNotText = (value: Json) => agreement.payload === 'text' && typeof value !== 'string';
    const found = sides.flatMap(([side, located]) => {
      const notTexts = agreement.cases.filter((each) => isNotText(each[side]));
      const cases = agreement.cases.filter((each) => !notTexts.includes(each));
      const broken = located === null || validation.isUsedUp ? [] : checkSide(side, located, { cases, tools }, reading);
      return [...notTexts.map((each) => notText(side, each)), ...broken];
    });
    if (!validation.isUsedUp) found.push(...wrongReplies(agreement, found, validation));
    if (!validation.isUsedUp) return found;
    const [side, located] =
      sides.find(([side, located]) => agreement.cases.some((each) => isTooCostly(located, each[side], validation))) ??
      [];
    return [tooCostly(side, located?.start ?? 0)];
  },
};

/** Responses that match some schema, but none of the possible replies to their request. */
function wrongReplies(
  agreement: Agreement,
  found: readonly PlacedFinding[],
  validation: CaseValidation,
): PlacedFinding[] {
  const reported = new Set(found.map(({ finding }) => finding.testCase));
  const interactions = interactionSchemas(agreement);
  return agreement.cases.flatMap((each): PlacedFinding[] => {
    const { testCase, request, response } = each;
    const [violation] = reported.has(testCase) ? [] : replyViolations(interactions, request, response, validation);
    if (violation === undefined) return [];
    const { expected, actual } = summaryOf([violation]);
    const finding: Finding = {
      code: 'DOCUMENT_CASE_VIOLATES_SCHEMA',
      severity: 'error',
      in: 'response',
      testCase,
      pointer: violation.pointer,
      message: `Cannot validate response of case ${testCase}: it is not a reply to this request; ${violationMessage(expected, actual)}`,
      ...reportable({ expected, ...(actual === undefined ? {} : { actual }) }),
    };
    return [{ finding, text: 'cases', at: each.responseSpan?.start ?? testCase }];
  });
}

/** The schema of payloads in a text protocol. */
const TEXT: JsonObject = { type: 'string' };

function notText(side: 'request' | 'response', each: Case): PlacedFinding {
  const actual = each[side];
  const finding: Finding = {
    code: 'DOCUMENT_CASE_VIOLATES_SCHEMA',
    severity: 'error',
    in: side,
    testCase: each.testCase,
    pointer: '',
    message: `Cannot validate ${side} of case ${each.testCase}: ${violationMessage(TEXT, actual)}`,
    ...reportable({ expected: TEXT, actual }),
  };
  return { finding, text: 'cases', at: each[`${side}Span`]?.start ?? each.testCase };
}

interface Broken {
  each: Case;
  violations: readonly Violation[];
}

function checkSide(
  side: 'request' | 'response',
  located: LocatedSchema,
  { cases, tools }: Pick<Agreement, 'cases'> & Pick<Job, 'tools'>,
  reading: Reading,
): PlacedFinding[] {
  const { validation } = reading;
  const broken: Broken[] = [];
  let places = 0;
  for (const each of cases) {
    if (side === 'request' && each.negative) continue;
    const violations = violationsOf(located, each[side], validation);
    if (violations.length > 0) broken.push({ each, violations });
    places += new Set(violations.map(({ pointer }) => pointer)).size;
    // One place more than can be reported shows that there are more.
    if (places > MAX_FINDINGS) break;
  }
  if (broken.length === 0) return [];
  const isChanged = isChangedInWords(located, reading);
  const slips = new CaseSlips(isChanged ? [] : cases, side, isChanged ? [] : tools);
  const plan = new AmendmentPlan(
    located.schema,
    broken.flatMap(({ violations }) => violations).filter((violation) => slips.meantBy(violation) === undefined),
    (pointer) => dialectAt(located, pointer) === 'openapi-3.0',
  );
  const schema = isChanged ? ' against the schema of the base protocol, which the document changes' : '';
  return broken.flatMap(({ each, violations }) => {
    const places = Map.groupBy(violations, ({ pointer }) => pointer);
    return [...places].map(([pointer, samePlace]): PlacedFinding => {
      const amendment = isChanged ? baseAmendment(side, plan, samePlace) : amendmentOf(side, plan, slips, samePlace);
      const { expected, actual } = summaryOf(samePlace);
      const shown = reportable({ expected, ...(actual === undefined ? {} : { actual }) });
      const at = pointer === '' ? '' : `${isChanged ? ',' : ''} at ${escapedLine(pointer)}`;
      const finding: Finding = {
        code: 'DOCUMENT_CASE_VIOLATES_SCHEMA',
        severity: isChanged ? 'warning' : 'error',
        in: side,
        testCase: each.testCase,
        pointer,
        message: `Cannot validate ${side} of case ${each.testCase}${schema}${at}: ${violationMessage(expected, actual)}`,
        ...shown,
        ...(amendment === undefined ? {} : { amendment }),
      };
      return { finding, text: 'cases', at: each[`${side}Span`]?.start ?? each.testCase };
    });
  });
}

function isTooCostly(located: LocatedSchema | null, value: Json, validation: CaseValidation): boolean {
  return located !== null && validation.allows(located.schema, value) === undefined;
}

function tooCostly(side: 'request' | 'response' | undefined, at: number): PlacedFinding {
  const finding: Finding = {
    code: 'DOCUMENT_SCHEMA_TOO_LARGE',
    severity: 'error',
    in: side === undefined ? 'document' : `${side}Schema`,
    ...(side === undefined ? {} : { pointer: '' }),
    message: 'Cannot validate cases: it takes too many steps, wanted smaller schemas or cases',
  };
  return { finding, text: 'document', at };
}

function amendmentOf(
  side: 'request' | 'response',
  plan: AmendmentPlan,
  slips: CaseSlips,
  violations: readonly Violation[],
): Amendment | undefined {
  const meant = violations.map((violation) => slips.meantBy(violation)).find((value) => value !== undefined);
  const path = violations[0]?.pointer ?? '';
  if (meant !== undefined) return { of: side, patch: [{ op: 'replace', path, value: meant }] };
  const patch = plan.patchFor(violations);
  if (patch !== undefined) return { of: `${side}Schema`, patch };
  const [first] = violations;
  // A constant cannot be widened, so the case must change.
  if (violations.length !== 1 || first?.keyword !== 'const' || first.pointer === '' || !isSmall(first.expected))
    return undefined;
  return { of: side, patch: [{ op: 'replace', path: first.pointer, value: first.expected }] };
}

/** If words changed the schema, it is amended, or the broken keyword is removed. */
function baseAmendment(side: 'request' | 'response', plan: AmendmentPlan, violations: readonly Violation[]): Amendment {
  const dropped = violations.map(({ schemaPointer }): PatchOperation => ({ op: 'remove', path: schemaPointer }));
  return { of: `${side}Schema`, patch: plan.patchFor(violations) ?? dropped };
}

/**
 * Violations with places in the whole schema. For a union where no member is intended, those of the member that fits
 * best.
 */
function violationsOf(located: LocatedSchema, value: Json, validation: CaseValidation): readonly Violation[] {
  const whole = validation.violations(located.schema, value);
  if (located.parts === undefined || !whole.some(({ schemaPointer }) => schemaPointer === '/anyOf')) return whole;
  const { anyOf } = located.schema as { anyOf: Json[] };
  const members = branchMembersOf(located.schema, anyOf);
  let closest = whole;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [index, part] of located.parts.entries()) {
    if (!validatorOf(part.schema).ok) continue;
    const inside = validation.violations(part.schema, value);
    // A member that a schema does not declare counts as a violation here.
    const breaks = inside.length + members.undeclared(index, value).length;
    if (breaks >= fewest) continue;
    fewest = breaks;
    closest = inside.map((violation) => ({
      ...violation,
      schemaPointer: `${partPointer(index + 1)}${violation.schemaPointer}`,
    }));
  }
  return closest;
}
