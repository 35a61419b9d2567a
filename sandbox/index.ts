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
import { operatorLimits, policy, resolveLimits } from './policy.ts';
import { Pool } from './pool.ts';
import { memoryQuarantine, type Quarantine } from './quarantine.ts';
import { runnerCode } from './runner-code.ts';
import { SandboxError } from './sandbox-error.ts';

export { bundleDigest, bundleHandler } from './bundle.ts';
export type * from './contract.ts';
export { type Level, levels, type Strictness, strictnesses } from './launch.ts';
export { type Limit, policy, type ResolvedLimits, resolveLimits } from './policy.ts';
export type { Quarantine } from './quarantine.ts';
export { SandboxError } from './sandbox-error.ts';

/** What happened to a cell; for log and metric. */
export type SandboxEvent =
  | { kind: 'cell-died'; cause: Death['cause'] }
  | { kind: 'cell-replaced' }
  | { kind: 'canary-failed' }
  | { kind: 'bundle-quarantined'; digest: string };

export interface SandboxOptions {
  /** Handlers that work at the same time, each in a process of its own; default one per core. */
  cells?: number;
  /** The least that wall one must be. The best available is used anyway. */
  level?: Level;
  /** Uses this level and no better one; for tests and measurements. */
  exactly?: Level;
  /** What it does beyond the default; default: nothing. */
  strict?: readonly Strictness[];
  /** In place of the defaults, up to the ceilings in policy.ts. */
  limits?: SandboxLimits;
  /** Shared by workers through this port; default: this process alone. */
  quarantine?: Quarantine;
  onEvent?(event: SandboxEvent): void;
}

/**
 * Opens a sandbox behind the best walls that this machine offers, with a cell that has passed the canary. Rejects with
 * `OPERATOR_SANDBOX_LEVEL` where the level asked for cannot be had, with `OPERATOR_SANDBOX_LIMITS` where a limit cannot, and with
 * `PLATFORM_SANDBOX_START` where not even a plain process starts.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { cells = availableParallelism(), strict = [], quarantine = memoryQuarantine(), onEvent = () => {} } = options;
  const limits = operatorLimits(options.limits ?? {});
  const addon = addonPath();
  const code = await runnerCode();
  const start = async (launch: Launch): Promise<Cell> => {
    const cell = await Cell.start(launch, code, addon, limits);
    if (await canaryPasses(cell)) return cell;
    onEvent({ kind: 'canary-failed' });
    cell.kill('closed');
    throw new SandboxError('PLATFORM_SANDBOX_LOST', 'Cannot start cell: the known-good handler does not pass on it');
  };
  const { layers, launch, cell } = await detectLaunch({ addon, strict, start, ...pick(options) });

  /** Digests of bundles that are run no more, each with whether those who share the quarantine know of it. */
  const quarantined = new Map<string, boolean>();
  let runs = 0;
  let closed = false;
  const pool = new Pool({
    cells: Math.max(1, cells),
    limits,
    start: () => start(launch),
    onDeath: ({ cause }) => onEvent({ kind: 'cell-died', cause }),
    onReplaced: () => onEvent({ kind: 'cell-replaced' }),
  });
  pool.add(cell);

  const canary = async (): Promise<boolean> => {
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
  };
  const surroundings: Surroundings = {
    pool,
    leaseMs: limits.leaseMs,
    canary,
    isQuarantined: (digest) => quarantined.has(digest),
    async quarantine(digest) {
      quarantined.set(digest, false);
      onEvent({ kind: 'bundle-quarantined', digest });
      // Where it cannot be shared, this process alone keeps it out; what the run came to is none the less told.
      await quarantine.add(digest).then(
        () => quarantined.set(digest, true),
        () => {},
      );
    },
    countRuns(count) {
      runs += count;
    },
  };

  return {
    layers,
    async load(bundle, exportName, asked): Promise<LoadedHandler> {
      if (closed)
        throw new SandboxError(
          'PLATFORM_SANDBOX_CLOSED',
          'Cannot load handler: the sandbox is closed, wanted an open one',
        );
      const bytes = Buffer.byteLength(bundle);
      if (bytes > policy.maxBundleBytes.default)
        return refusing(`Cannot load bundle: ${bytes} bytes, wanted at most ${policy.maxBundleBytes.default}`);
      const digest = bundleDigest(bundle);
      const isKept = await quarantine.has(digest);
      if (isKept === true) quarantined.set(digest, true);
      // Only what was shared can have been let out.
      else if (isKept === false && quarantined.get(digest) === true) quarantined.delete(digest);
      const normal = await normalizeBundle(bundle, exportName);
      if (!('bundle' in normal)) return refusing(normal[0]?.message ?? 'Cannot load bundle');
      return new HostedHandler(normal.bundle, digest, resolveLimits({ ...limits, ...asked }), surroundings);
    },
    canary,
    stats: () => ({ cells: Math.max(1, cells), runs, quarantined: quarantined.size, ...pool.stats }),
    async close() {
      closed = true;
      await pool.close();
    },
  };
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
