import type { Json, JsonObject } from '../kernel/json.ts';
import type { CheckReport } from './check-report.ts';
import type { Amendment, Finding } from './finding.ts';
import type { Kind, Role } from './job.ts';
import type { DropReason } from './reading.ts';

/** The end of a job. */
export type Verdict = 'generated' | 'clean' | 'disputed' | 'error';

/** One place where a value differs from what the case wants. */
export interface Difference {
  /** JSON pointer into the compared value; empty for the value itself. */
  path: string;
  expected?: Json;
  got?: Json;
  /** What was compared, where it is not the response: a requester's `request` or `output`, or the way a run ended. */
  in?: 'response' | 'request' | 'output' | 'run';
  message?: string;
}

/** How one negotiated case went on the last candidate. */
export interface CaseReport {
  testCase: number;
  passed: boolean;
  differences: Difference[];
}

/** Tokens and money of one completion or of a job. `costUsd` is null where the price is unknown, never 0. */
export interface Usage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

/** What a completion was asked for. */
export type Purpose = 'generate' | 'read' | 'confirm' | 'judge';

/** One completion and what became of it; a question that is put again since the server failed is one, with the usage of all its answers. */
export interface AttemptReport {
  /** From 1, in the order they were asked for. */
  attempt: number;
  purpose: Purpose;
  model: string;
  result:
    | 'verified'
    | 'refused'
    | 'failed-types'
    | 'failed-bundle'
    | 'failed-cases'
    | 'failed-checks'
    | 'declined'
    | 'no-answer'
    | 'judged'
    | 'read'
    | 'confirmed'
    | 'aborted';
  code?: string;
  message?: string;
  passedCases: number;
  usage: Usage;
  durationMs: number;
}

/** What a job's reading came to, and how far it was run. */
export interface ReadingReport {
  /** `off`: the operator wants none. `failed`: no reader gave one. `partial`: the peer could not wait for the rest. */
  state: 'complete' | 'partial' | 'failed' | 'off';
  complete: boolean;
  /** Who made it; `null` where nobody did. */
  reader: string | null;
  /** Units of the document, and those that the reader spoke of. */
  units: number;
  covered: number;
  /** Derived cases that are valid; dropped ones by reason. */
  derived: number;
  dropped: Partial<Record<DropReason, number>>;
  /** Derived cases that a second, blind reading bore out, and those that it did not. */
  confirmed: number;
  contested: number;
  /** Units that the reader found unclear: questions to the two sides. */
  questions: { unit: number; text: string }[];
  /** Why there is no reading, or not all of it. */
  fault?: string;
}

/** What was done for a job, and how it went. */
export interface Report {
  /** `derived`: no cases were negotiated, and those that a reader derived from the document judged. */
  verification: 'negotiated' | 'derived' | 'schema-only' | null;
  reused: boolean;
  cases: CaseReport[];
  checks: CheckReport[];
  attempts: AttemptReport[];
  usage: Usage;
  /** The same by what was asked for, of this delivery. */
  usageByPurpose: Partial<Record<Purpose, Usage>>;
  /** `null` where the job has nothing to do with readings. */
  reading: ReadingReport | null;
  /** Stage → milliseconds. */
  timings: Record<string, number>;
  generator: { kind: 'live' | 'scripted' | 'none'; model: string | null };
  /** What the trials drew from: with it they can be repeated. `null` where a reader closed the job. */
  trialSeed: string | null;
}

/** The handler as an outcome names it; the whole record lies in the handler store. */
export interface HandlerReference {
  digest: string;
  role: Role;
  abi: number;
  tools: string[];
  amendments: Amendment[];
}

/** The envelope that is published, one for each job. */
export interface Outcome {
  version: number | null;
  jobId: string;
  /** `null` where a reader closed the job without its data. */
  dataDigest: string | null;
  negotiationId: string | null;
  tenant: string | null;
  family: string | null;
  role: Role | null;
  kind: Kind | null;
  verdict: Verdict;
  messages: JsonObject[];
  proposals?: JsonObject[];
  protocolHash: string | null;
  handler: HandlerReference | null;
  findings: Finding[];
  report: Report;
}
