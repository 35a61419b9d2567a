import type { Completer } from '../contract/completion.ts';
import { codeOf } from '../kernel/errors.ts';
import { CompletionError } from './completion-error.ts';
import type { CoolDown } from './retry-policy.ts';

/** The state of endpoints that all workers share. */
export interface Circuits {
  /** Whether an endpoint may be called now. */
  admit(endpoint: string): Promise<boolean>;
  circuitOf(endpoint: string): Promise<{ state: 'closed' | 'open' | 'half-open'; untilMs: number }>;
  noteFailure(endpoint: string): Promise<unknown>;
  noteSuccess(endpoint: string): Promise<void>;
  /** Ends a call that showed nothing about the endpoint. */
  release(endpoint: string): Promise<void>;
}

/** Failures that mean the endpoint is down, not just busy or rate limited. */
const DOWN: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_UNAVAILABLE',
  'PLATFORM_MODEL_STALLED',
  'PLATFORM_MODEL_NOT_AN_API',
]);

/** Failures that show nothing about the endpoint: the call ended before it could answer, or was never made. */
const INCONCLUSIVE: ReadonlySet<string> = new Set(['PLATFORM_MODEL_ABORTED', 'PLATFORM_MODEL_TIMEOUT']);

/** How long to wait for the shared state, in milliseconds. Without it, each worker goes on by itself. */
const sharedStateWithinMs = 500;

/** When to ask again while another worker probes the endpoint, in milliseconds. */
const probedElsewhereMs = 1_000;

/** How often an open circuit is checked, in milliseconds. */
const checkEveryMs = 1_000;

/**
 * Wraps a completer in a circuit breaker shared by all workers. While its circuit is open, every call fails at once
 * with `PLATFORM_MODEL_CIRCUIT_OPEN`.
 */
export function withSharedCircuit(completer: Completer, circuits: Circuits, endpoint: string): Completer {
  return {
    generator: completer.generator,
    async complete(prompt, deadline, options) {
      if (!(await inTime(circuits.admit(endpoint), true))) {
        const { untilMs } = await inTime(circuits.circuitOf(endpoint), { state: 'open', untilMs: 0 });
        throw new CompletionError(
          'PLATFORM_MODEL_CIRCUIT_OPEN',
          'Cannot complete prompt: the endpoint failed several times in a row, wanted one that answers',
          { retryAfterMs: Math.max(probedElsewhereMs, untilMs - Date.now()) },
        );
      }
      try {
        const completion = await completer.complete(prompt, deadline, options);
        await inTime(circuits.noteSuccess(endpoint), undefined);
        return completion;
      } catch (error) {
        const code = codeOf(error) ?? '';
        if (DOWN.has(code)) await inTime(circuits.noteFailure(endpoint), undefined);
        else if (INCONCLUSIVE.has(code) || !(error instanceof CompletionError))
          await inTime(circuits.release(endpoint), undefined);
        // Even a refusal shows that the endpoint is up.
        else await inTime(circuits.noteSuccess(endpoint), undefined);
        throw error;
      }
    },
  };
}

/**
 * Wraps a shared cool-down so that calls do not wait for it: if it is unreachable, no endpoint counts as rate limited.
 */
export function patientCoolDown(coolDown: CoolDown): CoolDown {
  return {
    until: (endpoint) => inTime(coolDown.until(endpoint), 0),
    set: (endpoint, untilMs) => inTime(coolDown.set(endpoint, untilMs), undefined),
  };
}

/** Watches the circuits of several endpoints. */
export interface CircuitWatch {
  /** Checks whether every circuit is open; called after a failure. */
  look(): void;
  close(): void;
}

/**
 * Reports when the circuits of all endpoints are open, and when the first closes again. Checks when `look` is called,
 * and regularly while they are open.
 */
export function watchCircuits(
  circuits: Circuits,
  endpoints: readonly string[],
  tell: { opened(): void; closed(): void },
): CircuitWatch {
  let open = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const closed = { state: 'closed' as const, untilMs: 0 };
    const states = await Promise.all(endpoints.map((endpoint) => inTime(circuits.circuitOf(endpoint), closed)));
    looking = false;
    const allOpen = states.every(({ state }) => state === 'open');
    if (allOpen && !open) {
      tell.opened();
      timer = setInterval(look, checkEveryMs);
      timer.unref();
    }
    if (!allOpen && open) {
      clearInterval(timer);
      tell.closed();
    }
    open = allOpen;
  };
  return {
    look: () => void look(),
    close: () => clearInterval(timer),
  };
}

/** The value of a promise, or `otherwise` if it rejects or takes too long. */
function inTime<T>(promise: Promise<T>, otherwise: NoInfer<T>): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), sharedStateWithinMs);
    promise
      .catch(() => otherwise)
      .then((value) => {
        clearTimeout(timer);
        resolve(value);
      });
  });
}
