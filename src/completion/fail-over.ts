import type { Completer } from '../contract/completion.ts';
import { CodedError, codeOf } from '../kernel/errors.ts';
import { accounted, passesNever } from './completion-error.ts';

/** Failures that another model would have as well. */
const FINAL: ReadonlySet<string> = new Set(['PLATFORM_MODEL_ABORTED', 'PLATFORM_MODEL_TIMEOUT', 'OPERATOR_NO_SCRIPT']);

/**
 * Combines completers: asks them in order until one answers or time runs out. If all fail, rejects with the failure
 * that may pass soonest, so that an operator's fault at one endpoint does not end a job that another may still answer.
 */
export function failOver(completers: readonly [Completer, ...Completer[]]): Completer {
  return {
    generator: completers[0].generator,
    complete: (prompt, deadline, options) =>
      accounted(async (book) => {
        const failures: unknown[] = [];
        for (const completer of completers) {
          try {
            return await completer.complete(prompt, deadline, options);
          } catch (error) {
            book(error);
            failures.push(error);
            const code = codeOf(error);
            if (code === undefined || FINAL.has(code) || deadline.signal.aborted || deadline.passed) throw error;
            if (options?.mayRepeat?.() === false) break;
          }
        }
        throw failures.reduce((one, other) => (passesInMs(other) < passesInMs(one) ? other : one));
      }),
  };
}

function passesInMs(failure: unknown): number {
  const code = codeOf(failure);
  if (code !== undefined && passesNever(code)) return Number.POSITIVE_INFINITY;
  return failure instanceof CodedError ? (failure.retryAfterMs ?? 0) : 0;
}
