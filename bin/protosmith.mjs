#!/usr/bin/env node
/**
 * The installed command. In a checkout it runs the sources on the checkout's own Node, whatever Node it was started
 * with; in an installed package it runs the built files and says so where the Node is too old for them.
 */
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Bounds of a worker's heap in MB, the same as in bootstrap.mjs. */
const workerHeap = '--max-semi-space-size=32 --max-old-space-size=1024';

const stopSignals = ['SIGTERM', 'SIGINT'];

// A worker that is told to stop before anything has begun has nothing to finish; as soon as another listens, that one decides.
if (process.argv[2] === 'worker')
  for (const signal of stopSignals)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });

const checkout = new URL('../scripts/bootstrap.mjs', import.meta.url);
const built = new URL('../dist/src/main.js', import.meta.url);

if (existsSync(checkout)) {
  const { bootstrap } = await import(checkout.href);
  await bootstrap('src/main.ts', process.argv.slice(2));
} else if (Number.parseInt(process.versions.node, 10) >= 24) {
  await boundHeap(process.argv.slice(2));
  await import(built.href);
} else {
  process.stderr.write(
    `Cannot start protosmith: found Node ${process.version}, wanted Node 24 or newer (https://nodejs.org)\n`,
  );
  process.exit(78);
}

/**
 * Bounds a worker's heap: V8 reads its bounds once, so this process begins anew, under the same id. The operator's own stand behind and count.
 *
 * @param {string[]} args
 */
async function boundHeap(args) {
  const { NODE_OPTIONS: own = '' } = process.env;
  if (args[0] !== 'worker' || own.startsWith(workerHeap) || process.execve === undefined) return;
  // What has come until now is heard; what comes from now on ends this process, whichever it is.
  await setImmediate();
  for (const signal of stopSignals) process.removeAllListeners(signal);
  const argv = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), ...args];
  process.execve(process.execPath, argv, { ...process.env, NODE_OPTIONS: `${workerHeap} ${own}`.trim() });
}
