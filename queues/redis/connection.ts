import { Cluster, Redis } from 'ioredis';
import { trimmedError } from './queue-error.ts';
import { isForbidden, redisFailure, unreachable } from './redis-refusal.ts';
import { readRedisUrl } from './redis-url.ts';
import { tlsOptions } from './tls-options.ts';

/** A connection to Redis: one server, a Sentinel group's master, or a cluster. */
export type Connection = Redis | Cluster;

/** What a connection is for. A `worker` waits for Redis without limit; a `caller` fails within seconds. */
export type Purpose = 'worker' | 'caller';

/**
 * Connects to Redis. URLs have these forms:
 * - `redis://host` and `rediss://host`: one server
 * - `redis+sentinel://host,host/master-name`
 * - `redis+cluster://host,host`
 *
 * `rediss+…` uses TLS. User, password and `/db` are as usual; `valkey` is another word for `redis`. Options after `?`:
 * `sentinelUsername`, `sentinelPassword` and `sentinelTls` for Sentinels, the paths `tlsCa`, `tlsCert` and `tlsKey`
 * for TLS.
 *
 * The connection never uses another database than the URL's. Its errors go to `onError`, trimmed, and are never
 * thrown.
 * Throws `OPERATOR_REDIS_URL_INVALID` for a wrong URL, or a file of it that cannot be read.
 */
export function connect(
  url: string,
  purpose: Purpose,
  onError: (error: { name: string; message: string; code?: string }) => void = () => {},
): Connection {
  const connection = open(url, purpose);
  // Every call that waits for the connection adds a listener; a hundred are not a leak. Not 0, which also means no
  // limit: BullMQ adds three to it.
  connection.setMaxListeners(Number.POSITIVE_INFINITY);
  connection.on('error', (error: unknown) => onError(trimmedError(error)));
  return connection;
}

/** Closes a connection, with QUIT if Redis answers. */
export async function disconnect(connection: Connection): Promise<void> {
  if (connection.status === 'end') return;
  if (connection.status !== 'ready') return connection.disconnect();
  // A frozen server never answers QUIT.
  const timer = setTimeout(() => connection.disconnect(), 1_000);
  await connection.quit().catch(() => connection.disconnect());
  clearTimeout(timer);
}

/** A map of the flat list of names and values that Redis returns, such as fields of an entry or members with scores. */
export function pairsOf(answer: readonly string[]): Map<string, string> {
  return new Map(answer.flatMap((name, index) => (index % 2 === 0 ? [[name, answer[index + 1] ?? '']] : [])));
}

/**
 * Waits until a connection is usable. Rejects with `OPERATOR_REDIS_…` if Redis refuses the login or the
 * database, and with `PLATFORM_REDIS_UNREACHABLE` after `withinMs`.
 */
export async function whenReady(connection: Connection, withinMs: number): Promise<void> {
  if (connection.status === 'ready') return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let lastError = 'no answer';
  const noteError = (error: unknown) => {
    lastError = trimmedError(error).message || lastError;
    const failure = redisFailure(error, 'use Redis');
    // A wrong setting: waiting does not help.
    if (failure?.code.startsWith('OPERATOR_')) reject(failure);
  };
  const giveUp = () => reject(unreachable(lastError));
  const timer = setTimeout(giveUp, withinMs);
  connection.on('error', noteError).once('ready', resolve).once('end', giveUp);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    connection.off('error', noteError).off('ready', resolve).off('end', giveUp);
  }
}

function open(url: string, purpose: Purpose): Connection {
  const { form, tls, hosts, username, password, masterName, db, sentinel, tlsFiles } = readRedisUrl(url);
  const files = tlsOptions(tlsFiles);
  const worker = purpose === 'worker';
  // Workers must be back within 5 s of Redis' return, so the pause never grows beyond 2 s.
  const retryStrategy = (times: number) => Math.min(50 * 2 ** Math.min(times, 6), 2_000);
  const shared = {
    // BullMQ's blocking commands must not time out; a caller must fail soon.
    maxRetriesPerRequest: worker ? null : 2,
    enableOfflineQueue: worker,
    connectTimeout: worker ? 10_000 : 3_000,
    // A frozen server keeps the connection and answers nothing.
    ...(worker ? {} : { commandTimeout: 5_000 }),
    // A master that became a replica refuses writes until the client asks again which server is the master.
    reconnectOnError: (error: Error) => (/(?:^|: -)READONLY\b/.test(error.message) ? 2 : false),
    // One command fewer that the user needs permission for.
    disableClientInfo: true,
    ...loginOf({ username, password }),
    ...(tls ? { tls: files } : {}),
  };
  const [first] = hosts;
  if (form === 'single') return withOverrides(new Redis({ ...shared, ...first, db, retryStrategy }));
  if (form === 'sentinel') {
    const { username: sentinelUsername, password: sentinelPassword } = loginOf(sentinel);
    return withOverrides(
      new Redis({
        ...shared,
        sentinels: hosts,
        name: masterName,
        db,
        retryStrategy,
        enableTLSForSentinelMode: tls,
        ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
        ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
        ...(sentinel.tls ? { sentinelTLS: files } : {}),
      }),
    );
  }
  const { enableOfflineQueue, ...redisOptions } = shared;
  return withOverrides(new Cluster(hosts, { redisOptions, enableOfflineQueue, clusterRetryStrategy: retryStrategy }));
}

function loginOf({ username, password }: { username: string; password: string }) {
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
}

/**
 * The answer for a user who may not call `INFO`: client and BullMQ need one, so this names the oldest supported
 * version.
 */
const MINIMAL_INFO = 'redis_version:6.2.0\r\n';

type Callback = (error: unknown, text?: string) => void;

/** Overrides `info` and `select` of a connection and of every duplicate. */
function withOverrides<One extends Connection>(connection: One): One {
  const overridden = connection as unknown as Record<'info' | 'select' | 'duplicate', (...given: unknown[]) => unknown>;
  const { info, select, duplicate } = overridden;
  overridden.info = (...given) => {
    const callback = typeof given.at(-1) === 'function' ? (given.pop() as Callback) : undefined;
    const text = (info.apply(connection, given) as Promise<string>).catch((error: unknown) => {
      if (isForbidden(error)) return MINIMAL_INFO;
      throw error;
    });
    if (callback) text.then((found) => callback(null, found), callback);
    return text;
  };
  overridden.duplicate = (...given) => withOverrides(duplicate.apply(connection, given) as Connection);
  if (connection instanceof Cluster) connection.on('+node', withOverrides);
  else
    overridden.select = (...given) =>
      (select.apply(connection, given) as Promise<unknown>).catch((error: Error) => {
        error.message += `: ${given[0]}`;
        // The client would go on with database 0, which another installation may use.
        connection.emit('error', error);
        connection.disconnect(true);
        return new Promise(() => {});
      });
  return connection;
}
