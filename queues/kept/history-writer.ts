import { readFileSync } from 'node:fs';
import type { Delivery } from '../jobs/delivery.ts';
import { limits } from '../jobs/limits.ts';
import type { Keys } from '../redis/catalog.ts';
import { type Connection, connect, disconnect } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';

const keep = new Script(readFileSync(new URL('./keep-history.lua', import.meta.url), 'utf8'));

/** How much is kept of a job, and for how long. */
export interface HistoryLimits {
  seconds: number;
  /** Bytes of the entries of one job; the job as submitted comes on top. */
  bytesPerJob: number;
  entriesPerJob: number;
  /** Share of Redis' `maxmemory` above which nothing is added: jobs need the rest. */
  memoryShare: number;
}

/** The limits unless configured: a day, and half a megabyte for one job. */
export const defaultHistoryLimits: HistoryLimits = {
  seconds: 86_400,
  bytesPerJob: 524_288,
  entriesPerJob: 1_000,
  memoryShare: 0.7,
};

/** Entries that were not kept, and why: the limits of a job, or Redis. */
export interface LeftOutReport {
  entries: number;
  bytes: number;
  why: 'limit' | 'redis';
  message?: string;
}

/**
 * How long entries are collected before they are sent, in milliseconds: a worker that dies loses these. Sending
 * at the end of every stage would take over 7 % of the processor time of a job with a stored handler.
 */
const COLLECT_MS = 100;

/** Most bytes that one round sends, so that other clients of Redis wait for milliseconds only. */
const BYTES_PER_ROUND = 1_048_576;

/** Most bytes that wait for Redis in this process; more are left out. */
const MOST_BYTES_WAITING = 16_777_216;

/** Most jobs whose entries, or counts of entries left out, wait in this process while Redis is away. */
const MOST_JOBS_WAITING = 10_000;

/** The pause after a failed round, in milliseconds. */
const PAUSE_MS = 1_000;

/** How often Redis' memory is looked at, in milliseconds. */
const MEMORY_MS = 5_000;

/** How long closing may take, in milliseconds: a history must not delay a restart. */
const CLOSE_MS = 1_000;

/** Errors after which a script certainly did not run, and can be sent again. After any other it is not. */
const NOT_RUN = /^(?:OOM|LOADING|READONLY|MISCONF|NOREPLICAS|Stream isn't writeable|Cluster isn't ready)/;

interface Waiting {
  member: string;
  submitted: string[];
  entries: string[];
  bytes: number;
  leftEntries: number;
  leftBytes: number;
}

/**
 * Writes what happens to jobs to Redis, on a connection of its own. Best effort: no call throws or waits. Entries that
 * Redis does not take in time are left out, counted and reported.
 */
export class HistoryWriter {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #limits: HistoryLimits;
  readonly #onLeftOut: (report: LeftOutReport) => void;
  readonly #waiting = new Map<string, Waiting>();
  /** What was left out of each job, until its next entries are sent. */
  readonly #left = new Map<string, Pick<Waiting, 'leftEntries' | 'leftBytes'>>();
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #isShort = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(url: string, keys: Keys, limits: HistoryLimits, onLeftOut: (report: LeftOutReport) => void = () => {}) {
    this.#connection = connect(url, 'caller');
    this.#keys = keys;
    this.#limits = limits;
    this.#onLeftOut = onLeftOut;
  }

  /** Keeps a job as it was submitted, unless it is larger than a job may be. */
  submitted({ jobId, kind, text, dataDigest, tenant, takenAtMs, rawBytes }: Delivery): void {
    const waiting = this.#waitingOf(jobId);
    if (waiting === undefined) return;
    waiting.member = `${tenant}:${jobId}`;
    if (text !== '' && rawBytes <= limits.jobBytes.value && waiting.submitted.length === 0) {
      const takenAt = String(Math.round(takenAtMs));
      const fields = { kind, text, dataDigest, tenant, takenAtMs: takenAt };
      if (!this.#count(waiting, rawBytes)) return;
      waiting.submitted = Object.entries(fields).flat();
    }
    this.#later(COLLECT_MS);
  }

  /** Adds an entry, a JSON object, to a job's history. Without its tenant, the job is listed if it was before. */
  add(jobId: string, entry: object, tenant?: string): void {
    const waiting = this.#waitingOf(jobId);
    if (waiting === undefined) return;
    if (tenant !== undefined) waiting.member = `${tenant}:${jobId}`;
    const text = JSON.stringify(entry);
    if (this.#count(waiting, Buffer.byteLength(text))) waiting.entries.push(text);
    this.#later(COLLECT_MS);
  }

  /** Sends what waits and disconnects; takes a second at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const giveUp = new Promise<void>((resolve) => {
      setTimeout(resolve, CLOSE_MS).unref();
    });
    await Promise.race([giveUp, this.#sendAll()]);
    await Promise.race([giveUp, disconnect(this.#connection)]);
    this.#connection.disconnect();
  }

  async #sendAll(): Promise<void> {
    await this.#sending;
    for (let before = -1; this.#waiting.size > 0 && this.#waiting.size !== before; ) {
      before = this.#waiting.size;
      await this.#send();
    }
  }

  #waitingOf(jobId: string): Waiting | undefined {
    const known = this.#waiting.get(jobId);
    if (known !== undefined) return known;
    if (this.#isClosed || this.#waiting.size >= MOST_JOBS_WAITING) {
      this.#onLeftOut({ entries: 1, bytes: 0, why: 'redis', message: 'too many jobs wait for Redis' });
      return undefined;
    }
    const left = this.#left.get(jobId) ?? { leftEntries: 0, leftBytes: 0 };
    this.#left.delete(jobId);
    const created = { member: '', submitted: [], entries: [], bytes: 0, ...left };
    this.#waiting.set(jobId, created);
    return created;
  }

  /** Takes room for bytes that will wait. Returns whether there is room; if not, the entry is counted as left out. */
  #count(waiting: Waiting, bytes: number): boolean {
    if (this.#waitingBytes + bytes > MOST_BYTES_WAITING) {
      waiting.leftEntries += 1;
      waiting.leftBytes += bytes;
      this.#onLeftOut({ entries: 1, bytes, why: 'redis', message: 'Redis is away or slow' });
      return false;
    }
    waiting.bytes += bytes;
    this.#waitingBytes += bytes;
    return true;
  }

  #later(ms: number): void {
    if (this.#isClosed || this.#timer !== undefined || this.#sending !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send().then((isSent) => {
        this.#sending = undefined;
        if (this.#waiting.size > 0) this.#later(isSent ? 0 : PAUSE_MS);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Sends one round. Resolves to whether the next one can follow at once, without a pause for Redis. */
  async #send(): Promise<boolean> {
    const round: [string, Waiting][] = [];
    let bytes = 0;
    for (const [jobId, waiting] of this.#waiting) {
      if (round.length > 0 && bytes + waiting.bytes > BYTES_PER_ROUND) break;
      bytes += waiting.bytes;
      round.push([jobId, waiting]);
    }
    const isShort = await this.#isMemoryShort();
    for (const [jobId, waiting] of round) {
      this.#waiting.delete(jobId);
      this.#waitingBytes -= waiting.bytes;
    }
    if (isShort) {
      for (const [jobId, waiting] of round) this.#drop(jobId, waiting, 'the memory of Redis is nearly used up');
      return true;
    }
    const sent = await Promise.all(round.map(([jobId, waiting]) => this.#sendOne(jobId, waiting)));
    return sent.every(Boolean);
  }

  async #sendOne(jobId: string, waiting: Waiting): Promise<boolean> {
    const { history, submitted, histories } = this.#keys;
    const { seconds, bytesPerJob, entriesPerJob } = this.#limits;
    const { member, leftEntries, leftBytes, entries } = waiting;
    const about = [seconds, bytesPerJob, entriesPerJob, member, leftEntries, leftBytes, waiting.submitted.length];
    try {
      const values = [...about, ...waiting.submitted, ...entries];
      const left = await keep.run(this.#connection, [history(jobId), submitted(jobId), histories], values);
      const [tooMany = 0, tooManyBytes = 0] = left as number[];
      if (tooMany > 0) this.#onLeftOut({ entries: tooMany, bytes: tooManyBytes, why: 'limit' });
      return true;
    } catch (error) {
      const message = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
      if (NOT_RUN.test(message) && !this.#isClosed && this.#putBack(jobId, waiting)) return false;
      this.#drop(jobId, waiting, message);
      return false;
    }
  }

  /** Puts a job's entries back, before those that came meanwhile. Returns `false` if there is no room for them. */
  #putBack(jobId: string, waiting: Waiting): boolean {
    const isRoom = this.#waitingBytes + waiting.bytes <= MOST_BYTES_WAITING;
    const since = this.#waiting.get(jobId);
    if (!isRoom || (since === undefined && this.#waiting.size >= MOST_JOBS_WAITING)) return false;
    this.#waitingBytes += waiting.bytes;
    if (since !== undefined) {
      waiting.member ||= since.member;
      if (waiting.submitted.length === 0) waiting.submitted = since.submitted;
      waiting.entries.push(...since.entries);
      waiting.bytes += since.bytes;
      waiting.leftEntries += since.leftEntries;
      waiting.leftBytes += since.leftBytes;
    }
    this.#waiting.set(jobId, waiting);
    return true;
  }

  #drop(jobId: string, { entries, bytes, leftEntries, leftBytes }: Waiting, message: string): void {
    if (entries.length > 0) this.#onLeftOut({ entries: entries.length, bytes, why: 'redis', message });
    if (this.#left.size >= MOST_JOBS_WAITING) this.#left.clear();
    this.#left.set(jobId, { leftEntries: leftEntries + entries.length, leftBytes: leftBytes + bytes });
  }

  /** Whether Redis has used its share of memory; `false` if it does not say. */
  async #isMemoryShort(): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < MEMORY_MS) return this.#isShort;
    this.#lookedAtMs = nowMs;
    const info = await this.#connection.call('INFO', 'memory').then(String, () => '');
    const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
    const most = numberOf('maxmemory');
    this.#isShort = most > 0 && numberOf('used_memory') > this.#limits.memoryShare * most;
    return this.#isShort;
  }
}
