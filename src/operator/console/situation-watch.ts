import type { QueueOperator } from '../../../queues/index.ts';
import type { SituationReader } from '../situation/read-situation.ts';
import type { Situation } from '../situation/situation.ts';
import { SAMPLE_SECONDS, Samples } from './samples.ts';

/** Reads the situation of an installation at intervals, and when a page asks; never twice at once. */
export class SituationWatch {
  readonly samples = new Samples();
  readonly #reader: SituationReader;
  readonly #operator: Pick<QueueOperator, 'endedSince'>;
  readonly #timer: NodeJS.Timeout;
  #reading: Promise<Situation> | undefined;

  constructor(reader: SituationReader, operator: Pick<QueueOperator, 'endedSince'>) {
    this.#reader = reader;
    this.#operator = operator;
    // The page that asks next shows the fault.
    const sample = () => this.#sample().catch(() => undefined);
    sample();
    this.#timer = setInterval(sample, SAMPLE_SECONDS * 1_000);
    this.#timer.unref();
  }

  /** The situation at this moment. Rejects with `OPERATOR_REDIS_KEY_TAKEN`. */
  now(): Promise<Situation> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #sample(): Promise<void> {
    const situation = await this.now();
    this.samples.add(situation);
    await this.samples.outcomes.look((sinceMs) => this.#operator.endedSince(sinceMs), situation.atMs);
  }

  async #read(): Promise<Situation> {
    const situation = await this.#reader.read();
    const away = situation.unread.find(({ code }) => code === 'PLATFORM_REDIS_UNREACHABLE');
    return situation.queue === null && away !== undefined ? { ...situation, unreachable: away } : situation;
  }

  /** Stops reading. */
  close(): void {
    clearInterval(this.#timer);
  }
}
