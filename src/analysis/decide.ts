import type { Agreement, Analyzed, LocatedSchema } from '../contract/agreement.ts';
import type { Amendment, Finding } from '../contract/finding.ts';
import type { Statement } from '../contract/statement.ts';
import { patched } from '../documents/apply-patch.ts';
import type { CaseValidation } from '../documents/case-validation.ts';
import { familyOf } from '../families/families.ts';
import type { Json } from '../kernel/json.ts';
import { sanitiseSchema } from '../schemas/sanitise-schema.ts';
import { validatorOf } from '../schemas/validator-of.ts';
import { distinctAmendments } from './distinct-amendments.ts';
import { isNullInFailure } from './is-null-in-failure.ts';
import { proposalsFor } from './proposals.ts';
import { readingOf } from './reading.ts';

/** What happens with an agreement after its preflight. */
export type Decision =
  | {
      kind: 'cleared';
      /** The agreement with amended and sanitised schemas. */
      agreement: Agreement;
      /** The applied patches, without duplicates. */
      amendments: Amendment[];
      /** Findings that do not block, including resolved contradictions. */
      warnings: Finding[];
    }
  | {
      /** `disputed`: the peer is told; `error`: the peer cannot be told. */
      kind: 'disputed' | 'error';
      findings: Finding[];
      /** Counter-offers to send. */
      proposals: Statement[];
    };

/**
 * Decides whether to continue or to dispute, by the findings, `onContradiction` and the peer's capabilities.
 */
export function decide(analyzed: Analyzed, findings: readonly Finding[]): Decision {
  const { job, agreement } = analyzed;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const canTell = familyOf(job).canSay('dispute', job);
  const mayAmend = job.kind !== 'review' && job.kind !== 'observe';
  const settled =
    mayAmend && errors.every((finding) => isSettled(finding, agreement, job.onContradiction === 'amend', canTell))
      ? errors
      : [];
  if (settled.length === errors.length) {
    const changed = findings.filter(isOfChangedBase);
    const { validation } = readingOf(analyzed);
    const amended =
      amend(agreement, distinctAmendments([...settled, ...changed]), validation) ??
      (changed.length === 0 ? undefined : amend(agreement, withOpenSchemas(settled, changed), validation));
    if (amended !== undefined) {
      const warnings = findings.map((finding): Finding => ({ ...finding, severity: 'warning' }));
      return { kind: 'cleared', ...amended, warnings };
    }
  }
  const proposals = proposalsFor(analyzed, findings);
  // A review is for the caller, so the peer's capabilities do not matter.
  const kind = canTell || job.kind === 'review' ? 'disputed' : 'error';
  return { kind, findings: [...findings], proposals };
}

function isSettled(finding: Finding, agreement: Agreement, amends: boolean, canTell: boolean): boolean {
  const { amendment } = finding;
  if (amendment === undefined || (amendment.of !== 'requestSchema' && amendment.of !== 'responseSchema')) return false;
  return amends || (!canTell && isNullInFailure(finding, agreement));
}

/** Whether a finding says that words may have changed a schema. These are the only warnings that amend a schema. */
function isOfChangedBase({ severity, amendment }: Finding): boolean {
  return severity === 'warning' && (amendment?.of === 'requestSchema' || amendment?.of === 'responseSchema');
}

/**
 * The amendments of the settled findings, with each schema of the changed ones opened completely, because no small
 * change fits.
 */
function withOpenSchemas(settled: readonly Finding[], changed: readonly Finding[]): Amendment[] {
  const opened = new Set(changed.flatMap(({ amendment }) => amendment?.of ?? []));
  const others = distinctAmendments(settled).filter(({ of }) => !opened.has(of));
  return [...others, ...[...opened].map((of): Amendment => ({ of, patch: [{ op: 'replace', path: '', value: {} }] }))];
}

/**
 * The agreement with these amendments applied and its schemas sanitised; `undefined` if a patch does not fit or the
 * cases break even the amended schemas.
 */
function amend(
  agreement: Agreement,
  amendments: Amendment[],
  validation: CaseValidation,
): { agreement: Agreement; amendments: Amendment[] } | undefined {
  const requestSchema = amended(agreement.requestSchema, amendments, 'requestSchema');
  const responseSchema = amended(agreement.responseSchema, amendments, 'responseSchema');
  if (requestSchema === undefined || responseSchema === undefined) return undefined;
  const matches = (value: Json, located: LocatedSchema | null): boolean =>
    located === null || (validatorOf(located.schema).ok && validation.allows(located.schema, value) === true);
  const areValid =
    amendments.length === 0 ||
    agreement.cases.every(
      ({ request, response, negative }) =>
        (negative || matches(request, requestSchema)) && matches(response, responseSchema),
    );
  return areValid ? { agreement: { ...agreement, requestSchema, responseSchema }, amendments } : undefined;
}

function amended(
  located: LocatedSchema | null,
  amendments: readonly Amendment[],
  of: Amendment['of'],
): LocatedSchema | null | undefined {
  if (located === null) return null;
  let schema: Json | undefined = located.schema;
  for (const amendment of amendments) {
    if (amendment.of === of && schema !== undefined) schema = patched(schema, amendment.patch);
  }
  return schema === undefined ? undefined : { ...located, schema: sanitiseSchema(schema).schema };
}
