#!/usr/bin/env node
import { stopSignal } from './operator/shell/stop-signal.ts';
import { holdWarnings } from './telemetry/process-warnings.ts';

// Registered before the other modules load, so that a worker handles a stop signal during its start too.
if (process.argv[2] === 'worker') {
  void stopSignal();
  // A worker's stdout and stderr are its log, one JSON object a line, so warnings must not be written as plain text.
  holdWarnings();
}
const { commandLine } = await import('./operator/command-line.ts');
process.exitCode = await commandLine(process.argv.slice(2));
// Timers that libraries leave behind must not keep the process alive, such as those of BullMQ after Redis is gone.
setTimeout(() => process.exit(), 2_000).unref();
