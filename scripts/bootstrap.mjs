/**
 * Starts a script of this checkout with the pinned Node, and installs the dependencies first where they are missing or
 * older than the lock file: `node scripts/bootstrap.mjs <script> [arguments]`. Uses plain JavaScript and built-in
 * modules only, because it runs before anything is installed, on the machine's Node (18 or newer).
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const oldestMajor = 24;
/** The package that contains Node for this platform, where there is one. */
const ownNode = `node_modules/node-${process.platform}-${process.arch}`;
/** Exit code of a machine without a suitable Node, as in sysexits.h (EX_CONFIG). */
const exitUnconfigured = 78;

/**
 * Limits of a worker's heap in MB: a worker needs 50 MB, and V8 would let the heap grow to eight times that before it
 * collects garbage.
 */
const workerHeap = '--max-semi-space-size=32 --max-old-space-size=1024';

/**
 * Runs a script of this checkout (its path from the root) to its end, and ends this process in the same way.
 *
 * @param {string} script
 * @param {string[]} args
 */
export async function bootstrap(script, args) {
  if (staleDependency() !== undefined) await installAlone();
  const node = currentNode();
  if (node === undefined) {
    process.stderr.write(
      `Cannot start ${script}: found Node ${process.version} on ${process.platform}-${process.arch}, wanted Node ${oldestMajor} or newer (https://nodejs.org)\n`,
    );
    process.exit(exitUnconfigured);
  }
  const argv = [join(root, script), ...args];
  // The operator's options follow, because the last value of an option wins.
  if (script === 'src/main.ts' && args[0] === 'worker')
    process.env.NODE_OPTIONS = [workerHeap, process.env.NODE_OPTIONS ?? ''].join(' ').trim();
  // Programs that the script starts as `node` use this one too.
  process.env.PATH = [dirname(node), process.env.PATH ?? '/usr/bin:/bin'].join(delimiter);
  // Where possible, this process becomes the script and is not its parent: then the script gets all signals itself.
  if (process.execve !== undefined) {
    // `execve` would lose a signal that has arrived but is not handled yet.
    await setImmediate();
    for (const signal of ['SIGTERM', 'SIGINT']) process.removeAllListeners(signal);
    process.execve(node, [node, ...argv], process.env);
  }
  endAs(await run(node, argv, 'inherit'));
}

/** Names a package that differs from the lock file; `undefined` where none does. */
function staleDependency() {
  const wanted = packagesOf('package-lock.json');
  const found = packagesOf('node_modules/.package-lock.json');
  if (wanted === undefined) return undefined;
  if (found === undefined) return 'none are installed';
  for (const [path, { version, optional, devOptional, link }] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/') || link) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const installed = found[path]?.version;
    if (installed === undefined && (optional || devOptional) && path !== ownNode) continue;
    if (installed === undefined) return `${name} is missing`;
    if (installed !== version) return `${name} is ${installed}, wanted ${version}`;
    if (!existsSync(join(root, path, 'package.json'))) return `${name} is gone`;
  }
  return undefined;
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Installs the dependencies. Where another script is installing them, waits for it. */
async function installAlone() {
  const held = join(root, '.installing');
  while (!isTaken(held)) await setTimeout(200);
  let ending = { code: 0, signal: null };
  try {
    const stale = staleDependency();
    if (stale === undefined) return;
    process.stderr.write(`Installing dependencies (${stale}) …\n`);
    ending = await install();
  } finally {
    rmSync(held, { force: true });
  }
  if (ending.signal !== null) endAs(ending);
  if (ending.code !== 0) {
    process.stderr.write(`Cannot install dependencies: npm ci ended with exit code ${ending.code}, wanted 0\n`);
    process.exit(ending.code ?? 1);
  }
}

/** Claims the file for this process, unless a running process holds it. */
function isTaken(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch (error) {
    // EPERM: it runs as another user. Otherwise it died, or it has just ended and removed the file.
    if (error.code !== 'EPERM') rmSync(file, { force: true });
  }
  return false;
}

/** Runs `npm ci`. Its output goes to stderr, because stdout belongs to the script. */
function install() {
  // Uses the npm that started this script, which may not be the first one on the path.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('npm-cli.js') ? [process.execPath, [npm]] : ['npm', []];
  // NODE_ENV=production would skip the packages for tests, builds and Node itself.
  const flags = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  return run(command, [...first, ...flags], ['ignore', 2, 2], root);
}

/** The Node to run on: the one that the lock file pins, else this one where it is new enough. */
function currentNode() {
  const pinned = join(root, ownNode, 'bin', 'node');
  if (!existsSync(pinned))
    return Number.parseInt(process.versions.node, 10) >= oldestMajor ? process.execPath : undefined;
  const linked = join(root, 'node_modules', '.bin', 'node');
  // npm before 11 does not link binaries that only a workspace depends on.
  if (!existsSync(linked)) {
    try {
      symlinkSync(relative(dirname(linked), pinned), linked);
    } catch {
      // The scripts do not need the link. It is for users who put node_modules/.bin on their path.
    }
  }
  return pinned;
}

function run(command, args, stdio, cwd = process.cwd()) {
  return new Promise((resolve) => {
    const passedOn = new Set();
    const passOn = (signal) => {
      // npm also forwards signals that the process group has received, so a signal may arrive twice.
      if (passedOn.has(signal)) return;
      passedOn.add(signal);
      // Ctrl-C in a terminal reaches the child directly.
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    // Registered before the child starts, so that no signal is missed.
    for (const signal of signals) process.on(signal, passOn);
    const child = spawn(command, args, { stdio, cwd });
    const end = (ending) => {
      for (const signal of signals) process.off(signal, passOn);
      resolve(ending);
    };
    child.once('error', (error) => {
      process.stderr.write(`Cannot start ${command}: ${error.message}, wanted a program that runs here\n`);
      end({ code: exitUnconfigured, signal: null });
    });
    child.once('exit', (code, signal) => end({ code, signal }));
  });
}

/** Ends this process as the child ended, by the same signal where it was killed. */
function endAs({ code, signal }) {
  if (signal !== null) {
    process.kill(process.pid, signal);
    // Reached where the signal did not end this process (a core dump forbidden, for one): the exit code then shows the
    // signal.
    process.exit(128 + constants.signals[signal]);
  }
  process.exit(code ?? 1);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) {
    process.stderr.write(
      'Cannot start a script: found no path, wanted node scripts/bootstrap.mjs <script> [arguments]\n',
    );
    process.exit(64);
  }
  await bootstrap(script, args);
}
