import { Cluster, Redis } from 'ioredis';
import { QueueError, trimmedError } from './queue-error.ts';

/** A connection to Redis: one server, a Sentinel group's master, or a cluster. */
export type Connection = Redis | Cluster;

/** What a connection is for: `worker` waits for Redis however long it is away, `caller` fails within seconds. */
export type Purpose = 'worker' | 'caller';

/**
 * Connects to Redis. URLs: `redis://` and `rediss://` (one server), `redis+sentinel://host,host/master-name`, `redis+cluster://host,host`
 * (`rediss+…` with TLS; user, password and `/db` as usual). Errors of the connection go to `onError`, trimmed; a connection never throws them by itself.
 */
export function connect(
  url: string,
  purpose: Purpose,
  onError: (error: { name: string; message: string; code?: string }) => void = () => {},
): Connection {
  const connection = open(url, purpose);
  // Every call that waits for a connection listens to it; a hundred at once are no leak. Not 0, which means the same until BullMQ adds its own three.
  connection.setMaxListeners(Number.POSITIVE_INFINITY);
  connection.on('error', (error: unknown) => onError(trimmedError(error)));
  return connection;
}

/** Ends a connection, politely where Redis answers. */
export async function disconnect(connection: Connection): Promise<void> {
  if (connection.status === 'end') return;
  if (connection.status !== 'ready') return connection.disconnect();
  // A server that is frozen would keep QUIT waiting for ever.
  const timer = setTimeout(() => connection.disconnect(), 1_000);
  await connection.quit().catch(() => connection.disconnect());
  clearTimeout(timer);
}

/** Names with their values, from the flat list as which Redis answers them: fields of an entry, members with scores. */
export function pairsOf(answer: readonly string[]): Map<string, string> {
  return new Map(answer.flatMap((name, index) => (index % 2 === 0 ? [[name, answer[index + 1] ?? '']] : [])));
}

/** Waits until a connection is usable. Rejects with `PLATFORM_REDIS_UNREACHABLE` after `withinMs`. */
export async function whenReady(connection: Connection, withinMs: number): Promise<void> {
  if (connection.status === 'ready') return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let lastError = 'no answer';
  const noteError = (error: unknown) => {
    lastError = trimmedError(error).message || lastError;
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

/** The error of a Redis that cannot be reached or that refuses a command. */
export function unreachable(found: string): QueueError {
  return new QueueError('PLATFORM_REDIS_UNREACHABLE', `Cannot reach Redis: ${found.slice(0, 200)}, wanted an answer`);
}

/** What the failure of a command means to whoever gave it: `PLATFORM_REDIS_FULL`, `PLATFORM_REDIS_UNREACHABLE`, or `undefined` where it is none of Redis'. */
export function redisFailure(error: unknown, doing: string): QueueError | undefined {
  if (!(error instanceof Error) || error instanceof QueueError) return undefined;
  // Of a transaction the first command that was refused says why.
  const { message } = trimmedError(('previousErrors' in error && [error.previousErrors].flat()[0]) || error);
  if (message.startsWith('OOM')) {
    return new QueueError(
      'PLATFORM_REDIS_FULL',
      `Cannot ${doing}: found Redis at its memory limit (${message}), wanted room`,
    );
  }
  const ofRedis = /^(ReplyError|MaxRetriesPerRequestError)$/.test(error.name);
  return ofRedis || unanswered.test(message) ? unreachable(message) : undefined;
}

/** How errors begin that the client makes itself: of a connection, then of a cluster while a master of it is away. */
const unanswered =
  /^(Connection is closed|Command timed out|Stream isn't writeable|Too many Cluster redirections|None of startup nodes|Cluster isn't ready)/;

function open(url: string, purpose: Purpose): Connection {
  const parsed = parse(url);
  const worker = purpose === 'worker';
  // Workers must be back within 5 s of Redis' return, so the pause never grows beyond 2 s.
  const retryStrategy = (times: number) => Math.min(50 * 2 ** Math.min(times, 6), 2_000);
  const shared = {
    // BullMQ's blocking commands must not be given up; a caller wants to hear soon that Redis is away.
    maxRetriesPerRequest: worker ? null : 2,
    enableOfflineQueue: worker,
    connectTimeout: worker ? 10_000 : 3_000,
    // A frozen server keeps the connection and answers nothing.
    ...(worker ? {} : { commandTimeout: 5_000 }),
    // A master that became a replica refuses writes until somebody asks again who is master.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
    ...(parsed.username === '' ? {} : { username: parsed.username }),
    ...(parsed.password === '' ? {} : { password: parsed.password }),
    ...(parsed.tls ? { tls: {} } : {}),
  };
  const [first] = parsed.hosts;
  if (first === undefined) throw badUrl();
  if (parsed.form === 'single') return new Redis({ ...shared, ...first, db: parsed.db, retryStrategy });
  if (parsed.form === 'sentinel') {
    return new Redis({ ...shared, sentinels: parsed.hosts, name: parsed.masterName, db: parsed.db, retryStrategy });
  }
  const { enableOfflineQueue, ...redisOptions } = shared;
  return new Cluster(parsed.hosts, { redisOptions, enableOfflineQueue, clusterRetryStrategy: retryStrategy });
}

interface ParsedUrl {
  form: 'single' | 'sentinel' | 'cluster';
  tls: boolean;
  hosts: { host: string; port: number }[];
  username: string;
  password: string;
  masterName: string;
  db: number;
}

function parse(url: string): ParsedUrl {
  const match = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]*)(?:\/([^?#]*))?$/.exec(url);
  if (match === null) throw badUrl();
  const [, scheme, form, login = '', hostList = '', path = ''] = match;
  const colon = login.indexOf(':');
  const defaultPort = form === 'sentinel' ? 26_379 : 6_379;
  const [left = '', right = ''] = form === 'sentinel' ? path.split('/') : ['', path];
  const db = right === '' ? 0 : Number(right);
  if (!Number.isInteger(db) || db < 0 || (form === 'sentinel' && left === '')) throw badUrl();
  return {
    form: form === 'sentinel' || form === 'cluster' ? form : 'single',
    tls: scheme === 'rediss',
    hosts: hostList.split(',').map((entry) => hostOf(entry, defaultPort)),
    username: decode(colon < 0 ? login : login.slice(0, colon)),
    password: decode(colon < 0 ? '' : login.slice(colon + 1)),
    masterName: decode(left),
    db,
  };
}

function hostOf(entry: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(entry);
  if (match === null) throw badUrl();
  const [, host = '', port] = match;
  return {
    host: host === '' ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? defaultPort : Number(port),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badUrl();
  }
}

// The URL itself may hold a password: it is not repeated.
function badUrl(): QueueError {
  return new QueueError(
    'OPERATOR_REDIS_URL_INVALID',
    'Cannot read Redis URL: found another form, wanted redis://host:port, redis+sentinel://host,host/name or redis+cluster://host,host',
  );
}
