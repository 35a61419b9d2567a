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

/** Unchanged answers, in as many cases, that are needed as proof. */
const minWrong = 2;

/** Unknown keys needed before "all alike" is concluded. */
const minFresh = 3;

/** Different answers in the cases that are needed: fewer may be all that exist. */
const minAnswers = 3;

/**
 * Swaps two keys of the cases in everything that tools or peer are asked and answer; the handler's answer must follow.
 */
export const exchange: Check = {
  name: 'exchange',
  reason:
    'If answers are counts, words and truth values, no fresh value can reveal a table of the cases or of what tools answer.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const worlds = exchangedWorlds(facts);
    if (worlds.length === 0) return { findings: [], skipped: 'no two keys of the cases can be swapped' };
    const after = yield worlds.map(({ scenario }) => scenario);
    if (worlds.every((world, index) => isRight(world, after[index] as Observation))) return { findings: [] };
    const before = yield* runBefore(worlds);
    const turns = worlds.map((world, index) =>
      turnOf(world, before[index] as Observation, after[index] as Observation),
    );
    const breach = heldPair(facts, turns) ?? heldPlace(turns);
    if (breach) return { findings: [breach] };
    const wrong = turns.filter(({ isWrong }) => isWrong);
    const [first] = wrong;
    if (
      !first ||
      turns.some(({ isAlive }) => isAlive) ||
      casesOf(wrong) < minWrong ||
      facts.subject.role === 'requester'
    )
      return { findings: [] };
    const fresh = wrong.flatMap(({ world }) => freshKeys(facts, world));
    const observations = yield fresh.map(({ scenario }) => scenario);
    if (fresh.length < minFresh || !isByHeart(facts, fresh, observations)) return { findings: [] };
    const isCertain = answersOf(facts) >= minAnswers && !areRefused(facts, wrong);
    const rule = isCertain ? 'exchange/never-follows' : 'exchange/may-not-follow';
    return { findings: [factOf(rule, first, 'is answered as before, and so is every other key that can be swapped')] };
  },
};

/** Whether all requests with swapped keys may be refused because of a check that they carry. */
function areRefused(facts: CheckFacts, turns: readonly Turn[]): boolean {
  return mayBeOneRefusal(
    facts,
    turns.map(({ world, after }) => ({ input: world.one.input, seen: after })),
  );
}

/** The result of one world. */
interface Turn {
  world: ExchangedWorld;
  before: Observation;
  after: Observation;
  /** Whether the swap changed answer or calls. */
  isAlive: boolean;
  /** Whether other answers were told, the result stayed the same, and should have changed. */
  isWrong: boolean;
}

function isRight({ subject, one }: ExchangedWorld, seen: Observation): boolean {
  return caseDifferences(subject, one, seen).length === 0;
}

function* runBefore(worlds: readonly ExchangedWorld[]): Generator<Scenario[], Observation[], Observation[]> {
  const wanted = worlds.flatMap(({ before }) => ('one' in before ? [] : [before]));
  const observations = wanted.length === 0 ? [] : yield wanted;
  let next = 0;
  return worlds.map(({ before }) => ('one' in before ? before.seen : (observations[next++] as Observation)));
}

function turnOf(world: ExchangedWorld, before: Observation, after: Observation): Turn {
  const isAlive = !equalJson(effectOf(before), effectOf(after));
  const { seen } = world.seenCase;
  // The candidate asked and was told something else, or had refused the request before.
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

/** Two keys, one of them in the source, whose swap never matters. */
function heldPair(facts: CheckFacts, turns: readonly Turn[]): Finding | undefined {
  for (const own of byPair(turns)) {
    const wrong = own.filter(({ isWrong }) => isWrong);
    const [first] = wrong;
    if (first && casesOf(wrong) >= minWrong && !own.some(({ isAlive }) => isAlive) && !areRefused(facts, wrong))
      return factOf('exchange/held-key', first, 'is answered as before, and is in the source');
  }
  return undefined;
}

/** A place of the answer that keeps a key of the source. */
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
      if (first && casesOf(wrong.map(({ turn }) => turn)) >= minWrong)
        return factOf(
          'exchange/held-place',
          first.turn,
          `keeps its answer at ${place || 'the root'}, and is in the source`,
        );
    }
  }
  return undefined;
}

function byPair(turns: readonly Turn[]): Turn[][] {
  const inSource = turns.filter(({ world }) => world.isHeld);
  return [...new Set(inSource.map(({ world }) => world.map))].map((map) =>
    inSource.filter(({ world }) => world.map === map),
  );
}

function placesOf(value: Json): Map<string, Json> {
  return new Map(leavesOf(value).map((leaf) => [leaf.pointer, leaf.value]));
}

interface FreshKey {
  seenCase: SeenCase;
  scenario: Scenario;
}

/** The case with unknown keys; a tool that it calls gives the same answer for them. */
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
 * Whether unknown keys prove that no answer is computed: each case has one answer for all of them; or, if tools
 * are asked and their data are ignored, there is one answer only, which no case has.
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

/** The number of different answers in the cases. */
function answersOf({ cases }: CheckFacts): number {
  return new Set(cases.map(({ one, seen }) => plainOf(seen, one.input))).size;
}

/** The end of a run, without words and numbers that come from the request. */
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
    message: `case ${one.testCase}: with ${a} and ${b} swapped in all that is asked and told, the first ${what}`,
    testCase: one.testCase,
    input: one.input,
    expected: one.output,
    ...(after.value === undefined ? {} : { got: after.value }),
  };
}
