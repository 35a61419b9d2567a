import type { Json } from '../kernel/json.ts';
import type { Case } from './agreement.ts';
import type { CheckReport } from './check-report.ts';
import type { Amendment } from './finding.ts';
import type { Loose, Role, Task, Tool } from './job.ts';
import type { Report } from './outcome.ts';
import type { KeptReading } from './reading.ts';

/** Version of the contract between a handler and its host (docs/handler.md). */
export const HANDLER_ABI = 1;

/** What the module of a handler exports. */
export function exportNameOf(role: Role): 'handle' | 'perform' {
  return role === 'provider' ? 'handle' : 'perform';
}

/** What an export of handlers names itself. */
export const exportFormat = 'protosmith-handlers';

/** The schemas of a request and of what may reply to it. */
export interface InteractionSchemas {
  request: Json;
  reply: Json;
}

/** A verified handler as it is stored under its digest. */
export interface HandlerRecord {
  /** SHA-256 of the canonical JSON of `{abi, role, bundle, tools}`. */
  digest: string;
  abi: number;
  role: Role;
  /** Sorted names of the tools that the verified code used; it can call no other. */
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
  /** Which reply may follow which request, where there are several; records of agreements with one have none. */
  interactions?: InteractionSchemas[];
  taskInputSchema?: Json;
  taskOutputSchema?: Json;
  toolSchemas: Record<string, { inputSchema?: Json; outputSchema?: Json; readOnly: boolean }>;
  /** The document's application timeout for `context.send`, in milliseconds; null where it states none. */
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
    /** How the checks beyond the cases went when it was last verified. */
    checks: CheckReport[];
    /** The report of the job that it was made for; handlers stored by earlier releases have none. */
    report?: Omit<Report, 'checks'>;
  };
  /** What it was verified against, so that it can be verified against it again. */
  proof: Proof;
  /** The look-up key that it was last stored under, so that an export is found again elsewhere; the store writes it. */
  lookup?: string;
}

/** The cases that a handler has passed, with what their runs were answered by. */
export interface Proof {
  cases: Case[];
  /** The tools with their examples. */
  tools: Tool[];
  /** A requester's task with its examples. */
  task?: Task;
  loose: Loose[];
  /** The reading that judged it; handlers of earlier releases, and those made without one, have none. */
  reading?: KeptReading;
}
