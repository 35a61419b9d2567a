import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { environmentWith, main } from './harness.ts';

/** A console that runs as a process of its own, and is reached over HTTP alone. */
export interface ConsoleProcess {
  /** The address that it printed, with its token. */
  readonly url: URL;
  readonly token: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Headers of a browser that the token has let in. */
  session(): Promise<{ cookie: string }>;
  /** Resolves to its exit code. */
  close(): Promise<number | null>;
}

/** Starts a console; resolves when it has printed its address. */
export async function openConsole(redisUrl: string, ...args: string[]): Promise<ConsoleProcess> {
  const child = spawn(process.execPath, [main, 'console', '--port', '0', ...args], {
    env: environmentWith({ REDIS_URL: redisUrl }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const url = new URL(line);
  const token = url.searchParams.get('token') ?? '';
  const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, url), { redirect: 'manual', ...init });
  return {
    url,
    token,
    get,
    session: async () => ({
      cookie: ((await get(`/?token=${token}`)).headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    }),
    close() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
