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

/** The checks beyond the cases, the cheap ones first. */
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

/** What the checks of one candidate may cost, and how much their word counts. */
export interface CheckPolicy {
  /** Runs of the candidate over all checks; a check that would go beyond is skipped and says so. */
  maxRuns: number;
  /** Names of the checks that refuse nothing: what they would refuse for, they warn of. */
  advisory: readonly string[];
}

/** What counts unless the caller says otherwise. */
export const defaultCheckPolicy: CheckPolicy = { maxRuns: 700, advisory: [] };

/** What the checks beyond the cases found. */
export interface Verification {
  reports: CheckReport[];
  /** Certain faults: the candidate is refused for each of them. */
  failures: CheckFact[];
  /** Where the oracle is not certain: worth a repair, no reason to refuse. */
  warnings: CheckFact[];
  /** Whether the candidate was refused for knowing the examples by heart. */
  memorised: boolean;
  /** Answer values that no handler could have come to: with `memorised`, the evidence for `CANDIDATE_MISSING_TOOL`. */
  underived: Underived[];
}

/**
 * Runs the checks beyond the cases on a candidate that has passed its cases, in as few calls of the trier as they allow; `observations` are
 * those of `caseScenarios(usual)`. All else is run at another time, if the candidate passes its cases then. Rejects only as the trier does.
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
  const found = await runChecks(list, facts, trier, policy, signal);
  const told = found.flatMap(({ check, findings }) => findings.findings.map((one) => factOf(check, one)));
  const refuses = (fact: Told) => isRefusing(fact, policy);
  return {
    reports: found.map((one) => reportOf(one, policy)),
    failures: told.filter(refuses),
    warnings: told.filter((fact) => !refuses(fact)),
    memorised: told.some((fact) => refuses(fact) && ruleOf(fact.rule).provesMemory),
    underived: underivedValues(subject, vocabulary),
  };
}

/** A subject at another time of its trial with its cases then, or as it was with the cases that a candidate fails then. */
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

/** A finding as it is told of. */
type Told = CheckFact & Finding;

function factOf({ name }: Check, finding: Finding): Told {
  return { check: name, code: ruleOf(finding.rule).code, ...finding };
}

/** Whether a candidate is refused for this: by its rule, unless the check may only warn. */
function isRefusing({ check, rule }: Pick<Told, 'check' | 'rule'>, { advisory }: CheckPolicy): boolean {
  return ruleOf(rule).severity === 'error' && !advisory.includes(check);
}

/** The case with the handler's own text: for a case it is the same, but from run to run texts are compared to the letter. */
function asAnswered(one: RunnableCase, { value }: Observation): RunnableCase {
  return typeof one.output === 'string' && typeof value === 'string' ? { ...one, output: value } : one;
}

/** What the runs of all checks may tell together where each tells as much as a case's, in characters as `weightOf` counts. */
const mostTold = 64 * 1024 * 1024;

/** How many runs are made at most: fewer where the cases are large, for a worker has to hold and read what all of them tell. */
function runsFor({ cases }: CheckFacts, maxRuns: number): number {
  const weights = cases.map(({ seen: { value, calls, sends } }) =>
    weightOf(JSON.stringify([value, calls.map(({ input, output }) => [input, output]), sends])),
  );
  return Math.min(maxRuns, Math.floor(mostTold / Math.max(1, ...weights)));
}

interface Found {
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
): Promise<Found[]> {
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
      if (refused >= 0) plan.findings = index === 0 ? notRun(seen.slice(refused - batch.length)) : untold;
      else advance(plan, observations.slice(start, start + plan.wanted.length));
      await yieldTurn();
    }
  }
  const found: Found[] = [];
  const isReviewed = !seen.some((run) => run.seen.end === 'refused');
  for (const { check, findings = untold, runs } of plans) {
    // What a check has found by itself needs no second proof.
    const isClear = !findings.findings.some(({ rule }) => ruleOf(rule).severity === 'error');
    const more = isReviewed && isClear ? (check.review?.(facts, seen) ?? []) : [];
    found.push({ check, findings: { ...findings, findings: toldOnce([...findings.findings, ...more]) }, runs });
    await yieldTurn();
  }
  return found;
}

/** What a check finds whose runs are not all made. */
const untold: CheckFindings = { findings: [], skipped: 'the candidate is not run any more' };

/** The sandbox runs no candidate any more that has killed cells, or that has told too much: no check can pass it. */
function notRun([first]: readonly Run[]): CheckFindings {
  const { input } = (first as Run).scenario;
  const message = `the candidate is not run any more: ${first?.seen.message}`;
  return { findings: [{ rule: 'generated-requests/not-run-any-more', message, input }] };
}

/**
 * Findings without the warnings that say of one case what another says of its own: a repair has enough with the first.
 */
function toldOnce(findings: readonly Finding[]): Finding[] {
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

function reportOf({ check, findings: { findings, skipped, note }, runs }: Found, policy: CheckPolicy): CheckReport {
  const message = findings.map((one) => one.message).join('; ') || (skipped ?? note);
  const isRefused = findings.some(({ rule }) => isRefusing({ check: check.name, rule }, policy));
  const result = isRefused ? 'failed' : findings.length > 0 ? 'warned' : skipped === undefined ? 'passed' : 'skipped';
  return { name: check.name, result, runs, ...(message === undefined ? {} : { message: message.slice(0, 1_000) }) };
}
