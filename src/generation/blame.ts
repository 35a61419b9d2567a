import { proposalsFor } from '../analysis/proposals.ts';
import type { CompletionError } from '../completion/completion-error.ts';
import type { Finding, PatchOperation } from '../contract/finding.ts';
import type { Task } from '../contract/job.ts';
import type { Difference } from '../contract/outcome.ts';
import { familyOf } from '../families/families.ts';
import { createTrier } from '../hosting/trier.ts';
import { EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { escapedLine } from '../kernel/quote.ts';
import { differencesOf } from '../schemas/differences.ts';
import type { Subject } from '../verification/subject.ts';
import type { Assignment } from './assignment.ts';
import { contradictionIn, isCaseWrong } from './blame-judge.ts';
import { enoughDeclines, enoughVoters, type Suspicion, suspicionOf } from './blame-suspicion.ts';
import { underivedPlaces } from './blame-underived.ts';
import type { Declined, Failed } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { runCases, runChecks } from './run-candidate.ts';

/**
 * Decides why no candidate was verified. The agreement is at fault only if independent candidates and a judge
 * who quotes the document agree on that; else we are. Resolves to the end of the job. After `peerDeadline` no
 * judge is asked, since the peer can no longer learn of a dispute.
 */
export async function blame(lanes: LaneContext, peerDeadline: Deadline): Promise<EarlyEnd> {
  const disputed = await faultOfAgreement(lanes, peerDeadline).catch((error: unknown) => {
    if (peerDeadline.passed) return null;
    throw error;
  });
  return disputed === null ? ourFault(lanes) : dispute(disputed, lanes);
}

/** The fault of the agreement; `null` if candidates and judge do not agree on one. */
async function faultOfAgreement(lanes: LaneContext, peerDeadline: Deadline): Promise<Finding[] | null> {
  const suspicion = suspicionOf(lanes);
  if (enoughVoters(suspicion)) {
    const amended = amendedSubject(suspicion, lanes);
    if (
      (await passEverythingElse(suspicion, amended, lanes, peerDeadline)) &&
      (await isCaseWrong(suspicion, lanes, peerDeadline))
    )
      return caseWrong(suspicion, lanes);
  }
  if (!enoughDeclines(lanes)) return null;
  const ofCases = declinesOf(lanes).every(({ decline }) => decline === 'case');
  const found = await contradictionIn(lanes, ofCases, peerDeadline);
  return found === null ? null : [contradiction(found)];
}

function declinesOf({ tried }: LaneContext): Declined[] {
  return tried.flatMap(({ attempted }) => (attempted.kind === 'declined' ? [attempted] : []));
}

/** The subject with the candidates' answer in the suspected case. */
function amendedSubject({ testCase, answer }: Suspicion, { assignment: { subject } }: LaneContext): Subject {
  const cases = subject.cases.map((one) => (one.testCase === testCase ? { ...one, response: answer } : one));
  return { ...subject, cases };
}

/** Whether each of the candidates would have been verified if the case had their answer. */
async function passEverythingElse(
  { voters }: Suspicion,
  amended: Subject,
  { assignment, services, ledger }: LaneContext,
  { signal }: Deadline,
): Promise<boolean> {
  const distinct = new Map(voters.flatMap(({ tested }) => (tested === null ? [] : [[tested.bundle, tested]])));
  for (const { source, bundle } of distinct.values()) {
    const handler = await services.sandbox.load(bundle, assignment.exportName);
    try {
      const trier = createTrier(handler, assignment.surface, () => undefined, amended.trialSeed);
      const run = { subject: amended, trier, ledger, signal };
      const observations = await runCases(run);
      const { failures } = await runChecks(run, { source, bundle }, observations, services.checkPolicy);
      if (failures.length > 0) return false;
    } finally {
      await handler.close();
    }
  }
  return true;
}

/** One finding for each difference between the case and the candidates' answer, with the amendment that resolves it. */
function caseWrong({ testCase, answer }: Suspicion, { assignment }: LaneContext): Finding[] {
  const agreed = assignment.cleared.agreement.cases.find((one) => one.testCase === testCase)?.response ?? null;
  const loose = assignment.subject.loose.map(({ pointer }) => pointer);
  return differencesOf(agreed, answer, loose).map(({ path, expected: actual, got: expected }): Finding => {
    const operation: PatchOperation =
      expected === undefined
        ? { op: 'remove', path }
        : { op: actual === undefined ? 'add' : 'replace', path, value: expected };
    return {
      code: 'DOCUMENT_CASE_WRONG',
      severity: 'error',
      in: 'response',
      testCase,
      pointer: path,
      message: `Cannot keep case ${testCase}: found a response that the agreement does not ask for here, wanted the one that it asks for`,
      ...(expected === undefined ? {} : { expected }),
      ...(actual === undefined ? {} : { actual }),
      amendment: { of: 'response', patch: [operation] },
    };
  });
}

function contradiction({ quote, against }: { quote: string; against: string }): Finding {
  return {
    code: 'DOCUMENT_CONTRADICTS_ITSELF',
    severity: 'error',
    in: 'document',
    message: 'Cannot keep agreement: found two passages that exclude each other, wanted one of them',
    expected: quote,
    actual: against,
  };
}

function dispute(findings: Finding[], { assignment: { cleared }, ledger }: LaneContext): EarlyEnd {
  const { job, agreement, warnings } = cleared;
  ledger.verification = null;
  return new EarlyEnd({
    verdict: familyOf(job).canSay('dispute', job) ? 'disputed' : 'error',
    language: agreement.language,
    findings: [...findings, ...warnings],
    proposals: proposalsFor(cleared, findings),
  });
}

function ourFault(lanes: LaneContext): EarlyEnd {
  const { assignment, budget, tried } = lanes;
  const declines = declinesOf(lanes);
  const failures = tried.flatMap(({ attempted }) => (attempted.kind === 'failed' ? [attempted] : []));
  const best = failures.reduce<Failed | undefined>(
    (one, other) => (one === undefined || passes(other) >= passes(one) ? other : one),
    undefined,
  );
  const missing = missingTools(declines, failures, assignment);
  const [declined] = declines;
  const findings =
    missing.length > 0
      ? missing
      : [
          ...(declined === undefined ? [] : [jobFinding('CANDIDATE_DECLINED', declineMessage(declined))]),
          ...(best === undefined ? [] : unverified(best, assignment)),
        ];
  const usedUp = budget.usedUp === null ? [] : [budgetFinding(budget.usedUp, budget.lastFault)];
  return EarlyEnd.failed(...usedUp, ...findings, ...assignment.cleared.warnings);
}

/**
 * The tools that our agent lacks: answer values without a source. Counts only if the model declined for that
 * reason, or if every candidate that passed the cases had memorised the examples.
 */
function missingTools(declines: readonly Declined[], failures: readonly Failed[], assignment: Assignment): Finding[] {
  const passed = failures.filter(({ result }) => result === 'failed-checks');
  const tablesOnly = passed.length > 0 && passed.every(({ memorised }) => memorised);
  if (!tablesOnly && !declines.some(({ decline }) => decline === 'missing-tool')) return [];
  return underivedPlaces(assignment).map(({ testCase, pointer, value }) => ({
    code: 'CANDIDATE_MISSING_TOOL',
    severity: 'error',
    in: assignment.subject.role === 'provider' ? 'response' : 'request',
    testCase,
    pointer,
    message: `Cannot derive the value at "${pointer}": it occurs in no request, tool answer or text, wanted a tool of our agent that returns it`,
    expected: value,
  }));
}

function unverified(best: Failed, { cleared: { job } }: Assignment): Finding[] {
  const findings = (best.tested?.cases ?? [])
    .filter(({ passed }) => !passed)
    .map(({ testCase, differences: [first] }): Finding => {
      const why = first?.message ?? 'it answers differently';
      return {
        code: best.code,
        severity: 'error',
        ...placeOf(first, job.task, testCase),
        testCase,
        message: `Cannot verify handler: case ${testCase} fails (${why}), wanted one that passes every case`,
        ...(first?.expected === undefined ? {} : { expected: first.expected }),
        ...(first?.got === undefined ? {} : { actual: first.got }),
      };
    });
  if (findings.length > 0) return findings;
  const why = best.message.replace(/^The /, 'the ');
  return [jobFinding(best.code, `Cannot verify handler: ${why}, wanted a module that passes cases and checks`)];
}

/** The place of a failed case. The output of a requester occurs in no message, but in its task. */
function placeOf(
  difference: Difference | undefined,
  task: Task | undefined,
  testCase: number,
): Pick<Finding, 'in' | 'pointer'> {
  if (difference === undefined || difference.in === 'run') return { in: 'response' };
  const { in: what, path } = difference;
  if (what !== 'output') return { in: what === 'request' ? 'request' : 'response', pointer: path };
  const index = task?.examples?.findIndex((example) => example.testCase === testCase);
  return { in: 'job', pointer: `/task/examples/${index}/output${path}` };
}

function declineMessage({ decline, reason, quote }: Declined): string {
  return escapedLine(
    `Cannot generate handler: the model declined (${decline}): ${reason.slice(0, 500)}; it quotes "${quote.slice(0, 200)}", wanted a module`,
  );
}

/** Why the model is not asked again: the last fault of the model server, if its failures used up the budget. */
function budgetFinding(usedUp: string, lastFault: CompletionError | null): Finding {
  if (lastFault !== null) return jobFinding(lastFault.code, `${lastFault.message}; ${usedUp} are used`);
  return jobFinding(
    'CANDIDATE_BUDGET',
    `Cannot ask the model again: ${usedUp} are used, wanted some budget left for this job`,
  );
}

function passes({ tested }: Failed): number {
  return tested?.cases.filter(({ passed }) => passed).length ?? -1;
}
