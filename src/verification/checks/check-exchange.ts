import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, CheckFindings, Finding, SeenCase } from '../check.ts';
import { caseDifferences } from '../judge-cases.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import { leavesOf, tokensOf } from '../scalar-kinds.ts';
import { ExchangeMap } from '../worlds/exchange-map.ts';
import { type ExchangedWorld, exchangedWorlds } from '../worlds/exchanged-world.ts';
import { answeringAlike, variedScalars } from '../worlds/variations.ts';

/** Fewer answers than this that stay as they are, in fewer cases, show nothing. */
const leastWrong = 2;

/** Fewer keys that nobody knows do not show that all are answered alike. */
const leastFresh = 3;

/** Answers of cases fewer than this may be the only ones that there are. */
const leastAnswers = 3;

/** Lets two keys of the cases change places in all that tools or peer are asked and tell; the answer must follow. */
export const exchange: Check = {
  name: 'exchange',
  reason:
    'Where answers are counts, words and truth values, a table of the cases or of what the tools tell holds nothing that a fresh value could show.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const worlds = exchangedWorlds(facts);
    if (worlds.length === 0) return { findings: [], skipped: 'no two keys of cases could change places' };
    const after = yield worlds.map(({ scenario }) => scenario);
    if (worlds.every((world, index) => isRight(world, after[index] as Observation))) return { findings: [] };
    const before = yield* runBefore(worlds);
    const turns = worlds.map((world, index) =>
      turnOf(world, before[index] as Observation, after[index] as Observation),
    );
    const held = heldPair(facts, turns) ?? heldPlace(turns);
    if (held) return { findings: [held] };
    const wrong = turns.filter(({ isWrong }) => isWrong);
    const [first] = wrong;
    if (
      !first ||
      turns.some(({ isAlive }) => isAlive) ||
      casesOf(wrong) < leastWrong ||
      facts.subject.role === 'requester'
    )
      return { findings: [] };
    const fresh = wrong.flatMap(({ world }) => freshKeys(facts, world));
    const seen = yield fresh.map(({ scenario }) => scenario);
    if (fresh.length < leastFresh || !isByHeart(facts, fresh, seen)) return { findings: [] };
    const isCertain = answersOf(facts) >= leastAnswers && !areRefused(facts, wrong);
    const rule = isCertain ? 'exchange/never-follows' : 'exchange/may-not-follow';
    return { findings: [factOf(rule, first, 'is answered as before, and so is every other that could be exchanged')] };
  },
};

/** Whether all requests with exchanged keys may be turned down for the check that they carry. */
function areRefused(facts: CheckFacts, turns: readonly Turn[]): boolean {
  return mayBeOneRefusal(
    facts,
    turns.map(({ world, after }) => ({ input: world.one.input, seen: after })),
  );
}

/** What came of one world. */
interface Turn {
  world: ExchangedWorld;
  before: Observation;
  after: Observation;
  /** Whether what is told mattered to answer or calls. */
  isAlive: boolean;
  /** Whether something else was told, the same came of it, and the answer should have been another. */
  isWrong: boolean;
}

function isRight({ subject, one }: ExchangedWorld, seen: Observation): boolean {
  return caseDifferences(subject, one, seen).length === 0;
}

function* runBefore(worlds: readonly ExchangedWorld[]): Generator<Scenario[], Observation[], Observation[]> {
  const wanted = worlds.flatMap(({ before }) => ('one' in before ? [] : [before]));
  const seen = wanted.length === 0 ? [] : yield wanted;
  let next = 0;
  return worlds.map(({ before }) => ('one' in before ? before.seen : (seen[next++] as Observation)));
}

function turnOf(world: ExchangedWorld, before: Observation, after: Observation): Turn {
  const isAlive = !equalJson(effectOf(before), effectOf(after));
  const { seen } = world.seenCase;
  // Who asks is told something else, or has turned the request down before.
  const isTold = seen.calls.length + seen.sends.length === 0 || !equalJson(toldOf(before), toldOf(after));
  return { world, before, after, isAlive, isWrong: !isAlive && isTold && !isRight(world, after) };
}

function effectOf({ end, value, calls, sends }: Observation): Json {
  return [end, value ?? null, calls.map(({ tool, input }) => [tool, input]), sends.map(({ request }) => request)];
}

function toldOf({ calls, sends }: Observation): Json {
  return [
    calls.map(({ output, error }) => output ?? (error ? error.code : null)),
    sends.map(({ response }) => response ?? null),
  ];
}

function casesOf(turns: readonly Turn[]): number {
  return new Set(turns.map(({ world }) => world.seenCase)).size;
}

/** Two keys of which one stands in the source, and whose exchange never matters. */
function heldPair(facts: CheckFacts, turns: readonly Turn[]): Finding | undefined {
  for (const own of byPair(turns)) {
    const wrong = own.filter(({ isWrong }) => isWrong);
    const [first] = wrong;
    if (first && casesOf(wrong) >= leastWrong && !own.some(({ isAlive }) => isAlive) && !areRefused(facts, wrong))
      return factOf('exchange/held-key', first, 'is answered as before, and stands in the source');
  }
  return undefined;
}

/** A place of the answer that keeps to a key which stands in the source. */
function heldPlace(turns: readonly Turn[]): Finding | undefined {
  for (const own of byPair(turns)) {
    const rows = own.flatMap((turn) => {
      const { before, after, world } = turn;
      if (before.value === undefined || after.value === undefined) return [];
      if (equalJson(toldOf(before), toldOf(after))) return [];
      const loose = new Set(world.one.loose.map(({ pointer }) => pointer));
      return [
        {
          turn,
          before: placesOf(before.value),
          after: placesOf(after.value),
          wanted: placesOf(world.one.output),
          loose,
        },
      ];
    });
    for (const place of new Set(rows.flatMap(({ wanted }) => [...wanted.keys()]))) {
      if (rows.some((row) => row.loose.has(place) || row.before.get(place) !== row.after.get(place))) continue;
      const wrong = rows.filter((row) => row.after.has(place) && row.after.get(place) !== row.wanted.get(place));
      const [first] = wrong;
      if (first && casesOf(wrong.map(({ turn }) => turn)) >= leastWrong)
        return factOf(
          'exchange/held-place',
          first.turn,
          `has the answer that it had at ${place || 'the root'}, and stands in the source`,
        );
    }
  }
  return undefined;
}

function byPair(turns: readonly Turn[]): Turn[][] {
  const held = turns.filter(({ world }) => world.isHeld);
  return [...new Set(held.map(({ world }) => world.map))].map((map) => held.filter(({ world }) => world.map === map));
}

function placesOf(value: Json): Map<string, Json> {
  return new Map(leavesOf(value).map((leaf) => [leaf.pointer, leaf.value]));
}

interface FreshKey {
  seenCase: SeenCase;
  scenario: Scenario;
}

/** The case with keys that nobody knows; a tool that it calls tells the same of them. */
function freshKeys({ subject }: CheckFacts, { seenCase, map }: ExchangedWorld): FreshKey[] {
  const { input } = seenCase.one;
  const tools = answeringAlike(subject.tools, seenCase.seen);
  return map.pair.flatMap((key) =>
    variedScalars(key).flatMap((fresh) => {
      if (typeof fresh !== 'string' && typeof fresh !== 'number') return [];
      const other = new ExchangeMap([key, fresh], map.names).json(input);
      if (equalJson(other, input) || subject.surface.requestIssues(other).length > 0) return [];
      if (subject.cases.some(({ request }) => equalJson(request, other))) return [];
      return [{ seenCase, scenario: { ...seenCase.scenario, tools, input: other } }];
    }),
  );
}

/**
 * Whether keys that nobody knows show that none was worked out: each case has one answer for all of them; or, where tools are asked and what
 * they tell is left aside, there is but one that no case has.
 */
function isByHeart({ cases }: CheckFacts, fresh: readonly FreshKey[], seen: readonly Observation[]): boolean {
  const raw = new Set(seen.map(({ end, value }) => JSON.stringify([end, value ?? null])));
  if (raw.size === 1) return true;
  const answers = fresh.map(({ scenario }, index) => plainOf(seen[index] as Observation, scenario.input));
  const first = new Map<SeenCase, string>();
  const isOneEach = fresh.every(({ seenCase }, index) => {
    const answer = answers[index] as string;
    if (!first.has(seenCase)) first.set(seenCase, answer);
    return first.get(seenCase) === answer;
  });
  if (isOneEach || fresh.some(({ seenCase }) => seenCase.seen.calls.length === 0)) return isOneEach;
  const known = new Set(cases.map(({ one, seen: own }) => plainOf(own, one.input)));
  return new Set(answers.filter((answer) => !known.has(answer))).size <= 1;
}

/** How many answers the cases have. */
function answersOf({ cases }: CheckFacts): number {
  return new Set(cases.map(({ one, seen }) => plainOf(seen, one.input))).size;
}

/** How a run ended, without the words and numbers of the request that come back. */
function plainOf({ end, value }: Observation, input: Json): string {
  if (value === undefined) return end;
  const asked = leavesOf(input).map(({ value: leaf }) => leaf);
  const words = new Set(asked.flatMap((leaf) => (typeof leaf === 'string' ? [leaf, ...tokensOf(leaf)] : [])));
  return JSON.stringify(
    leavesOf(value).map(({ pointer, value: leaf }) => {
      if (typeof leaf !== 'string') return [pointer, asked.includes(leaf) && typeof leaf === 'number' ? '' : leaf];
      return [pointer, words.has(leaf) ? '' : tokensOf(leaf).map((word) => (words.has(word) ? '' : word))];
    }),
  );
}

function factOf(rule: Finding['rule'], { world, after }: Turn, what: string): Finding {
  const { map, one } = world;
  const [a, b] = map.pair.map((key) => JSON.stringify(key));
  return {
    rule,
    message: `case ${one.testCase}: where ${a} and ${b} change places in all that is asked and told, the one ${what}`,
    testCase: one.testCase,
    input: one.input,
    expected: one.output,
    ...(after.value === undefined ? {} : { got: after.value }),
  };
}
