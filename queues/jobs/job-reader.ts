import type { Envelope, Reason } from './envelope.ts';

/** What the queue must know about a job; `null` and `undefined` if the data do not say. */
export interface JobFacts {
  negotiationId: string | null;
  tenant: string | null;
  /** The outcome stream that the job names, or its default. */
  replyTo: string | null;
  /** How long the peer waits, in milliseconds; a default if the data do not say. */
  timeoutMs: number;
  /** The version of the contract that the data name. */
  version: number | undefined;
}

/** Reads jobs for the queue, which does not know their contents. Never throws. */
export interface JobReader {
  factsOf(kind: string, data: unknown): JobFacts;
  /** The id of the job that a valid job replaces; `undefined` if it replaces none or is not valid. */
  replacedBy(kind: string, data: unknown, rawBytes?: number): string | undefined;
  /** The `error` outcome of a job that ends without a verdict. */
  errorEnvelope(kind: string, data: unknown, reason: Reason): Envelope;
}
