import { passesNever } from '../completion/completion-error.ts';
import { codeOf } from '../kernel/errors.ts';
import { type Conclusion, deadlinePassed, EarlyEnd, jobFinding } from './conclusion.ts';
import type { Received } from './received.ts';

/**
 * The end that a job comes to by what a stage threw: its own where it left on purpose, `error` for an operator's fault or a prompt that no model can
 * hold, and for any once the deadline is reached. Throws it on where it is the queue's to deal with.
 */
export function conclusionOf(
  error: unknown,
  taken: { signal: AbortSignal },
  received: Received | undefined,
): Conclusion {
  if (error instanceof EarlyEnd) return error.conclusion;
  const code = codeOf(error);
  if (received === undefined || taken.signal.aborted || code?.startsWith('DEFECT_')) throw error;
  if (code !== undefined && passesNever(code) && error instanceof Error) {
    return { verdict: 'error', findings: [jobFinding(code, error.message)] };
  }
  if (received.peerDeadline.signal.aborted) return deadlinePassed(error);
  throw error;
}
