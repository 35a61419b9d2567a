import type { Keys } from '../redis/catalog.ts';
import type { Connection } from '../redis/connection.ts';
import { isObject, jsonOf } from '../redis/json-text.ts';

/** A job as it was submitted; enough to submit it again. */
export interface SubmittedJob {
  /** The name of the BullMQ job. */
  kind: string;
  /** The JSON text of its data, byte for byte. */
  text: string;
  dataDigest: string;
  tenant: string;
  /** When Redis took the job, in milliseconds since 1970. */
  takenAtMs: number;
}

/** What is kept of one job. */
export interface KeptHistory {
  jobId: string;
  submitted: SubmittedJob | null;
  /** JSON objects, in the order in which they were recorded. */
  entries: Record<string, unknown>[];
  /** How much is missing. */
  leftOut: { entries: number; bytes: number };
}

/** Entries read at once. */
const AT_ONCE = 200;

/** Names of jobs read at once. */
const NAMES_AT_ONCE = 10_000;

/** Reads and removes what {@link HistoryWriter} keeps of jobs. */
export class Histories {
  readonly #connection: Connection;
  readonly #keys: Keys;

  constructor(connection: Connection, keys: Keys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  /** What is kept of a job; `null` if there is nothing. */
  async of(jobId: string): Promise<KeptHistory | null> {
    const entries: KeptHistory['entries'] = [];
    for (let from = '-', read = AT_ONCE; read === AT_ONCE; ) {
      const found = await this.#connection.xrange(this.#keys.history(jobId), from, '+', 'COUNT', AT_ONCE);
      for (const [id, [, text = '']] of found) {
        from = `(${id}`;
        const entry = jsonOf(text);
        if (isObject(entry)) entries.push(entry);
      }
      read = found.length;
    }
    // Read last: it is written first.
    const fields = await this.#connection.hgetall(this.#keys.submitted(jobId));
    if (entries.length === 0 && Object.keys(fields).length === 0) return null;
    return { jobId, submitted: submittedIn(fields), entries, leftOut: leftOutIn(fields) };
  }

  /** A job as it was submitted; `null` if it is not kept. */
  async submittedOf(jobId: string): Promise<SubmittedJob | null> {
    return submittedIn(await this.#connection.hgetall(this.#keys.submitted(jobId)));
  }

  /** Bytes that are kept of a job. */
  async bytesOf(jobId: string): Promise<number> {
    const [text, bytes] = await this.#connection.hmget(this.#keys.submitted(jobId), 'text', 'bytes');
    return Buffer.byteLength(text ?? '') + wholeOf(bytes);
  }

  /** The ids of kept jobs that begin with a text, the newest first, at most `most`. */
  async idsLike(beginning: string, most = 2): Promise<string[]> {
    const ids: string[] = [];
    for await (const { jobId } of this.#jobs()) {
      if (jobId.startsWith(beginning)) ids.push(jobId);
      if (ids.length >= most) break;
    }
    return ids;
  }

  /** The ids of a tenant's kept jobs, the newest first. */
  async idsOf(tenant: string): Promise<string[]> {
    const ids: string[] = [];
    for await (const one of this.#jobs()) if (one.tenant === tenant) ids.push(one.jobId);
    return ids;
  }

  /** Removes what is kept of a tenant's jobs. Resolves to their number. Entries that workers add later are kept. */
  async removeTenant(tenant: string): Promise<number> {
    const ids = await this.idsOf(tenant);
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const jobIds = ids.slice(at, at + AT_ONCE);
      const keys = jobIds.flatMap((jobId) => [this.#keys.history(jobId), this.#keys.submitted(jobId)]);
      await this.#connection.unlink(...keys);
      await this.#connection.zrem(this.#keys.histories, ...jobIds.map((jobId) => `${tenant}:${jobId}`));
    }
    return ids.length;
  }

  /** All kept jobs, the newest first. */
  async *#jobs(): AsyncGenerator<{ tenant: string; jobId: string }> {
    for (let from = 0, read = NAMES_AT_ONCE; read === NAMES_AT_ONCE; from += read) {
      const members = await this.#connection.zrevrange(this.#keys.histories, from, from + NAMES_AT_ONCE - 1);
      for (const member of members) {
        const [tenant = '', jobId = ''] = member.split(':', 2);
        yield { tenant, jobId };
      }
      read = members.length;
    }
  }
}

function submittedIn({ kind, text, dataDigest, tenant, takenAtMs }: Record<string, string>): SubmittedJob | null {
  if (text === undefined || kind === undefined) return null;
  return {
    kind,
    text,
    dataDigest: dataDigest ?? '',
    tenant: tenant ?? 'default',
    takenAtMs: wholeOf(takenAtMs),
  };
}

function leftOutIn({ leftOutEntries, leftOutBytes }: Record<string, string>): KeptHistory['leftOut'] {
  return { entries: wholeOf(leftOutEntries), bytes: wholeOf(leftOutBytes) };
}

function wholeOf(text: string | null | undefined): number {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : 0;
}
