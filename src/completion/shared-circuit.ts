import type { Completer } from '../contract/completion.ts';
import { type Code, codeOf } from '../kernel/errors.ts';
import { CompletionError, isHolding } from './completion-error.ts';
import { askSmall } from './probe.ts';
import { type CoolDown, createCoolDown } from './retry-policy.ts';

/** Why a call failed. */
interface CallFault {
  code: string;
  message: string;
}

/** The state of one endpoint. */
export interface Circuit {
  state: 'closed' | 'open' | 'half-open';
  untilMs: number;
  /** What opened it. `refused`: the endpoint refuses our key, account or model. */
  fault?: (CallFault & { refused: boolean; sinceMs: number }) | null;
}

/** The state of endpoints that all workers share. */
export interface Circuits {
  /** Whether an endpoint may be called now. */
  admit(endpoint: string): Promise<boolean>;
  circuitOf(endpoint: string): Promise<Circuit>;
  noteFailure(endpoint: string, fault: CallFault): Promise<unknown>;
  /** Opens the circuit at once: the endpoint refuses our key, account or model. */
  noteRefusal(endpoint: string, fault: CallFault): Promise<unknown>;
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

/** How long a probe of an endpoint may take, in milliseconds. A refusal comes sooner than an answer. */
const probeWithinMs = 10_000;

/** A completer behind a circuit, and a way to try whether an endpoint still refuses. */
export interface GuardedCompleter extends Completer {
  /** Asks a small question, unless another worker does, and records what it shows. Never rejects. */
  probe(): Promise<void>;
}

/**
 * Wraps a completer in a circuit breaker shared by all workers. While its circuit is open, every call fails at
 * once: with `PLATFORM_MODEL_CIRCUIT_OPEN`, or with the code of the refusal if the endpoint refuses our key,
 * account or model.
 */
export function withSharedCircuit(completer: Completer, circuits: Circuits, endpoint: string): GuardedCompleter {
  const note = (work: Promise<unknown>) => inTime(work, undefined);
  let isChecking = false;
  const askAndNote = async (): Promise<void> => {
    const fault = await askSmall(completer, probeWithinMs).then(() => null, faultIn);
    if (fault !== null && isHolding(fault.code)) await note(circuits.noteRefusal(endpoint, fault));
    else if (fault !== null && DOWN.has(fault.code)) await note(circuits.noteFailure(endpoint, fault));
    // A slow answer or any other failure shows that the key is accepted.
    else await note(circuits.noteSuccess(endpoint));
  };
  // A refusal may concern one job alone, for example if a firewall before the model server dislikes a document.
  // It must not hold the others, so it counts only if a small question is refused as well.
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    await askAndNote();
    isChecking = false;
  };
  return {
    generator: completer.generator,
    async complete(prompt, deadline, options) {
      if (!(await inTime(circuits.admit(endpoint), true)))
        throw closedTo(await inTime<Circuit>(circuits.circuitOf(endpoint), { state: 'open', untilMs: 0 }));
      try {
        const completion = await completer.complete(prompt, deadline, options);
        await note(circuits.noteSuccess(endpoint));
        return completion;
      } catch (error) {
        const fault = faultIn(error);
        if (DOWN.has(fault.code)) await note(circuits.noteFailure(endpoint, fault));
        else if (fault.code === 'OPERATOR_MODEL_QUOTA') await note(circuits.noteRefusal(endpoint, fault));
        else if (isHolding(fault.code)) void check();
        else if (INCONCLUSIVE.has(fault.code) || !(error instanceof CompletionError))
          await note(circuits.release(endpoint));
        // Even a refusal of the question shows that the endpoint is up.
        else await note(circuits.noteSuccess(endpoint));
        throw error;
      }
    },
    async probe() {
      if (!(await inTime(circuits.admit(endpoint), false))) return;
      await askAndNote();
    },
  };
}

function faultIn(error: unknown): CallFault {
  return { code: codeOf(error) ?? '', message: error instanceof Error ? error.message : '' };
}

/** The error of a call that an open circuit does not let through. */
function closedTo({ untilMs, fault }: Circuit): CompletionError {
  const retryAfterMs = Math.max(probedElsewhereMs, untilMs - Date.now());
  if (fault?.refused) return new CompletionError(fault.code as Code, fault.message, { retryAfterMs });
  const first = fault ? ` (first ${fault.code}: ${fault.message})` : '';
  return new CompletionError(
    'PLATFORM_MODEL_CIRCUIT_OPEN',
    `Cannot complete prompt: the endpoint failed several times in a row${first}, wanted one that answers`,
    { retryAfterMs },
  );
}

/** Wraps a shared cool-down so that calls do not wait for it: without it, what this process was told counts. */
export function patientCoolDown(shared: CoolDown): CoolDown {
  const own = createCoolDown();
  return {
    until: async (endpoint) => Math.max(await own.until(endpoint), await inTime(shared.until(endpoint), 0)),
    set: async (endpoint, untilMs) => {
      await own.set(endpoint, untilMs);
      await inTime(shared.set(endpoint, untilMs), undefined);
    },
  };
}

/** Watches the circuits of several endpoints. */
export interface CircuitWatch {
  /** Checks whether an endpoint is left; called at the start and after a failure. */
  look(): void;
  close(): void;
}

/**
 * Reports when no endpoint is left that may be called, with the first fault, and when there is one again. An endpoint
 * that refuses our key, account or model is probed now and then, and is not left before a probe is answered; one that
 * is down is tried by the next job. Checks when `look` is called, and regularly while a circuit is open.
 */
export function watchCircuits(
  circuits: Circuits,
  endpoints: readonly string[],
  tell: { opened(fault: Circuit['fault']): void; closed(): void; probe?(endpoint: string): Promise<void> },
): CircuitWatch {
  let told: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let closed = false;
  const look = async (): Promise<void> => {
    if (looking || closed) return;
    looking = true;
    const unknown: Circuit = { state: 'closed', untilMs: 0 };
    const states = await Promise.all(endpoints.map((endpoint) => inTime(circuits.circuitOf(endpoint), unknown)));
    const isRefused = ({ state, fault }: Circuit) => state !== 'closed' && fault?.refused === true;
    const isShut = states.every((one) => one.state === 'open' || isRefused(one));
    const first = states.find(isRefused) ?? states[0];
    const about = isShut ? (first?.fault?.code ?? '') : null;
    if (about !== null && about !== told) tell.opened(first?.fault ?? null);
    if (about === null && told !== null) tell.closed();
    told = about;
    const due = endpoints.filter((_, index) => {
      const one = states[index] ?? unknown;
      return one.state === 'half-open' && isRefused(one);
    });
    for (const endpoint of due) void tell.probe?.(endpoint);
    looking = false;
    clearInterval(timer);
    if (states.every(({ state }) => state === 'closed') || closed) return;
    timer = setInterval(look, checkEveryMs);
    timer.unref();
  };
  return {
    look: () => void look(),
    close: () => {
      closed = true;
      clearInterval(timer);
    },
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
