import type { Completer } from '../contract/completion.ts';
import { CodedError, codeOf } from '../kernel/errors.ts';
import { accounted, passesNever } from './completion-error.ts';

/** Failures that another model would meet as well. */
const FINAL: ReadonlySet<string> = new Set(['PLATFORM_MODEL_ABORTED', 'PLATFORM_MODEL_TIMEOUT', 'OPERATOR_NO_SCRIPT']);

/**
 * Several completers as one: the first is asked, and the next where it fails, in order, while there is time. Where all of them fail, rejects with the
 * failure that passes soonest: one that only an operator mends must not end what another endpoint may answer later. Wants at least one.
 */
export function failOver(completers: readonly [Completer, ...Completer[]]): Completer {
  return {
    generator: completers[0].generator,
    complete: (prompt, deadline, mayRepeat, heard) =>
      accounted(async (book) => {
        const failures: unknown[] = [];
        for (const completer of completers) {
          try {
            return await completer.complete(prompt, deadline, mayRepeat, heard);
          } catch (error) {
            book(error);
            failures.push(error);
            const code = codeOf(error);
            if (code === undefined || FINAL.has(code) || deadline.signal.aborted || deadline.passed) throw error;
            if (mayRepeat?.() === false) break;
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
