import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { CheckFact, CheckFacts, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { type List, listsOf } from './lists.ts';
import { replacedAt } from './variations.ts';

const maxListsPerCase = 8;

const maxLists = 30;

/** Fewer lists than this, of fewer cases, show nothing. */
const least = { lists: 4, cases: 2 };

/** A case whose request has another list: items left out, in another order, or those of other cases as well. */
export interface RecombinedList {
  seenCase: SeenCase;
  pointer: string;
  items: Json[];
  input: Json;
  scenario: Scenario;
}

/** The cases with lists made of the items of all cases, as far as the request schema allows, where no tool has a part in the answer. */
export function recombinedLists({ subject, cases }: CheckFacts): RecombinedList[] {
  const good = cases.filter(
    ({ one, seen }) => !one.case.negative && reportsFailure(one.output) !== true && seen.calls.length === 0,
  );
  return good
    .flatMap((seenCase) =>
      listsOf(seenCase.one.input).flatMap(({ pointer, items }) => {
        const others = good.flatMap((other) =>
          other === seenCase ? [] : listsOf(other.one.input).filter((list) => list.pointer === pointer),
        );
        return editsOf(items, others)
          .map((list) => ({ items: list, input: replacedAt(seenCase.one.input, pointer, list) }))
          .filter(
            ({ input }) =>
              subject.surface.requestIssues(input).length === 0 &&
              !subject.cases.some(({ request }) => equalJson(request, input)),
          )
          .slice(0, maxListsPerCase)
          .map((list) => ({ ...list, seenCase, pointer, scenario: { ...seenCase.scenario, input: list.input } }));
      }),
    )
    .slice(0, maxLists);
}

function editsOf(items: readonly Json[], others: readonly List[]): Json[][] {
  if (items.length === 0) return [];
  const joined = others.slice(0, 2).flatMap((other) => [
    [...items, ...other.items],
    [...other.items, ...items],
  ]);
  return [items.slice(0, -1), ...joined, items.slice(1), [...items, ...items], [...items.slice(1), items[0] as Json]];
}

function countOfItems(items: readonly Json[], name: string): number | undefined {
  return name === '' ? items.length : undefined;
}

/** What an answer may have of a list: how many items there are, or what their numbers come to. */
const measures: readonly [what: string, of: (items: readonly Json[], name: string) => number | undefined][] = [
  ['the number of items', countOfItems],
  ['the sum', (items, name) => overNumbers(items, name, (all) => all.reduce((sum, one) => sum + one, 0))],
  ['the greatest', (items, name) => overNumbers(items, name, (all) => Math.max(...all))],
  ['the least', (items, name) => overNumbers(items, name, (all) => Math.min(...all))],
  ['the mean', (items, name) => overNumbers(items, name, (all) => all.reduce((sum, one) => sum + one, 0) / all.length)],
];

/** Of the items' numbers under a name; of the items themselves where it is empty. */
function overNumbers(
  items: readonly Json[],
  name: string,
  of: (numbers: readonly number[]) => number,
): number | undefined {
  const numbers = items.map((item) => (name === '' ? item : isObject(item) ? item[name] : undefined));
  return numbers.length > 0 && numbers.every((value) => typeof value === 'number') ? of(numbers) : undefined;
}

/**
 * A place of the answers that has the number of a list's items, their sum or the like in all cases, and in none of many other lists:
 * `undefined` where there is none, and where the request says as well what its list comes to.
 */
export function brokenMeasure(
  lists: readonly RecombinedList[],
  seen: readonly Observation[],
): Omit<CheckFact, 'check'> | undefined {
  const runs = lists.flatMap((list, index) => {
    const observation = seen[index] as Observation;
    return observation.calls.length > 0 ? [] : [{ list, seen: observation }];
  });
  for (const pointer of new Set(lists.map((list) => list.pointer))) {
    const own = runs.filter(({ list }) => list.pointer === pointer);
    const cases = [...new Set(own.map(({ list }) => list.seenCase))];
    if (cases.length < least.cases || cases.some(({ one }) => restates(one.input, pointer))) continue;
    const places = new Set(cases.flatMap(({ one }) => placesOf(one.output)));
    const names = new Set(['', ...cases.flatMap(({ one }) => listAt(one.input, pointer).flatMap(namesOf))]);
    for (const [what, measure] of measures) {
      for (const name of names) {
        const of = (items: readonly Json[]) => measure(items, name);
        for (const place of places) {
          // What is empty or not there may say that a request was turned down.
          const telling = cases.filter(({ one }) => (measured(one.output, place) ?? 0) !== 0);
          const known = telling.map(({ one }) => of(listAt(one.input, pointer)));
          if (new Set(known).size < 2 || known.some((value) => value === undefined)) continue;
          if (!telling.every(({ one }, index) => isAbout(measured(one.output, place), known[index]))) continue;
          const isList = telling.some(({ one }) => Array.isArray(valueAt(one.output, place)));
          // What stands in one row of many is a rank or an amount of its own, however many items the whole has.
          if (measure === countOfItems && /\/\d+\//.test(place)) continue;
          // A case that leaves something out shows that the list is a choice.
          if (isList && telling.length < cases.length) continue;
          const chosen = telling.flatMap(({ one }) => listAt(one.input, pointer));
          const fresh = own.filter(
            ({ list }) =>
              telling.includes(list.seenCase) &&
              (!isList || isPlainChoice(list.items, chosen)) &&
              (of(list.items) ?? 0) !== 0 &&
              !known.some((value) => isNear(value, of(list.items))),
          );
          if (fresh.length < least.lists || new Set(fresh.map(({ list }) => list.seenCase)).size < least.cases)
            continue;
          if (
            fresh.some(
              ({ list, seen: { value } }) => value !== undefined && isAbout(measured(value, place), of(list.items)),
            )
          )
            continue;
          const [first] = fresh;
          if (!first || telling.every(({ one }) => isItemOf(one, pointer, place))) continue;
          const { list } = first;
          return {
            code: 'CANDIDATE_HARD_CODED',
            message: `case ${list.seenCase.one.testCase}: ${place || 'the answer'} has ${what} of ${pointer || 'the list'}${name === '' ? '' : ` by ${name}`} in the cases, and in none of ${fresh.length} other requests`,
            testCase: list.seenCase.one.testCase,
            input: list.input,
            ...(first.seen.value === undefined ? {} : { got: first.seen.value }),
          };
        }
      }
    }
  }
  return undefined;
}

/**
 * Whether a list has nothing but items that other answers have room for, and says nothing twice: one that is made of what fits may leave out
 * the rest, and what was named before.
 */
function isPlainChoice(items: readonly Json[], chosen: readonly Json[]): boolean {
  const words = items.flatMap((item) =>
    leavesOf(item).flatMap(({ name, value }) => (typeof value === 'string' ? [`${name}:${value}`] : [])),
  );
  return new Set(words).size === words.length && items.every((item) => chosen.some((one) => equalJson(one, item)));
}

/** Whether a place of the answer is one of the list itself, which comes back: an item in the middle may be what all are on average. */
function isItemOf({ input, output }: SeenCase['one'], pointer: string, place: string): boolean {
  const value = valueAt(output, place);
  return leavesOf(listAt(input, pointer)).some((leaf) => leaf.value === value && place.endsWith(leaf.pointer));
}

function listAt(input: Json, pointer: string): Json[] {
  const list = valueAt(input, pointer);
  return Array.isArray(list) ? list : [];
}

function namesOf(item: Json): string[] {
  return isObject(item) ? Object.keys(item).filter((name) => typeof item[name] === 'number') : [];
}

/** The numbers and lists of an answer; a code is no number. */
function placesOf(output: Json): string[] {
  const numbers = leavesOf(output).filter(({ name, value }) => typeof value === 'number' && !/code|status/i.test(name));
  return [...numbers, ...listsOf(output)].map(({ pointer }) => pointer);
}

function measured(value: Json, place: string): number | undefined {
  const found = valueAt(value, place);
  return Array.isArray(found) ? found.length : typeof found === 'number' ? found : undefined;
}

/** Whether a number is so near another that an answer may have it by chance; a number of items is another from one on. */
function isNear(known: number | undefined, value: number | undefined): boolean {
  return known === undefined || value === undefined || Math.abs(known - value) < (Number.isInteger(value) ? 1 : 2);
}

/** Whether two numbers are the same but for what rounding makes of one. */
function isAbout(got: number | undefined, wanted: number | undefined): boolean {
  return (
    got !== undefined && wanted !== undefined && Math.abs(got - wanted) <= (Number.isInteger(got) ? 0.999 : 0.0051)
  );
}

/** Whether a request holds a number that others of it come to: where one is changed, it may rightly be turned down. */
export function saysItTwice(input: Json): boolean {
  if (listsOf(input).some(({ pointer }) => restates(input, pointer))) return true;
  const numbers = leavesOf(input)
    .flatMap(({ value }) => (typeof value === 'number' && value > 1 ? [value] : []))
    .slice(0, 12);
  return numbers.some((sum, index) =>
    numbers.some((a, nth) =>
      numbers.some(
        (b, other) =>
          new Set([index, nth, other]).size === 3 && (Math.abs(a + b - sum) < 0.005 || Math.abs(a * b - sum) < 0.005),
      ),
    ),
  );
}

/** Whether a request says outside of its list how many items that has, what they come to, or that nothing was changed. */
function restates(input: Json, pointer: string): boolean {
  const items = listAt(input, pointer);
  const names = ['', ...items.flatMap(namesOf)];
  const known = new Set(names.flatMap((name) => measures.map(([, of]) => of(items, name))));
  return leavesOf(input).some(
    ({ pointer: place, name, value }) =>
      DERIVED_NAME.test(name) || (!place.startsWith(`${pointer}/`) && typeof value === 'number' && known.has(value)),
  );
}
