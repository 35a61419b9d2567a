import type { BundleResult, Sandbox } from '../../sandbox/contract.ts';
import type { Completer } from '../contract/completion.ts';
import type { HandlerStore } from '../contract/ports.ts';
import type { JobEvent } from '../telemetry/job-event.ts';
import type { TypeChecker } from '../typing/type-checker.ts';

/** What the pipeline works with: every port it needs, made by compose.ts. */
export interface Workshop {
  completer: Completer;
  /** Name of the model, for provenance and reports. */
  model: string;
  typeChecker: TypeChecker;
  bundle(source: string, exportName: 'handle' | 'perform'): Promise<BundleResult>;
  sandbox: Sandbox;
  handlers: HandlerStore;
  onJobEvent(event: JobEvent): void;
}

/** How much may be spent on one job. */
export const generationBudget = {
  /** Repairs of one candidate after its first completion. Two: what two rounds of executed facts do not mend, a third seldom does. */
  maxRepairs: 2,
  /** Runs that its checks may make of one candidate. */
  maxCheckRuns: 600,
} as const;
