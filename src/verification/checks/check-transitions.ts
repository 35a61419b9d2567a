import type { Tool } from '../../contract/job.ts';
import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { sentencesOf } from '../prose/documented-answers.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { answeringAlike } from '../worlds/variations.ts';

/** Transitions beyond this number are left alone. */
const maxTransitions = 40;

/** Asks for every transition that the document lists, where the event comes with the request, and the state as well or from a tool that keeps it. */
export const transitions: Check = {
  name: 'transitions',
  reason: 'Cases show some transitions of a state machine; the document lists all of them.',
  certain:
    'The document lists transitions in one form, of which cases show at least one and none shows another; the event is a member of the request with a fixed set of values, the state one as well or what a tool that only reads tells, and an answer has not the new state that the list has, or has a new one where the document, and a case, leave the state as it is for all that is not listed.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    const machine = machineOf(facts) ?? keptMachineOf(facts);
    if (!machine)
      return {
        ...none,
        skipped: 'the document lists no transitions of a state that comes with the request or from a tool',
      };
    const { subject } = facts;
    const plans = [...machine.transitions, ...machine.others].slice(0, maxTransitions).map((transition) => ({
      ...transition,
      scenario: machine.asking(transition),
    }));
    const valid = plans.filter(({ scenario }) => subject.surface.requestIssues(scenario.input).length === 0);
    if (valid.length === 0) return none;
    const seen = yield valid.map(({ scenario }) => scenario);
    const failures = valid.flatMap(({ from, event, to, scenario: { input } }, index): CheckFindings['failures'] => {
      const { value, calls = [] } = seen[index] ?? {};
      if (value === undefined || valueAt(value, machine.pointer) === to) return [];
      // Another tool may be wanted that no case has for this transition.
      if (calls.some(({ error }) => error !== undefined)) return [];
      return [
        {
          code: 'CANDIDATE_RULE_BROKEN',
          message: `${event} ${from === to ? `leaves ${from} as it is` : `takes ${from} to ${to}`}, as the document has it, but the answer has another value at ${machine.pointer}`,
          input,
          expected: to,
          got: value,
        },
      ];
    });
    return { failures: failures.slice(0, 5), warnings: [] };
  },
};

interface Transition {
  from: string;
  event: string;
  to: string;
}

interface Machine {
  /** A case in which state and event are those of a transition. */
  asking(transition: Transition): Scenario;
  /** Where the answer has the new state. */
  pointer: string;
  transitions: Transition[];
  /** What leaves the state as it is, where the document says so of all that it does not list. */
  others: Transition[];
}

/** Words by which more than state and event may decide. */
const CONDITIONAL = /\b(?:only|unless|except|provided that|as long as|allowed to|role|permission)\b|只有|除非|权限/i;

/** What a document says of all that its list of transitions does not have. */
const OTHERS_STAY =
  /\b(?:any|every|all|each) other\b.{0,60}\b(?:changes? nothing|leaves? the state|keeps? (?:the|its) state|state (?:stays|remains|is unchanged|does not change))\b|(?:其他|其它).{0,30}(?:不变|保持)/i;

/** The state machine of a document, as far as cases confirm how it is to be read. */
function machineOf({ subject, cases }: CheckFacts): Machine | undefined {
  if (subject.role === 'requester' || subject.tools.length > 0 || CONDITIONAL.test(subject.agreement.text))
    return undefined;
  const sets = setsOf(subject.requestSchema);
  for (const state of sets) {
    for (const event of sets) {
      if (state === event || [...state.values].some((value) => event.values.has(value))) continue;
      const listed = listedTransitions(sentencesOf(subject.agreement), state.values, event.values);
      if (listed === undefined || listed.length < 2) continue;
      const shown = cases.flatMap(({ one }) => {
        const { input, output } = one;
        const transition = isObject(input)
          ? listed.find(({ from, event: name }) => input[state.name] === from && input[event.name] === name)
          : undefined;
        return transition && isObject(input) ? [{ one, input, output, to: transition.to }] : [];
      });
      const [first] = shown;
      if (!first || !isPlain(first.input, state.name, event.name)) continue;
      const pointer = leavesOf(first.output)
        .filter(({ value }) => value === first.to)
        .map((leaf) => leaf.pointer)
        .find((place) => shown.every(({ output, to }) => valueAt(output, place) === to));
      // A failure among them shows that more than state and event decides.
      if (pointer === undefined || shown.some(({ output }) => reportsFailure(output) === true)) continue;
      const unlisted = [...state.values].flatMap((from) =>
        [...event.values]
          .filter((name) => !listed.some((one) => one.from === from && one.event === name))
          .map((name) => ({ from, event: name, to: from })),
      );
      const saysSo = sentencesOf(subject.agreement).some((sentence) => OTHERS_STAY.test(sentence));
      const confirmed = cases.some(
        ({ one: { input, output } }) =>
          isObject(input) &&
          unlisted.some(({ from, event: name }) => input[state.name] === from && input[event.name] === name) &&
          valueAt(output, pointer) === input[state.name],
      );
      return {
        asking: (transition) => ({
          ...caseScenario(subject, first.one),
          input: { ...first.input, [state.name]: transition.from, [event.name]: transition.event },
        }),
        pointer,
        transitions: listed,
        others: saysSo && confirmed ? unlisted : [],
      };
    }
  }
  return undefined;
}

/** Words by which a sentence that names a state or an event may have more than these decide. */
const DEPENDS =
  /\b(?:only|unless|except|if|when|while|before|after|until|must|cannot|may|role)\b|只有|除非|权限|如果|必须|(?<!\p{L})(?:nur|wenn|falls|muss|darf)(?!\p{L})/iu;

/** The state machine of a document, where a tool that only reads keeps the state, and nothing else that it tells but names. */
function keptMachineOf({ subject, cases }: CheckFacts): Machine | undefined {
  if (subject.role === 'requester') return undefined;
  const sentences = sentencesOf(subject.agreement);
  for (const tool of subject.tools.filter(({ name }) => isReadOnly(subject, name))) {
    for (const state of statesOf(tool, subject.responseSchema)) {
      for (const event of setsOf(subject.requestSchema)) {
        if ([...state.values].some((value) => event.values.has(value))) continue;
        const listed = listedTransitions(sentences, state.values, event.values);
        if (listed === undefined || listed.length < 2) continue;
        const names = [...state.values, ...event.values];
        const isDecidedElse = (sentence: string) =>
          DEPENDS.test(sentence) && !sentence.includes('|') && names.some((name) => hasWord(sentence, name));
        if (sentences.some(isDecidedElse)) continue;
        const shown = cases.flatMap((one) => keptIn(one, tool.name, state, event));
        const moves = shown.flatMap((own) => {
          const to = listed.find((each) => each.from === own.from && each.event === own.name)?.to;
          return to === undefined || reportsFailure(own.seenCase.one.output) === true ? [] : [{ ...own, to }];
        });
        const [first] = moves;
        if (!first || !isPlain(first.input, '', event.name) || !isPlain(first.output, state.name, '')) continue;
        const pointer = leavesOf(first.seenCase.one.output)
          .filter(({ value }) => value === first.to)
          .map((leaf) => leaf.pointer)
          .find((place) => moves.every(({ seenCase, to }) => valueAt(seenCase.one.output, place) === to));
        if (pointer === undefined) continue;
        const unlisted = [...state.values].flatMap((from) =>
          [...event.values]
            .filter((name) => !listed.some((one) => one.from === from && one.event === name))
            .map((name) => ({ from, event: name, to: from })),
        );
        const confirmed = shown.some(
          ({ seenCase, from, name }) =>
            unlisted.some((one) => one.from === from && one.event === name) &&
            valueAt(seenCase.one.output, pointer) === from,
        );
        const { one, seen } = first.seenCase;
        return {
          asking: (transition) => ({
            ...caseScenario(subject, one),
            input: { ...first.input, [event.name]: transition.event },
            tools: answeringAlike(subject.tools, seen).map((each) =>
              each.name === tool.name
                ? { ...each, examples: [], otherwise: { output: { ...first.output, [state.name]: transition.from } } }
                : each,
            ) as Scenario['tools'],
          }),
          pointer,
          transitions: listed,
          others: confirmed && sentences.some((sentence) => OTHERS_STAY.test(sentence)) ? unlisted : [],
        };
      }
    }
  }
  return undefined;
}

/** What a case has as state and event, where one call alone of this tool tells of states. */
function keptIn(
  seenCase: SeenCase,
  tool: string,
  state: WordSet,
  event: WordSet,
): { seenCase: SeenCase; input: Record<string, Json>; output: Record<string, Json>; from: string; name: string }[] {
  const { one, seen } = seenCase;
  const telling = seen.calls.filter(({ output }) =>
    leavesOf(output ?? null).some(({ value }) => typeof value === 'string' && state.values.has(value)),
  );
  const [call, ...others] = telling;
  const output = call?.output;
  if (call?.tool !== tool || others.length > 0 || !isObject(one.input) || !isObject(output)) return [];
  const [from, name] = [output[state.name], one.input[event.name]];
  if (typeof from !== 'string' || typeof name !== 'string' || !event.values.has(name)) return [];
  return [{ seenCase, input: one.input, output, from, name }];
}

/** A member that has one of a few words. */
interface WordSet {
  name: string;
  values: ReadonlySet<string>;
}

/** The members of an object that a schema gives a few words to have. */
function setsOf(schema: Json, isGiven: (value: Json) => boolean = (value) => typeof value === 'string'): WordSet[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  return Object.entries(properties).flatMap(([name, own]) =>
    isObject(own) && Array.isArray(own.enum) && own.enum.every(isGiven)
      ? [{ name, values: new Set(own.enum.filter((value) => typeof value === 'string')) }]
      : [],
  );
}

/** Members of a tool's answer that have one of a few words, by its own schema or since its examples have there what answers have. */
function statesOf({ outputSchema = null, examples = [] }: Tool, responseSchema: Json): WordSet[] {
  const told = examples.flatMap((example) => ('output' in example && isObject(example.output) ? [example.output] : []));
  const listed = setsOf(outputSchema);
  const others = setsOf(responseSchema, (value) => value === null || typeof value === 'string').flatMap(
    ({ values }) => {
      const names = [...new Set(told.flatMap((output) => Object.keys(output)))];
      return names
        .filter((name) => told.every((output) => typeof output[name] === 'string' && values.has(output[name])))
        .map((name) => ({ name, values }));
    },
  );
  return [...listed, ...others.filter(({ name }) => !listed.some((one) => one.name === name))];
}

/** Whether nothing but state and event of a request can decide: the rest are names. */
function isPlain(input: Record<string, Json>, state: string, event: string): boolean {
  return Object.entries(input).every(([name, value]) => name === state || name === event || typeof value === 'string');
}

/** A table with a row for each state and a column for each event, a state in each cell or a mark that there is none; empty where it says more. */
function tabledTransitions(
  sentences: readonly string[],
  states: ReadonlySet<string>,
  events: ReadonlySet<string>,
): Transition[] {
  const found: Transition[] = [];
  let columns: string[] | undefined;
  for (const sentence of sentences) {
    const cells = sentence
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.replace(/[\s`*"]+/g, ' ').trim());
    const [from = '', ...rest] = cells;
    if (rest.length < 2) columns = undefined;
    else if (rest.every((cell) => events.has(cell))) columns = rest;
    else if (columns !== undefined && states.has(from)) {
      for (const [index, to] of rest.entries()) {
        const event = columns[index];
        if (event === undefined || !(states.has(to) || /^[–—−-]?$/.test(to))) return [];
        if (states.has(to)) found.push({ from, event, to });
      }
    }
  }
  return found;
}

/** Clauses and table rows that consist of a state, an event and a state, with nothing but marks between; `undefined` where two of them differ. */
function listedTransitions(
  sentences: readonly string[],
  states: ReadonlySet<string>,
  events: ReadonlySet<string>,
): Transition[] | undefined {
  const found = new Map<string, Transition>();
  for (const transition of tabledTransitions(sentences, states, events))
    found.set(JSON.stringify([transition.from, transition.event]), transition);
  for (const clause of sentences.flatMap((sentence) => sentence.split(/[;,]/))) {
    if (!/[|+=>→]/.test(clause)) continue;
    const row = /^[^:：\n]*\btransitions?\b[^:：\n]*[:：]/i.exec(clause);
    const body = (row ? clause.slice(row[0].length) : clause).replace(/^\s*(?:[-*•]|\d+[.)])\s/, '');
    const words = [...body.matchAll(/[\p{L}\p{N}_-]*[\p{L}\p{N}_]/gu)].map(([word]) => word);
    const marks = body.replace(/[\p{L}\p{N}_-]*[\p{L}\p{N}_]/gu, ' ');
    if (words.length !== 3 || /[^\s|+=>→:()`'".–—-]/u.test(marks) || !/[|+=>→]/.test(marks)) continue;
    const [a, b, c] = words as [string, string, string];
    const transition = [
      { from: a, event: b, to: c },
      { from: a, event: c, to: b },
      { from: b, event: a, to: c },
    ].find((one) => states.has(one.from) && events.has(one.event) && states.has(one.to));
    if (!transition) continue;
    const key = JSON.stringify([transition.from, transition.event]);
    const known = found.get(key);
    if (known && known.to !== transition.to) return undefined;
    found.set(key, transition);
  }
  return [...found.values()];
}
