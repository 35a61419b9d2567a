import type { Json } from '../kernel/json.ts';
import type { PatchOperation } from './finding.ts';

/**
 * The derived cases that one reader made from one agreement before any candidate existed
 * (src/readings/reading.schema.json).
 */
export interface Reading {
  version: 1;
  reader: Reader;
  derived: DerivedCase[];
  /** The units without a derived case, with the reason. */
  units: SilentUnit[];
  /** How long the peer waits for an answer, in milliseconds; absent if the document does not say. */
  waitMs?: number;
}

/** Who made a reading. */
export interface Reader {
  kind: 'model' | 'recorded';
  name: string;
}

/** Why a unit of the document has no derived case. */
export type Silence = 'explains' | 'schema' | 'cases' | 'unclear' | 'other-side';

/** A unit of the document without a derived case. */
export interface SilentUnit {
  unit: number;
  none: Silence;
}

/** One small world, what must hold in it, and the sentences that demand it. */
export interface DerivedCase {
  /** Unique in the reading. */
  id?: string;
  /** The numbers of the units that demand it. */
  of?: number[];
  /** The words of these units; several quotes are joined by ` … `. */
  quote: string;
  /** One sentence: what a conforming handler must do in this world. */
  claim: string;
  /** The negotiated case that the world starts from. 0 = none: `request` then gives the whole input. */
  base: number;
  /** Changes to the request (provider) or the task input (requester). */
  request?: PatchOperation[];
  /** Whether the request is invalid on purpose. */
  broken?: boolean;
  /** By tool: its answers, instead of the examples. */
  tools?: Record<string, ScriptedAnswer[]>;
  /** The peer's answers to a requester, instead of the base case. */
  peer?: ScriptedAnswer[];
  expect: Expectation;
  /** What a second, blind reader said about the same world; absent until one was asked. */
  confirmation?: Confirmation;
}

/** What a second, blind reader expects in the same world, place by place. */
export interface Confirmation {
  by: string;
  /** By place, as named in the question. */
  answers: Record<string, ConfirmedAnswer>;
}

/**
 * A second reader's answer for one place: a value, a choice of values, absence, bounds of a number, yes or no, or
 * unclear.
 */
export interface ConfirmedAnswer {
  value?: Json;
  oneOf?: Json[];
  absent?: true;
  atLeast?: number;
  atMost?: number;
  yes?: boolean;
  unclear?: true;
}

/**
 * One answer of a tool or the peer. If no answer in the list has `when` or `times`, the answers are given in order and
 * the last one repeats. Otherwise the first one that matches is given.
 */
export interface ScriptedAnswer {
  output?: Json;
  response?: Json;
  fail?: 'FAILED' | 'TIMEOUT';
  message?: string;
  /** Changes to the answer of the job's examples or of the base case. */
  patch?: PatchOperation[];
  /** Conditions on the input for this answer. */
  when?: Assertion[];
  /** Most times this answer is given. */
  times?: number;
}

/** Conditions on a run. */
export interface Expectation {
  answer?: Assertion[];
  calls?: CallExpectation[];
  sends?: SendExpectation[];
  order?: OrderExpectation[];
  never?: Forbidden[];
  /**
   * The run must be the same as in the world of another derived case (by id) or of a negotiated case (by number). `in`
   * selects what is compared; default: answer and logs.
   */
  alike?: { to: string | number; but?: string[]; in?: ('answer' | 'logs')[] };
  /** At least one of these must hold completely. */
  anyOf?: Expectation[];
  /** `any`: the handler may throw. Default: `returned`. */
  end?: 'returned' | 'any';
}

/** Conditions on the value at one place; without `at`, on the whole value. */
export interface Assertion {
  /** JSON pointer. */
  at?: string;
  equals?: Json;
  notEquals?: Json;
  oneOf?: Json[];
  absent?: true;
  present?: true;
  absentOrNull?: true;
  absentOrEquals?: Json;
  contains?: Json;
  notContains?: Json;
  lessOrEqual?: number;
  greaterOrEqual?: number;
  length?: number;
  maxLength?: number;
  /** The same as in the base case, except for ids of a changed request. */
  sameAsBase?: true;
}

/** How often something is sent, and with what input. */
export interface SendExpectation {
  times?: number;
  atMost?: number;
  atLeast?: number;
  /** Only calls whose input matches are counted. */
  when?: Assertion[];
  /** Conditions on each such input, or only on the `nth`. */
  input?: Assertion[];
  /** From 1. */
  nth?: number;
}

/** How often a tool is called, and with what input. */
export interface CallExpectation extends SendExpectation {
  tool: string;
}

/**
 * `[first, second]`: every occurrence of the second comes after one of the first. `last`: nothing is called or sent
 * after it. Entries are tool names, or `send` for the peer.
 */
export type OrderExpectation = [string, string] | { last: string };

/** A value that must not appear. */
export interface Forbidden {
  value: Json;
  /** Default: answer and logs. */
  in?: ('answer' | 'logs' | 'sends' | 'calls')[];
}

/**
 * A reading as stored: once for all workers, and with each handler that was tested on it. Its `base` numbers refer to
 * the cases stored with it.
 */
export interface KeptReading {
  reading: Reading;
  /** Version of the prompt. */
  promptVersion: string;
  /** Units of the document, and how many of them the reader addressed. */
  units: number;
  covered: number;
  /** Number of dropped entries, by reason. */
  dropped: Partial<Record<DropReason, number>>;
  /** Whether the reader reached the end of the document. */
  complete: boolean;
}

/** Why an entry of a reading is dropped. Entries are never repaired by guessing. */
export type DropReason =
  /** It does not match the schema. */
  | 'form'
  /** The document, as people see it, does not contain its quote or its units. */
  | 'quote'
  /** An earlier entry has the same id. */
  | 'duplicate'
  /** Its base is not a negotiated case that can be run. */
  | 'base'
  /** Its patch does not apply, or it has no request. */
  | 'request'
  /** It names an unknown tool. */
  | 'tool'
  /** It mentions a peer, but this role has none. */
  | 'peer'
  /** An answer of a tool or the peer breaks its schema. */
  | 'output'
  /** It expects a value where the schema allows none. */
  | 'pointer'
  /** No answer that matches the schema meets its expectation. */
  | 'unmeetable'
  /** It changes nothing and contradicts its base case. */
  | 'case'
  /** It demands a text whose words appear nowhere in the agreement. */
  | 'constant'
  /** It refers to a case that does not exist. */
  | 'alike';

/**
 * What happens to a handler that was not tested on a reading: it is not served (`required`), it is served and tested
 * later (`late`), or readings are off (`off`).
 */
export type ReadingMode = 'required' | 'late' | 'off';
