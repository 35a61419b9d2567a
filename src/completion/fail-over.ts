import type { Completer } from '../contract/completion.ts';
import { codeOf } from '../kernel/errors.ts';
import { accounted } from './completion-error.ts';

/** Failures that another model would meet as well. */
const FINAL: ReadonlySet<string> = new Set(['PLATFORM_MODEL_ABORTED', 'PLATFORM_MODEL_TIMEOUT', 'OPERATOR_NO_SCRIPT']);

/**
 * Several completers as one: the first is asked, and the next where it fails, in order, while there is time. Rejects with the failure of the
 * first where all of them fail. Wants at least one.
 */
export function failOver(completers: readonly [Completer, ...Completer[]]): Completer {
  return {
    generator: completers[0].generator,
    complete: (prompt, deadline) =>
      accounted(async (book) => {
        let first: unknown;
        for (const completer of completers) {
          try {
            return await completer.complete(prompt, deadline);
          } catch (error) {
            book(error);
            first ??= error;
            const code = codeOf(error);
            if (code === undefined || FINAL.has(code) || deadline.signal.aborted || deadline.passed) throw error;
          }
        }
        throw first;
      }),
  };
}
