#!/usr/bin/env node
/**
 * The installed command. In a checkout it runs the sources on the checkout's own Node, whatever Node it was started
 * with; in an installed package it runs the built files and says so where the Node is too old for them.
 */
import { existsSync } from 'node:fs';

const checkout = new URL('../scripts/bootstrap.mjs', import.meta.url);
const built = new URL('../dist/src/main.js', import.meta.url);

if (existsSync(checkout)) {
  const { bootstrap } = await import(checkout.href);
  await bootstrap('src/main.ts', process.argv.slice(2));
} else if (Number.parseInt(process.versions.node, 10) >= 24) {
  await import(built.href);
} else {
  process.stderr.write(
    `Cannot start protosmith: found Node ${process.version}, wanted Node 24 or newer (https://nodejs.org)\n`,
  );
  process.exit(78);
}
