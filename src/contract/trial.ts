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

/** How the peer answers a requester's `context.send` in a trial: the `nth` of a run, from 1, when those were sent `before`. */
export type Peer = (request: Json, nth: number, before?: readonly Json[]) => PeerAnswer | Promise<PeerAnswer>;

/** How a tool answers an input after those that it was asked `before`; `undefined` = as the examples say. */
export type Script = (input: Json, before: readonly Json[]) => ToolAnswer | undefined;

/** What a peer answers, or why it does not, an empty message standing for one that the trier makes up; `unanswered` where nothing says how it answers such a request. */
export type PeerAnswer = { response: Json } | { error: HandlerFailure; unanswered?: true };

/** One run to make of a candidate: everything that a run depends on. */
export interface Scenario {
  /** The request (provider) or the task's input (requester). */
  input: Json;
  /** The tools with the examples that answer them here: the example whose input equals the call's, else `otherwise`, else it fails. */
  tools: Tool[];
  /** Calls that fail whatever the examples say; `nth` from 1 per tool, absent = every call. The trier makes up what an empty message says. */
  faults?: { tool: string; nth?: number; error: HandlerFailure }[];
  /** By tool: what answers in place of the examples. */
  scripts?: Readonly<Record<string, Script>>;
  /** The other side, for a requester. */
  peer?: Peer;
  /** Runs of one seed see the same chance and clock. */
  seed: string;
  /** What the clock says, but for the seconds that the trier draws. */
  nowMs: number;
}

/** A tool call as the host saw it; `invalid` where input or output broke the tool's schema, and the call was rejected for it. */
export interface ObservedCall {
  tool: string;
  input: Json;
  output?: Json;
  error?: HandlerFailure;
  invalid?: 'input' | 'output';
  /** Whether it failed only because nothing says how the tool answers this input. */
  unanswered?: true;
  issues?: SchemaIssue[];
}

/** What a run was seen to do. */
export interface Observation {
  end: End;
  /** What it returned, whether the schema allows it or not; absent unless `end` is `returned`. */
  value?: Json;
  /** Faults of `value` against the response (provider) or task output (requester) schema; empty where it is valid or there is none. */
  issues: SchemaIssue[];
  message?: string;
  /** Where it was thrown, in the candidate's TypeScript: line and column from 1, with the line's text. */
  position?: { line: number; column: number; text: string };
  logs: string[];
  calls: ObservedCall[];
  /** Requests sent, with the response or error they got; `issues` where the request broke the request schema. */
  sends: { request: Json; response?: Json; error?: HandlerFailure; unanswered?: true; issues: SchemaIssue[] }[];
  /** The tools in the order in which they were called; `null` = a request was sent. */
  order: (string | null)[];
  issuedIds: string[];
  durationMs: number;
  cpuMs: number;
}

/** Runs scenarios of one candidate, each in a fresh context; answers in order. Rejects only for `PLATFORM_` reasons or when aborted. */
export interface Trier {
  try(scenarios: readonly Scenario[], signal: AbortSignal): Promise<Observation[]>;
}
