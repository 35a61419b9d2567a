import type { Completer } from '../contract/completion.ts';
import { codeOf } from '../kernel/errors.ts';
import { CompletionError } from './completion-error.ts';
import type { CoolDown } from './retry-policy.ts';

/** What all workers know together of which endpoints are down. */
export interface Circuits {
  /** Asks for leave to call an endpoint. */
  admit(endpoint: string): Promise<boolean>;
  circuitOf(endpoint: string): Promise<{ state: 'closed' | 'open' | 'half-open'; untilMs: number }>;
  noteFailure(endpoint: string): Promise<unknown>;
  noteSuccess(endpoint: string): Promise<void>;
  /** Notes that a call was over before it could tell anything of the endpoint. */
  release(endpoint: string): Promise<void>;
}

/** Failures that say the endpoint is down, as against busy or asked too much. */
const DOWN: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_UNAVAILABLE',
  'PLATFORM_MODEL_STALLED',
  'PLATFORM_MODEL_NOT_AN_API',
]);

/**
 * Failures that tell nothing of the endpoint: the call was over before it could answer, as it is where the question was
 * not put.
 */
const SILENT: ReadonlySet<string> = new Set(['PLATFORM_MODEL_ABORTED', 'PLATFORM_MODEL_TIMEOUT']);

/** How long the shared memory is waited for, in milliseconds: where it is away each worker goes on by itself. */
const memoryWithinMs = 500;

/** When to ask again where another worker is trying an endpoint that was down, in milliseconds. */
const probedElsewhereMs = 1_000;

/** How often an open circuit is looked at, in milliseconds. */
const lookEveryMs = 1_000;

/** Refuses at once with `PLATFORM_MODEL_CIRCUIT_OPEN` while any worker knows the endpoint behind a completer to be down. */
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
        else if (SILENT.has(code) || !(error instanceof CompletionError))
          await inTime(circuits.release(endpoint), undefined);
        // It answered, if only to refuse: it is up, and whoever waits for that may ask.
        else await inTime(circuits.noteSuccess(endpoint), undefined);
        throw error;
      }
    },
  };
}

/** A shared cool-down that is not waited for: where it is away no endpoint is known to rest. */
export function patientCoolDown(coolDown: CoolDown): CoolDown {
  return {
    until: (endpoint) => inTime(coolDown.until(endpoint), 0),
    set: (endpoint, untilMs) => inTime(coolDown.set(endpoint, untilMs), undefined),
  };
}

/** Watches the circuits of several endpoints. */
export interface CircuitWatch {
  /** Looks whether every circuit is open; told after a failure. */
  look(): void;
  close(): void;
}

/** Tells when the circuits of all endpoints are open, and when the first is not any more. Looks when told to, and regularly while they are open. */
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
      timer = setInterval(look, lookEveryMs);
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

/** A promise's value, or another where it rejects or takes too long. */
function inTime<T>(promise: Promise<T>, otherwise: NoInfer<T>): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), memoryWithinMs);
    promise
      .catch(() => otherwise)
      .then((value) => {
        clearTimeout(timer);
        resolve(value);
      });
  });
}
