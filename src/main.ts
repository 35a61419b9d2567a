#!/usr/bin/env node
import { SettingsError } from './config.ts';
import { codeOf } from './kernel/errors.ts';
import { type Command, exitCodes, UsageError } from './operator/command.ts';
import { forTerminal } from './operator/for-terminal.ts';
import { UnreadableInput } from './operator/read-input.ts';
import { stopSignal } from './operator/stop-signal.ts';
import { protosmithVersion } from './version.ts';

/** Every command, loaded only when it is called. */
const commands: Record<string, () => Promise<Command>> = {
  worker: async () => (await import('./operator/worker.ts')).worker,
  submit: async () => (await import('./operator/submit.ts')).submit,
  run: async () => (await import('./operator/run.ts')).run,
  demo: async () => (await import('./operator/demo.ts')).demo,
  lint: async () => (await import('./operator/lint.ts')).lint,
  doctor: async () => (await import('./operator/doctor.ts')).doctor,
  status: async () => (await import('./operator/status.ts')).status,
  inspect: async () => (await import('./operator/inspect.ts')).inspect,
  retry: async () => (await import('./operator/retry.ts')).retry,
  drain: async () => (await import('./operator/drain.ts')).drain,
  'dead-letters': async () => (await import('./operator/dead-letters.ts')).deadLetters,
  handlers: async () => (await import('./operator/handlers.ts')).handlers,
  console: async () => (await import('./operator/console.ts')).consoleCommand,
};

// A reader that has seen enough, as `head` does, is no fault; but 0 would say that a document or a job is well.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.unread);
  process.stderr.write(`Cannot write output: ${error.message}, wanted all of it written\n`);
  process.exit(exitCodes.unwritable);
});

process.exitCode = await main(process.argv.slice(2));
// What a command leaves behind, as BullMQ its timers where Redis is gone for good, keeps no process.
setTimeout(() => process.exit(), 2_000).unref();

async function main([name, ...args]: string[]): Promise<number> {
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
      `Cannot run command: ${forTerminal(JSON.stringify(name.slice(0, 80)))}, wanted one of ${Object.keys(commands).join(', ')}\n`,
    );
    return exitCodes.usage;
  }
  // Told to stop while it is still being loaded, a worker ends as one that was told later.
  if (name === 'worker') void stopSignal();
  const command = await load();
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(command.help);
    return exitCodes.ok;
  }
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

protosmith <command> --help tells more; protosmith --version prints the version.
`;
}
