import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { caseScenario } from '../case-scenarios.ts';
import type { Check, CheckFacts, CheckFindings } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { sentencesOf } from '../prose/documented-answers.ts';
import { leavesOf } from '../scalar-kinds.ts';

/** Transitions beyond this number are left alone. */
const maxTransitions = 40;

/** Asks for every transition that the document lists, where state and event both come with the request. */
export const transitions: Check = {
  name: 'transitions',
  reason: 'Cases show some transitions of a state machine; the document lists all of them.',
  certain:
    'The document lists transitions in one form, of which cases show at least one and none shows another; state and event are members of the request with a fixed set of values, and an answer has not the new state that the list has, or has a new one where the document, and a case, leave the state as it is for all that is not listed.',
  uncertain: 'Nothing.',
  *run(facts): Generator<Scenario[], CheckFindings, Observation[]> {
    const none: CheckFindings = { failures: [], warnings: [] };
    const machine = machineOf(facts);
    if (!machine)
      return { ...none, skipped: 'the document lists no transitions of a state that comes with the request' };
    const { subject } = facts;
    const plans = [...machine.transitions, ...machine.others].slice(0, maxTransitions).map((transition) => ({
      ...transition,
      input: { ...machine.base, [machine.state]: transition.from, [machine.event]: transition.event } as Json,
    }));
    const valid = plans.filter(({ input }) => subject.surface.requestIssues(input).length === 0);
    const [first] = facts.cases;
    if (!first || valid.length === 0) return none;
    const seen = yield valid.map(({ input }) => ({ ...caseScenario(subject, first.one), input }));
    const failures = valid.flatMap(({ from, event, to, input }, index): CheckFindings['failures'] => {
      const value = seen[index]?.value;
      if (value === undefined || valueAt(value, machine.pointer) === to) return [];
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
  /** The request of a case, in which state and event are replaced. */
  base: Record<string, Json>;
  state: string;
  event: string;
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
  const sets = Object.entries(
    isObject(subject.requestSchema) && isObject(subject.requestSchema.properties)
      ? subject.requestSchema.properties
      : {},
  ).flatMap(([name, schema]) =>
    isObject(schema) && Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string')
      ? [{ name, values: new Set(schema.enum as string[]) }]
      : [],
  );
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
        return transition && isObject(input) ? [{ input, output, to: transition.to }] : [];
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
        base: first.input,
        state: state.name,
        event: event.name,
        pointer,
        transitions: listed,
        others: saysSo && confirmed ? unlisted : [],
      };
    }
  }
  return undefined;
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
