import {
  type Connection,
  Endpoints,
  type FailingEndpoint,
  Heartbeats,
  type Keys,
  keysOf,
  openDeadlines,
  type QueueOperator,
  readerLags,
  redisFailure,
  redisPermissions,
  type TenantLoad,
  tenantLoads,
  trimmedError,
} from '../../../queues/index.ts';
import type { Config } from '../../config.ts';
import { isObject } from '../../kernel/json.ts';
import { goneAfterSeconds, type Heartbeat, type NamedFault, noTally } from '../../telemetry/heartbeat.ts';
import type { Situation, WorkerView } from './situation.ts';
import { backlogOf, endpointsOf, tenantsOf, totalOf } from './situation-parts.ts';

/** How long the permissions that were read count, in milliseconds. */
const permissionsForMs = 20_000;

/** Age of a heartbeat, in seconds, above which it says nothing about the last minutes. */
const countsForSeconds = 300;

type SituationConfig = Pick<Config, 'redisUrl' | 'prefix' | 'durable'>;

/** Reads what an operator can know of an installation. */
export class SituationReader {
  readonly #operator: QueueOperator;
  readonly #config: SituationConfig;
  #forbidden: { atMs: number; found: Situation['forbidden'] } | undefined;

  constructor(operator: QueueOperator, config: SituationConfig) {
    this.#operator = operator;
    this.#config = config;
  }

  /**
   * Reads everything that Redis shows, with some eighty commands. What it refuses is named in `unread`, and the
   * rest is still read. Rejects only with `OPERATOR_REDIS_KEY_TAKEN`.
   */
  async read(): Promise<Situation> {
    const { connection, quarantine } = this.#operator;
    const keys = keysOf(this.#config.prefix);
    const unread = new Map<string, NamedFault>();
    const part = async <Part>(read: Promise<Part>, otherwise: Part): Promise<Part> =>
      read.catch((error: unknown) => {
        const fault = faultOf(error);
        if (fault.code === 'OPERATOR_REDIS_KEY_TAKEN') throw error;
        unread.set(`${fault.code} ${fault.message}`, fault);
        return otherwise;
      });
    const [atMs, queue, pausedBy, workers, failing, loads, deadlines, readers, entries] = await Promise.all([
      part(clockOf(connection), Date.now()),
      part(this.#operator.snapshot(), null),
      part(this.#operator.pausedBy(), null),
      part(workersOf(connection, keys), []),
      part<FailingEndpoint[]>(new Endpoints(connection, keys).faults(), []),
      part<TenantLoad[]>(
        tenantLoads(connection, keys).then(({ tenants }) => tenants),
        [],
      ),
      part(openDeadlines(connection, keys), { open: 0, leftMs: [] }),
      part<Situation['readers']>(readerLags(connection, keys), []),
      part<Situation['quarantine']>(quarantine.list(1_000), []),
    ]);
    const unwritable = queue?.redis.replica ? null : await this.#unwritable(connection, keys);
    const forbidden = await part(this.#permissions(), { user: 'unknown', missing: [] });
    const recent = totalOf(
      workers.filter(({ ageSeconds }) => ageSeconds < countsForSeconds).map((worker) => worker.recent),
    );
    const waitedSeconds = queue?.oldestWaitingAgeSeconds ?? null;
    return {
      atMs,
      unreachable: null,
      queue,
      pausedBy,
      unread: [...unread.values()],
      unwritable,
      redisRestartedSeconds: restartedSeconds(queue?.redis.uptimeSeconds ?? null, workers),
      forbidden,
      workers,
      recent,
      backlog: backlogOf(deadlines, workers, waitedSeconds),
      endpoints: endpointsOf(recent, failing, queue?.resting ?? [], workers),
      tenants: tenantsOf(loads, recent),
      readers,
      quarantine: entries,
      invalid: workers.flatMap((worker) => (worker.ageSeconds < countsForSeconds ? worker.invalid : [])),
      durable: this.#config.durable,
    };
  }

  /** Tries a write. Resolves to why Redis takes none; `null` if it does, or refuses only this one. */
  async #unwritable(connection: Connection, keys: Keys): Promise<NamedFault | null> {
    const write = connection.set(`${keys.prefix}:probe`, '1', 'PX', 2_000);
    const fault = await write.then(
      () => null,
      (error: unknown) => faultOf(error, 'write to Redis'),
    );
    return fault !== null && /^PLATFORM_REDIS_(?!UNREACHABLE)/.test(fault.code) ? fault : null;
  }

  async #permissions(): Promise<Situation['forbidden']> {
    const nowMs = performance.now();
    if (this.#forbidden !== undefined && nowMs - this.#forbidden.atMs < permissionsForMs) return this.#forbidden.found;
    const { redisUrl, prefix } = this.#config;
    const { user, missing } = await redisPermissions(redisUrl, { prefix });
    this.#forbidden = { atMs: nowMs, found: { user, missing } };
    return this.#forbidden.found;
  }
}

/** The situation of an installation whose Redis cannot be used. */
export function situationWithout(error: unknown, durable: boolean): Situation {
  return {
    atMs: Date.now(),
    unreachable: faultOf(error),
    queue: null,
    pausedBy: null,
    unread: [],
    unwritable: null,
    redisRestartedSeconds: null,
    forbidden: { user: 'unknown', missing: [] },
    workers: [],
    recent: noTally,
    backlog: { open: 0, nextDeadlineSeconds: null, ratePerSecond: null, willMiss: null },
    endpoints: [],
    tenants: [],
    readers: [],
    quarantine: [],
    invalid: [],
    durable,
  };
}

function faultOf(error: unknown, doing = 'read the queue'): NamedFault {
  const { code = 'DEFECT_UNCODED', message } = trimmedError(redisFailure(error, doing) ?? error);
  return { code, message };
}

async function clockOf(connection: Connection): Promise<number> {
  const [seconds, micros] = await connection.time();
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}

async function workersOf(connection: Connection, keys: Keys): Promise<WorkerView[]> {
  const nowMs = await clockOf(connection);
  const heard = await new Heartbeats(connection, keys).list();
  return heard.flatMap(({ worker, atMs, said }) => {
    // Another version may say other things, and anything may be written by hand.
    if (!isHeartbeat(said)) return [];
    const ageSeconds = Math.max(0, (nowMs - atMs) / 1_000);
    return [{ ...said, worker, ageSeconds, life: lifeOf(said, ageSeconds) }];
  });
}

function lifeOf({ state }: Heartbeat, ageSeconds: number): WorkerView['life'] {
  if (state === 'stopped' || state === 'failed') return state;
  return ageSeconds > goneAfterSeconds ? 'gone' : 'alive';
}

function isHeartbeat(said: unknown): said is Heartbeat {
  if (!isObject(said) || !isObject(said.recent) || !isObject(said.cells)) return false;
  const { verdicts, codes, tenants, tries } = said.recent as Record<string, unknown>;
  const lists = [said.jobs, said.paused, said.redisFaults, said.silent, said.invalid];
  const counts = [verdicts, codes, tenants, ...(isObject(tries) ? Object.values(tries) : [null])];
  return (
    typeof said.state === 'string' &&
    typeof said.version === 'string' &&
    [said.upMs, said.concurrency, said.running, said.endedLastMinute].every(Number.isFinite) &&
    lists.every(Array.isArray) &&
    (said.heard == null || isObject(said.heard)) &&
    (said.forbidden == null || (isObject(said.forbidden) && Array.isArray(said.forbidden.missing))) &&
    counts.every((one) => isObject(one) && Object.values(one).every(Number.isFinite))
  );
}

/** Seconds since Redis started, if a worker was there before. */
function restartedSeconds(uptimeSeconds: number | null, workers: readonly WorkerView[]): number | null {
  if (uptimeSeconds === null) return null;
  const isOlder = workers.some(
    ({ life, upMs, ageSeconds }) => life === 'alive' && upMs / 1_000 + ageSeconds > uptimeSeconds + 2,
  );
  return isOlder ? uptimeSeconds : null;
}
