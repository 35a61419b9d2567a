import type { Completion } from '../contract/completion.ts';
import type { Usage } from '../contract/outcome.ts';
import { type Code, CodedError } from '../kernel/errors.ts';
import { addUsage } from './prices.ts';

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

/** What a server refuses of a question, which it would refuse again. */
const REFUSED: ReadonlySet<string> = new Set([
  'PLATFORM_MODEL_PROMPT_TOO_LONG',
  'PLATFORM_MODEL_PROMPT_FILTERED',
  'PLATFORM_MODEL_REFUSED',
]);

/** Says whether waiting mends nothing: an operator has to, or the server refuses the question as it is. */
export function passesNever(code: Code): boolean {
  return code.startsWith('OPERATOR_') || REFUSED.has(code);
}

/**
 * Runs attempts of one completion and books what the failed ones used, so that whatever comes of it carries the usage of all. Every failed
 * attempt is to be given to `book`.
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
