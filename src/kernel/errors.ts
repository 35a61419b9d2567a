import type { Code } from './error-codes.ts';

export type { Code } from './error-codes.ts';

/**
 * A thrown fault: of the platform, the operator or our own code. Faults of jobs, agreements and candidates are values.
 */
export class CodedError extends Error {
  override readonly name = 'CodedError';
  readonly code: Code;
  /** Milliseconds to wait before a retry, if the other side said so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: Code, message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * The code of an error if it is one of ours. Checks the code, not the class, so it also works for errors of `sandbox/`,
 * `queues/` and other copies of this module.
 */
export function codeOf(error: unknown): Code | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(JOB|DOCUMENT|CANDIDATE|PLATFORM|OPERATOR|DEFECT)_/.test(code)
    ? (code as Code)
    : undefined;
}
