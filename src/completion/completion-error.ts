import type { Usage } from '../contract/outcome.ts';
import { type Code, CodedError } from '../kernel/errors.ts';

/** A completion that failed, with what it used up to then: a cut answer is paid for as well. */
export class CompletionError extends CodedError {
  /** `undefined` where nothing reached the model. */
  readonly usage: Usage | undefined;

  constructor(
    code: Code,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined; usage?: Usage | undefined } = {},
  ) {
    super(code, message, options);
    this.usage = options.usage;
  }
}
