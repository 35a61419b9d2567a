import type { Code } from './error-codes.ts';

export type { Code } from './error-codes.ts';

/** A fault that is thrown: the platform's, the operator's or our own. Faults of jobs, agreements and candidates are values. */
export class CodedError extends Error {
  override readonly name = 'CodedError';
  readonly code: Code;
  /** How long to wait before the same thing may work, in milliseconds, where the other side said so. */
  readonly retryAfterMs: number | undefined;

  constructor(code: Code, message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The code an error carries, if it carries one of ours; works across module copies and the leaf folders' own classes. */
export function codeOf(error: unknown): Code | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(JOB|DOCUMENT|CANDIDATE|PLATFORM|OPERATOR|DEFECT)_/.test(code)
    ? (code as Code)
    : undefined;
}
