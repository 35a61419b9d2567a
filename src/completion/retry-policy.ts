import type { CompleteOptions, Completer, Completion, Prompt } from '../contract/completion.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { CodedError, codeOf } from '../kernel/errors.ts';
import { accounted, CompletionError } from './completion-error.ts';

/** A memory, shared between workers where there are several, of endpoints that asked to be left alone. */
export interface CoolDown {
  /** Until when the endpoint wants to be left alone, in milliseconds since 1970; 0 = it does not. */
  until(endpoint: string): Promise<number>;
  /** Notes a time; an earlier one than is known changes nothing. */
  set(endpoint: string, untilMs: number): Promise<void>;
}

/** How often and how fast a failed completion is tried again. */
export interface RetryOptions {
  /** Attempts after the first. */
  retries?: number;
  /** First pause, in milliseconds; it doubles each time and is spread by half. */
  baseMs?: number;
  /** Longest pause of our own choice, in milliseconds. What the server asks for is honoured beyond it. */
  maxMs?: number;
  /** Whether another endpoint can be asked instead: then nothing is waited for, and nothing tried again. */
  elsewhere?: boolean;
  coolDown?: CoolDown;
  /** Key of the endpoint in the cool-down. */
  endpoint?: string;
  random?: () => number;
  clock?: () => number;
}

/** Failures that may be gone the next time, and the only ones after which a question is put again as it is. */
export const PASSING: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_RATE_LIMITED',
  'PLATFORM_MODEL_UNAVAILABLE',
  'PLATFORM_MODEL_STALLED',
  'PLATFORM_MODEL_CUT',
  'PLATFORM_MODEL_EMPTY',
  'PLATFORM_MODEL_NOT_AN_API',
]);

/**
 * The one retry policy: passing failures are tried again with growing, spread pauses, never sooner than the server asked, never past the
 * deadline and never without leave. Where the pause would outlast the deadline, or another endpoint can be asked instead, the failure is returned at once, with `retryAfterMs`.
 */
export function withRetries(completer: Completer, policy: RetryOptions = {}): Completer {
  const {
    elsewhere = false,
    retries = elsewhere ? 0 : 4,
    baseMs = 400,
    maxMs = 8_000,
    coolDown,
    endpoint = 'default',
    random = Math.random,
    clock = Date.now,
  } = policy;

  const coolDownEnds = async (deadline: Deadline): Promise<void> => {
    const leftMs = coolDown === undefined ? 0 : (await coolDown.until(endpoint)) - clock();
    if (leftMs <= 0) return;
    if (elsewhere || leftMs >= deadline.leftMs()) {
      throw new CompletionError(
        'PLATFORM_MODEL_RATE_LIMITED',
        `Cannot complete prompt: the endpoint cools down for ${Math.ceil(leftMs)} ms, wanted it ${elsewhere ? 'now' : 'before the deadline'}`,
        {
          retryAfterMs: leftMs,
        },
      );
    }
    await pause(leftMs, deadline.signal);
  };

  const complete = (prompt: Prompt, deadline: Deadline, options?: CompleteOptions): Promise<Completion> =>
    accounted(async (book) => {
      for (let attempt = 0; ; attempt += 1) {
        await coolDownEnds(deadline);
        try {
          return await completer.complete(prompt, deadline, options);
        } catch (error) {
          book(error);
          const isAllowed = options?.mayRepeat?.(error instanceof CompletionError ? error.usage : undefined) ?? true;
          if (!PASSING.has(codeOf(error) ?? '')) throw error;
          const asked = error instanceof CodedError ? (error.retryAfterMs ?? 0) : 0;
          if (asked > 0) await coolDown?.set(endpoint, clock() + asked);
          const own = Math.min(maxMs, baseMs * 2 ** attempt) * (0.5 + random() / 2);
          const waitMs = Math.max(own, asked);
          const isLast = attempt >= Math.min(retries, options?.retries ?? retries);
          if (!isAllowed || isLast || waitMs >= deadline.leftMs() || deadline.signal.aborted) throw error;
          await pause(waitMs, deadline.signal);
        }
      }
    });
  return { generator: completer.generator, complete };
}

/** Waits, or rejects as soon as the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal.removeEventListener('abort', calledOff);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const calledOff = (): void => {
      clearTimeout(timer);
      const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
      reject(
        new CompletionError(
          timedOut ? 'PLATFORM_MODEL_TIMEOUT' : 'PLATFORM_MODEL_ABORTED',
          `Cannot complete prompt: ${timedOut ? 'the deadline passed' : 'called off'} between two attempts, wanted an answer`,
        ),
      );
    };
    if (signal.aborted) calledOff();
    else signal.addEventListener('abort', calledOff, { once: true });
  });
}

/** A cool-down within this process. */
export function createCoolDown(): CoolDown {
  const ends = new Map<string, number>();
  return {
    until: async (endpoint) => ends.get(endpoint) ?? 0,
    set: async (endpoint, untilMs) => {
      ends.set(endpoint, Math.max(untilMs, ends.get(endpoint) ?? 0));
    },
  };
}
