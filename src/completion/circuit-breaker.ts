import type { Completer } from '../contract/completion.ts';
import { codeOf } from '../kernel/errors.ts';
import { CompletionError } from './completion-error.ts';

/** When to stop asking an endpoint that is down, and when to look again. */
export interface BreakerOptions {
  /** Failures in a row that open it. */
  failures?: number;
  /** How long it stays open, in milliseconds; then one question is let through. */
  openMs?: number;
  clock?: () => number;
}

/** Failures that say the endpoint is down, as against busy or asked too much. */
const DOWN: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_UNAVAILABLE',
  'PLATFORM_MODEL_STALLED',
  'PLATFORM_MODEL_NOT_AN_API',
]);

/** Refuses at once with `PLATFORM_MODEL_CIRCUIT_OPEN` while the endpoint behind a completer is known to be down. */
export function withBreaker(
  completer: Completer,
  { failures = 8, openMs = 20_000, clock = Date.now }: BreakerOptions = {},
): Completer {
  let inARow = 0;
  let openUntilMs = 0;
  return {
    generator: completer.generator,
    async complete(...question) {
      const leftMs = openUntilMs - clock();
      if (leftMs > 0) {
        throw new CompletionError(
          'PLATFORM_MODEL_CIRCUIT_OPEN',
          `Cannot complete prompt: the endpoint failed ${inARow} times in a row, wanted one that answers`,
          {
            retryAfterMs: leftMs,
          },
        );
      }
      // Half open: whoever comes while this one is under way is still refused.
      if (inARow >= failures) openUntilMs = clock() + openMs;
      try {
        const completion = await completer.complete(...question);
        inARow = 0;
        openUntilMs = 0;
        return completion;
      } catch (error) {
        if (DOWN.has(codeOf(error) ?? '')) {
          inARow += 1;
          if (inARow >= failures) openUntilMs = clock() + openMs;
        } else if (codeOf(error) !== 'PLATFORM_MODEL_ABORTED' && codeOf(error) !== 'PLATFORM_MODEL_TIMEOUT') {
          inARow = 0;
          openUntilMs = 0;
        } else if (inARow >= failures) {
          // A probe that was called off tells nothing: the next one may ask at once.
          openUntilMs = 0;
        }
        throw error;
      }
    },
  };
}
