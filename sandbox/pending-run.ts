import type { Answer, Call, OnCall, Run, RunReport } from './contract.ts';
import { policy } from './policy.ts';

/** How far a live run's clock may be behind the host's and still follow the host's exactly. */
const clockSlackMs = 1_000;

/** The host's answer to a call of a run. */
interface CallAnswer {
  call: number;
  answer: Answer;
}

/** Answers that a run was given together, and when. */
interface Step {
  atMs: number;
  answers: readonly CallAnswer[];
}

/**
 * A run that was asked for and has no report yet. It outlives the cells that die over it: if repeated, it gets
 * the same answers.
 */
export class PendingRun {
  readonly run: Run;
  /**
   * How far its clock is ahead of the host's after the first step, in milliseconds; null for a clock that stands still.
   */
  readonly aheadMs: number | null;
  readonly #onCall: OnCall;
  #record: AnswerRecord | undefined;
  report: RunReport | undefined;
  /** How many cells died over this run. */
  deaths = 0;

  constructor(run: Run, onCall: OnCall, hostMs: number) {
    this.run = run;
    this.#onCall = onCall;
    const aheadMs = run.nowMs - hostMs;
    this.aheadMs = (run.fixedClock ?? true) ? null : -clockSlackMs < aheadMs && aheadMs < 0 ? 0 : aheadMs;
  }

  /** Records that the run is started, perhaps again. */
  start(): void {
    this.#record?.start();
  }

  /** Keeps the host's answer to a call until it can be given. */
  addAnswer(answer: CallAnswer): void {
    this.#record?.addAnswer(answer);
  }

  /** Whether it is repeated and has not had all recorded answers yet. */
  get isReplaying(): boolean {
    return this.#record?.isReplaying ?? false;
  }

  /** The next recorded step, if the run has made the calls of that step again. */
  nextRecordedStep(): Step | undefined {
    return this.#record?.nextRecordedStep();
  }

  /** The answers that no step has yet. They are recorded as one step at this time. */
  takeNewAnswers(atMs: number): readonly CallAnswer[] {
    return this.#record?.takeNewAnswers(atMs) ?? [];
  }

  /** Gives up the rest of the record: the run does not make those calls again. */
  stopReplay(): void {
    this.#record?.stopReplay();
  }

  /** The host's answer to a call; `undefined` if there is none, so that the run has to be ended. */
  ask(call: number, made: Call): Promise<Answer | undefined> {
    this.#record ??= new AnswerRecord(this.run, this.#onCall);
    return this.#record.ask(call, made);
  }

  /**
   * Sets the report, unless there is one already. A run that the host could not answer is `killed`, whatever the report
   * says.
   */
  finish(report: RunReport): void {
    const fault = this.#record?.fault;
    this.report ??= fault === undefined ? report : { ...report, end: 'killed', message: fault };
    this.cancelCalls();
  }

  /** Aborts the calls that the host is still working on. */
  cancelCalls(): void {
    this.#record?.cancelCalls();
  }
}

/**
 * What a run asked the host, and the answers: a run that is repeated gets the same answers, and the host is
 * asked once.
 */
class AnswerRecord {
  readonly #run: Run;
  readonly #onCall: OnCall;
  readonly #abort = new AbortController();
  readonly #asked = new Map<number, { made: Call; answer: Promise<Answer> }>();
  /** How many calls the host is still working on. */
  #open = 0;
  /** The steps in which the run was given answers: if repeated, it gets them in the same steps. */
  readonly #steps: Step[] = [];
  /** How many of the steps it has had since it was last started. */
  #replayed = 0;
  /** Answers to calls that it has made since then, not given yet. */
  #waiting: CallAnswer[] = [];
  /** Why the run cannot go on, if it cannot. */
  fault: string | undefined;

  constructor(run: Run, onCall: OnCall) {
    this.#run = run;
    this.#onCall = onCall;
  }

  async ask(call: number, made: Call): Promise<Answer | undefined> {
    let asked = this.#asked.get(call);
    if (!asked) {
      // Async, so that a host that throws is one that rejects.
      const answer = (async () => this.#onCall(made, this.#abort.signal, this.#run))();
      asked = { made, answer };
      this.#asked.set(call, asked);
      this.#open += 1;
      const answered = () => {
        this.#open -= 1;
      };
      answer.then(answered, answered);
    }
    if (asked.made.tool !== made.tool || asked.made.input !== made.input) {
      this.fault = 'its cell was lost after it had made calls, and it did not make the same calls again';
      return undefined;
    }
    try {
      return cutToFrame(await asked.answer);
    } catch (error) {
      this.fault = `the host cannot answer a call: ${error instanceof Error ? error.message : String(error)}`;
      return undefined;
    }
  }

  start(): void {
    this.#replayed = 0;
    this.#waiting = [];
  }

  addAnswer(answer: CallAnswer): void {
    this.#waiting.push(answer);
  }

  get isReplaying(): boolean {
    return this.#replayed < this.#steps.length;
  }

  nextRecordedStep(): Step | undefined {
    const step = this.#steps[this.#replayed];
    const isIn = (answers: readonly CallAnswer[], { call }: CallAnswer) => answers.some((one) => one.call === call);
    if (!step?.answers.every((one) => isIn(this.#waiting, one))) return undefined;
    this.#waiting = this.#waiting.filter((one) => !isIn(step.answers, one));
    this.#replayed += 1;
    return step;
  }

  takeNewAnswers(atMs: number): readonly CallAnswer[] {
    if (this.isReplaying || this.#waiting.length === 0) return [];
    const answers = this.#waiting;
    this.#waiting = [];
    this.#replayed = this.#steps.push({ atMs, answers });
    return answers;
  }

  stopReplay(): void {
    this.#replayed = this.#steps.length;
  }

  cancelCalls(): void {
    // An error with its stack costs more than all the rest of a run, and mostly no call is open.
    if (this.#open > 0) this.#abort.abort(new Error('the run has ended'));
  }
}

/**
 * The cell ends a run whose answers are too long together. Of one answer that is too long alone, the beginning shows
 * that and fits into a frame.
 */
function cutToFrame(answer: Answer): Answer {
  const most = policy.maxExchangeBytes.default + 1;
  if ('output' in answer) return answer.output.length <= most ? answer : { output: answer.output.slice(0, most) };
  const { code, message } = answer.error;
  return message.length <= most ? answer : { error: { code, message: message.slice(0, most) } };
}
