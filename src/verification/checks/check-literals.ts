import type { Observation, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings, Finding, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { leavesOf, tokensOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Datum } from '../worlds/datum.ts';
import { RenameMap } from '../worlds/rename-map.ts';
import { renamedSubject } from '../worlds/renamed-world.ts';
import { SeededRandom } from '../worlds/seeded-random.ts';
import { answeringAlike, replacedAt, variationsOf } from '../worlds/variations.ts';
import { type CaseData, caseDataOf } from './case-data.ts';

const maxVariationsPerCase = 14;

/** Looks for data of cases and tool answers among the constants of the source. */
export const literalAudit: Check = {
  name: 'literal-audit',
  reason: 'A handler that holds data of the cases or of the tools in its source knows the examples, not the protocol.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const data = caseDataOf(facts.subject, facts.vocabulary);
    const findings: Finding[] = [];
    for (const datum of data.told) {
      if (!facts.literals.has(datum.value)) continue;
      const isProven = isProof(datum) && !isRestated(datum.value, facts.vocabulary);
      if (isProven) findings.push(found('literal-audit/told-value', datum, 'from requests or tools'));
      else if (datum.kind !== 'word') findings.push(found('literal-audit/told-name', datum, 'from requests or tools'));
    }
    const suspects = data.answersOnly.filter((datum) => facts.literals.has(datum.value));
    if (suspects.length > 0) findings.push(...(yield* weighAnswers(facts, suspects)));
    return { findings };
  },
};

/** Factors by which code may restate a number of the document, in another unit or as a share. */
const FACTORS = [0.01, 60, 100, 1000, 3600];

/**
 * Whether a value restates one of the document in another unit or spelling, or is the next one: 5,000 EUR in cents, 90
 * minutes in seconds, "below 4000" as 3999, 1 January 2026 as a date.
 */
function isRestated(value: Json, vocabulary: Vocabulary): boolean {
  if (typeof value === 'number')
    return (
      FACTORS.some((factor) => vocabulary.hasNumber(Number((value / factor).toPrecision(12)))) ||
      (Number.isInteger(value) && [value - 1, value + 1].some((next) => vocabulary.hasNumber(next)))
    );
  const date = typeof value === 'string' ? /^(\d{4})-\d\d-(\d\d)(?:T|$)/.exec(value) : null;
  return date?.slice(1).every((digits) => vocabulary.hasNumber(Number(digits))) === true;
}

/** Whether a datum in the source is proof on its own. */
function isProof({ kind, value }: Datum): boolean {
  if (kind === 'id' || kind === 'time' || kind === 'encoded') return String(value).length >= 2;
  if (kind === 'number') return true;
  // One capitalised word may name a state or a unit as well as a person.
  return kind === 'name' && (/\s/.test(String(value).trim()) || String(value).length >= 12);
}

function found(rule: Finding['rule'], { value }: Datum, where: string): Finding {
  return { rule, message: `the source contains ${JSON.stringify(value).slice(0, 120)}, a value ${where}` };
}

type Suspect = CaseData['answersOnly'][number];

function* weighAnswers(
  facts: CheckFacts,
  suspects: readonly Suspect[],
): Generator<Scenario[], Finding[], Observation[]> {
  const plans = facts.cases
    .filter(({ one }) => suspects.some(({ places }) => places.some(({ testCase }) => testCase === one.testCase)))
    .flatMap((seenCase) => otherRuns(facts, seenCase).map((scenario) => ({ seenCase, scenario })));
  const observations = plans.length === 0 ? [] : yield plans.map(({ scenario }) => scenario);
  return suspects.flatMap((suspect): Finding[] => {
    const where = 'that only answers contain';
    const value = found('literal-audit/answered-value', suspect, where);
    const text = found('literal-audit/answered-text', suspect, where);
    const varies = suspect.places.some((place) => variesAt(facts, suspect, place, observations));
    const inRefusal = suspect.places.every(
      ({ testCase }) =>
        reportsFailure(facts.cases.find(({ one }) => one.testCase === testCase)?.one.output ?? null) === true,
    );
    // A sentence with a number in it is a sentence.
    const isSentence = suspect.kind === 'id' && /\s/.test(String(suspect.value).trim());
    // A number of the document with other decimals: 1 written `1.000000`.
    const isSpelling = typeof suspect.value === 'string' && facts.vocabulary.hasNumber(Number(suspect.value));
    const looksLikeId =
      !isSpelling &&
      ((suspect.kind === 'id' && !isSentence) ||
        suspect.kind === 'number' ||
        suspect.kind === 'time' ||
        suspect.kind === 'encoded');
    // A handler may still recognise one request by its id.
    if (varies) return looksLikeId && !inRefusal ? [text] : [];
    if (looksLikeId && !(inRefusal && suspect.kind !== 'number')) return [value];
    return (suspect.kind === 'name' || isSentence) && !isTemplate(facts.subject, suspect) ? [text] : [];
  });
}

/** Texts of the case's form needed to conclude that a word of it never changes. */
const minTexts = 4;

/**
 * Whether a place of the answer takes at least two other values when the request changes; in a longer text the word
 * itself must change.
 */
function variesAt(
  facts: CheckFacts,
  { value: suspect }: Suspect,
  { testCase, pointer }: Suspect['places'][number],
  seen: readonly Observation[],
): boolean {
  const own = facts.cases.find(({ one }) => one.testCase === testCase)?.one.output ?? null;
  const whole = valueAt(own, pointer);
  const isPart = typeof whole === 'string' && whole !== suspect;
  const words = isPart ? tokensOf(whole) : [];
  const place = words.findIndex((word) => word.includes(String(suspect)));
  const read = (answer: Json | undefined): Json | undefined => {
    const value = answer === undefined ? undefined : valueAt(answer, pointer);
    if (!isPart || place < 0 || typeof value !== 'string') return value;
    const others = tokensOf(value);
    return others.length === words.length ? others[place] : undefined;
  };
  const got = seen.flatMap(({ value }) => read(value) ?? []);
  if (isPart && got.length < minTexts) return true;
  const cases = facts.cases.map(({ one }) => read(one.output) ?? null);
  const others = got.filter(
    (value) => (isPart || typeof value === typeof suspect) && !cases.some((known) => equalJson(known, value)),
  );
  return new Set(others).size >= 2;
}

/** Whether every answer of its kind has this text, so that it is not data of one case. */
function isTemplate(subject: Subject, { places }: Suspect): boolean {
  return (
    places.every(({ pointer }) =>
      /message|description|reason|title|detail|text|status|error|note|info$/i.test(
        pointer.split('/').findLast((token) => !/^\d+$/.test(token)) ?? '',
      ),
    ) || subject.cases.length === 0
  );
}

/**
 * The case with one value of another case at the same place, while each tool gives its answer for any input: some
 * places allow few values.
 */
function valuesOfOthers({ subject, cases }: CheckFacts, { one, seen }: SeenCase): Scenario[] {
  const base = { ...caseScenario(subject, one), tools: answeringAlike(subject.tools, seen) as Scenario['tools'] };
  const places = leavesOf(one.input).map(({ pointer, value }) => {
    const others = new Set(cases.flatMap((other) => valueAt(other.one.input, pointer) ?? []));
    return { pointer, others: [...others].filter((other) => typeof other === typeof value && other !== value) };
  });
  const most = Math.max(0, ...places.map(({ others }) => others.length));
  // Round by round: each place has its turn before the limit is reached.
  return Array.from({ length: most }, (_, round) => round)
    .flatMap((round) => places.map(({ pointer, others }) => ({ pointer, other: others[round] })))
    .flatMap(({ pointer, other }) =>
      other === undefined || typeof other === 'object'
        ? []
        : [{ ...base, input: replacedAt(one.input, pointer, other) }],
    )
    .slice(0, maxVariationsPerCase);
}

/** The case with one value changed at a time, and with all of its data renamed. */
function otherRuns(facts: CheckFacts, seenCase: SeenCase): Scenario[] {
  const { subject, vocabulary, taken } = facts;
  const map = new RenameMap(
    caseDataOf(subject, vocabulary).told,
    vocabulary,
    taken,
    new SeededRandom(`${subject.trialSeed} variations`),
    'far',
  );
  const renamed = renamedSubject(subject, map);
  return [
    ...variationsOf(facts, seenCase, maxVariationsPerCase).map(({ scenario }) => scenario),
    ...valuesOfOthers(facts, seenCase),
    {
      ...caseScenario(subject, seenCase.one),
      input: map.json(seenCase.one.input),
      tools: renamed.tools as Scenario['tools'],
    },
  ];
}
