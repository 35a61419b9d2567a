/**
 * The public library: the preflight as a pure function, and what a negotiator in TypeScript needs to submit jobs, read
 * outcomes and load their handlers.
 */
export { jobIdOf } from '../queues/index.ts';
export { lint } from './analysis/lint.ts';
export { createProducer, type JobData, type Producer, type ProducerOptions } from './client/producer.ts';
export type { Amendment, Finding, PatchOperation, Place } from './contract/finding.ts';
export type { HandlerRecord } from './contract/handler.ts';
export type { Job, Kind, Loose, Role, Task, Tool } from './contract/job.ts';
export type { Outcome, Report, Verdict } from './contract/outcome.ts';
