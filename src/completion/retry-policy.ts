import type { CompleteOptions, Completer, Completion, Prompt } from '../contract/completion.ts';
import type { FailedTry } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { CodedError, codeOf } from '../kernel/errors.ts';
import { accounted, CompletionError } from './completion-error.ts';

/** Endpoints that are rate limited, shared between workers if there are several. */
export interface CoolDown {
  /** When the endpoint may be called again, in milliseconds since 1970; 0 = now. */
  until(endpoint: string): Promise<number>;
  /** Sets that time; an earlier time than the current one changes nothing. */
  set(endpoint: string, untilMs: number): Promise<void>;
}

/** How often and after which pauses a failed completion is retried. */
export interface RetryOptions {
  /** Attempts after the first. */
  retries?: number;
  /** First pause in milliseconds. It doubles each time and has a jitter of up to half. */
  baseMs?: number;
  /** Longest pause of the backoff, in milliseconds. A longer pause that the server asks for is kept. */
  maxMs?: number;
  /** Whether another endpoint can be asked instead. Then there are no pauses and no retries. */
  elsewhere?: boolean;
  coolDown?: CoolDown;
  /** Key of the endpoint in `coolDown`. */
  endpoint?: string;
  /** The endpoint in reports of failed tries. */
  server?: Pick<FailedTry, 'endpoint' | 'model'>;
  random?: () => number;
  clock?: () => number;
}

/** Transient failures: the only ones after which the same request is sent again. */
export const PASSING: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_RATE_LIMITED',
  'PLATFORM_MODEL_UNAVAILABLE',
  'PLATFORM_MODEL_STALLED',
  'PLATFORM_MODEL_CUT',
  'PLATFORM_MODEL_EMPTY',
  'PLATFORM_MODEL_NOT_AN_API',
]);

/** Most characters of a failed try's message: a job may have many. */
const maxMessageCharacters = 300;

/**
 * The only retry policy. Retries transient failures with exponential backoff and jitter, never sooner than the server
 * asks, never past the deadline, and only if `mayRepeat` allows it. Rejects at once, with `retryAfterMs`, if the pause
 * would outlast the deadline or another endpoint can be asked.
 */
export function withRetries(completer: Completer, policy: RetryOptions = {}): Completer {
  const {
    elsewhere = false,
    retries = elsewhere ? 0 : 4,
    baseMs = 400,
    maxMs = 8_000,
    coolDown,
    endpoint = 'default',
    server = { endpoint, model: 'unknown' },
    random = Math.random,
    clock = Date.now,
  } = policy;

  const coolDownEnds = async (deadline: Deadline): Promise<void> => {
    const leftMs = coolDown === undefined ? 0 : (await coolDown.until(endpoint)) - clock();
    if (leftMs <= 0) return;
    if (elsewhere || leftMs >= deadline.leftMs()) {
      throw new CompletionError(
        'PLATFORM_MODEL_RATE_LIMITED',
        `Cannot complete prompt: the endpoint is rate limited for another ${Math.ceil(leftMs)} ms, wanted it ${elsewhere ? 'now' : 'before the deadline'}`,
        {
          retryAfterMs: leftMs,
        },
      );
    }
    await pause(leftMs, deadline.signal);
  };

  /** Reports a failure of the work, unless nobody waits for its result. */
  const told = async <T>(work: () => Promise<T>, options?: CompleteOptions): Promise<T> => {
    const startedAtMs = clock();
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      const message = error instanceof Error ? error.message.slice(0, maxMessageCharacters) : '';
      const [atMs, durationMs] = [clock(), Math.max(0, clock() - startedAtMs)];
      if (code !== undefined && code !== 'PLATFORM_MODEL_ABORTED')
        options?.failed?.({ atMs, durationMs, ...server, code, message });
      throw error;
    }
  };

  const complete = (prompt: Prompt, deadline: Deadline, options?: CompleteOptions): Promise<Completion> =>
    accounted(async (book) => {
      for (let attempt = 0; ; attempt += 1) {
        await told(() => coolDownEnds(deadline), options);
        try {
          return await told(() => completer.complete(prompt, deadline, options), options);
        } catch (error) {
          book(error);
          const isAllowed = options?.mayRepeat?.(error instanceof CompletionError ? error.usage : undefined) ?? true;
          if (!PASSING.has(codeOf(error) ?? '')) throw error;
          const asked = error instanceof CodedError ? (error.retryAfterMs ?? 0) : 0;
          if (asked > 0) await coolDown?.set(endpoint, clock() + asked);
          const backoffMs = Math.min(maxMs, baseMs * 2 ** attempt) * (0.5 + random() / 2);
          const waitMs = Math.max(backoffMs, asked);
          const isLast = attempt >= Math.min(retries, options?.retries ?? retries);
          if (!isAllowed || isLast || waitMs >= deadline.leftMs() || deadline.signal.aborted) throw error;
          await pause(waitMs, deadline.signal);
        }
      }
    });
  return { generator: completer.generator, complete };
}

/** Waits; rejects as soon as the signal fires. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal.removeEventListener('abort', cancelled);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const cancelled = (): void => {
      clearTimeout(timer);
      const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
      reject(
        new CompletionError(
          timedOut ? 'PLATFORM_MODEL_TIMEOUT' : 'PLATFORM_MODEL_ABORTED',
          `Cannot complete prompt: ${timedOut ? 'the deadline passed' : 'the caller cancelled it'} between two attempts, wanted an answer`,
        ),
      );
    };
    if (signal.aborted) cancelled();
    else signal.addEventListener('abort', cancelled, { once: true });
  });
}

/** A cool-down for this process alone. */
export function createCoolDown(): CoolDown {
  const ends = new Map<string, number>();
  return {
    until: async (endpoint) => ends.get(endpoint) ?? 0,
    set: async (endpoint, untilMs) => {
      ends.set(endpoint, Math.max(untilMs, ends.get(endpoint) ?? 0));
    },
  };
}
