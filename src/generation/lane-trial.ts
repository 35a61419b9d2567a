import { setImmediate } from 'node:timers/promises';
import { extractCandidate } from '../completion/extract-candidate.ts';
import type { CheckReport } from '../contract/check-report.ts';
import type { Completion } from '../contract/completion.ts';
import type { Observation, Trier } from '../contract/trial.ts';
import {
  type DerivedJudgement,
  demandReading,
  derivedReport,
  judgeDerived,
  readingUntilMs,
} from '../deriving/judge-derived.ts';
import { sourceLocator } from '../hosting/source-position.ts';
import { createTrier } from '../hosting/trier.ts';
import { retryLost } from '../job/retry-lost.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { quoteStands } from '../prompting/quote-stands.ts';
import type { SourceFault } from '../prompting/render-repair.ts';
import type { Verification } from '../verification/checks.ts';
import { judgeCases } from '../verification/judge-cases.ts';
import type { Assignment } from './assignment.ts';
import { type Attempted, type Failed, failed, type Objection, type Tested } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { tellCandidate, tellChecked, tellDerived, tellTried } from './lane-events.ts';
import { derivedFact, observationOf, repairCases, repairChecks, repairDerived } from './lane-facts.ts';
import { runCases, runChecks } from './run-candidate.ts';

/**
 * Verifies a module of the model: type-check and bundle, every case, the checks beyond them, and the further faults
 * that the assignment looks for. A module that the job has tried before is not run again. Rejects with platform errors
 * only; any fault of the candidate is a value.
 */
export async function examine(
  { text, model }: Completion,
  attempt: number,
  lanes: LaneContext,
  deadline: Deadline,
): Promise<Attempted> {
  const { assignment, modules } = lanes;
  const extracted = extractCandidate(text);
  if (extracted.kind === 'none')
    return failed('no-answer', 'CANDIDATE_NO_CODE', `The model wrote no module: ${extracted.why}`, null);
  if (extracted.kind !== 'code') {
    if (quoteStands(assignment.cleared.agreement.text, extracted.quote)) return extracted;
    const message = `The model declined (${extracted.decline}), and its quote is not in the document`;
    return failed('declined', 'CANDIDATE_DECLINED', message, null);
  }

  const { source } = extracted;
  // A platform error says nothing about the module.
  const earlier = await modules.get(source)?.catch(() => undefined);
  if (earlier?.kind === 'failed')
    return { ...earlier, message: `The model wrote the same module again: ${earlier.message}`, isRepeat: true };
  if (earlier !== undefined) {
    // Gives the lane that verified it first a chance to abort this one.
    await setImmediate();
    deadline.signal.throwIfAborted();
    return earlier;
  }
  const tried = tryModule({ source, model }, attempt, lanes, deadline);
  modules.set(source, tried);
  return await tried;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the stages of one trial in their order.
async function tryModule(
  { source, model }: Pick<Tested, 'source' | 'model'>,
  attempt: number,
  lanes: LaneContext,
  deadline: Deadline,
): Promise<Attempted> {
  const { assignment, services, ledger } = lanes;
  const { job } = assignment.cleared;
  const { signal } = deadline;
  const [typeFaults, bundled] = await ledger.stage(
    'bundle',
    () =>
      Promise.all([
        services.typeChecker.check(source, assignment.types, {
          owner: { tenant: job.tenant, job: ledger.jobId },
          signal,
        }),
        retryLost(() => services.bundle(source, assignment.exportName), signal),
      ]),
    attempt,
  );
  const made = bundled.ok ? bundled : { digest: null, bundle: '' };
  tellCandidate(ledger, attempt, source, made, bundled.ok ? typeFaults : [...typeFaults, ...bundled.faults]);
  if (!bundled.ok) {
    const message = sentence('The module cannot be bundled', bundled.faults);
    return failed('failed-bundle', 'CANDIDATE_BUNDLE', message, { typeFaults, bundleFaults: bundled.faults }, source);
  }
  const limit = typeFaults.find(({ code }) => code === 'CANDIDATE_TYPE_CHECK_LIMIT');
  if (limit) return failed('failed-types', limit.code, limit.message, { typeFaults }, source);

  const { bundle, map } = bundled;
  const tools = new Set<string>();
  const handler = await services.sandbox.load(bundle, assignment.exportName);
  try {
    const trier = recordTools(
      createTrier(handler, assignment.surface, sourceLocator(source, map), assignment.subject.trialSeed),
      tools,
    );
    const run = { subject: assignment.subject, trier, ledger, signal, attempt };
    const observations = await runCases(run);
    const cases = judgeCases(assignment.subject, observations);
    tellTried(ledger, attempt, assignment, cases, observations);
    const tested = (checks: CheckReport[], isWholeReading = false): Tested => ({
      source,
      bundle,
      model,
      tools: [...tools].sort(),
      cases,
      checks,
      isWholeReading,
    });
    if (typeFaults.length > 0 || cases.some(({ passed }) => !passed))
      return failedCases(assignment, typeFaults, observations, tested([]));

    const startedAt = performance.now();
    const found = await runChecks(run, { source, bundle }, observations, services.checkPolicy);
    const checkedAt = performance.now();
    tellChecked(ledger, attempt, found, checkedAt - startedAt);
    if (found.failures.length > 0) return failedChecks(found, tested(found.reports));
    const judged = await judgeDerived(
      trier,
      assignment,
      lanes.reading,
      lanes,
      deadline,
      readingUntilMs(lanes, deadline),
    );
    tellDerived(ledger, attempt, judged, performance.now() - checkedAt);
    const seen = tested([...found.reports, derivedReport(judged, lanes.reading.mode)], judged.isWhole);
    if (judged.confirmed.length > 0) return failedDerived(judged, seen);
    demandReading(judged, lanes.reading);
    const others = (await assignment.faultsOf?.(seen)) ?? [];
    if (others.length === 0) return { kind: 'verified', ...seen };
    const facts = { checks: repairChecks(others) };
    const message = others.map((one) => one.message).join('; ');
    return { ...failed('failed-checks', 'CANDIDATE_COMPLAINT_STANDS', message, facts, source), tested: seen };
  } finally {
    await handler.close();
  }
}

function recordTools(trier: Trier, tools: Set<string>): Trier {
  return {
    async try(scenarios, signal) {
      const observations = await trier.try(scenarios, signal);
      for (const { calls } of observations) for (const { tool } of calls) tools.add(tool);
      return observations;
    },
  };
}

/** A candidate that breaks its types, or fails cases. */
function failedCases(
  assignment: Assignment,
  typeFaults: readonly SourceFault[],
  observations: readonly Observation[],
  tested: Tested,
): Failed {
  const broken = tested.cases.filter(({ passed }) => !passed);
  const facts = { typeFaults, cases: repairCases(assignment, observations, broken) };
  if (broken.length === 0) {
    const message = sentence('The module breaks its types', typeFaults);
    return { ...failed('failed-types', 'CANDIDATE_TYPES', message, facts, tested.source), tested };
  }
  const objections = new Map<number, Objection>();
  for (const { testCase } of typeFaults.length > 0 ? [] : broken) {
    const run = observationOf(assignment, observations, testCase);
    if (run?.value !== undefined && run.issues.length === 0)
      objections.set(testCase, { answer: run.value, calls: run.calls });
  }
  const message = `The handler fails ${broken.length} of ${tested.cases.length} cases`;
  return {
    ...failed('failed-cases', 'CANDIDATE_CASES_FAILED', message, facts, tested.source),
    tested,
    objections,
  };
}

/** A candidate that the checks beyond the cases refuse. */
function failedChecks({ failures, warnings, memorised }: Verification, tested: Tested): Failed {
  const facts = { checks: repairChecks([...failures, ...warnings]) };
  const message = failures.map((one) => one.message).join('; ');
  return {
    ...failed('failed-checks', 'CANDIDATE_CHECKS_FAILED', message, facts, tested.source),
    tested,
    findings: failures,
    memorised,
  };
}

/** A candidate that breaks derived cases which a second reader confirmed. */
function failedDerived({ confirmed }: DerivedJudgement, tested: Tested): Failed {
  const findings = confirmed.map(derivedFact);
  const derived = confirmed.map(({ entry }) => entry);
  const message = `The handler breaks ${confirmed.length} cases that the document demands: ${confirmed.map(({ entry }) => entry.claim).join('; ')}`;
  const facts = { derived: confirmed.map(repairDerived) };
  return {
    ...failed('failed-checks', 'CANDIDATE_DERIVED_CASE', message, facts, tested.source),
    tested,
    findings,
    derived,
  };
}

function sentence(what: string, faults: readonly SourceFault[]): string {
  return `${what}: ${faults.map(({ message, line }) => (line === undefined ? message : `line ${line}: ${message}`)).join('; ')}`;
}
