import type { Cluster, Redis } from 'ioredis';
import { type Keys, keysOf } from './catalog.ts';
import { type Connection, connect, disconnect, whenReady } from './connection.ts';
import { QueueError } from './queue-error.ts';
import { isForbidden, redisFailure } from './redis-refusal.ts';
import { type RedisAddress, readRedisUrl } from './redis-url.ts';

/** The permissions that the user of a URL lacks. */
export interface RedisPermissions {
  /** The user's name. */
  user: string;
  /** Missing commands and key patterns that are required, in the words of an access list. */
  missing: string[];
  /** Missing optional commands, each with the consequence. */
  lacking: { command: string; without: string }[];
}

// Every command that our code or a BullMQ script uses, in a form that can be tried; K stands for a key.
const needed = `
bzpopmin K 0; decr K; del K; discard; eval x 1 K; evalsha x 1 K; exec; exists K; expire K 1; get K; getex K; hdel K x
hexists K x; hget K x; hgetall K; hincrby K x 1; hincrbyfloat K x 1; hlen K; hmget K x; hmset K x x; hset K x x; incr K; lindex K 0
llen K; lpop K; lpos K x; lpush K x; lrange K 0 0; lrem K 0 x; lset K 0 x; ltrim K 0 0; mget K; multi; persist K
pexpire K 1; ping; pttl K; rename K K; rpop K; rpoplpush K K; rpush K x; sadd K x; scan 0; scard K; set K x
sismember K x; smembers K; smismember K x; srem K x; strlen K; time; ttl K; type K; unlink K; xack K x 0-1; xadd K * x x
xautoclaim K x x 0 0; xdel K 0-1; xgroup create K x 0; xgroup delconsumer K x x; xinfo consumers K x; xinfo groups K
xinfo stream K; xpending K x
xlen K; xrange K - +; xreadgroup GROUP x x STREAMS K >; xrevrange K + -; xtrim K MAXLEN 0; zadd K 1 x; zcard K
zcount K 0 0; zmscore K x; zpopmin K; zrange K 0 0; zrangebyscore K 0 0; zrem K x; zremrangebyrank K 0 0
zremrangebyscore K 0 0; zrevrange K 0 0; zrevrangebyscore K 0 0; zscore K x`;

const optional: Record<string, string> = {
  info: 'its version, memory and eviction policy are not judged',
  'config get x': 'whether it writes every change to disk is not judged',
  'client list': 'connected workers are not counted',
  'client setname x': 'this worker is not counted among those connected',
};

/** The ACL rules that the user of a URL needs, as for `ACL SETUSER`. */
export function leastRules(url: string, prefix?: string): string[] {
  const commands = [...neededOf(readRedisUrl(url)), ...Object.keys(optional)];
  return [
    'resetchannels',
    `~${keysOf(prefix).prefix}:*`,
    '-@all',
    ...commands.map((given) => `+${nameOf(given)}`).sort(),
  ];
}

/**
 * Tries every command and key as the user of the URL, within a transaction that is discarded, so that nothing is
 * executed. Rejects like `whenReady`, also if the connection breaks meanwhile or Redis stops answering.
 */
export async function redisPermissions(
  url: string,
  { prefix, withinMs = 3_000 }: { prefix?: string; withinMs?: number } = {},
): Promise<RedisPermissions> {
  const address = readRedisUrl(url);
  const connection = connect(url, 'caller');
  try {
    await whenReady(connection, withinMs);
    const refused = await refusedOf(oneOf(connection), address, keysOf(prefix));
    return {
      user: address.username || 'default',
      missing: refused.filter((given) => !Object.hasOwn(optional, given)).map(nameOf),
      lacking: refused.flatMap((given) =>
        Object.hasOwn(optional, given) ? [{ command: nameOf(given), without: optional[given] ?? '' }] : [],
      ),
    };
  } finally {
    await disconnect(connection);
  }
}

/**
 * One node of a cluster: the cluster client would spread the commands of a transaction. It connects no more: on another
 * connection the commands would be outside the transaction, and run.
 */
function oneOf(connection: Connection): Redis {
  const one = (connection.isCluster ? (connection as Cluster).nodes('master')[0] : connection) as Redis;
  one.options.retryStrategy = () => null;
  one.options.reconnectOnError = null;
  return one;
}

async function refusedOf(connection: Redis, address: RedisAddress, keys: Keys): Promise<string[]> {
  const isOfKeys = (error: Error) => /to access .*\bkey/.test(error.message);
  const refused = async (
    given: readonly string[],
    isMeant: (error: Error) => boolean = (error) => !isOfKeys(error),
  ): Promise<string[]> => {
    const answers = given.map((one) => {
      const [name = '', ...args] = one.split(' ');
      const call = connection.call(name, ...args.map((arg) => (arg === 'K' ? `${keys.prefix}:probe` : arg)));
      // Any other error, such as a full Redis, means that the command is allowed.
      return call.then(
        () => [],
        (error: Error) => {
          const failure = redisFailure(error, 'try permissions');
          if (error.name !== 'ReplyError') throw failure ?? error;
          // A node of a cluster is tried with keys of others.
          if (failure?.code === 'OPERATOR_REDIS_CLUSTER' && address.form !== 'cluster') throw failure;
          return isForbidden(error) && isMeant(error) ? [one] : [];
        },
      );
    });
    return (await Promise.all(answers)).flat();
  };
  const [begin, ends] = [['multi'], ['discard', 'exec']];
  // Without a transaction the other commands would be executed.
  const first = await refused(begin);
  if (first.length > 0) return first;
  const commands = [...neededOf(address), ...Object.keys(optional)];
  const inside = commands.filter((one) => ![...begin, ...ends].includes(one));
  const found = await refused(inside);
  const uses = namesOf(keys).flatMap((key) => [`get ${key}`, `set ${key} x`]);
  const closed = (await refused(uses, isOfKeys)).map(
    (one) => `~${one.split(' ')[1]?.replace(/:(probe|[0-9a-f]{64})\b/g, ':*')}`,
  );
  return [...found, ...new Set(closed), ...(await refused(ends))];
}

/** One key of each kind. */
function namesOf(keys: Keys): string[] {
  const names = Object.values(keys).map((key: string | ((...parts: string[]) => string)) =>
    typeof key === 'string' ? key : key('probe', 'probe'),
  );
  return [...names.filter((name) => name !== keys.prefix && name !== keys.queue), `${keys.queue}:probe`];
}

/** The `ACL SETUSER` command that gives a user what is missing, for `redis-cli`. */
export function grantOf(user: string, missing: readonly string[]): string {
  return `ACL SETUSER ${user} ${missing.map((one) => (one.startsWith('~') ? one : `+${one}`)).join(' ')}`;
}

/** The error for a user without the required permissions. */
export function forbidden(user: string, missing: readonly string[]): QueueError {
  const found = missing.map((one) => (one.startsWith('~') ? one : one.replace('|', ' ').toUpperCase())).join(', ');
  return new QueueError(
    'OPERATOR_REDIS_PERMISSION',
    `Cannot use Redis: found user ${user} without ${found}, wanted what \`protosmith doctor --acl\` prints`,
  );
}

function neededOf({ form, db }: RedisAddress): string[] {
  return [
    ...needed.trim().split(/; |\n/),
    ...(form === 'cluster' ? ['cluster info', 'cluster slots'] : []),
    ...(db > 0 ? [`select ${db}`] : []),
  ];
}

/** The name of a command in an access list. */
function nameOf(given: string): string {
  return given.replace(/^(client|cluster|config|xgroup|xinfo) (\S+).*$/, '$1|$2').replace(/ .*$/, '');
}
