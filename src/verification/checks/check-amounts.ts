import type { Observation, Scenario } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { sentencesOf } from '../prose/documented-answers.ts';
import { listsOf } from '../worlds/lists.ts';
import { replacedAt } from '../worlds/variations.ts';

/** Members that say how many items are wanted. */
const WANTED =
  /^(?:limit|page_?size|per_?page|max_?(?:results|items|entries|hits|count)|top|take|page_?limit|result_?limit)$/i;

/** Asks for fewer items than a case has in its answer. */
export const amounts: Check = {
  name: 'amounts',
  reason:
    'A handler may have the number of items that the cases ask for in its source, and pay no heed to the request.',
  certain:
    'A request that differs from a case in nothing but a smaller number of items wanted, which no answer of a case goes beyond, gets the very same items, and no tool is asked for fewer.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    if (facts.subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const plans = facts.cases.flatMap((one) => plansOf(facts, one));
    if (plans.length === 0) return { ...none, skipped: 'no request says how many items are wanted' };
    const seen = yield plans.map(({ scenario }) => scenario);
    const failures = plans.flatMap(({ one, name, wanted, pointer, input }, index): CheckFindings['failures'] => {
      const { end, value, calls } = seen[index] as Observation;
      const items = value === undefined ? undefined : listsOf(value).find((list) => list.pointer === pointer)?.items;
      const before = listsOf(one.one.output).find((list) => list.pointer === pointer)?.items;
      const isAsked = !equalJson(inputsOf(calls), inputsOf(one.seen.calls));
      if (end !== 'returned' || items === undefined || isAsked || !equalJson(items, before ?? null)) return [];
      return [
        {
          code: 'CANDIDATE_RULE_BROKEN',
          message: `case ${one.one.testCase}: with ${name} ${wanted} the answer still has all ${items.length} items of ${pointer}`,
          testCase: one.one.testCase,
          input,
          ...(value === undefined ? {} : { got: value }),
        },
      ];
    });
    return { failures: failures.slice(0, 5), warnings: [] };
  },
};

function inputsOf(calls: Observation['calls']): Json {
  return calls.map(({ tool, input }) => [tool, input]);
}

interface Plan {
  one: SeenCase;
  name: string;
  wanted: number;
  /** The list of the answer. */
  pointer: string;
  input: Json;
  scenario: Scenario;
}

/** A success with fewer items wanted than its only list has. */
function plansOf(facts: CheckFacts, one: SeenCase): Plan[] {
  const { input, output } = one.one;
  if (!isObject(input) || one.one.case.negative || reportsFailure(output) === true) return [];
  const [list, ...others] = listsOf(output).filter(({ items }) => items.length > 0);
  if (!list || others.length > 0 || list.items.length < 2) return [];
  return Object.entries(input).flatMap(([name, value]): Plan[] => {
    if (!WANTED.test(name) || typeof value !== 'number' || !bounds(facts, name, list.pointer)) return [];
    const wanted = list.items.length - 1;
    const next = replacedAt(input, `/${escapeToken(name)}`, wanted);
    if (facts.subject.surface.requestIssues(next).length > 0 || isRaised(facts, name, wanted)) return [];
    return [
      {
        one,
        name,
        wanted,
        pointer: list.pointer,
        input: next,
        scenario: { ...caseScenario(facts.subject, one.one), input: next },
      },
    ];
  });
}

/** Whether the document may have so small a number raised. */
function isRaised({ subject }: CheckFacts, name: string, wanted: number): boolean {
  const least =
    /(?:\b(?:below|(?:less|fewer|smaller|lower) than|under|at least|minimum(?: of)?|from)|小于|低于|至少)[^\d\n]{0,4}(\d+)/giu;
  return sentencesOf(subject.agreement).some(
    (sentence) =>
      sentence.includes(name) && [...sentence.matchAll(least)].some(([, number]) => Number(number) > wanted),
  );
}

/** Whether no answer of a case has more items than its request wants, and one has just as many: a request for none proves nothing. */
function bounds({ cases }: CheckFacts, name: string, pointer: string): boolean {
  const sizes = cases.flatMap(({ one: { input, output } }) => {
    const wanted = isObject(input) ? input[name] : undefined;
    const list = listsOf(output).find((other) => other.pointer === pointer);
    return typeof wanted === 'number' && list ? [{ wanted, size: list.items.length }] : [];
  });
  return (
    sizes.every(({ wanted, size }) => size <= wanted) && sizes.some(({ wanted, size }) => size > 0 && size === wanted)
  );
}
