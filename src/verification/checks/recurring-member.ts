import { valueAt } from '../../kernel/json.ts';
import type { CheckFacts } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';

/** Members that anything may be written into; others may hold one of a few words that only the peer knows. */
const FREE_TEXT =
  /name|title|text|word|phrase|message|subject|author|label|person|user|customer|recipient|sender|note|comment/i;

/**
 * Says whether a text of a request stands at a member for free text which every successful answer repeats at one and the same place, as at least two cases
 * show with different texts: then any other text there must be repeated as well.
 */
export function standsAtRecurringMember({ cases }: CheckFacts, testCase: number, text: string): boolean {
  const successful = cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
  const own = successful.find(({ one }) => one.testCase === testCase);
  if (own === undefined) return false;
  return leavesOf(own.one.input)
    .filter(({ name, value }) => value === text && FREE_TEXT.test(name))
    .some(({ pointer: asked }) =>
      leavesOf(own.one.output).some(({ pointer: answered }) => {
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
