import type { QueueOperator } from '../../../queues/index.ts';
import type { SituationReader } from '../situation/read-situation.ts';
import type { Situation } from '../situation/situation.ts';
import { SAMPLE_SECONDS, Samples } from './samples.ts';

/** Looks at an installation from time to time, and when a page asks; never twice at once. */
export class Lookout {
  readonly samples = new Samples();
  readonly #reader: SituationReader;
  readonly #operator: Pick<QueueOperator, 'endedSince'>;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<Situation> | undefined;

  constructor(reader: SituationReader, operator: Pick<QueueOperator, 'endedSince'>) {
    this.#reader = reader;
    this.#operator = operator;
    // A fault is shown by the page that asks next.
    const sample = () => this.#sample().catch(() => undefined);
    sample();
    this.#timer = setInterval(sample, SAMPLE_SECONDS * 1_000);
    this.#timer.unref();
  }

  /** The situation at this moment. Rejects with `OPERATOR_REDIS_KEY_TAKEN`. */
  now(): Promise<Situation> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #sample(): Promise<void> {
    const situation = await this.now();
    this.samples.add(situation);
    await this.samples.outcomes.look((sinceMs) => this.#operator.endedSince(sinceMs), situation.atMs);
  }

  async #look(): Promise<Situation> {
    const situation = await this.#reader.read();
    const away = situation.unread.find(({ code }) => code === 'PLATFORM_REDIS_UNREACHABLE');
    return situation.queue === null && away !== undefined ? { ...situation, unreachable: away } : situation;
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
  }
}
