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
 * Changes small numbers that read-only tools or the peer return, and looks for answers that needed a tool nobody
 * called.
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
    const observations = scenarios.length === 0 ? [] : [...(yield scenarios)];
    const failing = observations.splice(0, calling.length);
    const runs = plans.map((plan) => observations.splice(0, plan.scenarios.length));
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

/** Tool data of the case that an answer still has although all tools fail. */
function toldByNobody(facts: CheckFacts, one: SeenCase, { value }: Observation): Finding[] {
  const outputs = one.seen.calls.flatMap(({ output }) => (output === undefined ? [] : [output]));
  const untold = value === undefined ? undefined : untoldIn(facts, outputs, one.one.input, value);
  if (untold === undefined) return [];
  const message = `it answers with ${JSON.stringify(untold).slice(0, 120)}, which only a tool knows, although every tool fails`;
  return [factOf('tool-influence/tells-what-nobody-told', one, message)];
}

/** Data of tool examples in the answers of a candidate that never calls a tool. */
function owedValues(facts: CheckFacts): Finding[] {
  const owed = facts.cases.flatMap((one) => owedTo(facts, one));
  const [first] = owed;
  if (first === undefined || (owed.length === 1 && first.value.length === 1)) return [];
  const message = `it answers with ${first.value}, which only ${first.tool} knows, without calling a tool`;
  return [factOf('tool-influence/told-without-call', first.one, message)];
}

/** A text that only a tool returns, in the answer of a case that calls none. */
function untoldText(facts: CheckFacts, one: SeenCase): Finding[] {
  const isRefused = reportsFailure(one.one.output) === true;
  const text = one.seen.calls.length === 0 && !isRefused ? toolTextOf(facts, one) : undefined;
  if (text === undefined) return [];
  const message = `it answers with ${JSON.stringify(text).slice(0, 120)}, which only a tool knows, without calling one`;
  return [factOf('tool-influence/told-without-call', one, message)];
}

/** Answers with a number needed to conclude that it is always the same. */
const minTold = 3;

function numberWithoutCall({ one, pointer, value }: UntoldNumber, runs: readonly Observation[]): Finding[] {
  // An answer without any number may be a refusal.
  const told = runs.flatMap((run) => (run.value === undefined ? [] : (valueAt(run.value, pointer) ?? [])));
  if (told.length < minTold || told.some((other) => other !== value)) return [];
  const message = `it answers ${value} at ${pointer} to every request, without calling the tool that knows it`;
  return [factOf('tool-influence/number-without-call', one, message)];
}

function numbersThatStay(numbers: readonly (CarriedNumber & { runs: readonly Observation[] })[]): Finding[] {
  const isHeard = ({ one, runs }: (typeof numbers)[number]): boolean =>
    runs.some(({ value }) => value !== undefined && !equalJson(verdictsOf(value), verdictsOf(one.seen.value ?? null)));
  return numbers.flatMap((number) => {
    const { one, tool, pointer, value, runs } = number;
    // The candidate may compare the number with the request: it then matters in some cases, although it is never
    // repeated.
    if (numbers.some((other) => other.pointer === pointer && isHeard(other))) return [];
    const isKept = runs.every((run) => run.value === undefined || valueAt(run.value, pointer) === value);
    if (runs[0]?.value === undefined || !isKept) return [];
    return [factOf('tool-influence/number-stays', one, `it answers ${value} at ${pointer} whatever ${tool} returns`)];
  });
}

/** The values of an answer other than numbers. */
function verdictsOf(answer: Json): Json[] {
  return leavesOf(answer).flatMap(({ pointer, value }) => (typeof value === 'number' ? [] : [[pointer, value]]));
}

/**
 * A number or name in an answer that neither request nor document has but a tool or peer returned; `undefined` if there
 * is none.
 */
function keptOf({ subject, vocabulary }: CheckFacts, { one }: SeenCase, told: Json): string | undefined {
  if (reportsFailure(one.output) === true) return undefined;
  const known = `${JSON.stringify(one.input)}\n${subject.agreement.text}`.toLowerCase();
  const answer = leavesOf(one.output)
    .filter(({ pointer }) => !one.loose.some((loose) => loose.pointer === pointer))
    .map(({ value }) => String(value))
    .join('\n');
  const sizes = lengthsOf(told);
  const leaf = leavesOf(told).find(({ name, value }) => {
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
  return leaf && JSON.stringify(leaf.value);
}

function isWordOf(answer: string, known: string, text: string): boolean {
  return hasWord(answer, text) && !known.includes(text.toLowerCase());
}

/** Data in an answer from a tool example whose whole input the request has. */
function owedTo(facts: CheckFacts, one: SeenCase): { one: SeenCase; tool: string; value: string }[] {
  return facts.subject.tools.flatMap(({ name, examples = [] }) => {
    const matching = examples.find((example) => isMeantFor([example], one.one.input));
    const value = matching && 'output' in matching ? keptOf(facts, one, matching.output) : undefined;
    return value === undefined ? [] : [{ one, tool: name, value }];
  });
}

interface CarriedNumber {
  one: SeenCase;
  tool: string;
  /** Where the answer has the number. */
  pointer: string;
  value: number;
  /** The case with a larger and with a much smaller number in the tool's answer: the handler may cap or round it. */
  scenarios: [Scenario, Scenario];
}

/** Most numbers of one case that are tried: each run copies all tool answers. */
const maxCarried = 40;

/** Members that a handler may count itself. */
const COUNTING_NAME = /rank|position|place|index|^no$|number|line|row|seq|order|count|page/i;

/**
 * Small numbers that an answer has under the same name and value as a tool or the peer returned. Larger ones are
 * renamed with the other data.
 */
function carriedNumbers({ subject }: CheckFacts, one: SeenCase): CarriedNumber[] {
  const asked = new Set(leavesOf(one.one.input).map(({ value }) => value));
  const answer = leavesOf(one.one.output);
  const loose = new Set(one.one.loose.map(({ pointer }) => pointer));
  let made = 0;
  return toldIn(subject, one).flatMap(({ tool, output, isValid, telling }) => {
    const outputLeaves = leavesOf(output);
    const lengths = new Set(lengthsOf(output));
    return outputLeaves.flatMap(({ pointer, name, value }) => {
      if (made === maxCarried) return [];
      // Answers may have a zero for other reasons.
      if (typeof value !== 'number' || !Number.isInteger(value) || value === 0 || Math.abs(value) >= 1000) return [];
      // A list may be sorted or cut: the number must identify one item.
      const inList = /\/\d+(?:\/|$)/.test(pointer);
      const alone = (leaves: readonly Leaf[]) =>
        leaves.filter((leaf) => leaf.name === name && leaf.value === value).length === 1;
      if (inList && (COUNTING_NAME.test(name) || !alone(outputLeaves))) return [];
      // With two such places in the answer, one may come from elsewhere.
      if (!alone(answer)) return [];
      // So may it if another answer of the peer or a tool has it as well.
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
  /** The case with another answer. */
  telling(output: Json): Scenario;
}

/** What read-only tools return in a case by their examples, or the peer in its response. */
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
  /** The case with other requests, none of them of a case. */
  scenarios: Scenario[];
}

/**
 * Numbers of an answer that tool examples have but neither request nor document: a handler that computes them gives
 * others for other requests.
 */
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

/** A distinctive text of the answer that tool examples have but the request lacks. */
function toolTextOf({ subject, vocabulary }: CheckFacts, { one }: SeenCase): string | undefined {
  const exampleLeaves = subject.tools.flatMap((tool) =>
    (tool.examples ?? []).flatMap((example) => ('output' in example ? leavesOf(example.output) : [])),
  );
  const asked = JSON.stringify([one.input, subject.role === 'requester' ? one.case.response : null]).toLowerCase();
  const answer = new Set(leavesOf(one.output).map(({ value }) => value));
  const datum = dataOf(exampleLeaves, vocabulary).find(
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
