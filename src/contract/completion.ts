import type { Deadline } from '../kernel/deadline.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { FailedTry, Usage } from './outcome.ts';

/** A prompt for the model: a system part that never changes, so that servers can cache it, then the turns. */
export interface Prompt {
  system: string;
  turns: { role: 'user' | 'assistant'; text: string }[];
}

/** The model's answer. For a module, it ends at the closing fence. */
export interface Completion {
  text: string;
  model: string;
  usage: Usage;
  durationMs: number;
}

/** Called with the usage of a failed attempt, if it used any. Returns whether the question may be asked again. */
export type MayRepeat = (failed?: Usage) => boolean;

/**
 * Called right before each request to a server. Throws if no more requests may be sent. The caller invokes the returned
 * function if the server was not reached.
 */
export type Asking = () => () => void;

/**
 * Receives an answer as it streams in, without reasoning; must not throw. It keeps the partial answer of a failed
 * attempt.
 */
export interface AnswerSink {
  /** Called before the first text of each attempt; earlier text belongs to a failed attempt. */
  start(attempt: AnswerStart): void;
  text(piece: string): void;
}

/** The source of an answer. */
export interface AnswerStart {
  model: string;
  /** Whether the server accepted the requested format. */
  formatted: boolean;
}

/** The JSON Schema that the answer should match. Its name consists of letters, digits, `_` and `-`. */
export interface ResponseFormat {
  name: string;
  schema: JsonObject;
}

/** Called with the number of characters in each piece as it arrives. Reasoning counts too. */
export type Heard = (characters: number) => void;

/** Options for one question to the model. */
export interface CompleteOptions {
  mayRepeat?: MayRepeat;
  /** Called with each try that fails; must not throw. */
  failed?: (failed: FailedTry) => void;
  asking?: Asking;
  /** Where the answer ends: `module` = at the closing fence, `text` = where the model ends it. Default: `module`. */
  answer?: 'module' | 'text';
  sink?: AnswerSink;
  heard?: Heard | undefined;
  /** A preference: if a server refuses it, the question is asked without it. */
  format?: ResponseFormat;
  /** Most retries per failing endpoint. Default: set by the retry policy. */
  retries?: number;
}

/**
 * The port to a language model. Rejects with a coded `PLATFORM_MODEL_…` error. The deadline's signal aborts it at any
 * time. If one question takes several attempts, `mayRepeat` must allow each attempt that costs money.
 */
export interface Completer {
  readonly generator: 'live' | 'scripted';
  complete(prompt: Prompt, deadline: Deadline, options?: CompleteOptions): Promise<Completion>;
}
