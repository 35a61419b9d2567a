import { type FurtherCase, withFurther } from '../analysis/further-cases.ts';
import type { Case } from '../contract/agreement.ts';
import type { CheckReport } from '../contract/check-report.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { Job } from '../contract/job.ts';
import type { Confirmation, DerivedCase, KeptReading } from '../contract/reading.ts';
import type { Statement } from '../contract/statement.ts';
import type { Trier } from '../contract/trial.ts';
import { type AskedWorld, askSecondReader } from '../deriving/confirm.ts';
import { reserveBeginsMs, Timer } from '../deriving/judge-derived.ts';
import { emptyReading, ReadingWork } from '../deriving/reading-work.ts';
import { familyOf } from '../families/families.ts';
import { handlerKey } from '../handlers/handler-key.ts';
import { rebased } from '../handlers/proof.ts';
import { storedSurface } from '../hosting/surface.ts';
import { createTrier } from '../hosting/trier.ts';
import type { JobContext } from '../job/ask.ts';
import { openBudget } from '../job/budget.ts';
import type { Conclusion } from '../job/conclusion.ts';
import type { Ledger } from '../job/ledger.ts';
import type { Ended } from '../job/path.ts';
import type { Received } from '../job/received.ts';
import type { Requirements } from '../job/requirements.ts';
import { retryLost } from '../job/retry-lost.ts';
import type { Services } from '../job/services.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { canonicalJson } from '../kernel/digest.ts';
import { codeOf } from '../kernel/errors.ts';
import { INVISIBLE } from '../kernel/invisible-characters.ts';
import type { Json } from '../kernel/json.ts';
import { cut } from '../prompting/cut.ts';
import { breachesOf, isVoid } from '../readings/breaches.ts';
import { worldsOf } from '../readings/broken-requests.ts';
import { confirmsAnswer } from '../readings/confirms-answer.ts';
import { otherInput, runWorlds } from '../readings/judge-reading.ts';
import { placesOf, wholeAnswer } from '../readings/places.ts';
import { unitsOfSubject } from '../readings/units.ts';
import { dropReasonOf } from '../readings/validity.ts';
import type { WorldRun } from '../readings/world.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { atAnotherTime, caseScenarios } from '../verification/case-scenarios.ts';
import { asRead } from '../verification/hidden-words.ts';
import { judgeCases } from '../verification/judge-cases.ts';
import { looseDifferences } from '../verification/loose-places.ts';
import type { Subject } from '../verification/subject.ts';

/** Most cases proposed at once: as many as a peer can review with care, and a second reader in one question. */
const maxProposed = 10;

/** Most characters of an expected result. */
const maxExpectedCharacters = 400;

/** The name of the proposal among the checks of a report. */
const proposalCheck = 'proposed-cases';

/**
 * Adds a proposal of further cases to the end of a job: derived cases after the agreed ones. Each is one that
 * the handler satisfies, that a second reader confirmed, and that the peer can check alone. If there are none,
 * or the peer would have to wait, the end stays unchanged and the report says why.
 */
export async function proposeCases(
  { requirements, budget, ...conclusion }: Ended,
  { job, peerDeadline: deadline, workDeadline }: Received,
  services: Services,
  ledger: Ledger,
): Promise<Conclusion> {
  const { handler } = conclusion;
  if (handler === undefined || requirements === undefined) return conclusion;
  const { language } = requirements.cleared.agreement;
  const note = (result: CheckReport['result'], runs: number, message: string) => {
    ledger.checks = [...ledger.checks, { name: proposalCheck, result, runs, message }];
  };
  const obstacle = obstacleOf(job, handler, services, conclusion);
  if (obstacle !== undefined) {
    note('skipped', 0, obstacle);
    return conclusion;
  }
  const until = new Timer(deadline, reserveBeginsMs(deadline));
  try {
    const asked = ledger.stage('propose', async () => {
      const context = { services, ledger, budget: budget ?? (await openBudget(services, ledger.jobId, job.tenant)) };
      return proposal(handler, requirements, context, until.deadline);
    });
    // After the deadline nobody awaits this promise, so its rejection must not count as unhandled.
    asked.catch(() => undefined);
    const result = await Promise.race([asked, until.passed]);
    workDeadline.signal.throwIfAborted();
    if (result === undefined || (result.offer === null && until.deadline.signal.aborted)) {
      note('skipped', 0, 'the peer could not wait for a second reader');
      return conclusion;
    }
    const { offer, runs, words, handler: confirmed } = result;
    note(offer === null ? 'skipped' : 'passed', runs, words);
    return {
      ...conclusion,
      handler: confirmed,
      ...(offer === null ? {} : { language, proposals: [...(conclusion.proposals ?? []), offer] }),
    };
  } catch (error) {
    const code = until.deadline.signal.aborted ? 'PLATFORM_DEADLINE' : codeOf(error);
    // The handler is finished, so a failed question about further cases must not hold it back.
    if (workDeadline.signal.aborted || !code?.match(/^(?:PLATFORM|OPERATOR)_/)) throw error;
    note('skipped', 0, `no case could be proposed (${code})`);
    return conclusion;
  } finally {
    until.release();
  }
}

/** Why nothing can be proposed, whatever the reading contains. */
function obstacleOf(
  job: Job,
  { proof }: HandlerRecord,
  { readingMode }: Services,
  { later }: Conclusion,
): string | undefined {
  if (job.role === 'requester') return 'only the peer knows its answer to another request';
  if (!familyOf(job).canSay('further-cases', job)) return 'the peer accepts no further cases';
  if (readingMode === 'off') return 'readings are off';
  return proof.reading?.complete === true && later === undefined
    ? undefined
    : 'the handler was not judged by a whole reading';
}

/** The result of looking for cases to propose. */
interface ProposalResult {
  offer: Statement | null;
  runs: number;
  words: string;
  /** Includes the answers of the second reader. */
  handler: HandlerRecord;
}

async function proposal(
  record: HandlerRecord,
  requirements: Requirements,
  context: JobContext,
  deadline: Deadline,
): Promise<ProposalResult> {
  const { cleared, subject } = requirements;
  const { services } = context;
  const answered = new AnsweredReading(record, subject);
  const { candidates, runs } = await candidatesOf(answered.entries, record, requirements, services, deadline.signal);
  const nothing = { offer: null, runs, handler: record };
  if (candidates.length === 0) return { ...nothing, words: 'no derived case that a peer can check' };
  const reading = new ReadingWork(services.readingMode, unitsOfSubject(asRead(subject)), async () => answered.kept());
  await reading.settled;
  const isAsked = ({ run }: Candidate) => Object.keys(answered.answersTo(run.world.entry)).length > 0;
  const newCandidates = candidates.filter((one) => !isAsked(one));
  const unasked = candidates.filter(({ run }) => answered.answersTo(run.world.entry)[wholeAnswer.key] === undefined);
  await askSecondReader(unasked.map(askedWorld), requirements, reading, context, deadline);
  const isSilent = unasked.every(({ run }) => reading.confirmationOf(run.world.entry) === undefined);
  for (const { run } of unasked) answered.add(run.world.entry, reading.confirmationOf(run.world.entry));
  const handler = answered.record();
  if (handler !== record)
    await services.handlers.put(handler, handlerKey({ ...cleared, amendments: record.amendments }));
  const agreed = candidates.filter(({ run, answer }) =>
    confirmsAnswer(answered.answersTo(run.world.entry), answer, subject.loose),
  );
  const { reading: report } = context.ledger;
  const confirmed = agreed.filter((one) => newCandidates.includes(one)).length;
  context.ledger.reading = report && { ...report, confirmed: report.confirmed + confirmed };
  const further = withFurther(cleared, agreed.map(caseOf));
  const silence = isSilent && unasked.length > 0 ? '; a second reader could not be asked, or gave no answer' : '';
  const words = `${candidates.length} derived cases that a peer can check, ${agreed.length} confirmed, ${further?.added.length ?? 0} proposed${silence}`;
  if (further === null) return { ...nothing, handler, words };
  return { offer: { what: 'further-cases', ...further }, runs, words, handler };
}

/** The reading of a stored handler, with the case numbers of one job and the answers of second readers. */
class AnsweredReading {
  readonly entries: DerivedCase[];
  readonly #record: HandlerRecord;
  readonly #numbers = new Map<DerivedCase, number>();
  readonly #answers = new Map<number, Confirmation>();

  constructor(record: HandlerRecord, subject: Subject) {
    this.#record = record;
    for (const [number, entry] of this.#derived.entries()) {
      const [own] = this.#alone(entry, subject);
      if (own === undefined || dropReasonOf(own, subject) !== undefined) continue;
      const { confirmation: _, ...bare } = own;
      this.#numbers.set(bare, number);
    }
    this.entries = [...this.#numbers.keys()];
  }

  /** The answers of second readers to a derived case, by place. */
  answersTo(entry: DerivedCase): Confirmation['answers'] {
    const number = this.#numbers.get(entry) ?? -1;
    return { ...this.#derived[number]?.confirmation?.answers, ...this.#answers.get(number)?.answers };
  }

  add(entry: DerivedCase, said: Confirmation | undefined): void {
    const number = this.#numbers.get(entry);
    if (number !== undefined && said !== undefined) this.#answers.set(number, said);
  }

  /** The handler's record with the new answers; the same object if there are none. */
  record(): HandlerRecord {
    const { reading: kept } = this.#record.proof;
    if (kept === undefined || this.#answers.size === 0) return this.#record;
    const derived = this.#derived.map((entry, number): DerivedCase => {
      const said = this.#answers.get(number);
      if (said === undefined) return entry;
      return { ...entry, confirmation: { by: said.by, answers: { ...entry.confirmation?.answers, ...said.answers } } };
    });
    const reading = { ...kept, reading: { ...kept.reading, derived } };
    return { ...this.#record, proof: { ...this.#record.proof, reading } };
  }

  /** The reading with the job's case numbers, without the answers of second readers. */
  kept(): KeptReading {
    const kept = this.#record.proof.reading ?? emptyReading(0);
    return { ...kept, reading: { ...kept.reading, derived: this.entries } };
  }

  get #derived(): readonly DerivedCase[] {
    return this.#record.proof.reading?.reading.derived ?? [];
  }

  #alone(entry: DerivedCase, { cases }: Subject): readonly DerivedCase[] {
    const { reading: kept, cases: own } = this.#record.proof;
    if (kept === undefined) return [];
    return rebased({ ...kept, reading: { ...kept.reading, derived: [entry] } }, own, cases).reading.derived;
  }
}

/** A derived case that a peer can check, with our answer. */
interface Candidate {
  run: WorldRun;
  answer: Json;
}

/** Runs the derived cases on the handler. Those that a peer can check run a second time, and as negotiated cases. */
async function candidatesOf(
  entries: readonly DerivedCase[],
  record: HandlerRecord,
  { subject, schemas }: Requirements,
  { warm }: Services,
  signal: AbortSignal,
): Promise<{ candidates: Candidate[]; runs: number }> {
  const { handler, release } = await warm.borrow(record);
  let isSound = false;
  try {
    const trier = createTrier(handler, storedSurface(record, schemas), () => undefined, subject.trialSeed);
    const first = await retryLost(() => runWorlds(worldsOf(entries, subject), subject, trier, signal), signal);
    const checkable = distinct(first.trials.flatMap((run) => checkableRun(run, subject)));
    const lasting = await retryLost(() => lastingAnswers(checkable, subject, trier, signal), signal);
    isSound = true;
    return { candidates: lasting.slice(0, maxProposed), runs: first.runs + 2 * checkable.length };
  } finally {
    await release(isSound);
  }
}

/**
 * The run as a candidate, if the world changes only the request, the handler meets all expectations, and no
 * case has that request.
 */
function checkableRun(run: WorldRun, subject: Subject): Candidate[] {
  const { world, seen } = run;
  const { entry, base, scenario } = world;
  const isBare =
    entry.tools === undefined && entry.peer === undefined && (base === null || entry.request !== undefined);
  const isKept = seen.end === 'returned' && seen.issues.length === 0 && !isVoid(run);
  if (!isBare || !isKept || seen.value === undefined || breachesOf(run, subject).length > 0) return [];
  const isAnswered = seen.calls.every(({ unanswered }) => unanswered !== true);
  const isNew = subject.cases.every(({ request }) => !equalJson(request, scenario.input));
  // The names of our tools are internal, so a claim that mentions one is not sent to the peer.
  const namesTool = subject.tools.some(({ name }) => entry.claim.includes(name));
  return isAnswered && isNew && !namesTool ? [{ run, answer: seen.value }] : [];
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const requests = new Map(candidates.toReversed().map((one) => [canonicalJson(one.run.world.scenario.input), one]));
  return [...requests.values()].toReversed();
}

/**
 * The candidates whose answers stay the same with another seed and clock, loose places aside, and that pass as cases
 * beside the agreed ones.
 */
async function lastingAnswers(
  candidates: readonly Candidate[],
  subject: Subject,
  trier: Trier,
  signal: AbortSignal,
): Promise<Candidate[]> {
  const { cases } = subject;
  const last = Math.max(0, ...cases.map(({ testCase }) => testCase));
  const further = candidates.map(
    (one, index): Case => ({ ...caseOf(one), testCase: last + 1 + index, negative: false }),
  );
  const extended = { ...subject, cases: [...cases, ...further] };
  const again = candidates.map(({ run }) => atAnotherTime(run.world.scenario));
  const seen = await trier.try([...again, ...caseScenarios(extended)], signal);
  const reports = judgeCases(extended, seen.slice(again.length)).slice(cases.length);
  return candidates.filter(({ answer }, index) => {
    const other = seen[index]?.value;
    const isSame = other !== undefined && looseDifferences(answer, other, subject.loose).length === 0;
    return isSame && reports[index]?.passed === true;
  });
}

function askedWorld({ run }: Candidate): AskedWorld {
  const { entry } = run.world;
  const other = otherInput(run);
  const places = [wholeAnswer, ...placesOf(entry.expect).filter(({ key }) => key !== wholeAnswer.key)];
  return { entry, world: run.world, places, ...(other === undefined ? {} : { other }) };
}

/** A candidate as a case. The claim of the derived case becomes its expected result, on one line. */
function caseOf({ run: { world }, answer }: Candidate): FurtherCase {
  const expected = world.entry.claim.replaceAll(INVISIBLE, ' ').replaceAll(/\s+/g, ' ').trim();
  return { request: world.scenario.input, response: answer, expected: cut(expected, maxExpectedCharacters) };
}
