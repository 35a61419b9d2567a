/**
 * Runs before the package is installed. npm shows what a script prints only where it fails, so it fails on a Node that
 * cannot run the package. A checkout brings its own Node.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const isCheckout = existsSync(join(__dirname, '../scripts/bootstrap.mjs'));
if (!isCheckout && Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `Cannot install protosmith: found Node ${process.version}, wanted Node 24 or newer (https://nodejs.org)\n`,
  );
  process.exit(1);
}
