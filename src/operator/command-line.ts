import { SettingsError, unknownSettings } from '../config.ts';
import { codeOf } from '../kernel/errors.ts';
import { protosmithVersion } from '../version.ts';
import { type Command, exitCodes, hintOf, UsageError } from './shell/command.ts';
import { forTerminal } from './shell/for-terminal.ts';
import { UnreadableInput } from './shell/read-input.ts';

/** Every command, loaded only when called. */
const commands: Record<string, () => Promise<Command>> = {
  worker: async () => (await import('./queue/worker.ts')).worker,
  submit: async () => (await import('./queue/submit.ts')).submit,
  run: async () => (await import('./run/run.ts')).run,
  demo: async () => (await import('./demo/demo.ts')).demo,
  lint: async () => (await import('./documents/lint.ts')).lint,
  read: async () => (await import('./documents/read.ts')).read,
  describe: async () => (await import('./documents/describe.ts')).describe,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  status: async () => (await import('./queue/status.ts')).status,
  inspect: async () => (await import('./queue/inspect.ts')).inspect,
  history: async () => (await import('./history/history.ts')).history,
  jobs: async () => (await import('./queue/jobs.ts')).jobs,
  cancel: async () => (await import('./queue/cancel.ts')).cancel,
  requeue: async () => (await import('./queue/requeue.ts')).requeue,
  outcomes: async () => (await import('./queue/outcomes.ts')).outcomes,
  pause: async () => (await import('./queue/pause.ts')).pause,
  resume: async () => (await import('./queue/pause.ts')).resume,
  limits: async () => (await import('./queue/limits.ts')).limits,
  retry: async () => (await import('./queue/retry.ts')).retry,
  drain: async () => (await import('./queue/drain.ts')).drain,
  'dead-letters': async () => (await import('./queue/dead-letters.ts')).deadLetters,
  quarantine: async () => (await import('./queue/quarantine.ts')).quarantine,
  handlers: async () => (await import('./handlers/handlers.ts')).handlers,
  console: async () => (await import('./console/console.ts')).consoleCommand,
};

/** Runs the command named by the arguments and resolves to its exit code. Prints errors to standard error. */
export async function commandLine([name, ...args]: string[]): Promise<number> {
  // A reader that stops early, like `head`, is not an error. But exit code 0 would claim that a document or job
  // is fine.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.unread);
    process.stderr.write(`Cannot write output: ${error.message}, wanted a writable standard output\n`);
    process.exit(exitCodes.unwritable);
  });
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(await overview());
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${protosmithVersion()}\n`);
    return exitCodes.ok;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    process.stderr.write(
      `Cannot run command: ${forTerminal(JSON.stringify(name.slice(0, 80)))}, wanted one of ${Object.keys(commands).join(', ')}${hintOf(name, Object.keys(commands))}\n`,
    );
    return exitCodes.usage;
  }
  const command = await load();
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(command.help);
    return exitCodes.ok;
  }
  // A worker's output is its log, so it logs them itself.
  if (name !== 'worker')
    for (const one of unknownSettings(process.env))
      process.stderr.write(`${forTerminal(one.name)} is not a setting; did you mean ${one.meant}?\n`);
  try {
    return await command.run(args);
  } catch (error) {
    return explain(error, command);
  }
}

function explain(error: unknown, command: Command): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${forTerminal(error.message)}\n\n${command.help}`);
    return exitCodes.usage;
  }
  if (error instanceof UnreadableInput) {
    process.stderr.write(`${forTerminal(error.message)}\n`);
    return exitCodes.unreadable;
  }
  const code = codeOf(error);
  if (code !== undefined && error instanceof Error) {
    process.stderr.write(`${code}: ${forTerminal(error.message)}\n`);
    if (error instanceof SettingsError || code.startsWith('OPERATOR_')) return exitCodes.settings;
    if (code.startsWith('JOB_')) return exitCodes.unreadable;
    return code.startsWith('PLATFORM_') ? exitCodes.unavailable : exitCodes.defect;
  }
  process.stderr.write(
    `DEFECT_UNEXPECTED: ${forTerminal(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
  );
  return exitCodes.defect;
}

async function overview(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => `  ${name.padEnd(13)} ${(await load()).summary}`),
  );
  return `protosmith: agreed protocol documents in, verified handlers out

Usage: protosmith <command> [options]

${lines.join('\n')}

protosmith <command> --help shows more; protosmith --version prints the version.
`;
}
