import type { Observation, Peer, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { EVERY_PAGE, ONE_PAGE } from '../../lexicon/ordering.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { CheckFact, CheckFacts, SeenCase } from '../check.ts';
import { sentencesOf, taskSentencesOf } from '../prose/documented-answers.ts';

/** Members by which a peer tells where the next page begins. */
const NEXT = /^(?:next|next_?(?:page|cursor|token|key|page_?token)|cursor|continuation(?:_?token)?|page_?token)$/i;

/** Members that ask for what comes after a place, where nothing has been told of one. */
const AFTER = /^(?:after|from|since|start(?:_?(?:at|after|from))?|position)$/i;

/** Where the page begins that a peer is made to tell of. */
const marker = 'pg-7k2q9x';

/** Cases whose last page another one follows. */
const maxCases = 2;

/** A case in which the peer has a page more, and how that one is asked for. */
export interface FurtherPage {
  one: SeenCase;
  scenario: Scenario;
  isAsked(request: Json): boolean;
}

/** The cases of a requester in which its peer has one page more than there was, where the task, or the document, wants all pages. */
export function furtherPages(facts: CheckFacts): FurtherPage[] {
  const { subject, cases } = facts;
  const task = taskSentencesOf(subject);
  const isTask = task.some((sentence) => EVERY_PAGE.test(sentence)) && !task.some((one) => ONE_PAGE.test(one));
  const isDocument = sentencesOf(subject.agreement).some((one) => EVERY_PAGE.test(one) && !ONE_PAGE.test(one));
  if (!isTask && !isDocument) return [];
  return cases
    .filter(({ seen }) => isTask || seen.sends.length > 1)
    .flatMap((one) => afterTheLast(facts, one) ?? countedOn(facts, one) ?? [])
    .slice(0, maxCases);
}

/** Where the last page told that none follows: one that is told to begin at a place of its own. */
function afterTheLast({ subject }: CheckFacts, one: SeenCase): FurtherPage | undefined {
  const usual = one.scenario.peer;
  const { request, response } = one.seen.sends.at(-1) ?? {};
  if (usual === undefined || !isObject(request) || !isObject(response)) return undefined;
  const next = Object.keys(response).find((name) => NEXT.test(name) && response[name] === null);
  if (next === undefined || !hasItems(response)) return undefined;
  const told = one.seen.sends.flatMap((send) => (isObject(send.response) ? (send.response[next] ?? []) : []));
  const asking = Object.keys(request).find((name) =>
    told.length > 0
      ? told.includes(request[name] ?? null)
      : (NEXT.test(name) || AFTER.test(name)) && request[name] === null,
  );
  if (asking === undefined || subject.surface.responseIssues({ ...response, [next]: marker }).length > 0)
    return undefined;
  const last = request[asking] as Json;
  const peer: Peer = async (asked, nth, before) => {
    if (!isObject(asked)) return usual(asked, nth, before);
    const isFurther = asked[asking] === marker;
    const answer = await usual(isFurther ? { ...asked, [asking]: last } : asked, nth, before);
    return !isFurther && equalJson(asked[asking] ?? null, last) && 'response' in answer && isObject(answer.response)
      ? { response: { ...answer.response, [next]: marker } }
      : answer;
  };
  return { one, scenario: { ...one.scenario, peer }, isAsked: (asked) => JSON.stringify(asked).includes(marker) };
}

/** Where pages are asked for by their number and the peer tells how many there are: one more. */
function countedOn({ subject }: CheckFacts, one: SeenCase): FurtherPage | undefined {
  const usual = one.scenario.peer;
  const sends = one.seen.sends.flatMap(({ request, response }) =>
    isObject(request) && isObject(response) ? [{ request, response }] : [],
  );
  const [first] = sends;
  if (usual === undefined || first === undefined) return undefined;
  for (const page of Object.keys(sends.at(-1)?.request ?? {})) {
    const paged = sends.filter(({ request }) => typeof request[page] === 'number');
    const count = paged.length;
    const numbers = new Set(paged.map(({ request }) => request[page]));
    if (count < 2 || numbers.size !== count || !paged.every((_, index) => numbers.has(index + 1))) continue;
    const pages = Object.keys(first.response).find((name) => first.response[name] === count && !NEXT.test(name));
    if (pages === undefined) continue;
    const withMore = (response: JsonObject): JsonObject =>
      response[pages] === count ? { ...response, [pages]: count + 1 } : response;
    if (sends.some(({ response }) => subject.surface.responseIssues(withMore(response)).length > 0)) continue;
    const peer: Peer = async (asked, nth, before) => {
      const isFurther = isObject(asked) && asked[page] === count + 1;
      const answer = await usual(isFurther ? { ...asked, [page]: count } : asked, nth, before);
      return 'response' in answer && isObject(answer.response) ? { response: withMore(answer.response) } : answer;
    };
    const isAsked = (asked: Json) => isObject(asked) && asked[page] === count + 1;
    return { one, scenario: { ...one.scenario, peer }, isAsked };
  }
  return undefined;
}

function hasItems(response: JsonObject): boolean {
  return Object.values(response).some((member) => Array.isArray(member) && member.length > 0);
}

/** What is lost of a page that a peer told of: `undefined` where it was asked for. */
export function pageLost(
  { one, isAsked }: FurtherPage,
  { end, value, sends }: Observation,
): Omit<CheckFact, 'check'> | undefined {
  if (end !== 'returned' || sends.some(({ request }) => isAsked(request))) return undefined;
  return {
    code: 'CANDIDATE_PAGES_UNREAD',
    message: `case ${one.one.testCase}: the peer says that there are more pages, and nobody asks for them`,
    testCase: one.one.testCase,
    input: one.one.input,
    ...(value === undefined ? {} : { got: value }),
  };
}
