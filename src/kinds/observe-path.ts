import { analyze } from '../analysis/analyze.ts';
import { cappedFindings } from '../analysis/capped-findings.ts';
import { decide } from '../analysis/decide.ts';
import { ruleBaseProtocolMissing } from '../analysis/rule-base-protocol-missing.ts';
import { ruleCaseViolatesSchema } from '../analysis/rule-case-violates-schema.ts';
import { inexactInJob } from '../analysis/rule-number-inexact.ts';
import { rulePatternUnsafe } from '../analysis/rule-pattern-unsafe.ts';
import { ruleRequestAmbiguous } from '../analysis/rule-request-ambiguous.ts';
import { ruleSchemaInvalid } from '../analysis/rule-schema-invalid.ts';
import { ruleSchemaMissing } from '../analysis/rule-schema-missing.ts';
import { ruleSchemaUnreadable } from '../analysis/rule-schema-unreadable.ts';
import { ruleTextEscaped } from '../analysis/rule-text-escaped.ts';
import { preflight } from '../analysis/rules.ts';
import type { Analyzed } from '../contract/agreement.ts';
import type { Job } from '../contract/job.ts';
import { familyOf } from '../families/families.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Path } from '../job/path.ts';
import { observeExchanges } from '../verification/observe-exchanges.ts';

/** The rules for schemas: without usable schemas nothing can be checked, and every exchange would be clean. */
const rulesOfSchemas = [
  ruleTextEscaped,
  ruleBaseProtocolMissing,
  ruleSchemaUnreadable,
  ruleSchemaMissing,
  ruleSchemaInvalid,
  ruleRequestAmbiguous,
  rulePatternUnsafe,
];

/**
 * The agreement as a handler was made for it: with the amendments that apply if the peer cannot be told of a
 * contradiction.
 */
function amendedForPeer(analyzed: Analyzed): Analyzed {
  const job: Job = { ...analyzed.job, kind: 'generate', onContradiction: 'dispute' };
  const decision = decide({ ...analyzed, job }, preflight(analyzed, [ruleCaseViolatesSchema]));
  return decision.kind === 'cleared' ? { ...analyzed, agreement: decision.agreement } : analyzed;
}

/**
 * Checks the exchanges that the peer really had with us against the agreement. Ends `clean`, or `disputed` with a
 * message that names exchange and place. Asks no model.
 */
export const observePath: Path = async ({ job }, _services, ledger) => {
  const analyzed = await ledger.stage('analyze', () => analyze(job));
  const { cases, language } = analyzed.agreement;
  const { openFrames } = familyOf(job);
  const unknown = (job.exchanges ?? []).flatMap(({ testCase }, index) => {
    if (testCase === undefined || cases.some((one) => one.testCase === testCase)) return [];
    const pointer = `/exchanges/${index}/testCase`;
    const message = `Cannot accept job at ${pointer}: no case ${testCase}, wanted one of the agreement's`;
    return [jobFinding('JOB_CASE_UNKNOWN', message, pointer)];
  });
  if (unknown.length > 0) throw EarlyEnd.failed(...unknown);
  const findings = await ledger.stage('judge', () =>
    cappedFindings([
      ...preflight(analyzed, rulesOfSchemas),
      ...inexactInJob(job),
      ...observeExchanges(amendedForPeer(analyzed), undefined, openFrames),
    ]),
  );
  const errors = findings.filter(({ severity }) => severity === 'error');
  const faults = errors.filter((fault) => fault.in !== 'job');
  // An exchange that could not be checked is not clean.
  if (faults.length === 0 && errors.length > 0) throw EarlyEnd.failed(...findings);
  if (faults.length === 0) return { verdict: 'clean', findings };
  const verdict = familyOf(job).canSay('dispute', job) ? 'disputed' : 'error';
  return { verdict, language, findings, proposals: [] };
};
