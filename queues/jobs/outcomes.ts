import { readFileSync } from 'node:fs';
import { type Keys, LONGEST_WAIT_MS, NAME_PATTERN, NO_TENANT } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';
import { putAside } from '../redis/mending.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import { redisFailure } from '../redis/redis-refusal.ts';
import { Script } from '../redis/script.ts';
import {
  type Envelope,
  errorCodesOf,
  type PublishedEnvelope,
  type Reason,
  readEnvelope,
  withAnnounced,
} from './envelope.ts';

/**
 * The script that publishes an outcome. Readers in any language may close a job with it; publish-outcome.lua documents
 * its arguments.
 */
export const publishScript = readFileSync(new URL('../publish-outcome.lua', import.meta.url), 'utf8');

const publication = new Script(publishScript);

const announce = new Script(readFileSync(new URL('./announce-early.lua', import.meta.url), 'utf8'));

const begin = new Script(readFileSync(new URL('./begin-job.lua', import.meta.url), 'utf8'));

/** Seconds to keep the state shared by a job's deliveries: longer than any deadline and the work after it. */
export const JOB_STATE_SECONDS = 7_200;

// KEYS[1] outcome ARGV[1] retention in seconds. Returns when the outcome was written, from its remaining time to live.
const writtenAt = new Script(
  `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  return string.format('%.0f', now + redis.call('PTTL', KEYS[1]) - ARGV[1] * 1000)`,
);

/** Most milliseconds between `writtenAt` and the stream entry: one call writes both but reads the clock twice. */
const CLOCK_TOLERANCE_MS = 20;

/**
 * Marks a job whose timestamp is by Redis' clock, not its producer's: the beginning of an option that BullMQ keeps
 * unchanged, and of its JSON.
 */
export const stampedByRedis = { mark: 'stamped-by-redis', option: '"tm":"stamped-by-redis' } as const;

/**
 * Seconds to keep the stream that an outcome was announced on: the keeper must have time to read that the job was
 * submitted again.
 */
const REPLY_TO_SECONDS = 600;

/** What must be known about a job before processing; times by Redis' clock, in milliseconds since 1970. */
export interface Beginning {
  nowMs: number;
  /** The envelope's text, if the job has its outcome already. */
  outcome: string | null;
  cancelled: boolean;
  takenAtMs: number;
  /** When the job is due again, if it was put back. */
  dueMs: number | null;
  /** The messages that an earlier delivery announced. */
  announced: readonly object[];
}

/** A stream entry other than the final one. */
export interface SideEntry {
  jobId: string;
  negotiationId: string | null;
  kind: string;
  messages: readonly object[];
  protocolHash: string | null;
}

/** Reads and writes outcomes and their streams. */
export class Outcomes {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #retentionSeconds: number;
  readonly #onEvent: OnQueueEvent;

  /** `onEvent` is told of values that were put aside. */
  constructor(connection: Connection, keys: Keys, retentionSeconds: number, onEvent: OnQueueEvent = () => {}) {
    this.#connection = connection;
    this.#keys = keys;
    this.#retentionSeconds = retentionSeconds;
    this.#onEvent = onEvent;
  }

  /**
   * Publishes an outcome in one Lua call, with announced messages first. Resolves to what was published; `null` if the
   * job had an outcome.
   */
  async publish(
    envelope: Envelope,
    job: { jobId: string; dataDigest: string | null; replyTo: string },
  ): Promise<PublishedEnvelope | null> {
    const { jobId, dataDigest, replyTo } = job;
    const stream = this.#keys.outcomes(replyTo);
    const keys = [this.#keys.outcome(jobId), stream, this.#keys.announced(jobId), this.#keys.ended];
    const about = [errorCodesOf(envelope).slice(0, MOST_CODES).join(), envelope.tenant ?? '', replyTo];
    const known = { text: '', messages: [] as readonly object[] };
    const attempt = async () => {
      const whole = withAnnounced({ ...envelope, jobId, dataDigest }, known.messages);
      const values = [
        JSON.stringify(whole),
        this.#retentionSeconds,
        ...entryValues(jobId, whole),
        known.text,
        ...about,
      ];
      return { whole, answer: await publication.run(this.#connection, keys, values) };
    };
    let { whole, answer } = await attempt();
    if (answer === 0 && (await this.#isNoOutcome(jobId))) ({ whole, answer } = await attempt());
    while (typeof answer === 'string') {
      // The script returns the same text again if it is not UTF-8 and cannot be passed back.
      known.messages = answer === known.text ? [] : messagesIn(answer);
      known.text = known.messages.length === 0 ? '' : answer;
      if (known.text === '') await this.#putAsideAnnounced(jobId);
      ({ whole, answer } = await attempt());
    }
    const published = answer === 1;
    const notes = this.#connection.pipeline();
    // Nothing depends on this: a keeper that still finds the deadline sees the outcome.
    notes.zrem(this.#keys.deadlines, jobId);
    notes.zrem(this.#keys.waiting(envelope.tenant ?? NO_TENANT), jobId);
    if (published) notes.set(this.#keys.replyTo(jobId), replyTo, 'EX', REPLY_TO_SECONDS);
    notes.exec().catch(() => undefined);
    return published ? whole : null;
  }

  /**
   * Adds a final entry to the stream without touching the outcome: `replayed` for an existing outcome, not for a job
   * that cannot have one.
   */
  async announce(envelope: Envelope, job: { jobId: string; replyTo: string }, replayed: boolean): Promise<void> {
    await this.#add(job.replyTo, finalFields(job.jobId, envelope, replayed));
  }

  /**
   * Adds a final entry for a job that was not taken on: its outcome would use up its id, so `code` and `message` say
   * why.
   */
  async announceRefusal(
    envelope: Envelope,
    job: { jobId: string; replyTo: string },
    { code, message }: Reason,
  ): Promise<void> {
    await this.#add(job.replyTo, { ...finalFields(job.jobId, envelope, false), code, message });
  }

  /**
   * Adds an entry with `final` = 0 to the stream: messages that can be forwarded before the verdict. Once per job,
   * however often it is delivered. Rejects with `PLATFORM_REDIS_…` if Redis refuses.
   */
  async announceEarly(entry: SideEntry, replyTo: string): Promise<void> {
    const { jobId, negotiationId, kind, messages, protocolHash } = entry;
    const keys = [this.#keys.announced(jobId), this.#keys.outcomes(replyTo), this.#keys.outcome(jobId)];
    const fields = [jobId, negotiationId ?? '', kind, protocolHash ?? ''];
    const values = [JSON.stringify(messages), JOB_STATE_SECONDS, this.#retentionSeconds, ...fields];
    await announce.run(this.#connection, keys, values).catch((error: unknown) => {
      throw redisFailure(error, 'announce messages') ?? error;
    });
  }

  /**
   * Adds an entry with `kind` = `late` to the stream: a handler finished after its job's outcome, and the one it
   * replaces.
   */
  async announceLate(
    { jobId, negotiationId, protocolHash }: Omit<SideEntry, 'kind' | 'messages'>,
    { digest, withdrawn }: { digest: string | null; withdrawn?: string | undefined },
    replyTo: string,
  ): Promise<void> {
    await this.#add(replyTo, {
      jobId,
      negotiationId: negotiationId ?? '',
      kind: 'late',
      verdict: '',
      messages: '[]',
      protocolHash: protocolHash ?? '',
      final: '0',
      replayed: '0',
      digest: digest ?? '',
      ...(withdrawn === undefined ? {} : { withdrawn }),
    });
  }

  /** The published envelope's text, or `null`. */
  async textOf(jobId: string): Promise<string | null> {
    return this.#connection.get(this.#keys.outcome(jobId));
  }

  /** The stream that a job's outcome was announced on; `null` once that is forgotten. */
  async replyToOf(jobId: string): Promise<string | null> {
    const name = await this.#connection.get(this.#keys.replyTo(jobId));
    return name !== null && NAME_PATTERN.test(name) ? name : null;
  }

  /** When a job's outcome was published, by Redis' clock; `null` if its entry is not on the stream. */
  async publishedAtMs(jobId: string, replyTo: string): Promise<number | null> {
    const stream = this.#keys.outcomes(replyTo);
    const writtenAtMs = Number(
      await writtenAt.run(this.#connection, [this.#keys.outcome(jobId)], [this.#retentionSeconds]),
    );
    const [from, to] = [Math.max(0, writtenAtMs - CLOCK_TOLERANCE_MS), Math.max(0, writtenAtMs + CLOCK_TOLERANCE_MS)];
    return (
      publicationOf(jobId, await this.#connection.xrange(stream, from, to, 'COUNT', 1_000)) ??
      // The publisher may have used another retention.
      publicationOf(jobId, await this.#connection.xrevrange(stream, '+', '-', 'COUNT', 1_000))
    );
  }

  /**
   * Reads what must be known before processing and records the job's deadline, after which anyone may close it;
   * `timeoutMs` 0 records none. With `isInHand`, a worker has the job and its due time is deleted; a waiting job keeps
   * it. With a tenant, the job counts as waiting until a worker has it.
   */
  async begin(
    jobId: string,
    timestampMs: number,
    timeoutMs: number,
    { tenant = '', isInHand = false }: { tenant?: string; isInHand?: boolean } = {},
  ): Promise<Beginning> {
    const { outcome: outcomeKey, cancel, due: dueKey, queue, deadlines, announced, moments } = this.#keys;
    const { turns, waiting, waitingTenants } = this.#keys;
    const about = [outcomeKey(jobId), cancel(jobId), `${queue}:${jobId}`, dueKey, `${queue}:events`, deadlines];
    const keys = [...about, announced(jobId), moments, turns, waiting(tenant), waitingTenants];
    const stamp = timestampMs > 0 && Number.isFinite(timestampMs) ? timestampMs : '';
    const values = [
      jobId,
      stamp,
      `${queue}:`,
      timeoutMs,
      isInHand ? 1 : 0,
      stampedByRedis.option,
      LONGEST_WAIT_MS,
      tenant,
    ];
    const run = async () => {
      for (;;) {
        const answer = await begin.run(this.#connection, keys, values);
        if (answer !== null) return answer as [string, string, number, string, string, string];
      }
    };
    let answer = await run();
    if (answer[1] !== '' && (await this.#isNoOutcome(jobId, answer[1]))) answer = await run();
    const [now, outcome, cancelled, taken, due, early] = answer;
    return {
      nowMs: Number(now),
      outcome: outcome === '' ? null : outcome,
      cancelled: Number(cancelled) === 1,
      takenAtMs: Number(taken),
      dueMs: due === '' ? null : Number(due),
      announced: early === '' ? [] : await this.#announcedIn(jobId, early),
    };
  }

  /** Redis' clock, in milliseconds since 1970. */
  async nowMs(): Promise<number> {
    const [seconds, micros] = await this.#connection.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /**
   * Whether the value of an outcome's key is not an envelope. It is put aside, since it would block the job's outcome.
   */
  async #isNoOutcome(jobId: string, given?: string): Promise<boolean> {
    const text = given ?? (await this.textOf(jobId));
    if (text === null || readEnvelope(text) !== null) return false;
    return this.#putAside(this.#keys.outcome(jobId), 'an envelope');
  }

  /** The announced messages; none if the value is not a list of them. */
  async #announcedIn(jobId: string, text: string): Promise<readonly object[]> {
    const messages = messagesIn(text);
    if (messages.length === 0) await this.#putAsideAnnounced(jobId);
    return messages;
  }

  #putAsideAnnounced(jobId: string): Promise<boolean> {
    return this.#putAside(this.#keys.announced(jobId), 'a JSON array of messages');
  }

  #putAside(key: string, wanted: string): Promise<boolean> {
    return putAside(this.#connection, this.#keys, key, this.#onEvent, wanted);
  }

  async #add(replyTo: string, fields: Record<string, string>): Promise<void> {
    const oldestMs = Math.max(0, (await this.nowMs()) - this.#retentionSeconds * 1_000);
    const pairs = Object.entries(fields).flat();
    await this.#connection.xadd(this.#keys.outcomes(replyTo), 'MINID', '~', oldestMs, '*', ...pairs);
  }
}

function messagesIn(text: string): readonly object[] {
  const messages = jsonOf(text);
  return Array.isArray(messages) && messages.every(isObject) ? messages : [];
}

function publicationOf(jobId: string, entries: readonly [id: string, fields: string[]][]): number | null {
  const found = entries.find(([, fields]) => {
    const entry = pairsOf(fields);
    return entry.get('jobId') === jobId && entry.get('final') === '1' && entry.get('replayed') === '0';
  });
  return found === undefined ? null : Number.parseInt(found[0], 10);
}

/** Codes of an outcome that are listed. */
const MOST_CODES = 8;

function finalFields(id: string, envelope: Envelope, replayed: boolean): Record<string, string> {
  const [jobId, negotiationId, kind, verdict, messages, protocolHash] = entryValues(id, envelope);
  const marks = { final: '1', replayed: replayed ? '1' : '0' };
  return { jobId, negotiationId, kind, verdict, messages, protocolHash, ...marks };
}

function entryValues(jobId: string, envelope: Envelope): [string, string, string, string, string, string] {
  return [
    jobId,
    envelope.negotiationId ?? '',
    envelope.kind ?? '',
    envelope.verdict,
    JSON.stringify(envelope.messages),
    envelope.protocolHash ?? '',
  ];
}
