import type { Json, JsonObject } from '../kernel/json.ts';

/** What a job asks for. */
export type Kind = 'generate' | 'review' | 'verify' | 'fix' | 'observe';

/** The kind of an agreement. */
export type Family = 'anp' | 'agora' | 'agent-description' | 'uagents';

/** The side our agent plays: a provider answers requests, a requester sends them. */
export type Role = 'provider' | 'requester';

/** ANP `protocolNegotiation`, verbatim as the peers exchanged it; unknown members are kept. */
export interface ProtocolNegotiation extends JsonObject {
  action: 'protocolNegotiation';
  sequenceId: number;
  candidateProtocols: string;
  status: string;
}

/** ANP `testCasesNegotiation`, verbatim; unknown members are kept. */
export interface TestCasesNegotiation extends JsonObject {
  action: 'testCasesNegotiation';
  testCases: string;
  status: string;
}

/** One negotiated case in the structured form that a job may carry instead of the message. */
export interface StructuredCase {
  request: Json;
  response: Json;
  expected?: string;
}

/** How a tool answered a call: with an output, or with an error. */
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

/** What a requester's own agent wants, with examples per case. */
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

/** A job whose data passed the schema, with every default filled in. */
export interface Job {
  version: 1;
  kind: Kind;
  negotiationId: string;
  tenant: string;
  family: Family;
  role: Role;
  agreement: ProtocolNegotiation;
  protocolHash?: string;
  testCases?: TestCasesNegotiation | StructuredCase[];
  tools: Tool[];
  task?: Task;
  payload?: 'json' | 'text';
  loose: Loose[];
  baseProtocols: Record<string, { content: string; sha256?: string }>;
  peerCapabilities?: string[];
  onContradiction: 'dispute' | 'amend';
  /** Whether cases that the document demands are proposed to the peer. */
  propose: boolean;
  timeoutMs: number;
  workMs: number;
  handlerDigest?: string;
  complaint?: JsonObject;
  exchanges?: { testCase?: number; request: Json; response: Json }[];
  supersedes?: string;
  attempt: number;
  replyTo: string;
}
