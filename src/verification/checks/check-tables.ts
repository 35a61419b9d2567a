import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, Finding, SeenCase } from '../check.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { isMeantFor, isReadOnly } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import { replacedAt, variationsOf } from '../worlds/variations.ts';

const maxVariationsPerCase = 8;

/** Changed requests, and cases of them, that are needed as proof. */
const least = { changes: 6, cases: 2 };

/** Looks for answers taken from the cases, whatever is asked, if nothing in them looks like data. */
export const tables: Check = {
  name: 'tables',
  reason: 'If requests are words and answers are a few names, a table of the cases contains nothing to rename.',
  *run(facts) {
    if (facts.subject.role === 'requester') return { findings: [], skipped: 'the candidate is a requester' };
    const findings: Finding[] = [];
    const deaf = asksNothing(facts);
    const asked = deaf
      ? facts.cases.flatMap((one) =>
          variationsOf(facts, one, maxVariationsPerCase).map(({ input, scenario }) => ({ one, input, scenario })),
        )
      : [];
    const recombined =
      facts.subject.tools.length === 0 ? facts.cases.flatMap((one) => recombinationsOf(facts, one)) : [];
    const plans = [...asked, ...recombined];
    if (plans.length === 0)
      return { findings, skipped: 'tools are asked for what requests hold, and no list could be another' };
    const observations = yield plans.map(({ scenario }) => scenario);
    const runs = plans.map((plan, index) => ({ ...plan, seen: observations[index] as Observation }));
    for (const list of [runs.slice(0, asked.length), runs.slice(asked.length)]) {
      const same = sameForAll(facts, list);
      if (!same) continue;
      findings.push({
        ...factOf(
          mayBeOneRefusal(facts, list) ? 'tables/one-refusal' : 'tables/one-answer',
          same.one,
          `all ${list.length} requests that differ from the cases get the same answer, and no tool is asked for their values`,
        ),
        input: same.input,
        ...(same.seen.value === undefined ? {} : { got: same.seen.value }),
      });
    }
    return { findings };
  },
};

interface Run {
  one: SeenCase;
  input: Json;
  seen: Observation;
}

/** The first of many changed requests with the same answer, if their cases have at least two different ones. */
function sameForAll(facts: CheckFacts, runs: readonly Run[]): Run | undefined {
  const [first] = runs;
  if (!first || runs.length < least.changes) return undefined;
  const plain = runs.map(({ seen, input, one }) => plainOf(seen, input, one));
  const isOne = plain.every((answer) => equalJson(answer, plain[0] ?? null));
  const copy = withoutEchoes(first);
  const isCopied = runs.every((run) => run.seen.value !== undefined && equalJson(withoutEchoes(run), copy));
  if (!isOne && !isCopied) return undefined;
  if (runs.some(({ one, seen }) => !equalJson(callsOf(one.seen), callsOf(seen)) && callsOf(seen).length > 0))
    return undefined;
  const changed = [...new Set(runs.map(({ one }) => one))];
  const [common, ofCase] = isOne
    ? [plain[0] ?? null, (one: SeenCase) => plainOf(one.seen, one.one.input, one)]
    : [copy, ({ one, seen }: SeenCase) => withoutEchoes({ input: one.input, seen })];
  const different = changed.map(ofCase).filter((answer) => !equalJson(answer, common));
  const kinds = different.filter((answer, index) => different.findIndex((other) => equalJson(other, answer)) === index);
  return kinds.length >= least.cases && facts.cases.length >= 3 ? first : undefined;
}

/** An answer without the values that its request has under the same name. */
function withoutEchoes({ input, seen: { value = null } }: Pick<Run, 'input' | 'seen'>): Json {
  if (!isObject(value) || !isObject(input)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name, told]) => !equalJson([told], [input[name] ?? null])));
}

/** The end of a run without echoes: numbers at places where a case echoes one, and texts anywhere. */
function plainOf({ end, value }: Observation, input: Json, { one }: SeenCase): Json {
  if (end !== 'returned' || value === undefined) return [end];
  const asked = new Map(leavesOf(one.input).map((leaf) => [leaf.name, leaf.value]));
  const places = new Set(
    leavesOf(one.output).flatMap((leaf) => (asked.get(leaf.name) === leaf.value ? [leaf.pointer] : [])),
  );
  const texts = new Set(leavesOf(input).flatMap(({ value: leaf }) => (typeof leaf === 'string' ? [leaf] : [])));
  return leavesOf(value).flatMap(({ pointer, value: leaf }) =>
    places.has(pointer) ? [] : [[pointer, typeof leaf === 'string' && texts.has(leaf) ? '\u0001' : leaf]],
  );
}

function callsOf({ calls }: Observation): Json[] {
  return calls.map(({ tool, input }) => [tool, input]);
}

/**
 * Whether no case asks a tool for a value of its request, though at least two cases match examples of a read-only tool.
 */
function asksNothing({ subject, cases }: CheckFacts): boolean {
  const [first] = cases;
  if (!first || cases.some(({ seen }) => !equalJson(callsOf(seen), callsOf(first.seen)))) return false;
  return subject.tools.some(({ name, examples = [] }) => {
    if (!isReadOnly(subject, name)) return false;
    const meant = cases.filter(({ one }) => isMeantFor(examples, one.input));
    return meant.length >= 2;
  });
}

/** A case with the items of a request's list dropped, doubled and reversed, as far as its schema allows. */
function recombinationsOf(
  { subject }: CheckFacts,
  one: SeenCase,
): { one: SeenCase; input: Json; scenario: Scenario }[] {
  const { input } = one.one;
  return listsOf(input).flatMap(({ pointer, items }) => {
    if (items.length < 2) return [];
    const others = [
      items.slice(0, -1),
      items.slice(1),
      [...items, items.at(-1) as Json],
      [...items.slice(1), items[0] as Json],
    ];
    return others.flatMap((list) => {
      const next = replacedAt(input, pointer, list);
      if (
        subject.surface.requestIssues(next).length > 0 ||
        subject.cases.some(({ request }) => equalJson(request, next))
      )
        return [];
      return [{ one, input: next, scenario: { ...caseScenario(subject, one.one), input: next } }];
    });
  });
}

function factOf(rule: Finding['rule'], { one, seen }: SeenCase, message: string): Finding {
  return {
    rule,
    message: `case ${one.testCase}: ${message}`.slice(0, 500),
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
