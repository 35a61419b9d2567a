import type { Observation } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import type { CheckFacts, Finding } from '../check.ts';
import { DERIVED_NAME } from '../member-names.ts';
import { mayBeOneRefusal } from '../one-refusal.ts';
import { isIsoTime } from '../scalar-kinds.ts';
import type { PlaceResult, WorldResult } from '../worlds/compare-world.ts';
import { type Datum, isDistinctive, segmentsOf } from '../worlds/datum.ts';
import { reachedOthers, toldLeaves, type World } from '../worlds/renamed-world.ts';
import { standsAtRecurringMember } from './recurring-member.ts';
import type { CasePlan } from './renaming-plan.ts';

/** Members that often hold one of a few values. A handler may rightly use a default for any other value. */
const ENUM_NAME =
  /status|state|type|kind|level|mode|category|role|result|reason|unit|method|format|lang|locale|tier|plan|priority|severity|code|action|event|command/i;

/** Whether an answer that still holds this datum after its renaming proves a constant in the source. */
export function isCertain(datum: Datum): boolean {
  return isDistinctive(datum) && !(datum.kind !== 'id' && datum.names.some((name) => ENUM_NAME.test(name)));
}

/** A datum of a case that no renamed world shows the answer to follow. */
interface DeadDatum {
  datum: Datum;
  results: WorldResult[];
  /** A world in which the answer keeps the replaced value. */
  stale: WorldResult | undefined;
}

/** Findings for the data of a case that its answer does not follow in any of its renamed worlds. */
export function judgeRenaming(facts: CheckFacts, plan: CasePlan, results: readonly WorldResult[]): Finding[] {
  const tried = plan.data.filter((datum) => results.some(({ world }) => world.data.includes(datum)));
  const dead = tried.flatMap((datum) => deadDatum(datum, results) ?? []);
  const nothingFlows =
    dead.length === tried.length &&
    tried.length >= 2 &&
    !dead.some(({ datum }) => isOfColumns(facts, datum) || datum.names.some((name) => DERIVED_NAME.test(name)));
  return dead.flatMap((one) => judgeDatum(facts, plan, one, nothingFlows));
}

function deadDatum(datum: Datum, all: readonly WorldResult[]): DeadDatum | undefined {
  const results = all.filter(({ world }) => world.data.includes(datum));
  if (results.some((result) => isAlive(result, datum))) return undefined;
  // An answer need not contain the datum. If others changed as well, any of them may be the reason for a
  // difference.
  const alone = results.filter(({ world }) => world.data.length === 1);
  if ((alone.length > 0 ? alone : results).every(({ followed }) => followed)) return undefined;
  return { datum, results, stale: results.find((result) => result.stale.some((place) => concerns(place, datum))) };
}

function judgeDatum(
  facts: CheckFacts,
  plan: CasePlan,
  { datum, results, stale }: DeadDatum,
  nothingFlows: boolean,
): Finding[] {
  const inSource = facts.literals.has(datum.value);
  const worst = stale ?? results.find(({ other }) => other.length > 0) ?? results[0];
  if (!worst) return [];
  const change = `${JSON.stringify(datum.value)} became ${JSON.stringify(worst.world.map.json(datum.value))}`;
  if (stale && isCertain(datum) && !isOfColumns(facts, datum) && !isSumOfOthers(datum, plan)) {
    const place = stale.stale.find((one) => concerns(one, datum));
    const where = `${place?.pointer || 'the root'} of the ${place?.in}`;
    const message = `keeps ${JSON.stringify(datum.value)} at ${where} although ${change} in everything it was told`;
    return [renamingFinding('renaming/keeps-replaced-value', stale, message)];
  }
  const isDerived =
    datum.names.some((name) => DERIVED_NAME.test(name)) ||
    datum.kind === 'encoded' ||
    isOfColumns(facts, datum) ||
    isPartOfOthers(datum, plan);
  const mustFollow =
    nothingFlows ||
    (datum.kind === 'id' && !isDerived && !stale) ||
    (!isDerived && standsAtRecurringMember(facts, plan.seenCase.one.testCase, String(datum.value))) ||
    (inSource && datum.kind !== 'word' && datum.kind !== 'code' && !stale);
  const isRefused = mayBeOneRefusal(
    facts,
    results.map(({ world, seen }) => ({ input: world.one.input, seen })),
    true,
  );
  const rule = mustFollow && (inSource || !isRefused) ? 'renaming/answer-does-not-follow' : 'renaming/may-not-follow';
  const message = `does not follow when ${change}${inSource ? '; the old value is in the source' : ''}`;
  return [renamingFinding(rule, worst, message)];
}

/** Whether a renamed world shows that the answer, the calls or the requests follow a datum. */
export function isAlive(result: WorldResult, datum: Datum): boolean {
  return (
    (result.followed && result.computed.some(({ got, original }) => got !== original)) ||
    result.fresh.some((place) => concerns(place, datum)) ||
    result.computed.some(
      (place) => concerns(place, datum) && place.got !== undefined && place.got !== place.original,
    ) ||
    result.other.some((place) => holdsWithoutSeparators(result.world, place, datum)) ||
    reachedOthers(result.world, datum, result.seen) ||
    (result.world.data.length === 1 && callsChanged(result))
  );
}

/** Shortest text, without the separators of its groups, that is recognised. */
const MIN_CLOSED = 6;

/** Whether the answer holds the fresh value, and the case the original, without the separators between its groups. */
function holdsWithoutSeparators({ map }: World, { original, got }: PlaceResult, { value }: Datum): boolean {
  if (typeof value !== 'string' || typeof original !== 'string' || typeof got !== 'string') return false;
  const close = (text: string): string => text.replace(/[\s.-]+/g, '').toLowerCase();
  const [before, after] = [close(value), close(map.text(value))];
  const isGrouped = before !== value.toLowerCase();
  return (
    isGrouped &&
    before.length >= MIN_CLOSED &&
    before !== after &&
    close(original).includes(before) &&
    close(got).includes(after)
  );
}

/** Whether the candidate asked tools or the peer something else after one datum changed. */
function callsChanged({ world: { seenCase }, seen }: WorldResult): boolean {
  const asked = (one: Observation): Json => [
    one.calls.map(({ tool, input }) => [tool, input]),
    seenCase.one.loose.length > 0 ? one.sends.length : one.sends.map(({ request }) => request),
  ];
  return JSON.stringify(asked(seen)) !== JSON.stringify(asked(seenCase.seen));
}

/** Whether a datum may be a line of fixed-width fields: a fresh text of its shape may break the line's format. */
function isOfColumns({ subject }: CheckFacts, { value }: Datum): boolean {
  return subject.payload === 'text' && typeof value === 'string' && value.length >= 12 && !/[^\p{L}\p{N}]/u.test(value);
}

/** Whether a datum contains another one or is part of one: a candidate may rightly compare them. */
function isPartOfOthers({ key, value }: Datum, { seenCase }: CasePlan): boolean {
  const text = String(value).toLowerCase();
  const { asked, answered } = toldLeaves(seenCase);
  return [...asked, ...answered].some((leaf) => {
    const other = String(leaf.value).toLowerCase();
    // A text of several fields contains each of them anyway.
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
  // All times of a world shift together: one may be derived from another.
  if (kind === 'time' && typeof original === 'string' && isIsoTime(original)) return true;
  const text = JSON.stringify(original).toLowerCase();
  const whole = JSON.stringify(value).replace(/^"|"$/g, '').toLowerCase();
  if (text.includes(whole)) return true;
  return (
    typeof value === 'string' &&
    [...value.matchAll(/[\p{L}\p{M}]{3,}|\d{3,}/gu)].some(([run]) => text.includes(run.toLowerCase()))
  );
}

/** Whether a number results from two others that the candidate is told, or from all of one name: it may be computed. */
function isSumOfOthers({ value }: Datum, { seenCase }: CasePlan): boolean {
  if (typeof value !== 'number') return false;
  const { asked, answered } = toldLeaves(seenCase);
  const leaves = [...asked, ...answered].filter((leaf) => typeof leaf.value === 'number');
  const numbers = leaves.map((leaf) => Number(leaf.value)).slice(0, 30);
  const near = (got: number) => Math.abs(got - value) < 0.006;
  const ofOneName = [...new Set(leaves.map(({ name }) => name))].some((name) => {
    const values = leaves.filter((leaf) => leaf.name === name).map((leaf) => Number(leaf.value));
    const sum = values.reduce((all, one) => all + one, 0);
    return values.some((one) => one !== value) && (near(sum) || near(sum / values.length));
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

/** A finding with what a renamed world asked, wanted and got. */
export function renamingFinding(rule: Finding['rule'], { world, seen }: WorldResult, message: string): Finding {
  return {
    rule,
    message: `case ${world.one.testCase}: ${message}`.slice(0, 500),
    testCase: world.one.testCase,
    input: world.one.input,
    expected: world.one.output,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
