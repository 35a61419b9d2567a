import { trimmedError } from '../redis/queue-error.ts';
import { namesOf, type OnQueueEvent } from '../redis/queue-event.ts';
import type { Delivery } from './delivery.ts';
import { type Envelope, errorCodesOf, type Reason } from './envelope.ts';
import type { JobReader } from './job-reader.ts';
import type { Outcomes } from './outcomes.ts';

/** Makes the `error` outcome of a job that ends without a verdict. */
export type GiveUp = (delivery: Delivery, reason: Reason) => Promise<Envelope> | Envelope;

/** A finding that does not change the verdict. */
function warning(reason: Reason): object {
  return { ...reason, severity: 'warning', in: 'job' };
}

/** Publishes outcomes, and ends jobs that cannot get a verdict. */
export class JobCloser {
  readonly #outcomes: Outcomes;
  readonly #jobs: JobReader;
  readonly #giveUp: GiveUp | undefined;
  readonly #onEvent: OnQueueEvent;
  readonly #onDelivery: (delivery: Delivery) => void;

  /** `onDelivery` is called with each job that `end` ends. */
  constructor(
    outcomes: Outcomes,
    jobs: JobReader,
    giveUp: GiveUp | undefined,
    onEvent: OnQueueEvent,
    onDelivery: (delivery: Delivery) => void = () => {},
  ) {
    this.#outcomes = outcomes;
    this.#jobs = jobs;
    this.#giveUp = giveUp;
    this.#onEvent = onEvent;
    this.#onDelivery = onDelivery;
  }

  /** Publishes a job's outcome. Resolves to whether this call published it. */
  async close(delivery: Delivery, envelope: Envelope): Promise<boolean> {
    const { jobId, dataDigest, replyTo, takenAtMs, ignored = [] } = delivery;
    const outcome = { ...envelope, findings: [...envelope.findings, ...ignored.map(warning)] };
    const first = (await this.#outcomes.publish(outcome, { jobId, dataDigest, replyTo })) !== null;
    const { tenant } = this.#jobs.factsOf(delivery.kind, delivery.data);
    const about = { ...namesOf(delivery), tenant, replyTo, verdict: outcome.verdict, codes: errorCodesOf(outcome) };
    if (first) this.#onEvent({ event: 'published', ...about, latencyMs: Math.max(0, Date.now() - takenAtMs) });
    else this.#onEvent({ event: 'suppressed', ...about });
    return first;
  }

  /** Ends a job with `error` for a reason. Resolves to the envelope. */
  async end(delivery: Delivery, reason: Reason): Promise<Envelope> {
    const { code, message } = reason;
    this.#onDelivery(delivery);
    this.#onEvent({ event: code === 'JOB_CANCELLED' ? 'cancelled' : 'given-up', ...namesOf(delivery), code, message });
    const outcome = await this.make(delivery, reason);
    await this.close(delivery, outcome);
    return outcome;
  }

  /** Makes the `error` envelope of a job; the reader's plain one if `giveUp` fails. */
  async make(delivery: Delivery, reason: Reason): Promise<Envelope> {
    try {
      const made = await this.#giveUp?.(delivery, reason);
      if (made !== undefined) return made;
    } catch (error) {
      const { message } = trimmedError(error);
      this.#onEvent({ event: 'given-up', ...namesOf(delivery), code: 'DEFECT_GIVE_UP', message });
    }
    return this.#jobs.errorEnvelope(delivery.kind, delivery.data, reason);
  }
}
