import type { Observation, Scenario } from '../../contract/trial.ts';
import { type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { isRestated } from '../prose/restated.ts';
import { leavesOf, tokensOf } from '../scalar-kinds.ts';
import type { Subject } from '../subject.ts';
import { type Datum, RenameMap } from '../worlds/rename-map.ts';
import { renamedSubject } from '../worlds/renamed-world.ts';
import { SeededRandom } from '../worlds/seeded-random.ts';
import { answeringAlike, replacedAt, variationsOf } from '../worlds/variations.ts';
import { type CaseData, caseDataOf } from './case-data.ts';

const maxVariationsPerCase = 14;

/** Looks for data of cases and tool answers among the constants of the source. */
export const literalAudit: Check = {
  name: 'literal-audit',
  reason: 'A handler that holds data of the cases or of the tools in its source knows the examples, not the protocol.',
  certain:
    'A distinctive datum that requests or tools tell stands in the source and is no word of the document, schema or tools; so does an id or number that stands in answers alone and is none of the document written with decimals, where that place of the answer never takes another value when the request changes, and what only a comment of the document or a secret note to whoever writes the code has, in the source or as a member of an answer.',
  uncertain:
    'Names of one word, currency codes and whole sentences of answers: a handler may have reasons for them; numbers and dates of the document in another unit or spelling.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const data = caseDataOf(facts.subject, facts.vocabulary);
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const datum of data.told) {
      if (!facts.literals.has(datum.value)) continue;
      const fact = found(datum, 'that requests or tools tell');
      if (isProof(datum) && !isRestated(datum.value, facts.vocabulary)) findings.failures.push(fact);
      else if (datum.kind !== 'word') findings.warnings.push(fact);
    }
    const suspects = data.answersOnly.filter((datum) => facts.literals.has(datum.value));
    if (suspects.length > 0) yield* weighAnswers(facts, suspects, findings);
    if (findings.failures.length > 0) findings.memorised = true;
    for (const value of facts.hidden.words)
      if (facts.literals.has(value))
        findings.failures.push({
          code: 'CANDIDATE_HARD_CODED',
          message: `the source holds ${JSON.stringify(value).slice(0, 120)}, which a comment or a secret note of the document alone has`,
        });
    for (const value of facts.hidden.conditions)
      if (facts.literals.compared.includes(value) || facts.literals.equalled.includes(value))
        findings.failures.push({
          code: 'CANDIDATE_HARD_CODED',
          message: `the source compares with ${JSON.stringify(value).slice(0, 120)}, which a comment or a secret note of the document alone makes a condition`,
        });
    for (const bound of facts.hidden.bounds)
      if (isBoundIn(facts.candidate.bundle, bound))
        findings.failures.push({
          code: 'CANDIDATE_HARD_CODED',
          message: `the source has ${bound} for a bound, which a comment or a secret note of the document alone has as one`,
        });
    return findings;
  },
  review({ hidden, cases }, runs) {
    for (const { scenario, seen } of [...cases, ...runs]) {
      const own = new Set(membersOf(scenario.input));
      const name = membersOf(seen.value).find((member) => !own.has(member) && hidden.hasName(member));
      if (name === undefined) continue;
      return [
        {
          code: 'CANDIDATE_HARD_CODED',
          message: `the answer has a member ${JSON.stringify(name).slice(0, 120)}, which a comment or a secret note of the document alone has`,
          input: scenario.input,
          ...(seen.value === undefined ? {} : { got: seen.value }),
        },
      ];
    }
    return [];
  },
};

/** Whether something is held against a number, as it stands or as esbuild writes it. */
function isBoundIn(bundle: string, bound: number): boolean {
  const digits = `(?:${bound}|${bound.toExponential().replace('+', '')})`;
  return new RegExp(`[<>]=?\\s*${digits}(?![\\d.])|(?<![\\d.])${digits}\\s*[<>]`).test(bundle);
}

/** The names of what an answer has in it, down to its lists' items. */
function membersOf(answer: Json | undefined): string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  if (Array.isArray(answer)) return answer.slice(0, maxItems).flatMap(membersOf);
  return Object.entries(answer).flatMap(([name, value]) => [name, ...membersOf(value)]);
}

/** Items of a list whose members are looked at. */
const maxItems = 20;

/** Whether a datum in the source needs no further evidence. */
function isProof({ kind, value }: Datum): boolean {
  if (kind === 'id' || kind === 'time' || kind === 'encoded') return String(value).length >= 2;
  if (kind === 'number') return true;
  // One capitalised word may be the name of a state or a unit as well as that of a person.
  return kind === 'name' && (/\s/.test(String(value).trim()) || String(value).length >= 12);
}

function found({ value }: Datum, where: string): Omit<CheckFact, 'check'> {
  return {
    code: 'CANDIDATE_HARD_CODED',
    message: `the source holds ${JSON.stringify(value).slice(0, 120)}, a value ${where}`,
  };
}

type Suspect = CaseData['answersOnly'][number];

function* weighAnswers(
  facts: CheckFacts,
  suspects: readonly Suspect[],
  findings: CheckFindings,
): Generator<Scenario[], void, Observation[]> {
  const plans = facts.cases
    .filter(({ one }) => suspects.some(({ places }) => places.some(({ testCase }) => testCase === one.testCase)))
    .flatMap((seenCase) => otherRuns(facts, seenCase).map((scenario) => ({ seenCase, scenario })));
  const seen = plans.length === 0 ? [] : yield plans.map(({ scenario }) => scenario);
  for (const suspect of suspects) {
    const fact = found(suspect, 'that stands in answers alone');
    const varies = suspect.places.some((place) => variesAt(facts, suspect, place, seen));
    const inRefusal = suspect.places.every(
      ({ testCase }) =>
        reportsFailure(facts.cases.find(({ one }) => one.testCase === testCase)?.one.output ?? null) === true,
    );
    // A sentence with a number in it is a sentence.
    const isSentence = suspect.kind === 'id' && /\s/.test(String(suspect.value).trim());
    // A number of the document with its decimals, as 1 is written `1.000000`.
    const isSpelling = typeof suspect.value === 'string' && facts.vocabulary.hasNumber(Number(suspect.value));
    const looksLikeId =
      !isSpelling &&
      ((suspect.kind === 'id' && !isSentence) ||
        suspect.kind === 'number' ||
        suspect.kind === 'time' ||
        suspect.kind === 'encoded');
    if (varies) {
      // One request may be told apart by its id all the same.
      if (looksLikeId && !inRefusal) findings.warnings.push(fact);
    } else if (looksLikeId && !(inRefusal && suspect.kind !== 'number')) findings.failures.push(fact);
    else if ((suspect.kind === 'name' || isSentence) && !isTemplate(facts.subject, suspect))
      findings.warnings.push(fact);
  }
}

/** Fewer texts of the form of the case's than this do not show that a word of it never changes. */
const leastTexts = 4;

/** Whether a place of the answer takes two other values or more when the request changes; in a longer text the very word counts. */
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
  if (isPart && got.length < leastTexts) return true;
  const cases = facts.cases.map(({ one }) => read(one.output) ?? null);
  const others = got.filter(
    (value) => (isPart || typeof value === typeof suspect) && !cases.some((known) => equalJson(known, value)),
  );
  return new Set(others).size >= 2;
}

/** Whether a text is what every answer of its kind says, rather than data of one case. */
function isTemplate(subject: Subject, { places }: Suspect): boolean {
  return (
    places.every(({ pointer }) =>
      /message|description|reason|title|detail|text|status|error|note|info$/i.test(
        pointer.split('/').findLast((token) => !/^\d+$/.test(token)) ?? '',
      ),
    ) || subject.cases.length === 0
  );
}

/** The case with one value that another case has at that place, while each tool answers whatever it is asked: some places allow few values. */
function valuesOfOthers({ subject, cases }: CheckFacts, { one, seen }: SeenCase): Scenario[] {
  const base = { ...caseScenario(subject, one), tools: answeringAlike(subject.tools, seen) as Scenario['tools'] };
  const places = leavesOf(one.input).map(({ pointer, value }) => {
    const others = new Set(cases.flatMap((other) => valueAt(other.one.input, pointer) ?? []));
    return { pointer, others: [...others].filter((other) => typeof other === typeof value && other !== value) };
  });
  const most = Math.max(0, ...places.map(({ others }) => others.length));
  // Round by round, so that each place has its turn before the limit is reached.
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
    new SeededRandom('variations'),
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
