import type { Received } from './intake.ts';
import type { Conclusion } from './leave.ts';
import type { Ledger } from './ledger.ts';
import type { Workshop } from './workshop.ts';

/** The way that a job of one kind takes from intake to its end. */
export type Path = (received: Received, shop: Workshop, ledger: Ledger) => Promise<Conclusion>;
