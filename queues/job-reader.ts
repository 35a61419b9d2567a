import type { Envelope, Reason } from './envelope.ts';

/** What the queue must know of a job; `null` and `undefined` where the data do not say. */
export interface JobFacts {
  negotiationId: string | null;
  tenant: string | null;
  /** The outcome stream that the job names, or its default. */
  replyTo: string | null;
  /** How long the peer waits, in milliseconds, by default where the data do not say. */
  timeoutMs: number;
  /** The version of the contract that the data claim. */
  version: number | undefined;
}

/** Reads jobs for the queue, which knows nothing of what they hold. Never throws, whatever the data are. */
export interface JobReader {
  factsOf(kind: string, data: unknown): JobFacts;
  /** The id of the job that a valid job replaces; `undefined` where it replaces none, or is not valid. */
  replacedBy(kind: string, data: unknown, rawBytes?: number): string | undefined;
  /** The `error` outcome of a job that nobody could bring to a verdict. */
  errorEnvelope(kind: string, data: unknown, reason: Reason): Envelope;
}
