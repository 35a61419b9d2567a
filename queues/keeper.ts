import type { Queue } from 'bullmq';
import { isAutomaticId, type Keys, LONGEST_WAIT_MS } from './catalog.ts';
import { type Connection, pairsOf } from './connection.ts';
import { DeduplicatedJobs } from './deduplicated-jobs.ts';
import { deliveryOf } from './delivery.ts';
import { givenUp, isOutcomeOf, type Reason, readEnvelope } from './envelope.ts';
import { IntakeEntries } from './intake-entries.ts';
import { IntakeKeeper } from './intake-keeper.ts';
import type { JobCloser } from './job-closer.ts';
import { dataDigestOf } from './job-id.ts';
import type { JobReader } from './job-reader.ts';
import { unusableId } from './job-runner.ts';
import { type Lease, Leases } from './lease.ts';
import { mendJobs, putAsideUnnamable } from './mend-jobs.ts';
import { misplacedJobs, putAsideMisplaced, removeMisplaced } from './misplaced-jobs.ts';
import type { Outcomes } from './outcomes.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Repeated } from './repeated.ts';
import { cancelled } from './running-jobs.ts';
import { Script } from './script.ts';
import { emptyJob, type KeptJob, storedJob } from './stored-job.ts';
import { supersede } from './supersede.ts';

// KEYS[1] due  ARGV[1] job id  ARGV[2] the moment that was seen. A job that was put back since has another, and is to come back then.
const forgetDue = new Script(
  `if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end return 1`,
);

/** How often the keeper looks, in milliseconds. */
const TICK_MS = 1_000;

/** How many of BullMQ's events are read at once. */
const EVENTS_AT_ONCE = 2_000;

/** How long a keeper that died blocks the next one, in milliseconds. */
const LEASE_MS = 4_000;

/** How long before its deadline a job without an outcome is closed, in milliseconds: in time for the peer, and later than whoever works on it would do so. */
const AHEAD_MS = 100;

/** The shortest pause between two looks for jobs whose deadline comes, in milliseconds. */
const SOON_MS = 100;

/** How long past its moment a delayed job is left to BullMQ, in milliseconds. */
const OVERDUE_MS = 500;

/** How far Redis' clock may be set back before deadlines that were noted before seem written by hand, in milliseconds. */
const CLOCK_SLACK_MS = 60_000;

/** How often finished jobs are compared with outcomes, in milliseconds. */
const RECONCILE_MS = 10_000;

/** How far back that looks after the first time, in milliseconds. */
const RECONCILE_BACK_MS = 600_000;

/** How long a job that failed for a reused id blocks that id, in milliseconds. */
const REUSED_MS = 60_000;

/** Jobs looked at in one step. */
const BATCH = 200;

/** Jobs dealt with side by side. */
const AT_ONCE = 20;

/** Waiting jobs of a page, of which two are looked through at once for jobs without a deadline. */
const PAGE = 1_000;

/** Why a job ends whose deadline passes. */
const deadlinePassed: Reason = {
  code: 'PLATFORM_DEADLINE',
  message: 'Cannot finish job: found its deadline passed, wanted an outcome before',
};

/** What a keeper works with. */
export interface KeeperOptions {
  connection: Connection;
  keys: Keys;
  jobs: JobReader;
  outcomes: Outcomes;
  closer: JobCloser;
  queue: Queue;
  retentionSeconds: number;
  onError: (error: unknown) => void;
  onEvent: OnQueueEvent;
}

/**
 * Sees to it that no job stays without an outcome, whichever worker died: one of all workers at a time closes jobs whose deadline passed, publishes for
 * jobs that BullMQ failed, brings delayed jobs back by Redis' clock, and announces outcomes of jobs that BullMQ ignored as duplicates.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #leases: Leases;
  readonly #intake: IntakeKeeper;
  readonly #deduplicated: DeduplicatedJobs;
  readonly #closing: Repeated;
  readonly #looking: Repeated;
  #lease: Lease | null = null;
  #page = 1;
  #reconciledAtMs: number | undefined;
  #closed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#leases = new Leases(options.connection, options.keys);
    this.#deduplicated = new DeduplicatedJobs(options);
    this.#intake = new IntakeKeeper({ ...options, entries: new IntakeEntries(options) });
    // Apart from all else, which may take longer than a job can wait for its end.
    this.#closing = new Repeated(() => this.#closeInTime(), TICK_MS);
    this.#looking = new Repeated(() => this.#look(), TICK_MS);
  }

  /** Ends it, after the steps it is in. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#closing.close(), this.#looking.close()]);
    if (this.#options.connection.status === 'ready') await this.#lease?.release().catch(() => undefined);
  }

  /** Resolves to the time until the next deadline, in milliseconds. */
  async #closeInTime(): Promise<number> {
    try {
      if (this.#options.connection.status === 'ready' && (await this.#holds())) return await this.#closeOverdue();
    } catch (error) {
      this.#options.onError(error);
    }
    return TICK_MS;
  }

  /** A step that fails does not keep the others from being done. */
  async #look(): Promise<number> {
    const { connection, onError } = this.#options;
    if (connection.status !== 'ready' || this.#lease === null) return TICK_MS;
    await this.#makeRoom().catch(onError);
    await this.#promoteDue().catch(onError);
    await this.#intake.look().catch(onError);
    await this.#readEvents().catch(onError);
    await this.#forgetFarDeadlines().catch(onError);
    await this.#noteWaiting().catch(onError);
    await this.#noteActive().catch(onError);
    this.#closing.wake();
    await this.#reconcile().catch(onError);
    return TICK_MS;
  }

  async #holds(): Promise<boolean> {
    if (this.#lease !== null && (await this.#lease.renew())) return true;
    this.#intake.forget();
    this.#lease = await this.#leases.acquire('keeper', LEASE_MS);
    if (this.#lease !== null) this.#looking.wake();
    return this.#lease !== null;
  }

  /** Before all else, since with a job in the place of one of BullMQ's own keys little else can be done. */
  async #makeRoom(): Promise<void> {
    const { connection, keys, outcomes, onEvent } = this.#options;
    const timestampMs = await outcomes.nowMs();
    for (const jobId of await misplacedJobs(connection, keys)) {
      const found = await this.#stored(jobId);
      // When Redis took it cannot be asked: that key may be the one that is taken.
      if (found !== null) await this.#close({ ...found, timestampMs }, unusableId);
      await removeMisplaced(connection, keys, jobId);
    }
    await putAsideMisplaced(connection, keys, onEvent);
  }

  /** BullMQ promotes delayed jobs by its workers' clocks: one that lags would let them lie. */
  async #promoteDue(): Promise<void> {
    const { connection, keys, queue, outcomes } = this.#options;
    const nowMs = await outcomes.nowMs();
    const due = await connection.zrangebyscore(keys.due, '-inf', nowMs - OVERDUE_MS, 'WITHSCORES', 'LIMIT', 0, BATCH);
    for (const [jobId, dueMs] of pairsOf(due)) {
      // One that is not delayed any more is refused, which is as well.
      await queue
        .getBackend()
        .promote(jobId)
        .catch(() => undefined);
      await forgetDue.run(connection, [keys.due], [jobId, dueMs]);
    }
  }

  /**
   * Waiting jobs have deadlines too, however long no worker has a hand free for them, or their producer has them delayed. Most are known from BullMQ's
   * events; of the others those next in turn are looked at each time, and the rest page by page.
   */
  async #noteWaiting(): Promise<void> {
    const { connection, keys } = this.#options;
    let isMore = false;
    for (const page of [0, this.#page]) {
      const [first, last] = [page * PAGE, (page + 1) * PAGE - 1];
      const pages = await Promise.all([
        connection.lrange(`${keys.queue}:wait`, -last - 1, -first - 1),
        connection.zrange(`${keys.queue}:prioritized`, String(first), String(last)),
        // What we delay ourselves comes soon, and is noted already; what a producer delayed comes last.
        connection.zrevrange(`${keys.queue}:delayed`, first, last),
        connection.zrange(`${keys.queue}:waiting-children`, String(first), String(last)),
      ]);
      await this.#noteDeadlines(pages.flat());
      isMore = pages.some((jobIds) => jobIds.length === PAGE);
    }
    this.#page = isMore ? this.#page + 1 : 1;
  }

  /** No peer waits for longer than a job may say. A deadline beyond that was written by hand, and the job's own is noted in its place. */
  async #forgetFarDeadlines(): Promise<void> {
    const { connection, keys, outcomes, onEvent } = this.#options;
    const farMs = (await outcomes.nowMs()) + LONGEST_WAIT_MS + CLOCK_SLACK_MS;
    const found = await connection.zremrangebyscore(keys.deadlines, farMs, '+inf');
    if (found > 0)
      onEvent({
        event: 'mended',
        message: `Cannot keep ${found} deadlines: found them further off than any peer waits`,
      });
  }

  /** What a worker has in its hands has its deadline noted already, unless somebody took that away. */
  async #noteActive(): Promise<void> {
    const { connection, keys } = this.#options;
    const jobIds = await connection.lrange(`${keys.queue}:active`, 0, PAGE - 1);
    // What no worker could read lies there until its lock runs out.
    await this.#mend(jobIds);
    await this.#noteDeadlines(jobIds);
  }

  async #noteDeadlines(given: readonly string[]): Promise<void> {
    const { connection, keys, jobs, outcomes } = this.#options;
    const jobIds = given.filter((jobId) => !isAutomaticId(jobId));
    if (jobIds.length === 0) return;
    const noted = await connection.zmscore(keys.deadlines, ...jobIds);
    const unnoted = jobIds.filter((_, index) => noted[index] == null);
    await this.#mend(unnoted);
    await this.#eachOf(unnoted, async (jobId) => {
      const found = await this.#stored(jobId);
      if (found === null) return;
      const beginning = await outcomes.begin(jobId, found.timestampMs, jobs.factsOf(found.kind, found.data).timeoutMs);
      // The job that it replaces may have the slot that it waits for.
      const rawBytes = Buffer.byteLength(found.text);
      if (beginning.outcome === null && !beginning.cancelled)
        await supersede({ ...found, rawBytes }, connection, keys, jobs);
    });
  }

  async #mend(jobIds: readonly string[]): Promise<void> {
    const { connection, keys, onEvent } = this.#options;
    await mendJobs(connection, keys, jobIds, onEvent);
    if (!jobIds.some((jobId) => jobId.includes('\ufffd'))) return;
    for (const jobId of await putAsideUnnamable(connection, keys, onEvent))
      await this.#close(emptyJob(jobId), unusableId);
  }

  /** Closes what has no time left. Resolves to the time until the next deadline, in milliseconds. */
  async #closeOverdue(): Promise<number> {
    const { connection, keys, outcomes, onError } = this.#options;
    const last = (await outcomes.nowMs()) + AHEAD_MS;
    await this.#noteDeadlines(await this.#intake.close(last, deadlinePassed)).catch(onError);
    for (let found = BATCH, failed = 0; found === BATCH && !this.#closed; ) {
      const due = await connection.zrangebyscore(keys.deadlines, '-inf', last, 'LIMIT', failed, BATCH);
      failed += await this.#eachOf(due, (jobId) => this.#closeOne(jobId));
      found = due.length;
    }
    const [, next] = await connection.zrangebyscore(keys.deadlines, `(${last}`, '(+inf', 'WITHSCORES', 'LIMIT', 0, 1);
    const nextMs = Math.min(next === undefined ? last + TICK_MS : Number(next), this.#intake.nextMs);
    return Math.max(SOON_MS, nextMs - last);
  }

  async #closeOne(jobId: string): Promise<void> {
    const { connection, keys, queue } = this.#options;
    const found = isAutomaticId(jobId) ? null : await this.#stored(jobId);
    if (found !== null) await this.#close(found, deadlinePassed);
    // A job that still waits would only be announced again. Jobs that it waits for have outcomes of their own to come.
    await queue.remove(jobId, { removeChildren: false }).catch(() => undefined);
    await connection.zrem(keys.deadlines, jobId);
  }

  /** Reads on in BullMQ's events, whose ids are moments by Redis' clock, to the end. */
  async #readEvents(): Promise<void> {
    const { connection, keys, outcomes } = this.#options;
    const nowMs = await outcomes.nowMs();
    for (let found = EVENTS_AT_ONCE; found === EVENTS_AT_ONCE && !this.#closed; ) {
      const events = await this.#nextEvents();
      found = events.length;
      const added = new Set<string>();
      const ignored = new Map<string, number>();
      const deduplicated: Map<string, string>[] = [];
      for (const [id, fields] of events) {
        const event = pairsOf(fields);
        const jobId = event.get('jobId') ?? '';
        // Who put a job longer ago than any peer waits has gone.
        const isRecent = Number.parseInt(id, 10) > nowMs - LONGEST_WAIT_MS;
        if (event.get('event') === 'deduplicated' && isRecent) {
          deduplicated.push(event);
          ignored.set(event.get('deduplicatedJobId') ?? '', Number.parseInt(id, 10));
        }
        if (jobId === '' || isAutomaticId(jobId)) continue;
        if (event.get('event') === 'added') added.add(jobId);
        if (event.get('event') === 'duplicated') ignored.set(jobId, Number.parseInt(id, 10));
      }
      await this.#noteDeadlines([...added]);
      await this.#eachOf(deduplicated, (event) => this.#deduplicated.end(event));
      // Before the announcements, so that one is rather lost by a crash than made twice: the outcome itself is under its key.
      const last = events.at(-1)?.[0];
      if (last !== undefined) await connection.set(keys.seen, last);
      await this.#eachOf([...ignored], ([jobId, atMs]) => this.#announceIgnored(jobId, atMs));
    }
  }

  async #nextEvents(): Promise<[id: string, fields: string[]][]> {
    const { connection, keys, onEvent } = this.#options;
    const stream = `${keys.queue}:events`;
    const seen = (await connection.get(keys.seen)) ?? '0-0';
    const isId = /^\d{1,16}-\d{1,16}$/.test(seen);
    const events = isId ? await connection.xrange(stream, `(${seen}`, '+', 'COUNT', EVENTS_AT_ONCE) : [];
    if (events.length > 0 || seen === '0-0') return events;
    const [last = ['0-0']] = await connection.xrevrange(stream, '+', '-', 'COUNT', 1);
    if (isId && (last[0] === '0-0' || Number.parseInt(seen, 10) <= Number.parseInt(last[0], 10))) return events;
    // On from now: of what happened before, something may have been told of already.
    await connection.set(keys.seen, last[0]);
    onEvent({ event: 'mended', message: `Cannot read on in BullMQ's events: found no event's id in ${keys.seen}` });
    return [];
  }

  /** BullMQ ignores a job whose id is still kept, as failed ones are and others until a moment after their outcome; its producer waits for an answer all the same. */
  async #announceIgnored(jobId: string, putAtMs: number): Promise<void> {
    const { jobs, outcomes, onEvent } = this.#options;
    const text = await outcomes.textOf(jobId);
    const envelope = text === null ? null : readEnvelope(text);
    if (envelope === null) return;
    const found = await this.#stored(jobId);
    const isOwn = found !== null && isOutcomeOf(envelope, found.kind, dataDigestOf(found.data, found.text));
    // What is kept was refused, for the id is another job's: that one's negotiator alone is to hear of the outcome.
    const replyTo = isOwn
      ? (jobs.factsOf(found.kind, found.data).replyTo ?? 'default')
      : await outcomes.replyToOf(jobId);
    if (found !== null && !isOwn) await this.#forgetRefused(jobId);
    if (replyTo === null) return;
    // Put while the job was still worked on: its announcement, which came later, was the answer.
    const publishedAtMs = await outcomes.publishedAtMs(jobId, replyTo);
    if (publishedAtMs !== null && putAtMs < publishedAtMs) return;
    await outcomes.announce(envelope, { jobId, replyTo }, true);
    const { negotiationId, verdict } = envelope;
    onEvent({ event: 'replayed', jobId, kind: envelope.kind ?? found?.kind ?? '', negotiationId, verdict });
  }

  /** Whoever puts a job under that id once more is answered by a worker then, be it the one that the id belongs to or another. */
  async #forgetRefused(jobId: string): Promise<void> {
    const { connection, keys, queue } = this.#options;
    const reason = await connection.hget(`${keys.queue}:${jobId}`, 'failedReason');
    if (reason?.startsWith('JOB_ID_REUSED')) await queue.remove(jobId);
  }

  /** Every job that BullMQ finished has an outcome. Only as far back as outcomes surely are kept: an expired one is not contradicted. */
  async #reconcile(): Promise<void> {
    const { connection, keys, queue, outcomes, retentionSeconds } = this.#options;
    const nowMs = await outcomes.nowMs();
    if (this.#reconciledAtMs !== undefined && nowMs - this.#reconciledAtMs <= RECONCILE_MS) return;
    const keptMs = (retentionSeconds * 1_000) / 2;
    const backMs = this.#reconciledAtMs === undefined ? keptMs : Math.min(keptMs, RECONCILE_BACK_MS);
    for (const state of ['failed', 'completed'] as const) {
      const finished = `${keys.queue}:${state}`;
      for (let offset = 0; ; offset += BATCH) {
        const jobIds = await connection.zrangebyscore(finished, nowMs - backMs, '+inf', 'LIMIT', offset, BATCH);
        await this.#eachOf(jobIds, (jobId) => this.#reconcileOne(jobId, nowMs));
        if (jobIds.length < BATCH || this.#closed) break;
      }
      // Jobs whose producer had them kept for longer would outlive their outcomes.
      await queue.clean(keptMs, 1_000, state);
    }
    this.#reconciledAtMs = nowMs;
  }

  async #reconcileOne(jobId: string, nowMs: number): Promise<void> {
    const { connection, keys, queue } = this.#options;
    if (isAutomaticId(jobId)) return;
    const [reason, finishedOn] = await connection.hmget(`${keys.queue}:${jobId}`, 'failedReason', 'finishedOn');
    if (reason?.startsWith('JOB_ID_REUSED')) {
      // Kept, it would keep the job that the id belongs to from being announced again.
      if (nowMs - Number(finishedOn) > REUSED_MS) await queue.remove(jobId);
      return;
    }
    if ((await connection.strlen(keys.outcome(jobId))) > 0) return;
    const found = await this.#stored(jobId);
    if (found !== null) await this.#close(found, givenUp(reason ?? 'no outcome'));
  }

  async #close(found: KeptJob, reason: Reason): Promise<void> {
    const { jobs, outcomes, closer } = this.#options;
    const beginning = await outcomes.begin(found.jobId, found.timestampMs, 0);
    const delivery = deliveryOf(found, beginning, outcomes, jobs);
    if (beginning.outcome === null) await closer.end(delivery, beginning.cancelled ? cancelled : reason);
  }

  #stored(jobId: string): Promise<KeptJob | null> {
    return storedJob(this.#options.connection, this.#options.keys, jobId);
  }

  /**
   * Does the same with each, some at once: a crowd's last must not wait for the answers to all before it. Resolves to the number of those with which
   * it failed; the others do not suffer from that.
   */
  async #eachOf<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<number> {
    let failed = 0;
    const tolerantly = (item: Item) =>
      act(item).catch((error: unknown) => {
        failed += 1;
        this.#options.onError(error);
      });
    for (let at = 0; at < items.length; at += AT_ONCE) await Promise.all(items.slice(at, at + AT_ONCE).map(tolerantly));
    return failed;
  }
}
