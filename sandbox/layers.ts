import { execFile } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Cell } from './cell.ts';
import type { Layers } from './contract.ts';
import {
  findTools,
  type Launch,
  type Level,
  launchesAt,
  levels,
  resourceLimits,
  type Strictness,
  strictnesses,
  type Tools,
} from './launch.ts';
import { SandboxError } from './sandbox-error.ts';

export interface Detection {
  addon: string;
  strict: readonly Strictness[];
  /** Starts a cell. Rejects if the canary does not pass on it. */
  start(launch: Launch): Promise<Cell>;
  level?: Level;
  exactly?: Level;
}

/**
 * Finds the strictest way to start a cell by starting one. Says which layers are really in force, by what the
 * kernel says about that process, and returns the cell too. Rejects with `OPERATOR_SANDBOX_LEVEL` if no cell
 * starts at `level` or better, and with `PLATFORM_SANDBOX_START` if none starts at any level.
 */
export async function detectLaunch({
  addon,
  strict,
  start,
  level = 'process',
  exactly,
}: Detection): Promise<{ layers: Layers; launch: Launch; cell: Cell }> {
  const installed = findTools();
  const tried = exactly
    ? [exactly]
    : [...levels].reverse().filter((one) => levels.indexOf(one) >= levels.indexOf(level));
  const missing: Layers['missing'] = [];
  let working: Tools | undefined;
  for (const one of tried) {
    // Mostly all installed tools work. Only if not, it is found out which do.
    for (const tools of [installed, undefined]) {
      if (!tools) working ??= await workingTools(installed);
      const launches = launchesAt(one, tools ?? (working as Tools), { addon, strict });
      if (launches.length === 0 && !tools) missing.push({ layer: one, why: whyNotTried(one) });
      for (const launch of launches) {
        try {
          const cell = await start(launch);
          const inForce = layersOf(cell, launch);
          const lacking = essentialLayers(launch).filter((layer) => !inForce.includes(layer));
          if (lacking.length > 0) {
            cell.kill('closed');
            throw new Error(`a cell starts, but without ${lacking.join(', ')}`);
          }
          return { launch, cell, layers: { level: one, inForce, missing: [...missing, ...absent(inForce, launch)] } };
        } catch (error) {
          const why = (error as Error).message;
          if (!missing.some((known) => known.layer === nameOf(launch) && known.why === why))
            missing.push({ layer: nameOf(launch), why });
        }
      }
    }
  }
  const reasons = missing.map(({ layer, why }) => `${layer}: ${why}`).join('; ');
  throw exactly || level !== 'process'
    ? new SandboxError(
        'OPERATOR_SANDBOX_LEVEL',
        `Cannot open sandbox: no cell starts at level "${exactly ?? level}", wanted one that does (${reasons})`,
      )
    : new SandboxError(
        'PLATFORM_SANDBOX_START',
        `Cannot open sandbox: no cell starts at any level (${reasons}), wanted one that does`,
      );
}

/** The layers that a level must have to count: a program that should build a wall may have run the cell without it. */
function essentialLayers({ level, seccomp }: Launch): string[] {
  if (level === 'process' || level === 'permission') return [];
  return ['user-namespace', 'pid-namespace', 'network-namespace', ...(seccomp ? ['seccomp'] : [])];
}

function nameOf({ level, drops }: Launch): string {
  return drops ? `${level} as another user` : level;
}

function whyNotTried(level: Level): string {
  if (process.platform !== 'linux') return `it is not available on ${process.platform}`;
  return `the program ${level === 'bubblewrap' ? 'bwrap' : 'unshare'} is not installed`;
}

const run = promisify(execFile);

/** The tools that do on this machine what they are wanted for. */
async function workingTools(tools: Tools): Promise<Tools> {
  const trials: Partial<Record<keyof Tools, string[]>> = {
    choom: ['-n', '1000', '--', 'true'],
    prlimit: [...resourceLimits, '--', 'true'],
    setpriv: ['--no-new-privs', '--pdeathsig', 'KILL', '--', 'true'],
  };
  const works = await Promise.all(
    Object.entries(tools).map(async ([name, path]) => {
      const trial = trials[name as keyof Tools];
      const works =
        !trial ||
        (await run(path, trial, { timeout: 5_000 }).then(
          () => true,
          () => false,
        ));
      return [name, works ? path : undefined];
    }),
  );
  return Object.fromEntries(works.filter(([, path]) => path));
}

/** Every layer of sandbox/README.md, with the reason why it may be missing. */
const layerNames = {
  'own-process': '',
  'empty-environment': '',
  'permission-model': 'the level "process" does not have it',
  'other-user': 'the worker is not root, so that cells run as its own user',
  'no-new-privileges': 'the program setpriv is not installed or does not work',
  'resource-limits': 'the program prlimit is not installed or does not work',
  'first-out-of-memory': 'the program choom is not installed or does not work',
  'memory-watch': 'the system has no /proc',
  'user-namespace': 'user namespaces are not allowed or not used at this level',
  'pid-namespace': 'user namespaces are not allowed or not used at this level',
  'network-namespace': 'user namespaces are not allowed or not used at this level: the network can be reached',
  'minimal-file-system': 'only the level "bubblewrap" has it',
  seccomp: 'only the level "bubblewrap" has it, on x64 and arm64',
  jitless: '',
  'fresh-contexts': '',
} as const;

/** The layers that the kernel confirms, and those that only we know of. */
function layersOf(cell: Cell, launch: Launch): string[] {
  const found = new Set<keyof typeof layerNames>(['own-process', 'empty-environment', ...launch.strict]);
  if (launch.level !== 'process') found.add('permission-model');
  if (launch.level === 'bubblewrap') found.add('minimal-file-system');
  const { leaf } = cell;
  if (leaf === undefined) return [...found];
  const status = readOrEmpty(() => readFileSync(`/proc/${leaf}/status`, 'utf8'));
  if (status !== '') found.add('memory-watch');
  if (/^NoNewPrivs:\s+1$/m.test(status)) found.add('no-new-privileges');
  // A container's own filter, which a cell inherits, is another and allows more.
  if (launch.seccomp && /^Seccomp:\s+2$/m.test(status)) found.add('seccomp');
  if (launch.drops && /^Uid:\s+65534\s/m.test(status)) found.add('other-user');
  if (readOrEmpty(() => readFileSync(`/proc/${leaf}/oom_score_adj`, 'utf8')).trim() === '1000')
    found.add('first-out-of-memory');
  if (/^Max core file size\s+0\s+0\s/m.test(readOrEmpty(() => readFileSync(`/proc/${leaf}/limits`, 'utf8'))))
    found.add('resource-limits');
  for (const [space, layer] of [
    ['user', 'user-namespace'],
    ['pid', 'pid-namespace'],
    ['net', 'network-namespace'],
  ] as const) {
    const theirs = readOrEmpty(() => readlinkSync(`/proc/${leaf}/ns/${space}`));
    // If the kernel does not show it: the program was told to make a namespace, and would have failed if it could not.
    const isOwn =
      theirs === ''
        ? launch.level === 'namespaces' || launch.level === 'bubblewrap'
        : theirs !== readOrEmpty(() => readlinkSync(`/proc/self/ns/${space}`));
    if (isOwn) found.add(layer);
  }
  return [...found];
}

function absent(inForce: readonly string[], { drops }: Launch): Layers['missing'] {
  return (
    Object.entries(layerNames)
      // A stricter choice that nobody asked for is not missing.
      .filter(([layer]) => !strictnesses.some((choice) => choice === layer) && !inForce.includes(layer))
      .map(([layer, why]) => ({ layer, why: layer === 'other-user' ? whyNotAnother(drops) : why }))
  );
}

function whyNotAnother(drops: boolean): string {
  if (drops) return 'the kernel does not confirm it';
  return process.getuid?.() === 0
    ? 'the worker is root, and setpriv is not installed or cannot change the user'
    : layerNames['other-user'];
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
