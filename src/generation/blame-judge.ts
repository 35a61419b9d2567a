import { fencedBlocks } from '../completion/fenced-blocks.ts';
import type { Completion, Prompt } from '../contract/completion.ts';
import { ask } from '../job/ask.ts';
import { BudgetUsedUp } from '../job/budget.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { codeOf } from '../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import {
  renderCaseQuestion,
  renderContradictionQuestion,
  renderControlQuestion,
  renderTogetherQuestion,
} from '../prompting/judge-prompt.ts';
import { quoteStands } from '../prompting/quote-stands.ts';
import type { Suspicion } from './blame-suspicion.ts';
import type { LaneContext } from './lane-context.ts';

/**
 * Puts a suspected case before a judge, twice, with the answers in swapped order. `true` only where both times the candidates' answer is named as the
 * right one, with words that stand in the document.
 */
export async function isCaseWrong({ testCase, answer, calls }: Suspicion, lanes: LaneContext, deadline: Deadline) {
  const { agreement } = lanes.assignment.cleared;
  const agreed = agreement.cases.find((one) => one.testCase === testCase);
  if (agreed === undefined) return false;
  const question = { document: agreement.text, request: agreed.request, calls };
  const said = await Promise.all([
    askJudge(renderCaseQuestion({ ...question, answers: [agreed.response, answer] }), lanes, deadline),
    askJudge(renderCaseQuestion({ ...question, answers: [answer, agreed.response] }), lanes, deadline),
  ]);
  return [2, 1].every((right, index) => said[index]?.right === right && standsIn(agreement.text, said[index]?.quote));
}

/**
 * Two passages that a judge finds irreconcilable, each standing word for word where it says; `null` where it finds none, or where
 * it affirms the opposite as well, or finds a contradiction where there is none.
 */
export async function contradictionIn(lanes: LaneContext, withCases: boolean, deadline: Deadline) {
  const { text, caseText } = lanes.assignment.cleared.agreement;
  const cases = withCases ? caseText : null;
  if (withCases && cases === null) return null;
  const said = await askJudge(renderContradictionQuestion(text, cases), lanes, deadline);
  const { contradiction, quote, against } = said ?? {};
  if (contradiction !== true || !standsIn(text, quote) || !standsIn(cases ?? text, against)) return null;
  if (standsIn(quote, against) || standsIn(against, quote)) return null;
  const [opposite, control] = await Promise.all([
    askJudge(renderTogetherQuestion(text, cases, [against, quote]), lanes, deadline),
    askJudge(renderControlQuestion(), lanes, deadline),
  ]);
  return opposite?.together === false && control?.contradiction === false ? { quote, against } : null;
}

/** Asks a judge one question; `null` where there is no answer to be had: whoever cannot be heard confirms nothing. */
export async function askJudge(prompt: Prompt, lanes: LaneContext, deadline: Deadline): Promise<JsonObject | null> {
  try {
    return await ask({ prompt, purpose: 'judge' }, lanes, deadline, async (completion) => [
      answerIn(completion),
      { result: 'judged', passedCases: 0 },
    ]);
  } catch (error) {
    const calledOff = deadline.signal.aborted && !deadline.passed;
    if (error instanceof BudgetUsedUp || (isOfModel(error) && !calledOff)) return null;
    throw error;
  }
}

function isOfModel(error: unknown): boolean {
  return /^(?:PLATFORM|OPERATOR)_/.test(codeOf(error) ?? '');
}

function answerIn({ text }: Completion): JsonObject | null {
  for (const { content, language } of fencedBlocks(text)) {
    if (language !== 'json' && language !== '') continue;
    try {
      const value: Json = JSON.parse(content);
      if (isObject(value)) return value;
    } catch {
      // Not the answer.
    }
  }
  return null;
}

/** Says whether what a judge quotes is a text that stands in the document. */
export function standsIn(document: string, quote: Json | undefined): quote is string {
  return typeof quote === 'string' && quoteStands(document, quote);
}
