import type { Answer, Call, OnCall, Run, RunReport } from './contract.ts';
import { policy } from './policy.ts';

/** A run that has been asked for, until its report is there. */
export class Ticket {
  readonly run: Run;
  readonly #onCall: OnCall;
  #answers: HostAnswers | undefined;
  report: RunReport | undefined;
  /** Cells that died over this run without our doing. */
  deaths = 0;

  constructor(run: Run, onCall: OnCall) {
    this.run = run;
    this.#onCall = onCall;
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
