import { type Delivery, readJob } from '../../queues/index.ts';
import type { Finding } from '../contract/finding.ts';
import type { Job } from '../contract/job.ts';
import { deadlinePassed, errorMessages, jobFinding, Leave } from '../job/leave.ts';
import { Deadline } from '../kernel/deadline.ts';

/** A job as it was taken from the queue; nothing in its data is known to be right. */
export type Taken = Pick<
  Delivery,
  | 'jobId'
  | 'kind'
  | 'negotiationId'
  | 'data'
  | 'dataDigest'
  | 'rawBytes'
  | 'deadlineAtMs'
  | 'delivery'
  | 'announced'
  | 'publish'
  | 'announceEarly'
  | 'announceLate'
> & {
  /** Fires when the work is called off. */
  signal: AbortSignal;
};

/** A valid job with its deadline running. */
export interface Received {
  jobId: string;
  job: Job;
  /** The peer's deadline less a reserve for publishing. */
  deadline: Deadline;
  /** The messages that an earlier delivery announced. */
  announced: Taken['announced'];
  /** Announces messages that can be forwarded at once. The queue does so once for a job, and puts them first in its outcome. */
  announceEarly: Taken['announceEarly'];
  /** By when work for the handler store must end: the peer's deadline and what the job allows after it. */
  work: Deadline;
  /** Clears the timers of both; nothing fires after that. */
  release(): void;
}

/** What of a job's time is kept for publishing its outcome, as a share and as bounds in milliseconds. */
const publishReserve = { share: 0.05, leastMs: 250, mostMs: 2_000 } as const;

/** Validates a job. Leaves with `error` and a `JOB_` finding for every fault, by JSON pointer, and for a kind or a family that is not known. */
export function accepted(
  { kind, data, rawBytes }: Pick<Taken, 'kind' | 'data' | 'rawBytes'>,
  knownKinds: readonly string[],
): Job {
  const reading = readJob(kind, data, rawBytes);
  if (!reading.ok)
    throw new Leave({
      verdict: 'error',
      messages: errorMessages(reading.readable),
      findings: reading.faults.map((fault): Finding => ({ ...fault, severity: 'error', in: 'job' })),
    });
  const job: Job = reading.job;
  if (!knownKinds.includes(job.kind)) {
    throw new Leave({
      verdict: 'error',
      messages: errorMessages(reading.readable),
      findings: [
        jobFinding('JOB_KIND_UNKNOWN', `Cannot accept job: kind "${job.kind}", wanted ${knownKinds.join(' or ')}`),
      ],
    });
  }
  if (job.family !== 'anp') {
    throw new Leave({
      verdict: 'error',
      messages: errorMessages(reading.readable),
      findings: [
        {
          ...jobFinding('JOB_FAMILY_UNSUPPORTED', `Cannot accept job at /family: family "${job.family}", wanted "anp"`),
          pointer: '/family',
        },
      ],
    });
  }
  return job;
}

/** Validates a job, as `accepted` does, and starts its deadline. */
export function intake(taken: Taken, knownKinds: readonly string[]): Received {
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
    throw new Leave(deadlinePassed({ job }));
  }
  return {
    jobId,
    job,
    deadline,
    announced: taken.announced,
    announceEarly: taken.announceEarly,
    work: job.workMs === 0 ? deadline : timers.until(deadlineAtMs + job.workMs),
    release: () => timers.release(),
  };
}

/** Deadlines of one job. Their timers are cleared with it: those of `AbortSignal.timeout` would hold what they are tied to for minutes. */
class AbortTimers {
  readonly #signal: AbortSignal;
  readonly #ends: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** A deadline whose signal fires then, or with the signal that all of them follow. */
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
