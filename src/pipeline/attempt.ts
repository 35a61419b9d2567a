import { CompletionError } from '../completion/completion-error.ts';
import type { Completion, Heard, Prompt } from '../contract/completion.ts';
import type { AttemptReport } from '../contract/outcome.ts';
import { visibleText } from '../families/quote.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { codeOf } from '../kernel/errors.ts';
import type { Asked } from './budget.ts';
import { type Attempted, failed } from './lane-candidate.ts';
import { faultCount } from './lane-facts.ts';
import { examine } from './lane-trial.ts';
import type { Work } from './lane-work.ts';
import { noUsage } from './ledger.ts';

/** One question to the model. */
export interface Question {
  prompt: Prompt;
  asked: Asked;
  /** Whether it carries a candidate and what happened to it. */
  repair: boolean;
  /** Called as soon as the answer is there. */
  onAnswer?: (() => void) | undefined;
  /** Called with each piece of it, by its characters. */
  onHeard?: Heard | undefined;
}

/** What a completion was good for, as its report says it. */
type Verdict = Pick<AttemptReport, 'result' | 'passedCases' | 'code' | 'message'>;

/** Makes one attempt: asks the model for a module and puts it to the test. Rejects as `ask` does. */
export async function attempt(question: Question, work: Work, deadline: Deadline): Promise<Attempted> {
  try {
    return await ask(question, work, deadline, async (completion, number) => {
      const examined = await examine(completion, number, work, deadline.signal);
      const attempted = examined.kind === 'appealed' && !question.repair ? groundless() : examined;
      if (attempted.kind === 'failed') {
        const { code, facts } = attempted;
        work.ledger.tell({ type: 'refused', attempt: number, code, faults: faultCount(facts) });
      }
      return [attempted, verdictOf(attempted)];
    });
  } catch (error) {
    const isExtended = question.prompt !== work.brief.prompt;
    // An answer that outgrew its limit, or that the server withheld, is a candidate's fault: the next one may be another. So is a repair that the model
    // cannot hold, where it held the question.
    if (error instanceof CompletionError && error.code === 'PLATFORM_MODEL_LENGTH')
      return failed('no-answer', 'CANDIDATE_TOO_LONG', error.message, null);
    if (error instanceof CompletionError && error.code === 'PLATFORM_MODEL_FILTERED')
      return failed('refused', 'CANDIDATE_WITHHELD', error.message, null);
    if (error instanceof CompletionError && error.code === 'PLATFORM_MODEL_PROMPT_TOO_LONG' && isExtended)
      return failed('no-answer', 'CANDIDATE_TOO_LONG', error.message, null);
    throw error;
  }
}

/**
 * Asks the model one question and reports it, whatever comes of it. Rejects with `BudgetUsedUp` where the job may not ask any more, with
 * `PLATFORM_…` and `OPERATOR_…` faults, and with the deadline's reason when called off.
 */
export async function ask<Value>(
  { prompt, asked, repair, onAnswer, onHeard }: Question,
  { shop, ledger, budget }: Work,
  deadline: Deadline,
  use: (completion: Completion, number: number) => Promise<[Value, Verdict]>,
): Promise<Value> {
  deadline.signal.throwIfAborted();
  const receipt = budget.take(asked, prompt);
  const number = ledger.nextAttempt();
  const startedAt = performance.now();
  ledger.tell({ type: 'prompted', attempt: number, repair, ...(asked === 'judge' ? { judge: true } : {}) });
  const book = (verdict: Verdict, usage: AttemptReport['usage'], model: string) => {
    ledger.attempts.push({
      attempt: number,
      model,
      ...verdict,
      usage,
      durationMs: Math.round(performance.now() - startedAt),
    });
    const { result, code, message } = verdict;
    // What is wrong with a candidate quotes it, and a server that refuses a prompt may do so too; what an operator has to mend does not.
    const isForOperator = code?.startsWith('OPERATOR_') === true;
    const reason = result === 'no-answer' && code ? { code, ...(isForOperator && message ? { message } : {}) } : {};
    ledger.tell({ type: 'attempted', attempt: number, result, ...reason });
  };
  let completion: Completion | undefined;
  try {
    const answer = await ledger.stage('complete', () =>
      shop.completer.complete(prompt, deadline, receipt.mayRepeat, onHeard),
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
    const usage = completion?.usage ?? (error instanceof CompletionError ? error.usage : undefined) ?? noUsage;
    if (completion === undefined) receipt.book(usage);
    book(faultOf(error, deadline), usage, completion?.model ?? shop.model);
    if (deadline.signal.aborted) ledger.tell({ type: 'dropped', attempt: number });
    throw error;
  }
}

/** An appeal where nothing was held against anybody. */
function groundless(): Attempted {
  const message = 'The model appealed, and no finding had been put to it';
  return failed('declined', 'CANDIDATE_DECLINED', message, null);
}

function faultOf(error: unknown, { signal }: Deadline): Verdict {
  if (signal.aborted) return { result: 'aborted', passedCases: 0 };
  const code = codeOf(error);
  return {
    result: code === 'PLATFORM_MODEL_FILTERED' ? 'refused' : 'no-answer',
    passedCases: 0,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof Error ? { message: error.message.slice(0, 1_000) } : {}),
  };
}

function verdictOf(attempted: Attempted): Verdict {
  if (attempted.kind === 'verified') return { result: 'verified', passedCases: attempted.cases.length };
  if (attempted.kind === 'declined' || attempted.kind === 'appealed')
    return {
      result: 'declined',
      passedCases: 0,
      code: 'CANDIDATE_DECLINED',
      message: visibleText(attempted.reason.slice(0, 1_000)),
    };
  const { result, code, message, tested } = attempted;
  return { result, passedCases: tested?.cases.filter(({ passed }) => passed).length ?? 0, code, message };
}
