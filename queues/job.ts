/** A value that JSON (RFC 8259) can carry. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [name: string]: Json;
}

/** What a job asks for: the name of the BullMQ job. */
export type Kind = 'generate' | 'review' | 'verify' | 'fix' | 'observe';

/** The kind of an agreement. */
export type Family = 'anp' | 'agora' | 'agent-description' | 'uagents';

/** The side our agent plays. */
export type Role = 'provider' | 'requester';

/** How a tool answered a call. */
export type ToolAnswer = { output: Json } | { error: Json };

/** A job's data after the schema passed, every default filled in, hashes bare (64 hex digits). */
export interface Job {
  version: 1;
  kind: Kind;
  negotiationId: string;
  tenant: string;
  family: Family;
  role: Role;
  agreement: JsonObject & {
    action: 'protocolNegotiation';
    sequenceId: number;
    candidateProtocols: string;
    status: string;
  };
  protocolHash?: string;
  testCases?:
    | (JsonObject & { action: 'testCasesNegotiation'; testCases: string; status: string })
    | { request: Json; response: Json; expected?: string }[];
  tools: {
    name: string;
    description?: string;
    inputSchema?: Json;
    outputSchema?: Json;
    annotations?: { readOnlyHint?: boolean };
    examples?: ({ input: Json } & ToolAnswer)[];
    otherwise?: ToolAnswer;
  }[];
  task?: {
    description: string;
    inputSchema?: Json;
    outputSchema?: Json;
    examples?: { testCase: number; input: Json; output: Json }[];
  };
  payload?: 'json' | 'text';
  loose: { pointer: string; as: 'text' | 'time' | 'id' }[];
  baseProtocols: Record<string, { content: string; sha256?: string }>;
  peerCapabilities?: string[];
  onContradiction: 'dispute' | 'amend';
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

/** A fault of a job's data, at a JSON pointer (RFC 6901) into them. */
export interface JobFault {
  code: `JOB_${string}`;
  pointer: string;
  message: string;
  expected?: Json;
  actual?: Json;
}

/** What could be read of a job, faults or not; `null` where it could not. Absent members with a default count as read. */
export interface Readable {
  version: number | null;
  negotiationId: string | null;
  tenant: string | null;
  family: Family | null;
  role: Role | null;
  kind: Kind | null;
  replyTo: string | null;
}

/** The result of reading a job. */
export type JobReading =
  | { ok: true; job: Job; readable: Readable }
  | { ok: false; faults: JobFault[]; readable: Readable };
