import type { Observation, Scenario } from '../../contract/trial.ts';
import type { Check, CheckFacts, Finding, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import { compareWorld, type WorldResult } from '../worlds/compare-world.ts';
import type { Datum } from '../worlds/datum.ts';
import { renamedWorld, type World } from '../worlds/renamed-world.ts';
import { isAlive, isCertain, judgeRenaming, renamingFinding } from './judge-renaming.ts';
import { type CasePlan, planOf } from './renaming-plan.ts';

/** Data that are renamed one by one if the answer did not follow all of them at once. */
const MAX_SINGLED = 10;

/** Renames the data of each case, consistently; the answer must follow. */
export const renaming: Check = {
  name: 'renaming',
  reason:
    'A table of the examples, or a handler that treats the examples as special, does not follow when their data change.',
  *run(facts) {
    const plans = facts.cases.map((seenCase) => planOf(facts, seenCase)).filter(({ data }) => data.length > 0);
    if (plans.length === 0) return { findings: [], skipped: 'no case has data that could be renamed' };
    const first = plans.map((plan) => firstWorlds(facts, plan));
    const results = yield* runWorlds(first.flatMap(({ all, answers }) => [all, answers]));
    const findings: Finding[] = [];
    const inDoubt: { plan: CasePlan; results: WorldResult[] }[] = [];
    for (const worlds of first) {
      const resultsOfCase = results.filter(({ world }) => world === worlds.all || world === worlds.answers);
      const verdict = judgeFirst(facts, worlds, resultsOfCase);
      findings.push(...verdict.findings);
      if (verdict.isInDoubt) inDoubt.push({ plan: worlds.plan, results: resultsOfCase });
    }
    const further = inDoubt.map(({ plan }) => ({
      ordered: orderedWorld(facts, plan),
      worlds: furtherWorlds(facts, plan),
    }));
    const ran = yield* runWorlds(further.flatMap(({ ordered, worlds }) => [ordered, ...worlds]));
    // Data that are renamed only to keep their order need not show in the answer, so this world proves no fault.
    const more = ran.filter(({ world, followed }) => followed || !further.some(({ ordered }) => ordered === world));
    for (const { plan, results: own } of inDoubt) {
      const ofCase = more.filter(({ world }) => world.seenCase === plan.seenCase);
      findings.push(...judgeRenaming(facts, plan, [...own, ...ofCase]));
    }
    return { findings };
  },
};

/** The worlds that every case is run in: all of its data renamed, and only those from tools or the peer. */
interface FirstWorlds {
  plan: CasePlan;
  all: World | undefined;
  answers: World | undefined;
}

function firstWorlds(facts: CheckFacts, plan: CasePlan): FirstWorlds {
  return {
    plan,
    all: build(facts, plan.seenCase, plan.data, 'all'),
    answers: plan.answers.length > 0 ? build(facts, plan.seenCase, plan.answers, 'answers') : undefined,
  };
}

/** Judges what is certain after the first worlds, and says whether a case needs further ones. */
function judgeFirst(
  facts: CheckFacts,
  { plan, all, answers }: FirstWorlds,
  results: readonly WorldResult[],
): { findings: Finding[]; isInDoubt: boolean } {
  const findings: Finding[] = [];
  const unchanged = results.find(
    (result) =>
      result.world === answers && result.unchanged && answers?.data.some(isCertain) && wantsOther(result.world),
  );
  const asking = results.find((result) => result.world === all && asksElsewhere(facts, result));
  if (asking) {
    const message = `calls no tool, but calls ${asking.seen.calls[0]?.tool} when the data are renamed`;
    findings.push(renamingFinding('renaming/asks-only-for-others', asking, message));
  }
  if (unchanged) {
    const message = `gives the case's own answer although ${changesOf(unchanged.world)} in the answers of tools or peer`;
    findings.push(renamingFinding('renaming/answer-as-before', unchanged, message));
    return { findings, isInDoubt: false };
  }
  const isInDoubt =
    results.some(({ followed }) => !followed) ||
    plan.data.some((datum) => !results.some((result) => isAlive(result, datum)));
  return { findings, isInDoubt };
}

/** Worlds with fewer or smaller changes, which show which datum the answer does not follow. */
function furtherWorlds(facts: CheckFacts, { seenCase, data }: CasePlan): (World | undefined)[] {
  const texts = data.filter(({ kind }) => kind !== 'number');
  return [
    build(facts, seenCase, data, 'near-all', 'near', true),
    build(facts, seenCase, texts, 'texts', 'far', true),
    ...data
      .slice(0, MAX_SINGLED)
      .flatMap((datum) => [
        build(facts, seenCase, [datum], 'single', 'far', true),
        build(facts, seenCase, [datum], 'single-near', 'near', true),
        build(facts, seenCase, [datum], 'single-near-2', 'near', true),
      ]),
  ];
}

/**
 * Whether a case that is not a refusal is answered without any tool, but rightly with one under other names.
 */
function asksElsewhere(facts: CheckFacts, { world: { seenCase }, followed, seen }: WorldResult): boolean {
  return (
    followed &&
    seen.calls.length > 0 &&
    seenCase.seen.calls.length === 0 &&
    reportsFailure(seenCase.one.output) !== true &&
    // A case may fail a check of its values, such as check digits.
    !mayBeOneRefusal(facts, [{ input: seenCase.one.input, seen: seenCase.seen }])
  );
}

/** Whether a renamed world wants another answer or request than the case. */
function wantsOther({ one, seenCase }: World): boolean {
  return (
    JSON.stringify([one.output, one.case.request]) !== JSON.stringify([seenCase.one.output, seenCase.one.case.request])
  );
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

/**
 * A world with all ids and names renamed in their order; `undefined` if the other worlds rename them all
 * anyway.
 */
function orderedWorld(facts: CheckFacts, { seenCase, data, others }: CasePlan): World | undefined {
  return others.length === 0 ? undefined : build(facts, seenCase, [...data, ...others], 'ordered', 'far', true);
}

function* runWorlds(worlds: readonly (World | undefined)[]): Generator<Scenario[], WorldResult[], Observation[]> {
  const present = worlds.filter((world) => world !== undefined);
  if (present.length === 0) return [];
  const observations = yield present.map(({ scenario }) => scenario);
  return present.map((world, index) => compareWorld(world, observations[index] as Observation));
}

function changesOf({ data, map }: World): string {
  return data
    .slice(0, 3)
    .map(({ value }) => `${JSON.stringify(value)} became ${JSON.stringify(map.json(value))}`)
    .join(', ');
}
