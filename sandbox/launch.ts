import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Layers } from './contract.ts';
import { policy } from './policy.ts';
import { seccompFilter } from './seccomp.ts';

export type Level = Layers['level'];

/** From the weakest to the strongest. */
export const levels: readonly Level[] = ['process', 'permission', 'namespaces', 'bubblewrap'];

/**
 * What makes a sandbox stricter, at a price in speed. `jitless` compiles no guest code to machine code.
 * `fresh-contexts` makes each run in a context of its own instead of the frozen realm that the runs of a handler share.
 */
export type Strictness = 'jitless' | 'fresh-contexts';

/** All choices. */
export const strictnesses: readonly Strictness[] = ['jitless', 'fresh-contexts'];

/** How a cell is started: the command, and the seccomp filter that it reads on file descriptor 3. */
export interface Launch {
  level: Level;
  /** Whether the cell runs under another user than its parent. */
  drops: boolean;
  strict: readonly Strictness[];
  command: string;
  args: string[];
  seccomp: Buffer | undefined;
  /** Node's flags; its program follows them. */
  nodeArgs: string[];
}

/** Paths of the installed programs that add layers to the wall, by name. */
export type Tools = Partial<Record<'bwrap' | 'unshare' | 'setpriv' | 'prlimit' | 'choom', string>>;

/** The user `nobody`, who owns nothing. */
const nobody = 65_534;

/** Finds the programs that add layers to the wall; none on systems other than Linux. */
export function findTools(searchPath = process.env.PATH ?? ''): Tools {
  if (process.platform !== 'linux') return {};
  const folders = [...searchPath.split(delimiter), '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return Object.fromEntries(
    ['bwrap', 'unshare', 'setpriv', 'prlimit', 'choom'].flatMap((name) => {
      const found = folders.map((folder) => join(folder, name)).find(isExecutable);
      return found ? [[name, found]] : [];
    }),
  );
}

/**
 * All ways to start a cell at a level, the strictest first. Empty if something that the level needs is not installed.
 */
export function launchesAt(
  level: Level,
  tools: Tools,
  cell: { addon: string; strict: readonly Strictness[] },
): Launch[] {
  const wraps = wrapsAt(level, tools, cell.addon);
  const canDrop = process.getuid?.() === 0 && tools.setpriv !== undefined;
  return (canDrop ? [true, false] : [false]).flatMap((drops) =>
    wraps.map((wrap): Launch => {
      const words = [...limitsOf(tools, drops), ...wrap.words];
      const [command = wrap.node, ...args] = [...words, wrap.node];
      const { strict } = cell;
      return { level, drops, strict, command, args, seccomp: wrap.seccomp, nodeArgs: nodeArgs(level, cell) };
    }),
  );
}

interface Wrap {
  words: string[];
  /** Path of Node as the innermost command sees it. */
  node: string;
  seccomp: Buffer | undefined;
}

function wrapsAt(level: Level, tools: Tools, addon: string): Wrap[] {
  const node = process.execPath;
  if (level === 'process' || level === 'permission') return [{ words: [], node, seccomp: undefined }];
  if (level === 'namespaces') {
    const { unshare } = tools;
    if (!unshare) return [];
    const spaces = ['--net', '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];
    // With its own user mapped to itself the process has no capabilities even inside; older versions can only map to
    // root.
    return ['--map-current-user', '--map-root-user'].map((map) => ({
      words: [unshare, '--user', map, ...spaces, '--'],
      node,
      seccomp: undefined,
    }));
  }
  if (level !== 'bubblewrap' || !tools.bwrap) return [];
  const seccomp = seccompFilter(process.arch);
  return [{ words: [tools.bwrap, ...bubblewrapArgs(addon, seccomp !== undefined), '--'], node: '/node', seccomp }];
}

function bubblewrapArgs(addon: string, filtered: boolean): string[] {
  const binds = [
    ['--ro-bind', realpathSync(process.execPath), '/node'],
    ['--ro-bind', realpathSync(addon), addon],
  ];
  for (const library of sharedLibraries()) binds.push(['--ro-bind', realpathSync(library), library]);
  return [
    ...['--unshare-all', '--unshare-user', '--die-with-parent', '--as-pid-1', '--new-session', '--clearenv'],
    ...['--cap-drop', 'ALL', '--uid', `${nobody}`, '--gid', `${nobody}`, '--hostname', 'cell'],
    ...binds.flat(),
    ...['--remount-ro', '/', '--chdir', '/'],
    ...(filtered ? ['--seccomp', '3'] : []),
  ];
}

/**
 * The libraries that this Node is linked with. With Node and the addon they are all that a cell needs of the file
 * system.
 */
function sharedLibraries(): string[] {
  const report = process.report as unknown as { excludeNetwork: boolean; getReport(): { sharedObjects: string[] } };
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  try {
    return report
      .getReport()
      .sharedObjects.filter((path) => path.startsWith('/') && /\.so(\.|$)/.test(path) && isReadable(path));
  } finally {
    report.excludeNetwork = before;
  }
}

/** The arguments of `prlimit`. */
export const resourceLimits: readonly string[] = [
  `--core=${policy.cellCoreBytes.default}`,
  `--fsize=${policy.cellFileBytes.default}`,
  `--nofile=${policy.cellOpenFiles.default}`,
];

function limitsOf({ choom, prlimit, setpriv }: Tools, drops: boolean): string[] {
  return [
    // The kernel kills it first when memory runs out.
    ...(choom ? [choom, '-n', '1000', '--'] : []),
    ...(prlimit ? [prlimit, ...resourceLimits, '--'] : []),
    ...(setpriv ? [setpriv, '--no-new-privs', '--pdeathsig', 'KILL', ...(drops ? dropArgs : []), '--'] : []),
  ];
}

const dropArgs = [
  '--reuid',
  `${nobody}`,
  '--regid',
  `${nobody}`,
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

function nodeArgs(level: Level, { addon, strict }: { addon: string; strict: readonly Strictness[] }): string[] {
  return [
    ...(level === 'process' ? [] : ['--permission', '--allow-addons', `--allow-fs-read=${addon}`]),
    '--no-node-snapshot',
    // asm.js would reach the compiler of WebAssembly, which is closed otherwise.
    '--no-validate-asm',
    '--no-warnings',
    `--max-old-space-size=${policy.cellHeapMb.default}`,
    `--max-semi-space-size=${policy.cellYoungMb.default}`,
    ...(strict.includes('jitless') ? ['--jitless'] : []),
  ];
}

function isExecutable(path: string): boolean {
  return can(path, constants.X_OK);
}

function isReadable(path: string): boolean {
  return can(path, constants.R_OK);
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
