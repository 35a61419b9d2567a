import type { Completer, Prompt } from '../contract/completion.ts';
import { Deadline } from '../kernel/deadline.ts';

/** A question that any model answers with one word. */
const smallPrompt: Prompt = {
  system: 'Answer with the one word that you are asked for, and nothing else.',
  turns: [{ role: 'user', text: 'Say: ready' }],
};

/** Asks the smallest question. Rejects like the completer, at the latest after `withinMs`. */
export async function askSmall(completer: Pick<Completer, 'complete'>, withinMs: number): Promise<void> {
  const deadline = new Deadline(Date.now() + withinMs, AbortSignal.timeout(withinMs));
  await completer.complete(smallPrompt, deadline, { answer: 'text' });
}
