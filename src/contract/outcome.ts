import type { Json, JsonObject } from '../kernel/json.ts';
import type { CheckReport } from './check-report.ts';
import type { Amendment, Finding } from './finding.ts';
import type { Kind, Role } from './job.ts';
import type { DropReason } from './reading.ts';

/** Every verdict. */
export const verdicts = ['generated', 'clean', 'disputed', 'error'] as const;

/** The end of a job. */
export type Verdict = (typeof verdicts)[number];

/** One place where a value differs from what the case expects. */
export interface Difference {
  /** JSON pointer into the compared value; empty for the value itself. */
  path: string;
  expected?: Json;
  got?: Json;
  /** What was compared: a requester's `request` or `output`, or how a run ended; default `response`. */
  in?: 'response' | 'request' | 'output' | 'run';
  message?: string;
}

/** Result of one negotiated case on the last candidate. */
export interface CaseReport {
  testCase: number;
  passed: boolean;
  differences: Difference[];
}

/** Tokens and cost of one completion or of a whole job. `costUsd` is `null` if the price is unknown, never 0. */
export interface Usage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}

/** The purpose of a completion. */
export type Purpose = 'generate' | 'read' | 'confirm' | 'judge';

/** A try of a model call that failed; the question may be asked again, there or elsewhere. */
export interface FailedTry {
  /** When it failed, in milliseconds since 1970. */
  atMs: number;
  durationMs: number;
  /** The host of the model server. */
  endpoint: string;
  model: string;
  code: string;
  /** The server's own words, cut; they repeat no prompt and no key. */
  message: string;
}

/**
 * One completion and its result. Retries after server failures count as the same completion; usage is the sum over its
 * answers.
 */
export interface AttemptReport {
  /** From 1, in the order of the questions. */
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
  /** The tries that failed, in order; absent if none did. */
  tries?: FailedTry[];
}

/** State of a job's reading, and how much of it was run. */
export interface ReadingReport {
  /**
   * `off`: the operator disabled readings. `failed`: no reader returned one. `partial`: the peer could not wait for the
   * rest.
   */
  state: 'complete' | 'partial' | 'failed' | 'off';
  complete: boolean;
  /** The reader's name; `null` if there is no reading. */
  reader: string | null;
  /** Units of the document, and how many of them the reader addressed. */
  units: number;
  covered: number;
  /** Number of valid derived cases, and of dropped ones by reason. */
  derived: number;
  dropped: Partial<Record<DropReason, number>>;
  /** Number of derived cases that a second, blind reading confirmed, and of those that it contested. */
  confirmed: number;
  contested: number;
  /** Units that the reader found unclear, as questions to both sides. */
  questions: { unit: number; text: string }[];
  /** Why the reading is missing or incomplete. */
  fault?: string;
}

/** What was done for a job, with results. */
export interface Report {
  /** What the handler was tested on. `derived`: no cases were negotiated, so cases derived by a reader were used. */
  verification: 'negotiated' | 'derived' | 'schema-only' | null;
  reused: boolean;
  cases: CaseReport[];
  checks: CheckReport[];
  attempts: AttemptReport[];
  usage: Usage;
  /** Usage by purpose, for this delivery. */
  usageByPurpose: Partial<Record<Purpose, Usage>>;
  /** `null` if the job needs no reading. */
  reading: ReadingReport | null;
  /** Milliseconds by stage. */
  timings: Record<string, number>;
  generator: { kind: 'live' | 'scripted' | 'none'; model: string | null };
  /**
   * Seed of the trials' random values; trials with the same seed can be repeated. `null` if the waiting client closed
   * the job.
   */
  trialSeed: string | null;
}

/** A handler as an outcome refers to it; the full record is in the handler store. */
export interface HandlerReference {
  digest: string;
  role: Role;
  abi: number;
  tools: string[];
  amendments: Amendment[];
}

/** The published envelope, one per job. */
export interface Outcome {
  version: number | null;
  jobId: string;
  /** `null` if the waiting client closed the job and its data could not be read. */
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
