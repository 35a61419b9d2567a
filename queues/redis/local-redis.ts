import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, disconnect, whenReady } from './connection.ts';
import { QueueError } from './queue-error.ts';

/**
 * A private Redis on the loopback interface, for demonstrations and tests. Its data are deleted when it closes, unless
 * a folder was given.
 */
export interface LocalRedis {
  readonly url: string;
  readonly kind: 'redis-server' | 'valkey-server' | 'embedded';
  /** Process id of the server; `null` for the embedded one, which runs in this process. */
  readonly pid: number | null;
  close(): Promise<void>;
}

/** How to start a local Redis. */
export interface LocalRedisOptions {
  /** Folder for an append-only file; the caller deletes it. Default: nothing is written. */
  dir?: string;
  /** The port; default: a free one. */
  port?: number;
  /** Further arguments of the server, such as `--maxmemory 30mb`. */
  args?: readonly string[];
  /** Use only this one; default: the first available. */
  kind?: LocalRedis['kind'];
}

const servers = ['redis-server', 'valkey-server'] as const;

/**
 * Starts a Redis: `redis-server` or `valkey-server` if one is on the path, otherwise the embedded one. It ends with
 * this process. Rejects with `OPERATOR_EMBEDDED_REDIS` if only the embedded one is available and `NODE_ENV` is
 * `production`, or its package is not installed.
 */
export async function localRedis(options: LocalRedisOptions = {}): Promise<LocalRedis> {
  for (const kind of servers) {
    const path = options.kind === undefined || options.kind === kind ? onPath(kind) : undefined;
    if (path !== undefined) return startServer(path, kind, options);
  }
  if (options.kind !== undefined && options.kind !== 'embedded') {
    throw new QueueError('OPERATOR_NO_REDIS', `Cannot start ${options.kind}: found none on the path, wanted one`);
  }
  return startEmbedded(options);
}

/** The path of the Redis server that `localRedis` would start; `undefined` if it would use the embedded one. */
export function redisServerPath(): string | undefined {
  return servers.map(onPath).find((path) => path !== undefined);
}

function onPath(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Try the next folder.
    }
  }
  return undefined;
}

async function startServer(path: string, kind: LocalRedis['kind'], options: LocalRedisOptions): Promise<LocalRedis> {
  // Another process may take a free port before the server does.
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const scratch = options.dir === undefined ? await mkdtemp(join(tmpdir(), 'protosmith-redis-')) : undefined;
    const settings = [
      '--bind',
      '127.0.0.1',
      '--port',
      String(port),
      '--dir',
      scratch ?? options.dir ?? '.',
      '--save',
      '',
    ];
    const durable = ['--appendonly', options.dir === undefined ? 'no' : 'yes', '--maxmemory-policy', 'noeviction'];
    const child = spawn(path, [...settings, ...durable, '--daemonize', 'no', ...(options.args ?? [])], {
      stdio: 'ignore',
    });
    const killed = () => child.kill('SIGKILL');
    process.once('exit', killed);
    const url = `redis://127.0.0.1:${port}`;
    const close = async () => {
      process.off('exit', killed);
      await stop(child);
      if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
    };
    if (await answers(url, child)) return { url, kind, pid: child.pid ?? null, close };
    await close();
    if (attempt === 3 || options.port !== undefined) {
      throw new QueueError(
        'OPERATOR_NO_REDIS',
        `Cannot start ${kind}: found that it ended or did not answer, wanted a server on port ${port}`,
      );
    }
  }
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const connection = connect(url, 'worker');
  const ended = new Promise<false>((resolve) => {
    child.once('exit', () => resolve(false));
    child.once('error', () => resolve(false));
  });
  try {
    return await Promise.race([whenReady(connection, 10_000).then(() => true), ended]);
  } catch {
    return false;
  } finally {
    await disconnect(connection);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const left = await Promise.race([exited, sleep(3_000, 'late', { ref: false })]);
  if (left === 'late') {
    child.kill('SIGKILL');
    await exited;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listen(server, 0);
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new QueueError('DEFECT_NO_PORT', 'Cannot read port: found none, wanted one');
  return address.port;
}

async function startEmbedded(options: LocalRedisOptions): Promise<LocalRedis> {
  if (process.env.NODE_ENV === 'production') {
    throw new QueueError(
      'OPERATOR_EMBEDDED_REDIS',
      'Cannot start the embedded Redis: found NODE_ENV=production, wanted a real one in REDIS_URL',
    );
  }
  const core = await import('js-redis-server/core').catch(() => {
    throw new QueueError(
      'OPERATOR_EMBEDDED_REDIS',
      'Cannot start the embedded Redis: found no package js-redis-server, wanted it, redis-server or REDIS_URL',
    );
  });
  const state = new core.RedisServerState({ databaseCount: 1 });
  const executor = core.createRedisCommandExecutor({});
  const sockets = new Set<Socket>();
  // The package's own server listens on every interface.
  const server = createServer({ keepAlive: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    core.attachSession(new core.SocketConnectionTransport(socket), { state, executor });
  });
  await listen(server, options.port ?? 0);
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { url: `redis://127.0.0.1:${portOf(server)}`, kind: 'embedded', pid: null, close };
}
