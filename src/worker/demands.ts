import {
  type Connection,
  forbidden,
  Heartbeats,
  isForbidden,
  judgeRedis,
  type Keys,
  type QueueEvent,
  redisFacts,
  redisPermissions,
  whenReady,
} from '../../queues/index.ts';
import type { WorkerConfig } from '../config.ts';
import { CodedError } from '../kernel/errors.ts';
import { inTime } from '../telemetry/in-time.ts';
import { describeError, type Log } from '../telemetry/log.ts';
import type { WorkerTally } from '../telemetry/worker-tally.ts';

/** How long to wait for Redis at the start, if durability must be checked, in milliseconds. */
const redisFactsTimeoutMs = 30_000;

/** How often to try the permissions of a user whom Redis refuses commands, in milliseconds. */
const permissionsEveryMs = 20_000;

/** How long a worker that does not start tries to report why, in milliseconds. */
const tellingTimeoutMs = 500;

/** Rejects if durability is required of a Redis that does not persist data, or that evicts keys. */
export async function demandDurability({ durable }: WorkerConfig, connection: Connection): Promise<void> {
  if (!durable) return;
  await whenReady(connection, redisFactsTimeoutMs);
  const faults = judgeRedis(await redisFacts(connection), { durable }).filter(({ severity }) => severity === 'error');
  const [first] = faults;
  if (first) throw new CodedError(first.code, faults.map(({ message }) => message).join('; '));
}

/**
 * Rejects if the Redis user lacks a permission that no worker can do without. For each other one that it lacks,
 * logs what does not work without it.
 */
export async function demandPermissions({ redisUrl: url, prefix }: WorkerConfig, log: Log): Promise<void> {
  const { user, missing, lacking } = await redisPermissions(url, { prefix });
  if (missing.length > 0) throw forbidden(user, missing);
  for (const { command, without } of lacking) log.warn({ user, command, without }, 'redis-permission');
}

/** Reports in a last heartbeat why this worker does not start, if Redis accepts it. Never rejects. */
export async function tellFailure(
  connection: Connection,
  keys: Keys,
  tally: WorkerTally,
  error: unknown,
): Promise<void> {
  const { code = 'unknown', message } = describeError(error);
  tally.fail({ code, message });
  const said = tally.plain();
  const told = new Heartbeats(connection, keys).beat(said.worker, said).catch(() => undefined);
  await inTime(told, tellingTimeoutMs, undefined);
}

/**
 * After a refused command, tries what the user of this worker may not use, for its heartbeat; repeatedly until
 * nothing is missing, since no error shows that a permission is back.
 */
export function permissionWatch({ redisUrl, prefix }: WorkerConfig, tally: WorkerTally): (event: QueueEvent) => void {
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let next: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    triedAtMs = performance.now();
    clearTimeout(next);
    const found = await redisPermissions(redisUrl, { prefix }).catch(() => null);
    if (found !== null) tally.forbid(found);
    clearTimeout(next);
    if (found === null || found.missing.length > 0) next = setTimeout(look, permissionsEveryMs).unref();
  };
  return ({ event, message = '' }) => {
    if (event !== 'redis-error' || !isForbidden(new Error(message))) return;
    if (performance.now() - triedAtMs >= permissionsEveryMs) void look();
  };
}
