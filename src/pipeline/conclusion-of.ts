import { codeOf } from '../kernel/errors.ts';
import { errorMessages, type Received, type Taken } from './intake.ts';
import { type Conclusion, jobFinding } from './leave.ts';

/**
 * The end that a job comes to by what a stage threw: `error` for an operator's fault, and for any once the deadline is reached. Throws it on where
 * it is the queue's to deal with.
 */
export function conclusionOf(error: unknown, taken: Taken, received: Received | undefined): Conclusion {
  const code = codeOf(error);
  if (received === undefined || taken.signal.aborted || code?.startsWith('DEFECT_')) throw error;
  const messages = errorMessages(received.job);
  if (code?.startsWith('OPERATOR_') && error instanceof Error) {
    return { verdict: 'error', messages, findings: [jobFinding(code, error.message)] };
  }
  if (!received.deadline.passed && !received.deadline.signal.aborted) throw error;
  const cause = code === undefined || !(error instanceof Error) ? '' : ` (${code}: ${error.message})`;
  return {
    verdict: 'error',
    messages,
    findings: [
      jobFinding('PLATFORM_DEADLINE', `Cannot finish job: the peer's deadline is reached, wanted more time${cause}`),
    ],
  };
}
