import { extractCandidate } from '../completion/extract-candidate.ts';
import type { CheckReport } from '../contract/check-report.ts';
import type { Completion } from '../contract/completion.ts';
import type { Trier } from '../contract/trial.ts';
import { sourceLocator } from '../hosting/source-position.ts';
import { createTrier } from '../hosting/trier.ts';
import { quoteStands } from '../prompting/quote-stands.ts';
import type { SourceFault } from '../prompting/render-repair.ts';
import { caseScenarios, judgeCases } from '../verification/case-scenarios.ts';
import { verify } from '../verification/checks.ts';
import { type Attempted, failed, type Objection, type Tested } from './lane-candidate.ts';
import { observationOf, repairCases, repairChecks } from './lane-facts.ts';
import type { Work } from './lane-work.ts';
import { retryLost } from './retry-lost.ts';
import { generationBudget } from './workshop.ts';

/**
 * Puts what the model wrote to the test: type-check and bundle, every case, then the checks beyond them. Rejects for reasons of the platform only;
 * whatever is wrong with the candidate is a value.
 */
export async function examine(
  { text, model }: Completion,
  attempt: number,
  { brief, shop, ledger }: Work,
  signal: AbortSignal,
): Promise<Attempted> {
  const extracted = extractCandidate(text);
  if (extracted.kind === 'none')
    return failed('no-answer', 'CANDIDATE_NO_CODE', `The model wrote no module: ${extracted.why}`, null);
  if (extracted.kind === 'declined') {
    if (quoteStands(brief.cleared.agreement.text, extracted.quote)) return extracted;
    const message = `The model declined (${extracted.decline}), and what it quotes does not stand in the document`;
    return failed('declined', 'CANDIDATE_DECLINED', message, null);
  }

  const { source } = extracted;
  const [typeFaults, bundled] = await ledger.stage('bundle', () =>
    Promise.all([shop.typeChecker.check(source, brief.types, signal), shop.bundle(source, brief.exportName)]),
  );
  if (!bundled.ok) {
    const message = sentence('The module cannot be bundled', bundled.faults);
    return failed('failed-bundle', 'CANDIDATE_BUNDLE', message, { typeFaults, bundleFaults: bundled.faults }, source);
  }
  const limit = typeFaults.find(({ code }) => code === 'CANDIDATE_TYPE_CHECK_LIMIT');
  if (limit) return failed('failed-types', limit.code, limit.message, { typeFaults }, source);

  const tools = new Set<string>();
  const handler = await shop.sandbox.load(bundled.bundle, brief.exportName);
  try {
    const trier = recordTools(createTrier(handler, brief.surface, sourceLocator(source, bundled.map)), tools);
    const observations = await ledger.stage('trial', () =>
      retryLost(() => trier.try(caseScenarios(brief.subject), signal), signal),
    );
    const cases = judgeCases(brief.subject, observations);
    const broken = cases.filter(({ passed }) => !passed);
    ledger.tell({
      type: 'tried',
      attempt,
      passed: cases.filter(({ passed }) => passed).map(({ testCase }) => testCase),
      failed: broken.map(({ testCase }) => testCase),
      durationMs: Math.round(observations.reduce((sum, { durationMs }) => sum + durationMs, 0)),
      cpuMs: Math.round(observations.reduce((sum, { cpuMs }) => sum + cpuMs, 0)),
    });
    const seen = (checks: CheckReport[]): Tested => ({
      source,
      bundle: bundled.bundle,
      model,
      tools: [...tools].sort(),
      cases,
      checks,
    });
    if (broken.length > 0 || typeFaults.length > 0) {
      const facts = { typeFaults, cases: repairCases(brief, observations, broken) };
      const found = { tested: seen([]) };
      if (broken.length === 0) {
        const message = sentence('The module breaks its types', typeFaults);
        return { ...failed('failed-types', 'CANDIDATE_TYPES', message, facts, source), ...found };
      }
      const objections = new Map<number, Objection>();
      for (const { testCase } of typeFaults.length > 0 ? [] : broken) {
        const run = observationOf(brief, observations, testCase);
        if (run?.value !== undefined && run.issues.length === 0)
          objections.set(testCase, { answer: run.value, calls: run.calls });
      }
      const message = `The handler fails ${broken.length} of ${cases.length} cases`;
      return { ...failed('failed-cases', 'CANDIDATE_CASES_FAILED', message, facts, source), ...found, objections };
    }

    const startedAt = performance.now();
    const budget = { maxRuns: generationBudget.maxCheckRuns };
    const found = await ledger.stage('judge', () =>
      retryLost(() => verify(brief.subject, { source, bundle: bundled.bundle }, trier, budget, signal), signal),
    );
    const named = (result: CheckReport['result']) =>
      found.reports.filter((one) => one.result === result).map(({ name }) => name);
    ledger.tell({
      type: 'checked',
      attempt,
      passed: named('passed'),
      failed: named('failed'),
      warned: named('warned'),
      durationMs: Math.round(performance.now() - startedAt),
    });
    if (found.failures.length === 0) return { kind: 'verified', ...seen(found.reports) };
    const facts = { checks: repairChecks([...found.failures, ...found.warnings]) };
    const message = found.failures.map((one) => one.message).join('; ');
    return {
      ...failed('failed-checks', 'CANDIDATE_CHECKS_FAILED', message, facts, source),
      tested: seen(found.reports),
      memorised: found.memorised,
      underived: found.underived,
    };
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

function sentence(what: string, faults: readonly SourceFault[]): string {
  return `${what}: ${faults.map(({ message, line }) => (line === undefined ? message : `line ${line}: ${message}`)).join('; ')}`;
}
