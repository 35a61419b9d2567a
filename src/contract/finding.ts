import type { Code } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';

/** One operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  from?: string;
  value?: Json;
}

/** The root that a finding's pointer starts from. */
export type Place =
  | 'job'
  | 'document'
  | 'request'
  | 'response'
  | 'requestSchema'
  | 'responseSchema'
  | 'tool'
  | 'exchange';

/** The smallest change that resolves a finding. */
export interface Amendment {
  of: Place;
  patch: PatchOperation[];
}

/** What a message reports as found if a text ends too early. */
export const END_OF_TEXT = 'the end of the text';

/** A fault in the agreement, its cases or a peer's message, with its place and a proposed amendment. */
export interface Finding {
  code: Code;
  severity: 'error' | 'warning';
  in: Place;
  testCase?: number;
  pointer?: string;
  message: string;
  expected?: Json;
  actual?: Json;
  amendment?: Amendment;
}
