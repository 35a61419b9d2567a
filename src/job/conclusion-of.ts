import { isHolding, passesNever } from '../completion/completion-error.ts';
import { codeOf } from '../kernel/errors.ts';
import { type Conclusion, deadlinePassed, EarlyEnd, jobFinding } from './conclusion.ts';
import type { Received } from './received.ts';

/**
 * Turns an error of a stage into the job's conclusion: that of an `EarlyEnd`, `error` for a fault that waiting
 * cannot cure, such as a prompt too long for every model, and `error` for anything after the peer's deadline.
 * Rethrows all other errors for the queue to handle: a refused key or command of Redis too, because an operator
 * may mend it before the deadline.
 */
export function conclusionOf(
  error: unknown,
  taken: { signal: AbortSignal },
  received: Received | undefined,
): Conclusion {
  if (error instanceof EarlyEnd) return error.conclusion;
  const code = codeOf(error);
  if (received === undefined || taken.signal.aborted || code?.startsWith('DEFECT_')) throw error;
  const isMendable = isHolding(code) || code?.startsWith('OPERATOR_REDIS_');
  if (code !== undefined && error instanceof Error && passesNever(code) && !isMendable) {
    return { verdict: 'error', findings: [jobFinding(code, error.message)] };
  }
  if (received.peerDeadline.signal.aborted) return deadlinePassed(error);
  throw error;
}
