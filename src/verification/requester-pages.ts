import type { Observation, Scenario } from '../contract/trial.ts';
import { isObject, type Json } from '../kernel/json.ts';
import { EVERY_PAGE, ONE_PAGE } from '../lexicon/ordering.ts';
import type { CheckFact, CheckFacts, SeenCase } from './check.ts';
import { taskSentencesOf } from './documented-answers.ts';

/** Members by which a peer tells where the next page begins. */
const NEXT = /^(?:next|next_?(?:page|cursor|token|key|page_?token)|cursor|continuation(?:_?token)?|page_?token)$/i;

/** Where the page begins that a peer is made to tell of. */
const marker = 'pg-7k2q9x';

/** Cases whose last page another one follows. */
const maxCases = 2;

/** The cases of a requester in which its peer has one page more than there was, where the task wants all pages. */
export function furtherPages({ subject, cases }: CheckFacts): { one: SeenCase; scenario: Scenario }[] {
  const wanted = taskSentencesOf(subject);
  if (!wanted.some((sentence) => EVERY_PAGE.test(sentence)) || wanted.some((sentence) => ONE_PAGE.test(sentence)))
    return [];
  return cases
    .flatMap((one) => {
      const { request, response } = one.one.case;
      const usual = one.scenario.peer;
      if (usual === undefined || one.seen.sends.length !== 1 || !isObject(request) || !isObject(response)) return [];
      const next = Object.keys(response).find((name) => NEXT.test(name) && response[name] === null);
      const asking = Object.keys(request).find((name) => NEXT.test(name) && request[name] === null);
      const hasItems = Object.values(response).some((member) => Array.isArray(member) && member.length > 0);
      if (next === undefined || asking === undefined || !hasItems) return [];
      if (subject.surface.responseIssues({ ...response, [next]: marker }).length > 0) return [];
      const peer: NonNullable<Scenario['peer']> = async (asked, nth) => {
        const isFirst = isObject(asked) && asked[asking] === null;
        const answer = await usual(isObject(asked) ? { ...asked, [asking]: request[asking] as Json } : asked, nth);
        return isFirst && 'response' in answer && isObject(answer.response)
          ? { response: { ...answer.response, [next]: marker } }
          : answer;
      };
      return [{ one, scenario: { ...one.scenario, peer } }];
    })
    .slice(0, maxCases);
}

/** What is lost of a page that a peer told of: `undefined` where it was asked for. */
export function pageLost(
  { one }: { one: SeenCase },
  { end, value, sends }: Observation,
): Omit<CheckFact, 'check'> | undefined {
  if (end !== 'returned' || sends.some(({ request }) => JSON.stringify(request).includes(marker))) return undefined;
  return {
    code: 'CANDIDATE_PAGES_UNREAD',
    message: `case ${one.one.testCase}: the peer says that there are more pages, and nobody asks for them`,
    testCase: one.one.testCase,
    input: one.one.input,
    ...(value === undefined ? {} : { got: value }),
  };
}
