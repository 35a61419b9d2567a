import type { Deadline } from '../kernel/deadline.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Usage } from './outcome.ts';

/** What is said to the model: a byte-stable system part, then the turns. */
export interface Prompt {
  system: string;
  turns: { role: 'user' | 'assistant'; text: string }[];
}

/** What the model said; of a module nothing after the closing fence. */
export interface Completion {
  text: string;
  model: string;
  usage: Usage;
  durationMs: number;
}

/** Told what an attempt used that came to nothing, where it used anything; says whether the question may be put once more. */
export type MayRepeat = (failed?: Usage) => boolean;

/**
 * Called right before each request to a server. Throws where no more may go out. What it returns is called where the
 * server was not reached.
 */
export type Asking = () => () => void;

/** Told an answer as it streams in, reasoning aside; it must not throw. It keeps what came of an answer that failed. */
export interface AnswerSink {
  /** Called before the first text of every attempt: what was told before belongs to one that failed. */
  start(attempt: AnswerStart): void;
  text(piece: string): void;
}

/** Where an answer comes from. */
export interface AnswerStart {
  model: string;
  /** Whether the server took the format that was asked for. */
  formatted: boolean;
}

/** The JSON Schema that an answer is wanted to keep, with a name of letters, digits, `_` and `-`. */
export interface ResponseFormat {
  name: string;
  schema: JsonObject;
}

/** Told of each piece as it comes, by its characters; what is said beside the answer, such as reasoning, counts. */
export type Heard = (characters: number) => void;

/** How a question is asked. */
export interface CompleteOptions {
  mayRepeat?: MayRepeat;
  asking?: Asking;
  /** Where the answer ends: a module at its closing fence, a text where the model ends it. Default: `module`. */
  answer?: 'module' | 'text';
  sink?: AnswerSink;
  heard?: Heard | undefined;
  /** A wish only: a server that refuses it is asked without. */
  format?: ResponseFormat;
  /** How often at most one endpoint is asked again where it fails; default: as the policy for that says. */
  retries?: number;
}

/**
 * The port to a language model. Rejects with a coded `PLATFORM_MODEL_…` error; the deadline's signal aborts it in every state. Where one question takes
 * several attempts, each that is paid for is allowed by `mayRepeat`.
 */
export interface Completer {
  readonly generator: 'live' | 'scripted';
  complete(prompt: Prompt, deadline: Deadline, options?: CompleteOptions): Promise<Completion>;
}
