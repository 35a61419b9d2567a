import type { Observation, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import type { RunnableCase } from '../runnable-cases.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { saysItTwice } from '../worlds/says-it-twice.ts';
import {
  bytesExchanged,
  isBase64,
  numbersInBase64,
  numbersInText,
  type Variation,
  variationsOf,
} from '../worlds/variations.ts';

const maxVariationsPerCase = 12;

/** Bytes of one request that change places. */
const maxExchanges = 8;

/** Fewer neighbours than this say nothing. */
const leastNeighbours = 3;

/** Changes one value of a request at a time, where the answer is worked out from the request alone. */
export const neighbours: Check = {
  name: 'neighbours',
  reason:
    'An answer that is worked out differs from one request to the next; a table gives itself away by having only one answer for all that it does not hold.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { findings: [] };
    if (facts.subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const own = facts.cases.filter(
      ({ one }) => !one.case.negative && reportsFailure(one.output) !== true && isWorkedOut(facts, one),
    );
    const plans = own.every(({ one }) => saysItTwice(one.input))
      ? []
      : own.flatMap((seenCase) =>
          [
            ...bytesExchanged(facts, seenCase).slice(0, maxExchanges),
            ...numbersInBase64(facts, seenCase).slice(0, maxExchanges),
            ...numbersInText(facts, seenCase),
            ...variationsOf(facts, seenCase, 40),
          ]
            .filter((variation) => counts(facts, variation) && keepsItsForm(variation))
            .slice(0, maxVariationsPerCase),
        );
    if (plans.length < leastNeighbours)
      return { ...none, skipped: 'no case has values that its answer could be worked out from' };
    const seen = yield plans.map(({ scenario }) => scenario);
    const fields = new Map<string, Told[]>();
    for (const [index, variation] of plans.entries()) {
      const observation = seen[index] as Observation;
      const { one, seen: before } = variation.seenCase;
      // What a tool told may be looked through for the very value that was changed.
      if (before.calls.length + observation.calls.length > 0) continue;
      const field = `${one.testCase} ${variation.pointer}`;
      const answer = plain(observation, variation.input, variation.seenCase);
      const told = {
        variation,
        observation,
        answer,
        isOwn: equalJson(answer, plain(before, one.input, variation.seenCase)),
      };
      fields.set(field, [...(fields.get(field) ?? []), told]);
    }
    // A value that never matters is no key; one that matters for some changes alone belongs to no table.
    const keys = [...fields.values()].filter((told) => !told.every(({ isOwn }) => isOwn));
    const revealing = keys.flat();
    const [first] = revealing;
    if (!first || revealing.length < leastNeighbours) return none;
    const isSame =
      revealing.every(({ answer }) => equalJson(answer, first.answer)) ||
      // What one case merely echoes may be in the one answer for all.
      revealing.every(({ observation }) => equalJson(rawOf(observation), rawOf(first.observation)));
    if (!isSame || revealing.some(({ isOwn }) => isOwn)) return none;
    const isRefused = mayBeOneRefusal(
      facts,
      revealing.map(({ variation, observation }) => ({ input: variation.input, seen: observation })),
    );
    return {
      findings: [
        {
          rule: isRefused ? 'neighbours/one-refusal' : 'neighbours/one-answer',
          message: `all ${revealing.length} requests that differ from a case in a value that matters get one and the same answer`,
          testCase: first.variation.seenCase.one.testCase,
          input: first.variation.input,
          ...(first.observation.value === undefined ? {} : { got: first.observation.value }),
        },
      ],
    };
  },
};

interface Told {
  variation: Variation;
  observation: Observation;
  /** The answer without what it merely echoes. */
  answer: Json;
  /** Whether that is the answer of the unchanged case. */
  isOwn: boolean;
}

/** Whether a change of this place should matter: it is no public property, and nothing that is checked against or counted with another value. */
function counts({ vocabulary }: CheckFacts, { seenCase, pointer, name }: Variation): boolean {
  const value = valueAt(seenCase.one.input, pointer);
  if (DERIVED_NAME.test(name) || value === undefined || typeof value === 'boolean') return false;
  if (typeof value !== 'string') return true;
  return !vocabulary.hasText(value) && leavesOf(seenCase.one.input).filter((leaf) => leaf.value === value).length === 1;
}

/** Whether a changed text can still be read as bytes where the case's can: all others are refused alike. */
function keepsItsForm({ seenCase, pointer, input }: Variation): boolean {
  const [before, after] = [valueAt(seenCase.one.input, pointer), valueAt(input, pointer)];
  return typeof before !== 'string' || !isBase64(before) || (typeof after === 'string' && isBase64(after));
}

/** Whether an answer holds a number or datum that its request does not: a yes or no may well be the same for all neighbours. */
function isWorkedOut({ vocabulary, cases }: CheckFacts, { input, output }: RunnableCase): boolean {
  const asked = leavesOf(input).map(({ value }) => value);
  const text = asked.map(String).join('\n');
  return leavesOf(output).some(({ pointer, name, value }) => {
    if (typeof value === 'number') return !asked.includes(value) && !/code|status|error|version/i.test(name);
    if (typeof value !== 'string' || asked.includes(value) || vocabulary.hasText(value)) return false;
    if (!/\d/.test(value) && !(pointer === '' && isBase64(value)))
      return pointer !== '' && areComposed(textsAt(cases, pointer), vocabulary);
    // A text payload as a whole is worked out only where it holds numbers of its own.
    return pointer !== '' || holdsOtherNumbers(value, text) || (isBase64(value) && isBase64(text));
  });
}

/** Fewer texts without digits than this, and fewer that the document has nowhere, may be sentences of the handler's own. */
const [leastTexts, leastUndocumented] = [3, 2];

/** Whether texts that cases have at one place are too many to be names that the document gives. */
function areComposed(texts: readonly string[], vocabulary: CheckFacts['vocabulary']): boolean {
  return texts.length >= leastTexts && texts.filter((text) => !vocabulary.hasText(text)).length >= leastUndocumented;
}

/** The different texts that successes have at a place and their requests have not: refusals have sentences of their own. */
function textsAt(cases: CheckFacts['cases'], pointer: string): string[] {
  const texts = cases.flatMap(({ one }) => {
    const value = reportsFailure(one.output) === true ? undefined : valueAt(one.output, pointer);
    return typeof value === 'string' && !leavesOf(one.input).some((leaf) => leaf.value === value) ? [value] : [];
  });
  return [...new Set(texts)];
}

/** Whether a text holds numbers that another has not. */
function holdsOtherNumbers(answer: string, asked: string): boolean {
  return [...answer.matchAll(/\d+(?:\.\d+)?/g)].some(([digits]) => !asked.includes(digits));
}

function rawOf({ end, value }: Observation): Json {
  return [end, value ?? null];
}

/** How a run of a case ended, with what it merely echoes blotted out. Equal numbers are an echo only where the case has one. */
function plain(seen: Observation, input: Json, { one }: SeenCase): Json {
  if (seen.end !== 'returned' || seen.value === undefined) return [seen.end];
  const asked = new Set(leavesOf(one.input).map(({ value }) => value));
  const places = new Set(leavesOf(one.output).flatMap(({ pointer, value }) => (asked.has(value) ? [pointer] : [])));
  const echoed = new Set(leavesOf(input).map(({ value }) => value));
  return leavesOf(seen.value).flatMap(({ pointer, value }) => {
    // A number at the place of an echo may be the very one of the request by chance.
    if (typeof value === 'number' && places.has(pointer)) return [];
    return [[pointer, echoed.has(value) && typeof value === 'string' ? '\u0001' : value]];
  });
}
