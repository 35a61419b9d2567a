import type { LifeEvent } from '../contract/history.ts';

/** An event in the life of a job, sent as it happens. The tenant is `default` if the job's data do not say. */
export type JobEvent = { job: string; negotiation: string | null; tenant: string; delivery: number } & LifeEvent;
