import type { Observation, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import type { Check, CheckFacts, Finding, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import { isIsoTime, leavesOf } from '../scalar-kinds.ts';
import { type Datum, dataOf, isDistinctive, renameMapOf, segmentsOf } from '../worlds/rename-map.ts';
import {
  compareWorld,
  type PlaceResult,
  reachedOthers,
  renamedWorld,
  toldLeaves,
  type World,
  type WorldResult,
} from '../worlds/renamed-world.ts';
import { standsAtRecurringMember } from './recurring-member.ts';

/** Data of one case beyond this number are left alone. */
const maxDataPerCase = 40;

/** Data that are renamed one by one where renaming all at once was not followed. */
const maxSingled = 10;

/** Members whose values are often one of a few: what is not among them may rightly be answered by a default. */
const ENUM_NAME =
  /status|state|type|kind|level|mode|category|role|result|reason|unit|method|format|lang|locale|tier|plan|priority|severity|code|action|event|command/i;

interface CasePlan {
  seenCase: SeenCase;
  data: Datum[];
  /** Data that only tools or the peer tell: changing them changes nothing of what is asked. */
  answers: Datum[];
  /** Data that never come up in answer or calls; what comes up may have been picked out by comparing it with them. */
  others: Datum[];
}

/** Renames the data of each case, consistently; the answer must follow. */
export const renaming: Check = {
  name: 'renaming',
  reason:
    'A table of the examples, or a handler that treats the examples as special, does not follow when their data change.',
  *run(facts) {
    const plans = facts.cases.map((seenCase) => planOf(facts, seenCase)).filter(({ data }) => data.length > 0);
    if (plans.length === 0) return { findings: [], skipped: 'no case has data that could be renamed' };
    const first = plans.map((plan) => ({
      plan,
      all: build(facts, plan.seenCase, plan.data, 'all'),
      answers: plan.answers.length > 0 ? build(facts, plan.seenCase, plan.answers, 'answers') : undefined,
    }));
    const results = yield* runWorlds(first.flatMap(({ all, answers }) => [all, answers]));
    const findings: Finding[] = [];
    const inDoubt: { plan: CasePlan; results: WorldResult[] }[] = [];
    for (const { plan, all, answers } of first) {
      const own = results.filter(({ world }) => world === all || world === answers);
      const byHeart = own.find(
        ({ world, unchanged }) =>
          world === answers && unchanged && answers?.data.some(isCertain) && tellsRenamed(world),
      );
      const asking = own.find((result) => result.world === all && asksElsewhere(facts, result));
      if (asking) {
        const tool = asking.seen.calls[0]?.tool;
        findings.push(factOf('renaming/asks-only-for-others', asking, `calls no tool, and under other names ${tool}`));
      }
      if (byHeart) {
        findings.push(
          factOf(
            'renaming/answer-as-before',
            byHeart,
            `gives the case's own answer although ${changesOf(byHeart.world)} in what tools or peer answered`,
          ),
        );
      } else if (
        own.some(({ followed }) => !followed) ||
        plan.data.some((datum) => !own.some((result) => isAlive(result, datum)))
      )
        inDoubt.push({ plan, results: own });
    }
    const singled = inDoubt.map(({ plan }) => ({
      plan,
      ordered: orderedWorld(facts, plan),
      worlds: [
        build(facts, plan.seenCase, plan.data, 'near-all', 'near', true),
        build(
          facts,
          plan.seenCase,
          plan.data.filter(({ kind }) => kind !== 'number'),
          'texts',
          'far',
          true,
        ),
        ...plan.data
          .slice(0, maxSingled)
          .flatMap((datum) => [
            build(facts, plan.seenCase, [datum], 'single', 'far', true),
            build(facts, plan.seenCase, [datum], 'single-near', 'near', true),
            build(facts, plan.seenCase, [datum], 'single-near-2', 'near', true),
          ]),
      ],
    }));
    const ran = yield* runWorlds(singled.flatMap(({ ordered, worlds }) => [ordered, ...worlds]));
    // What is changed for its order alone need not come up in the answer as it would have to elsewhere.
    const more = ran.filter(({ world, followed }) => followed || !singled.some(({ ordered }) => ordered === world));
    for (const { plan, results: own } of inDoubt)
      findings.push(...judge(facts, plan, [...own, ...more.filter(({ world }) => world.seenCase === plan.seenCase)]));
    return { findings };
  },
};

function planOf(facts: CheckFacts, seenCase: SeenCase): CasePlan {
  const { asked, answered } = toldLeaves(seenCase);
  const { one, seen } = seenCase;
  const calls = seen.calls.map(({ input }) => input);
  const given: Json = [one.input, calls, seen.sends.map(({ request }) => request)];
  const examples = facts.subject.tools.flatMap((tool) => (tool.examples ?? []).map(({ input }) => input));
  const used: Json = [one.output, examples, calls, seen.sends.length > 0 ? one.case.request : null];
  const data: Datum[] = [];
  const answers: Datum[] = [];
  const others: Datum[] = [];
  for (const datum of dataOf([...asked, ...answered], facts.vocabulary)) {
    if (data.length >= maxDataPerCase) break;
    if (isOwn(seenCase, datum)) continue;
    const map = renameMapOf([datum], facts.vocabulary, facts.taken, `${facts.subject.trialSeed} relevance`, 'far');
    if (map.size === 0) continue;
    if (!map.changes(used)) {
      if (others.length < maxDataPerCase && typeof datum.value === 'string' && datum.kind !== 'time')
        others.push(datum);
      continue;
    }
    data.push(datum);
    if (!map.changes(given)) answers.push(datum);
  }
  return { seenCase, data, answers, others };
}

/** Whether a case that is no refusal is answered without any tool, and rightly with one under other names; one that carries a check may fail that. */
function asksElsewhere(facts: CheckFacts, { world: { seenCase }, followed, seen }: WorldResult): boolean {
  return (
    followed &&
    seen.calls.length > 0 &&
    seenCase.seen.calls.length === 0 &&
    reportsFailure(seenCase.one.output) !== true &&
    !mayBeOneRefusal(facts, [{ input: seenCase.one.input, seen: seenCase.seen }])
  );
}

/** Whether what is wanted in a renamed world is another answer, or another request, than in the case. */
function tellsRenamed({ one, seenCase }: World): boolean {
  return (
    JSON.stringify([one.output, one.case.request]) !== JSON.stringify([seenCase.one.output, seenCase.one.case.request])
  );
}

/** Whether the candidate made a value up itself, and was only told it back. */
function isOwn({ one, seen }: SeenCase, { value }: Datum): boolean {
  const made = [
    ...seen.issuedIds,
    ...seen.sends.flatMap(({ request }) =>
      one.loose.flatMap(({ pointer }) =>
        leavesOf(valueAt(request, pointer) ?? '').map(({ value: made }) => String(made)),
      ),
    ),
  ];
  return made.some((text) => text !== '' && (String(value).includes(text) || text === String(value)));
}

function build(
  facts: CheckFacts,
  seenCase: SeenCase,
  data: readonly Datum[],
  seed: string,
  reach: 'far' | 'near' = 'far',
  lenient = false,
): World | undefined {
  return renamedWorld(facts.subject, facts.vocabulary, facts.taken, seenCase, data, {
    seed: `${seed}-${seenCase.one.testCase}`,
    reach,
    lenient,
  });
}

/** A world in which all ids and names are others and have the order that they had; `undefined` where the data of the case are all there are. */
function orderedWorld(facts: CheckFacts, { seenCase, data, others }: CasePlan): World | undefined {
  return others.length === 0 ? undefined : build(facts, seenCase, [...data, ...others], 'ordered', 'far', true);
}

function* runWorlds(worlds: readonly (World | undefined)[]): Generator<Scenario[], WorldResult[], Observation[]> {
  const present = worlds.filter((world) => world !== undefined);
  if (present.length === 0) return [];
  const seen = yield present.map(({ scenario }) => scenario);
  return present.map((world, index) => compareWorld(world, seen[index] as Observation));
}

/** Whether a datum that stays in an answer after it was replaced is proof of a constant. */
function isCertain(datum: Datum): boolean {
  return isDistinctive(datum) && !(datum.kind !== 'id' && datum.names.some((name) => ENUM_NAME.test(name)));
}

function judge(facts: CheckFacts, plan: CasePlan, results: readonly WorldResult[]): Finding[] {
  const dead: { datum: Datum; results: WorldResult[]; stale: WorldResult | undefined }[] = [];
  const { seenCase } = plan;
  let tried = 0;
  for (const datum of plan.data) {
    const own = results.filter(({ world }) => world.data.includes(datum));
    if (own.length === 0) continue;
    tried += 1;
    if (own.some((result) => isAlive(result, datum))) continue;
    // The answer does not tell it, and need not; where others were changed as well, any of them may be why.
    const alone = own.filter(({ world }) => world.data.length === 1);
    if ((alone.length > 0 ? alone : own).every(({ followed }) => followed)) continue;
    dead.push({
      datum,
      results: own,
      stale: own.find((result) => result.stale.some((place) => concerns(place, datum))),
    });
  }
  if (dead.length === 0) return [];
  const nothingFlows =
    dead.length === tried &&
    tried >= 2 &&
    !dead.some(({ datum }) => isOfColumns(facts, datum) || datum.names.some((name) => DERIVED_NAME.test(name)));
  return dead.flatMap(({ datum, results: own, stale }): Finding[] => {
    const inSource = facts.literals.has(datum.value);
    const derived =
      datum.names.some((name) => DERIVED_NAME.test(name)) ||
      datum.kind === 'encoded' ||
      isOfColumns(facts, datum) ||
      isPartOfOthers(datum, plan);
    const worst = stale ?? own.find(({ other }) => other.length > 0) ?? own[0];
    if (!worst) return [];
    const what = `${JSON.stringify(datum.value)} became ${JSON.stringify(worst.world.map.json(datum.value))}`;
    if (stale && isCertain(datum) && !isOfColumns(facts, datum) && !isSumOfOthers(datum, plan)) {
      const place = stale.stale.find((one) => concerns(one, datum));
      const where = `${place?.pointer || 'the root'} of the ${place?.in}`;
      const message = `keeps ${JSON.stringify(datum.value)} at ${where} although ${what} in everything it was told`;
      return [factOf('renaming/keeps-replaced-value', stale, message)];
    }
    const isOwed =
      nothingFlows ||
      (datum.kind === 'id' && !derived && !stale) ||
      (!derived && standsAtRecurringMember(facts, seenCase.one.testCase, String(datum.value))) ||
      (inSource && datum.kind !== 'word' && datum.kind !== 'code' && !stale);
    const isRefused = mayBeOneRefusal(
      facts,
      own.map(({ world, seen }) => ({ input: world.one.input, seen })),
      true,
    );
    const rule = isOwed && (inSource || !isRefused) ? 'renaming/answer-does-not-follow' : 'renaming/may-not-follow';
    return [factOf(rule, worst, `does not follow when ${what}${inSource ? ', which stands in the source' : ''}`)];
  });
}

function isAlive(result: WorldResult, datum: Datum): boolean {
  return (
    (result.followed && result.computed.some(({ got, original }) => got !== original)) ||
    result.fresh.some((place) => concerns(place, datum)) ||
    result.computed.some(
      (place) => concerns(place, datum) && place.got !== undefined && place.got !== place.original,
    ) ||
    result.other.some((place) => isCarriedClosed(result.world, place, datum)) ||
    reachedOthers(result.world, datum, result.seen) ||
    (result.world.data.length === 1 && callsChanged(result))
  );
}

/** Shortest text, without what parts its groups, that is known again. */
const leastClosed = 6;

/** Whether an answer carries a fresh value, as the case does the original, without the blanks and dashes between its groups. */
function isCarriedClosed({ map }: World, { original, got }: PlaceResult, { value }: Datum): boolean {
  if (typeof value !== 'string' || typeof original !== 'string' || typeof got !== 'string') return false;
  const closed = (text: string): string => text.replace(/[\s.-]+/g, '').toLowerCase();
  const [was, is] = [closed(value), closed(map.text(value))];
  const isParted = was !== value.toLowerCase();
  return (
    isParted && was.length >= leastClosed && was !== is && closed(original).includes(was) && closed(got).includes(is)
  );
}

/** Whether the only datum that was changed made the candidate ask others something else. */
function callsChanged({ world: { seenCase }, seen }: WorldResult): boolean {
  const asked = (one: Observation): Json => [
    one.calls.map(({ tool, input }) => [tool, input]),
    seenCase.one.loose.length > 0 ? one.sends.length : one.sends.map(({ request }) => request),
  ];
  return JSON.stringify(asked(seen)) !== JSON.stringify(asked(seenCase.seen));
}

/** Whether a datum may be several fields of a line that nothing parts: a fresh text of its shape may be no such line, and its pieces stand in others. */
function isOfColumns({ subject }: CheckFacts, { value }: Datum): boolean {
  return subject.payload === 'text' && typeof value === 'string' && value.length >= 12 && !/[^\p{L}\p{N}]/u.test(value);
}

/** Whether a datum is part of another one, or another of it: a candidate may rightly compare them. */
function isPartOfOthers({ key, value }: Datum, { seenCase }: CasePlan): boolean {
  const text = String(value).toLowerCase();
  const { asked, answered } = toldLeaves(seenCase);
  return [...asked, ...answered].some((leaf) => {
    const other = String(leaf.value).toLowerCase();
    // A text that falls apart into fields holds each of them anyway.
    if (typeof leaf.value === 'string' && segmentsOf(leaf.value).join() !== leaf.value) return false;
    return (
      `${typeof leaf.value}:${leaf.value}` !== key &&
      other.length > 2 &&
      other !== text &&
      (other.includes(text) || text.includes(other))
    );
  });
}

function concerns({ original }: PlaceResult, { value, kind }: Datum): boolean {
  // All moments of a world move together: one may have come out of another.
  if (kind === 'time' && typeof original === 'string' && isIsoTime(original)) return true;
  const text = JSON.stringify(original).toLowerCase();
  const whole = JSON.stringify(value).replace(/^"|"$/g, '').toLowerCase();
  if (text.includes(whole)) return true;
  return (
    typeof value === 'string' &&
    [...value.matchAll(/[\p{L}\p{M}]{3,}|\d{3,}/gu)].some(([run]) => text.includes(run.toLowerCase()))
  );
}

/** Whether a number can be had from two others that the candidate is asked or told, or from all of one name: it may have worked it out by itself. */
function isSumOfOthers({ value }: Datum, { seenCase }: CasePlan): boolean {
  if (typeof value !== 'number') return false;
  const { asked, answered } = toldLeaves(seenCase);
  const leaves = [...asked, ...answered].filter((leaf) => typeof leaf.value === 'number');
  const numbers = leaves.map((leaf) => Number(leaf.value)).slice(0, 30);
  const near = (got: number) => Math.abs(got - value) < 0.006;
  const ofOneName = [...new Set(leaves.map(({ name }) => name))].some((name) => {
    const own = leaves.filter((leaf) => leaf.name === name).map((leaf) => Number(leaf.value));
    const sum = own.reduce((all, one) => all + one, 0);
    return own.some((one) => one !== value) && (near(sum) || near(sum / own.length));
  });
  return (
    ofOneName ||
    numbers.some((a) =>
      numbers.some(
        (b) =>
          near(a * b) || near(a + b) || near(a - b) || (a !== value && near((a + b) / 2)) || (b !== 0 && near(a / b)),
      ),
    )
  );
}

function changesOf({ data, map }: World): string {
  return data
    .slice(0, 3)
    .map(({ value }) => `${JSON.stringify(value)} became ${JSON.stringify(map.json(value))}`)
    .join(', ');
}

function factOf(rule: Finding['rule'], { world, seen }: WorldResult, message: string): Finding {
  return {
    rule,
    message: `case ${world.one.testCase}: ${message}`.slice(0, 500),
    testCase: world.one.testCase,
    input: world.one.input,
    expected: world.one.output,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
