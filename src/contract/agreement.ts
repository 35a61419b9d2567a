import type { Json } from '../kernel/json.ts';
import type { Job, StructuredCase } from './job.ts';

/** The place in the document that a part of a schema comes from. */
export interface Origin {
  /** JSON pointer to the part, in the schema. */
  at: string;
  /** UTF-16 offset of the outermost JSON value that contains the part, and the part's pointer in that value. */
  start: number;
  pointer: string;
}

/** A JSON Schema found in the document. */
export interface LocatedSchema {
  /** The schema as parsed, untouched. */
  schema: Json;
  /** Where its exact text is in the document: UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
  /** The nearest heading above it, without `#`; empty if there is none. */
  heading: string;
  /** URI of the base protocol that contains it; absent if the document itself does. */
  baseUri?: string;
  /** Where its parts come from, innermost first. Absent if all of it is the JSON value at `start`. */
  origins?: Origin[];
  /**
   * If this schema is a union (`anyOf` over `$defs/1`, `$defs/2`, …), its members. `start` and `end` are then those of
   * the first member.
   */
  parts?: LocatedSchema[];
}

/** One request with the replies that may follow it. */
export interface Interaction {
  /** The family's name for it; empty if the agreement has only one interaction. */
  name: string;
  /** `null` if the agreement has no schema for the request. */
  request: LocatedSchema | null;
  /** Each is a possible reply; empty if the agreement has no schema for replies. */
  replies: readonly LocatedSchema[];
}

/** One negotiated test case. Payloads are JSON values, or the exact text if they are not JSON. */
export interface Case {
  /** From 1. */
  testCase: number;
  request: Json;
  response: Json;
  /** The expected result in words; empty if the case states none. */
  expected: string;
  /** Whether the request breaks its schema on purpose and is answered with a failure. */
  negative: boolean;
  /** Where the payload texts are in the case text (UTF-16 offsets, end exclusive); absent for structured cases. */
  requestSpan?: { start: number; end: number };
  responseSpan?: { start: number; end: number };
}

/** Most cases in one agreement, in one job and in the proof of a stored handler. Each case is run several times. */
export const MAX_CASES = 100;

/** Everything read from an agreement: facts, no judgement. */
export interface Agreement {
  /** The document, exact text as received. */
  text: string;
  protocolHash: string;
  language: 'en' | 'zh';
  payload: 'json' | 'text';
  interactions: readonly Interaction[];
  /** The requests of all interactions as one schema, and likewise the replies. */
  requestSchema: LocatedSchema | null;
  responseSchema: LocatedSchema | null;
  /** Every schema found, in document order. */
  schemas: LocatedSchema[];
  /** Parts of the document that hold no sentences, besides its schemas. */
  data?: readonly { start: number; end: number }[];
  cases: Case[];
  /** The exact text that the cases came from; `null` for structured or absent cases. */
  caseText: string | null;
  /** URIs of protocols that the document builds on. */
  baseUris: readonly string[];
  /** The texts of the base protocols that the job supplies. */
  bases: { uri: string; text: string }[];
}

/** The texts of an agreement, exactly as the messages carried them. */
export interface Texts {
  document: string;
  /** The text of the cases, or structured cases; `null` if there are none. */
  cases: string | readonly StructuredCase[] | null;
}

/** A job whose agreement has been read. */
export interface Analyzed {
  job: Job;
  texts: Texts;
  agreement: Agreement;
}
