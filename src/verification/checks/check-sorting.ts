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
    'A list of the request, or of a tool that tells it in any order, is turned round, and a list of the answer that the document has sorted, and whose order its values leave no choice about, holds the same items in another order.',
  uncertain:
    'The same where it is the list of a tool that is turned round and does not say that its order is any: our own tool may keep one of its own.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    if (subject.role === 'requester') return { failures: [], warnings: [], skipped: 'the candidate is a requester' };
    const sentences = sentencesOf(subject.agreement).filter(
      (sentence) => SORTED.test(sentence) && !HIDDEN_ORDER.test(sentence),
    );
    const own = sentences.filter((sentence) => !INCOMING.test(sentence));
    const plans = cases.flatMap((one) => {
      const places = listsOf(one.one.output).flatMap((list) => fixed(list, own));
      if (places.length === 0) return [];
      const asked = own.length === sentences.length ? turnedRequests(facts, one) : [];
      const isOnly = listsOf(one.one.output).filter(({ items }) => items.length > 1).length === 1;
      return [...asked, ...turnedTools(facts, one, isOnly)].map((plan) => ({ ...plan, one, places }));
    });
    if (plans.length === 0)
      return { failures: [], warnings: [], skipped: 'the document fixes the order of no list that could be turned' };
    const seen = yield plans.map(({ scenario }) => scenario);
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const [index, { one, places, what, certain }] of plans.entries()) {
      const value = seen[index]?.value;
      if (value === undefined) continue;
      const place = places.find((list) => isPermuted(list, valueAt(value, list.pointer)));
      const list = certain ? findings.failures : findings.warnings;
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
  const all = values.map((value) => (typeof value === 'string' ? value.toLowerCase() : value));
  const rises = (a: Json | undefined, b: Json): boolean =>
    (typeof a === 'number' && typeof b === 'number' && a < b) ||
    (typeof a === 'string' && typeof b === 'string' && a < b);
  return (
    all.every((value, index) => index === 0 || rises(all[index - 1], value)) ||
    all.every((value, index) => index === 0 || rises(value, all[index - 1] ?? null))
  );
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
}

function turnedRequests({ subject }: CheckFacts, { one }: SeenCase): Plan[] {
  return listsOf(one.input).flatMap(({ pointer, items }) => {
    const input = replacedAt(one.input, pointer, [...items].reverse());
    if (items.length < 2 || subject.surface.requestIssues(input).length > 0) return [];
    const what = `the list at ${pointer || 'the root'} of the request`;
    return [{ scenario: { ...caseScenario(subject, one), input }, what, certain: true }];
  });
}

function turnedTools({ subject }: CheckFacts, { scenario, seen }: SeenCase, isOnly: boolean): Plan[] {
  return seen.calls.flatMap(({ tool, input, output }) => {
    const definition = subject.tools.find(({ name }) => name === tool);
    if (output === undefined || !definition || !isReadOnly(subject, tool) || promisesOrder(definition)) return [];
    return listsOf(output).flatMap(({ pointer, items }) => {
      const turned = replacedAt(output, pointer, [...items].reverse());
      if (items.length < 2 || subject.surface.toolOutputIssues(tool, turned).length > 0) return [];
      const tools = subject.tools.map((other) =>
        other.name === tool ? { ...other, examples: [{ input, output: turned }, ...(other.examples ?? [])] } : other,
      );
      // Of several lists it may be another that the document has sorted.
      const certain = isOnly && ANY_ORDER.test(definition.description ?? '');
      return [{ scenario: { ...scenario, tools }, what: `the list of ${tool}`, certain }];
    });
  });
}

function promisesOrder({ description, inputSchema }: Tool): boolean {
  const names = isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : [];
  const told = (description ?? '').replace(ANY_ORDER, ' ');
  return SORTED.test(told) || /\border\b/i.test(told) || names.some((name) => /sort|order/i.test(name));
}
