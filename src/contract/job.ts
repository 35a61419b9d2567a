import type { Json, JsonObject } from '../kernel/json.ts';

/** What a job can ask for; also the names of BullMQ jobs. */
export const kinds = ['generate', 'review', 'verify', 'fix', 'observe'] as const;

/** What a job asks for. */
export type Kind = (typeof kinds)[number];

/** The side our agent plays: a provider answers requests, a requester sends them. */
export type Role = 'provider' | 'requester';

/** One negotiated case in structured form, which a job may carry instead of the message. */
export interface StructuredCase {
  request: Json;
  response: Json;
  expected?: string;
}

/** A tool's answer to a call: an output or an error. */
export type ToolAnswer = { output: Json } | { error: Json };

/** A function of our own agent that the handler may call: an MCP tool object with examples. */
export interface Tool {
  name: string;
  description?: string;
  inputSchema?: Json;
  outputSchema?: Json;
  annotations?: { readOnlyHint?: boolean };
  examples?: ({ input: Json } & ToolAnswer)[];
  otherwise?: ToolAnswer;
}

/** What the requester's own agent wants, with examples per case. */
export interface Task {
  description: string;
  inputSchema?: Json;
  outputSchema?: Json;
  examples?: { testCase: number; input: Json; output: Json }[];
}

/** A place in responses (requester: in requests) whose value may differ. */
export interface Loose {
  pointer: string;
  as: 'text' | 'time' | 'id';
}

/** A job whose data match the schema, with all defaults filled in. */
export interface Job {
  version: 1;
  kind: Kind;
  negotiationId: string;
  tenant: string;
  /** The family's name. */
  family: string;
  role: Role;
  /** The accepted message or document, verbatim; unknown members are preserved. */
  agreement: Json;
  protocolHash?: string;
  /** The accepted message, verbatim, or the cases themselves. */
  testCases?: JsonObject | StructuredCase[];
  tools: Tool[];
  task?: Task;
  payload?: 'json' | 'text';
  loose: Loose[];
  baseProtocols: Record<string, { content: string; sha256?: string }>;
  /** Texts that the agreement refers to, by URI, for the families that accept them. */
  supplied?: Record<string, string>;
  peerCapabilities?: string[];
  onContradiction: 'dispute' | 'amend';
  /** Whether to propose derived cases to the peer. */
  propose: boolean;
  timeoutMs: number;
  workMs: number;
  handlerDigest?: string;
  complaint?: JsonObject;
  /** If `framed`, request and response are the base64 of whole frames. */
  exchanges?: { testCase?: number; framed?: boolean; request: Json; response: Json }[];
  supersedes?: string;
  attempt: number;
  replyTo: string;
}

/**
 * What could be read from a job, valid or not; `null` for what could not. Absent members with a default count as read.
 */
export interface Readable {
  version: number | null;
  negotiationId: string | null;
  tenant: string | null;
  family: string | null;
  role: Role | null;
  kind: Kind | null;
  replyTo: string | null;
}
