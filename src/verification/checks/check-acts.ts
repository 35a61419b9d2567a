import type { ObservedCall } from '../../contract/trial.ts';
import type { Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { Check, CheckFacts, CheckFindings, Run, SeenCase } from '../check.ts';
import { reportsFailure } from '../failure-answer.ts';
import { CORRELATION_NAME } from '../member-names.ts';
import { demandOf, sentenceOnce } from '../prose/documented-acts.ts';
import { type Successor, successorsOf } from '../prose/documented-steps.ts';
import { hasWord, leavesOf } from '../scalar-kinds.ts';
import { isReadOnly } from '../subject.ts';
import { sideEffectFact } from './check-side-effects.ts';

/** Looks at what the calls of tools with side effects carry, and at those that the document wants and that never come. */
export const acts: Check = {
  name: 'acts',
  reason: 'An answer may say that something was done that was not done, or was done with other data.',
  certain:
    'The document has a tool with side effects used, and the candidate does not even have its name; or has it act once, and it acts twice in the same way; or behind another tool, and it acts before that in a case; or the answer tells a fresh id under a name under which a tool was given another, or as that of the thing which the tool, by its name, made under another; or in whatever run of a request that succeeds in a case, no call of a tool is carried out, since its input breaks the schema of the tool.',
  uncertain:
    'The same act twice in one case, where the document says nothing of it and the request has no such number.',
  *run(facts): Generator<never, CheckFindings, never> {
    const { subject, cases } = facts;
    const names = subject.tools.map(({ name }) => name).filter((name) => !isReadOnly(subject, name));
    if (names.length === 0) return { failures: [], warnings: [], skipped: 'no tool has side effects' };
    const [first] = cases;
    if (!first) return { failures: [], warnings: [], skipped: 'no case can be run' };
    const failures: CheckFindings['failures'] = [];
    const warnings: CheckFindings['warnings'] = [];
    for (const name of names) {
      const wanted = unnamed(facts, name);
      if (wanted) {
        failures.push(sideEffectFact(wanted.one, `the source never names ${name}, though "${wanted.sentence}"`));
        continue;
      }
      const once = sentenceOnce(subject, name);
      for (const one of cases) {
        const twice = repeated(one, name);
        if (twice === undefined) continue;
        const told = sideEffectFact(one, `${name} was called ${twice} times with the same input`);
        if (once !== undefined) failures.push({ ...told, message: `${told.message}, though "${once}"`.slice(0, 500) });
        else if (!mayRepeat(one, twice)) warnings.push(told);
      }
    }
    for (const one of cases) {
      const early = calledTooEarly(subject, one);
      if (early) {
        failures.push(sideEffectFact(one, `${early.second} was called before ${early.first}, though "${early.said}"`));
        break;
      }
    }
    for (const one of cases) {
      const other = otherId(facts, one);
      if (other)
        failures.push(
          sideEffectFact(
            one,
            `it answers with another ${other.name} than ${other.tool} was given, and nobody is told that one`,
          ),
        );
    }
    return { failures, warnings };
  },
  review(facts, runs) {
    return facts.subject.tools.flatMap(({ name }) => {
      const vain = isReadOnly(facts.subject, name) ? undefined : neverTaken(facts, runs, name);
      if (vain === undefined) return [];
      const { pointer = '', message = 'invalid' } = vain.call.issues?.[0] ?? {};
      const told = `no call of ${name} that it makes is carried out: its input breaks the schema of the tool at "${pointer}": ${message}`;
      return [sideEffectFact(vain.one, told)];
    });
  },
};

/** Two tools that a case called with success in another order than the document has. */
function calledTooEarly(subject: CheckFacts['subject'], { seen: { calls } }: SeenCase): Successor | undefined {
  const firstOf = (name: string) => calls.findIndex(({ tool, error }) => tool === name && error === undefined);
  return successorsOf(subject).find(({ first, second }) => firstOf(second) >= 0 && firstOf(first) > firstOf(second));
}

/** A call that a tool's schema forbids, in place or in the wake of an act, where no call of that tool for a request that succeeds is any better. */
function neverTaken(
  { subject, cases }: CheckFacts,
  runs: readonly Run[],
  name: string,
): { one: SeenCase; call: ObservedCall } | undefined {
  const good = cases.filter(({ one }) => !one.case.negative && reportsFailure(one.case.response) !== true);
  const made = [...cases, ...runs].flatMap(({ scenario, seen }) => {
    const one = good.find(({ scenario: { input } }) => equalJson(input, scenario.input));
    // Where the tool was made to fail, nobody looked at the input.
    if (!one || scenario.faults?.some(({ tool }) => tool === name)) return [];
    return seen.calls.flatMap((call, index) => (call.tool === name ? [{ one, seen, call, index }] : []));
  });
  if (!made.every(({ call }) => call.invalid === 'input')) return undefined;
  // Where nothing was done before, there may have been nothing to say to the tool.
  return made.find(
    ({ one, seen, index }) =>
      seen === one.seen ||
      seen.calls.slice(0, index).some(({ tool, error }) => !isReadOnly(subject, tool) && error === undefined),
  );
}

/** A tool that the document has used, and whose name the source has nowhere: nor any way to a tool but by its name. */
function unnamed(
  { subject, candidate, cases }: CheckFacts,
  name: string,
): { one: SeenCase; sentence: string } | undefined {
  const { bundle } = candidate;
  if (new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(bundle) || DYNAMIC_CALL.test(bundle.replace(QUOTED, '""')))
    return undefined;
  const good = cases.filter(({ one }) => !one.case.negative && reportsFailure(one.output) !== true);
  const [any] = good;
  if (any === undefined) return undefined;
  const demand = demandOf(subject, name);
  if (demand === undefined) return undefined;
  if (demand.isNamed) return { one: any, sentence: demand.sentence };
  const meant = good.find((one) => isMeant(subject, name, one));
  return meant && { one: meant, sentence: demand.sentence };
}

/** The tools taken as a whole: any of them may be called in ways that do not show. */
const DYNAMIC_CALL = /(?<![\w$])call(?![\w$])(?!\s*(?:[.(,]|\}))|\(\s*call\s*[,)]|,\s*call\s*\)/;

const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Whether an example of a tool asks for nothing but what a case asks and tells, and for something of its request. */
function isMeant(subject: CheckFacts['subject'], name: string, { one, seen }: SeenCase): boolean {
  const asked = textOf(one.input);
  const told = textOf([one.input, one.output, seen.calls.map(({ output }) => output ?? null)]);
  return (subject.tools.find((tool) => tool.name === name)?.examples ?? []).some(({ input }) => {
    const leaves = leavesOf(input).map(({ value }) => String(value));
    return (
      leaves.length > 0 &&
      leaves.every((leaf) => hasWord(told, leaf)) &&
      leaves.some((leaf) => leaf.length > 2 && hasWord(asked, leaf))
    );
  });
}

function textOf(value: Json): string {
  return leavesOf(value)
    .map(({ value: leaf }) => String(leaf))
    .join('\n');
}

function callsOf({ seen }: SeenCase, name: string): ObservedCall[] {
  return seen.calls.filter(({ tool, error }) => tool === name && error === undefined);
}

/** How often a case acted in one way, where that is more than once and nothing failed in between. */
function repeated(one: SeenCase, name: string): number | undefined {
  const calls = callsOf(one, name);
  if (one.seen.calls.some(({ error }) => error !== undefined)) return undefined;
  const most = Math.max(0, ...calls.map(({ input }) => calls.filter((other) => equalJson(other.input, input)).length));
  return most > 1 ? most : undefined;
}

/** Whether a request asks for something as often as it was done, by its number or by saying it as often. */
function mayRepeat({ one }: SeenCase, times: number): boolean {
  const leaves = leavesOf(one.input);
  return (
    leaves.some(({ value }) => value === times) ||
    leaves.some(({ value }) => leaves.filter((other) => other.value === value).length >= times)
  );
}

/** Names of fresh ids that belong to a message rather than to what it is about. */
const OF_A_MESSAGE = /^(?:event|message|msg|request|trace|span|log|entry|audit|notification|response|reply|answer)/i;

/** Names by which a tool that makes a thing is told the id of that thing. */
const OF_ITSELF = /^(?:id|identifier|number|no|nr|num|nummer|numero|número|numéro)$/i;

/** Whether a tool is named after making the very thing whose id a member tells, as `createTicket` is for `ticket` and `ticketId`. */
function isMadeBy(tool: string, member: string): boolean {
  const thing = /^(?:create|make|store|save|insert|add|open|register|new)_?(\p{L}+)$/iu.exec(tool)?.[1];
  const named = member.replace(/(?<=\p{L})(?:_?(?:id|number|no))$/iu, '');
  return thing !== undefined && thing.toLowerCase() === named.toLowerCase();
}

/** A fresh id of the answer that no tool was told, where one with side effects was given another under its name. */
function otherId({ subject }: CheckFacts, { one, seen }: SeenCase): { name: string; tool: string } | undefined {
  if (subject.role !== 'provider' || seen.value === undefined) return undefined;
  const made = (value: Json) => typeof value === 'string' && seen.issuedIds.some((id) => value.includes(id));
  const calls = seen.calls.filter(({ tool, error }) => error === undefined && !isReadOnly(subject, tool));
  const told = textOf(seen.calls.map(({ input, output }) => [input, output ?? null]));
  for (const { name, value } of leavesOf(seen.value)) {
    if (!made(value) || name === '' || CORRELATION_NAME.test(name) || OF_A_MESSAGE.test(name)) continue;
    // What a tool was told may stand in the answer with something before it.
    if (seen.issuedIds.some((id) => String(value).includes(id) && told.includes(id))) continue;
    if (textOf(one.input).includes(String(value))) continue;
    const call = calls.find(({ tool, input }) => {
      const ids = leavesOf(input).filter((leaf) => made(leaf.value));
      const isCreated = ids.length === 1 && OF_ITSELF.test(ids[0]?.name ?? '') && isMadeBy(tool, name);
      return ids.some((leaf) => (leaf.name === name || isCreated) && leaf.value !== value);
    });
    if (call) return { name, tool: call.tool };
  }
  return undefined;
}
