import type { Tool, ToolAnswer } from '../../contract/job.ts';
import type { Observation, ObservedCall, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { SOME_ALONE } from '../../lexicon/quantifying.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { type List, listsOf } from '../worlds/lists.ts';
import { type Datum, dataOf, RenameMap } from '../worlds/rename-map.ts';
import { furtherPages, pageLost } from '../worlds/requester-pages.ts';
import { SeededRandom } from '../worlds/seeded-random.ts';
import { replacedAt } from '../worlds/variations.ts';

const MORE = /^(?:has_?more|more|has_?next(?:_?page)?|is_?truncated|truncated)$/i;
const LAST = /^(?:is_?last(?:_?page)?|last|last_?page|complete|completed|done|finished|end|end_?of_?list)$/i;
const NEXT =
  /^(?:next|next_?(?:page|cursor|token|offset|key|page_?token|start)|(?:end_?)?cursor|continuation(?:_?token)?|page_?token)$/i;
const PAGE = /^(?:page|current_?page|page_?(?:number|no|index))$/i;
const PAGES = /^(?:pages|total_?pages|page_?count|num_?pages|last_?page)$/i;

/** Members of an input by which a tool is asked for a later page. */
const ASKING =
  /^(?:page|page_?(?:number|no|index|token)|cursor|after|start|from|offset|skip|start_?(?:at|after|key|index)|next|next_?\w+|token|continuation\w*|position)$/i;

/** Members by which a protocol hands pages on to its peer. */
const PAGED_PROTOCOL =
  /^(?:pages?|page_?\w+|\w*cursor|offset|limit|skip|next|next_?(?:page|token|offset|key)|\w*has_?more|has_?next\w*|per_?page|continuation\w*|page_?token)$/i;

/** Turns the last page of a tool into one that another follows. */
export const paging: Check = {
  name: 'paging',
  reason: 'Examples of tools rarely have more than one page; a handler that stops after the first loses the rest.',
  certain:
    'A tool that tells all the items of the answer says that there are more, and nobody asks for them or they are not in the answer, though the document wants all of them, or every page.',
  uncertain: 'The same where the document does not say that all are wanted, and of the pages of a peer.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    const { subject, cases } = facts;
    const further = furtherPages(facts);
    if (further.length > 0) {
      const seen = yield further.map(({ scenario }) => scenario);
      const lost = further.flatMap((plan, index) => pageLost(plan, seen[index] as Observation) ?? []);
      return { failures: [], warnings: lost };
    }
    if (subject.tools.length === 0) return { ...none, skipped: 'there are no tools' };
    if (handsPagesOn(facts)) return { ...none, skipped: 'the protocol itself has pages' };
    const plans = cases.flatMap((one) => planOf(facts, one));
    if (plans.length === 0) return { ...none, skipped: 'no tool tells that its list is the last page' };
    const seen = yield plans.map(({ scenario }) => scenario);
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const [index, plan] of plans.entries()) {
      const observation = seen[index] as Observation;
      const message = lossOf(plan, observation);
      if (message === undefined) continue;
      (wantsAll(facts, plan) ? findings.failures : findings.warnings).push({
        code: 'CANDIDATE_PAGES_UNREAD',
        message: `case ${plan.one.one.testCase}: ${plan.tool} says that there are more, and ${message}`,
        testCase: plan.one.one.testCase,
        input: plan.one.one.input,
        ...(observation.value === undefined ? {} : { got: observation.value }),
      });
    }
    return findings;
  },
};

interface Plan {
  one: SeenCase;
  tool: string;
  /** The name of the list that goes on. */
  list: string;
  /** Values of the second page of which the answer has the like of the first. */
  wanted: string[];
  scenario: Scenario;
}

function handsPagesOn({ subject }: CheckFacts): boolean {
  return subject.cases.some(({ request, response }) =>
    [...namesOf(request), ...namesOf(response)].some((name) => PAGED_PROTOCOL.test(name)),
  );
}

function namesOf(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(namesOf);
  return isObject(value) ? Object.entries(value).flatMap(([name, item]) => [name, ...namesOf(item)]) : [];
}

/** A case in which the first list that is told to be at its end goes on for one page more. */
function planOf(facts: CheckFacts, one: SeenCase): Plan[] {
  const { subject, vocabulary, taken } = facts;
  for (const call of one.seen.calls) {
    const tool = subject.tools.find(({ name }) => name === call.tool);
    const { output } = call;
    if (!tool || !isObject(output) || !isReadOnly(subject, tool.name) || !canAskOn(tool)) continue;
    const [list, ...others] = listsOf(output).filter(({ items }) => items.length > 0);
    if (!list || others.length > 0) continue;
    const first = followed(output, tool, list.items.length);
    if (!first || subject.surface.toolOutputIssues(tool.name, first).length > 0) continue;
    const map = new RenameMap(
      distinguishing(facts, one, list.items),
      vocabulary,
      taken,
      new SeededRandom(`paging-${tool.name}`),
      'far',
    );
    const fresh = map.json(list.items) as Json[];
    const second = secondPage(output, first, replacedAt(output, list.pointer, fresh) as JsonObject);
    if (subject.surface.toolOutputIssues(tool.name, second).length > 0) continue;
    const wanted = carried(one, list, fresh);
    if (wanted === undefined) continue;
    return [
      {
        one,
        tool: tool.name,
        list: list.name,
        wanted,
        scenario: { ...one.scenario, tools: toolsWith(facts, one, call, map, first, second) },
      },
    ];
  }
  return [];
}

function canAskOn({ inputSchema }: Tool): boolean {
  return (
    isObject(inputSchema) &&
    isObject(inputSchema.properties) &&
    Object.keys(inputSchema.properties).some((name) => ASKING.test(name))
  );
}

/** The last page of a list as one that another follows; `undefined` where nothing says that it is the last. */
function followed(output: JsonObject, { outputSchema }: Tool, items: number): JsonObject | undefined {
  const declared = isObject(outputSchema) && isObject(outputSchema.properties) ? outputSchema.properties : {};
  const told: JsonObject = { ...output };
  let isLast = false;
  const page = Object.entries(output).find(([name, value]) => PAGE.test(name) && typeof value === 'number')?.[1];
  for (const [name, schema] of Object.entries({ ...declared, ...output })) {
    const value = output[name];
    if (MORE.test(name) && value === false) told[name] = true;
    else if (LAST.test(name) && value === true) told[name] = false;
    else if (NEXT.test(name) && (value === null || value === '' || value === undefined)) {
      const kind = isObject(declared[name]) ? declared[name].type : isObject(schema) ? schema.type : undefined;
      const isNumber =
        kind === 'integer' ||
        kind === 'number' ||
        (Array.isArray(kind) && (kind.includes('integer') || kind.includes('number')));
      told[name] = isNumber
        ? /offset|start/i.test(name)
          ? items
          : (typeof page === 'number' ? page : 1) + 1
        : 'q7f2k9';
    } else if (PAGES.test(name) && typeof value === 'number' && value === page) told[name] = value + 1;
    else if (/^(?:total|total_?\w+|count)$/i.test(name) && value === items) {
      told[name] = items * 2;
      continue;
    } else continue;
    isLast = true;
  }
  return isLast ? told : undefined;
}

/** Ids and names that tell the items apart: dates, numbers, and what items share or the request has, may be what they are chosen by. */
function distinguishing({ vocabulary }: CheckFacts, { one }: SeenCase, items: readonly Json[]): Datum[] {
  const asked = JSON.stringify(one.input).toLowerCase();
  return dataOf(leavesOf([...items]), vocabulary).filter(({ value, kind }) => {
    const text = JSON.stringify(value).replace(/^"|"$/g, '').toLowerCase();
    const holders = items.filter((item) => JSON.stringify(item).toLowerCase().includes(text));
    return (kind === 'id' || (kind === 'name' && items.length > 1)) && holders.length === 1 && !asked.includes(text);
  });
}

/** The page after the first: its number is one higher, and so is that of the last one; totals are those of the first. */
function secondPage(last: JsonObject, first: JsonObject, fresh: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => {
      if (PAGE.test(name) && typeof value === 'number') return [name, value + 1];
      return [name, typeof last[name] === 'number' ? (first[name] ?? value) : value];
    }),
  );
}

/** What of a second page must be in an answer that has the like of every item of the first; `undefined` where it has not. */
function carried({ one, seen }: SeenCase, { items }: List, fresh: readonly Json[]): string[] | undefined {
  const answers: Json = [one.output, ...seen.sends.map(({ request }) => request)];
  const answer = JSON.stringify(answers);
  const wanted: string[] = [];
  for (const [index, item] of items.entries()) {
    const next = leavesOf(fresh[index] ?? null);
    const shown = leavesOf(item).flatMap(({ value }, nth) => {
      const other = next[nth]?.value;
      return typeof value === 'string' &&
        value.length >= 3 &&
        typeof other === 'string' &&
        other !== value &&
        answer.includes(JSON.stringify(value).slice(1, -1))
        ? [other]
        : [];
    });
    const [first] = shown;
    if (first === undefined) return sums(one.output, items) ? [] : undefined;
    wanted.push(first);
  }
  // One item alone may be what was looked for, unless the answer has it in a list.
  return items.length > 1 ||
    answers.flatMap((value) => listsOf(value)).some((list) => list.items.length === 1) ||
    sums(one.output, items)
    ? wanted
    : undefined;
}

/** Whether an answer has the number of two items or more, or the sum of what all of them have under one name. */
function sums(output: Json, items: readonly Json[]): boolean {
  if (items.length < 2) return false;
  const numbers = leavesOf(output).flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  const names = items.every(isObject) ? Object.keys(items[0] as JsonObject) : [];
  const totals = names.flatMap((name) => {
    const values = items.map((item) => (item as JsonObject)[name]);
    return values.every((value) => typeof value === 'number')
      ? [(values as number[]).reduce((sum, value) => sum + value, 0)]
      : [];
  });
  return numbers.some((number) => number === items.length || totals.some((total) => Math.abs(total - number) < 0.006));
}

/** The tools of a case with one call answered by a first page, and any other input that no call of the case had by a second. */
function toolsWith(
  { subject }: CheckFacts,
  one: SeenCase,
  call: ObservedCall,
  map: RenameMap,
  first: Json,
  second: Json,
): Scenario['tools'] {
  return subject.tools.map((tool) => {
    const examples = tool.examples ?? [];
    if (tool.name !== call.tool) {
      const renamed = examples.map((example) => {
        const answer: ToolAnswer =
          'output' in example ? { output: map.json(example.output) } : { error: example.error };
        return { input: map.json(example.input), ...answer };
      });
      return { ...tool, examples: [...examples, ...renamed] };
    }
    const used = examples.filter(
      (example) =>
        !equalJson(example.input, call.input) &&
        one.seen.calls.some((other) => other.tool === tool.name && equalJson(other.input, example.input)),
    );
    return { ...tool, examples: [{ input: call.input, output: first }, ...used], otherwise: { output: second } };
  });
}

function lossOf({ one, tool, wanted }: Plan, seen: Observation): string | undefined {
  const count = (whose: Observation) => whose.calls.filter((call) => call.tool === tool).length;
  if (seen.end === 'timed-out' || seen.end === 'killed' || seen.end === 'out-of-memory')
    return `the run ended as "${seen.end}"`;
  if (seen.end !== 'returned' || seen.value === undefined) return undefined;
  if (count(seen) <= count(one.seen)) return 'nobody asks for them';
  const answer = JSON.stringify([seen.value, ...seen.sends.map(({ request }) => request)]);
  const lost = wanted.find((value) => !answer.includes(JSON.stringify(value).slice(1, -1)));
  return lost === undefined ? undefined : `${JSON.stringify(lost)} of the second page is not in the answer`;
}

/** Whether the document wants every page, or all of what the list, its tool or its answer is called. */
function wantsAll({ subject }: CheckFacts, { one, tool, list }: Plan): boolean {
  const text = `${subject.agreement.text}\n${subject.task?.description ?? ''}`;
  if (/\b(?:every|all(?: (?:of )?the)?) pages?\b|\bpage by page\b|所有(?:分)?页|全部(?:分)?页|每一页/i.test(text))
    return true;
  if (SOME_ALONE.test(text)) return false;
  const words = [list, tool, ...listsOf(one.one.output).map(({ name }) => name)]
    .flatMap((name) => name.split(/(?=[A-Z])|[_\-\s]/))
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 2 && !/^(?:list|get|find|read|fetch|search|query|all|by)$/.test(word));
  const nouns = [...new Set(words.map((word) => word.replace(/(?:ies|es|s)$/, '')))].filter((noun) => noun.length > 2);
  return nouns.some((noun) =>
    new RegExp(
      String.raw`\b(?:all|every|each of|complete list of|full list of)\b(?: \p{L}+){0,3} ${noun}(?:s|es|ies|y)?\b`,
      'iu',
    ).test(text),
  );
}
