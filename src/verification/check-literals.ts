import type { Observation, Scenario } from '../contract/trial.ts';
import { isObject, type Json, valueAt } from '../kernel/json.ts';
import { equalJson } from '../schemas/equal-json.ts';
import { type CaseData, caseDataOf } from './case-data.ts';
import { caseScenario } from './case-scenarios.ts';
import type { Check, CheckFact, CheckFacts, CheckFindings, SeenCase } from './check.ts';
import { reportsFailure } from './failure-answer.ts';
import { type Datum, RenameMap } from './rename-map.ts';
import { renamedSubject } from './renamed-world.ts';
import { SeededRandom } from './seeded-random.ts';
import type { Subject } from './subject.ts';
import { variationsOf } from './variations.ts';

const maxVariationsPerCase = 14;

/** Looks for data of cases and tool answers among the constants of the source. */
export const literalAudit: Check = {
  name: 'literal-audit',
  reason: 'A handler that holds data of the cases or of the tools in its source knows the examples, not the protocol.',
  certain:
    'A distinctive datum that requests or tools tell stands in the source and is no word of the document, schema or tools; so does an id or number that stands in answers alone, where that place of the answer never takes another value when the request changes.',
  uncertain: 'Names of one word, currency codes and whole sentences of answers: a handler may have reasons for them.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const data = caseDataOf(facts.subject, facts.vocabulary);
    const findings: CheckFindings = { failures: [], warnings: [] };
    for (const datum of data.told) {
      if (!facts.literals.has(datum.value)) continue;
      const fact = found(datum, 'that requests or tools tell');
      if (isProof(datum)) findings.failures.push(fact);
      else if (datum.kind !== 'word') findings.warnings.push(fact);
    }
    const suspects = data.answersOnly.filter((datum) => facts.literals.has(datum.value));
    if (suspects.length > 0) yield* weighAnswers(facts, suspects, findings);
    if (findings.failures.length > 0) findings.memorised = true;
    return findings;
  },
};

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
    const values: Json[] = [];
    const cases = facts.cases.flatMap(({ one }) => one.output);
    for (const { pointer } of suspect.places) {
      for (const observation of seen) {
        const value = observation.value === undefined ? undefined : valueAt(observation.value, pointer);
        if (value === undefined || value === null || isObject(value) || Array.isArray(value)) continue;
        const isNew =
          !values.some((known) => equalJson(known, value)) &&
          !cases.some((output) => equalJson(valueAt(output, pointer) ?? null, value));
        if (isNew) values.push(value);
      }
    }
    const fact = found(suspect, 'that stands in answers alone');
    const varies = values.filter((value) => typeof value === typeof suspect.value).length >= 2;
    const inRefusal = suspect.places.every(
      ({ testCase }) =>
        reportsFailure(facts.cases.find(({ one }) => one.testCase === testCase)?.one.output ?? null) === true,
    );
    // A sentence with a number in it is a sentence.
    const isSentence = suspect.kind === 'id' && /\s/.test(String(suspect.value).trim());
    const looksLikeId =
      (suspect.kind === 'id' && !isSentence) ||
      suspect.kind === 'number' ||
      suspect.kind === 'time' ||
      suspect.kind === 'encoded';
    if (varies) continue;
    if (looksLikeId && !(inRefusal && suspect.kind !== 'number')) findings.failures.push(fact);
    else if ((suspect.kind === 'name' || isSentence) && !isTemplate(facts.subject, suspect))
      findings.warnings.push(fact);
  }
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
    {
      ...caseScenario(subject, seenCase.one),
      input: map.json(seenCase.one.input),
      tools: renamed.tools as Scenario['tools'],
    },
  ];
}
