import type { Deadline } from '../kernel/deadline.ts';
import type { Usage } from './outcome.ts';

/** What is said to the model: a byte-stable system part, then the turns. */
export interface Prompt {
  system: string;
  turns: { role: 'user' | 'assistant'; text: string }[];
}

/** What the model said, up to and including the closing fence. */
export interface Completion {
  text: string;
  model: string;
  usage: Usage;
  durationMs: number;
}

/** Told what an attempt used that came to nothing, where it used anything; says whether the question may be put once more. */
export type MayRepeat = (failed?: Usage) => boolean;

/** Told of each piece as it comes, by its characters; what is said beside the answer, such as reasoning, counts. */
export type Heard = (characters: number) => void;

/**
 * The port to a language model. Rejects with a coded `PLATFORM_MODEL_…` error; the deadline's signal aborts it in every state. Where one question takes
 * several attempts, each that is paid for is allowed by `mayRepeat`.
 */
export interface Completer {
  readonly generator: 'live' | 'scripted';
  complete(prompt: Prompt, deadline: Deadline, mayRepeat?: MayRepeat, heard?: Heard): Promise<Completion>;
}
