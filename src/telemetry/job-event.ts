import type { LifeEvent } from '../contract/history.ts';

/** An event in the life of a job, sent as it happens. */
export type JobEvent = { job: string; negotiation: string | null; delivery: number } & LifeEvent;
