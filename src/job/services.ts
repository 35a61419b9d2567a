import type { BundleResult, LoadedHandler, Sandbox } from '../../sandbox/contract.ts';
import type { Model } from '../completion/create-model.ts';
import type { Completer } from '../contract/completion.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { HandlerStore, ReadingStore } from '../contract/ports.ts';
import type { ReadingMode } from '../contract/reading.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import type { TypeChecker } from '../typing/type-checker.ts';
import type { CheckPolicy } from '../verification/checks.ts';
import type { JobLimits, ProcessBudget, SpendingBook } from './budget.ts';

/** A stored handler lent for one proof. */
export interface Lent {
  handler: LoadedHandler;
  /** Gives it back; `keep` = it may stay loaded for the next job. */
  release(keep: boolean): Promise<void>;
}

/** Lends stored handlers, loaded already where it can be. */
export interface HandlerLender {
  borrow(record: HandlerRecord): Promise<Lent>;
}

/** What the pipeline works with: every port it needs, made by compose.ts. */
export interface Services {
  completer: Model;
  /** Name of the model, for provenance and reports. */
  model: string;
  typeChecker: TypeChecker;
  bundle(source: string, exportName: 'handle' | 'perform'): Promise<BundleResult>;
  sandbox: Sandbox;
  /** Stored handlers that stay loaded in the sandbox. */
  warm: HandlerLender;
  handlers: HandlerStore;
  readings: ReadingStore;
  readingMode: ReadingMode;
  /** Who confirms what a reading wants: another model than the one that writes, where there is one. */
  confirmer: Pick<Completer, 'complete'>;
  checkPolicy: CheckPolicy;
  /** What the trials of every job draw from, to repeat those of one; without it each job has its own. */
  trialSeed?: string | undefined;
  /** What one job may spend. */
  limits: JobLimits;
  /** What each job has spent. */
  spending: SpendingBook;
  /** What all jobs of this process may spend. */
  processBudget: ProcessBudget;
  onJobEvent(event: JobEvent): void;
}
