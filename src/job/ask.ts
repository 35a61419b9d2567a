import { CompletionError, passesNever } from '../completion/completion-error.ts';
import { PASSING } from '../completion/retry-policy.ts';
import type { CompleteOptions, Completer, Completion, Prompt } from '../contract/completion.ts';
import type { AttemptReport, Purpose } from '../contract/outcome.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { type Code, codeOf } from '../kernel/errors.ts';
import { promptVersionOf } from '../prompting/prompt-version.ts';
import type { Budget } from './budget.ts';
import { type Ledger, noUsage } from './ledger.ts';
import type { Services } from './services.ts';

/** A caller that asks questions. The budget pays for each question; the ledger records it. */
export interface Questioner {
  services: Pick<Services, 'completer' | 'model'>;
  ledger: Ledger;
  budget: Budget;
}

/** A caller that asks on behalf of a job, with all services of the pipeline. */
export interface JobContext extends Questioner {
  services: Services;
}

/** One question to the model. */
export interface Question {
  prompt: Prompt;
  purpose: Purpose;
  /** Whether the prompt shows a candidate and why it failed. */
  repair?: boolean;
  /** The attempt that wrote this candidate. */
  repairs?: number | undefined;
  options?: Omit<CompleteOptions, 'mayRepeat' | 'asking' | 'failed'>;
  /** The model to ask; default: the one that writes modules. */
  completer?: Pick<Completer, 'complete'>;
  /** Called as soon as the answer is complete. */
  onAnswer?: (() => void) | undefined;
}

/** The result of a completion, as the report states it. */
export type AttemptVerdict = Pick<AttemptReport, 'result' | 'passedCases' | 'code' | 'message'>;

/**
 * Asks the model one question and records it in the ledger, whatever the result. Rejects with `BudgetUsedUp` if
 * the job may ask no more, with `PLATFORM_…` and `OPERATOR_…` errors of the completer, and with the deadline's
 * reason when aborted.
 */
export async function ask<Value>(
  { prompt, purpose, repair = false, repairs, options = {}, completer, onAnswer }: Question,
  { services, ledger, budget }: Questioner,
  deadline: Deadline,
  use: (completion: Completion, number: number) => Promise<[Value, AttemptVerdict]>,
): Promise<Value> {
  deadline.signal.throwIfAborted();
  const isOnce = budget.asksOnce;
  const receipt = budget.take(purpose, prompt);
  const number = ledger.ask(purpose, services.model);
  const size = { ...sizeOf(prompt), ...(repairs === undefined ? {} : { repairs }) };
  ledger.tell({ type: 'prompted', attempt: number, repair, purpose, ...size });
  const book = (verdict: AttemptVerdict, used: AttemptReport['usage'], by: string) => {
    const { result, code, message, usage, model, durationMs } = ledger.ended({
      attempt: number,
      purpose,
      model: by,
      ...verdict,
      usage: used,
    });
    // The message of a candidate's fault quotes the candidate, so it is not logged. A server's message, as it is shown
    // here, does not repeat the prompt.
    const isForOperator = result === 'no-answer' && code !== undefined && passesNever(code as Code);
    const about = { purpose, model, usage, durationMs, ...(code === undefined ? {} : { code }) };
    const said = message === undefined ? {} : { detail: { message }, ...(isForOperator ? { message } : {}) };
    ledger.tell({ type: 'attempted', attempt: number, result, ...about, ...said });
  };
  let completion: Completion | undefined;
  try {
    const { mayRepeat, asking } = receipt;
    const answer = await ledger.stage(
      stageOf[purpose],
      () =>
        (completer ?? services.completer).complete(prompt, deadline, {
          ...(isOnce ? { retries: 0 } : {}),
          ...options,
          mayRepeat,
          asking,
          failed: (failed) => ledger.tryFailed(number, failed),
        }),
      number,
    );
    completion = answer;
    ledger.answered(number);
    receipt.book(answer.usage);
    onAnswer?.();
    ledger.tell({
      type: 'completed',
      attempt: number,
      inputTokens: answer.usage.inputTokens,
      outputTokens: answer.usage.outputTokens,
      durationMs: Math.round(answer.durationMs),
      model: answer.model,
      characters: answer.text.length,
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
    if (!isPassing) throw error;
    throw budget.noteFault(error) ?? budget.paced(error, deadline.leftMs());
  }
}

function sizeOf({ system, turns }: Prompt) {
  const texts = [system, ...turns.map(({ text }) => text)];
  return {
    promptVersion: promptVersionOf(system),
    characters: texts.reduce((sum, text) => sum + text.length, 0),
  };
}

/** The stage that the time of a question counts towards. */
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
