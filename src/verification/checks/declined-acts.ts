import type { Observation, Scenario } from '../../contract/trial.ts';
import { isObject, type Json, valueAt } from '../../kernel/json.ts';
import { constantsOf } from '../../schemas/constants-of.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { CheckFacts, SeenCase } from '../check.ts';
import { type DeclineRule, declineRuleOf } from '../prose/declined-acts.ts';
import { holdsConstant } from '../prose/documented-answers.ts';
import { staysTheSame } from '../prose/failure-names.ts';
import { leavesOf } from '../scalar-kinds.ts';
import { isReadOnly, type Subject } from '../subject.ts';
import { listsOf } from '../worlds/lists.ts';
import { answeringSomehow, replacedAt } from '../worlds/variations.ts';

/** A case in which one call of a tool that acts is answered with a no, or with something else than was asked for. */
export interface DeclinedAct {
  seenCase: SeenCase;
  tool: string;
  /** Which call of the tool it is, from 1. */
  nth: number;
  rule: DeclineRule;
  /** What is told, in words. */
  change: string;
  /** Whether the tool answers so in the case itself: then there is nothing to see but whether its failing is answered alike. */
  isShown: boolean;
  scenario: Scenario;
}

/** Runs of a candidate with acts that are declined, and calls of one tool that are. */
const [maxDeclined, maxCalls] = [24, 3];

/** The cases, each with one act that is declined, where the document has a rule for that. */
export function declinedActsOf({ subject, cases }: CheckFacts): DeclinedAct[] {
  return cases
    .flatMap((seenCase) => {
      const counts = new Map<string, number>();
      return seenCase.seen.calls.flatMap(({ tool, input, output }): DeclinedAct[] => {
        if (isReadOnly(subject, tool) || output === undefined) return [];
        const nth = (counts.get(tool) ?? 0) + 1;
        counts.set(tool, nth);
        if (nth > maxCalls || staysTheSame(subject, tool) !== undefined) return [];
        // What is asked several times cannot be answered otherwise once.
        const same = seenCase.seen.calls.filter((call) => call.tool === tool && equalJson(call.input, input));
        if (same.length > 1) return [];
        const tools = answeringSomehow(subject.tools, seenCase.seen, (name) => !isReadOnly(subject, name));
        return declinesOf(subject, tool, input, output).flatMap(({ member, value, other, isShown }) => {
          const rule = declineRuleOf(subject, { tool, member, ...(value === undefined ? {} : { value }) });
          if (rule === undefined || (isShown && !rule.isLikeFailing)) return [];
          // What was reached otherwise is wrong by the name that it has alone.
          if (value === undefined && rule.names.length === 0) return [];
          const declining = tools.map((each) =>
            each.name === tool
              ? { ...each, examples: [{ input, output: other }, ...(each.examples ?? [])] }
              : isReadOnly(subject, each.name)
                ? (subject.tools.find(({ name }) => name === each.name) ?? each)
                : each,
          );
          const change = `${tool} tells ${JSON.stringify(other).slice(0, 80)}`;
          const scenario = { ...seenCase.scenario, tools: declining as Scenario['tools'] };
          return [{ seenCase, tool, nth, rule, change, isShown, scenario }];
        });
      });
    })
    .slice(0, maxDeclined);
}

interface Declining {
  member: string;
  value?: boolean;
  other: Json;
  isShown: boolean;
}

/** The answers by which a tool says no, where it said yes in whatever is known of it, or tells another state, number or fewer things than it was asked for. */
function declinesOf(subject: Subject, tool: string, input: Json, output: Json): Declining[] {
  const { outputSchema = null, examples = [] } = subject.tools.find(({ name }) => name === tool) ?? {};
  const shown = examples.flatMap((example) => ('output' in example ? [example.output] : []));
  const asked = leavesOf(input);
  const isAllowed = (other: Json) => subject.surface.toolOutputIssues(tool, other).length === 0;
  const scalars = leavesOf(output).flatMap(({ pointer, name, value }): Declining[] => {
    if (typeof value === 'boolean') {
      const usual = shown.map((one) => valueAt(one, pointer)).filter((one) => typeof one === 'boolean');
      const isShown = value === false && usual.includes(true);
      const other = isShown ? output : [replacedAt(output, pointer, !value), { [name]: !value }].find(isAllowed);
      const isUsual = usual.every((one) => one === value);
      return other === undefined || !(isUsual || isShown)
        ? []
        : [{ member: name, value: isShown ? value : !value, other, isShown }];
    }
    if (!asked.some((leaf) => leaf.value === value)) return [];
    const others =
      typeof value === 'number' && value > 0
        ? [value - 1]
        : typeof value === 'string'
          ? statesOf(outputSchema, name).filter((state) => state !== value)
          : [];
    return others
      .map((one) => replacedAt(output, pointer, one))
      .filter(isAllowed)
      .slice(0, 2)
      .map((other) => ({ member: name, other, isShown: false }));
  });
  const lists = listsOf(output).flatMap(({ pointer, name, items }): Declining[] => {
    const isCount =
      items.length > 0 &&
      (asked.some(({ value }) => value === items.length) ||
        listsOf(input).some((list) => list.items.length === items.length));
    const other = replacedAt(output, pointer, items.slice(0, -1));
    return isCount && isAllowed(other) ? [{ member: name, other, isShown: false }] : [];
  });
  return [...scalars, ...lists];
}

/** The states that a schema lists for a member of an answer. */
function statesOf(schema: Json, name: string): Json[] {
  const member = isObject(schema) && isObject(schema.properties) ? schema.properties[name] : undefined;
  return isObject(member ?? null) && Array.isArray((member as { enum?: Json }).enum)
    ? (member as { enum: Json[] }).enum
    : [];
}

/** What is wrong with the answer, or with what is done, where an act is declined; `failed` is what was seen where it fails instead. */
export function faultOfDeclined(
  { subject }: CheckFacts,
  { seenCase, tool, rule, isShown, scenario }: DeclinedAct,
  seen: Observation,
  failed: Observation | undefined,
): string | undefined {
  const before = seenCase.seen;
  const after = isShown ? before : seen;
  if (after.end !== 'returned' || after.value === undefined || after.issues.length > 0) return undefined;
  // It must have come to that.
  const isTold = (call: Observation['calls'][number]) => call.tool === tool && call.output !== undefined;
  if (!after.calls.some(isTold)) return undefined;
  const quoted = `though "${rule.sentence}"`;
  if (rule.isLikeFailing && failed?.value !== undefined && failed.end === 'returned') {
    const [one, other] = [failed, after].map((run) => verdictOf(subject, scenario.input, run));
    if (!equalJson(one as Json, other as Json) && !isTriedAgain(before, failed, tool))
      return `it is answered otherwise than where ${tool} fails, ${quoted}`;
  }
  if (isShown) return undefined;
  const names = rule.names.filter((name) => !holdsConstant(before.value ?? null, [name]));
  if (
    names.length > 0 &&
    names.length === rule.names.length &&
    !holdsConstant(after.value, names) &&
    !isTriedAgain(before, after, tool)
  )
    return `the answer has none of ${names.join(', ')}, ${quoted}`;
  // What does not matter when it fails need not matter when it is declined.
  const matters = failed !== undefined && !equalJson(effectOf(failed), effectOf(before));
  if (rule.names.length === 0 && matters && equalJson(effectOf(after), effectOf(before)))
    return `nothing changes, ${quoted}`;
  return undefined;
}

function isTriedAgain(before: Observation, after: Observation, tool: string): boolean {
  const count = ({ calls }: Observation) => calls.filter((call) => call.tool === tool).length;
  return count(after) > count(before);
}

/** All that can be seen of a run, what it logged as well. */
function effectOf({ value, calls, sends, logs }: Observation): Json {
  return [value ?? null, calls.map(({ tool, input }) => [tool, input]), sends.map(({ request }) => request), [...logs]];
}

/** What of an answer is no free text, and which tools were called. */
export function verdictOf(
  { responseSchema, task }: Subject,
  input: Json,
  { value, calls }: Pick<Observation, 'value' | 'calls'>,
): Json {
  const listed = [responseSchema, task?.outputSchema ?? null].flatMap((schema) => constantsOf(schema));
  const asked = new Set(leavesOf(input).map((leaf) => leaf.value));
  const words = leavesOf(value ?? null).flatMap((leaf) =>
    typeof leaf.value !== 'string' || listed.includes(leaf.value) || asked.has(leaf.value)
      ? [[leaf.pointer, leaf.value]]
      : [[leaf.pointer, null]],
  );
  return [words as Json, calls.map(({ tool }) => tool)];
}
