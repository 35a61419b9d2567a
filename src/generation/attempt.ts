import { CompletionError } from '../completion/completion-error.ts';
import { type AttemptVerdict, ask, type Question } from '../job/ask.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { escapedLine } from '../kernel/quote.ts';
import { type Attempted, failed } from './lane-candidate.ts';
import type { LaneContext } from './lane-context.ts';
import { faultCount } from './lane-facts.ts';
import { examine } from './lane-trial.ts';

/** Makes one attempt: asks the model for a module and verifies it. Rejects as `ask` does. */
export async function attempt(question: Question, lanes: LaneContext, deadline: Deadline): Promise<Attempted> {
  try {
    return await ask<Attempted>(question, lanes, deadline, async (completion, number) => {
      const attempted = await examine(completion, number, lanes, deadline);
      if (attempted.kind !== 'failed') return [attempted, verdictOf(attempted)];
      const { code, facts } = attempted;
      lanes.ledger.tell({ type: 'refused', attempt: number, code, faults: faultCount(facts) });
      return [{ ...attempted, attempt: number }, verdictOf(attempted)];
    });
  } catch (error) {
    const isExtended = question.prompt !== lanes.assignment.prompt;
    // An answer that is too long, or that the server withheld, is the candidate's fault: the next one may differ. So is
    // a repair prompt that is too long if the first prompt was not.
    if (error instanceof CompletionError && error.code === 'PLATFORM_MODEL_LENGTH')
      return failed('no-answer', 'CANDIDATE_TOO_LONG', error.message, null);
    if (error instanceof CompletionError && error.code === 'PLATFORM_MODEL_FILTERED')
      return failed('refused', 'CANDIDATE_WITHHELD', error.message, null);
    if (error instanceof CompletionError && error.code === 'PLATFORM_MODEL_PROMPT_TOO_LONG' && isExtended)
      return failed('no-answer', 'CANDIDATE_TOO_LONG', error.message, null);
    throw error;
  }
}

function verdictOf(attempted: Attempted): AttemptVerdict {
  if (attempted.kind === 'verified') return { result: 'verified', passedCases: attempted.cases.length };
  if (attempted.kind === 'declined')
    return {
      result: 'declined',
      passedCases: 0,
      code: 'CANDIDATE_DECLINED',
      message: escapedLine(attempted.reason.slice(0, 1_000)),
    };
  const { result, code, message, tested } = attempted;
  return { result, passedCases: tested?.cases.filter(({ passed }) => passed).length ?? 0, code, message };
}
