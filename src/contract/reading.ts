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
  /** The units that yield no derived case, with the reason. */
  units: SilentUnit[];
  /** How long the peer waits for an answer, in milliseconds, where the document states it. */
  waitMs?: number;
}

/** Who made a reading. */
export interface Reader {
  kind: 'model' | 'recorded';
  name: string;
}

/** Why a unit of the document yields no derived case. */
export type Silence = 'explains' | 'schema' | 'cases' | 'unclear' | 'other-side';

/** A unit of the document that yields no derived case. */
export interface SilentUnit {
  unit: number;
  none: Silence;
}

/** One small world, what must hold in it, and the sentences that demand it. */
export interface DerivedCase {
  /** Unique in the reading. */
  id?: string;
  /** The units that demand it, by number. */
  of?: number[];
  /** The words of these units, several joined by ` … `. */
  quote: string;
  /** One sentence: what a handler that keeps the document must do in this world. */
  claim: string;
  /** The negotiated case that the world starts from; 0 = none: `request` gives the whole input. */
  base: number;
  /** What is changed in the request (provider) or the task input (requester). */
  request?: PatchOperation[];
  /** Whether the request is broken on purpose. */
  broken?: boolean;
  /** By tool: how it answers in place of the examples. */
  tools?: Record<string, ScriptedAnswer[]>;
  /** How the peer answers a requester in place of the base case. */
  peer?: ScriptedAnswer[];
  expect: Expectation;
  /** What a second, blind reading of the same world said; absent until somebody asked. */
  confirmation?: Confirmation;
}

/** What a second, blind reader wants in the same world, place by place. */
export interface Confirmation {
  by: string;
  /** By place, as the question named it. */
  answers: Record<string, ConfirmedAnswer>;
}

/**
 * What a second reader says of one place: a value, one of several, nothing, bounds of a number, yes or no, or unclear.
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
 * One answer of a tool or the peer. In a list without any `when` or `times`, answers follow each other and the last one
 * repeats. In any other list, the first that fits answers.
 */
export interface ScriptedAnswer {
  output?: Json;
  response?: Json;
  fail?: 'FAILED' | 'TIMEOUT';
  message?: string;
  /** Changes what the job's examples, or the base case, answer. */
  patch?: PatchOperation[];
  /** What must hold of the input for this answer. */
  when?: Assertion[];
  /** How often it answers at most. */
  times?: number;
}

/** What must hold of a run. */
export interface Expectation {
  answer?: Assertion[];
  calls?: CallExpectation[];
  sends?: SendExpectation[];
  order?: OrderExpectation[];
  never?: Forbidden[];
  /**
   * As in the world of another derived case, by id, or of a negotiated one, by number. `in` says where; default: answer
   * and logs.
   */
  alike?: { to: string | number; but?: string[]; in?: ('answer' | 'logs')[] };
  /** One of these must hold whole. */
  anyOf?: Expectation[];
  /** `any`: an error may be thrown. Default `returned`. */
  end?: 'returned' | 'any';
}

/** What must hold at one place of a value; without `at`, of all of it. */
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
  /** As the base case has it, ids of a changed request aside. */
  sameAsBase?: true;
}

/** How often something is sent, and with what. */
export interface SendExpectation {
  times?: number;
  atMost?: number;
  atLeast?: number;
  /** Only calls whose input fits count. */
  when?: Assertion[];
  /** What must hold of every such input, or of the `nth` alone. */
  input?: Assertion[];
  /** From 1. */
  nth?: number;
}

/** How often a tool is called, and with what. */
export interface CallExpectation extends SendExpectation {
  tool: string;
}

/**
 * `[first, second]`: wherever the second occurs, the first occurred before. `last`: nothing is called or sent after it.
 * Tools by name, `send` for the peer.
 */
export type OrderExpectation = [string, string] | { last: string };

/** A value that must not appear. */
export interface Forbidden {
  value: Json;
  /** Default: answer and logs. */
  in?: ('answer' | 'logs' | 'sends' | 'calls')[];
}

/**
 * A reading as it is kept: once for all workers, and with the handler that it judged. Its bases are numbers of the
 * cases beside it.
 */
export interface KeptReading {
  reading: Reading;
  /** The wording of the question. */
  promptVersion: string;
  /** Units of the document, and those that the reader spoke of. */
  units: number;
  covered: number;
  /** Entries that were dropped, by reason. */
  dropped: Partial<Record<DropReason, number>>;
  /** Whether the reader came to the end of the document. */
  complete: boolean;
}

/** Why an entry of a reading is dropped: it is never repaired by guesswork. */
export type DropReason =
  /** It is not of the form that the schema describes. */
  | 'form'
  /** Its words, or units, do not stand in the document as people see it. */
  | 'quote'
  /** Its id is that of an earlier entry. */
  | 'duplicate'
  /** Its base is no negotiated case that can be run. */
  | 'base'
  /** Its patch does not fit, or there is no request at all. */
  | 'request'
  /** It names a tool that is none. */
  | 'tool'
  /** It speaks of a peer that this role has not. */
  | 'peer'
  /** A tool or the peer would answer what its schema forbids. */
  | 'output'
  /** It wants a value where the schema allows none. */
  | 'pointer'
  /** No answer that keeps the schema has what it wants. */
  | 'unmeetable'
  /** It changes nothing and contradicts its case. */
  | 'case'
  /** It demands a text whose words stand nowhere. */
  | 'constant'
  /** It is to be like another one that is not there. */
  | 'alike';

/**
 * What becomes of a handler that no reading has judged: it is not served, it is served and judged afterwards, or nobody
 * reads.
 */
export type ReadingMode = 'required' | 'late' | 'off';
