import { CompletionError } from '../completion/completion-error.ts';
import { type Extracted, extractCandidate } from '../completion/extract-candidate.ts';
import type { Completion, Prompt } from '../contract/completion.ts';
import type { AttemptReport, CaseReport, CheckReport, Usage } from '../contract/outcome.ts';
import type { Observation, Trier } from '../contract/trial.ts';
import { sourceLocator } from '../hosting/source-position.ts';
import { createTrier } from '../hosting/trier.ts';
import type { Deadline } from '../kernel/deadline.ts';
import type { Code } from '../kernel/errors.ts';
import type { RepairFacts, SourceFault } from '../prompting/render-repair.ts';
import { caseScenarios, judgeCases, runnableCases } from '../verification/case-scenarios.ts';
import { type CheckFact, type Underived, verify } from '../verification/checks.ts';
import type { Brief } from './brief.ts';
import type { Ledger } from './ledger.ts';
import { noUsage } from './ledger.ts';
import { retryLost } from './retry-lost.ts';
import { generationBudget, type Workshop } from './workshop.ts';

/** What one completion came to. */
export type Attempted =
  | ({ kind: 'verified' } & Tested)
  | ({
      kind: 'failed';
      result: AttemptReport['result'];
      code: Code;
      message: string;
      facts: RepairFacts | null;
      memorised: boolean;
      underived: Underived[];
    } & Partial<Tested> & { passed: number })
  | { kind: 'declined'; declined: Extract<Extracted, { kind: 'declined' }> };

/** A candidate with what was seen of it. */
export interface Tested {
  source: string;
  bundle: string;
  model: string;
  /** Sorted names of the tools it called in any run. */
  tools: string[];
  cases: CaseReport[];
  checks: CheckReport[];
}

/**
 * Makes one attempt: asks the model, type-checks and bundles what it wrote, runs every case, then the checks beyond them. Rejects for reasons of
 * the platform only; whatever is wrong with the candidate is a value.
 */
export async function attempt(
  prompt: Prompt,
  repair: boolean,
  brief: Brief,
  shop: Workshop,
  ledger: Ledger,
  deadline: Deadline,
): Promise<Attempted> {
  const number = ledger.nextAttempt();
  const startedAt = performance.now();
  ledger.tell({ type: 'prompted', attempt: number, repair });
  let usage: Usage = noUsage;
  const book = (result: AttemptReport['result'], passedCases: number, fault?: { code: Code; message: string }) =>
    ledger.attempts.push({
      attempt: number,
      model: shop.model,
      result,
      passedCases,
      usage,
      durationMs: Math.round(performance.now() - startedAt),
      ...fault,
    });
  try {
    const completion = await ask(prompt, shop, ledger, deadline);
    usage = completion.usage;
    ledger.tell({
      type: 'completed',
      attempt: number,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      durationMs: Math.round(completion.durationMs),
    });
    const attempted = await test(completion, number, brief, shop, ledger, deadline.signal);
    if (attempted.kind === 'verified') book('verified', attempted.cases.length);
    else if (attempted.kind === 'declined')
      book('declined', 0, { code: 'CANDIDATE_DECLINED', message: attempted.declined.reason });
    else {
      book(attempted.result, attempted.passed, attempted);
      ledger.tell({ type: 'refused', attempt: number, code: attempted.code, faults: faultCount(attempted.facts) });
    }
    return attempted;
  } catch (error) {
    if (error instanceof CompletionError) {
      usage = error.usage ?? noUsage;
      book(deadline.signal.aborted ? 'aborted' : 'no-answer', 0, error);
      // An answer that outgrew its limit is a candidate's fault: the next one may be shorter.
      if (error.code === 'PLATFORM_MODEL_LENGTH') return failed('no-answer', 'CANDIDATE_TOO_LONG', error.message, null);
    } else if (deadline.signal.aborted) book('aborted', 0);
    throw error;
  }
}

function ask(prompt: Prompt, shop: Workshop, ledger: Ledger, deadline: Deadline): Promise<Completion> {
  return ledger.stage('complete', () => shop.completer.complete(prompt, deadline));
}

async function test(
  { text, model }: Completion,
  number: number,
  brief: Brief,
  shop: Workshop,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Attempted> {
  const extracted = extractCandidate(text);
  if (extracted.kind === 'declined') return { kind: 'declined', declined: extracted };
  if (extracted.kind === 'none')
    return failed('no-answer', 'CANDIDATE_NO_CODE', `The model wrote no module: ${extracted.why}`, null);

  const { source } = extracted;
  const [typeFaults, bundled] = await ledger.stage('bundle', () =>
    Promise.all([shop.typeChecker.check(source, brief.types, signal), shop.bundle(source, brief.exportName)]),
  );
  if (!bundled.ok) {
    return failed(
      'failed-bundle',
      'CANDIDATE_BUNDLE',
      sentence('The module cannot be bundled', bundled.faults),
      { typeFaults, bundleFaults: bundled.faults },
      { source },
    );
  }
  const limit = typeFaults.find(({ code }) => code === 'CANDIDATE_TYPE_CHECK_LIMIT');
  if (limit) return failed('failed-types', limit.code, limit.message, { typeFaults }, { source });

  const tools = new Set<string>();
  const handler = await shop.sandbox.load(bundled.bundle, brief.exportName);
  try {
    const trier = recordTools(createTrier(handler, brief.surface, sourceLocator(source, bundled.map)), tools);
    const scenarios = caseScenarios(brief.subject);
    const observations = await ledger.stage('trial', () => retryLost(() => trier.try(scenarios, signal), signal));
    const cases = judgeCases(brief.subject, observations);
    const passed = cases.filter((one) => one.passed).map(({ testCase }) => testCase);
    const broken = cases.filter((one) => !one.passed);
    ledger.tell({
      type: 'tried',
      attempt: number,
      passed,
      failed: broken.map(({ testCase }) => testCase),
      durationMs: Math.round(observations.reduce((sum, { durationMs }) => sum + durationMs, 0)),
      cpuMs: Math.round(observations.reduce((sum, { cpuMs }) => sum + cpuMs, 0)),
    });
    const seen = { source, bundle: bundled.bundle, model, tools: [...tools].sort(), cases, checks: [] };
    if (broken.length > 0 || typeFaults.length > 0) {
      const facts = { typeFaults, cases: repairCases(brief, observations, broken) };
      return broken.length > 0
        ? failed(
            'failed-cases',
            'CANDIDATE_CASES_FAILED',
            `The handler fails ${broken.length} of ${cases.length} cases`,
            facts,
            seen,
          )
        : failed('failed-types', 'CANDIDATE_TYPES', sentence('The module breaks its types', typeFaults), facts, seen);
    }

    const startedAt = performance.now();
    const found = await ledger.stage('judge', () =>
      retryLost(
        () =>
          verify(
            brief.subject,
            { source, bundle: bundled.bundle },
            trier,
            { maxRuns: generationBudget.maxCheckRuns },
            signal,
          ),
        signal,
      ),
    );
    const named = (result: CheckReport['result']) =>
      found.reports.filter((one) => one.result === result).map(({ name }) => name);
    ledger.tell({
      type: 'checked',
      attempt: number,
      passed: named('passed'),
      failed: named('failed'),
      warned: named('warned'),
      durationMs: Math.round(performance.now() - startedAt),
    });
    const checked = { ...seen, tools: [...tools].sort(), checks: found.reports };
    if (found.failures.length === 0) return { kind: 'verified', ...checked };
    return {
      ...failed(
        'failed-checks',
        'CANDIDATE_CHECKS_FAILED',
        found.failures.map(({ message }) => message).join('; '),
        { checks: repairChecks([...found.failures, ...found.warnings]) },
        checked,
      ),
      memorised: found.memorised,
      underived: found.underived,
    };
  } finally {
    await handler.close();
  }
}

function failed(
  result: AttemptReport['result'],
  code: Code,
  message: string,
  facts: RepairFacts | null,
  seen: Partial<Tested> = {},
) {
  const passed = seen.cases?.filter((one) => one.passed).length ?? 0;
  return {
    kind: 'failed' as const,
    result,
    code,
    message: message.slice(0, 1_000),
    facts,
    passed,
    memorised: false,
    underived: [],
    ...seen,
  };
}

function repairCases(
  brief: Brief,
  observations: readonly Observation[],
  broken: readonly CaseReport[],
): RepairFacts['cases'] {
  const runnable = runnableCases(brief.subject);
  const scenarios = caseScenarios(brief.subject);
  return broken.flatMap(({ testCase, differences }) => {
    const one = runnable.find((candidate) => candidate.testCase === testCase);
    // The first run of a case is the one that its differences speak of.
    const seen = one && observations[scenarios.findIndex(({ seed }) => seed === `case-${testCase}`)];
    if (!one || !seen) return [];
    const { end, value, message, position, calls, sends } = seen;
    return [
      {
        testCase,
        input: one.input,
        expected: one.output,
        got: value,
        differences,
        end,
        message,
        position,
        calls,
        ...(brief.subject.role === 'requester' ? { sends } : {}),
      },
    ];
  });
}

function repairChecks(facts: readonly CheckFact[]): RepairFacts['checks'] {
  const names = [...new Set(facts.map(({ check }) => check))];
  return names.map((name) => ({
    name,
    facts: facts
      .filter(({ check }) => check === name)
      .map(({ message, input, expected, got }) =>
        [
          message,
          ...Object.entries({ input, expected, got }).flatMap(([what, value]) =>
            value === undefined ? [] : [`${what}: ${JSON.stringify(value)}`],
          ),
        ].join('; '),
      ),
  }));
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

function faultCount(facts: RepairFacts | null): number {
  if (!facts) return 1;
  return [facts.typeFaults, facts.bundleFaults, facts.cases, facts.checks].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    0,
  );
}
