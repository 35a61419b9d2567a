import { Attempt, type Loss, type NumberedBundle } from './attempt.ts';
import type { LoadedHandler, OnCall, Run, RunReport } from './contract.ts';
import { verdictOn } from './death-verdict.ts';
import { emptyReport } from './empty-report.ts';
import { fittingOneFrame } from './one-frame.ts';
import { PendingRun } from './pending-run.ts';
import { policy, type ResolvedLimits } from './policy.ts';
import type { Pool } from './pool.ts';
import { inMicroseconds } from './report-wire.ts';
import { SandboxError } from './sandbox-error.ts';
import { SharedCell } from './shared-cell.ts';

/** What all handlers of a sandbox share. */
export interface Surroundings {
  pool: Pool;
  /** How long a handler keeps a cell that others wait for. */
  leaseMs: number;
  /** Whether the known-good handler passes. */
  canary(): Promise<boolean>;
  quarantine(digest: string): Promise<void>;
  isQuarantined(digest: string): boolean;
  countRuns(runs: number): void;
}

let handlers = 0;

/** Executes the runs of one bundle, on any cell that the pool lends. */
export class HostedHandler implements LoadedHandler {
  readonly #bundle: NumberedBundle;
  readonly #digest: string;
  readonly #surroundings: Surroundings;
  readonly #cell: SharedCell;
  #isClosed = false;
  /** How many batches are under way. */
  #batches = 0;
  /** How many runs have killed a cell. */
  #kills = 0;

  constructor(bundle: string, digest: string, limits: ResolvedLimits, surroundings: Surroundings) {
    this.#bundle = { id: ++handlers, bundle, limits };
    this.#digest = digest;
    this.#surroundings = surroundings;
    this.#cell = new SharedCell(surroundings.pool, surroundings.leaseMs, this.#bundle.id);
  }

  async run(run: Run, onCall: OnCall, signal?: AbortSignal): Promise<RunReport> {
    const [report] = await this.runAll([run], onCall, signal);
    return report as RunReport;
  }

  async runAll(runs: readonly Run[], onCall: OnCall, signal?: AbortSignal): Promise<RunReport[]> {
    signal?.throwIfAborted();
    if (this.#isClosed)
      throw new SandboxError('PLATFORM_SANDBOX_CLOSED', 'Cannot run handler: it is closed, wanted an open one');
    this.#surroundings.pool.admit();
    this.#surroundings.countRuns(runs.length);
    if (this.#surroundings.isQuarantined(this.#digest)) return runs.map(() => quarantinedReport());
    const hostMs = Date.now();
    const batch = runs.map((run) => {
      const pending = new PendingRun(run, onCall, hostMs);
      if (isTooLarge(run)) pending.finish(tooLargeReport());
      return pending;
    });
    this.#batches += 1;
    const work = this.#makeAll(batch, signal).finally(() => {
      this.#batches -= 1;
      this.#dropIfDone();
      // After an abort nobody waits for the answers that the host is still working on.
      for (const pending of batch) pending.cancelCalls();
    });
    if (signal) await untilAborted(work, signal);
    else await work;
    return batch.map(({ report }) => report as RunReport);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#dropIfDone();
  }

  /** Batches under way are finished before the cells unload the handler. */
  #dropIfDone(): void {
    if (this.#isClosed && this.#batches === 0) this.#surroundings.pool.drop(this.#bundle.id);
  }

  /**
   * Executes runs until each has its report: together until a cell dies, and one by one from then on,
   * so that the next death can be traced to one run.
   */
  async #makeAll(batch: readonly PendingRun[], signal?: AbortSignal): Promise<void> {
    let together = true;
    const killsBefore = this.#kills;
    for (let attempt = 0; !signal?.aborted; attempt += 1) {
      const open = batch.filter(({ report }) => !report);
      if (open.length === 0) return;
      if (attempt > batch.length + 10) throw lostError('its cells keep dying');
      // Kills of other batches count too: many waiting batches would otherwise kill a cell each.
      const kills = this.#kills - killsBefore;
      if (kills >= policy.deathsPerBatch.default) {
        for (const pending of open) pending.finish(tooManyKillsReport(kills));
        return;
      }
      const group = together ? fittingOneFrame(open, ({ run }) => run.input.length) : open.slice(0, 1);
      const startedAt = performance.now();
      const loss = await this.#attempt(group, signal);
      if (!loss || signal?.aborted) continue;
      if (loss.isOurs) together = false;
      await this.#judge(loss, performance.now() - startedAt);
    }
  }

  /**
   * Executes runs on one cell. Resolves to `undefined` when all have reports, else to what is known of the
   * cell's death.
   */
  async #attempt(group: readonly PendingRun[], signal?: AbortSignal): Promise<Loss | undefined> {
    return this.#cell.use(async (cell) => {
      if (signal?.aborted) return undefined;
      if (cell.dead) return { death: cell.dead, isOurs: false, culprit: undefined };
      return Attempt.make(cell, this.#bundle, group, signal);
    });
  }

  /** Puts a bundle whose run is at fault for a death into quarantine, and gives the run its report. */
  async #judge({ death, culprit }: Loss, durationMs: number): Promise<void> {
    if (!culprit || culprit.report) return;
    culprit.deaths += 1;
    const report = verdictOn(death, this.#bundle.limits, culprit.deaths);
    if (!report) return;
    if (!(await this.#surroundings.canary())) throw lostError('the known-good handler does not pass either');
    this.#kills += 1;
    await this.#surroundings.quarantine(this.#digest);
    culprit.finish({ ...report, durationMs: inMicroseconds(durationMs) });
  }
}

function lostError(why: string): SandboxError {
  return new SandboxError('PLATFORM_SANDBOX_LOST', `Cannot run handler: its cell died, and ${why}`);
}

/** Settles with the work, or rejects with the signal's reason; the work then ends on its own. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function isTooLarge({ input }: Run): boolean {
  const most = policy.maxInputBytes.default;
  // A UTF-16 unit takes at most three bytes: most inputs need no count.
  return input.length * 3 > most && Buffer.byteLength(input) > most;
}

function tooLargeReport(): RunReport {
  return emptyReport('refused', `the request is too large: at most ${policy.maxInputBytes.default} bytes of JSON`);
}

function quarantinedReport(): RunReport {
  return emptyReport('refused', 'a run of this bundle has killed a sandbox process; it is not run again');
}

function tooManyKillsReport(kills: number): RunReport {
  return emptyReport('refused', `not run: ${kills} runs of the same bundle have killed a cell meanwhile`);
}
