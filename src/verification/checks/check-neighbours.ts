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

/** Most byte swaps in one request. */
const maxExchanges = 8;

/** Neighbours needed as proof. */
const minNeighbours = 3;

/** Changes one value of a request at a time, if the answer is computed from the request alone. */
export const neighbours: Check = {
  name: 'neighbours',
  reason:
    'A computed answer differs from one request to the next. A table has only one answer for all requests that it does not contain.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { findings: [] };
    if (facts.subject.role === 'requester') return { ...none, skipped: 'the candidate is a requester' };
    const computed = facts.cases.filter(
      ({ one }) => !one.case.negative && reportsFailure(one.output) !== true && isWorkedOut(facts, one),
    );
    const plans = computed.every(({ one }) => saysItTwice(one.input))
      ? []
      : computed.flatMap((seenCase) => neighboursOf(facts, seenCase));
    if (plans.length < minNeighbours)
      return { ...none, skipped: 'no case has values that its answer could be worked out from' };
    const observations = yield plans.map(({ scenario }) => scenario);
    const fields = new Map<string, NeighbourAnswer[]>();
    for (const [index, variation] of plans.entries()) {
      const observation = observations[index] as Observation;
      const { one, seen: before } = variation.seenCase;
      // A handler may search a tool's answer for the very value that was changed.
      if (before.calls.length + observation.calls.length > 0) continue;
      const field = `${one.testCase} ${variation.pointer}`;
      const answer = plain(observation, variation.input, variation.seenCase);
      const neighbour = {
        variation,
        observation,
        answer,
        isOwn: equalJson(answer, plain(before, one.input, variation.seenCase)),
      };
      fields.set(field, [...(fields.get(field) ?? []), neighbour]);
    }
    // A value that never matters is not a key; one that matters for some changes only is not of a table.
    const keys = [...fields.values()].filter((answers) => !answers.every(({ isOwn }) => isOwn));
    const revealing = keys.flat();
    const [first] = revealing;
    if (!first || revealing.length < minNeighbours) return none;
    const isSame =
      revealing.every(({ answer }) => equalJson(answer, first.answer)) ||
      // What one case only echoes may be in the one answer for all.
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
          message: `all ${revealing.length} requests that differ from a case in one relevant value get the same answer`,
          testCase: first.variation.seenCase.one.testCase,
          input: first.variation.input,
          ...(first.observation.value === undefined ? {} : { got: first.observation.value }),
        },
      ],
    };
  },
};

/** The changed requests of a case whose change should matter. */
function neighboursOf(facts: CheckFacts, seenCase: SeenCase): Variation[] {
  return [
    ...bytesExchanged(facts, seenCase).slice(0, maxExchanges),
    ...numbersInBase64(facts, seenCase).slice(0, maxExchanges),
    ...numbersInText(facts, seenCase),
    ...variationsOf(facts, seenCase, 40),
  ]
    .filter((variation) => counts(facts, variation) && keepsItsForm(variation))
    .slice(0, maxVariationsPerCase);
}

/** The answer to one changed request. */
interface NeighbourAnswer {
  variation: Variation;
  observation: Observation;
  /** The answer without echoes. */
  answer: Json;
  /** Whether this is the answer of the original case. */
  isOwn: boolean;
}

/**
 * Whether a change of this place should matter: a handler may not know its value, and it is not checked against or
 * counted with another one.
 */
function counts({ vocabulary }: CheckFacts, { seenCase, pointer, name }: Variation): boolean {
  const value = valueAt(seenCase.one.input, pointer);
  if (DERIVED_NAME.test(name) || value === undefined || typeof value === 'boolean') return false;
  if (typeof value !== 'string') return true;
  return !vocabulary.hasText(value) && leavesOf(seenCase.one.input).filter((leaf) => leaf.value === value).length === 1;
}

/** Whether a changed text still decodes to bytes if the case's does: all others get the same refusal. */
function keepsItsForm({ seenCase, pointer, input }: Variation): boolean {
  const [before, after] = [valueAt(seenCase.one.input, pointer), valueAt(input, pointer)];
  return typeof before !== 'string' || !isBase64(before) || (typeof after === 'string' && isBase64(after));
}

/** Whether an answer has a number or datum that its request lacks: a yes or no may be the same for all neighbours. */
function isWorkedOut({ vocabulary, cases }: CheckFacts, { input, output }: RunnableCase): boolean {
  const asked = leavesOf(input).map(({ value }) => value);
  const text = asked.map(String).join('\n');
  return leavesOf(output).some(({ pointer, name, value }) => {
    if (typeof value === 'number') return !asked.includes(value) && !/code|status|error|version/i.test(name);
    if (typeof value !== 'string' || asked.includes(value) || vocabulary.hasText(value)) return false;
    if (!/\d/.test(value) && !(pointer === '' && isBase64(value)))
      return pointer !== '' && areComposed(textsAt(cases, pointer), vocabulary);
    // A whole text payload is computed only if it has numbers of its own.
    return pointer !== '' || holdsOtherNumbers(value, text) || (isBase64(value) && isBase64(text));
  });
}

/** Texts without digits, and undocumented ones, that are needed: fewer may be sentences of the handler. */
const [minTexts, minUndocumented] = [3, 2];

/** Whether cases have too many texts at one place for names that the document lists. */
function areComposed(texts: readonly string[], vocabulary: CheckFacts['vocabulary']): boolean {
  return texts.length >= minTexts && texts.filter((text) => !vocabulary.hasText(text)).length >= minUndocumented;
}

/** The different texts of successes at a place that their requests lack. Refusals have sentences of their own. */
function textsAt(cases: CheckFacts['cases'], pointer: string): string[] {
  const texts = cases.flatMap(({ one }) => {
    const value = reportsFailure(one.output) === true ? undefined : valueAt(one.output, pointer);
    return typeof value === 'string' && !leavesOf(one.input).some((leaf) => leaf.value === value) ? [value] : [];
  });
  return [...new Set(texts)];
}

/** Whether a text has numbers that the other lacks. */
function holdsOtherNumbers(answer: string, asked: string): boolean {
  return [...answer.matchAll(/\d+(?:\.\d+)?/g)].some(([digits]) => !asked.includes(digits));
}

function rawOf({ end, value }: Observation): Json {
  return [end, value ?? null];
}

/** The end of a run, with echoes masked. Equal numbers are an echo only if the case has one. */
function plain(seen: Observation, input: Json, { one }: SeenCase): Json {
  if (seen.end !== 'returned' || seen.value === undefined) return [seen.end];
  const asked = new Set(leavesOf(one.input).map(({ value }) => value));
  const places = new Set(leavesOf(one.output).flatMap(({ pointer, value }) => (asked.has(value) ? [pointer] : [])));
  const echoed = new Set(leavesOf(input).map(({ value }) => value));
  return leavesOf(seen.value).flatMap(({ pointer, value }) => {
    // A number at the place of an echo may equal the request's by chance.
    if (typeof value === 'number' && places.has(pointer)) return [];
    return [[pointer, echoed.has(value) && typeof value === 'string' ? '\u0001' : value]];
  });
}
