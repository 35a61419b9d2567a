import type { Agreement, Analyzed, LocatedSchema } from '../contract/agreement.ts';
import type { Amendment, Finding } from '../contract/finding.ts';
import type { Said } from '../contract/said.ts';
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

/** What becomes of an agreement after its preflight. */
export type Decision =
  | {
      kind: 'cleared';
      /** The agreement with schemas that are amended and sanitised. */
      agreement: Agreement;
      /** The patches that were applied, without repetition. */
      amendments: Amendment[];
      /** What was found and does not stand in the way; settled contradictions among it. */
      warnings: Finding[];
    }
  | {
      /** `disputed`: the peer is told; `error`: the peer cannot be told. */
      kind: 'disputed' | 'error';
      findings: Finding[];
      /** Counter-offers ready to be sent. */
      proposals: Said[];
    };

/** Decides between going on and telling the peer: by the findings, `onContradiction` and what the peer's stack supports. */
export function decide(analyzed: Analyzed, findings: readonly Finding[]): Decision {
  const { job, agreement } = analyzed;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const isTold = familyOf(job).canSay('dispute', job);
  const mayAmend = job.kind !== 'review' && job.kind !== 'observe';
  const settled =
    mayAmend && errors.every((finding) => isSettled(finding, agreement, job.onContradiction === 'amend', isTold))
      ? errors
      : [];
  if (settled.length === errors.length) {
    const changed = findings.filter(isOfChangedBase);
    const { validation } = readingOf(analyzed);
    const amended =
      amend(agreement, distinctAmendments([...settled, ...changed]), validation) ??
      (changed.length === 0 ? undefined : amend(agreement, withOpened(settled, changed), validation));
    if (amended !== undefined) {
      const warnings = findings.map((finding): Finding => ({ ...finding, severity: 'warning' }));
      return { kind: 'cleared', ...amended, warnings };
    }
  }
  const proposals = proposalsFor(analyzed, findings);
  // A review is of use to whoever asked for it, whatever the peer's stack takes.
  const kind = isTold || job.kind === 'review' ? 'disputed' : 'error';
  return { kind, findings: [...findings], proposals };
}

function isSettled(finding: Finding, agreement: Agreement, amends: boolean, isTold: boolean): boolean {
  const { amendment } = finding;
  if (amendment === undefined || (amendment.of !== 'requestSchema' && amendment.of !== 'responseSchema')) return false;
  return amends || (!isTold && isNullInFailure(finding, agreement));
}

/** Whether a finding says that a schema may have been changed in words: the only warnings that amend one. */
function isOfChangedBase({ severity, amendment }: Finding): boolean {
  return severity === 'warning' && (amendment?.of === 'requestSchema' || amendment?.of === 'responseSchema');
}

/** The amendments of the one kind of findings, and every schema that the others are about left open: no small change fits. */
function withOpened(settled: readonly Finding[], changed: readonly Finding[]): Amendment[] {
  const opened = new Set(changed.flatMap(({ amendment }) => amendment?.of ?? []));
  const others = distinctAmendments(settled).filter(({ of }) => !opened.has(of));
  return [...others, ...[...opened].map((of): Amendment => ({ of, patch: [{ op: 'replace', path: '', value: {} }] }))];
}

/**
 * The agreement with these amendments applied and its schemas sanitised; `undefined` where a patch does not fit,
 * or where the cases break even the amended schemas.
 */
function amend(
  agreement: Agreement,
  amendments: Amendment[],
  validation: CaseValidation,
): { agreement: Agreement; amendments: Amendment[] } | undefined {
  const requestSchema = amended(agreement.requestSchema, amendments, 'requestSchema');
  const responseSchema = amended(agreement.responseSchema, amendments, 'responseSchema');
  if (requestSchema === undefined || responseSchema === undefined) return undefined;
  const keeps = (value: Json, located: LocatedSchema | null): boolean =>
    located === null || (validatorOf(located.schema).ok && validation.allows(located.schema, value) === true);
  const kept =
    amendments.length === 0 ||
    agreement.cases.every(
      ({ request, response, negative }) =>
        (negative || keeps(request, requestSchema)) && keeps(response, responseSchema),
    );
  return kept ? { agreement: { ...agreement, requestSchema, responseSchema }, amendments } : undefined;
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
