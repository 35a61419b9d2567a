import type { Json } from '../kernel/json.ts';
import type { Job } from './job.ts';

/** Where a part of a schema was read from. */
export interface Origin {
  /** The part: its pointer in the schema. */
  at: string;
  /** The outermost JSON value that it stands in, by its UTF-16 offset in the document, and its pointer in there. */
  start: number;
  pointer: string;
}

/** A JSON Schema as it stands in the document. */
export interface LocatedSchema {
  /** The schema as parsed, untouched. */
  schema: Json;
  /** Where its exact text stands in the document: UTF-16 offsets, end exclusive. */
  start: number;
  end: number;
  /** The nearest heading above it, without its marks; empty where there is none. */
  heading: string;
  /** The protocol whose text it stands in, where that is not the document itself but one it builds on. */
  baseUri?: string;
  /** Where its parts stand, the innermost first, if not all of it is the JSON value that starts at its own offset. */
  origins?: Origin[];
  /** The schemas of which this one is the union (`anyOf` over `$defs/1`, `$defs/2`, …); its own offsets are then the first one's. */
  parts?: LocatedSchema[];
}

/** One negotiated test case. Payloads are JSON values, or verbatim text where they are not JSON. */
export interface Case {
  /** From 1. */
  testCase: number;
  request: Json;
  response: Json;
  /** The expected result in words; empty where none was given. */
  expected: string;
  /** A request that breaks its schema on purpose, answered with a failure. */
  negative: boolean;
  /** Where the payload texts stand in the case text (UTF-16 offsets, end exclusive); absent for structured cases. */
  requestSpan?: { start: number; end: number };
  responseSpan?: { start: number; end: number };
}

/** Everything that was read out of an agreement: facts, no judgement. */
export interface Agreement {
  /** The document, exact text as received. */
  text: string;
  protocolHash: string;
  language: 'en' | 'zh';
  payload: 'json' | 'text';
  requestSchema: LocatedSchema | null;
  responseSchema: LocatedSchema | null;
  /** Every schema found, in document order. */
  schemas: LocatedSchema[];
  cases: Case[];
  /** The text the cases came from, exact; null for structured or absent cases. */
  caseText: string | null;
  /** URIs of protocols that the document builds on. */
  baseUris: string[];
  /** The texts of those that the job brought along. */
  bases: { uri: string; text: string }[];
}

/** A job whose agreement has been read. */
export interface Analyzed {
  job: Job;
  agreement: Agreement;
}
