import { CompletionError, passesNever } from '../completion/completion-error.ts';
import { PASSING } from '../completion/retry-policy.ts';
import type { CompleteOptions, Completer, Completion, Prompt } from '../contract/completion.ts';
import type { AttemptReport, Purpose } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { type Code, codeOf } from '../kernel/errors.ts';
import type { Budget } from './budget.ts';
import { type Ledger, noUsage } from './ledger.ts';
import type { Services } from './services.ts';

/** Who puts questions: each is taken from a budget, and told in a ledger. */
export interface Questioner {
  services: Pick<Services, 'completer' | 'model'>;
  ledger: Ledger;
  budget: Budget;
}

/** Who asks for a job, with all that it works with. */
export interface JobContext extends Questioner {
  services: Services;
}

/** One question to the model. */
export interface Question {
  prompt: Prompt;
  purpose: Purpose;
  /** Whether it carries a candidate and what happened to it. */
  repair?: boolean;
  options?: Omit<CompleteOptions, 'mayRepeat' | 'asking'>;
  /** Who is asked; default: the model that writes modules. */
  completer?: Pick<Completer, 'complete'>;
  /** Called as soon as the answer is there. */
  onAnswer?: (() => void) | undefined;
}

/** What a completion was good for, as its report says it. */
export type AttemptVerdict = Pick<AttemptReport, 'result' | 'passedCases' | 'code' | 'message'>;

/**
 * Asks the model one question and reports it, whatever comes of it. Rejects with `BudgetUsedUp` where the job may not
 * ask any more, with `PLATFORM_…` and `OPERATOR_…` faults, and with the deadline's reason when called off.
 */
export async function ask<Value>(
  { prompt, purpose, repair = false, options = {}, completer, onAnswer }: Question,
  { services, ledger, budget }: Questioner,
  deadline: Deadline,
  use: (completion: Completion, number: number) => Promise<[Value, AttemptVerdict]>,
): Promise<Value> {
  deadline.signal.throwIfAborted();
  const receipt = budget.take(purpose, prompt);
  const number = ledger.nextAttempt();
  const startedAt = performance.now();
  ledger.tell({ type: 'prompted', attempt: number, repair, purpose });
  const book = (verdict: AttemptVerdict, usage: AttemptReport['usage'], model: string) => {
    ledger.attempts.push({
      attempt: number,
      purpose,
      model,
      ...verdict,
      usage,
      durationMs: Math.round(performance.now() - startedAt),
    });
    const { result, code, message } = verdict;
    // A fault of a candidate quotes it. The words of a server, as they are shown, do not repeat the prompt.
    const isForOperator = code !== undefined && passesNever(code as Code);
    const reason = result === 'no-answer' && code ? { code, ...(isForOperator && message ? { message } : {}) } : {};
    ledger.tell({ type: 'attempted', attempt: number, result, ...reason });
  };
  let completion: Completion | undefined;
  try {
    const { mayRepeat, asking } = receipt;
    const answer = await ledger.stage(stageOf[purpose], () =>
      (completer ?? services.completer).complete(prompt, deadline, { ...options, mayRepeat, asking }),
    );
    completion = answer;
    receipt.book(answer.usage);
    onAnswer?.();
    ledger.tell({
      type: 'completed',
      attempt: number,
      inputTokens: answer.usage.inputTokens,
      outputTokens: answer.usage.outputTokens,
      durationMs: Math.round(answer.durationMs),
    });
    const [value, verdict] = await use(answer, number);
    book(verdict, answer.usage, answer.model);
    return value;
  } catch (error) {
    const lost = error instanceof CompletionError ? error.usage : undefined;
    if (completion === undefined) receipt.book(lost);
    book(faultOf(error, deadline), completion?.usage ?? lost ?? noUsage, completion?.model ?? services.model);
    if (deadline.signal.aborted) ledger.tell({ type: 'dropped', attempt: number });
    const isPassing = error instanceof CompletionError && PASSING.has(error.code) && !deadline.signal.aborted;
    throw (isPassing ? budget.noteFault(error) : null) ?? error;
  }
}

/** The stages that the time of a question is booked under. */
const stageOf: Record<Purpose, string> = { generate: 'complete', judge: 'complete', read: 'read', confirm: 'confirm' };

function faultOf(error: unknown, { signal }: Deadline): AttemptVerdict {
  if (signal.aborted) return { result: 'aborted', passedCases: 0 };
  const code = codeOf(error);
  return {
    result: code === 'PLATFORM_MODEL_FILTERED' ? 'refused' : 'no-answer',
    passedCases: 0,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof Error ? { message: error.message.slice(0, 1_000) } : {}),
  };
}
