import type { Budget } from './budget.ts';
import type { Conclusion } from './conclusion.ts';
import type { Ledger } from './ledger.ts';
import type { Received } from './received.ts';
import type { Requirements } from './requirements.ts';
import type { Services } from './services.ts';

/** The end of a job's way, with what cases may be proposed by where there is a handler. */
export interface Ended extends Conclusion {
  /** What the job itself holds the handler to. */
  requirements?: Requirements;
  /** What is left of the job's budget, where it was opened. */
  budget?: Budget;
}

/** The way that a job of one kind takes from intake to its end. */
export type Path = (received: Received, services: Services, ledger: Ledger) => Promise<Ended>;
