import { isOutcomeOf, readEnvelope } from '../jobs/envelope.ts';
import { dataDigestOf } from '../jobs/job-id.ts';
import { storedJob } from '../jobs/stored-job.ts';
import { isAutomaticId, LONGEST_WAIT_MS } from '../redis/catalog.ts';
import { pairsOf } from '../redis/connection.ts';
import { eachOf } from '../redis/each-of.ts';
import { DeduplicatedJobs } from './deduplicated-jobs.ts';
import type { JobDeadlines } from './job-deadlines.ts';
import type { KeeperOptions } from './keeper-options.ts';

/** BullMQ's events that are read at once. */
const BATCH = 2_000;

type StreamEntry = [id: string, fields: string[]];

/** What a batch of events says about jobs. */
interface JobsOfEvents {
  added: Set<string>;
  /** The time of the event, by the id of the job that BullMQ ignored. */
  ignored: Map<string, number>;
  deduplicated: Map<string, string>[];
}

/** Reads BullMQ's events: records deadlines of added jobs and answers for jobs that BullMQ ignored. */
export class EventReader {
  readonly #options: KeeperOptions;
  readonly #deadlines: JobDeadlines;
  readonly #deduplicated: DeduplicatedJobs;

  constructor(options: KeeperOptions, deadlines: JobDeadlines) {
    this.#options = options;
    this.#deadlines = deadlines;
    this.#deduplicated = new DeduplicatedJobs(options);
  }

  /** Reads all new events, or stops after a batch once aborted. */
  async read(signal: AbortSignal): Promise<void> {
    const { connection, keys, outcomes, onError } = this.#options;
    const nowMs = await outcomes.nowMs();
    for (let read = BATCH; read === BATCH && !signal.aborted; ) {
      const events = await this.#nextEvents();
      read = events.length;
      const { added, ignored, deduplicated } = jobsOf(events, nowMs);
      await this.#deadlines.note([...added]);
      await eachOf(deduplicated, (event) => this.#deduplicated.end(event), onError);
      // Before the announcements: a crash then loses one rather than repeats it. The outcome itself stays under its
      // key.
      const last = events.at(-1)?.[0];
      if (last !== undefined) await connection.set(keys.seen, last);
      await eachOf([...ignored], ([jobId, atMs]) => this.#announceIgnored(jobId, atMs), onError);
    }
  }

  async #nextEvents(): Promise<StreamEntry[]> {
    const { connection, keys, onEvent } = this.#options;
    const stream = `${keys.queue}:events`;
    const position = (await connection.get(keys.seen)) ?? '0-0';
    const isId = /^\d{1,16}-\d{1,16}$/.test(position);
    const events = isId ? await connection.xrange(stream, `(${position}`, '+', 'COUNT', BATCH) : [];
    if (events.length > 0 || position === '0-0') return events;
    const [last = ['0-0']] = await connection.xrevrange(stream, '+', '-', 'COUNT', 1);
    if (isId && (last[0] === '0-0' || Number.parseInt(position, 10) <= Number.parseInt(last[0], 10))) return events;
    // Go on from now: earlier events may have been handled already.
    await connection.set(keys.seen, last[0]);
    onEvent({
      event: 'mended',
      message: `Cannot continue in BullMQ's events: found no event id in ${keys.seen}, wanted one; reading goes on from the last event`,
    });
    return [];
  }

  /**
   * BullMQ ignores a job whose id it still has: failed jobs keep theirs, others do so until shortly after their
   * outcome. The producer waits for an answer all the same, so the outcome is announced again.
   */
  async #announceIgnored(jobId: string, ignoredAtMs: number): Promise<void> {
    const { connection, keys, jobs, outcomes, onEvent } = this.#options;
    const text = await outcomes.textOf(jobId);
    // The event that the job was added may never have been written.
    if (text === null) return this.#deadlines.note([jobId]);
    const envelope = readEnvelope(text);
    if (envelope === null) return;
    const job = await storedJob(connection, keys, jobId);
    const isSameJob = job !== null && isOutcomeOf(envelope, job.kind, dataDigestOf(job.data, job.text));
    // The stored job was refused since its id belongs to another one: only that one's negotiator gets the outcome.
    const replyTo = isSameJob
      ? (jobs.factsOf(job.kind, job.data).replyTo ?? 'default')
      : await outcomes.replyToOf(jobId);
    if (job !== null && !isSameJob) await this.#forgetRefused(jobId);
    if (replyTo === null) return;
    // Ignored before the outcome was published: the announcement that followed was the answer.
    const publishedAtMs = await outcomes.publishedAtMs(jobId, replyTo);
    if (publishedAtMs !== null && ignoredAtMs < publishedAtMs) return;
    await outcomes.announce(envelope, { jobId, replyTo }, true);
    const { negotiationId, verdict } = envelope;
    const tenant = typeof envelope.tenant === 'string' ? envelope.tenant : null;
    onEvent({ event: 'replayed', jobId, kind: envelope.kind ?? job?.kind ?? '', negotiationId, tenant, verdict });
  }

  /** Removes a refused job, so that a worker answers the next job with this id. */
  async #forgetRefused(jobId: string): Promise<void> {
    const { connection, keys, queue } = this.#options;
    const reason = await connection.hget(`${keys.queue}:${jobId}`, 'failedReason');
    if (reason?.startsWith('JOB_ID_REUSED')) await queue.remove(jobId);
  }
}

function jobsOf(events: readonly StreamEntry[], nowMs: number): JobsOfEvents {
  const added = new Set<string>();
  const ignored = new Map<string, number>();
  const deduplicated: Map<string, string>[] = [];
  for (const [id, fields] of events) {
    const event = pairsOf(fields);
    const jobId = event.get('jobId') ?? '';
    // Event ids are times by Redis' clock.
    const atMs = Number.parseInt(id, 10);
    // Nobody still waits for the answer to an older event.
    if (event.get('event') === 'deduplicated' && atMs > nowMs - LONGEST_WAIT_MS) {
      deduplicated.push(event);
      ignored.set(event.get('deduplicatedJobId') ?? '', atMs);
    }
    if (jobId === '' || isAutomaticId(jobId)) continue;
    if (event.get('event') === 'added') added.add(jobId);
    if (event.get('event') === 'duplicated') ignored.set(jobId, atMs);
  }
  return { added, ignored, deduplicated };
}
