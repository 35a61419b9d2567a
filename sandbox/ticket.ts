import type { Answer, Call, OnCall, Run, RunReport } from './contract.ts';
import { policy } from './policy.ts';

/** How far a live run's clock may be behind the host's for it to follow the host's as it is. */
const clockSlackMs = 1_000;

/** An answer of the host's to a call of a run. */
interface Given {
  call: number;
  answer: Answer;
}

/** Answers that a run was given together, and when. */
interface Step {
  atMs: number;
  given: readonly Given[];
}

/** A run that has been asked for, until its report is there. */
export class Ticket {
  readonly run: Run;
  /** By how much its clock goes ahead of the host's after the first step; null where it stands still. */
  readonly aheadMs: number | null;
  readonly #onCall: OnCall;
  #answers: HostAnswers | undefined;
  report: RunReport | undefined;
  /** Cells that died over this run without our doing. */
  deaths = 0;

  constructor(run: Run, onCall: OnCall, hostMs: number) {
    this.run = run;
    this.#onCall = onCall;
    const aheadMs = run.nowMs - hostMs;
    this.aheadMs = (run.fixedClock ?? true) ? null : -clockSlackMs < aheadMs && aheadMs < 0 ? 0 : aheadMs;
  }

  /** Says that the run is started, perhaps again. */
  start(): void {
    this.#answers?.start();
  }

  /** Takes the host's answer to a call, until it can be given. */
  hold(given: Given): void {
    this.#answers?.hold(given);
  }

  /** Whether it is made again and has not had all the answers of the time before. */
  get isBehind(): boolean {
    return this.#answers?.isBehind ?? false;
  }

  /** The next step of the time before, if the run has made those calls again. */
  nextStep(): Step | undefined {
    return this.#answers?.nextStep();
  }

  /** The answers that can be given beyond those of the time before, as they are from now on. */
  nextAnswers(atMs: number): readonly Given[] {
    return this.#answers?.nextAnswers(atMs) ?? [];
  }

  /** Gives up making it as it was the time before: it does not make those calls. */
  forgetSteps(): void {
    this.#answers?.forgetSteps();
  }

  /** The host's answer to a call; undefined where there is none, so that the run is to be ended. */
  ask(call: number, made: Call): Promise<Answer | undefined> {
    this.#answers ??= new HostAnswers(this.run, this.#onCall);
    return this.#answers.to(call, made);
  }

  settle(report: RunReport): void {
    const fault = this.#answers?.fault;
    this.report ??= fault === undefined ? report : { ...report, end: 'killed', message: fault };
    this.callOff();
  }

  /** Calls off what the host is still at. */
  callOff(): void {
    this.#answers?.cancel();
  }
}

/** What was asked of the host and what it said: a run that has to be made again gets the same answers, and the host is asked once. */
class HostAnswers {
  readonly #run: Run;
  readonly #onCall: OnCall;
  readonly #abort = new AbortController();
  readonly #asked = new Map<number, { made: Call; answer: Promise<Answer> }>();
  /** Calls that the host is still at. */
  #open = 0;
  /** The steps in which the run was given answers: made again, it is given them as it was the first time. */
  readonly #steps: Step[] = [];
  /** How many of them it has had since it was last started. */
  #stepped = 0;
  /** Answers to calls that it has made since then, and that it has not been given. */
  #held: Given[] = [];
  /** Why the run cannot go on, if it cannot. */
  fault: string | undefined;

  constructor(run: Run, onCall: OnCall) {
    this.#run = run;
    this.#onCall = onCall;
  }

  async to(call: number, made: Call): Promise<Answer | undefined> {
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
      return asWillFit(await asked.answer);
    } catch (error) {
      this.fault = `the host cannot answer a call: ${error instanceof Error ? error.message : String(error)}`;
      return undefined;
    }
  }

  start(): void {
    this.#stepped = 0;
    this.#held = [];
  }

  hold(given: Given): void {
    this.#held.push(given);
  }

  get isBehind(): boolean {
    return this.#stepped < this.#steps.length;
  }

  nextStep(): Step | undefined {
    const step = this.#steps[this.#stepped];
    const isIn = (given: readonly Given[], { call }: Given) => given.some((one) => one.call === call);
    if (!step?.given.every((one) => isIn(this.#held, one))) return undefined;
    this.#held = this.#held.filter((one) => !isIn(step.given, one));
    this.#stepped += 1;
    return step;
  }

  nextAnswers(atMs: number): readonly Given[] {
    if (this.isBehind || this.#held.length === 0) return [];
    const given = this.#held;
    this.#held = [];
    this.#stepped = this.#steps.push({ atMs, given });
    return given;
  }

  forgetSteps(): void {
    this.#stepped = this.#steps.length;
  }

  cancel(): void {
    // An error with its stack costs more than all the rest of a run, and mostly nobody is there to hear it.
    if (this.#open > 0) this.#abort.abort(new Error('the run has ended'));
  }
}

/** The cell ends a run whose answers are too long together; of one that is so by itself the beginning will do for that, and goes into a frame. */
function asWillFit(answer: Answer): Answer {
  const most = policy.maxExchangeBytes.default + 1;
  if ('output' in answer) return answer.output.length <= most ? answer : { output: answer.output.slice(0, most) };
  const { code, message } = answer.error;
  return message.length <= most ? answer : { error: { code, message: message.slice(0, most) } };
}
