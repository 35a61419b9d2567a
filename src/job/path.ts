import type { Budget } from './budget.ts';
import type { Conclusion } from './conclusion.ts';
import type { Ledger } from './ledger.ts';
import type { Received } from './received.ts';
import type { Requirements } from './requirements.ts';
import type { Services } from './services.ts';

/** The end of a job, with what is needed to propose further cases if there is a handler. */
export interface Ended extends Conclusion {
  /** The requirements of the job's own cases. */
  requirements?: Requirements;
  /** The rest of the job's budget, if it was opened. */
  budget?: Budget;
}

/** Processes a job of one kind from intake to its end. */
export type Path = (received: Received, services: Services, ledger: Ledger) => Promise<Ended>;
