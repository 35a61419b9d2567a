#!/usr/bin/env node
import { stopSignal } from './operator/stop-signal.ts';
import { holdWarnings } from './telemetry/process-warnings.ts';

// All else is loaded after this: a worker that is told to stop meanwhile ends as one that is told later.
if (process.argv[2] === 'worker') {
  void stopSignal();
  // A worker's output is its log, and whoever collects that reads a JSON object a line.
  holdWarnings();
}
const { commandLine } = await import('./operator/command-line.ts');
process.exitCode = await commandLine(process.argv.slice(2));
// What a command leaves behind, as BullMQ its timers where Redis is gone for good, keeps no process.
setTimeout(() => process.exit(), 2_000).unref();
