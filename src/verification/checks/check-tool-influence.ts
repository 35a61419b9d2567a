import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings, Finding, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { dataOf, isDistinctive } from '../worlds/rename-map.ts';
import { SeededRandom } from '../worlds/seeded-random.ts';
import { replacedAt, variationsOf } from '../worlds/variations.ts';
import { traceOf } from './check-determinism.ts';
import { numbersToldOtherwise, unheardNumber } from './unheard-numbers.ts';

/** Changes what read-only tools answer, and looks for answers that needed a tool nobody called. */
export const toolInfluence: Check = {
  name: 'tool-influence',
  reason:
    'A tool whose answer never matters is called for show; an answer that only a tool can give must come from it.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const { subject, cases } = facts;
    if (subject.tools.length === 0 && subject.role === 'provider')
      return { findings: [], skipped: 'there are no tools' };
    const findings: Finding[] = [];
    for (const one of cases) {
      const untold =
        one.seen.calls.length === 0 && reportsFailure(one.one.output) !== true ? toolTextOf(facts, one) : undefined;
      if (untold === undefined) continue;
      findings.push(
        factOf(
          'tool-influence/told-without-call',
          one,
          `it answers with ${JSON.stringify(untold).slice(0, 120)}, which only a tool can tell, and calls none`,
        ),
      );
    }
    const untoldBy = cases.every(({ seen }) => seen.calls.length === 0)
      ? cases.flatMap((one) => owedTo(facts, one))
      : [];
    const [owed] = untoldBy;
    if (owed && (untoldBy.length > 1 || owed.value.length > 1)) {
      findings.push(
        factOf(
          'tool-influence/told-without-call',
          owed.one,
          `it answers with ${owed.value}, which only ${owed.tool} can tell, and calls none`,
        ),
      );
    }
    const names = subject.tools
      .filter((tool) => isReadOnly(subject, tool.name) && cases.some(({ seen }) => calls(seen, tool.name)))
      .map(({ name }) => name);
    const plans = names.flatMap((name) =>
      cases
        .filter(({ seen }) => calls(seen, name))
        .flatMap((one) =>
          otherAnswers(facts, one, name).map((tools) => ({ name, one, scenario: { ...one.scenario, tools } })),
        ),
    );
    const numbers = cases.flatMap((one) => carriedNumbers(facts, one));
    const texts = cases.flatMap((one) => carriedTexts(facts, one));
    const untold = cases.every(({ seen }) => seen.calls.length === 0)
      ? cases.flatMap((one) => untoldNumbers(facts, one))
      : [];
    const otherwise = numbersToldOtherwise(facts);
    if (plans.length + numbers.length + texts.length + untold.length + otherwise.length === 0) return { findings };
    const calling = cases.filter(({ seen }) => seen.calls.some(({ output }) => output !== undefined));
    const all = yield [
      ...calling.map(({ scenario }) => ({
        ...scenario,
        faults: subject.tools.map(({ name }) => ({ tool: name, error: outage })),
      })),
      ...plans.map(({ scenario }) => scenario),
      ...numbers.flatMap(({ scenarios }) => scenarios),
      ...texts.flatMap(({ scenarios }) => scenarios),
      ...untold.flatMap(({ scenarios }) => scenarios),
      ...otherwise.map(({ scenario }) => scenario),
    ];
    const failing = all.splice(0, calling.length);
    const unheard = unheardNumber(facts, otherwise, all.splice(all.length - otherwise.length));
    if (unheard) {
      findings.push({
        ...factOf(
          'tool-influence/worked-out-number-stays',
          unheard.one,
          `it answers ${unheard.value} at ${unheard.pointer} whatever the peer tells`,
        ),
      });
    }
    const textRuns = texts.reduce((sum, { scenarios }) => sum + scenarios.length, 0);
    const seen = all.slice(0, plans.length + 2 * numbers.length + textRuns);
    const matters = (one: SeenCase, after: Observation | undefined): boolean =>
      !equalJson(one.seen.value ?? null, after?.value ?? null) || one.seen.end !== after?.end;
    const deaf =
      plans.length > 0 &&
      plans.every(({ one }, index) => !matters(one, seen[index])) &&
      calling.every((one, index) => !matters(one, failing[index]));
    const kinds = new Set(calling.map(({ one }) => JSON.stringify(withoutEcho(one.output, one.input))));
    if (deaf && kinds.size >= 3 && calling[0]) {
      findings.push(
        factOf(
          'tool-influence/nothing-matters',
          calling[0],
          'whatever tools answer, and whether they fail or not, the answers are those of the cases',
        ),
      );
    }
    let from = seen.length;
    for (const { one, pointer, value, scenarios } of untold) {
      const others = all.slice(from, from + scenarios.length);
      from += scenarios.length;
      const told = others.flatMap((other) => (other.value === undefined ? [] : [valueAt(other.value, pointer)]));
      // Where there is no number at all, the request may have been turned down.
      if (told.filter((each) => each === value).length < 3 || told.some((each) => each !== undefined && each !== value))
        continue;
      findings.push(
        factOf(
          'tool-influence/number-without-call',
          one,
          `it answers ${value} at ${pointer} whatever is asked, which only a tool can tell, and calls none`,
        ),
      );
    }
    let at = plans.length + 2 * numbers.length;
    for (const { one, tool, value, scenarios } of texts) {
      const own = seen.slice(at, at + scenarios.length);
      at += scenarios.length;
      if (!own.every(({ value: after }) => after !== undefined && equalJson(after, one.seen.value ?? null))) continue;
      findings.push({
        ...factOf(
          'tool-influence/text-stays',
          one,
          `it answers with ${JSON.stringify(value).slice(0, 120)} whatever ${tool} tells`,
        ),
      });
    }
    const changedAt = numbers.map(({ one, pointer, value }, index) => {
      const [more, less] = [0, 1].map((nth) => seen[plans.length + 2 * index + nth]?.value);
      const own = [more, less].filter((answer) => answer !== undefined);
      const isHeard = own.some((answer) => !equalJson(verdictsOf(answer), verdictsOf(one.seen.value ?? null)));
      return { isHeard, isKept: more !== undefined && own.every((answer) => valueAt(answer, pointer) === value) };
    });
    for (const [index, { one, tool, pointer, value }] of numbers.entries()) {
      // What is told may be held against what was asked: then it is heard, if not in every case, though never repeated.
      const isHeard = numbers.some((other, nth) => other.pointer === pointer && changedAt[nth]?.isHeard);
      if (isHeard || !changedAt[index]?.isKept) continue;
      findings.push({
        ...factOf('tool-influence/number-stays', one, `it answers ${value} at ${pointer} whatever ${tool} tells`),
      });
    }
    for (const name of names) {
      const own = plans.flatMap((plan, index) =>
        plan.name === name ? [{ one: plan.one, seen: seen[index] as Observation }] : [],
      );
      const [first] = own;
      if (first && own.every(({ one, seen: after }) => equalJson(traceOf(one.seen), traceOf(after)))) {
        const message = `${name} is called, but nothing that it could answer changes the outcome`;
        const kept = own.map(({ one }) => ({ one, value: keptFrom(facts, one, name) })).find(({ value }) => value);
        findings.push(
          kept
            ? factOf('tool-influence/kept-from-no-call', kept.one, `${message}, though ${kept.value} is what it told`)
            : isDecisive(cases, name)
              ? factOf(
                  'tool-influence/yes-and-no-unheard',
                  first.one,
                  `${message}, though the cases have it yes and no`,
                )
              : factOf('tool-influence/tool-may-not-matter', first.one, message),
        );
      }
    }
    return { findings };
  },
};

const outage = { code: 'FAILED' as const, message: 'out of order' };

/** What an answer has but for its numbers. */
function verdictsOf(answer: Json): Json[] {
  return leavesOf(answer).flatMap(({ pointer, value }) => (typeof value === 'number' ? [] : [[pointer, value]]));
}

/** The values of an answer that do not stand in its request. */
function withoutEcho(answer: Json, input: Json): Json[] {
  const asked = leavesOf(input).map(({ value }) => value);
  return leavesOf(answer).flatMap(({ pointer, value }) => (asked.includes(value) ? [] : [[pointer, value]]));
}

/** Whether all that a tool ever tells in the cases is yes or no, both come, and no case that is told the one is answered as one that is told the other. */
function isDecisive(cases: readonly SeenCase[], name: string): boolean {
  const told = cases.flatMap((one) => {
    const outputs = one.seen.calls.flatMap(({ tool, output }) =>
      tool === name && output !== undefined ? [output] : [],
    );
    return outputs.length === 0 ? [] : [{ one, leaves: outputs.flatMap(leavesOf) }];
  });
  if (!told.every(({ leaves }) => leaves.length === 1 && typeof leaves[0]?.value === 'boolean')) return false;
  const answers = (value: boolean) =>
    told.flatMap(({ one: { one }, leaves }) =>
      leaves[0]?.value === value ? [JSON.stringify(withoutEcho(one.output, one.input))] : [],
    );
  const [yes, no] = [new Set(answers(true)), new Set(answers(false))];
  return yes.size > 0 && no.size > 0 && yes.isDisjointFrom(no);
}

function calls(seen: Observation, name: string): boolean {
  return seen.calls.some(({ tool, output }) => tool === name && output !== undefined);
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

/** What an answer holds of what a tool told in the case. */
function keptFrom(facts: CheckFacts, one: SeenCase, name: string): string | undefined {
  for (const { tool, output } of one.seen.calls) {
    const kept = tool === name && output !== undefined ? keptOf(facts, one, output) : undefined;
    if (kept !== undefined) return kept;
  }
  return undefined;
}

/** What an answer holds of what an example of a tool tells, where all that this example asks for stands in the request. */
function owedTo(facts: CheckFacts, one: SeenCase): { one: SeenCase; tool: string; value: string }[] {
  const asked = leavesOf(one.one.input)
    .map(({ value }) => String(value))
    .join('\n');
  return facts.subject.tools.flatMap(({ name, examples = [] }) => {
    const own = examples.find(({ input }) => {
      const leaves = leavesOf(input);
      return leaves.length > 0 && leaves.every(({ value }) => hasWord(asked, String(value)));
    });
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

interface CarriedText {
  one: SeenCase;
  tool: string;
  value: string;
  /** The case with another text in what the tool tells, and nothing else changed: a later or larger one, and an earlier or smaller one. */
  scenarios: Scenario[];
}

const DATE = /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/;

/** A text with its date a day later and a day earlier, or its last number one more and one less: a bound is heard of in one of both. */
function besides(text: string): string[] {
  const [date] = DATE.exec(text) ?? [];
  const noon = Date.parse(`${date}T12:00:00Z`);
  if (date !== undefined && Number.isFinite(noon))
    return [1, -1].map((days) => text.replace(date, new Date(noon + days * 86_400_000).toISOString().slice(0, 10)));
  return [1, -1].map((step) =>
    // The last two digits alone: what comes before them may say of what kind the value is.
    text.replace(/\d{1,2}(?=\D*$)/, (digits) => {
      const other = Number(digits) + step;
      const wanted = other < 0 || String(other).length > digits.length ? Number(digits) - step : other;
      return String(wanted).padStart(digits.length, '0');
    }),
  );
}

/** Texts with digits that one tool alone tells, at one place alone, and that the answer holds word for word. */
function carriedTexts({ subject, vocabulary }: CheckFacts, one: SeenCase): CarriedText[] {
  if (subject.role === 'requester') return carriedFromPeer(subject, vocabulary, one);
  const asked = JSON.stringify(one.one.input).toLowerCase();
  const answer = leavesOf(one.one.output)
    .filter(({ pointer }) => !one.one.loose.some((loose) => loose.pointer === pointer))
    .map(({ value }) => String(value))
    .join('\n');
  const told = one.seen.calls.flatMap(({ output }) => (output === undefined ? [] : leavesOf(output)));
  return one.seen.calls.flatMap(({ tool, input, output }) => {
    if (output === undefined) return [];
    const mayWorkOut = !isReadOnly(subject, tool);
    return leavesOf(output).flatMap(({ pointer, value }) => {
      if (typeof value !== 'string' || value.length < 3 || !/\d/.test(value) || vocabulary.hasText(value)) return [];
      if (asked.includes(value.toLowerCase()) || !hasWord(answer, value)) return [];
      // What an act tells may follow from what it was asked for: a time from another one.
      if (mayWorkOut && shapeOf(asked).includes(shapeOf(value))) return [];
      if (told.filter((leaf) => String(leaf.value).includes(value)).length !== 1) return [];
      const scenarios = besides(value).flatMap((fresh) => {
        const changed = replacedAt(output, pointer, fresh);
        if (subject.surface.toolOutputIssues(tool, changed).length > 0) return [];
        const tools = subject.tools.map((other) =>
          other.name === tool ? { ...other, examples: [{ input, output: changed }, ...(other.examples ?? [])] } : other,
        );
        return [{ ...one.scenario, tools }];
      });
      return scenarios.length < 2 ? [] : [{ one, tool, value, scenarios }];
    });
  });
}

/** The same of what the peer tells in the one answer that a case has. */
function carriedFromPeer(
  subject: CheckFacts['subject'],
  vocabulary: CheckFacts['vocabulary'],
  one: SeenCase,
): CarriedText[] {
  const [send, ...others] = one.seen.sends;
  if (send === undefined || others.length > 0 || one.seen.calls.length > 0) return [];
  const asked = JSON.stringify([one.one.input, send.request]).toLowerCase();
  const output = leavesOf(one.one.output);
  const told = leavesOf(one.one.case.response);
  return toldIn(subject, one).flatMap(({ tool, output: response, isValid, telling }) =>
    told.flatMap(({ pointer, value }) => {
      if (typeof value !== 'string' || value.length < 3 || vocabulary.hasText(value)) return [];
      // Amounts and dates may be worked out of others.
      if (!/\d/.test(value) || !/\p{L}/u.test(value)) return [];
      if (asked.includes(value.toLowerCase()) || !output.some((leaf) => leaf.value === value)) return [];
      if (told.filter((leaf) => String(leaf.value).includes(value)).length !== 1) return [];
      const fresh = besides(value).map((text) => replacedAt(response, pointer, text));
      return fresh.every(isValid) ? [{ one, tool, value, scenarios: fresh.map(telling) }] : [];
    }),
  );
}

function shapeOf(text: string): string {
  return text.toLowerCase().replace(/\d/g, '0');
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

/** The tools with what one of them answers in a case replaced: by what it answers elsewhere, by `otherwise`, and by changed scalars. */
function otherAnswers({ subject }: CheckFacts, { seen }: SeenCase, name: string): Tool[][] {
  const tool = subject.tools.find((one) => one.name === name);
  if (!tool) return [];
  const before = seen.calls.find((call) => call.tool === name && call.output !== undefined)?.output ?? null;
  const random = new SeededRandom(`influence-${name}`);
  const elsewhere = [...(tool.examples ?? []), ...(tool.otherwise ? [tool.otherwise] : [])].flatMap((answer) =>
    'output' in answer ? [answer.output] : [],
  );
  const outputs = [...elsewhere.slice(0, 3), changed(before, random), changed(before, random), emptied(before), null]
    .filter(
      (output, index, all) =>
        !equalJson(output, before) && all.findIndex((other) => equalJson(other, output)) === index,
    )
    .filter((output) => subject.surface.toolOutputIssues(name, output).length === 0)
    .slice(0, 5);
  return outputs.map((output) =>
    subject.tools.map((one) => (one.name === name ? { ...one, examples: [], otherwise: { output } } : one)),
  );
}

function changed(value: Json, random: SeededRandom): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number')
    return Number.isInteger(value) ? value + random.integer(1, 9) : Number((value * 1.37).toFixed(2));
  if (typeof value === 'string')
    return value === ''
      ? 'x'
      : value
          .replace(/\d/g, () => String(random.integer(0, 9)))
          .replace(/[a-z]/g, () => random.pick([...'bdfgkmpvz']) ?? 'b');
  if (Array.isArray(value)) return value.map((item) => changed(item, random));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item, random)]));
  return value;
}

function emptied(value: Json): Json {
  if (Array.isArray(value)) return [];
  if (typeof value === 'number') return 0;
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, emptied(item)]));
  return value;
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
