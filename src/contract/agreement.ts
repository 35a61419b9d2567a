import type { Json } from '../kernel/json.ts';
import type { Job, StructuredCase } from './job.ts';

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

/** One request with the replies that may follow it. */
export interface Interaction {
  /** What the family calls it; empty where the agreement has one alone. */
  name: string;
  /** `null` where the agreement has no schema for it. */
  request: LocatedSchema | null;
  /** Any of them may follow; empty where the agreement has no schema for them. */
  replies: readonly LocatedSchema[];
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

/** Most cases of one agreement, of a job and of what a stored handler is held to: each is run several times over. */
export const MAX_CASES = 100;

/** Everything that was read out of an agreement: facts, no judgement. */
export interface Agreement {
  /** The document, exact text as received. */
  text: string;
  protocolHash: string;
  language: 'en' | 'zh';
  payload: 'json' | 'text';
  interactions: readonly Interaction[];
  /** The requests and the replies of all interactions, each as one schema. */
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

/** The texts of an agreement, taken out of the messages that carry them and unchanged to the letter. */
export interface Texts {
  document: string;
  /** The text of the cases, or the cases themselves; `null` where there are none. */
  cases: string | readonly StructuredCase[] | null;
}

/** A job whose agreement has been read. */
export interface Analyzed {
  job: Job;
  texts: Texts;
  agreement: Agreement;
}
