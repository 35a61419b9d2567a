import { grantOf, isForbidden, judgeRedis } from '../../../queues/index.ts';
import { counted, span } from '../shell/print.ts';
import { byCount, type Concern, listed, namedForSeconds } from './concern.ts';
import type { Situation, WorkerView } from './situation.ts';
import { sumOf } from './situation-parts.ts';

/** The concern of a Redis that cannot be used at all. */
export function unreachable({ code, message }: { code: string; message: string }): Concern {
  return {
    code: 'redis-unreachable',
    cause: `${code}: ${message}`,
    cost: 'no job is taken or ended; workers wait, and keep the outcomes that they have finished',
    remedy: code.startsWith('OPERATOR_')
      ? 'correct what the message names; `protosmith doctor` checks it'
      : 'start Redis again, or correct REDIS_URL; `protosmith doctor` checks it',
  };
}

const writeRemedies: Record<string, string> = {
  PLATFORM_REDIS_FULL: '`redis-cli CONFIG SET maxmemory <more>`, and a shorter PROTOSMITH_RETENTION_S',
  PLATFORM_REDIS_FEW_REPLICAS: 'bring the missing replicas back, or lower min-replicas-to-write',
  PLATFORM_REDIS_UNSAVED: 'free the disk of Redis; its log says what failed',
};

const settingRemedies: Record<string, [cost: string, remedy: string]> = {
  OPERATOR_REDIS_EVICTS: [
    'jobs and outcomes vanish when memory is full',
    '`redis-cli CONFIG SET maxmemory-policy noeviction`',
  ],
  OPERATOR_REDIS_NOT_DURABLE: [
    'a restart of Redis loses jobs',
    '`redis-cli CONFIG SET appendonly yes`, and the same in its configuration',
  ],
  OPERATOR_REDIS_NEARLY_FULL: [
    'at the limit no job is taken',
    '`redis-cli CONFIG SET maxmemory <more>`, and a shorter PROTOSMITH_RETENTION_S',
  ],
  OPERATOR_REDIS_REPLICA: ['no job can be taken or ended', 'name the master, or its Sentinels, in REDIS_URL'],
  OPERATOR_REDIS_TOO_OLD: ['commands that are needed are missing', 'update Redis'],
};

/** What is wrong with Redis. */
export function ofRedis({ queue, unwritable, forbidden, workers, unread, durable, ...more }: Situation): Concern[] {
  const found: Concern[] = [];
  if (unwritable !== null)
    found.push({
      code: 'redis-unwritable',
      cause: `${unwritable.code}: ${unwritable.message}`,
      cost: 'no job can be added or ended; workers pause, and keep what they have verified',
      remedy: writeRemedies[unwritable.code] ?? 'see the log of Redis',
    });
  const lacking = [forbidden, ...workers.flatMap(({ life, forbidden: own }) => (life === 'alive' && own ? [own] : []))];
  const byUser = new Map(lacking.map((one) => [one.user, one]));
  found.push(...[...byUser.values()].filter(({ missing }) => missing.length > 0).map(permissionConcern));
  const faults = workers.flatMap((worker) => (worker.life === 'alive' ? worker.redisFaults : []));
  const refusal =
    faults.find(({ message }) => isForbidden(new Error(message))) ??
    unread.find(({ code }) => code === 'OPERATOR_REDIS_PERMISSION');
  if (refusal !== undefined && lacking.every(({ missing }) => missing.length === 0))
    found.push({
      code: 'redis-permission',
      cause: `OPERATOR_REDIS_PERMISSION: Redis refused a command in the last five minutes: ${refusal.message}`,
      cost: 'jobs that need it are not taken or not ended',
      remedy: '`protosmith doctor` with the settings of the worker names the command; `doctor --acl` prints the rules',
    });
  const { redisRestartedSeconds: restarted } = more;
  const isRestarted = restarted !== null && restarted < namedForSeconds;
  if (isRestarted)
    found.push({
      code: 'redis-restarted',
      cause: `Redis started ${span(restarted)} ago, while workers ran`,
      cost:
        queue?.redis.appendonly === false
          ? 'jobs and outcomes since its last snapshot are lost'
          : 'nothing, if its append-only file was intact; workers went on by themselves',
      remedy:
        queue?.redis.appendonly === false
          ? '`redis-cli CONFIG SET appendonly yes`; submit lost jobs again'
          : 'see in the log of Redis why it stopped',
    });
  const others = faults.filter(({ code, message }) => code !== 'OOM' && !isForbidden(new Error(message)));
  if (others.length > 0 && !isRestarted && refusal === undefined && unwritable === null)
    found.push(errorsConcern(others));
  return [...found, ...ofSettings(queue, durable)];
}

function errorsConcern(faults: WorkerView['redisFaults']): Concern {
  const counts = new Map<string, number>();
  for (const { code, count } of faults) counts.set(code, (counts.get(code) ?? 0) + count);
  const sums = Object.fromEntries(counts);
  const [[top = ''] = []] = byCount(sums);
  return {
    code: 'redis-errors',
    cause: `workers met ${counted(sumOf(sums), 'error')} of Redis in five minutes, most often ${top}: ${faults.find(({ code }) => code === top)?.message}`,
    cost: 'jobs wait until Redis answers again',
    remedy: 'check Redis and the network; `protosmith doctor` with the settings of a worker tells more',
  };
}

function permissionConcern({ user, missing }: Situation['forbidden']): Concern {
  return {
    code: 'redis-permission',
    cause: `OPERATOR_REDIS_PERMISSION: Redis user ${user} may not use ${listed(missing)}`,
    cost: 'jobs that need it are not taken or not ended, and a worker with this user does not start',
    remedy: `\`redis-cli ${grantOf(user, missing.slice(0, 20))}\`; \`protosmith doctor --acl\` prints all that is needed`,
  };
}

function ofSettings(queue: Situation['queue'], durable: boolean): Concern[] {
  const settings = queue === null ? [] : judgeRedis(queue.redis, { durable });
  return settings.map(({ code, message }) => {
    const [cost, remedy] = settingRemedies[code] ?? ['jobs or outcomes may be lost', '`protosmith doctor` tells more'];
    return { code: 'redis-settings', cause: `${code}: ${message}`, cost, remedy };
  });
}
