import type { Queue } from 'bullmq';
import { parseData } from '../jobs/delivery.ts';
import { readEnvelope } from '../jobs/envelope.ts';
import { jobIdFor, measured } from '../jobs/job-id.ts';
import type { JobReader } from '../jobs/job-reader.ts';
import { limits } from '../jobs/limits.ts';
import { type Outcomes, stampedByRedis } from '../jobs/outcomes.ts';
import { announceFull, TenantFull } from '../jobs/tenant-full.ts';
import { metadataWith, traceparentOf } from '../jobs/trace-context.ts';
import type { Turns } from '../jobs/turns.ts';
import { isUsableId, type Keys } from '../redis/catalog.ts';
import { type Connection, pairsOf } from '../redis/connection.ts';
import { putAside } from '../redis/mending.ts';
import type { OnQueueEvent } from '../redis/queue-event.ts';
import { Script } from '../redis/script.ts';

/** The consumer group of the intake stream. */
export const INTAKE_GROUP = 'protosmith';

// KEYS[1] intake ARGV[1] group ARGV[2] least idle time in ms ARGV[3] name of one consumer, '' = any. In one call:
// deleting a consumer also drops its unacknowledged entries, and Redis may deliver one to it at any time, even on a
// closed connection.
const forgetScript = new Script(`
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local about = {}
  for index = 1, #consumer, 2 do about[consumer[index]] = consumer[index + 1] end
  local isMeant = ARGV[3] == '' or ARGV[3] == about.name
  if isMeant and about.pending == 0 and about.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], about.name)
  end
end
return 1`);

/** An entry of the intake stream. */
export type Entry = [id: string, fields: string[] | null];

/** The job of an entry. */
export interface EntryJob {
  jobId: string;
  kind: string;
  /** The JSON text of its data. */
  text: string;
  data: unknown;
}

/** What entries are moved with. */
export interface IntakeParts {
  keys: Keys;
  connection: Connection;
  queue: Queue;
  jobs: JobReader;
  outcomes: Outcomes;
  turns: Turns;
  onEvent: OnQueueEvent;
}

/** Moves entries of the intake stream to the queue. */
export class IntakeEntries {
  readonly #keys: Keys;
  readonly #connection: Connection;
  readonly #queue: Queue;
  readonly #jobs: JobReader;
  readonly #outcomes: Outcomes;
  readonly #turns: Turns;
  readonly #onEvent: OnQueueEvent;

  constructor(parts: IntakeParts) {
    this.#keys = parts.keys;
    this.#connection = parts.connection;
    this.#queue = parts.queue;
    this.#jobs = parts.jobs;
    this.#outcomes = parts.outcomes;
    this.#turns = parts.turns;
    this.#onEvent = parts.onEvent;
  }

  /**
   * Adds an entry's job to the queue and deletes the entry. Resolves to the job's id; to `undefined` if the job was
   * refused because its tenant has too many waiting jobs.
   */
  async bridge([id, fields]: Entry): Promise<string | undefined> {
    const values = pairsOf(fields ?? []);
    const data = parseData(values.get('data') ?? 'null');
    try {
      return await this.#add(id, values, data);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Data nested too deeply cannot be written, and the entry would come again for ever. Cut down, they are still too
      // deep for a job.
      return await this.#add(id, values, cutAtDepth(data, limits.nesting.value + 2));
    }
  }

  async #add(entryId: string, values: ReadonlyMap<string, string>, data: unknown): Promise<string | undefined> {
    const kind = kindOf(values);
    const { digest, writable } = measured(data);
    // Redis took the job when it took the entry, however long the entry waited.
    const metadata = metadataWith(stampedByRedis.mark, traceparentOf(values.get('traceparent')));
    const stamped = { timestamp: Number.parseInt(entryId, 10), telemetry: { metadata } };
    const put = async (id: string) => {
      const { turn: priority, refused } = await this.#turns.reserve(id, kind, data);
      if (refused !== undefined) throw new TenantFull(id, refused);
      const add = () => this.#queue.add(kind, writable, { jobId: id, attempts: 1, priority, ...stamped });
      await add().catch(async (error: unknown) => {
        // Something other than a job may be stored under the job's key.
        if (!(await putAside(this.#connection, this.#keys, `${this.#keys.queue}:${id}`, this.#onEvent))) throw error;
        await add();
      });
    };
    let [jobId, alternative] = idsOf(values, () => digest);
    const isTaken = async () => alternative !== undefined && (await this.#isOfAnotherKind(jobId, kind));
    try {
      if (!(await isTaken())) await put(jobId);
      // Checked again: a job of the other kind may have been added meanwhile.
      if (alternative !== undefined && (await isTaken())) {
        jobId = alternative;
        await put(jobId);
      }
    } catch (error) {
      if (!(error instanceof TenantFull)) throw error;
      const parts = { jobs: this.#jobs, outcomes: this.#outcomes, onEvent: this.#onEvent };
      await announceFull(error, { kind, data }, parts);
      await this.drop(entryId);
      return undefined;
    }
    await this.drop(entryId);
    const { negotiationId, tenant } = this.#jobs.factsOf(kind, data);
    this.#onEvent({ event: 'bridged', jobId, kind, negotiationId, tenant });
    return jobId;
  }

  /** Acknowledges an entry and deletes it. */
  async drop(id: string): Promise<void> {
    const { intake } = this.#keys;
    await this.#connection.multi().xack(intake, INTAKE_GROUP, id).xdel(intake, id).exec();
  }

  /**
   * Deletes consumers of the group that have no pending entries and were idle for `idleMs`: all, or one by its name.
   */
  async forgetConsumers(idleMs: number, name = ''): Promise<void> {
    const { intake } = this.#keys;
    await forgetScript.run(this.#connection, [intake], [INTAKE_GROUP, idleMs, name]).catch(() => undefined);
  }

  async #isOfAnotherKind(jobId: string, kind: string): Promise<boolean> {
    const [connection, keys] = [this.#connection, this.#keys];
    const name = await connection.hget(`${keys.queue}:${jobId}`, 'name');
    if (name !== null) return name !== kind;
    const text = await connection.get(keys.outcome(jobId));
    const published = text === null ? null : (readEnvelope(text)?.kind ?? null);
    return published !== null && published !== kind;
  }
}

/** The kind and data of an entry's job. */
export function dataOf([, fields]: Entry): Omit<EntryJob, 'jobId'> {
  const values = pairsOf(fields ?? []);
  const text = values.get('data') ?? 'null';
  return { kind: kindOf(values), text, data: parseData(text) };
}

/** The job of an entry, with the id that it would get. */
export function jobOf(entry: Entry): EntryJob {
  const values = pairsOf(entry[1] ?? []);
  const job = dataOf(entry);
  const [jobId] = idsOf(values, () => measured(job.data).digest);
  return { jobId, ...job };
}

/** Entries that are searched for a job, the oldest first. */
const LOOKED_THROUGH = 1_000;

/** A job that is still on the intake stream; `null` if the oldest entries do not include it. */
export async function entryOf(
  connection: Connection,
  keys: Keys,
  jobId: string,
): Promise<{ kind: string; data: unknown } | null> {
  for (const [, fields] of await connection.xrange(keys.intake, '-', '+', 'COUNT', LOOKED_THROUGH)) {
    const values = pairsOf(fields);
    const data = parseData(values.get('data') ?? 'null');
    if (idsOf(values, () => measured(data).digest).includes(jobId)) return { kind: kindOf(values), data };
  }
  return null;
}

function kindOf(values: ReadonlyMap<string, string>): string {
  return values.get('kind') ?? 'generate';
}

/**
 * The entry's own id, if usable. Otherwise the recommended id, and a second one in case a job of another kind has the
 * first.
 */
function idsOf(values: ReadonlyMap<string, string>, digest: () => string): [jobId: string, alternative?: string] {
  const given = values.get('jobId');
  if (given !== undefined && isUsableId(given)) return [given];
  const jobId = jobIdFor(digest());
  const alternative = `${jobId}-${kindOf(values)}`;
  return isUsableId(alternative) ? [jobId, alternative] : [jobId];
}

/** The data with `null` in place of values at that depth. */
function cutAtDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cutAtDepth(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAtDepth(item, levels - 1)]));
}
