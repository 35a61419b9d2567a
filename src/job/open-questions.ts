import type { AttemptReport, FailedTry } from '../contract/outcome.ts';

/** Most failed tries of one question in a report. */
const maxTries = 50;

/** A question that has not ended. */
type OpenQuestion = Pick<AttemptReport, 'attempt' | 'purpose' | 'model'> & {
  startedAt: number;
  isAnswered: boolean;
  tries: FailedTry[];
};

/** The questions of one job that have not ended, and how long the job has waited for models. */
export class OpenQuestions {
  readonly #open = new Map<number, OpenQuestion>();
  #waitedMs = 0;
  #waitsSince: number | null = null;

  add(attempt: number, purpose: AttemptReport['purpose'], model: string): void {
    this.#count();
    this.#open.set(attempt, { attempt, purpose, model, startedAt: performance.now(), isAnswered: false, tries: [] });
    this.#count();
  }

  /** Records a failed try of a question. */
  failed(attempt: number, failed: FailedTry): void {
    const tries = this.#open.get(attempt)?.tries ?? [];
    if (tries.length < maxTries) tries.push(failed);
  }

  /** Records that a question was answered: what follows is our own time. */
  answered(attempt: number): void {
    const question = this.#open.get(attempt);
    if (question !== undefined) question.isAnswered = true;
    this.#count();
  }

  /** Ends a question. Returns what is known of it for its report. */
  end(attempt: number): Pick<AttemptReport, 'durationMs' | 'tries'> {
    const question = this.#open.get(attempt);
    this.#open.delete(attempt);
    this.#count();
    return question === undefined ? { durationMs: 0 } : aboutOf(question);
  }

  /** How long at least one question waited for its answer, in milliseconds. */
  get waitedMs(): number {
    this.#count();
    return Math.round(this.#waitedMs);
  }

  /** Reports on the questions that have not ended, as if they were aborted now. */
  reports(): Omit<AttemptReport, 'usage'>[] {
    return [...this.#open.values()].map((question) => {
      const { attempt, purpose, model, tries } = question;
      const last = tries.at(-1);
      const why = last === undefined ? {} : { code: last.code, message: last.message };
      return { attempt, purpose, model, result: 'aborted', passedCases: 0, ...why, ...aboutOf(question) };
    });
  }

  #count(): void {
    const nowMs = performance.now();
    if (this.#waitsSince !== null) this.#waitedMs += nowMs - this.#waitsSince;
    this.#waitsSince = [...this.#open.values()].some(({ isAnswered }) => !isAnswered) ? nowMs : null;
  }
}

function aboutOf({ startedAt, tries }: OpenQuestion): Pick<AttemptReport, 'durationMs' | 'tries'> {
  return { durationMs: Math.round(performance.now() - startedAt), ...(tries.length === 0 ? {} : { tries }) };
}
