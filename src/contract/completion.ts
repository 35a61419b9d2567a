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

/** The port to a language model. Rejects with a coded `PLATFORM_MODEL_…` error; the deadline's signal aborts it in every state. */
export interface Completer {
  readonly generator: 'live' | 'scripted';
  complete(prompt: Prompt, deadline: Deadline): Promise<Completion>;
}
