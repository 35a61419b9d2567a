import type { CheckReport } from '../contract/check-report.ts';
import type { Observation, Scenario, Trier } from '../contract/trial.ts';
import { type Json, weightOf } from '../kernel/json.ts';
import { takingTurns } from '../kernel/taking-turns.ts';
import { caseScenario, caseScenarios } from './case-scenarios.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, Finding, Run, SeenCase, Underived } from './check.ts';
import { caseCoverage } from './checks/check-case-coverage.ts';
import { determinism } from './checks/check-determinism.ts';
import { exchange } from './checks/check-exchange.ts';
import { generatedRequests } from './checks/check-generated-requests.ts';
import { leaks } from './checks/check-leaks.ts';
import { literalAudit } from './checks/check-literals.ts';
import { memberOrder } from './checks/check-member-order.ts';
import { neighbours } from './checks/check-neighbours.ts';
import { renaming } from './checks/check-renaming.ts';
import { requesterPeer } from './checks/check-requester-peer.ts';
import { tables } from './checks/check-tables.ts';
import { toolInfluence } from './checks/check-tool-influence.ts';
import { underivedValues } from './checks/underived.ts';
import { asRead, hiddenWordsOf } from './hidden-words.ts';
import { judgeCases, runsOfCases } from './judge-cases.ts';
import { ruleOf } from './rules.ts';
import type { RunnableCase } from './runnable-cases.ts';
import { LiteralIndex } from './source/literal-index.ts';
import type { CandidateCode, Subject } from './subject.ts';
import { Vocabulary } from './vocabulary.ts';
import { otherTimeMs } from './worlds/other-times.ts';
import { runsOf } from './worlds/text-runs.ts';

export type { CheckFact, Underived } from './check.ts';

/** The checks beyond the cases, cheapest first. */
export const checks: readonly Check[] = [
  caseCoverage,
  literalAudit,
  determinism,
  memberOrder,
  leaks,
  requesterPeer,
  renaming,
  exchange,
  neighbours,
  tables,
  toolInfluence,
  generatedRequests,
];

/** The budget of the checks of one candidate, and which of them may refuse it. */
export interface CheckPolicy {
  /** Most runs of the candidate over all checks; a check that would exceed it is skipped and reports that. */
  maxRuns: number;
  /** Names of the checks that only warn. */
  advisory: readonly string[];
}

/** The policy unless the caller has another. */
export const defaultCheckPolicy: CheckPolicy = { maxRuns: 700, advisory: [] };

/** What the checks beyond the cases found. */
export interface Verification {
  reports: CheckReport[];
  /** Certain faults; each of them refuses the candidate. */
  failures: CheckFact[];
  /** Uncertain faults: worth a repair, no reason to refuse. */
  warnings: CheckFact[];
  /** Whether the candidate was refused as a table of the examples. */
  memorised: boolean;
  /** Answer values that no handler could derive: with `memorised`, the evidence for `CANDIDATE_MISSING_TOOL`. */
  underived: Underived[];
}

/**
 * Runs the checks beyond the cases on a candidate that has passed its cases, in as few calls of the trier as possible.
 * `usually` are the observations of `caseScenarios(usual)`. If the candidate also passes its cases at another time, all
 * further runs happen at that time. Rejects only as the trier does.
 */
export async function verify(
  usual: Subject,
  candidate: CandidateCode,
  usually: readonly Observation[],
  trier: Trier,
  policy: CheckPolicy,
  signal: AbortSignal,
  list: readonly Check[] = checks,
): Promise<Verification> {
  const { whole, observations, elsewhere } = await atAnotherTime(usual, usually, trier, signal);
  const vocabulary = new Vocabulary(whole);
  const subject = asRead(whole);
  const facts: CheckFacts = {
    subject,
    candidate,
    cases: seenCases(whole, observations),
    elsewhere,
    vocabulary,
    hidden: hiddenWordsOf(whole),
    literals: new LiteralIndex(candidate.bundle),
    taken: runsOf([
      ...subject.cases.flatMap(({ request, response }) => [request, response]),
      ...subject.tools.map((tool) => (tool.examples ?? []) as unknown as Json),
      (subject.task?.examples ?? []) as unknown as Json,
    ]),
  };
  const results = await runChecks(list, facts, trier, policy, signal);
  const reported = results.flatMap(({ check, findings }) => findings.findings.map((one) => factOf(check, one)));
  const refuses = (fact: ReportedFinding) => isRefusing(fact, policy);
  return {
    reports: results.map((one) => reportOf(one, policy)),
    failures: reported.filter(refuses),
    warnings: reported.filter((fact) => !refuses(fact)),
    memorised: reported.some((fact) => refuses(fact) && ruleOf(fact.rule).provesMemorised),
    underived: underivedValues(subject, vocabulary),
  };
}

/**
 * The subject and observations at another time, if the candidate passes its cases then; otherwise the usual ones, with
 * the cases at the other time.
 */
async function atAnotherTime(
  usual: Subject,
  usually: readonly Observation[],
  trier: Trier,
  signal: AbortSignal,
): Promise<{ whole: Subject; observations: readonly Observation[]; elsewhere: SeenCase[] }> {
  const nowMs = otherTimeMs(usual, 'of the checks');
  const asUsual = { whole: usual, observations: usually, elsewhere: [] };
  if (nowMs === undefined || usually.length === 0) return asUsual;
  const whole = { ...usual, nowMs };
  const observations = await trier.try(caseScenarios(whole), signal);
  const isPassing = judgeCases(whole, observations).every(({ passed }) => passed);
  return isPassing ? { whole, observations, elsewhere: [] } : { ...asUsual, elsewhere: seenCases(whole, observations) };
}

function seenCases(subject: Subject, observations: readonly Observation[]): SeenCase[] {
  return runsOfCases(subject, observations).map(({ one, first }) => ({
    one: asAnswered(one, first),
    scenario: caseScenario(subject, one),
    seen: first,
  }));
}

/** A finding as it is reported. */
type ReportedFinding = CheckFact & Finding;

function factOf({ name }: Check, finding: Finding): ReportedFinding {
  return { check: name, code: ruleOf(finding.rule).code, ...finding };
}

/** Whether the finding refuses the candidate: by its rule, unless the check may only warn. */
function isRefusing({ check, rule }: Pick<ReportedFinding, 'check' | 'rule'>, { advisory }: CheckPolicy): boolean {
  return ruleOf(rule).severity === 'error' && !advisory.includes(check);
}

/**
 * The case with the handler's own text as expected output: the case allows small differences in it, but later runs are
 * compared exactly.
 */
function asAnswered(one: RunnableCase, { value }: Observation): RunnableCase {
  return typeof one.output === 'string' && typeof value === 'string' ? { ...one, output: value } : one;
}

/** Most characters (as `weightOf` counts) in all runs together, if each run has as many as a case. */
const maxTold = 64 * 1024 * 1024;

/** The budget of runs: smaller if the cases are large, since a worker must hold the results of all runs. */
function runsFor({ cases }: CheckFacts, maxRuns: number): number {
  const weights = cases.map(({ seen: { value, calls, sends } }) =>
    weightOf(JSON.stringify([value, calls.map(({ input, output }) => [input, output]), sends])),
  );
  return Math.min(maxRuns, Math.floor(maxTold / Math.max(1, ...weights)));
}

interface CheckResult {
  check: Check;
  findings: CheckFindings;
  runs: number;
}

async function runChecks(
  list: readonly Check[],
  facts: CheckFacts,
  trier: Trier,
  policy: CheckPolicy,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const maxRuns = runsFor(facts, policy.maxRuns);
  const yieldTurn = takingTurns(signal);
  let runsLeft = maxRuns;
  const seen: Run[] = [];
  const plans = list.map((check) => ({
    check,
    steps: check.run(facts),
    runs: 0,
    findings: undefined as CheckFindings | undefined,
    wanted: [] as Scenario[],
  }));
  for (const plan of plans) {
    advance(plan, undefined);
    await yieldTurn();
  }
  for (;;) {
    const waiting = plans.filter(({ findings }) => findings === undefined);
    if (waiting.length === 0) break;
    const batch: Scenario[] = [];
    const shares: { plan: (typeof plans)[number]; start: number }[] = [];
    for (const plan of waiting) {
      if (plan.wanted.length > runsLeft) {
        plan.findings = { findings: [], skipped: `the budget of ${maxRuns} runs is used up` };
        continue;
      }
      runsLeft -= plan.wanted.length;
      plan.runs += plan.wanted.length;
      shares.push({ plan, start: batch.length });
      batch.push(...plan.wanted);
    }
    const observations = batch.length === 0 ? [] : await trier.try(batch, signal);
    seen.push(...batch.map((scenario, index) => ({ scenario, seen: observations[index] as Observation })));
    const refused = observations.findIndex(({ end }) => end === 'refused');
    for (const [index, { plan, start }] of shares.entries()) {
      if (refused >= 0) plan.findings = index === 0 ? notRun(seen.slice(refused - batch.length)) : incomplete;
      else advance(plan, observations.slice(start, start + plan.wanted.length));
      await yieldTurn();
    }
  }
  const found: CheckResult[] = [];
  const isReviewed = !seen.some((run) => run.seen.end === 'refused');
  for (const { check, findings = incomplete, runs } of plans) {
    // A check that found an error itself needs no second proof.
    const isClear = !findings.findings.some(({ rule }) => ruleOf(rule).severity === 'error');
    const more = isReviewed && isClear ? (check.review?.(facts, seen) ?? []) : [];
    found.push({ check, findings: { ...findings, findings: withoutRepeats([...findings.findings, ...more]) }, runs });
    await yieldTurn();
  }
  return found;
}

/** The result of a check whose runs are incomplete. */
const incomplete: CheckFindings = { findings: [], skipped: 'the candidate is no longer run' };

/** The sandbox stops running a candidate that has killed cells or returned too much: no check can pass it. */
function notRun([first]: readonly Run[]): CheckFindings {
  const { input } = (first as Run).scenario;
  const message = `the candidate is no longer run: ${first?.seen.message}`;
  return { findings: [{ rule: 'generated-requests/not-run-any-more', message, input }] };
}

/** The findings with each warning for one case only: a repair does not need the others. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const sayings = findings.map(({ rule, message }) =>
    ruleOf(rule).severity === 'error' ? message : message.replace(/^case \d+/, ''),
  );
  return findings.filter((_, index) => sayings.indexOf(sayings[index] as string) === index);
}

function advance(
  plan: { steps: ReturnType<Check['run']>; findings: CheckFindings | undefined; wanted: Scenario[] },
  given: Observation[] | undefined,
): void {
  const step = given === undefined ? plan.steps.next() : plan.steps.next(given);
  if (step.done) plan.findings = step.value;
  else plan.wanted = step.value;
}

function reportOf(
  { check, findings: { findings, skipped, note }, runs }: CheckResult,
  policy: CheckPolicy,
): CheckReport {
  const message = findings.map((one) => one.message).join('; ') || (skipped ?? note);
  const isRefused = findings.some(({ rule }) => isRefusing({ check: check.name, rule }, policy));
  const result = isRefused ? 'failed' : findings.length > 0 ? 'warned' : skipped === undefined ? 'passed' : 'skipped';
  return { name: check.name, result, runs, ...(message === undefined ? {} : { message: message.slice(0, 1_000) }) };
}
