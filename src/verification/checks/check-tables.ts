import type { Observation, Scenario } from '../../contract/trial.ts';
import { escapeToken, isObject, type Json } from '../../kernel/json.ts';
import { FAILURE } from '../../lexicon/failing.ts';
import { DEPENDING } from '../../lexicon/qualifying.ts';
import { SENT_BACK } from '../../lexicon/repeating.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { excerpt, sentencesOf } from '../prose/documented-answers.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import { replacedAt, variationsOf, variedScalars } from '../worlds/variations.ts';
import { miscountedItems } from './miscounted-items.ts';

const maxVariationsPerCase = 8;
const maxEchoCases = 4;

/** Fewer changed requests than this, to fewer cases, do not show that all are answered alike. */
const least = { changes: 6, cases: 2 };

/** Looks for answers that come from the cases themselves, whatever is asked, where nothing in them looks like data. */
export const tables: Check = {
  name: 'tables',
  reason:
    'Where requests are words and answers are a few names, a table of the cases holds nothing that could be renamed.',
  certain:
    'No tool is ever asked for what a request holds, though examples of a tool are those of the cases, and all requests but the cases get one and the same answer; or all requests whose lists are those of cases, with an item less, twice or in another order, get one and the same; or an answer repeats a member of another case than the one it is asked about, though that member was not changed; or nothing ever matters but a member that is only there to be sent back; or the document has a tool used for whatever succeeds, and it is never called; or whatever answer of whichever check has more items of the kind that it counts, by a sentence and in all cases, than it says.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const findings: CheckFindings = { failures: [], warnings: [] };
    if (facts.subject.role === 'requester') return { ...findings, skipped: 'the candidate is a requester' };
    const uncalled = uncalledTool(facts);
    if (uncalled) {
      findings.failures.push(
        factOf(uncalled.one, `it succeeds without ${uncalled.tool}, though "${uncalled.sentence}"`),
      );
      findings.memorised = true;
    }
    const deaf = asksNothing(facts);
    const asked = deaf
      ? facts.cases.flatMap((one) =>
          variationsOf(facts, one, maxVariationsPerCase).map(({ input, scenario }) => ({ one, input, scenario })),
        )
      : [];
    const recombined =
      facts.subject.tools.length === 0 ? facts.cases.flatMap((one) => recombinationsOf(facts, one)) : [];
    const echoes = echoesOf(facts);
    const beside =
      echoes.length > 0
        ? facts.cases.slice(0, maxEchoCases).flatMap((one) =>
            variationsOf(facts, one, maxVariationsPerCase)
              .filter(({ pointer }) => !echoes.some((name) => pointer === `/${escapeToken(name)}`))
              .slice(0, maxVariationsPerCase / 2)
              .map(({ pointer, input, scenario }) => ({ one, pointer, input, scenario })),
          )
        : [];
    const plans = [...asked, ...recombined, ...beside];
    if (plans.length === 0) return findings;
    const seen = yield plans.map(({ scenario }) => scenario);
    const runs = plans.map((plan, index) => ({ ...plan, seen: seen[index] as Observation }));
    const stale = runs.find((run) => echoes.some((name) => isStale(facts, run, name)));
    if (stale) {
      findings.failures.push({
        ...factOf(stale.one, 'with another value elsewhere, the answer repeats what the request of another case has'),
        input: stale.input,
        ...(stale.seen.value === undefined ? {} : { got: stale.seen.value }),
      });
      findings.memorised = true;
    }
    const keyed = echoes.find((name) => isCorrelation(facts, name));
    if (keyed !== undefined && isDeafBeside(facts, runs.slice(asked.length + recombined.length), beside)) {
      const others = otherIds(facts, keyed);
      const after = others.length < least.cases ? [] : yield others.map(({ scenario }) => scenario);
      const same = sameForAll(
        facts,
        others.map((plan, index) => ({ ...plan, seen: after[index] as Observation })),
        least.cases,
      );
      if (same) {
        findings.failures.push({
          ...factOf(same.one, `nothing but ${keyed} of a request ever matters, which is there to be sent back`),
          input: same.input,
          ...(same.seen.value === undefined ? {} : { got: same.seen.value }),
        });
        findings.memorised = true;
      }
    }
    for (const list of [runs.slice(0, asked.length), runs.slice(asked.length, asked.length + recombined.length)]) {
      const same = sameForAll(facts, list);
      if (!same) continue;
      findings.failures.push({
        ...factOf(
          same.one,
          `all ${list.length} requests that differ from the cases get one and the same answer, and no tool is asked for what they hold`,
        ),
        input: same.input,
        ...(same.seen.value === undefined ? {} : { got: same.seen.value }),
      });
      findings.memorised = true;
    }
    return findings;
  },
  review(facts, runs) {
    const found = miscountedItems(facts, runs);
    return found ? [found] : [];
  },
};

/** Members that come back under their own name in whatever case has them, with two values at least. */
function echoesOf({ cases }: CheckFacts): string[] {
  const pairs = cases.flatMap(({ one: { input, output } }) =>
    isObject(input) && isObject(output) ? [{ input, output }] : [],
  );
  const names = [...new Set(pairs.flatMap(({ input }) => Object.keys(input)))];
  return names.filter((name) => {
    const own = pairs.filter(({ input, output }) => isScalar(input[name]) && isScalar(output[name]));
    return (
      own.every(({ input, output }) => input[name] === output[name]) &&
      new Set(own.map(({ input }) => input[name])).size >= 2
    );
  });
}

function isScalar(value: Json | undefined): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** Smaller numbers may be counted, or reached from others. */
const leastStale = 1000;

/** Whether an answer has under the name of an echo what other cases have there, and its request nowhere. */
function isStale({ cases, vocabulary }: CheckFacts, { input, seen }: Run, name: string): boolean {
  const { value } = seen;
  if (!isObject(input) || value === undefined || !isObject(value)) return false;
  const got = value[name];
  if (!isScalar(got) || got === input[name] || !isScalar(input[name])) return false;
  // What comes back in all cases may be a state all the same, that some requests change.
  if (typeof got === 'number' ? Math.abs(got) < leastStale : vocabulary.hasText(got)) return false;
  if (leavesOf(input).some((leaf) => String(leaf.value).includes(String(got)))) return false;
  return cases.some(({ one }) => isObject(one.input) && one.input[name] === got);
}

interface Run {
  one: SeenCase;
  input: Json;
  seen: Observation;
}

/** The first of many changed requests that are all answered alike, and unlike at least two different answers of the cases that were changed. */
function sameForAll(facts: CheckFacts, runs: readonly Run[], fewest = least.changes): Run | undefined {
  const [first] = runs;
  if (!first || runs.length < fewest) return undefined;
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
  const own = changed.map(ofCase).filter((answer) => !equalJson(answer, common));
  const kinds = own.filter((answer, index) => own.findIndex((other) => equalJson(other, answer)) === index);
  return kinds.length >= least.cases && facts.cases.length >= 3 ? first : undefined;
}

/** An answer without what its request has under the same name. */
function withoutEchoes({ input, seen: { value = null } }: Pick<Run, 'input' | 'seen'>): Json {
  if (!isObject(value) || !isObject(input)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name, told]) => !equalJson([told], [input[name] ?? null])));
}

/** Whether a member tells requests apart and nothing else: by its name, or since the document says nothing of it but that it is sent back. */
function isCorrelation({ subject }: CheckFacts, name: string): boolean {
  if (CORRELATION_NAME.test(name)) return true;
  const own = sentencesOf(subject.agreement).filter((sentence) => hasWord(sentence, name));
  return own.length > 0 && own.every((sentence) => SENT_BACK.test(sentence));
}

/** Whether no change of a request that leaves such members as they are ever changes the answer, at several places of several cases. */
function isDeafBeside({ subject }: CheckFacts, runs: readonly Run[], plans: readonly { pointer: string }[]): boolean {
  return (
    subject.tools.length === 0 &&
    runs.length >= least.changes &&
    new Set(runs.map(({ one }) => one)).size >= least.cases &&
    new Set(plans.map(({ pointer }) => pointer)).size >= least.cases &&
    runs.every(({ one, seen }) => equalJson([seen.value ?? null], [one.seen.value ?? null]))
  );
}

/** The cases with another value of a member each, one that no case has. */
function otherIds(facts: CheckFacts, name: string): { one: SeenCase; input: Json; scenario: Scenario }[] {
  const { subject, cases } = facts;
  return cases.slice(0, maxEchoCases).flatMap((one) => {
    const { input } = one.one;
    const own = isObject(input) ? input[name] : undefined;
    const other = variedScalars(own ?? null).findLast(
      (value) => !cases.some((each) => isObject(each.one.input) && each.one.input[name] === value),
    );
    if (other === undefined) return [];
    const next = replacedAt(input, `/${escapeToken(name)}`, other);
    const isValid = subject.surface.requestIssues(next).length === 0;
    return isValid ? [{ one, input: next, scenario: { ...caseScenario(subject, one.one), input: next } }] : [];
  });
}

/** How a run ended, without what merely comes back: numbers at the places where a case has them from its request, and texts anywhere. */
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

/** Whether no case asks a tool for anything that its request holds, though at least two cases are those of a read-only tool's examples. */
function asksNothing({ subject, cases }: CheckFacts): boolean {
  const [first] = cases;
  if (!first || cases.some(({ seen }) => !equalJson(callsOf(seen), callsOf(first.seen)))) return false;
  return subject.tools.some(({ name, examples = [] }) => {
    if (!isReadOnly(subject, name)) return false;
    const meant = cases.filter(({ one }) => {
      const asked = leavesOf(one.input)
        .map(({ value }) => String(value))
        .join('\n');
      return examples.some(({ input }) => {
        const leaves = leavesOf(input);
        return leaves.length > 0 && leaves.every(({ value }) => hasWord(asked, String(value)));
      });
    });
    return meant.length >= 2;
  });
}

/** A tool that the document has used for whatever succeeds, and that no case calls, though it was made for some of them. */
function uncalledTool({
  subject,
  cases,
  candidate,
}: CheckFacts): { one: SeenCase; tool: string; sentence: string } | undefined {
  const good = cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
  if (good.length === 0) return undefined;
  const sentences = sentencesOf(subject.agreement);
  for (const { name } of subject.tools) {
    if (cases.some(({ seen }) => seen.calls.some(({ tool }) => tool === name))) continue;
    // What is there beside another act may be there to undo it, in whatever words the document says so.
    const isBeside =
      !isReadOnly(subject, name) &&
      cases.some(({ seen }) => seen.calls.some((call) => !isReadOnly(subject, call.tool)));
    if (isBeside && hasWord(candidate.bundle, name)) continue;
    const own = sentences.filter((sentence) => new RegExp(`[\`"“]${name}[\`"”(]`, 'u').test(sentence));
    const [sentence] = own;
    // A case that a tool's example was written for is one in which it is called.
    const meant = good.filter(({ one }) => isMeant(subject, name, one.input, cases));
    const example = meant.length >= (isReadOnly(subject, name) ? 2 : 1) ? meant[0] : undefined;
    if (sentence !== undefined && example && !own.some((other) => DEPENDING.test(other) || FAILURE.test(other)))
      return { one: example, tool: name, sentence: excerpt(sentence) };
  }
  return undefined;
}

/** Whether an example of a tool asks for nothing but what stands in a request; without examples any request will do, if nothing else acts. */
function isMeant(subject: CheckFacts['subject'], name: string, input: Json, cases: readonly SeenCase[]): boolean {
  const examples = subject.tools.find((tool) => tool.name === name)?.examples ?? [];
  const asked = leavesOf(input)
    .map(({ value }) => String(value))
    .join('\n');
  if (examples.length === 0)
    return (
      !isReadOnly(subject, name) && cases.every(({ seen }) => seen.calls.every(({ tool }) => isReadOnly(subject, tool)))
    );
  return examples.some((example) =>
    leavesOf(example.input).some(({ value }) => String(value).length > 2 && hasWord(asked, String(value))),
  );
}

/** A case with the items of a list of its request dropped, doubled and turned, as far as its schema allows. */
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

function factOf({ one, seen }: SeenCase, message: string): Omit<CheckFact, 'check'> {
  return {
    code: 'CANDIDATE_HARD_CODED',
    message: `case ${one.testCase}: ${message}`.slice(0, 500),
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
