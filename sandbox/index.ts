import { availableParallelism } from 'node:os';
import { addonPath } from './addon.ts';
import { bundleDigest, normalizeBundle } from './bundle.ts';
import { canaryPasses } from './canary.ts';
import { Cell } from './cell.ts';
import type { LoadedHandler, Sandbox, SandboxLimits } from './contract.ts';
import type { Death } from './death.ts';
import { emptyReport } from './empty-report.ts';
import { HostedHandler, type Surroundings } from './hosted-handler.ts';
import type { Launch, Level, Strictness } from './launch.ts';
import { detectLaunch } from './layers.ts';
import { operatorLimits, policy, type ResolvedLimits, resolveLimits } from './policy.ts';
import { Pool } from './pool.ts';
import { KnownQuarantine, memoryQuarantine, type Quarantine } from './quarantine.ts';
import { runnerCode } from './runner-code.ts';
import { SandboxError } from './sandbox-error.ts';

export { bundleDigest, bundleHandler } from './bundle.ts';
export type * from './contract.ts';
export { type Level, levels, type Strictness, strictnesses } from './launch.ts';
export { type Limit, policy, type ResolvedLimits, resolveLimits } from './policy.ts';
export type { Quarantine } from './quarantine.ts';
export { SandboxError } from './sandbox-error.ts';

/** Something that happened to a cell or a bundle; for the log and metrics. */
export type SandboxEvent =
  | { kind: 'cell-died'; cause: Death['cause'] }
  | { kind: 'cell-replaced' }
  | { kind: 'canary-failed' }
  | { kind: 'bundle-quarantined'; digest: string };

export interface SandboxOptions {
  /** How many cells work at the same time, each a process that one handler has to itself; default: one per core. */
  cells?: number;
  /** The lowest level to accept for wall one. The best available is used anyway. */
  level?: Level;
  /** Uses this level and no other; for tests and measurements. */
  exactly?: Level;
  /** Stricter choices than the default; default: none. */
  strict?: readonly Strictness[];
  /** Limits in place of the defaults, up to the ceilings in policy.ts. */
  limits?: SandboxLimits;
  /** Shared by workers through this port; default: this process alone. */
  quarantine?: Quarantine;
  onEvent?(event: SandboxEvent): void;
}

/**
 * Opens a sandbox behind the best walls that this machine offers, with a cell that has passed the canary. Rejects with
 * `OPERATOR_SANDBOX_LEVEL` if the level asked for is not available, with `OPERATOR_SANDBOX_LIMITS` for a limit that
 * cannot be set, and with `PLATFORM_SANDBOX_START` if not even a plain process starts.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { cells = availableParallelism(), strict = [], onEvent = () => {} } = options;
  const limits = operatorLimits(options.limits ?? {});
  const addon = addonPath();
  const code = await runnerCode();
  const start = async (launch: Launch): Promise<Cell> => {
    const cell = await Cell.start(launch, code, addon, limits);
    if (await canaryPasses(cell)) return cell;
    onEvent({ kind: 'canary-failed' });
    cell.kill('closed');
    throw new SandboxError(
      'PLATFORM_SANDBOX_LOST',
      'Cannot start cell: the known-good handler does not pass on it, wanted a pass',
    );
  };
  const { layers, launch, cell } = await detectLaunch({ addon, strict, start, ...pick(options) });

  const pool = new Pool({
    cells: Math.max(1, cells),
    limits,
    start: () => start(launch),
    onDeath: ({ cause }) => onEvent({ kind: 'cell-died', cause }),
    onReplaced: () => onEvent({ kind: 'cell-replaced' }),
  });
  pool.add(cell);

  const known = new KnownQuarantine(options.quarantine ?? memoryQuarantine());
  let runs = 0;
  let closed = false;
  const canary = () => canaryPassesIn(pool, onEvent);
  const surroundings: Surroundings = {
    pool,
    leaseMs: limits.leaseMs,
    canary,
    isQuarantined: (digest) => known.has(digest),
    quarantine(digest) {
      const added = known.add(digest);
      onEvent({ kind: 'bundle-quarantined', digest });
      return added;
    },
    countRuns(count) {
      runs += count;
    },
  };

  return {
    layers,
    load(bundle, exportName, asked) {
      if (closed) return Promise.reject(closedError());
      return loadBundle(bundle, exportName, { known, surroundings, limits: resolveLimits({ ...limits, ...asked }) });
    },
    canary,
    stats: () => ({ cells: Math.max(1, cells), runs, quarantined: known.size, ...pool.stats }),
    async close() {
      closed = true;
      await pool.close();
    },
  };
}

/** Whether the known-good handler passes on a cell of the pool. Never rejects. */
async function canaryPassesIn(pool: Pool, onEvent: (event: SandboxEvent) => void): Promise<boolean> {
  try {
    const lease = await pool.acquire(0);
    try {
      const passed = await canaryPasses(lease.cell);
      if (!passed) onEvent({ kind: 'canary-failed' });
      return passed;
    } finally {
      lease.release();
    }
  } catch {
    return false;
  }
}

async function loadBundle(
  bundle: string,
  exportName: 'handle' | 'perform',
  { known, surroundings, limits }: { known: KnownQuarantine; surroundings: Surroundings; limits: ResolvedLimits },
): Promise<LoadedHandler> {
  const bytes = Buffer.byteLength(bundle);
  if (bytes > policy.maxBundleBytes.default)
    return refusing(`Cannot load bundle: ${bytes} bytes, wanted at most ${policy.maxBundleBytes.default}`);
  const digest = bundleDigest(bundle);
  await known.refresh(digest);
  const normal = await normalizeBundle(bundle, exportName);
  if (!('bundle' in normal)) return refusing(normal[0]?.message ?? 'Cannot load bundle');
  return new HostedHandler(normal.bundle, digest, limits, surroundings);
}

function closedError(): SandboxError {
  return new SandboxError('PLATFORM_SANDBOX_CLOSED', 'Cannot load handler: the sandbox is closed, wanted an open one');
}

function pick({ level, exactly }: SandboxOptions): { level?: Level; exactly?: Level } {
  return { ...(level ? { level } : {}), ...(exactly ? { exactly } : {}) };
}

/** Stands for a bundle that cannot be loaded: every run of it is refused. */
function refusing(message: string): LoadedHandler {
  return {
    run: async () => emptyReport('refused', message),
    runAll: async (runs) => runs.map(() => emptyReport('refused', message)),
    close: async () => {},
  };
}
