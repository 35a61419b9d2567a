import type { Json } from '../kernel/json.ts';
import type { Case } from './agreement.ts';
import type { CheckReport } from './check-report.ts';
import type { Amendment } from './finding.ts';
import type { Loose, Role, Task, Tool } from './job.ts';
import type { Report } from './outcome.ts';
import type { KeptReading } from './reading.ts';

/** Version of the contract between a handler and its host (docs/handler.md). */
export const HANDLER_ABI = 1;

/** The name that a handler's module exports, by role. */
export function exportNameOf(role: Role): 'handle' | 'perform' {
  return role === 'provider' ? 'handle' : 'perform';
}

/** The format name in a file of exported handlers. */
export const exportFormat = 'protosmith-handlers';

/** The schema of a request and the schema of its possible replies. */
export interface InteractionSchemas {
  request: Json;
  reply: Json;
}

/** A verified handler, as stored under its digest. */
export interface HandlerRecord {
  /** SHA-256 of the canonical JSON of `{abi, role, bundle, tools}`. */
  digest: string;
  abi: number;
  role: Role;
  /** Sorted names of the tools that the verified code used; the handler may call no others. */
  tools: string[];
  amendments: Amendment[];
  /** The TypeScript source as the model wrote it. */
  source: string;
  /** The declarations behind `./types`. */
  types: string;
  /** One self-contained ES module that exports `handle` or `perform`. */
  bundle: string;
  payload: 'json' | 'text';
  requestSchema: Json;
  responseSchema: Json;
  /** Which reply may follow which request; absent if the agreement has only one interaction. */
  interactions?: InteractionSchemas[];
  taskInputSchema?: Json;
  taskOutputSchema?: Json;
  toolSchemas: Record<string, { inputSchema?: Json; outputSchema?: Json; readOnly: boolean }>;
  /** The document's timeout for `context.send`, in milliseconds; `null` if it states none. */
  timeoutMs: number | null;
  provenance: {
    tenant: string;
    family: string;
    protocolHash: string;
    jobId: string;
    model: string;
    generator: 'live' | 'scripted';
    promptVersion: string;
    verifierVersion: string;
    protosmithVersion: string;
    createdAtMs: number;
    /** Results of the checks beyond the cases, from the last verification. */
    checks: CheckReport[];
    /** The report of the job that produced it; absent in handlers stored by earlier releases. */
    report?: Omit<Report, 'checks'>;
  };
  /** What it was verified against, so that the verification can be repeated. */
  proof: Proof;
  /**
   * The look-up key that it was last stored under; the store sets it, so that an imported handler can be found again.
   */
  lookup?: string;
}

/** The cases that a handler passed, and the tools, task and reading they were run with. */
export interface Proof {
  cases: Case[];
  /** The tools with their examples. */
  tools: Tool[];
  /** A requester's task with its examples. */
  task?: Task;
  loose: Loose[];
  /** The reading that it was tested on; absent in handlers of earlier releases and those made without a reading. */
  reading?: KeptReading;
}
