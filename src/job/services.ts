import type { BundleResult, LoadedHandler, Sandbox } from '../../sandbox/contract.ts';
import type { Model } from '../completion/create-model.ts';
import type { Completer } from '../contract/completion.ts';
import type { HandlerRecord } from '../contract/handler.ts';
import type { AttemptReport } from '../contract/outcome.ts';
import type { HandlerStore, ReadingStore, SourceFetcher } from '../contract/ports.ts';
import type { ReadingMode } from '../contract/reading.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import type { TypeChecker } from '../typing/type-checker.ts';
import type { CheckPolicy } from '../verification/checks.ts';
import type { JobLimits, SpendingBook } from './budget.ts';
import type { ProcessBudget } from './process-budget.ts';

/** A loaded handler, borrowed until it is released. */
export interface BorrowedHandler {
  handler: LoadedHandler;
  /** Returns the handler; `keep` = it may stay loaded for the next job. */
  release(keep: boolean): Promise<void>;
}

/** Loads stored handlers, or reuses those that are still loaded. */
export interface HandlerCache {
  borrow(record: HandlerRecord): Promise<BorrowedHandler>;
}

/** The questions of each job that got no answer, kept beyond one delivery for its report. Neither call rejects. */
export interface UnansweredBook {
  of(jobId: string): Promise<AttemptReport[]>;
  /** Replaces those of a job. */
  keep(jobId: string, attempts: readonly AttemptReport[]): Promise<void>;
}

/** The ports that the pipeline works with, made by compose.ts. */
export interface Services {
  completer: Model;
  /** Name of the model, for provenance and reports. */
  model: string;
  typeChecker: TypeChecker;
  bundle(source: string, exportName: 'handle' | 'perform'): Promise<BundleResult>;
  sandbox: Sandbox;
  /** Stored handlers that stay loaded in the sandbox. */
  warm: HandlerCache;
  handlers: HandlerStore;
  readings: ReadingStore;
  readingMode: ReadingMode;
  /** The model that confirms derived cases: another one than the writer, if one is configured. */
  confirmer: Pick<Completer, 'complete'>;
  checkPolicy: CheckPolicy;
  /** The random seed of all trials, to repeat those of one job. By default each job has its own. */
  trialSeed?: string | undefined;
  /** Limits of one job. */
  limits: JobLimits;
  /** The spending of each job. */
  spending: SpendingBook;
  unanswered: UnansweredBook;
  /** The budget of all jobs of this process. */
  processBudget: ProcessBudget;
  /** Fetches the texts that agreements name by URI; absent unless the operator enabled it. */
  sources?: SourceFetcher | undefined;
  onJobEvent(event: JobEvent): void;
}
