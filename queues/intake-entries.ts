import type { Queue } from 'bullmq';
import { isUsableId, type Keys } from './catalog.ts';
import { type Connection, pairsOf } from './connection.ts';
import { parseData } from './delivery.ts';
import { readEnvelope } from './envelope.ts';
import { jobIdFor, measured } from './job-id.ts';
import type { JobReader } from './job-reader.ts';
import { limits } from './limits.ts';
import { putAside } from './mending.ts';
import { stampedByRedis } from './outcomes.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Script } from './script.ts';

/** The consumer group of the intake stream. */
export const INTAKE_GROUP = 'protosmith';

// KEYS[1] intake  ARGV[1] group  ARGV[2] least idle time in ms  ARGV[3] name of one consumer, '' = any. In one call: a consumer takes what it has not
// acknowledged along, and Redis may serve a read of it at any moment, even one whose connection is closed already.
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

/** A job as an entry gives it. */
export interface EntryJob {
  jobId: string;
  kind: string;
  /** The JSON text of its data. */
  text: string;
  data: unknown;
}

/** Brings entries of the intake stream to the queue. */
export class IntakeEntries {
  readonly #keys: Keys;
  readonly #connection: Connection;
  readonly #queue: Queue;
  readonly #jobs: JobReader;
  readonly #onEvent: OnQueueEvent;

  constructor(shop: { keys: Keys; connection: Connection; queue: Queue; jobs: JobReader; onEvent: OnQueueEvent }) {
    this.#keys = shop.keys;
    this.#connection = shop.connection;
    this.#queue = shop.queue;
    this.#jobs = shop.jobs;
    this.#onEvent = shop.onEvent;
  }

  /** Adds an entry's job to the queue, and takes the entry off the stream. Resolves to the id under which the job stands. */
  async bridge([id, fields]: Entry): Promise<string> {
    const values = pairsOf(fields ?? []);
    const data = parseData(values.get('data') ?? 'null');
    try {
      return await this.#add(id, values, data);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Nested too deeply to be written: it would come again for ever. What is left of it is too deep for a job all the same.
      return await this.#add(id, values, cutAtDepth(data, limits.nesting.value + 2));
    }
  }

  async #add(id: string, values: ReadonlyMap<string, string>, data: unknown): Promise<string> {
    const kind = kindOf(values);
    const { digest, writable } = measured(data);
    // Redis took the job when it took the entry, however long no worker was there to bridge it.
    const stamped = { timestamp: Number.parseInt(id, 10), telemetry: stampedByRedis.telemetry };
    const put = async (one: string) => {
      const add = () => this.#queue.add(kind, writable, { jobId: one, attempts: 1, ...stamped });
      await add().catch(async (error: unknown) => {
        // Something that is no job may stand where the job belongs.
        if (!(await putAside(this.#connection, this.#keys, `${this.#keys.queue}:${one}`, this.#onEvent))) throw error;
        await add();
      });
    };
    let [jobId, another] = idsOf(values, () => digest);
    const isTaken = async () => another !== undefined && (await this.#isOfAnotherKind(jobId, kind));
    if (!(await isTaken())) await put(jobId);
    // Asked again, for a job of the other kind may have been put there meanwhile.
    if (another !== undefined && (await isTaken())) {
      jobId = another;
      await put(jobId);
    }
    await this.drop(id);
    this.#onEvent({ event: 'bridged', jobId, kind, negotiationId: this.#jobs.factsOf(kind, data).negotiationId });
    return jobId;
  }

  /** Takes an entry off the stream. */
  async drop(id: string): Promise<void> {
    const { intake } = this.#keys;
    await this.#connection.multi().xack(intake, INTAKE_GROUP, id).xdel(intake, id).exec();
  }

  /** Forgets consumers of the group that have nothing in their hands and asked for nothing in that time, in milliseconds: all, or one by its name. */
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

/** What an entry holds of its job. */
export function dataOf([, fields]: Entry): Omit<EntryJob, 'jobId'> {
  const values = pairsOf(fields ?? []);
  const text = values.get('data') ?? 'null';
  return { kind: kindOf(values), text, data: parseData(text) };
}

/** The job that an entry gives, under the id that it would have. */
export function jobOf(entry: Entry): EntryJob {
  const values = pairsOf(entry[1] ?? []);
  const job = dataOf(entry);
  const [jobId] = idsOf(values, () => measured(job.data).digest);
  return { jobId, ...job };
}

/** Entries of the intake stream, the oldest first, that are looked through for a job. */
const LOOKED_THROUGH = 1_000;

/** A job that still stands on the intake stream, as it will be bridged; `null` where it is not among the oldest entries. */
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

/** The id that an entry gives; else the one of our own making, and another for data that are on their way as a job of another kind. */
function idsOf(values: ReadonlyMap<string, string>, digest: () => string): [jobId: string, another?: string] {
  const given = values.get('jobId');
  if (given !== undefined && isUsableId(given)) return [given];
  const jobId = jobIdFor(digest());
  const another = `${jobId}-${kindOf(values)}`;
  return isUsableId(another) ? [jobId, another] : [jobId];
}

/** Data with `null` in place of what stands that many levels down. */
function cutAtDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cutAtDepth(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAtDepth(item, levels - 1)]));
}
