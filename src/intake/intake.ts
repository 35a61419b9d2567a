import type { Delivery } from '../../queues/index.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { deadlinePassed, EarlyEnd, jobFinding } from '../job/conclusion.ts';
import type { Received } from '../job/received.ts';
import { Deadline } from '../kernel/deadline.ts';
import { readJob } from './read-job.ts';

/** A job as taken from the queue. Its data are not validated yet. */
export type Taken = Pick<
  Delivery,
  | 'jobId'
  | 'kind'
  | 'negotiationId'
  | 'tenant'
  | 'data'
  | 'dataDigest'
  | 'rawBytes'
  | 'deadlineAtMs'
  | 'delivery'
  | 'lastFault'
  | 'announced'
  | 'publishNow'
  | 'announceEarly'
  | 'announceLate'
> & {
  /** Fires when the job is aborted. */
  signal: AbortSignal;
};

/** The part of a job's time that is reserved for publishing its outcome: a share, within bounds in milliseconds. */
const publishReserve = { share: 0.05, leastMs: 250, mostMs: 2_000 } as const;

/**
 * Validates a job. Throws `EarlyEnd` with `error` for an unknown kind, and with a `JOB_` finding for every fault,
 * located by JSON pointer.
 */
export function accepted(
  { kind, data, rawBytes }: Pick<Taken, 'kind' | 'data' | 'rawBytes'>,
  knownKinds: readonly string[],
): Job {
  const reading = readJob(kind, data, rawBytes);
  if (!reading.ok)
    throw EarlyEnd.failed(...reading.faults.map((fault): Finding => ({ ...fault, severity: 'error', in: 'job' })));
  const { job } = reading;
  if (!knownKinds.includes(job.kind)) {
    const message = `Cannot accept job: kind "${job.kind}", wanted ${knownKinds.join(' or ')}`;
    throw EarlyEnd.failed(jobFinding('JOB_KIND_UNKNOWN', message));
  }
  return job;
}

/** Validates a job, as `accepted` does, and starts its deadlines. */
export function intake(
  taken: Taken,
  knownKinds: readonly string[],
  announceEarly: Received['announceEarly'],
): Received {
  const { jobId, deadlineAtMs, signal } = taken;
  const job = accepted(taken, knownKinds);
  const reserveMs = Math.min(
    publishReserve.mostMs,
    Math.max(publishReserve.leastMs, job.timeoutMs * publishReserve.share),
  );
  const timers = new AbortTimers(signal);
  const deadline = timers.until(deadlineAtMs - reserveMs);
  if (deadline.passed) {
    timers.release();
    throw new EarlyEnd(deadlinePassed(taken.lastFault));
  }
  return {
    jobId,
    job,
    peerDeadline: deadline,
    announced: taken.announced,
    announceEarly,
    workDeadline: job.workMs === 0 ? deadline : timers.until(deadlineAtMs + job.workMs),
    release: () => timers.release(),
  };
}

/**
 * The deadlines of one job. Their timers are cleared with the job; `AbortSignal.timeout` would hold references for
 * minutes.
 */
class AbortTimers {
  readonly #signal: AbortSignal;
  readonly #ends: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** A deadline whose signal fires at this time, or with the job's signal. */
  until(atMs: number): Deadline {
    const controller = new AbortController();
    const timeUp = () => controller.abort(new DOMException('the time is up', 'TimeoutError'));
    const follow = () => controller.abort(this.#signal.reason);
    const timer = setTimeout(timeUp, Math.max(0, Math.round(atMs - Date.now())));
    if (this.#signal.aborted) follow();
    else this.#signal.addEventListener('abort', follow, { once: true });
    this.#ends.push(() => {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', follow);
    });
    return new Deadline(atMs, controller.signal);
  }

  release(): void {
    for (const end of this.#ends) end();
  }
}
