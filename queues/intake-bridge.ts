import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { isUsableId, type Keys } from './catalog.ts';
import { type Connection, connect, pairsOf } from './connection.ts';
import { parseData } from './delivery.ts';
import { readEnvelope } from './envelope.ts';
import { jobIdFor, measured } from './job-id.ts';
import type { JobReader } from './job-reader.ts';
import { limits } from './limits.ts';
import { stampedByRedis } from './outcomes.ts';
import { trimmedError } from './queue-error.ts';
import type { OnQueueEvent } from './queue-event.ts';
import { Script } from './script.ts';

/** The consumer group of the intake stream. */
export const INTAKE_GROUP = 'protosmith';

/** How long an entry that another bridge took may lie before it is taken over, in milliseconds. */
const TAKE_OVER_MS = 15_000;

/** How long one read waits for entries, in milliseconds. */
const BLOCK_MS = 2_000;

/** Entries read at once. */
const BATCH = 50;

// KEYS[1] intake  ARGV[1] group  ARGV[2] least idle time in ms  ARGV[3] name of one consumer, '' = any. In one call: a consumer takes what it has not
// acknowledged along, and Redis may serve a read of it at any moment, even one whose connection is closed already.
const forgetConsumers = new Script(`
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local about = {}
  for index = 1, #consumer, 2 do about[consumer[index]] = consumer[index + 1] end
  local isMeant = ARGV[3] == '' or ARGV[3] == about.name
  if isMeant and about.pending == 0 and about.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], about.name)
  end
end
return 1`);

/** What a bridge works with. */
export interface IntakeBridgeOptions {
  url: string;
  keys: Keys;
  jobs: JobReader;
  queue: Queue;
  connection: Connection;
  onError: (error: unknown) => void;
  onEvent: OnQueueEvent;
}

type Entry = [id: string, fields: string[] | null];

/**
 * Brings jobs from the intake stream to the queue, for negotiators that have no BullMQ library: `XADD <prefix>:intake * data <job JSON>`, with `kind`
 * (default `generate`) and `jobId` (default: the one recommended for the data, with `-<kind>` where it is another kind's already) as further fields. An entry is acknowledged after its job was added, and a
 * job is added under one id however often: nothing is lost, nothing doubled.
 */
export class IntakeBridge {
  readonly #options: IntakeBridgeOptions;
  readonly #blocking: Connection;
  readonly #name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #running: Promise<void>;
  #closed = false;
  #claimedAtMs = Number.NEGATIVE_INFINITY;
  #claimFrom = '0-0';

  constructor(options: IntakeBridgeOptions) {
    this.#options = options;
    // A connection of its own: a read that waits would hold up every other command.
    this.#blocking = connect(options.url, 'worker', (error) =>
      options.onError(Object.assign(new Error(error.message), error)),
    );
    this.#running = this.#run();
  }

  /** Ends it after the entries at hand; those not acknowledged are another's. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#blocking.disconnect();
    await this.#running;
    const { connection, keys } = this.#options;
    if (connection.status !== 'ready') return;
    await forgetConsumers.run(connection, [keys.intake], [INTAKE_GROUP, 0, this.#name]).catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      try {
        const entries = await this.#next();
        // Side by side: a crowd's last entry must not wait for the answers to all before it. One that cannot be added now is taken up again later.
        await Promise.all(
          entries.map(([id, fields]) =>
            this.#bridge(id, fields ?? []).catch((error: unknown) => this.#options.onError(error)),
          ),
        );
      } catch (error) {
        if (this.#closed) return;
        if (/^NOGROUP/.test(trimmedError(error).message)) await this.#createGroup();
        else {
          this.#options.onError(error);
          await sleep(1_000, undefined, { ref: false });
        }
      }
    }
  }

  async #next(): Promise<Entry[]> {
    const { keys } = this.#options;
    // On to the last of them: those that cannot be added now, whose time begins anew with each look, must not hide the others.
    if (this.#claimFrom !== '0-0' || performance.now() - this.#claimedAtMs > TAKE_OVER_MS) {
      this.#claimedAtMs = performance.now();
      const claimed = await this.#blocking.xautoclaim(
        keys.intake,
        INTAKE_GROUP,
        this.#name,
        TAKE_OVER_MS,
        this.#claimFrom,
        'COUNT',
        BATCH,
      );
      this.#claimFrom = claimed[0] as string;
      // Workers that died left their names, which would add up; one that lives and is forgotten has its name again by reading.
      await forgetConsumers.run(this.#blocking, [keys.intake], [INTAKE_GROUP, TAKE_OVER_MS, '']).catch(() => undefined);
      // Redis 6.2 answers nothing in place of entries that were deleted.
      const entries = (claimed[1] as (Entry | null)[]).filter((entry) => entry !== null);
      if (entries.length > 0) return entries;
    }
    const read = await this.#blocking.xreadgroup(
      'GROUP',
      INTAKE_GROUP,
      this.#name,
      'COUNT',
      BATCH,
      'BLOCK',
      BLOCK_MS,
      'STREAMS',
      keys.intake,
      '>',
    );
    const [stream] = (read ?? []) as [string, Entry[]][];
    return stream?.[1] ?? [];
  }

  async #bridge(id: string, fields: string[]): Promise<void> {
    const values = pairsOf(fields);
    const data = parseData(values.get('data') ?? 'null');
    try {
      await this.#add(id, values, data);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // Nested too deeply to be written: it would come again for ever. What is left of it is too deep for a job all the same.
      await this.#add(id, values, cutAtDepth(data, limits.nesting.value + 2));
    }
  }

  async #add(id: string, values: ReadonlyMap<string, string>, data: unknown): Promise<void> {
    const { keys, jobs, queue, connection, onEvent } = this.#options;
    const kind = kindOf(values);
    const { digest, writable } = measured(data);
    // Redis took the job when it took the entry, however long no worker was there to bridge it.
    const stamped = { timestamp: Number.parseInt(id, 10), telemetry: stampedByRedis.telemetry };
    const put = (one: string) => queue.add(kind, writable, { jobId: one, attempts: 1, ...stamped });
    let [jobId, another] = idsOf(values, () => digest);
    const isTaken = async () => another !== undefined && (await this.#isOfAnotherKind(jobId, kind));
    if (!(await isTaken())) await put(jobId);
    // Asked again, for a job of the other kind may have been put there meanwhile.
    if (another !== undefined && (await isTaken())) {
      jobId = another;
      await put(jobId);
    }
    await connection.multi().xack(keys.intake, INTAKE_GROUP, id).xdel(keys.intake, id).exec();
    onEvent({ event: 'bridged', jobId, kind, negotiationId: jobs.factsOf(kind, data).negotiationId });
  }

  async #isOfAnotherKind(jobId: string, kind: string): Promise<boolean> {
    const { connection, keys } = this.#options;
    const name = await connection.hget(`${keys.queue}:${jobId}`, 'name');
    if (name !== null) return name !== kind;
    const text = await connection.get(keys.outcome(jobId));
    const published = text === null ? null : (readEnvelope(text)?.kind ?? null);
    return published !== null && published !== kind;
  }

  async #createGroup(): Promise<void> {
    const { connection, keys, onError } = this.#options;
    try {
      await connection.xgroup('CREATE', keys.intake, INTAKE_GROUP, '0', 'MKSTREAM');
    } catch (error) {
      if (!/^BUSYGROUP/.test(trimmedError(error).message)) onError(error);
      await sleep(100, undefined, { ref: false });
    }
  }
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
