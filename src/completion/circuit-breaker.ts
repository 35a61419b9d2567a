import type { Completer } from '../contract/completion.ts';
import { codeOf } from '../kernel/errors.ts';
import { CompletionError } from './completion-error.ts';

/** When to stop calling an endpoint that is down, and when to try it again. */
export interface BreakerOptions {
  /** Consecutive failures that open the circuit. */
  failures?: number;
  /** How long the circuit stays open, in milliseconds. Then one question is let through. */
  openMs?: number;
  clock?: () => number;
}

/** Failures that mean the endpoint is down, not just busy or rate limited. */
const DOWN: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_UNAVAILABLE',
  'PLATFORM_MODEL_STALLED',
  'PLATFORM_MODEL_NOT_AN_API',
]);

/**
 * Wraps a completer in a circuit breaker. While the circuit is open, every call fails at once with
 * `PLATFORM_MODEL_CIRCUIT_OPEN`.
 */
export function withBreaker(
  completer: Completer,
  { failures = 8, openMs = 20_000, clock = Date.now }: BreakerOptions = {},
): Completer {
  let consecutive = 0;
  let openUntilMs = 0;
  return {
    generator: completer.generator,
    async complete(prompt, deadline, options) {
      const leftMs = openUntilMs - clock();
      if (leftMs > 0) {
        throw new CompletionError(
          'PLATFORM_MODEL_CIRCUIT_OPEN',
          `Cannot complete prompt: the endpoint failed ${consecutive} times in a row, wanted one that answers`,
          {
            retryAfterMs: leftMs,
          },
        );
      }
      // Half open: other calls are refused while this one runs.
      if (consecutive >= failures) openUntilMs = clock() + openMs;
      try {
        const completion = await completer.complete(prompt, deadline, options);
        consecutive = 0;
        openUntilMs = 0;
        return completion;
      } catch (error) {
        if (DOWN.has(codeOf(error) ?? '')) {
          consecutive += 1;
          if (consecutive >= failures) openUntilMs = clock() + openMs;
        } else if (codeOf(error) !== 'PLATFORM_MODEL_ABORTED' && codeOf(error) !== 'PLATFORM_MODEL_TIMEOUT') {
          consecutive = 0;
          openUntilMs = 0;
        } else if (consecutive >= failures) {
          // A cancelled probe shows nothing, so the next call may probe at once.
          openUntilMs = 0;
        }
        throw error;
      }
    },
  };
}
