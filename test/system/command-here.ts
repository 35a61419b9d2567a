import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { commandLine } from '../../src/operator/command-line.ts';
import { environmentWith, type Ran } from './harness.ts';

/** What the command writes in whose course something is written. */
const writing = new AsyncLocalStorage<{ stdout: string; stderr: string }>();
for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (...given: unknown[]): boolean => {
    const written = writing.getStore();
    if (written === undefined) return write(...given);
    written[name] += typeof given[0] === 'string' ? given[0] : Buffer.from(given[0] as Uint8Array).toString();
    const done = given.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, as `runCommand` does in one of its own: for what a command says and ends
 * with, where hundreds of
 * processes would take minutes to start. One command at a time, since each has its own environment and input.
 */
export function commandHere(
  args: readonly string[],
  options: { environment?: Record<string, string>; input?: string } = {},
): Promise<Ran> {
  const ran = before.then(() => runHere(args, options));
  before = ran.catch(() => undefined);
  return ran;
}

async function runHere(
  args: readonly string[],
  { environment, input = '' }: { environment?: Record<string, string>; input?: string },
): Promise<Ran> {
  const env = { ...process.env };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
  const watching = process.stdout.listeners('error');
  replaceEnvironment(environmentWith(environment));
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  const written = { stdout: '', stderr: '' };
  try {
    const code = await writing.run(written, () => commandLine([...args]));
    return { ...written, code, signal: null };
  } finally {
    replaceEnvironment(env);
    Object.defineProperty(process, 'stdin', stdin);
    for (const listener of process.stdout.listeners('error'))
      if (!watching.includes(listener)) process.stdout.off('error', listener as () => void);
  }
}

function replaceEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
  Object.assign(process.env, wanted);
}
