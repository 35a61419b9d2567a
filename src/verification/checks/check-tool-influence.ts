import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, Finding, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import { isMeantFor, isReadOnly } from '../subject.ts';
import { dataOf, isDistinctive } from '../worlds/datum.ts';
import { replacedAt, variationsOf } from '../worlds/variations.ts';
import { untoldIn } from './untold.ts';

/**
 * Changes small numbers that read-only tools or the peer tell, and looks for answers that needed a tool nobody called.
 */
export const toolInfluence: Check = {
  name: 'tool-influence',
  reason: 'An answer that only a tool can give must come from it.',
  *run(facts) {
    const { subject, cases } = facts;
    if (subject.tools.length === 0 && subject.role === 'provider')
      return { findings: [], skipped: 'there are no tools' };
    const isSilent = cases.every(({ seen }) => seen.calls.length === 0);
    const untold = isSilent ? cases.flatMap((one) => untoldNumbers(facts, one)) : [];
    const carried = cases.flatMap((one) => carriedNumbers(facts, one));
    const calling = cases.filter(({ seen }) => seen.calls.some(({ output }) => output !== undefined));
    const faults = subject.tools.map(({ name }) => ({ tool: name, error: outage }));
    const plans = [...untold, ...carried];
    const scenarios = [
      ...calling.map(({ scenario }) => ({ ...scenario, faults })),
      ...plans.flatMap((plan) => plan.scenarios),
    ];
    const seen = scenarios.length === 0 ? [] : [...(yield scenarios)];
    const failing = seen.splice(0, calling.length);
    const runs = plans.map((plan) => seen.splice(0, plan.scenarios.length));
    return {
      findings: [
        ...(isSilent ? owedValues(facts) : []),
        ...cases.flatMap((one) => untoldText(facts, one)),
        ...calling.flatMap((one, index) => toldByNobody(facts, one, failing[index] as Observation)),
        ...untold.flatMap((number, index) => numberWithoutCall(number, runs[index] ?? [])),
        ...numbersThatStay(carried.map((number, index) => ({ ...number, runs: runs[untold.length + index] ?? [] }))),
      ],
    };
  },
};

const outage = { code: 'FAILED' as const, message: '' };

/** What an answer still has of what tools told in the case, though all of them fail. */
function toldByNobody(facts: CheckFacts, one: SeenCase, { value }: Observation): Finding[] {
  const told = one.seen.calls.flatMap(({ output }) => (output === undefined ? [] : [output]));
  const untold = value === undefined ? undefined : untoldIn(facts, told, one.one.input, value);
  if (untold === undefined) return [];
  const message = `it tells ${JSON.stringify(untold).slice(0, 120)}, which only a tool can tell, though all of them fail`;
  return [factOf('tool-influence/tells-what-nobody-told', one, message)];
}

/** What no tool told a candidate that calls none in any case, and examples of tools tell. */
function owedValues(facts: CheckFacts): Finding[] {
  const owed = facts.cases.flatMap((one) => owedTo(facts, one));
  const [first] = owed;
  if (first === undefined || (owed.length === 1 && first.value.length === 1)) return [];
  const message = `it answers with ${first.value}, which only ${first.tool} can tell, and calls none`;
  return [factOf('tool-influence/told-without-call', first.one, message)];
}

/** A text that only a tool tells, in the answer of a case that calls none. */
function untoldText(facts: CheckFacts, one: SeenCase): Finding[] {
  const isRefused = reportsFailure(one.one.output) === true;
  const text = one.seen.calls.length === 0 && !isRefused ? toolTextOf(facts, one) : undefined;
  if (text === undefined) return [];
  const message = `it answers with ${JSON.stringify(text).slice(0, 120)}, which only a tool can tell, and calls none`;
  return [factOf('tool-influence/told-without-call', one, message)];
}

/** Fewer answers with a number do not show that it is always the same. */
const leastTold = 3;

function numberWithoutCall({ one, pointer, value }: UntoldNumber, runs: readonly Observation[]): Finding[] {
  // Where there is no number at all, the request may have been turned down.
  const told = runs.flatMap((run) => (run.value === undefined ? [] : (valueAt(run.value, pointer) ?? [])));
  if (told.length < leastTold || told.some((other) => other !== value)) return [];
  const message = `it answers ${value} at ${pointer} whatever is asked, which only a tool can tell, and calls none`;
  return [factOf('tool-influence/number-without-call', one, message)];
}

function numbersThatStay(numbers: readonly (CarriedNumber & { runs: readonly Observation[] })[]): Finding[] {
  const isHeard = ({ one, runs }: (typeof numbers)[number]): boolean =>
    runs.some(({ value }) => value !== undefined && !equalJson(verdictsOf(value), verdictsOf(one.seen.value ?? null)));
  return numbers.flatMap((number) => {
    const { one, tool, pointer, value, runs } = number;
    // What is told may be held against what was asked: then it is heard, if not in every case, though never repeated.
    if (numbers.some((other) => other.pointer === pointer && isHeard(other))) return [];
    const isKept = runs.every((run) => run.value === undefined || valueAt(run.value, pointer) === value);
    if (runs[0]?.value === undefined || !isKept) return [];
    return [factOf('tool-influence/number-stays', one, `it answers ${value} at ${pointer} whatever ${tool} tells`)];
  });
}

/** What an answer has but for its numbers. */
function verdictsOf(answer: Json): Json[] {
  return leavesOf(answer).flatMap(({ pointer, value }) => (typeof value === 'number' ? [] : [[pointer, value]]));
}

/** What an answer holds, number or name, that neither request nor document has and that some value tells: `undefined` where there is nothing. */
function keptOf({ subject, vocabulary }: CheckFacts, { one }: SeenCase, told: Json): string | undefined {
  if (reportsFailure(one.output) === true) return undefined;
  const known = `${JSON.stringify(one.input)}\n${subject.agreement.text}`.toLowerCase();
  const answer = leavesOf(one.output)
    .filter(({ pointer }) => !one.loose.some((loose) => loose.pointer === pointer))
    .map(({ value }) => String(value))
    .join('\n');
  const sizes = lengthsOf(told);
  const found = leavesOf(told).find(({ name, value }) => {
    if (/code|status|version|error/i.test(name)) return false;
    if (typeof value === 'number')
      return (
        Math.abs(value) >= 3 &&
        !sizes.includes(value) &&
        !vocabulary.hasNumber(value) &&
        isWordOf(answer, known, String(value))
      );
    return (
      typeof value === 'string' && value.length >= 4 && !vocabulary.hasText(value) && isWordOf(answer, known, value)
    );
  });
  return found && JSON.stringify(found.value);
}

function isWordOf(answer: string, known: string, text: string): boolean {
  return hasWord(answer, text) && !known.includes(text.toLowerCase());
}

/** What an answer holds of what an example of a tool tells, where all that this example asks for stands in the request. */
function owedTo(facts: CheckFacts, one: SeenCase): { one: SeenCase; tool: string; value: string }[] {
  return facts.subject.tools.flatMap(({ name, examples = [] }) => {
    const own = examples.find((example) => isMeantFor([example], one.one.input));
    const value = own && 'output' in own ? keptOf(facts, one, own.output) : undefined;
    return value === undefined ? [] : [{ one, tool: name, value }];
  });
}

interface CarriedNumber {
  one: SeenCase;
  tool: string;
  /** Where the answer holds the number. */
  pointer: string;
  value: number;
  /** The case with a larger number in what the tool tells, and with a much smaller one: an answer may be capped, or rounded. */
  scenarios: [Scenario, Scenario];
}

/** Numbers of one case that are tried: each is a copy of all that was told. */
const maxCarried = 40;

/** Members that may be counted anew. */
const COUNTING_NAME = /rank|position|place|index|^no$|number|line|row|seq|order|count|page/i;

/** Small numbers that an answer holds under the name and with the value that a tool, or the peer, told. Larger ones are renamed with the other data. */
function carriedNumbers({ subject }: CheckFacts, one: SeenCase): CarriedNumber[] {
  const asked = new Set(leavesOf(one.one.input).map(({ value }) => value));
  const answer = leavesOf(one.one.output);
  const loose = new Set(one.one.loose.map(({ pointer }) => pointer));
  let made = 0;
  return toldIn(subject, one).flatMap(({ tool, output, isValid, telling }) => {
    const told = leavesOf(output);
    const lengths = new Set(lengthsOf(output));
    return told.flatMap(({ pointer, name, value }) => {
      if (made === maxCarried) return [];
      // Zero stands in an answer where nothing was told, too.
      if (typeof value !== 'number' || !Number.isInteger(value) || value === 0 || Math.abs(value) >= 1000) return [];
      // Of a list, which may come sorted or cut, one item must be told apart by the number.
      const inList = /\/\d+(?:\/|$)/.test(pointer);
      const alone = (leaves: readonly Leaf[]) =>
        leaves.filter((leaf) => leaf.name === name && leaf.value === value).length === 1;
      if (inList && (COUNTING_NAME.test(name) || !alone(told))) return [];
      // Of two places of the answer that have it, one may have it from elsewhere.
      if (!alone(answer)) return [];
      // So it may where another answer of the peer, or of a tool, told it as well.
      if (one.seen.sends.filter(({ response }) => holds(response, value)).length > 1) return [];
      if (one.seen.calls.filter((call) => holds(call.output, value)).length > 1) return [];
      if (asked.has(value) || lengths.has(value) || /code|status|version|error/i.test(name)) return [];
      const place = answer.find((leaf) => leaf.name === name && leaf.value === value && !loose.has(leaf.pointer));
      if (!place) return [];
      made += 1;
      const [more, less] = [value + 3, Math.floor(value / 2)].map((other) => replacedAt(output, pointer, other));
      if (more === undefined || !isValid(more)) return [];
      const isAllowed = less !== undefined && isValid(less);
      const scenarios: [Scenario, Scenario] = [telling(more), telling(isAllowed ? less : more)];
      return [{ one, tool, pointer: place.pointer, value, scenarios }];
    });
  });
}

function holds(answer: Json | undefined, value: Json): boolean {
  return answer !== undefined && leavesOf(answer).some((leaf) => leaf.value === value);
}

interface Told {
  /** The tool, or "the peer". */
  tool: string;
  output: Json;
  isValid(output: Json): boolean;
  /** The case with something else told. */
  telling(output: Json): Scenario;
}

/** What read-only tools tell in a case from their examples, or the peer in its response. */
function toldIn(subject: CheckFacts['subject'], one: SeenCase): Told[] {
  if (subject.role === 'requester') {
    return [
      {
        tool: 'the peer',
        output: one.one.case.response,
        isValid: (output) => subject.surface.responseIssues(output).length === 0,
        telling: (output) => {
          const own = { ...one.one.case, response: output };
          const cases = subject.cases.map((other) => (other.testCase === own.testCase ? own : other));
          return caseScenario({ ...subject, cases }, { ...one.one, case: own });
        },
      },
    ];
  }
  return one.seen.calls.flatMap(({ tool, input, output }): Told[] => {
    const definition = subject.tools.find(({ name }) => name === tool);
    const nth = definition?.examples?.findIndex((example) => equalJson(example.input, input)) ?? -1;
    if (output === undefined || nth < 0 || !isReadOnly(subject, tool)) return [];
    const telling = (changed: Json): Scenario => ({
      ...one.scenario,
      tools: subject.tools.map((other) =>
        other.name === tool
          ? {
              ...other,
              examples: (other.examples ?? []).map((example, index) =>
                index === nth ? { input: example.input, output: changed } : example,
              ),
            }
          : other,
      ),
    });
    return [{ tool, output, isValid: (value) => subject.surface.toolOutputIssues(tool, value).length === 0, telling }];
  });
}

interface UntoldNumber {
  one: SeenCase;
  pointer: string;
  value: number;
  /** The case with another request each, none of them that of a case. */
  scenarios: Scenario[];
}

/** Numbers of an answer that the examples of some tool tell, and neither request nor document: who works them out without a tool has others for other requests. */
function untoldNumbers(facts: CheckFacts, one: SeenCase): UntoldNumber[] {
  const { subject, vocabulary } = facts;
  if (subject.role === 'requester' || reportsFailure(one.one.output) === true) return [];
  const told = new Set(
    subject.tools
      .flatMap((tool) =>
        (tool.examples ?? []).flatMap((example) => ('output' in example ? leavesOf(example.output) : [])),
      )
      .map(({ value }) => value),
  );
  const asked = JSON.stringify(one.one.input);
  const scenarios = variationsOf(facts, one, 12).map(({ scenario }) => scenario);
  if (scenarios.length < 3) return [];
  return leavesOf(one.one.output).flatMap(({ pointer, name, value }) => {
    if (typeof value !== 'number' || Math.abs(value) < 10 || !told.has(value)) return [];
    if (/code|status|version|error/i.test(name) || asked.includes(String(value))) return [];
    if (vocabulary.hasNumber(value)) return [];
    return [{ one, pointer, value, scenarios }];
  });
}

function lengthsOf(value: Json): number[] {
  if (Array.isArray(value)) return [value.length, ...value.flatMap(lengthsOf)];
  return isObject(value) ? Object.values(value).flatMap(lengthsOf) : [];
}

/** A distinctive text of the answer that the examples of some tool tell and the request does not. */
function toolTextOf({ subject, vocabulary }: CheckFacts, { one }: SeenCase): string | undefined {
  const told = subject.tools.flatMap((tool) =>
    (tool.examples ?? []).flatMap((example) => ('output' in example ? leavesOf(example.output) : [])),
  );
  const asked = JSON.stringify([one.input, subject.role === 'requester' ? one.case.response : null]).toLowerCase();
  const answer = new Set(leavesOf(one.output).map(({ value }) => value));
  const datum = dataOf(told, vocabulary).find(
    (candidate) =>
      typeof candidate.value === 'string' &&
      isDistinctive(candidate) &&
      answer.has(candidate.value) &&
      !asked.includes(JSON.stringify(candidate.value).slice(1, -1).toLowerCase()),
  );
  return datum && String(datum.value);
}

function factOf(rule: Finding['rule'], { one, seen }: SeenCase, message: string): Finding {
  return {
    rule,
    message: `case ${one.testCase}: ${message}`,
    testCase: one.testCase,
    input: one.input,
    ...(seen.value === undefined ? {} : { got: seen.value }),
  };
}
