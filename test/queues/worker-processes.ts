import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A line of a worker process. */
export interface Said {
  event: string;
  jobId?: string;
  kind?: string;
  message?: string;
  code?: string;
  sinceTakenMs?: number;
  [name: string]: unknown;
}

/** Worker processes of one test, killed after it. */
export function workerProcesses(t: TestContext, url: string) {
  const said: Said[] = [];
  const children = new Set<ChildProcess>();
  t.after(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  return {
    /** All lines of all processes. */
    said,
    /** How often processing of a job started. */
    works: (jobId: string) => said.filter((line) => line.event === 'work' && line.jobId === jobId).length,
    async start(options: { lockMs?: number; stalledMs?: number; clockOffMs?: number; drainMs?: number } = {}) {
      const { lockMs = 5_000, stalledMs = 1_000, clockOffMs = 0, drainMs = 10_000 } = options;
      const script = fileURLToPath(new URL('./worker-process.ts', import.meta.url));
      const child = spawn(process.execPath, [script, url, String(lockMs), String(stalledMs), String(clockOffMs)], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, DRAIN_MS: String(drainMs) },
      });
      children.add(child);
      child.once('exit', () => children.delete(child));
      const lines = createInterface({ input: child.stdout });
      const ready = new Promise<void>((resolve, reject) => {
        lines.on('line', (line) => {
          const parsed = JSON.parse(line) as Said;
          said.push(parsed);
          if (parsed.event === 'ready') resolve();
        });
        child.once('exit', () => reject(new Error('the worker process ended before it was ready')));
      });
      const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      await ready;
      return { child, exited };
    },
  };
}
