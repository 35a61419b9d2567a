import { valueAt } from '../../kernel/json.ts';
import type { CheckFacts } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';

/** Members for free text; others may hold one of a few words that only the peer knows. */
const FREE_TEXT =
  /name|title|text|word|phrase|message|subject|author|label|person|user|customer|recipient|sender|note|comment/i;

/**
 * Whether a text of a request is at a free-text member that every successful answer repeats at one place, with
 * different texts in at least two cases: then an answer must repeat any other text too.
 */
export function standsAtRecurringMember({ cases }: CheckFacts, testCase: number, text: string): boolean {
  const successful = cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
  const current = successful.find(({ one }) => one.testCase === testCase);
  if (current === undefined) return false;
  return leavesOf(current.one.input)
    .filter(({ name, value }) => value === text && FREE_TEXT.test(name))
    .some(({ pointer: asked }) =>
      leavesOf(current.one.output).some(({ pointer: answered }) => {
        const pairs = successful.flatMap(({ one }) => {
          const value = valueAt(one.input, asked);
          return typeof value === 'string' ? [[value, valueAt(one.output, answered)] as const] : [];
        });
        return (
          new Set(pairs.map(([value]) => value)).size >= 2 &&
          pairs.every(([value, answer]) => typeof answer === 'string' && hasWord(answer, value))
        );
      }),
    );
}
