import type { Queue } from 'bullmq';
import { isAutomaticId, type Keys } from './catalog.ts';
import { type Connection, pairsOf } from './connection.ts';
import { deliveryOf, parseData, type StoredJob } from './delivery.ts';
import { givenUp, isOutcomeOf, type Reason, readEnvelope } from './envelope.ts';
import type { JobCloser } from './job-closer.ts';
import { dataDigestOf } from './job-id.ts';
import type { JobReader } from './job-reader.ts';
import { unusableId } from './job-runner.ts';
import { type Lease, Leases } from './lease.ts';
import { misplacedJobs, removeMisplaced } from './misplaced-jobs.ts';
import type { Outcomes } from './outcomes.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Repeated } from './repeated.ts';
import { cancelled } from './running-jobs.ts';
import { Script } from './script.ts';
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
  readonly #closing: Repeated;
  readonly #looking: Repeated;
  #lease: Lease | null = null;
  #page = 1;
  #reconciledAtMs: number | undefined;
  #closed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#leases = new Leases(options.connection, options.keys);
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
    await this.#readEvents().catch(onError);
    await this.#noteWaiting().catch(onError);
    this.#closing.wake();
    await this.#mendActive().catch(onError);
    await this.#reconcile().catch(onError);
    return TICK_MS;
  }

  async #holds(): Promise<boolean> {
    if (this.#lease !== null && (await this.#lease.renew())) return true;
    this.#lease = await this.#leases.acquire('keeper', LEASE_MS);
    if (this.#lease !== null) this.#looking.wake();
    return this.#lease !== null;
  }

  /** Before all else, since with a job in the place of one of BullMQ's own keys little else can be done. */
  async #makeRoom(): Promise<void> {
    const { connection, keys, outcomes } = this.#options;
    const timestampMs = await outcomes.nowMs();
    for (const jobId of await misplacedJobs(connection, keys)) {
      const found = await this.#stored(jobId);
      // When Redis took it cannot be asked: that key may be the one that is taken.
      if (found !== null) await this.#close({ ...found, timestampMs }, unusableId);
      await removeMisplaced(connection, keys, jobId);
    }
  }

  /** BullMQ promotes delayed jobs by its workers' clocks: one that lags would let them lie. */
  async #promoteDue(): Promise<void> {
    const { connection, keys, queue, outcomes } = this.#options;
    const nowMs = await outcomes.nowMs();
    const due = await connection.zrangebyscore(keys.due, 0, nowMs - OVERDUE_MS, 'WITHSCORES', 'LIMIT', 0, BATCH);
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

  /** What no worker could read lies there until its lock runs out. */
  async #mendActive(): Promise<void> {
    const { connection, keys } = this.#options;
    await this.#mend(await connection.lrange(`${keys.queue}:active`, 0, PAGE - 1));
  }

  /** Takes from jobs what BullMQ could not read: it would fetch them again and again, and never hand one to a worker. */
  async #mend(jobIds: readonly string[]): Promise<void> {
    const { connection, keys } = this.#options;
    const reading = connection.pipeline();
    for (const jobId of jobIds) reading.hmget(`${keys.queue}:${jobId}`, 'opts', 'progress', 'parent');
    for (const [index, [, texts]] of ((await reading.exec()) ?? []).entries()) {
      const [opts, progress, parent] = Array.isArray(texts) ? texts : [];
      const unreadable = [
        ...(isPlainObject(jsonOf(opts ?? '{}')) ? [] : ['opts']),
        ...(jsonOf(progress ?? '0') === undefined ? ['progress'] : []),
        ...(jsonOf(parent ?? '{}') === undefined ? ['parent'] : []),
      ];
      if (unreadable.length > 0) await connection.hdel(`${keys.queue}:${jobIds[index]}`, ...unreadable);
    }
  }

  /** Closes what has no time left. Resolves to the time until the next deadline, in milliseconds. */
  async #closeOverdue(): Promise<number> {
    const { connection, keys, outcomes } = this.#options;
    const last = (await outcomes.nowMs()) + AHEAD_MS;
    for (let found = BATCH, failed = 0; found === BATCH && !this.#closed; ) {
      const due = await connection.zrangebyscore(keys.deadlines, 0, last, 'LIMIT', failed, BATCH);
      failed += await this.#eachOf(due, (jobId) => this.#closeOne(jobId));
      found = due.length;
    }
    const [, next] = await connection.zrangebyscore(keys.deadlines, `(${last}`, '+inf', 'WITHSCORES', 'LIMIT', 0, 1);
    return next === undefined ? TICK_MS : Math.max(SOON_MS, Number(next) - last);
  }

  async #closeOne(jobId: string): Promise<void> {
    const { connection, keys, queue } = this.#options;
    const found = await this.#stored(jobId);
    if (found !== null)
      await this.#close(found, {
        code: 'PLATFORM_DEADLINE',
        message: 'Cannot finish job: found its deadline passed, wanted an outcome before',
      });
    // A job that still waits would only be announced again. Jobs that it waits for have outcomes of their own to come.
    await queue.remove(jobId, { removeChildren: false }).catch(() => undefined);
    await connection.zrem(keys.deadlines, jobId);
  }

  /** Reads on in BullMQ's events, whose ids are moments by Redis' clock, to the end. */
  async #readEvents(): Promise<void> {
    const { connection, keys } = this.#options;
    for (let found = EVENTS_AT_ONCE; found === EVENTS_AT_ONCE && !this.#closed; ) {
      const seen = (await connection.get(keys.seen)) ?? '0-0';
      const events = await connection.xrange(`${keys.queue}:events`, `(${seen}`, '+', 'COUNT', EVENTS_AT_ONCE);
      found = events.length;
      const added = new Set<string>();
      const ignored = new Map<string, number>();
      for (const [id, fields] of events) {
        const event = pairsOf(fields);
        const jobId = event.get('jobId') ?? '';
        if (jobId === '' || isAutomaticId(jobId)) continue;
        if (event.get('event') === 'added') added.add(jobId);
        if (event.get('event') === 'duplicated') ignored.set(jobId, Number.parseInt(id, 10));
      }
      await this.#noteDeadlines([...added]);
      // Before the announcements, so that one is rather lost by a crash than made twice: the outcome itself is under its key.
      const last = events.at(-1)?.[0];
      if (last !== undefined) await connection.set(keys.seen, last);
      await this.#eachOf([...ignored], ([jobId, atMs]) => this.#announceIgnored(jobId, atMs));
    }
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
    if ((await connection.exists(keys.outcome(jobId))) === 1) return;
    const found = await this.#stored(jobId);
    if (found !== null) await this.#close(found, givenUp(reason ?? 'no outcome'));
  }

  async #close(found: StoredJob & { timestampMs: number }, reason: Reason): Promise<void> {
    const { jobs, outcomes, closer } = this.#options;
    const beginning = await outcomes.begin(found.jobId, found.timestampMs, 0);
    const delivery = deliveryOf(found, beginning, outcomes, jobs);
    if (beginning.outcome === null) await closer.end(delivery, beginning.cancelled ? cancelled : reason);
  }

  async #stored(jobId: string): Promise<(StoredJob & { timestampMs: number }) | null> {
    const { connection, keys } = this.#options;
    const fields = await connection.hmget(`${keys.queue}:${jobId}`, 'name', 'data', 'timestamp', 'ats', 'stc');
    const [kind, text, timestamp, deliveries, deaths] = fields;
    if (kind == null || text == null) return null;
    return {
      jobId,
      kind,
      text,
      data: parseData(text),
      timestampMs: Number(timestamp),
      deliveries: Number(deliveries ?? 0),
      deaths: Number(deaths ?? 0),
    };
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

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
