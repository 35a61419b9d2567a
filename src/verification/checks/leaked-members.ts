import type { Observation } from '../../contract/trial.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { equalJson } from '../../schemas/equal-json.ts';
import type { CheckFacts, Finding, Run } from '../check.ts';
import type { RunnableCase } from '../runnable-cases.ts';
import { hasWord, type Leaf, leavesOf } from '../scalar-kinds.ts';
import { isSecret } from './secrets.ts';

/** The leaks in some runs, each once. */
export function leaksIn(facts: CheckFacts, runs: readonly Run[]): Finding[] {
  const loose = facts.cases.flatMap(({ one }) => one.loose);
  const findings = new Map<string, Finding>();
  for (const { scenario, seen } of runs) {
    const { input } = scenario;
    const leaks = [
      ['leaks/unagreed-member', madeUpIn(facts, input, seen) ?? unagreedIn(facts, seen)],
      ['leaks/secret-member', secretIn(facts, { input, loose }, seen)],
    ] as const;
    for (const [rule, what] of leaks) {
      if (what === undefined || findings.has(what)) continue;
      const testCase = facts.cases.find(({ one }) => equalJson(one.input, input))?.one.testCase;
      findings.set(what, {
        rule,
        message: `${testCase === undefined ? '' : `case ${testCase}: `}${what}`.slice(0, 500),
        ...(testCase === undefined ? {} : { testCase }),
        input,
        ...(seen.value === undefined ? {} : { got: seen.value }),
      });
    }
  }
  return [...findings.values()];
}

/** All data of the cases, as JSON texts. */
interface Shown {
  inputs: string;
  outputs: string;
  requests: string;
  responses: string;
}

const shownTexts = new WeakMap<CheckFacts['cases'], Shown>();

function shownBy(cases: CheckFacts['cases']): Shown {
  const known = shownTexts.get(cases);
  if (known !== undefined) return known;
  const text = (part: (one: RunnableCase) => Json) => JSON.stringify(cases.map(({ one }) => part(one)));
  const all = {
    inputs: text(({ input }) => input),
    outputs: text(({ output }) => output),
    requests: text((one) => one.case.request),
    responses: text((one) => one.case.response),
  };
  shownTexts.set(cases, all);
  return all;
}

/** A member with an invented name whose value a tool returned and no case's answer has. */
function madeUpIn(facts: CheckFacts, input: Json, { value, calls, issues }: Observation): string | undefined {
  const { subject, cases } = facts;
  if (subject.role === 'requester' || !isObject(value) || issues.length > 0 || !isObject(subject.responseSchema))
    return undefined;
  const known = [JSON.stringify(input), shownBy(cases).inputs, shownBy(cases).outputs];
  for (const leaf of leavesOf(value)) {
    const text = weighty(leaf);
    if (text === undefined || leaf.name === '' || !isMadeUp(facts, leaf.name)) continue;
    const quoted = [JSON.stringify(text).slice(1, -1), JSON.stringify(leaf.name)];
    if (quoted.some((one) => known.some((all) => all.includes(one)))) continue;
    const sources = calls.flatMap(({ tool, output }) =>
      leavesOf(output ?? null).flatMap((other) => (other.value === leaf.value ? [{ tool, name: other.name }] : [])),
    );
    const [first] = sources;
    if (first !== undefined && sources.every(({ name }) => name !== leaf.name))
      return `the answer has "${leaf.name}", which is not in the agreement, with the value that ${first.tool} returns as "${first.name}"`;
  }
  return undefined;
}

/** Whether only the candidate has a member of this name. */
function isMadeUp(facts: CheckFacts, name: string): boolean {
  const names = madeUp.get(facts) ?? new Map<string, boolean>();
  madeUp.set(facts, names);
  const { subject, vocabulary, candidate } = facts;
  const is =
    names.get(name) ??
    // In an object keyed by data, names are not in the source.
    (hasWord(candidate.bundle, name) && !vocabulary.hasName(name) && !hasWord(subject.agreement.text, name));
  names.set(name, is);
  return is;
}

const madeUp = new WeakMap<CheckFacts, Map<string, boolean>>();

/**
 * A member that a tool returned, and that neither the document, the cases nor the response schema, which lists its
 * members, has in an answer.
 */
function unagreedIn({ subject, cases }: CheckFacts, { value, calls, issues }: Observation): string | undefined {
  const { role, responseSchema, agreement } = subject;
  if (role === 'requester' || !isObject(value) || issues.length > 0 || !isObject(responseSchema)) return undefined;
  const { properties, additionalProperties } = responseSchema;
  const isOpen = additionalProperties === true || COMBINING.some((keyword) => Object.hasOwn(responseSchema, keyword));
  if (isOpen || !isObject(properties)) return undefined;
  const isAgreed = (name: string): boolean =>
    Object.hasOwn(properties, name) ||
    hasWord(agreement.text, name) ||
    cases.some(({ one }) => JSON.stringify(one.output).includes(JSON.stringify(name)));
  for (const [name, told] of Object.entries(value)) {
    if (isAgreed(name)) continue;
    const source = calls.find(({ output }) =>
      leavesOf(output ?? null).some((leaf) => leaf.name === name && leaf.value === told),
    );
    if (source) return `the answer has "${name}", which is not in the agreement, as ${source.tool} returns it`;
  }
  return undefined;
}

/** Keywords by which a schema may list members elsewhere. */
const COMBINING = ['allOf', 'anyOf', 'oneOf', '$ref', 'patternProperties', 'if'];

/** A secret of a tool that an answer has and no case's answer has. */
function secretIn(
  { cases }: CheckFacts,
  { input, loose }: { input: Json; loose: RunnableCase['loose'] },
  seen: Observation,
): string | undefined {
  if (seen.value === undefined) return undefined;
  const known = [JSON.stringify(input), shownBy(cases).outputs, shownBy(cases).responses];
  const made = new Set(loose.filter(({ as }) => as !== 'text').map(({ pointer }) => pointer));
  const answer = leavesOf(seen.value).flatMap(({ pointer, value }) => (made.has(pointer) ? [] : [String(value)]));
  for (const { tool, output } of seen.calls) {
    if (output === undefined) continue;
    for (const leaf of leavesOf(output)) {
      const text = weighty(leaf);
      if (
        text === undefined ||
        !isSecret(tool, leaf.name) ||
        !answer.some((one) => one.includes(text)) ||
        known.some((all) => all.includes(JSON.stringify(text).slice(1, -1)))
      )
        continue;
      // If one case's answer has such a secret, others may have theirs.
      if (isToldElsewhere(cases, tool, leaf.name)) continue;
      // A value that also has another name may be in the answer under that name.
      const isNamedElse = seen.calls.some((call) =>
        leavesOf(call.output ?? null).some((one) => one.name !== leaf.name && one.value === leaf.value),
      );
      if (!isNamedElse)
        return `the answer reveals "${leaf.name || tool}", which ${tool} returned and no case's answer contains`;
    }
  }
  return undefined;
}

/** Whether some case's answer has the tool's value of this name. */
function isToldElsewhere(cases: CheckFacts['cases'], tool: string, name: string): boolean {
  return cases.some(({ one, seen }) => {
    const outputLeaves = leavesOf(one.output);
    return seen.calls.some(
      (call) =>
        call.tool === tool &&
        call.output !== undefined &&
        leavesOf(call.output).some((leaf) => {
          if (leaf.name !== name) return false;
          const text = weighty(leaf);
          return text === undefined
            ? outputLeaves.some((other) => other.name === name && other.value === leaf.value)
            : outputLeaves.some(({ value }) => String(value).includes(text));
        }),
    );
  });
}

/** A value that is too long to be in a text by chance. */
function weighty({ value }: Leaf): string | undefined {
  if (typeof value === 'number') {
    const digits = String(value);
    return Math.abs(value) >= 1000 || /\d\.\d\d/.test(digits) ? digits : undefined;
  }
  if (typeof value !== 'string') return undefined;
  // Chinese names often have two characters.
  return value.length >= (/\p{Script=Han}/u.test(value) ? 2 : 4) ? value : undefined;
}
