import { fencedBlocks } from '../completion/fenced-blocks.ts';
import type { Completion, Prompt } from '../contract/completion.ts';
import { ask } from '../job/ask.ts';
import { BudgetUsedUp } from '../job/budget.ts';
import type { Deadline } from '../kernel/deadline.ts';
import { codeOf } from '../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { cut } from '../prompting/cut.ts';
import {
  renderCaseQuestion,
  renderContradictionQuestion,
  renderControlQuestion,
  renderTogetherQuestion,
} from '../prompting/judge-prompt.ts';
import { quoteStands } from '../prompting/quote-stands.ts';
import type { Suspicion } from './blame-suspicion.ts';
import type { LaneContext } from './lane-context.ts';

/** Most characters of a judge's answer that are kept. */
const maxToldCharacters = 4_000;

/**
 * Asks a judge about a suspected case, twice, with the answers in swapped order. `true` only if both answers
 * choose the candidates' response and quote the document.
 */
export async function isCaseWrong({ testCase, answer, calls }: Suspicion, lanes: LaneContext, deadline: Deadline) {
  const { agreement } = lanes.assignment.cleared;
  const agreed = agreement.cases.find((one) => one.testCase === testCase);
  if (agreed === undefined) return false;
  const question = { document: agreement.text, request: agreed.request, calls };
  const answers = await Promise.all([
    askJudge(renderCaseQuestion({ ...question, answers: [agreed.response, answer] }), lanes, deadline),
    askJudge(renderCaseQuestion({ ...question, answers: [answer, agreed.response] }), lanes, deadline),
  ]);
  return [2, 1].every(
    (right, index) => answers[index]?.right === right && isQuoteFrom(agreement.text, answers[index]?.quote),
  );
}

/**
 * Two passages that a judge finds contradictory, each quoted word for word. `null` if it finds none. Also
 * `null` if it does not confirm them in a second question, or finds a contradiction in a control text that has
 * none.
 */
export async function contradictionIn(lanes: LaneContext, withCases: boolean, deadline: Deadline) {
  const { text, caseText } = lanes.assignment.cleared.agreement;
  const cases = withCases ? caseText : null;
  if (withCases && cases === null) return null;
  const answer = await askJudge(renderContradictionQuestion(text, cases), lanes, deadline);
  const { contradiction, quote, against } = answer ?? {};
  if (contradiction !== true || !isQuoteFrom(text, quote) || !isQuoteFrom(cases ?? text, against)) return null;
  if (isQuoteFrom(quote, against) || isQuoteFrom(against, quote)) return null;
  const [opposite, control] = await Promise.all([
    askJudge(renderTogetherQuestion(text, cases, [against, quote]), lanes, deadline),
    askJudge(renderControlQuestion(), lanes, deadline),
  ]);
  return opposite?.together === false && control?.contradiction === false ? { quote, against } : null;
}

/** Asks a judge one question; `null` if no answer can be had. A missing answer confirms nothing. */
export async function askJudge(prompt: Prompt, lanes: LaneContext, deadline: Deadline): Promise<JsonObject | null> {
  try {
    return await ask({ prompt, purpose: 'judge' }, lanes, deadline, async (completion, attempt) => {
      lanes.ledger.tell({ type: 'judged', attempt, detail: { answer: cut(completion.text, maxToldCharacters) } });
      return [answerIn(completion), { result: 'judged', passedCases: 0 }];
    });
  } catch (error) {
    const isAborted = deadline.signal.aborted && !deadline.passed;
    if (error instanceof BudgetUsedUp || (isModelFault(error) && !isAborted)) return null;
    throw error;
  }
}

function isModelFault(error: unknown): boolean {
  return /^(?:PLATFORM|OPERATOR)_/.test(codeOf(error) ?? '');
}

function answerIn({ text }: Completion): JsonObject | null {
  for (const { content, language } of fencedBlocks(text)) {
    if (language !== 'json' && language !== '') continue;
    try {
      const value: Json = JSON.parse(content);
      if (isObject(value)) return value;
    } catch {
      // This block is not the answer.
    }
  }
  return null;
}

/** Whether a judge's quote is a string that occurs in the document. */
export function isQuoteFrom(document: string, quote: Json | undefined): quote is string {
  return typeof quote === 'string' && quoteStands(document, quote);
}
