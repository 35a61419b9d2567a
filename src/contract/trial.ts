import type { End, HandlerFailure } from '../../sandbox/contract.ts';
import type { Json } from '../kernel/json.ts';
import type { Tool, ToolAnswer } from './job.ts';

/** A place where a value breaks its schema. */
export interface SchemaIssue {
  /** JSON pointer into the value. */
  pointer: string;
  /** JSON pointer to the keyword in the schema. */
  schemaPointer: string;
  keyword: string;
  message: string;
  /** What the keyword wants. */
  expected: Json;
  /** The value found at the pointer. */
  actual?: Json;
}

/**
 * The peer's answer to a requester's `context.send` in a trial. `nth` counts the requests of a run from 1; `before`
 * holds the earlier ones.
 */
export type Peer = (request: Json, nth: number, before?: readonly Json[]) => PeerAnswer | Promise<PeerAnswer>;

/** A tool's answer to an input; `before` holds the earlier inputs. `undefined` = use the examples. */
export type Script = (input: Json, before: readonly Json[]) => ToolAnswer | undefined;

/**
 * The peer's response, or an error. An empty error message is replaced by one that the trier generates. `unanswered`
 * if nothing defines a response to this request.
 */
export type PeerAnswer = { response: Json } | { error: HandlerFailure; unanswered?: true };

/** One run of a candidate, with everything that the run depends on. */
export interface Scenario {
  /** The request (provider) or the task's input (requester). */
  input: Json;
  /**
   * The tools with their examples. The example whose input equals the call's input answers it, else `otherwise`;
   * without either, the call fails.
   */
  tools: Tool[];
  /**
   * Calls that fail even if an example answers them. `nth` counts from 1 per tool; absent = every call. An empty error
   * message is replaced by one that the trier generates.
   */
  faults?: { tool: string; nth?: number; error: HandlerFailure }[];
  /** By tool: the script that answers instead of the examples. */
  scripts?: Readonly<Record<string, Script>>;
  /** The peer, for a requester. */
  peer?: Peer;
  /** Runs with the same seed get the same random values and clock. */
  seed: string;
  /** The clock's time, without the random seconds that the trier adds. */
  nowMs: number;
}

/**
 * A tool call as the host saw it; `invalid` if the call was rejected because its input or output broke the tool's
 * schema.
 */
export interface ObservedCall {
  tool: string;
  input: Json;
  output?: Json;
  error?: HandlerFailure;
  invalid?: 'input' | 'output';
  /** Whether it failed only because nothing defines the tool's answer to this input. */
  unanswered?: true;
  issues?: SchemaIssue[];
}

/** What the host observed in one run. */
export interface Observation {
  end: End;
  /** The returned value, valid or not; absent unless `end` is `returned`. */
  value?: Json;
  /**
   * Where `value` breaks the schema of the response (provider) or task output (requester); empty if it is valid or
   * there is no schema.
   */
  issues: SchemaIssue[];
  message?: string;
  /** Where the error was thrown in the candidate's TypeScript: line and column from 1, with the line's text. */
  position?: { line: number; column: number; text: string };
  logs: string[];
  calls: ObservedCall[];
  /** The requests sent, each with its response or error; `issues` if the request broke the request schema. */
  sends: { request: Json; response?: Json; error?: HandlerFailure; unanswered?: true; issues: SchemaIssue[] }[];
  /** The called tools in order; `null` = a request was sent. */
  order: (string | null)[];
  issuedIds: string[];
  durationMs: number;
  cpuMs: number;
}

/**
 * Runs scenarios of one candidate, each in a fresh context, and returns the observations in order. Rejects only with a
 * `PLATFORM_` error or if aborted.
 */
export interface Trier {
  try(scenarios: readonly Scenario[], signal: AbortSignal): Promise<Observation[]>;
}
