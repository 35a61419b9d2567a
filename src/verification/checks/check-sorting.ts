import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { ANY_ORDER, HIDDEN_ORDER, INCOMING, SORTED } from '../../lexicon/ordering.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { sentencesOf } from '../prose/documented-answers.ts';
import { hasWord, isIsoTime } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { type List, listsOf } from '../worlds/lists.ts';
import { replacedAt } from '../worlds/variations.ts';

const BY_TIME = /\b(?:newest|oldest|earliest|latest)(?: \p{L}+){0,2} first\b/iu;

/** What the items of a list of single values are sorted by, where that is not the values themselves. */
const BY_OTHER =
  /\b(?:by|of|according to)\s+(?!values?\b|names?\b|codes?\b|the alphabet\b|themselves\b)|(?<!\p{L})(?:nach|por|par|per|по)(?!\p{L})/iu;

/** Turns lists round whose order must not matter, because the document fixes that of the answer. */
export const sorting: Check = {
  name: 'sorting',
  reason: 'Where the agreement fixes the order of a list, it must not be left to the order in which things come in.',
  certain:
    'A list of the request, or of a tool that tells it in any order, by its words or its values, is turned round, and a list of the answer that the document has sorted, and whose order its values leave no choice about, holds the same items in another order; or a list of either is turned round that the answer of a case has in a third order, and the answer is another.',
  uncertain:
    'The same where the document speaks of an order that values do not show, or the list of a tool is turned round that does not say that its order is any: our own tool may keep one of its own.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    const sentences = sentencesOf(subject.agreement).filter(
      (sentence) => SORTED.test(sentence) && !HIDDEN_ORDER.test(sentence),
    );
    const own = sentences.filter((sentence) => !INCOMING.test(sentence));
    // Where anything keeps an order of its own, it may be this list.
    const mayKeepOrder = sentencesOf(subject.agreement).some((sentence) => HIDDEN_ORDER.test(sentence));
    const plans = (subject.role === 'requester' ? [] : cases).flatMap((one) => {
      const places = listsOf(one.one.output).flatMap((list) => fixed(list, own));
      const whole = own.length > 0 && places.length === 0 ? turnedWholes(facts, one) : [];
      if (places.length === 0) return whole.map((plan) => ({ ...plan, one, places }));
      const asked = own.length === sentences.length ? turnedRequests(facts, one) : [];
      const isOnly = listsOf(one.one.output).filter(({ items }) => items.length > 1).length === 1;
      return [...asked, ...turnedTools(facts, one, isOnly, places)].map((plan) => ({ ...plan, one, places }));
    });
    if (plans.length === 0)
      return { failures: [], warnings: [], skipped: 'the document fixes the order of no list that could be turned' };
    const seen = yield plans.map(({ scenario }) => scenario);
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const [index, { one, places, what, certain }] of plans.entries()) {
      const value = seen[index]?.value;
      if (value === undefined) continue;
      if (plans[index]?.isWhole === true) {
        if (equalJson(value, one.one.output) || findings.failures.length > 0) continue;
        findings.failures.push({
          code: 'CANDIDATE_RULE_BROKEN',
          message: `case ${one.one.testCase}: with ${what} turned round, the answer is another, though it is sorted`,
          testCase: one.one.testCase,
          input: plans[index]?.scenario.input ?? null,
          expected: one.one.output,
          got: value,
        });
        continue;
      }
      const place = places.find((list) => isPermuted(list, valueAt(value, list.pointer)));
      const list = certain && !mayKeepOrder ? findings.failures : findings.warnings;
      if (!place || list.length > 0) continue;
      list.push({
        code: 'CANDIDATE_RULE_BROKEN',
        message: `case ${one.one.testCase}: with ${what} turned round, the list at ${place.pointer || 'the root'} comes in another order`,
        testCase: one.one.testCase,
        input: plans[index]?.scenario.input ?? null,
        expected: place.items,
        got: valueAt(value, place.pointer) ?? null,
      });
    }
    return findings;
  },
};

/** A list whose order the document fixes, with what its items are sorted by. */
interface SortedList extends List {
  /** The member by whose values the order can be told; the items themselves where there is none. */
  key?: string;
}

/** The list with what it is sorted by, where one of the sentences speaks of it and its values allow one order alone. */
function fixed(list: List, sentences: readonly string[]): SortedList[] {
  const { name, items } = list;
  if (items.length < 2) return [];
  if (items.every((item) => typeof item === 'number' || typeof item === 'string'))
    return name !== '' &&
      sentences.some((sentence) => hasWord(sentence, name) && !isSortedByOther(sentence, name)) &&
      isStrict(items)
      ? [list]
      : [];
  if (!items.every(isObject)) return [];
  for (const sentence of sentences) {
    const keys = Object.keys(items[0] ?? {}).filter(
      (key) => hasWord(sentence, key) || (BY_TIME.test(sentence) && items.every((item) => isTime(item[key]))),
    );
    const columns = keys.map((key) => ({ key, values: items.map((item) => item[key] ?? null) }));
    const distinct = columns.every(({ values }) => new Set(values.map(String)).size === values.length);
    const key = columns.find(({ values }) => isStrict(values))?.key;
    if (distinct && key !== undefined) return [{ ...list, key }];
    // By what alone the sentence sorts, items of one value are in any order, and the values in one.
    const [only, ...others] = columns;
    if (
      only &&
      others.length === 0 &&
      new Set(only.values).size > 1 &&
      (isRising(only.values) || isRising([...only.values].reverse()))
    )
      return [{ ...list, key: only.key }];
  }
  return [];
}

/** Whether a list of single values is sorted by something else than these. */
function isSortedByOther(sentence: string, name: string): boolean {
  const order = sentence.slice(SORTED.exec(sentence)?.index ?? 0);
  const by = BY_OTHER.exec(order);
  return by !== null && !hasWord(order.slice(by.index), name);
}

function isTime(value: Json | undefined): boolean {
  return typeof value === 'string' && (isIsoTime(value) || /^\d\d:\d\d/.test(value));
}

/** Whether values rise, or fall, from each to the next. */
function isStrict(values: readonly Json[]): boolean {
  const isDistinct = new Set(values.map(String)).size === values.length;
  return isDistinct && (isRising(values) || isRising([...values].reverse()));
}

/** Whether no value is below the one before. */
function isRising(values: readonly Json[]): boolean {
  const all = values.map((value) => (typeof value === 'string' ? value.toLowerCase() : value));
  return all.every((value, index) => {
    const before = index === 0 ? value : all[index - 1];
    return (
      (typeof before === 'number' && typeof value === 'number' && before <= value) ||
      (typeof before === 'string' && typeof value === 'string' && before <= value)
    );
  });
}

/** Whether a list has the values it is sorted by in another order. */
function isPermuted({ items, key }: SortedList, got: Json | undefined): boolean {
  if (!Array.isArray(got) || got.length !== items.length) return false;
  const column = (list: readonly Json[]): string[] =>
    list.map((item) => JSON.stringify(key === undefined ? item : isObject(item) ? (item[key] ?? null) : null));
  const [wanted, found] = [column(items), column(got)];
  return !equalJson(wanted, found) && equalJson([...wanted].sort(), [...found].sort());
}

interface Plan {
  scenario: Scenario;
  what: string;
  certain: boolean;
  /** Whether the whole answer must be that of the case. */
  isWhole?: boolean;
}

/** Fewer items have no other order than the one they come in and that turned round. */
const leastItems = 3;

/** The case with a list turned round that its answer has in a third order: one of the request, or the only one that tools tell. */
function turnedWholes(facts: CheckFacts, one: SeenCase): Plan[] {
  const { input, output, loose } = one.one;
  // Where anything keeps an order of its own, it may be this list.
  if (loose.length > 0 || sentencesOf(facts.subject.agreement).some((sentence) => HIDDEN_ORDER.test(sentence)))
    return [];
  const told = one.seen.calls.flatMap((call) => listsOf(call.output ?? null));
  const asked = one.seen.calls.length === 0 ? listsOf(input) : [];
  const [list, ...others] = [...told, ...asked];
  if (!list || others.length > 0 || list.items.length < leastItems) return [];
  const order = told.length > 0 ? numbersIn(output, list.items) : orderIn(output, list.items);
  if (order === undefined) return [];
  return [...turnedRequests(facts, one), ...turnedTools(facts, one, false, [])].map((plan) => ({
    ...plan,
    certain: true,
    isWhole: true,
  }));
}

/** The numbers of a list that comes in no order, as far as a text has them, where they rise or fall in it. */
function numbersIn(answer: Json, items: readonly Json[]): Json[] | undefined {
  if (typeof answer !== 'string' || new Set(items).size < items.length || !isInNoOrder(items, undefined))
    return undefined;
  const found = [...answer.matchAll(/(?<![\d.,:-])\d+(?![\d.,:-])/g)].map(([digits]) => Number(digits));
  const own = found.filter((number) => items.includes(number));
  const isSorted = isRising(own) || isRising([...own].reverse());
  return own.length > 1 && new Set(own).size === own.length && isSorted ? own : undefined;
}

/** The places of a request's items in an answer's list that names each of them, where that is a third order and no two items are alike in anything. */
function orderIn(answer: Json, items: readonly Json[]): number[] | undefined {
  const objects = items.filter(isObject);
  if (objects.length < items.length) return undefined;
  const names = Object.keys(objects[0] ?? {});
  const isDistinct = names.every(
    (name) => new Set(objects.map((item) => JSON.stringify(item[name] ?? null))).size === objects.length,
  );
  const list = listsOf(answer).find((each) => each.items.length === items.length);
  const key = names.find((name) => objects.every((item) => typeof item[name] === 'string' && item[name].length > 1));
  if (!isDistinct || list === undefined || key === undefined) return undefined;
  const order = list.items.map((item) => objects.findIndex((each) => hasWord(JSON.stringify(item), String(each[key]))));
  if (order.includes(-1) || new Set(order).size < order.length) return undefined;
  return isRising(order) || isRising([...order].reverse()) ? undefined : order;
}

function turnedRequests({ subject }: CheckFacts, { one }: SeenCase): Plan[] {
  return listsOf(one.input).flatMap(({ pointer, items }) => {
    const input = replacedAt(one.input, pointer, [...items].reverse());
    if (items.length < 2 || subject.surface.requestIssues(input).length > 0) return [];
    const what = `the list at ${pointer || 'the root'} of the request`;
    return [{ scenario: { ...caseScenario(subject, one), input }, what, certain: true }];
  });
}

function turnedTools(
  { subject }: CheckFacts,
  { scenario, seen }: SeenCase,
  isOnly: boolean,
  places: readonly SortedList[],
): Plan[] {
  return seen.calls.flatMap(({ tool, input, output }) => {
    const definition = subject.tools.find(({ name }) => name === tool);
    if (output === undefined || !definition || !isReadOnly(subject, tool) || promisesOrder(definition)) return [];
    return listsOf(output).flatMap(({ pointer, items }) => {
      if (items.length < 2) return [];
      // Of several lists it may be another that the document has sorted.
      const isAny = ANY_ORDER.test(definition.description ?? '') || places.some(({ key }) => isInNoOrder(items, key));
      const certain = isOnly && isAny;
      const orders = [[...items].reverse(), ...(certain ? [[...items.slice(1), items[0] as Json]] : [])];
      return orders.flatMap((order) => {
        const turned = replacedAt(output, pointer, order);
        if (subject.surface.toolOutputIssues(tool, turned).length > 0) return [];
        const tools = subject.tools.map((other) =>
          other.name === tool ? { ...other, examples: [{ input, output: turned }, ...(other.examples ?? [])] } : other,
        );
        return [{ scenario: { ...scenario, tools }, what: `the list of ${tool}`, certain }];
      });
    });
  });
}

/** Whether a tool tells what an answer is sorted by neither rising nor falling: no order of its own can be relied on. */
function isInNoOrder(items: readonly Json[], key: string | undefined): boolean {
  const values = items.map((item) => (key === undefined ? item : isObject(item) ? (item[key] ?? null) : null));
  return values.length >= 3 && !values.includes(null) && !isRising(values) && !isRising([...values].reverse());
}

function promisesOrder({ description, inputSchema }: Tool): boolean {
  const names = isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const told = (description ?? '').replace(ANY_ORDER, ' ');
  return SORTED.test(told) || /\border\b/i.test(told) || names.some((name) => /sort|order/i.test(name));
}
