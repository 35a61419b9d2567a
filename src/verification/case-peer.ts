import type { Case } from '../contract/agreement.ts';
import type { Peer } from '../contract/trial.ts';
import type { Json } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { looseDifferences, looseReplacements, substitute } from './loose-places.ts';
import type { RunnableCase } from './runnable-cases.ts';

/**
 * A peer that answers a requester's sends from the cases, the current case first; loose values of a request come back
 * in its response as sent.
 *
 * If one task has several cases with the same request, as when a peer is polled until it is done, each send gets the
 * next of them. So do cases without a task example, unless one has exactly this request.
 */
export function casePeer(runnable: readonly RunnableCase[], cases: readonly Case[], own: RunnableCase): Peer {
  const others = cases.filter(({ testCase }) => testCase !== own.testCase);
  const looseOf = (testCase: number) => runnable.find((one) => one.testCase === testCase)?.loose ?? own.loose;
  const isSent = (request: Json) => (one: Case) =>
    looseDifferences(one.request, request, looseOf(one.testCase)).length === 0;
  const conversation = runnable.filter((one) => isSameTask(one, own)).map((one) => one.case);
  return (request, nth, before = []) => {
    const inTurn = (alike: readonly Case[]): Case | undefined => {
      const [first] = alike;
      const times = first && alike.length > 1 ? before.filter((sent) => isSent(sent)(first)).length : 0;
      return alike[Math.min(times, alike.length - 1)];
    };
    const ofTask = conversation.filter(isSent(request));
    const match =
      ofTask.length > 1
        ? inTurn(ofTask)
        : (ofTask[0] ??
          others.find((one) => equalJson(one.request, request)) ??
          inTurn(others.filter(isSent(request))));
    // Answer a wrong first request too: a repair needs to see what the candidate does next.
    if (!match && nth > 1) return { error: { code: 'FAILED', message: '' }, unanswered: true };
    const answering = match ?? own.case;
    return {
      response: substitute(
        answering.response,
        looseReplacements(answering.request, request, looseOf(answering.testCase)),
      ),
    };
  };
}

/** Whether two cases are messages of the same task, in one run. */
export function isSameTask(
  one: Pick<RunnableCase, 'input' | 'output'>,
  other: Pick<RunnableCase, 'input' | 'output'>,
): boolean {
  return equalJson(one.input, other.input) && equalJson(one.output, other.output);
}
