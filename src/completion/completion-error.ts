import type { Completion } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { type Code, CodedError } from '../kernel/errors.ts';
import { addUsage } from './prices.ts';

/** A failed completion with its usage: an answer that was cut off costs tokens as well. */
export class CompletionError extends CodedError {
  /** `undefined` if nothing reached the model. */
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

/** Refusals that the same question would meet again. */
const REFUSED: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_PROMPT_TOO_LONG',
  'PLATFORM_MODEL_PROMPT_FILTERED',
  'PLATFORM_MODEL_REFUSED',
]);

/** Refusals of our key, account or model: every question meets them until an operator mends that. */
const HELD: ReadonlySet<string> = new Set(['OPERATOR_MODEL_AUTH', 'OPERATOR_MODEL_QUOTA', 'OPERATOR_MODEL_UNKNOWN']);

/**
 * Whether an endpoint refuses our key, account or model. Such a fault holds the queue: jobs wait until their deadline,
 * because an operator may mend it at any moment.
 */
export function isHolding(code: string | undefined): boolean {
  return HELD.has(code ?? '');
}

/** Whether waiting cannot help: an operator must act, or the server refuses the question as such. */
export function passesNever(code: Code): boolean {
  return code.startsWith('OPERATOR_') || REFUSED.has(code);
}

/**
 * Runs the attempts of one completion and adds up their usage, so that the result or the error carries all of it. The
 * caller passes every failed attempt to `book`.
 */
export async function accounted(
  attempts: (book: (error: unknown) => void) => Promise<Completion>,
): Promise<Completion> {
  let spent: Usage | undefined;
  try {
    const completion = await attempts((error) => {
      if (error instanceof CompletionError && error.usage !== undefined) spent = addUsage(spent, error.usage);
    });
    return { ...completion, usage: addUsage(spent, completion.usage) };
  } catch (error) {
    if (!(error instanceof CompletionError) || spent === error.usage) throw error;
    throw new CompletionError(error.code, error.message, {
      cause: error.cause,
      retryAfterMs: error.retryAfterMs,
      usage: spent,
    });
  }
}
